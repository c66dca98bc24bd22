// Runs against the service of NRDL_URL, with the photographs of NRDL_PHOTOS: client_test.go
// starts one.
import assert from "node:assert/strict";
import { openAsBlob as open } from "node:fs";
import { test } from "node:test";
import { createClient, NrdlError, type Schemas } from "../src/index.js";

const photos = process.env["NRDL_PHOTOS"] ?? "";
const url = process.env["NRDL_URL"] ?? "";
const key = process.env["NRDL_KEY"] ?? "";
const nrdl = createClient({ url, key });
const openAsBlob = (name: string) => open(`${photos}/${name}`);
const people = "/v1/collections/{collection}/people";

/** The data of an answer, which is there unless it is empty. */
async function got<T>(answer: Promise<{ data?: T }>): Promise<T> {
	const { data } = await answer;
	assert.ok(data !== undefined);
	return data;
}

test("people are enrolled and named", async () => {
	const visitors = await got(nrdl.POST("/v1/collections", { body: { name: "visitors of a page", fpir: 0.02 } }));
	const path = { collection: visitors.id };
	const ann = await got(nrdl.POST(people, { params: { path }, body: { name: "Ann" } }));
	const photo = await openAsBlob("people/person001/1.jpg");
	const added = await got(
		nrdl.POST("/v1/collections/{collection}/people/{person}/faces", {
			params: { path: { ...path, person: ann.id }, query: { new: "true" } },
			body: { photo: [photo, await openAsBlob("people/person001/2.jpg")] },
		}),
	);
	assert.equal(added.faces.length, 2);

	const shown: Schemas["ShownPhotograph"] = await got(
		nrdl.POST("/v1/collections/{collection}/identify", { params: { path }, body: { photo } }),
	);
	assert.equal(shown.faces[0]?.name, "Ann");
	const same = await got(nrdl.POST("/v1/collections/{collection}/verify", { params: { path }, body: { a: photo, person: ann.id } }));
	assert.equal(same.same, true);

	const crop = await got(
		nrdl.GET("/v1/collections/{collection}/faces/{face}/crop", {
			params: { path: { ...path, face: added.faces[0]?.id ?? "" } },
			parseAs: "blob",
		}),
	);
	assert.equal(crop.type, "image/png");
	const found = await got(nrdl.GET(people, { params: { path, query: { search: "an", order: "faces" } } }));
	assert.deepEqual(found.items.map((p) => p.name), ["Ann"]);
	const receipt = await got(nrdl.DELETE("/v1/collections/{collection}/people/{person}", { params: { path: { ...path, person: ann.id } } }));
	assert.equal(receipt.faces.length, 2);
});

test("what is refused is thrown, with its code", async () => {
	const body = { name: "twice", fpir: 0.01 };
	const once = { headers: { "Idempotency-Key": "a page" }, body };
	const first = await got(nrdl.POST("/v1/collections", once));
	assert.deepEqual(await got(nrdl.POST("/v1/collections", once)), first);
	await assert.rejects(nrdl.POST("/v1/collections", { body }), (e) => {
		assert.ok(e instanceof NrdlError);
		assert.equal(e.status, 409);
		assert.equal(e.code, "name_taken");
		assert.equal(e.problem.id, first.id);
		return true;
	});
});

test("the example of doc/service.md", async () => {
	const nrdl = createClient({ url, key });
	const visitors = await nrdl.POST("/v1/collections", { body: { name: "visitors" } });
	const path = { collection: visitors.data?.id ?? "" };
	const photo = await openAsBlob("people/person001/2.jpg");
	const shown = await nrdl.POST("/v1/collections/{collection}/identify", { params: { path }, body: { photo } });
	console.log(shown.data?.faces[0]?.decision);
	assert.equal(shown.data?.faces[0]?.decision, "unknown");
});
