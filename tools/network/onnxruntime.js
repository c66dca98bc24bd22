// Runs the networks NAME.onnx in a folder by onnxruntime-node, under the names of
// BenchmarkFace of package network, and prints lines for benchstat:
//
//	node onnxruntime.js FOLDER SECONDS
//
// onnxruntime takes the instructions that it likes. A network of a fixed batch of 1 is
// run face by face.
const ort = require('onnxruntime-node'), fs = require('fs'), path = require('path');
const [folder, seconds] = process.argv.slice(2);
const sides = { dlib: 150 };
async function least(file, side, threads, batch) {
  const session = await ort.InferenceSession.create(file, { intraOpNumThreads: threads, interOpNumThreads: 1 });
  const size = 3 * side * side, name = session.inputNames[0];
  const values = Float32Array.from({ length: batch * size }, () => Math.floor(256 * Math.random()));
  const feeds = n => Array.from({ length: batch / n }, (_, k) =>
    ({ [name]: new ort.Tensor('float32', values.subarray(k * n * size, (k + 1) * n * size), [n, 3, side, side]) }));
  const run = async list => { for (const f of list) await session.run(f); };
  let batches = feeds(batch);
  try { await run(batches); } catch (e) { await run(batches = feeds(1)); }
  let best = Infinity;
  const end = Date.now() + 1000 * seconds;
  do {
    const start = process.hrtime.bigint();
    await run(batches);
    best = Math.min(best, Number(process.hrtime.bigint() - start) / batch);
  } while (Date.now() < end);
  await session.release();
  return best;
}
(async () => {
  for (const file of fs.readdirSync(folder).filter(f => f.endsWith('.onnx'))) {
    const net = path.basename(file, '.onnx');
    for (const threads of [1, 2]) for (const batch of [1, 32]) {
      const ns = await least(path.join(folder, file), sides[net] || 112, threads, batch);
      console.log(`BenchmarkFace/net=${net}/threads=${threads}/batch=${batch}/program=onnxruntime 1 ${Math.round(ns)} ns/face`);
    }
  }
})();
