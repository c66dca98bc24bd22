// A client of the service nrdl serve: openapi-fetch with the types of its description, files as
// forms, and errors that are thrown.
import createFetchClient, { type ClientOptions } from "openapi-fetch";
import type { components, paths } from "./schema.js";

export type { components, operations, paths } from "./schema.js";
export type Schemas = components["schemas"];

/** What the service refused: `code` is for programs, `message` for people. */
export class NrdlError extends Error {
	override readonly name = "NrdlError";
	readonly code: string;
	/** Seconds after which the request may be sent again, where the service says so. */
	readonly retryAfter: number | undefined;

	constructor(
		readonly status: number,
		readonly problem: Partial<Schemas["Problem"]>,
		retryAfter: string | null = null,
	) {
		super(problem.detail ?? `status ${status}`);
		this.code = problem.code ?? "error";
		this.retryAfter = retryAfter === null ? undefined : Number(retryAfter);
	}
}

export interface Options extends Omit<ClientOptions, "baseUrl" | "bodySerializer"> {
	/** Address of the service, such as http://127.0.0.1:8080. */
	url: string;
	/** Key; not needed while the service has none. */
	key?: string;
}

/** A form if a value is a file or a list of files, and otherwise JSON. */
function encode(body: unknown): BodyInit {
	const fields = Object.entries(body as Record<string, unknown>);
	const isFile = (v: unknown) => v instanceof Blob || (Array.isArray(v) && v[0] instanceof Blob);
	if (!fields.some(([, value]) => isFile(value))) return JSON.stringify(body);
	const form = new FormData();
	for (const [name, value] of fields) {
		for (const v of Array.isArray(value) ? value : [value]) {
			form.append(name, v instanceof Blob ? v : String(v));
		}
	}
	return form;
}

/**
 * Returns a client. Its methods GET, POST, PATCH and DELETE take a path of the description and
 * its parameters, and resolve to `{ data }`; an answer of 400 or more throws a NrdlError.
 */
export function createClient({ url, key, ...more }: Options) {
	const client = createFetchClient<paths>({ ...more, baseUrl: url, bodySerializer: encode });
	client.use({
		onRequest({ request }) {
			if (key) request.headers.set("Authorization", `Bearer ${key}`);
			return request;
		},
		async onResponse({ response }) {
			if (response.status < 400) return;
			const problem = await response.json().catch(() => ({}));
			throw new NrdlError(response.status, problem as Partial<Schemas["Problem"]>, response.headers.get("Retry-After"));
		},
	});
	return client;
}
