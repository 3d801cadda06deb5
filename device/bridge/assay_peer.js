// The protocol of assay's bridge for peers in Node.js; README.md beside this file describes both.
//
//   const { serve } = require('../assay_peer.js');
//   serve({ name: 'mine', data_types: ['FLOAT32'], operators: { GATHER: {} } }, run);
//
// calls `await run(item)` for each operator to run, one at a time. It writes into the bytes of item.outputs, or throws.
// The text of the exception is the item's message; an Unsupported makes it DXGI_ERROR_UNSUPPORTED.
'use strict';
const fs = require('fs');

const version = 'ASB2';

class Unsupported extends Error {}

// An operator to run: `type`, such as 'GATHER'; the tensors in the documented order, `inputs` and `outputs`; the other
// members as `attributes` by documented name; and `flags`, the names of DML_EXECUTION_FLAGS. An absent tensor is null,
// an array of tensors is an array. A tensor has `name`, `dataType`, `sizes`, `strides` (in elements; null: row-major)
// and `bytes`, a Buffer of its own.
class Item {
  constructor({ Type, Desc, Inputs, Outputs, ExecutionFlags = [] }, data = null, offset = 0) {
    Object.assign(this, { type: Type, flags: ExecutionFlags, attributes: {}, deviceNs: null, size: 0 });
    const read = (name, value) => {
      if (value === null) return null;
      if (Array.isArray(value)) return value.map((one) => read(name, one));
      const at = offset + this.size, size = value.TotalTensorSizeInBytes;
      this.size += size;
      // A copy in an ArrayBuffer of its own, so that typed arrays of any element size can be made of it.
      const bytes = data && Buffer.from(new Uint8Array(data.subarray(at, at + size)).buffer);
      return { name, dataType: value.DataType, sizes: value.Sizes, strides: value.Strides, size, bytes };
    };
    this.inputs = Inputs.map((name) => read(name, Desc[name]));
    this.outputs = Outputs.map((name) => read(name, Desc[name]));
    for (const [name, value] of Object.entries(Desc))
      if (!Inputs.includes(name) && !Outputs.includes(name)) this.attributes[name] = value;
  }

  get tensors() {
    return [...this.inputs, ...this.outputs];
  }
}

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
      if (magic !== version) throw new Error(`this peer speaks ${version}, the bridge ${magic}`);
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

module.exports = { serve, Unsupported };
