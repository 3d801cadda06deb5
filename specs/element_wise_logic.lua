-- Element-wise conditions: their results are the integers 1 and 0.

local a, b, x = element "ATensor", element "BTensor", element "InputTensor"
local mode = attribute "InfinityMode"
local tested = { nan, 1, inf, -inf }

-- Any number other than 0 is true.
local function logic(formula, results)
  return elementwise { formula, sparse = { "ATensor", "BTensor" },
    examples = { example "any-true" { ATensor = tensor("UINT8", { 0, 2, 5, 0 }),
      BTensor = tensor("UINT8", { 0, 1, 0, 255 }),
      OutputTensor = tensor("UINT8", results) } } }
end

local function compare(formula, results)
  return elementwise { formula, nans = false, sparse = { "ATensor", "BTensor" },
    special = "the result with a NaN is 0; zeros are equal, whatever their signs, and so are infinities of one sign",
    examples = { example "special" { ATensor = tensor("FLOAT32", { 1, 2, nan, -0.0 }),
      BTensor = tensor("FLOAT32", { 1, 3, nan, 0 }),
      OutputTensor = tensor("UINT32", results) } } }
end

local function infinities(id, number, results)
  return example(id) { InfinityMode = number, InputTensor = tensor("FLOAT32", tested),
    OutputTensor = tensor("UINT8", results) }
end

return {
  operator "ELEMENT_WISE_LOGICAL_AND" (logic(both(a, b), { 0, 1, 0, 0 })),
  operator "ELEMENT_WISE_LOGICAL_OR" (logic(either(a, b), { 0, 1, 1, 1 })),
  operator "ELEMENT_WISE_LOGICAL_XOR" (logic(ne(ne(a, 0), ne(b, 0)), { 0, 0, 1, 1 })),
  operator "ELEMENT_WISE_LOGICAL_NOT" (elementwise { negated(x), sparse = { "InputTensor" },
    examples = { example "any-true" { InputTensor = tensor("UINT8", { 0, 2, 5, 0 }),
      OutputTensor = tensor("UINT8", { 1, 0, 0, 1 }) } } }),

  operator "ELEMENT_WISE_LOGICAL_EQUALS" (compare(eq(a, b), { 1, 0, 0, 1 })),
  operator "ELEMENT_WISE_LOGICAL_GREATER_THAN" (compare(gt(a, b), { 0, 0, 0, 0 })),
  operator "ELEMENT_WISE_LOGICAL_LESS_THAN" (compare(lt(a, b), { 0, 1, 0, 0 })),
  operator "ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL" (compare(ge(a, b), { 1, 0, 0, 1 })),
  operator "ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL" (compare(le(a, b), { 1, 1, 0, 1 })),

  operator "ELEMENT_WISE_IS_NAN" (elementwise { is_nan(x), nans = false,
    special = "every NaN gives 1, quiet or signalling, of either sign",
    examples = { example "special" { InputTensor = tensor("FLOAT32", tested),
      OutputTensor = tensor("UINT32", { 1, 0, 0, 0 }) } } }),

  operator "ELEMENT_WISE_IS_INFINITY" (elementwise {
    choose(eq(mode, 0), is_inf(x), choose(eq(mode, 1), eq(x, inf), eq(x, -inf))), nans = false,
    rules = { rule "infinity-mode" { one_of(attr "InfinityMode", { 0, 1, 2 }), ruling = "E13" } },
    examples = {
      infinities("either", 0, { 0, 0, 1, 1 }), infinities("positive", 1, { 0, 0, 1, 0 }),
        infinities("negative", 2, { 0, 0, 0, 1 }),
    } }),
}
