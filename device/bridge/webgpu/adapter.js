#!/usr/bin/env node
// ONNX Runtime's WebGPU provider behind the bridge: assay run -d 'bridge:device/bridge/webgpu/adapter.js [DIR]'
// DIR is the folder that tools/onnxruntime made. VK_DRIVER_FILES selects a Vulkan driver; the default is SwiftShader.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');

const directory = path.resolve(process.argv[2] || path.join(__dirname, '../../../build/onnxruntime'));
const swiftshader = '/usr/lib/chromium/vk_swiftshader_icd.json';
if (!process.env.VK_DRIVER_FILES && !process.env.VK_ICD_FILENAMES)
  process.env.VK_DRIVER_FILES = process.env.VK_ICD_FILENAMES = swiftshader;
process.env.XDG_RUNTIME_DIR ||= os.tmpdir(); // avoids a complaint of the driver

// ---- types: DirectML's to ONNX's and JavaScript's

const types = {
  FLOAT32: { onnx: 1, name: 'float32', array: Float32Array }, FLOAT16: { onnx: 10, name: 'float16', array: Uint16Array },
  FLOAT64: { onnx: 11, name: 'float64', array: Float64Array }, UINT8: { onnx: 2, name: 'uint8', array: Uint8Array },
  UINT16: { onnx: 4, name: 'uint16', array: Uint16Array }, UINT32: { onnx: 12, name: 'uint32', array: Uint32Array },
  UINT64: { onnx: 13, name: 'uint64', array: BigUint64Array }, INT8: { onnx: 3, name: 'int8', array: Int8Array },
  INT16: { onnx: 5, name: 'int16', array: Int16Array }, INT32: { onnx: 6, name: 'int32', array: Int32Array },
  INT64: { onnx: 7, name: 'int64', array: BigInt64Array },
};
const largest = 2n ** 63n - 1n;

// Converts indices to INT64. A UINT64 that does not fit becomes the largest INT64: both are out of range.
function widen(array) {
  return BigInt64Array.from(array, (index) => (BigInt(index) > largest ? largest : BigInt(index)));
}

// ---- an ONNX model of one node, as bytes of a protobuf file without shapes

function varint(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return [...bytes, value];
}
const integer = (field, value) => [...varint(field * 8), ...varint(value)];
const message = (field, ...parts) => [...varint(field * 8 + 2), ...varint(parts.flat().length), ...parts.flat()];
const text = (field, value) => message(field, [...Buffer.from(value)]);
const value = (field, name, type) => message(field, text(1, name), message(2, message(1, integer(1, type))));

function encode({ node, attribute, number, inputs, output }) {
  const names = inputs.map((_, i) => 'abc'[i]);
  const parts = names.map((name) => text(1, name)).concat([text(2, 'y'), text(4, node)]);
  if (attribute) parts.push(message(5, text(1, attribute), integer(3, number), integer(20, 2)));
  const graph = [message(1, ...parts), text(2, 'g')].concat(names.map((name, i) => value(11, name, inputs[i])));
  return Uint8Array.from([integer(1, 8), message(7, ...graph, value(12, 'y', output)), message(8, integer(2, 13))].flat());
}

// ---- operators: the node, and how many of its last dimensions ONNX gets of each input

function shape(type, d) {
  const rank = d.InputTensor.Sizes.length;
  switch (type) {
    case 'GATHER':
      return { node: 'Gather', attribute: 'axis', number: d.Axis, ranks: [rank, d.IndexDimensions] };
    case 'GATHER_ELEMENTS':
      return { node: 'GatherElements', attribute: 'axis', number: d.Axis, ranks: [rank, rank] };
    case 'SCATTER_ELEMENTS':
      return { node: 'ScatterElements', attribute: 'axis', number: d.Axis, ranks: [rank, rank, rank] };
    case 'NONZERO_COORDINATES':
      return { node: 'NonZero', ranks: [rank] };
  }
  const p = d.InputDimensionCount, q = d.IndicesDimensionCount, b = d.BatchDimensionCount || 0;
  const updates = q - 1 + p - b - d.IndicesTensor.Sizes.at(-1);
  if (type === 'SCATTER_ND') return { node: 'ScatterND', ranks: [p, q, updates] };
  return { node: 'GatherND', attribute: 'batch_dims', number: b, ranks: [p, q] };
}

function plan({ Type, Desc }) {
  const tensors = Object.entries(Desc).filter(([name]) => name.endsWith('Tensor')).map(([, tensor]) => tensor);
  const call = shape(Type, Desc), nd = call.node.endsWith('ND');
  call.tensors = tensors;
  call.widens = !!Desc.IndicesTensor && (nd || Desc.IndicesTensor.DataType !== 'INT32');
  call.inputs = call.ranks.map((_, i) => types[i === 1 && call.widens ? 'INT64' : tensors[i].DataType].onnx);
  call.output = types[Type === 'NONZERO_COORDINATES' ? 'INT64' : tensors[call.ranks.length].DataType].onnx;
  return call;
}

// One session for each node, attribute and combination of types, whatever the shapes.
const sessions = new Map();
function session(ort, call) {
  const { node, attribute, number, inputs, output } = call;
  const key = [node, attribute, number, inputs, output].join();
  if (!sessions.has(key)) {
    const options = { executionProviders: ['webgpu'], logSeverityLevel: 4,
                      extra: { session: { disable_cpu_ep_fallback: '1' } } };
    sessions.set(key, ort.InferenceSession.create(encode(call), options));
  }
  return sessions.get(key);
}

async function compile(ort, operator) {
  try {
    await session(ort, plan(operator));
    return { status: 'S_OK' };
  } catch (error) {
    return { status: 'DXGI_ERROR_UNSUPPORTED', message: error.message };
  }
}

async function run(ort, item, data) {
  const call = plan(item), feeds = {};
  let offset = 0;
  call.ranks.forEach((rank, i) => {
    const { DataType, Sizes, TotalTensorSizeInBytes } = call.tensors[i];
    let type = types[DataType];
    let array = new type.array(data.slice(offset, (offset += TotalTensorSizeInBytes)).buffer);
    if (i === 1 && call.widens) [type, array] = [types.INT64, widen(array)];
    feeds['abc'[i]] = new ort.Tensor(type.name, array, rank ? Sizes.slice(-rank) : []);
  });
  const start = process.hrtime.bigint();
  const { y } = await (await session(ort, call)).run(feeds);
  const took = Number(process.hrtime.bigint() - start);
  const output = Buffer.from(y.data.buffer, y.data.byteOffset, y.data.byteLength);
  const expected = call.tensors.at(-1).TotalTensorSizeInBytes;
  if (output.length !== expected) throw new Error(`the output has ${output.length} bytes, expected ${expected}`);
  return { result: { status: 'S_OK', device_ns: took }, output };
}

async function dispatch(ort, items, data) {
  const results = [], outputs = [];
  let offset = 0;
  for (const item of items) {
    const size = plan(item).tensors.reduce((sum, tensor) => sum + tensor.TotalTensorSizeInBytes, 0);
    try {
      const { result, output } = await run(ort, item, data.subarray(offset, offset + size));
      results.push(result);
      outputs.push(output);
    } catch (error) {
      // Whether the driver has FLOAT16 is known only when a shader is created.
      const lacking = /the device does not support it/.test(error.message);
      results.push({ status: lacking ? 'DXGI_ERROR_UNSUPPORTED' : 'E_FAIL', message: error.message });
    }
    offset += size;
  }
  return [{ results }, outputs];
}

// ---- the protocol

function read(size) {
  const bytes = new Uint8Array(size); // a buffer of its own
  for (let done = 0; done < size; ) {
    const got = fs.readSync(0, bytes, done, size - done);
    if (got === 0) process.exit();
    done += got;
  }
  return bytes;
}

function write(bytes) {
  for (let done = 0; done < bytes.length; ) done += fs.writeSync(1, bytes, done);
}

async function hello() {
  const modules = path.join(directory, 'node_modules');
  const ort = require(path.join(modules, 'onnxruntime-node'));
  const { version } = require(path.join(modules, 'onnxruntime-node/package.json'));
  const gather = { node: 'Gather', attribute: 'axis', number: 0, inputs: [1, 7], output: 1 };
  await session(ort, gather); // opens the device, or throws
  return [ort, { name: 'ONNX Runtime, WebGPU', version: '1', data_types: Object.keys(types), compile: true,
                 driver: `ONNX Runtime ${version}, ${path.basename(process.env.VK_DRIVER_FILES || '')}`,
                 max_tensor_bytes: 2 ** 27, max_batch: 16 }];
}

async function main() {
  for (let ort; ; ) {
    const header = Buffer.from(read(16).buffer);
    const request = JSON.parse(Buffer.from(read(header.readUInt32LE(4))));
    const data = read(Number(header.readBigUInt64LE(8)));
    let reply, outputs = [];
    try {
      if (header.toString('latin1', 0, 4) !== 'ASB1') throw new Error('this adapter speaks version 1 of the protocol');
      if (request.request === 'hello') [ort, reply] = await hello();
      else if (request.request === 'compile') reply = await compile(ort, request.operator);
      else [reply, outputs] = await dispatch(ort, request.items, data);
    } catch (error) {
      reply = { error: error.message };
    }
    const json = Buffer.from(JSON.stringify(reply)), answer = Buffer.alloc(16);
    answer.write('ASB1', 'latin1');
    answer.writeUInt32LE(json.length, 4);
    answer.writeBigUInt64LE(BigInt(outputs.reduce((sum, output) => sum + output.length, 0)), 8);
    write(Buffer.concat([answer, json, ...outputs]));
  }
}
main();
