-- GEMM: products of matrices, which are the last two dimensions.

local page = "DML_GEMM"
local A, B, C, Y = "ATensor", "BTensor", "CTensor", "OutputTensor"
local D = dims(A)
local ta, tb = is(attr "TransA", 1), is(attr "TransB", 1)
local also = { "ELEMENT_WISE_CLIP" }

-- Returns the first if a matrix is not transposed, the second if it is.
local function either_of(transposed, plain, other) return plain * (1 - transposed) + other * transposed end

local inner = either_of(ta, size(A, -1), size(A, -2))

-- The dimension of a tensor that is a matrix's, by whether the matrix is the tensor or its transpose.
local row, column = { [0] = -2, -1 }, { [0] = -1, -2 }

-- Returns a condition for each value of the attribute: the tensor's `dimension`, by that value, has the wanted size.
local function sized(name, tensor, dimension, wanted)
  local function as(value) return when(equal(attr(name), value), equal(wanted, size(tensor, dimension[value]))) end
  return as(0), as(1)
end

-- BTensor has as many rows as ATensor has columns.
local function inner_sizes()
  local found = {}
  for of_a = 0, 1 do
    for of_b = 0, 1 do
      found[#found + 1] = when(all_of(equal(attr "TransA", of_a), equal(attr "TransB", of_b)),
        equal(size(B, row[of_b]), size(A, column[of_a])))
    end
  end
  return table.unpack(found)
end

local function batch(T) return prefix(sizes(T), dims(T) - 2) end

-- ---- the sum

local at = place(Y)
local m, n, k = entry(at, D - 2), entry(at, D - 1), entry(step(concat(inner)), 0)
local dot = over { sizes = concat(inner), fold = "sum", element(A) * element(B), at = {
  [A] = concat(prefix(at, D - 2), either_of(ta, m, k), either_of(ta, k, m)),
  [B] = concat(prefix(at, D - 2), either_of(tb, k, n), either_of(tb, n, k)),
} }
local alpha, beta, c = attribute "Alpha", attribute "Beta", element(C)
local addend = choose(present(C), beta * c, 0)
local value = alpha * dot + addend
value.text = "Alpha * the sum of A * B + Beta * C"

-- As if the terms were Alpha * a * b and Beta * c: each is rounded, and each addition. No order rounds if Alpha is 1,
-- all products and sums fit, and C adds nothing.
local finite_addend = choose(lt(abs(addend), inf), abs(addend), 0)
local function error_of(bits)
  local count = part(dot, "count") + 2
  local terms = abs(alpha) * part(dot, "magnitude") + finite_addend
  local bound = count * 2.0 ^ -bits * terms + count * (1 + abs(alpha)) * 2.0 ^ (bits == 24 and -149 or -24)
  local adds = choose(present(C), both(ne(beta, 0), ne(c, 0)), 0)
  return named(choose(either(inexact(dot, bits), either(ne(alpha, 1), adds)), bound, 0), ("rounding%d"):format(bits))
end
local narrow, wide = error_of(24), error_of(11)
local once = choose(eq(narrow, 0), 0, ulp(0.5))

-- An infinite addend is the result for any sum of finite products. An infinite Alpha makes the exact value a NaN where
-- that sum is 0 or has the other sign, but rounding may give the sum the sign of the addend.
local most = max(max(1, abs(alpha)) * part(dot, "magnitude") + finite_addend, part(dot, "peak"))
local overflows = both(gt(most, largest), eq(part(dot, "nans"), 0))
local of_infinities = gt(part(dot, "infinities"), 0)
local is_infinite = either(of_infinities, is_inf(addend))
local vanishes = either(both(lt(abs(alpha), smallest_normal), of_infinities),
  both(lt(min(abs(beta), abs(c)), smallest_normal), is_inf(addend)))
local may_be_nan = both(is_infinite, either(overflows, vanishes))
local nothing_of_product = both(eq(alpha, 0), gt(part(dot, "nans") + part(dot, "infinities"), 0))
local nothing_of_addend = both(eq(beta, 0), both(present(C), negated(lt(abs(c), inf))))
local skips = either(nothing_of_product, nothing_of_addend)
local skipped = choose(nothing_of_product, 0, alpha * dot) + choose(nothing_of_addend, 0, addend)

local function open(id, text, ruling, when, gives)
  return behaviour(id) { strength = "open", ruling = ruling, text = text, when = when, gives = gives }
end

local behaviours = {
  behaviour "multiplies" { page = page, ruling = "P1",
    text = "each element is Alpha times the product of matrices plus Beta times C" },
  behaviour "nans" { ruling = "E6", text = "a NaN in a row or a column gives a NaN" },
  behaviour "denormals" { text = "denormals are not flushed to zero", strength = "soft", ruling = "E7" },
  open("zero-factor", "an Alpha or Beta of 0 may skip what it multiplies", "P2", skips,
    { { "skipped", activated(within(skipped, narrow)) }, { "undefined", activated(nan) } }),
  open("partial", "where partial sums may be beyond the type, any value is right", "S3",
    both(overflows, negated(is_infinite)), "anything"),
  open("partial-infinite", "where partial sums may be beyond the type, or a factor may count as 0, an infinity beside " ..
    "them may give a NaN", "S3", may_be_nan,
    { { "infinity", activated(choose(of_infinities, value, addend)) }, { "undefined", activated(nan) } }),
}
for _, one in ipairs(fused_behaviours(choose(skips, skipped, value), nil, also, either(is_nan(value), may_be_nan))) do
  behaviours[#behaviours + 1] = one
end

-- ---- situations

local function gemm_situations()
  local is_plain = { equal(attr "TransA", 0), equal(attr "TransB", 0) }
  local function transposed(id, text, of_a, of_b)
    return situation(id) { text = text .. " and two sizes are above 32", equal(attr "TransA", of_a),
      equal(attr "TransB", of_b), at_least(size(A, -1), 33), at_least(size(A, -2), 35), at_least(size(B, row[of_b]), 2) }
  end
  return {
    shape_situations(A, { also = is_plain }), number_situations(A), value_situations("", present(C)),
    product_situations { rows = size(A, -2), depth = size(A, -1), columns = size(B, -1), other = B, also = is_plain },
    transposed("transposed-first", "A is transposed,", 1, 0), transposed("transposed-second", "B is transposed,", 0, 1),
    transposed("transposed-both", "A and B are transposed,", 1, 1),
    situation "batches" { text = "there are several batches in two dimensions", at_least(D, 4), at_least(size(A, 0), 2),
      at_least(size(A, 1), 3) },
    situation "without-addend" { text = "Beta is 1, but CTensor is absent", absent(C), values = { Beta = 1.0 } },
    situation "beta-two" { text = "Beta is 2, and Alpha is 1", present(C), values = { Alpha = 1.0, Beta = 2.0 } },
    situation "alpha-minus-one" { text = "Alpha is -1, and Beta is 1", present(C), values = { Alpha = -1.0, Beta = 1.0 } },
    situation "skipped-addend" { text = "Beta is 0, and CTensor has infinities and NaNs", present(C), fill = "special",
      values = { Beta = 0.0 } },
    situation "addend-row" { text = "rows of CTensor share memory", present(C), at_least(size(A, -2), 2),
      strides = { [C] = "broadcast" } },
    situation "addend-permuted" { text = "CTensor is transposed in memory", present(C), is_plain, at_least(size(A, -2), 33),
      at_least(size(B, -1), 33), strides = { [C] = "permuted" } },
    situation "addend-past-256" { text = "CTensor has more than 256 columns, a prime number", present(C), is_plain,
      equal(size(B, -1), 263), at_least(size(A, -2), 3), equal(sizes(C), sizes(Y)) },
    fused_situations "FusedActivation",
    situation "fused-past-tile" { text = "an activation follows on a result of more than 32 rows and columns",
      present "FusedActivation", is_plain, at_least(size(A, -2), 33), at_least(size(B, -1), 33) },
  }
end

return operator "GEMM" {
  parameters = { { "d", D } },
  rules = {
    rule "same-dims" { same "DimensionCount", page = page },
    rule "same-type" { same "DataType", page = page },
    rule "transforms" { one_of(attr "TransA", { 0, 1 }), one_of(attr "TransB", { 0, 1 }), page = page },
    rule "inner" { page = page, text = "BTensor must have as many rows as ATensor has columns, after transposition",
      inner_sizes() },
    rule "rows" { page = page, sized("TransA", A, row, size(Y, -2)) },
    rule "columns" { page = page, sized("TransB", B, column, size(Y, -1)) },
    rule "batch" { equal(batch(B), batch(A)), equal(batch(Y), batch(A)), page = page },
    rule "c-sizes" { when(present(C), equal(sizes(C), sizes(Y))), page = page },
    rule "channel-limit" { when(at_least(D, 4), at_most(size(A, 1), 65535)), strength = "open", ruling = "P3" },
    fused_rules("FusedActivation", page, nil, also),
  },
  results = fused_results { value, output = Y, field = "FusedActivation", error = narrow, also = also,
    FLOAT32 = narrow, FLOAT16 = { soft = narrow + once, must = wide + once } },
  situations = gemm_situations(),
  domains = { [A] = { -2, 2 }, [B] = { -2, 2 }, [C] = { -8, 8 } },
  behaviours = behaviours,
  examples = {
    example "dxdispatch" { ruling = "E12", Alpha = 1, Beta = 1, TransA = 0, TransB = 0,
      ATensor = { "FLOAT32", { 3, 1 }, { 1, 2, 3 } }, BTensor = { "FLOAT32", { 1, 3 }, { 4, 5, 6 } },
      CTensor = { "FLOAT32", { 3, 3 }, { 2, 2, 2, 2, 2, 2, 2, 2, 2 } },
      OutputTensor = { "FLOAT32", { 3, 3 }, { 6, 7, 8, 10, 12, 14, 14, 17, 20 } } },
    example "transposed" { ruling = "E12", Alpha = 2, Beta = 0, TransA = 1, TransB = 1,
      ATensor = { "FLOAT32", { 1, 1, 2, 3 }, { 1, 2, 3, 4, 5, 6 } },
      BTensor = { "FLOAT32", { 1, 1, 1, 2 }, { 1, -1 } },
      OutputTensor = { "FLOAT32", { 1, 1, 3, 1 }, { -6, -6, -6 } } },
    example "batches" { ruling = "E12", Alpha = 1, Beta = 2, TransA = 0, TransB = 1,
      ATensor = { "FLOAT32", { 1, 2, 1, 2 }, { 1, 2, 3, 4 } }, BTensor = { "FLOAT32", { 1, 2, 1, 2 }, { 5, 6, 7, 8 } },
      CTensor = { "FLOAT32", { 1, 2, 1, 1 }, { 10, 20 } },
      OutputTensor = { "FLOAT32", { 1, 2, 1, 1 }, { 37, 93 } } },
  },
}
