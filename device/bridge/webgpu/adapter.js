#!/usr/bin/env node
// ONNX Runtime's WebGPU provider behind the bridge: assay run -d 'bridge:device/bridge/webgpu/adapter.js [DIR]'
// DIR is the folder that tools/onnxruntime made. VK_DRIVER_FILES selects a Vulkan driver; the default is SwiftShader.
'use strict';
const os = require('os');
const path = require('path');
const { serve, Unsupported, dataTypes, last } = require('../assay_peer.js');

const directory = path.resolve(process.argv[2] || path.join(__dirname, '../../../build/onnxruntime'));
const swiftshader = '/usr/lib/chromium/vk_swiftshader_icd.json';
if (!process.env.VK_DRIVER_FILES && !process.env.VK_ICD_FILENAMES)
  process.env.VK_DRIVER_FILES = process.env.VK_ICD_FILENAMES = swiftshader;
process.env.XDG_RUNTIME_DIR ||= os.tmpdir(); // avoids a complaint of the driver

// ONNX's numbers of the data types. ONNX Runtime's names of them are in lower case.
const types = { FLOAT32: 1, UINT8: 2, INT8: 3, UINT16: 4, INT16: 5, INT32: 6, INT64: 7, FLOAT16: 10, FLOAT64: 11,
                UINT32: 12, UINT64: 13 };

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

// ---- operators: the node, and the number of last dimensions that ONNX gets of each input

function shape({ type, inputs, attributes: d }) {
  const rank = inputs[0].sizes.length;
  switch (type) {
    case 'GATHER':
      return { node: 'Gather', attribute: 'axis', number: d.Axis, ranks: [rank, d.IndexDimensions] };
    case 'GATHER_ELEMENTS':
      return { node: 'GatherElements', attribute: 'axis', number: d.Axis, ranks: [rank, rank] };
    case 'SCATTER_ELEMENTS':
      return { node: 'ScatterElements', attribute: 'axis', number: d.Axis, ranks: [rank, rank, rank] };
  }
  const p = d.InputDimensionCount, q = d.IndicesDimensionCount, b = d.BatchDimensionCount || 0;
  const updates = q - 1 + p - b - inputs[1].sizes.at(-1);
  if (type === 'SCATTER_ND') return { node: 'ScatterND', ranks: [p, q, updates] };
  return { node: 'GatherND', attribute: 'batch_dims', number: b, ranks: [p, q] };
}

function plan(item) {
  const call = shape(item), nd = call.node.endsWith('ND');
  call.widens = nd || item.inputs[1].dataType !== 'INT32';
  call.inputs = item.inputs.map((tensor, i) => types[i === 1 && call.widens ? 'INT64' : tensor.dataType]);
  call.output = types[item.outputs[0].dataType];
  return call;
}

// One session for each node, attribute and combination of types, for all shapes.
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

async function compile(ort, item) {
  try {
    await session(ort, plan(item));
  } catch (error) {
    throw new Unsupported(error.message);
  }
}

async function run(ort, item) {
  const call = plan(item), feeds = {};
  item.inputs.forEach((tensor, i) => {
    const widens = i === 1 && call.widens, type = (widens ? 'INT64' : tensor.dataType).toLowerCase();
    feeds['abc'[i]] = new ort.Tensor(type, widens ? tensor.indices : tensor.array, last(tensor.sizes, call.ranks[i]));
  });
  const start = process.hrtime.bigint();
  const { y } = await (await session(ort, call)).run(feeds).catch((error) => {
    // Only the creation of a shader tells whether the driver has FLOAT16.
    throw /the device does not support it/.test(error.message) ? new Unsupported(error.message) : error;
  });
  item.deviceNs = Number(process.hrtime.bigint() - start);
  item.outputs[0].write(y.data);
}

// ---- the peer. NonZero has no kernel.

const operators = { GATHER: {}, GATHER_ELEMENTS: {}, GATHER_ND: {}, GATHER_ND1: {}, SCATTER_ELEMENTS: {}, SCATTER_ND: {} };
let ort;

async function hello() {
  const modules = path.join(directory, 'node_modules');
  ort = require(path.join(modules, 'onnxruntime-node'));
  const { version } = require(path.join(modules, 'onnxruntime-node/package.json'));
  const gather = { node: 'Gather', attribute: 'axis', number: 0, inputs: [1, 7], output: 1 };
  await session(ort, gather); // opens the device, or throws
  return { name: 'ONNX Runtime, WebGPU', version: '1', data_types: dataTypes, operators,
           driver: `ONNX Runtime ${version}, ${path.basename(process.env.VK_DRIVER_FILES || '')}`,
           max_tensor_bytes: 2 ** 27, max_batch: 16 };
}

serve(hello, (item) => run(ort, item), (item) => compile(ort, item));
