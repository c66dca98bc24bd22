// Writes onnxruntime.json: what onnxruntime-node 1.30.0 says of the drawn faces of
// TestGolden. In this folder:
//
//	NRDL_FACES=$PWD/faces.f32 go test .. -run TestGolden
//	npm install --ignore-scripts --no-save onnxruntime-node@1.30.0
//	zstd -d -o dlib.onnx ../weights/dlib.onnx.zst
//	node onnxruntime.js
const ort = require('onnxruntime-node'), fs = require('fs')
const data = fs.readFileSync('faces.f32')
const faces = new Float32Array(data.buffer, data.byteOffset, data.length / 4)
const size = 3 * 150 * 150;
(async () => {
  const session = await ort.InferenceSession.create('dlib.onnx')
  const lines = []
  for (let i = 0; i < faces.length; i += size) {
    const face = new ort.Tensor('float32', faces.subarray(i, i + size), [1, 3, 150, 150])
    const { embedding } = await session.run({ face })
    lines.push(JSON.stringify(Array.from(embedding.data)))
  }
  fs.writeFileSync('onnxruntime.json', '[' + lines.join(',\n') + ']\n')
})()
