-- Prints cases for --cases: tensors that are too large for the plan, in shapes that devices cut in tiles, strips or
-- parts. The argument 2, 3 or so on gives each shape another function and type.
local round = tonumber(arg[1] or 1)
local whole = { "FLOAT32", "FLOAT16", "INT32", "UINT32", "INT64", "UINT64" }
local cases = {}

local function list(numbers) return "[" .. table.concat(numbers, ",") .. "]" end
local function tensor(type, sizes, strides)
  return ('{"DataType":"%s","Sizes":%s%s}'):format(type, list(sizes), strides and ',"Strides":' .. list(strides) or "")
end

-- Adds a case. `tensors`: texts by name; `attributes`: JSON; `indices`: the contents of indices.
local function add(type, fill, tensors, attributes, indices)
  local fields = { attributes }
  for name, text in pairs(tensors) do fields[#fields + 1] = ('"%sTensor":%s'):format(name, text) end
  cases[#cases + 1] = ('{"name":"large.%s-%d","type":"%s","fill":"%s","indices":"%s","desc":{%s}}'):format(
    type:lower(), #cases + 1, type, fill, indices or "any", table.concat(fields, ","))
end

-- Returns an entry for each number and round; the numbers that follow have the entries that follow.
local function turn(entries, number) return entries[(number + round - 2) % #entries + 1] end

-- ---- reductions: sizes, then axes

local functions = { "ARGMAX", "ARGMIN", "AVERAGE", "L1", "L2", "LOG_SUM", "LOG_SUM_EXP", "MAX", "MIN", "MULTIPLY",
  "SUM", "SUM_SQUARE" }
local real = { AVERAGE = true, L2 = true, LOG_SUM = true, LOG_SUM_EXP = true }
for i, shape in ipairs {
  { { 300007 }, { 0 } }, { { 3, 70001 }, { 1 } }, { { 70001, 3 }, { 0 } }, { { 50021, 3 }, { 1 } },
  { { 517, 1031 }, { 0 } }, { { 1031, 517 }, { 1 } }, { { 301, 3, 257 }, { 2, 0 } }, { { 31, 257, 63 }, { 1 } },
  { { 7, 65, 33, 31 }, { 3, 1 } }, { { 129, 3, 61, 17 }, { 0, 2, 3 } }, { { 70001, 1 }, { 1 } },
  { { 3, 70001 }, { 0 } },
  { { 300008 }, { 0 } }, { { 1031, 516 }, { 1 } }, { { 517, 1040 }, { 0 } }, { { 2069, 36 }, { 0 } },
  { { 31, 257, 64 }, { 1 } }, { { 301, 4, 257 }, { 0, 2 } }, { { 516, 12, 28 }, { 1, 2 } }, { { 261, 17, 128 }, { 0 } },
} do
  local name, sizes, result = turn(functions, i), shape[1], { table.unpack(shape[1]) }
  local type = whole[(i + round // #functions) % (real[name] and 2 or #whole) + 1]
  for _, axis in ipairs(shape[2]) do result[axis + 1] = 1 end
  add("REDUCE", i % 2 == 0 and "ordinary" or "units",
    { Input = tensor(type, sizes), Output = tensor(name:sub(1, 3) == "ARG" and "UINT32" or type, result) },
    ('"Function":"%s","AxisCount":%d,"Axes":%s'):format(name, #shape[2], list(shape[2])))
end

-- ---- cumulative operators: sizes, then the axis; among them lines side by side, in fours and with a remainder

for i, shape in ipairs {
  { { 400009 }, 0 }, { { 3, 300001 }, 1 }, { { 300001, 3 }, 0 }, { { 50021, 3 }, 1 }, { { 517, 1031 }, 0 },
  { { 1031, 517 }, 1 }, { { 5, 40009, 3 }, 1 }, { { 31, 257, 63 }, 1 }, { { 20011, 65 }, 0 }, { { 3, 70001 }, 0 },
  { { 517, 1040 }, 1 }, { { 131, 9008 }, 1 }, { { 3, 211, 112 }, 2 }, { { 2053, 256 }, 1 }, { { 2053, 1028 }, 1 },
  { { 2053, 258 }, 1 },
} do
  local type = turn(whole, i)
  for _, name in ipairs { "Sum", "Product" } do
    add(name == "Sum" and "CUMULATIVE_SUMMATION" or "CUMULATIVE_PRODUCT", "units",
      { Input = tensor(type, shape[1]), Output = tensor(type, shape[1]) },
      ('"Axis":%d,"AxisDirection":"%s","HasExclusive%s":%d'):format(shape[2],
        (i + round) % 2 == 0 and "INCREASING" or "DECREASING", name, (i + round) // 2 % 2))
  end
end

-- ---- slices: of two dimensions that are not next to each other, and of 1,500,007 elements

local normalised = '"ScaleTensor":null,"BiasTensor":null,"FusedActivation":null,"NormalizeVariance":1,"Epsilon":1,'
for _, name in ipairs { "ACTIVATION_SOFTMAX1", "ACTIVATION_LOG_SOFTMAX1", "ACTIVATION_HARDMAX1",
  "MEAN_VARIANCE_NORMALIZATION1" } do
  for i, shape in ipairs { { { 40, 5003, 2, 7 }, { 3, 1 } }, { { 2, 1500007 }, { 1 } } } do
    local both = tensor(turn({ "FLOAT32", "FLOAT16" }, i), shape[1])
    add(name, name:sub(1, 4) == "MEAN" and "offset" or "ordinary", { Input = both, Output = both },
      (name:sub(1, 4) == "MEAN" and normalised or "") .. ('"AxisCount":%d,"Axes":%s'):format(#shape[2], list(shape[2])))
  end
end

-- ---- quantisation: a reduction through all of its levels; elements of 4 bits that share words; blocks everywhere

for i, count in ipairs { 2047, 2048, 2049, 70001, 2048 * 2048 + 1 } do
  add("DYNAMIC_QUANTIZE_LINEAR", "ordinary", { Input = tensor(turn({ "FLOAT32", "FLOAT16" }, i), { count }),
    Output = tensor("INT8", { count }), OutputScale = tensor("FLOAT32", { 1 }),
    OutputZeroPoint = tensor("INT8", { 1 }) })
end
for _, one in ipairs {
  { "INT4", { 70001 }, { 1 } }, { "UINT4", { 5, 131, 101 }, { 5, 1, 1 }, { 131 * 104, 104, 1 } },
  { "INT4", { 4, 4, 4, 4, 4, 4, 4, 6 }, { 2, 2, 2, 2, 2, 2, 2, 3 } },
  { "UINT8", { 2, 4, 2, 4, 6, 2, 4, 4 }, { 2, 2, 1, 2, 3, 2, 2, 2 } }, { "INT8", { 4, 4, 4, 4, 4 }, { 2, 2, 2, 2, 2 } },
} do
  local type, sizes, blocks, strides = table.unpack(one)
  add("QUANTIZE", "ordinary", { Input = tensor("FLOAT32", sizes, strides), Output = tensor(type, sizes, strides) },
    ('"QuantizationType":"SCALE_ZERO_POINT","QuantizationTensorCount":2,"QuantizationTensors":[%s,%s]'):format(
      tensor("FLOAT32", blocks), tensor(type, blocks)))
end

-- ---- indices: strips of columns that fit a cache

local far, near = { 2000, 700 }, { 900, 700 }
for _, indices in ipairs { "any", "duplicates" } do
  add("GATHER_ELEMENTS", "ordinary", { Input = tensor("FLOAT64", far), Indices = tensor("INT32", near),
    Output = tensor("FLOAT64", near) }, '"Axis":0', indices)
  add("SCATTER_ELEMENTS", "ordinary", { Input = tensor("FLOAT64", far), Indices = tensor("INT32", near),
    Updates = tensor("FLOAT64", near), Output = tensor("FLOAT64", far) }, '"Axis":0', indices)
end

-- ---- element-wise operators: one row; three dimensions in another order, repeated, and with gaps; eight dimensions

local eight = { 3, 5, 7, 3, 5, 7, 3, 5 }
for _, layout in ipairs {
  { { 70001 } }, { { 7, 131, 101 }, { 1, 707, 7 }, { 0, 101, 1 }, { 131 * 103, 103, 1 } },
  { eight, { 1, 3, 15, 105, 315, 1575, 11025, 33075 }, { 0, 0, 525, 0, 105, 15, 5, 1 } },
} do
  local sizes, a, b, out = table.unpack(layout)
  add("CAST", "ordinary", { Input = tensor("UINT8", sizes, a), Output = tensor("FLOAT32", sizes, out) })
  add("ELEMENT_WISE_SUBTRACT", "ordinary",
    { A = tensor("INT16", sizes, a), B = tensor("INT16", sizes, b), Output = tensor("INT16", sizes, out) })
  add("ELEMENT_WISE_IF", "ordinary", { Condition = tensor("UINT8", sizes, b), A = tensor("UINT64", sizes, a),
    B = tensor("UINT64", sizes), Output = tensor("UINT64", sizes, out) })
  add("FILL_VALUE_CONSTANT", "ordinary", { Output = tensor("UINT16", sizes, out) },
    '"ValueDataType":"UINT16","Value":4660')
  add("FILL_VALUE_SEQUENCE", "ordinary", { Output = tensor("INT32", sizes, out) },
    '"ValueDataType":"INT32","ValueStart":5,"ValueDelta":-3')
end
print('{"cases":[' .. table.concat(cases, ",\n") .. "]}")
