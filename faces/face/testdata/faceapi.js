// Writes faceapi.json: what the networks of @vladmandic/face-api 1.7.15 say of the
// drawn picture of TestNetworksAsFaceAPI, at sampled outputs. In this folder:
//
//	NRDL_PICTURES=$PWD go test .. -run TestNetworksAsFaceAPI
//	npm install --ignore-scripts --no-save @vladmandic/face-api@1.7.15 @tensorflow/tfjs@4.22.0 @tensorflow/tfjs-backend-wasm@4.22.0
//	node faceapi.js
const fs = require('fs'), path = require('path')
const tf = require('@tensorflow/tfjs'), wasm = require('@tensorflow/tfjs-backend-wasm')
const faceapi = require('@vladmandic/face-api/dist/face-api.node-wasm.js')
const folder = (name) => path.dirname(require.resolve(`${name}/package.json`))
const picture = (side) => tf.tensor3d(new Uint8Array(fs.readFileSync(`picture${side}.rgb`)), [side, side, 3], 'int32')
const numbers = (t) => Array.from(t.dataSync())
const sampled = (list, step, width) => {
  const some = []
  for (let i = 0; i * step < list.length / width; i++) some.push(...list.slice(i * step * width, (i * step + 1) * width))
  return some
};
(async () => {
  wasm.setWasmPaths(folder('@tensorflow/tfjs-backend-wasm') + '/dist/')
  await tf.setBackend('wasm')
  await tf.ready()
  const { ssdMobilenetv1, tinyFaceDetector, faceLandmark68Net } = faceapi.nets
  for (const net of [ssdMobilenetv1, tinyFaceDetector, faceLandmark68Net]) await net.loadFromDisk(folder('@vladmandic/face-api') + '/model')
  const ssd = ssdMobilenetv1.forwardInput(await faceapi.toNetInput(picture(512)))
  const tiny = await tinyFaceDetector.forward(picture(416), 416)
  const points = await faceLandmark68Net.forward(picture(112))
  const result = {
    ssdScores: sampled(numbers(ssd.scores[0]), 29, 1),
    ssdBoxes: sampled(numbers(ssd.boxes[0]), 29, 4),
    tiny: sampled(numbers(tiny), 3, 25),
    landmarks: numbers(points),
  }
  const list = (v) => '[' + v.map((x) => +x.toPrecision(7)).join(',') + ']'
  fs.writeFileSync('faceapi.json', '{' + Object.entries(result).map(([k, v]) => `"${k}": ${list(v)}`).join(',\n') + '}\n')
})()
