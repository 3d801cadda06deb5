// The protocol of assay's bridge for peers in Node.js; README.md beside this file describes both.
//
//   const { serve } = require('../assay_peer.js');
//   serve({ name: 'mine', data_types: ['FLOAT32'], operators: { GATHER: {} } }, run);
//
// calls `await run(item)` for each operator to run, one at a time. It writes the tensors of item.outputs, or throws.
// The text of the exception is the item's message; an Unsupported makes it DXGI_ERROR_UNSUPPORTED.
'use strict';
const fs = require('fs');

const version = 'ASB2';

// The data types of a whole number of bytes, with arrays of their elements; JavaScript has numbers of FLOAT16 as bits
// only. Of INT4 and UINT4, two elements share a byte.
const arrays = {
  FLOAT16: Uint16Array, FLOAT32: Float32Array, FLOAT64: Float64Array, UINT8: Uint8Array, UINT16: Uint16Array,
  UINT32: Uint32Array, UINT64: BigUint64Array, INT8: Int8Array, INT16: Int16Array, INT32: Int32Array,
  INT64: BigInt64Array,
};
const dataTypes = Object.keys(arrays);

class Unsupported extends Error {}

// ---- FLOAT16

function numberOfHalf(bits) {
  const exponent = (bits >> 10) & 31, fraction = bits & 1023;
  let size = exponent ? (1024 + fraction) * 2 ** (exponent - 25) : fraction * 2 ** -24;
  if (exponent === 31) size = fraction ? NaN : Infinity;
  return bits >> 15 ? -size : size;
}

const float = new Float32Array(1), floatBits = new Uint32Array(float.buffer);

// Rounds to nearest, halves to even.
function halfOfNumber(number) {
  float[0] = number;
  const sign = (floatBits[0] >>> 16) & 0x8000, size = Math.abs(number);
  if (Number.isNaN(number)) return 0x7e00;
  if (size >= 65520) return sign | 0x7c00;
  const exponent = Math.max(((floatBits[0] >> 23) & 255) - 127, -14), steps = size / 2 ** (exponent - 10);
  const below = Math.floor(steps), rest = steps - below;
  const rounded = below + (rest > 0.5 || (rest === 0.5 && below % 2) ? 1 : 0);
  return sign | (((exponent + 14) << 10) + rounded);
}

// ---- tensors and operators

// A tensor has a `name`, a `dataType`, `sizes`, `strides` (in elements; null: row-major), its `size` in bytes, and its
// `bytes`, a Buffer.
class Tensor {
  constructor(name, { DataType, Sizes, Strides = null }, bytes, size = bytes.length) {
    Object.assign(this, { name, dataType: DataType, sizes: Sizes, strides: Strides, size, bytes });
  }

  // The elements over the bytes: what is written to the array is written to the tensor.
  get array() {
    const type = arrays[this.dataType];
    return new type(this.bytes.buffer, this.bytes.byteOffset, Math.floor(this.size / type.BYTES_PER_ELEMENT));
  }

  // The elements as numbers, for FLOAT16 in a Float64Array of their own; as BigInts, if they are integers of 64 bits.
  get numbers() {
    const { array } = this;
    if (this.dataType !== 'FLOAT16') return array;
    const numbers = new Float64Array(array.length);
    for (let i = 0; i < array.length; i++) numbers[i] = numberOfHalf(array[i]);
    return numbers;
  }

  // The elements as INT64, a copy. A UINT64 that does not fit becomes the largest: both are out of range.
  get indices() {
    return BigInt64Array.from(this.array, (index) => {
      const integer = BigInt(index);
      return integer > 2n ** 63n - 1n ? 2n ** 63n - 1n : integer;
    });
  }

  // Writes all elements: an array like that of the tensor as it is, others as numbers or BigInts, which become FLOAT16
  // or integers of 64 bits if need be.
  write(values) {
    const { array } = this;
    if (values.length !== array.length)
      throw new Error(`${this.name} gets ${values.length} elements, expected ${array.length}`);
    let convert = null;
    if (this.dataType === 'FLOAT16') convert = halfOfNumber;
    if (this.dataType.endsWith('INT64')) convert = BigInt;
    if (!convert || values instanceof array.constructor) array.set(values);
    else for (let i = 0; i < array.length; i++) array[i] = convert(values[i]);
  }
}

// Returns a member in JavaScript. A FLOAT that JSON lacks is text, a DML_SCALAR_UNION has bytes.
function attribute(value) {
  if (typeof value === 'string') return Number(value);
  if (Array.isArray(value)) return value.map(attribute);
  if (value === null || typeof value !== 'object') return value;
  if (value.Bytes) return new Tensor('', { ...value, Sizes: [] }, Buffer.from(Uint8Array.from(value.Bytes).buffer)).numbers[0];
  if (value.Type) return { type: value.Type, attributes: attribute(value.Desc) };
  const members = Object.entries(value).filter(([name]) => !name.endsWith('Tensor'));
  return Object.fromEntries(members.map(([name, member]) => [name, attribute(member)]));
}

// An operator to run: `type`, such as 'GATHER'; the tensors in the documented order, `inputs` and `outputs`; the other
// members as `attributes` by documented name; and `flags`, the names of DML_EXECUTION_FLAGS. An absent tensor is null,
// an array of tensors is an array. Of the attributes, a DML_SCALAR_UNION is a number or, of 64 bits, a BigInt; an
// operator such as FusedActivation is an object with `type` and `attributes`.
class Item {
  constructor({ Type, Desc, Inputs, Outputs, ExecutionFlags = [] }, data = null, offset = 0) {
    Object.assign(this, { type: Type, flags: ExecutionFlags, attributes: {}, deviceNs: null, size: 0 });
    const read = (name, value) => {
      if (value === null) return null;
      if (Array.isArray(value)) return value.map((one) => read(name, one));
      const at = offset + this.size, size = value.TotalTensorSizeInBytes;
      this.size += size;
      const bytes = data && data.subarray(at, at + size);
      // An array of elements of 8 bytes begins at a multiple of 8.
      return new Tensor(name, value, at % 8 && data ? Buffer.from(new Uint8Array(bytes).buffer) : bytes, size);
    };
    this.inputs = Inputs.map((name) => read(name, Desc[name]));
    this.outputs = Outputs.map((name) => read(name, Desc[name]));
    for (const [name, value] of Object.entries(Desc))
      if (!Inputs.includes(name) && !Outputs.includes(name)) this.attributes[name] = attribute(value);
  }

  get tensors() {
    return [...this.inputs, ...this.outputs];
  }
}

// ---- words that most adapters need

const product = (sizes) => sizes.reduce((count, size) => count * size, 1);

// Returns the last `rank` sizes. Those before are 1.
const last = (sizes, rank) => sizes.slice(sizes.length - rank);

function joinedOrder(rank, axes) {
  const kept = [...Array(rank).keys()].filter((axis) => !axes.includes(axis));
  return [...kept, ...[...new Set(axes)].sort((a, b) => a - b)];
}

// Yields the number of each element of an array of these sizes, in the order of joined().
function* placesJoined(sizes, axes) {
  const order = joinedOrder(sizes.length, axes), steps = order.map((axis) => product(sizes.slice(axis + 1)));
  const at = order.map(() => 0);
  for (let count = product(sizes), place = 0; count > 0; count--) {
    yield place;
    for (let i = order.length - 1; i >= 0; i--) {
      place += steps[i];
      if (++at[i] < sizes[order[i]]) break;
      place -= at[i] * steps[i];
      at[i] = 0;
    }
  }
}

// Returns a copy of the array with the axes behind the others, joined to one: a row for each slice along them.
function joined(array, sizes, axes) {
  const rows = new array.constructor(array.length);
  let next = 0;
  for (const place of placesJoined(sizes, axes)) rows[next++] = array[place];
  return rows;
}

// Returns what joined() made of an array of these sizes to its order.
function parted(rows, sizes, axes) {
  const array = new rows.constructor(rows.length);
  let next = 0;
  for (const place of placesJoined(sizes, axes)) array[place] = rows[next++];
  return array;
}

// Returns x * Scale + Bias, in the type of the array x; x itself without a DML_SCALE_BIAS.
const scaled = (x, scaleBias) => (scaleBias ? x.map((value) => value * scaleBias.Scale + scaleBias.Bias) : x);

// Applies an activation to x, by an object of functions of x and the attributes; returns x if it is null. An activation
// that the object lacks is unsupported.
function fused(x, activation, functions) {
  if (!activation) return x;
  if (!functions[activation.type]) throw new Unsupported(`the adapter cannot fuse ${activation.type}`);
  return functions[activation.type](x, activation.attributes);
}

// ---- the protocol

const failure = (error) => ({ status: error instanceof Unsupported ? 'DXGI_ERROR_UNSUPPORTED' : 'E_FAIL',
                              message: String((error && error.message) || error) });

async function dispatch(run, operators, data) {
  const results = [], outputs = [];
  let offset = 0;
  for (const operator of operators) {
    const item = new Item(operator, data, offset);
    offset += item.size;
    const start = process.hrtime.bigint();
    try {
      await run(item);
      const took = Number(process.hrtime.bigint() - start);
      results.push({ status: 'S_OK', device_ns: item.deviceNs === null ? took : item.deviceNs });
      outputs.push(...item.outputs.flat().filter((tensor) => tensor).map((tensor) => tensor.bytes));
    } catch (error) {
      results.push(failure(error));
    }
  }
  return [{ results }, outputs];
}

async function compiled(compile, operator) {
  try {
    await compile(new Item(operator));
    return { status: 'S_OK' };
  } catch (error) {
    return failure(error);
  }
}

function descriptor(variable) {
  if (process.env[variable]) return Number(process.env[variable]);
  console.error(`${variable} is not set: assay's bridge starts this program, as in \`assay run -d bridge:PROGRAM\``);
  return process.exit(1);
}

// Reads exactly `size` bytes; ends the program at the end of the requests.
function read(from, size) {
  const bytes = Buffer.from(new ArrayBuffer(size));
  for (let done = 0; done < size; ) {
    const got = fs.readSync(from, bytes, done, size - done);
    if (got === 0) process.exit();
    done += got;
  }
  return bytes;
}

function write(to, bytes) {
  for (let done = 0; done < bytes.length; ) done += fs.writeSync(to, bytes, done);
}

// Answers requests until the bridge closes them. `hello`: the answer to hello, or a function that makes it. With
// `compile`, the bridge asks about each operator before it is dispatched: `await compile(item)` returns or throws; its
// tensors have no bytes.
async function serve(hello, run, compile = null) {
  const requests = descriptor('ASSAY_BRIDGE_IN'), answers = descriptor('ASSAY_BRIDGE_OUT');
  for (;;) {
    const header = read(requests, 16);
    const request = JSON.parse(read(requests, header.readUInt32LE(4)));
    const data = read(requests, Number(header.readBigUInt64LE(8)));
    const magic = header.toString('latin1', 0, 4);
    let reply, outputs = [];
    try {
      if (magic !== version)
        throw new Error(`this peer speaks version ${version[3]} of the protocol, the bridge version ${magic[3]}`);
      if (request.request === 'hello')
        reply = { compile: !!compile, ...(typeof hello === 'function' ? await hello() : hello) };
      else if (request.request === 'compile') reply = await compiled(compile, request.operator);
      else [reply, outputs] = await dispatch(run, request.items, data);
    } catch (error) { // the peer cannot go on
      reply = { error: String((error && error.message) || error) };
    }
    const json = Buffer.from(JSON.stringify(reply)), answer = Buffer.alloc(16);
    answer.write(version, 'latin1');
    answer.writeUInt32LE(json.length, 4);
    answer.writeBigUInt64LE(BigInt(outputs.reduce((sum, output) => sum + output.length, 0)), 8);
    write(answers, Buffer.concat([answer, json, ...outputs]));
  }
}

module.exports = { serve, Unsupported, Item, dataTypes, last, joined, parted, scaled, fused };
