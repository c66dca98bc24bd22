// Runs face-api's own pipeline (SSD detector, 68 landmarks, descriptor) on the
// images whose paths are on standard input, and prints one line of JSON for each.
const fs = require("fs");
const path = require("path");
const sharp = require("sharp");
const tf = require("@tensorflow/tfjs");
const wasm = require("@tensorflow/tfjs-backend-wasm");
const faceapi = require("@vladmandic/face-api/dist/face-api.node-wasm.js");

const folder = (name) => path.dirname(require.resolve(`${name}/package.json`));

async function main() {
  wasm.setWasmPaths(folder("@tensorflow/tfjs-backend-wasm") + "/dist/");
  await tf.setBackend("wasm");
  await tf.ready();
  const models = folder("@vladmandic/face-api") + "/model";
  const detector = process.argv[2];
  const nets = faceapi.nets;
  await (detector === "tiny" ? nets.tinyFaceDetector : nets.ssdMobilenetv1).loadFromDisk(models);
  await nets.faceLandmark68Net.loadFromDisk(models);
  await nets.faceRecognitionNet.loadFromDisk(models);
  const options = detector === "tiny" ? new faceapi.TinyFaceDetectorOptions() : new faceapi.SsdMobilenetv1Options();
  for (const file of fs.readFileSync(0, "utf8").split("\n").filter((l) => l !== "")) {
    const start = process.hrtime.bigint();
    const { data, info } = await sharp(file).rotate().removeAlpha().toColourspace("srgb").raw().toBuffer({ resolveWithObject: true });
    const image = tf.tensor3d(new Uint8Array(data), [info.height, info.width, info.channels], "int32");
    const found = await faceapi.detectAllFaces(image, options).withFaceLandmarks().withFaceDescriptors();
    image.dispose();
    const milliseconds = Number(process.hrtime.bigint() - start) / 1e6;
    // The largest face, as this project takes it.
    found.sort((a, b) => b.detection.box.area - a.detection.box.area);
    const line = { path: file, milliseconds, faces: found.length };
    if (found.length > 0) line.descriptor = Array.from(found[0].descriptor);
    console.log(JSON.stringify(line));
  }
}

main().catch((e) => {
  console.error(e);
  process.exit(1);
});
