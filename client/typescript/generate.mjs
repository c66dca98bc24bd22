// Writes src/schema.ts: the types of the description of the service, in which a file is a Blob.
import { writeFileSync } from "node:fs";
import openapi, { astToString } from "openapi-typescript";
import ts from "typescript";

const blob = ts.factory.createTypeReferenceNode("Blob");
const types = await openapi(new URL("../openapi.json", import.meta.url), {
	transform: (schema) => (schema.format === "binary" ? blob : undefined),
});
writeFileSync(new URL("src/schema.ts", import.meta.url), "// Written by generate.mjs of ../openapi.json: do not change it.\n\n" + astToString(types));
