#!/usr/bin/env node
// An adapter for assay's bridge: ELEMENT_WISE_ADD, in JavaScript. To add an operator, write a function of the tensors,
// inputs and then outputs, and of the attributes by their documented names, and a line of `operators`.
'use strict';
const { serve, dataTypes } = require('./assay_peer.js');

function add([a, b, y]) {
  const left = a.numbers, right = b.numbers;
  y.write(left.map((number, i) => number + right[i]));
}

const operators = { ELEMENT_WISE_ADD: add };

function run(item) {
  return operators[item.type](item.tensors, item.attributes);
}

serve({ name: 'adapter', driver: `Node.js ${process.version}`, version: '0.1', data_types: dataTypes,
        operators: Object.fromEntries(Object.keys(operators).map((name) => [name, {}])), max_batch: 64 }, run);
