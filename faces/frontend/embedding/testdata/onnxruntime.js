// Writes NAME.json: what onnxruntime-node 1.30.0 says of drawn faces by the networks that
// are built in. The first argument is how many faces. In the folder faces/frontend/embedding:
//
//	DIR=$(mktemp -d)
//	NRDL_FACES=$DIR go test . -run TestGolden
//	npm install --ignore-scripts --prefix $DIR onnxruntime-node@1.30.0
//	NODE_PATH=$DIR/node_modules node testdata/onnxruntime.js $DIR 100
//	NRDL_FACES=$DIR NRDL_COMPARE=1 go test . -run TestGolden -v
const ort = require('onnxruntime-node'), fs = require('fs'), path = require('path')
const [folder, count] = process.argv.slice(2);
(async () => {
  for (const file of fs.readdirSync(folder).filter(f => f.endsWith('.onnx'))) {
    const stem = path.join(folder, path.basename(file, '.onnx'))
    const session = await ort.InferenceSession.create(stem + '.onnx')
    const data = fs.readFileSync(stem + '.f32'), side = { dlib: 150 }[path.basename(stem)] || 112
    const faces = new Float32Array(data.buffer, data.byteOffset, data.length / 4), size = 3 * side * side
    const lines = []
    for (let i = 0; i < count * size; i += size) {
      const out = await session.run({ face: new ort.Tensor('float32', faces.subarray(i, i + size), [1, 3, side, side]) })
      lines.push(JSON.stringify(Array.from(out[session.outputNames[0]].data)))
    }
    fs.writeFileSync(stem + '.json', '[' + lines.join(',\n') + ']\n')
  }
})()
