-- Element-wise operators on the bits of elements, whatever their types.

local a, b, x = element "ATensor", element "BTensor", element "InputTensor"
local width = bit_count(largest)

local function bits(formula, examples)
  return elementwise { formula, bits = true, nans = false, examples = examples,
    special = "every bit is kept, also in NaNs and denormals" }
end

-- A logical shift by `b`, where the type is that wide.
local function shift(by, id, of_a, of_b, results)
  local type = id == "left" and "UINT8" or "UINT16"
  return elementwise { choose(lt(b, width), by(b), 0), overflow = "wraps", domains = { BTensor = { 0, 7 } },
    behaviours = {
      behaviour "wide" { text = "a shift by the width or more gives 0, or shifts by the low bits of the count",
        strength = "open", ruling = "E13", when = ge(b, width),
        gives = { { "masked", by(b & (width - 1)) }, { "masked32", by(b & 31) } } },
    },
    examples = { example(id) { ATensor = tensor(type, of_a), BTensor = tensor(type, of_b),
      OutputTensor = tensor(type, results) } } }
end

local function two(id, of_a, of_b, results)
  return example(id) { ATensor = tensor("UINT8", of_a), BTensor = tensor("UINT8", of_b),
    OutputTensor = tensor("UINT8", results) }
end
local function one(id, type, values, of, results)
  return example(id) { InputTensor = tensor(type, values), OutputTensor = tensor(of, results) }
end

return {
  operator "ELEMENT_WISE_BIT_AND" (bits(a & b, { two("bytes", { 12, 255 }, { 10, 1 }, { 8, 1 }) })),
  operator "ELEMENT_WISE_BIT_OR" (bits(a | b, { two("bytes", { 12, 255 }, { 10, 1 }, { 14, 255 }) })),
  operator "ELEMENT_WISE_BIT_XOR" (bits(a ~ b, { two("inverted", { 0, 128, 42, 255 }, { 255, 255, 255, 255 },
    { 255, 127, 213, 0 }) })),
  operator "ELEMENT_WISE_BIT_NOT" (bits(~x, { one("page", "UINT8", { 0, 128, 42, 255 }, "UINT8",
    { 255, 127, 213, 0 }) })),
  operator "ELEMENT_WISE_BIT_COUNT" (bits(bit_count(x), { one("page", "UINT32", { 0, 123, 456, 789 }, "UINT32",
    { 0, 6, 4, 5 }) })),

  operator "ELEMENT_WISE_BIT_SHIFT_LEFT" (shift(function(n) return a << n end, "left", { 1, 255, 3 }, { 7, 1, 0 },
    { 128, 254, 3 })),
  operator "ELEMENT_WISE_BIT_SHIFT_RIGHT" (shift(function(n) return a >> n end, "right", { 32768, 5 }, { 15, 1 },
    { 1, 2 })),
}
