// Each call of the SDK of CompreFace, in the words of its README: node compreface.mjs SDK URL PORT KEY PHOTO PHOTO
import { readFileSync } from "node:fs";

const [sdk, url, port, key, ann, other] = process.argv.slice(2);
const { CompreFace } = await import(sdk);
const server = new CompreFace(url, port);
const recognition = server.initFaceRecognitionService(key), detection = server.initFaceDetectionService(key), verification = server.initFaceVerificationService(key);
// One of each for each call: it appends to its address.
const faces = () => recognition.getFaceCollection(), subjects = () => recognition.getSubjects();
const base64 = readFileSync(ann).toString("base64");
const done = {};
const call = async (name, send) => {
	try {
		done[name] = await send();
	} catch (e) {
		done[name] = { failed: e.response?.status ?? String(e), message: e.response?.data?.message };
	}
	return done[name];
};
await call("subjects.list, empty", () => subjects().list());
await call("subjects.add", () => subjects().add("Ann"));
await call("subjects.rename", () => subjects().rename("Ann", "Anna"));
const added = await call("faces.add, file", () => faces().add(ann, "Anna"));
await call("faces.add, base64", () => faces().add(base64, "Anna"));
await call("subjects.add, another", () => subjects().add("Bob"));
await call("faces.add, another", () => faces().add(other, "Anna"));
await call("faces.list", () => faces().list());
await call("subjects.list", () => subjects().list());
await call("recognize, file", () => recognition.recognize(ann, { limit: 0 }));
await call("recognize, base64", () => recognition.recognize(base64, { limit: 0 }));
await call("faces.verify", () => faces().verify(ann, added.image_id, { limit: 0 }));
await call("detect, file", () => detection.detect(ann, { limit: 0 }));
await call("detect, base64", () => detection.detect(base64, { limit: 0 }));
await call("verify, file", () => verification.verify(ann, ann, { limit: 0 }));
await call("verify, base64", () => verification.verify(base64, base64, { limit: 0 }));
await call("faces.delete", () => faces().delete(added.image_id));
await call("subjects.delete", () => subjects().delete("Bob"));
await call("subjects.deleteAll", () => subjects().deleteAll());
await call("subjects.list, at the end", () => subjects().list());
console.log(JSON.stringify(done));
