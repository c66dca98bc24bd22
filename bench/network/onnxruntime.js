// Measures a network with onnxruntime-node. Each line of the standard input is a
// request in JSON (file, input, shape, threads, batch, seconds, output); each line
// of the standard output its answer: the least time of a face in milliseconds, or
// what went wrong. input holds batch faces in float32; the results are written
// into output.
const ort = require('onnxruntime-node'), fs = require('fs');
async function measure(q) {
  const options = { intraOpNumThreads: q.threads, interOpNumThreads: 1 };
  const session = await ort.InferenceSession.create(q.file, options);
  const raw = fs.readFileSync(q.input);
  const values = new Float32Array(raw.buffer, raw.byteOffset, raw.length / 4);
  const feeds = { [session.inputNames[0]]: new ort.Tensor('float32', values, [q.batch, ...q.shape]) };
  let result = await session.run(feeds), best = Infinity;
  const end = Date.now() + 1000 * q.seconds;
  do {
    const start = process.hrtime.bigint();
    result = await session.run(feeds);
    best = Math.min(best, Number(process.hrtime.bigint() - start) / 1e6 / q.batch);
  } while (Date.now() < end);
  const out = result[session.outputNames[0]].data;
  fs.writeFileSync(q.output, Buffer.from(out.buffer, out.byteOffset, out.byteLength));
  return { ms: best };
}
require('readline').createInterface({ input: process.stdin }).on('line', async line => {
  let answer;
  try { answer = await measure(JSON.parse(line)); } catch (e) { answer = { error: String(e) }; }
  console.log(JSON.stringify(answer));
});
