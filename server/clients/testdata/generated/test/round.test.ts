// A round trip with each generated client, against the service of NRDL_URL, with the photographs of NRDL_PHOTOS.
import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";
import { test } from "node:test";
import { client } from "../hey/client.gen";
import * as hey from "../hey/sdk.gen";
import * as orval from "../orval/nrdl";

const url = process.env["NRDL_URL"] ?? "";
const key = process.env["NRDL_KEY"] ?? "";
const photo = (name: string) => openAsBlob(`${process.env["NRDL_PHOTOS"]}/${name}`);

test("hey-api", async () => {
	client.setConfig({ baseUrl: url, auth: key });
	const options = { throwOnError: true as const };
	const { data: made } = await hey.createCollection({ ...options, body: { name: "hey-api", fpir: 0.02 } });
	const path = { collection: made.id };
	const { data: ann } = await hey.createPerson({ ...options, path, body: { name: "Ann" } });
	const one = await photo("people/person001/1.jpg");
	const { data: added } = await hey.addPersonFaces({ ...options, path: { ...path, person: ann.id }, body: { photo: [one] } });
	assert.equal(added.faces.length, 1);
	const { data: shown } = await hey.identify({ ...options, path, body: { photo: one } });
	assert.equal(shown.faces[0]?.name, "Ann");
	const { data: found } = await hey.detect({ ...options, path, body: { photo: one }, query: { vectors: "true" } });
	const { data: other } = await hey.addPersonVectors({
		...options, path: { ...path, person: ann.id }, body: { space: found.space ?? "", vector: found.faces[0]?.vector ?? [] },
	});
	assert.equal(other.faces.length, 1);
	await hey.deletePerson({ ...options, path: { ...path, person: ann.id } });
	const refused = await hey.createPerson({ path, body: {} });
	assert.equal(refused.error?.status, 422);
});

test("orval", async () => {
	const options = { headers: { Authorization: `Bearer ${key}` } };
	const made = await orval.createCollection({ name: "orval", fpir: 0.02 }, options);
	assert.ok(made.status === 200);
	const ann = await orval.createPerson(made.data.id, { name: "Ann" }, options);
	assert.ok(ann.status === 200);
	const one = await photo("people/person001/1.jpg");
	const added = await orval.addPersonFaces(made.data.id, ann.data.id, { photo: [one] }, undefined, options);
	assert.ok(added.status === 200);
	const shown = await orval.identify(made.data.id, { photo: one }, undefined, options);
	assert.ok(shown.status === 200);
	assert.equal(shown.data.faces[0]?.name, "Ann");
	const gone = await orval.deletePerson(made.data.id, ann.data.id, undefined, options);
	assert.equal(gone.status, 200);
});
