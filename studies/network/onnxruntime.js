// Measures a network with onnxruntime-node. Each line of the standard input is a
// request in JSON (file, input, shape, threads, batch, seconds, output); each line
// of the standard output its answer: the least time of a face in milliseconds, or
// what went wrong. input holds batch faces in float32; the results are written
// into output. A network of a fixed batch of 1 is run face by face.
const ort = require('onnxruntime-node'), fs = require('fs');
async function measure(q) {
  const options = { intraOpNumThreads: q.threads, interOpNumThreads: 1 };
  const session = await ort.InferenceSession.create(q.file, options);
  const raw = fs.readFileSync(q.input);
  const values = new Float32Array(raw.buffer, raw.byteOffset, raw.length / 4);
  const name = session.inputNames[0], size = values.length / q.batch;
  const feeds = n => Array.from({ length: q.batch / n }, (_, k) =>
    ({ [name]: new ort.Tensor('float32', values.subarray(k * n * size, (k + 1) * n * size), [n, ...q.shape]) }));
  const run = async list => { const out = []; for (const f of list) out.push(await session.run(f)); return out; };
  let batches = feeds(q.batch), results;
  try { results = await run(batches); } catch (e) {
    batches = feeds(1);
    results = await run(batches);
  }
  let best = Infinity;
  const end = Date.now() + 1000 * q.seconds;
  do {
    const start = process.hrtime.bigint();
    results = await run(batches);
    best = Math.min(best, Number(process.hrtime.bigint() - start) / 1e6 / q.batch);
  } while (Date.now() < end);
  fs.writeFileSync(q.output, Buffer.concat(results.map(r => {
    const out = r[session.outputNames[0]].data;
    return Buffer.from(out.buffer, out.byteOffset, out.byteLength);
  })));
  await session.release();
  return { ms: best };
}
require('readline').createInterface({ input: process.stdin }).on('line', async line => {
  let answer;
  try { answer = await measure(JSON.parse(line)); } catch (e) { answer = { error: String(e) }; }
  console.log(JSON.stringify(answer));
});
