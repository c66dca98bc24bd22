// Writes faceapi.json: what the network of landmarks of @vladmandic/face-api 1.7.15 says of the
// drawn picture of TestLandmarksAsFaceAPI, 112×112 pixels as raw RGB in picture112.rgb. In this folder:
//
//	npm install --ignore-scripts --no-save @vladmandic/face-api@1.7.15 @tensorflow/tfjs@4.22.0 @tensorflow/tfjs-backend-wasm@4.22.0
//	node faceapi.js
const fs = require('fs'), path = require('path')
const tf = require('@tensorflow/tfjs'), wasm = require('@tensorflow/tfjs-backend-wasm')
const faceapi = require('@vladmandic/face-api/dist/face-api.node-wasm.js')
const folder = (name) => path.dirname(require.resolve(`${name}/package.json`))
const picture = (side) => tf.tensor3d(new Uint8Array(fs.readFileSync(`picture${side}.rgb`)), [side, side, 3], 'int32')
const numbers = (t) => Array.from(t.dataSync());
(async () => {
  wasm.setWasmPaths(folder('@tensorflow/tfjs-backend-wasm') + '/dist/')
  await tf.setBackend('wasm')
  await tf.ready()
  const net = faceapi.nets.faceLandmark68Net
  await net.loadFromDisk(folder('@vladmandic/face-api') + '/model')
  const result = { landmarks: numbers(await net.forward(picture(112))) }
  const list = (v) => '[' + v.map((x) => +x.toPrecision(7)).join(',') + ']'
  fs.writeFileSync('faceapi.json', '{' + Object.entries(result).map(([k, v]) => `"${k}": ${list(v)}`).join(',\n') + '}\n')
})()
