-- Attention with several heads. Stages hold the queries, keys and values of each head, the scores of the keys for each
-- query with a bound of their errors, and the weights that follow from them. Heads are counted by the head of keys that
-- they share, and within it: N = G * R.

local Q, K, V, QK, KV, QKV = "QueryTensor", "KeyTensor", "ValueTensor", "StackedQueryKeyTensor", "StackedKeyValueTensor",
  "StackedQueryKeyValueTensor"
local B, M, A, PK, PV, PL = "BiasTensor", "MaskTensor", "RelativePositionBiasTensor", "PastKeyTensor", "PastValueTensor",
  "PastSequenceLengthsTensor"
local Y, YK, YV = "OutputTensor", "OutputPresentKeyTensor", "OutputPresentValueTensor"

local mask_type, scale, filter = attr "MaskType", attribute "Scale", attribute "MaskFilterValue"
local is_length, is_ends, is_starts, is_boolean = 1, 2, 3, 4 -- values of MaskType
local int32 <const> = 6 -- a data type

local function given(tensor) return equal(present(tensor), 1) end

-- Returns the sizes of a tensor: these, after leading sizes of 1.
local function sized(tensor, ...) return equal(sizes(tensor), fit(concat(...), dims(tensor))) end

-- ---- sizes

-- The numbers of heads, and sizes, whichever tensor has them.
local function shape_of(heads, key_heads)
  local s = { heads = heads, key_heads = key_heads, shared = heads // key_heads, batch = size(Y, -3),
    queries = size(Y, -2), width = size(Y, -1), value = size(Y, -1) // heads }
  s.head = otherwise(size(Q, -1) // heads, otherwise(size(QK, -1), size(QKV, -1)))
  s.is_joined = present(QK) + present(QKV) -- queries and keys are one tensor
  s.keys = otherwise(size(K, -2), otherwise(size(KV, 1), otherwise(size(QK, 1), size(QKV, 1))))
  s.past = otherwise(size(PK, -2), otherwise(size(PV, -2), 0))
  s.rows = s.past + s.keys
  return s
end

-- ---- the elements of tensors and stages

local function one(tensor, at)
  return over { sizes = concat(1), fold = "sum", element(tensor), at = { [tensor] = at } }
end

-- Returns an element of an input, 0 if it is absent. `...`: its coordinates, after leading zeros.
local function of_input(tensor, ...)
  local at = concat(...)
  return choose(present(tensor), one(tensor, concat(filled(0, dims(tensor) - select("#", ...)), at)), 0)
end

-- Returns a size as a number of a formula; a stage counts it.
local function as_number(size, of)
  return part(over { sizes = concat(size), fold = "sum", at = { [of] = filled(0, 4) }, element(of) }, "steps")
end

-- Returns new keys or values at these coordinates, before the bias. `plain`: the tensor that has them alone; `kinds`:
-- their number in each stacked tensor.
local function fresh(plain, kinds, width, b, n, j, e)
  local found = of_input(plain, b, j, n * width + e)
  for _, stacked in ipairs { QK, KV, QKV } do
    if kinds[stacked] then found = found + of_input(stacked, b, j, n, kinds[stacked], e) end
  end
  return found
end

-- ---- stages

-- Makes the stages of queries, keys and values, each with its bias; and returns functions of keys and values without.
local function inputs_of(s)
  local query_width, key_width = s.heads * s.head, s.key_heads * s.head
  local function queries()
    local at = place "queries"
    local b, i, e = entry(at, 0), entry(at, 3), entry(at, 4)
    local n = entry(at, 1) * s.shared + entry(at, 2)
    return stage "queries" { sizes = concat(s.batch, s.key_heads, s.shared, s.queries, s.head),
      fresh(Q, { [QK] = 0, [QKV] = 0 }, s.head, b, n, i, e) + of_input(B, n * s.head + e) }
  end
  -- Rows of the past come first, then the new ones.
  local function joined(name, at, with_bias)
    local is_key = name == "keys"
    local width, before = is_key and s.head or s.value, is_key and PK or PV
    local b, n, j, e = entry(at, 0), entry(at, 1), entry(at, 2), entry(at, 3)
    local kinds = is_key and { [QK] = 1, [KV] = 0, [QKV] = 1 } or { [KV] = 1, [QKV] = 2 }
    local new = fresh(is_key and K or V, kinds, width, b, n, j - s.past, e)
    if with_bias then
      local column = query_width + (is_key and 0 or key_width) + n * width + e
      new = new + choose(ge(coordinate(-2), as_number(s.past + 1, "queries") - 1), of_input(B, column), 0)
    end
    return new + of_input(before, b, n, j, e)
  end
  local function rows_of(name, width)
    return stage(name) { sizes = concat(s.batch, s.key_heads, s.rows, width), joined(name, place(name), true) }
  end
  return { queries(), rows_of("keys", s.head), rows_of("values", s.value) }, joined
end

-- A stage with 1 for each score that the mask filters, and 2 where the documents do not say.
local function filtered(s)
  local at, row = place "filtered", coordinate(-1)
  local b, i, j = entry(at, 0), entry(at, 3), entry(at, 4)
  local n = entry(at, 1) * s.shared + entry(at, 2)
  local batch, kind = coordinate(-5), attribute "MaskType"
  local counts = { as_number(s.queries, "queries"), as_number(s.rows, "queries") }
  -- The mask of starts has three parts: the number of keys of each batch element; where its queries start, and the end
  -- of the last ones; where its keys start, and the end of the last ones. The mask filters nothing if batch elements
  -- follow each other.
  local follows = eq(of_input(M, b), counts[2])
  for part_, count in ipairs(counts) do
    for past = 0, 1 do
      follows = both(follows, eq(of_input(M, part_ * s.batch + b + (part_ - 1 + past)), (batch + past) * count))
    end
  end
  local allowed = of_input(M, b, n, i, j)
  return stage "filtered" { sizes = concat(s.batch, s.key_heads, s.shared, s.queries, s.rows),
    choose(eq(present(M), 0), 0,
      choose(eq(kind, is_length), ge(row, of_input(M, b)),
      choose(eq(kind, is_ends), either(ge(row, of_input(M, 0, b)), lt(row, of_input(M, 1, b))),
      choose(eq(kind, is_starts), choose(follows, 0, 2),
      choose(eq(kind, is_boolean), choose(eq(allowed, 0), 1, choose(eq(allowed, 1), 0, 2)), 0))))) }
end

-- Makes the stages of scores, of the bounds of their errors, and of weights: e to the distance from the greatest score
-- of the row. The first dimension of scores and weights says what the filter does to a score: 0 it is added, 1 the score
-- is set to it. That of bounds: 0 the roundings of the score, in unit roundoffs; 1 the greatest number on the way to it.
local function scores_of(s)
  local each = concat(2, s.batch, s.key_heads, s.shared, s.queries, s.rows)
  local function coordinates(name)
    local at = place(name)
    return entry(at, 1), entry(at, 2), entry(at, 3), entry(at, 4), entry(at, 5)
  end
  local function parts_of(name)
    local b, g, r, i, j = coordinates(name)
    local e = entry(step(concat(s.head)), 0)
    local dot = over { sizes = concat(s.head), fold = "sum", element "queries" * element "keys",
      at = { queries = concat(b, g, r, i, e), keys = concat(b, g, j, e) } }
    return dot, of_input(A, b, g * s.shared + r, i, j), eq(one("filtered", concat(b, g, r, i, j)), 1)
  end
  local is_set = eq(coordinate(-6), 1)
  local function scores()
    local dot, bias, is_filtered = parts_of "scores"
    local b, g, r, i, j = coordinates "scores"
    return stage "scores" { sizes = each, choose(both(is_set, is_filtered), filter,
      choose(is_set, one("scores", concat(0, b, g, r, i, j)), scale * dot + bias + choose(is_filtered, filter, 0))) }
  end
  local function bounds()
    local dot, bias, is_filtered = parts_of "bounds"
    local products = part(dot, "magnitude")
    return stage "bounds" { sizes = each, choose(is_set, max(products * max(1, abs(scale)), abs(bias)),
      (part(dot, "count") + 8) * abs(scale) * products + 3 * abs(bias) + choose(is_filtered, 2 * abs(filter), 0)) }
  end
  local function weights()
    local b, g, r, i, j = coordinates "weights"
    local kind = entry(place "weights", 0)
    local t = entry(step(concat(s.rows)), 0)
    local top = over { sizes = concat(s.rows), fold = "max", element "scores",
      at = { scores = concat(kind, b, g, r, i, t) } }
    return stage "weights" { sizes = each, exp(one("scores", concat(kind, b, g, r, i, j)) - top) }
  end
  return { scores(), bounds(), weights() }
end

-- The parts of the stage of results, by its first dimension; the second one says what the filter does.
local VALUE <const>, MAGNITUDE <const>, SPREAD <const>, DELTA <const>, SHARP <const>, REACH <const>, BEYOND <const>,
  MASKED <const>, OPEN <const>, KINDS <const> = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9

-- The stage of results, with their magnitudes and the parts of their bounds.
local function results_of(s)
  local at = place "attention"
  local kind, b, g, r, i, d = entry(at, 1), entry(at, 2), entry(at, 3), entry(at, 4), entry(at, 5), entry(at, 6)
  local j = entry(step(concat(s.rows)), 0)
  local row = { weights = concat(kind, b, g, r, i, j), values = concat(b, g, j, d), scores = concat(kind, b, g, r, i, j),
    bounds = concat(0, b, g, r, i, j), filtered = concat(b, g, r, i, j) }
  local function over_row(fold, formula, ...)
    local places = {}
    for _, name in ipairs { ... } do places[name] = row[name] end
    return over { sizes = concat(s.rows), fold = fold, at = places, formula }
  end
  local w, v, x, f = element "weights", element "values", element "scores", element "filtered"
  local below = over_row("sum", w, "weights")
  local above = over_row("sum", w * v, "weights", "values")
  -- A weight has the error of its score, and at most 8 roundings for each unit of the distance from the greatest one.
  local roundings = element "bounds" + 8 * min(1000, -log(w))
  local spread = over_row("sum", w * roundings, "weights", "bounds")
  local spread_of_values = over_row("sum", w * roundings * abs(v), "weights", "bounds", "values")
  local value = one("attention", concat(VALUE, kind, b, g, r, i, d))
  local peak = over { sizes = concat(s.rows), fold = "max", element "bounds", at = { bounds = concat(1, b, g, r, i, j) } }
  local is_open = either(either(is_inf(x), is_inf(v)),
    either(both(is_nan(v), lt(w, 0x1p-100)), both(is_nan(x), gt(f, 0))))
  local cases = {
    [VALUE] = above / below,
    [MAGNITUDE] = part(above, "magnitude") / below + abs(value),
    [SPREAD] = (spread_of_values + abs(value) * spread) / below,
    [DELTA] = spread / below,
    -- The greatest bound of a score that counts.
    [SHARP] = over_row("max", choose(gt(w, 0x1p-40), element "bounds", 0), "weights", "bounds"),
    [REACH] = over_row("max", abs(v), "values"),
    [BEYOND] = peak,
    [MASKED] = over_row("max", f, "filtered"),
    [OPEN] = over_row("sum", is_open, "weights", "values", "scores", "filtered"),
  }
  local formula = 0
  for number = 0, KINDS - 1 do formula = choose(eq(coordinate(-7), number), cases[number], formula) end
  return stage "attention" { formula,
    sizes = concat(KINDS, 2, s.batch, s.key_heads, s.shared, s.queries, s.value) }
end

-- ---- results

-- Returns the result of OutputTensor, and its behaviours.
local function output_of(s, page)
  local D = dims(Y)
  local at, t = place(Y), step(concat(s.key_heads, s.shared))
  local g, r = entry(t, 0), entry(t, 1)
  -- The head of a column is the only one in which the column has a place.
  local column = entry(at, D - 1) - (g * s.shared + r) * s.value
  local function found(what, kind)
    return over { sizes = concat(s.key_heads, s.shared), fold = "sum", element "attention",
      at = { attention = concat(what, kind, entry(at, D - 3), g, r, entry(at, D - 2), column) } }
  end
  local value, set = found(VALUE, 0), found(VALUE, 1)
  local rows, reach, is_masked = as_number(s.rows, "queries"), found(REACH, 0), found(MASKED, 0)
  value.text, set.text = "the sum of softmax(score) * value", "the sum of softmax(score) * value, of scores that are set"
  local function bound(u, e, kind)
    -- e^d - 1 is at most d * e^d.
    local roundings = exp(min(10, u * found(SHARP, kind))) * u
    local magnitude = found(MAGNITUDE, kind)
    local error = roundings * found(SPREAD, kind) + (e.least_exp + (2 * rows + 8) * u) * magnitude
    local share = roundings * found(DELTA, kind) + e.least_exp + rows * u
    -- Whatever the weights, the result is among the values.
    return min(error / max(1 - share, 0x1p-10), 2.25 * reach)
  end
  local made = composite(function(u, e)
    return choose(gt(is_masked, 0), max(bound(u, e, 0), bound(u, e, 1)), bound(u, e, 0))
  end, rows * (1 + reach))
  made[1] = value
  local function open(id, ruling, text, when, gives)
    return behaviour(id) { of = Y, strength = "open", ruling = ruling, text = text, when = when, gives = gives or "anything" }
  end
  local is_past = both(present(M), present(PK))
  return result(Y) (made), {
    behaviour "attends" { of = Y, page = page, ruling = "K1",
      text = "each element is the sum of the values of its head, weighted by the softmax of Scale times the products of " ..
        "query and keys, plus RelativePositionBias and the mask" },
    behaviour "nans" { of = Y, ruling = "E6", text = "a NaN in a score or a value gives a NaN" },
    open("filter-set", "K4", "MaskFilterValue is added to a score, or replaces it", gt(is_masked, 0), { { "set", set } }),
    open("mask-past", "K5", "with a mask and a past, any value is right", is_past),
    open("mask-values", "K6", "a BOOLEAN other than 0 and 1, or a mask of starts that filters, gives any value",
      eq(is_masked, 2)),
    open("filter-not-finite", "K7", "a MaskFilterValue that is not finite gives any value",
      both(present(M), negated(lt(abs(filter), inf)))),
    open("not-finite", "K7", "an infinite score or value, and a NaN that a weight of 0 or a mask hides, give any value",
      gt(found(OPEN, 0), 0)),
    open("range", "S3", "where a score, or a sum on the way to the result, may be beyond the type, any value is right",
      gt(max(found(BEYOND, 0), rows * reach), largest)),
  }
end

-- Returns the result of an output of keys or values, and its behaviours. `joined`: as inputs_of() returns it.
local function present_of(s, page, output_name, name, joined)
  local D = dims(output_name)
  local at = slice(place(output_name), D - 4, D)
  local is_new = both(present(B), ge(coordinate(-2), as_number(s.past + 1, "queries") - 1))
  local once = choose(is_new, ulp(1), 0)
  local value = one(name, slice(at, 0, 4))
  value.text = name == "keys" and "the key" or "the value"
  local suffix = name == "keys" and "key" or "value"
  return result(output_name) { value, FLOAT32 = once, FLOAT16 = once }, {
    behaviour("present-" .. suffix) { of = output_name, page = page, ruling = "K2",
      text = ("%s has the rows of the past, then the new ones with their bias"):format(output_name) },
    behaviour("present-bias-" .. suffix) { of = output_name, strength = "soft", ruling = "K3", when = is_new,
      text = ("the new rows of %s have no bias"):format(output_name),
      gives = { { "plain", joined(name, at, false) } } },
  }
end

-- Returns the behaviour of an output for a past that has lengths: it is known only where nothing was before, and one
-- query attends to its own key.
local function past_lengths_of(s, output_name)
  local function is_one(size_) return eq(as_number(size_, "queries"), 1) end
  local lengths = over { sizes = sizes(PL), fold = "sum", abs(element(PL)), at = { [PL] = step(sizes(PL)) } }
  return behaviour("past-lengths-" .. (output_name == Y and "output" or output_name == YK and "key" or "value")) {
    of = output_name, strength = "open", ruling = "K13", gives = "anything",
    text = ("with PastSequenceLengthsTensor, %s may have any value, unless there is one query, and no past"):format(
      output_name),
    when = both(present(PL), negated(both(both(is_one(s.queries), is_one(s.rows)), eq(lengths, 0)))) }
end

-- ---- rules

-- Returns the entries of a list that are not false.
local function kept(list)
  local found = {}
  for _, entry_ in ipairs(list) do if entry_ then found[#found + 1] = entry_ end end
  return found
end

local function rules_of(page, s, grouped)
  local function shaped(id, tensor, strength, ruling, ...)
    return rule(id) { page = page, strength = strength, ruling = ruling, when(given(tensor), ...),
      text = ("the sizes of %s must be those of the documents' table"):format(tensor) }
  end
  local function cache_alone(...)
    return when(any_of(absent(PK), absent(PV), at_least(present(K) + present(V) + present(KV) + s.is_joined, 1)), ...)
  end
  local with_value = s.key_heads * s.value
  local function is_type(number) return all_of(given(M), equal(mask_type, number)) end
  return kept {
    rule "same-type" { page = page, same("DataType", Y, Q, K, V, QK, KV, QKV, B, A, PK, PV, YK, YV),
      text = "all tensors must have the DataType of OutputTensor, but for those of integers" },
    -- The open data types of PastSequenceLengthsTensor are not those of MaskTensor, although a table lists both together.
    grouped and rule "mask-integers" { page = page, when(given(M), one_of(data_type(M), { int32 })) },
    rule "heads" { page = page, at_least(s.heads, 1), divides(s.heads, s.width),
      when(given(Q), divides(s.heads, size(Q, -1))) },
    grouped and rule "head-groups" { ruling = "K8", at_least(s.key_heads, 1), divides(s.key_heads, s.heads),
      text = "KeyValueHeadCount must divide QueryHeadCount" },
    rule "mask-type" { one_of(mask_type, { 0, is_length, is_ends, is_starts, is_boolean }), ruling = "E13" },
    rule "one-query" { page = page, equal(present(Q) + present(QK) + present(QKV), 1),
      text = "exactly one of QueryTensor, StackedQueryKeyTensor and StackedQueryKeyValueTensor must be given" },
    rule "one-key" { page = page, cache_alone(equal(present(K) + present(KV), 1 - s.is_joined)),
      at_most(present(K) + present(KV) + s.is_joined, 1),
      text = "exactly one of KeyTensor and the stacked tensors with keys must be given" },
    rule "one-value" { page = page, cache_alone(equal(present(V), 1 - present(KV) - present(QKV))),
      at_most(present(V) + present(KV) + present(QKV), 1),
      text = "exactly one of ValueTensor and the stacked tensors with values must be given" },
    rule "key-given" { strength = "open", page = page, ruling = "K9",
      when(all_of(given(PK), given(PV), given(Q), absent(K)), equal(present(KV) + present(K), 1 - s.is_joined)),
      text = "keys and values must be given beside PastKeyTensor and PastValueTensor" },
    rule "past-pair" { strength = "soft", ruling = "K10", equal(present(PV), present(PK)),
      text = "PastKeyTensor and PastValueTensor must both be given, or neither" },
    rule "mask-given" { strength = "soft", ruling = "K10", text = "MaskTensor must be given exactly if MaskType is not NONE",
      when(equal(mask_type, 0), absent(M)), when(between(mask_type, is_length, is_boolean), given(M)) },
    grouped and rule "stacked-groups" { strength = "soft", ruling = "K8",
      text = "with stacked tensors, the numbers of heads must be equal",
      when(at_least(s.is_joined + present(KV), 1), equal(s.key_heads, s.heads)) },
    rule "output-sizes" { each(prefix(sizes(Y), dims(Y) - 3), 1, 1), page = page },
    shaped("query-sizes", Q, nil, nil, equal(prefix(sizes(Q), dims(Q) - 1), fit(concat(s.batch, s.queries), dims(Q) - 1))),
    shaped("key-sizes", K, nil, nil, sized(K, s.batch, size(K, -2), s.key_heads * s.head)),
    shaped("stacked-query-key-sizes", QK, nil, nil, equal(prefix(sizes(QK), 4), concat(s.batch, s.queries, s.heads, 2))),
    shaped("stacked-key-value-sizes", KV, nil, nil,
      equal(sizes(KV), concat(s.batch, size(KV, 1), s.key_heads, 2, s.head))),
    shaped("stacked-query-key-value-sizes", QKV, nil, nil,
      equal(prefix(sizes(QKV), 4), concat(s.batch, s.queries, s.heads, 3))),
    rule "value-head-size" { page = page, text = "where values are stacked, they must have the head size of keys",
      when(at_least(present(KV) + present(QKV), 1), equal(s.width, s.heads * s.head)) },
    shaped("value-sizes", V, nil, nil, sized(V, s.batch, s.keys, with_value)),
    shaped("bias-sizes", B, nil, nil, sized(B, (s.heads + s.key_heads) * s.head + with_value)),
    shaped("past-key-sizes", PK, nil, nil, sized(PK, s.batch, s.key_heads, size(PK, -2), s.head)),
    shaped("past-value-sizes", PV, nil, nil, sized(PV, s.batch, s.key_heads, s.past, s.value)),
    shaped("relative-sizes", A, nil, "K11", sized(A, s.batch, s.heads, s.queries, s.rows)),
    rule "mask-sizes" { page = page, text = "the sizes of MaskTensor must be those that MaskType calls for",
      when(is_type(is_length), sized(M, 1, s.batch)),
      when(is_type(is_ends), at_least(dims(M), 2), sized(M, 2, s.batch)),
      when(is_type(is_starts), sized(M, 3 * s.batch + 2)) },
    rule "mask-vector" { strength = "open", ruling = "K12", text = "lengths in MaskTensor have at least two dimensions",
      when(is_type(is_length), at_least(dims(M), 2)) },
    rule "mask-boolean-sizes" { strength = "soft", ruling = "K11",
      text = "the sizes of a BOOLEAN MaskTensor must be those of the scores of new keys",
      when(is_type(is_boolean), at_least(dims(M), 4), sized(M, s.batch, s.heads, s.queries, s.keys)) },
    grouped and rule "past-lengths-sizes" { strength = "soft", ruling = "K13",
      text = "PastSequenceLengthsTensor must have a number for each batch element",
      when(given(PL), any_of(sized(PL, s.batch), all_of(at_least(dims(PL), 2), sized(PL, s.batch, 1)))) },
    shaped("present-key-sizes", YK, nil, nil, sized(YK, s.batch, s.key_heads, s.rows, s.head)),
    shaped("present-value-sizes", YV, nil, nil, sized(YV, s.batch, s.key_heads, s.rows, s.value)),
  }
end

-- ---- situations

local function situations_of(s, grouped)
  -- With lengths of the past, nearly every result is open.
  local decided, any_lengths = grouped and { absent(PL) } or {}, { given(Q), given(K), given(V) }
  local forms = {
    separate = { any_lengths, decided },
    ["query-key"] = { given(QK), given(V), absent(Q), absent(K), decided },
    ["key-value"] = { given(Q), given(KV), absent(K), decided },
    ["query-key-value"] = { given(QKV), absent(Q), absent(K), decided },
  }
  local several = { at_least(s.heads, 2), at_least(s.batch, 2), at_least(s.queries, 2) }
  local unmasked = { equal(mask_type, 0), absent(M) }
  local function of(id, text, ...) return situation(id) { text = text, ... } end
  local function masked(number, ...) return { equal(mask_type, number), given(M), absent(PK), absent(PV), ... } end
  local function apart(tensor, kind, text, ...)
    return situation(("%s-%s"):format(tensor, kind)) { text = tensor .. text, several, decided, given(tensor), ...,
      strides = { [tensor] = kind } }
  end
  local reordered, gaps = " has its dimensions in another order in memory", " has gaps between its rows"
  local separate = forms.separate
  local found = {
    of("separate", "queries, keys and values have tensors of their own", several, separate, unmasked),
    of("query-key", "queries and keys are stacked", several, forms["query-key"], unmasked, given(B)),
    situation "key-value" { text = "keys and values are stacked, and there are both biases", pairs = true, several,
      forms["key-value"], unmasked, given(B), given(A) },
    of("query-key-value", "queries, keys and values are stacked", several, forms["query-key-value"], unmasked, given(B)),
    of("query-key-head", "queries and keys are stacked, and values have another head size", several, forms["query-key"],
      equal(s.value, 3), equal(size(QK, -1), 5)),
    of("value-head", "values have another head size than keys", several, separate, equal(s.value, 3), equal(s.head, 5),
      given(B)),
    of("value-head-wider", "values have a larger head size than keys, in all tensors", several, separate,
      equal(s.value, 5), equal(s.head, 2), given(PK), given(PV), given(YK), given(YV), unmasked),
    of("cross", "there are more keys than queries", several, separate, at_least(size(K, -2), 7), equal(s.queries, 3)),
    of("one-query", "there is one query, and several keys", several[1], separate, equal(s.queries, 1),
      at_least(size(K, -2), 3), unmasked),
    of("one-key", "there is one key", separate, at_least(s.queries, 3), equal(size(K, -2), 1), absent(PK), absent(PV),
      unmasked),
    of("one-element", "heads have one element", several, separate, equal(s.head, 1), equal(s.value, 1)),
    -- Scale is so small that each term of a score counts: with larger ones, one key has all the weight.
    situation "head-past-256" { text = "heads have more than 256 elements, an odd number", separate, equal(s.heads, 1),
      equal(s.head, 257), at_least(s.queries, 2), at_least(size(K, -2), 2), unmasked, absent(PK), absent(PV),
      values = { Scale = 0x1p-6 } },
    of("value-past-256", "heads of values have more than 256 elements, an odd number", separate, equal(s.heads, 1),
      equal(s.value, 259), at_least(size(K, -2), 2), unmasked, absent(PK), absent(PV)),
    of("head-prime", "head sizes are prime numbers above 16", several, separate, equal(s.head, 19), equal(s.value, 17)),
    of("keys-past-tile", "there are more than 64 keys, a prime number", separate, equal(size(K, -2), 67),
      at_least(s.queries, 2), unmasked),
    of("keys-past-256", "there are more than 256 keys", separate, equal(size(K, -2), 257), equal(s.heads, 1), unmasked,
      absent(PK), absent(PV)),
    of("queries-past-tile", "there are more than 64 queries", separate, equal(s.queries, 67), at_least(size(K, -2), 2),
      equal(s.heads, 2), unmasked, absent(PK), absent(PV)),
    of("heads-past-tile", "there are more than 16 heads", separate, equal(s.heads, 17), equal(s.head, 2),
      at_least(size(K, -2), 2), at_least(s.queries, 2), unmasked, absent(PK), absent(PV)),
    of("bias", "there is a bias, and nothing else that is optional", several, separate, given(B), absent(A), absent(PK),
      absent(PV), unmasked, at_least(s.head, 2)),
    of("bias-present", "new keys and values are written with their bias", several, separate, given(B), given(YK), given(YV),
      absent(PK), absent(PV), unmasked),
    of("relative", "there are relative biases, more keys than queries", several, separate, given(A), absent(PK), absent(PV),
      unmasked, equal(s.queries, 3), equal(size(K, -2), 5)),
    of("relative-square", "there are relative biases, as many keys as queries", several, separate, given(A), absent(PK),
      absent(PV), unmasked, equal(s.queries, 4), equal(size(K, -2), 4)),
    of("relative-past", "relative biases are for the past, too", several, separate, given(A), given(PK), given(PV),
      unmasked),
    of("past", "there is a past, and no bias", several, separate, given(PK), given(PV), unmasked, absent(B), given(YK),
      given(YV)),
    of("past-bias", "there is a past, and the new rows have a bias", several, separate, given(PK), given(PV), unmasked,
      given(B), given(YK), given(YV)),
    of("past-stacked", "there is a past before stacked keys and values", several, forms["key-value"], given(PK), given(PV),
      unmasked, given(YK), given(YV)),
    of("past-one-query", "one query is added to a past", several[1], separate, given(PK), given(PV), equal(s.queries, 1),
      equal(size(K, -2), 1), at_least(size(PK, -2), 3), unmasked, given(YK), given(YV)),
    of("nothing-optional", "no optional tensor is given", several, separate, absent(B), absent(A), absent(PK), absent(PV),
      absent(YK), absent(YV), unmasked),
    of("length", "the keys of each batch element have a length", several, separate, masked(is_length),
      at_least(size(K, -2), 4)),
    of("length-one-batch", "the keys of the only batch element have a length", equal(s.batch, 1), masked(is_length),
      separate, at_least(size(K, -2), 3)),
    of("length-stacked", "the keys of stacked tensors have a length", several, masked(is_length),
      forms["query-key-value"], at_least(s.queries, 4)),
    of("ends", "the keys of each batch element have an end and a start", several, separate, masked(is_ends),
      at_least(size(K, -2), 5), at_least(s.batch, 3)),
    of("starts", "the mask has starts and ends of queries and keys", several, separate, masked(is_starts)),
    -- Only here may MaskType change alone: the tensor is a mask of either kind, and the results of one are known.
    situation "starts-as-boolean" { text = "a mask of starts has the sizes of a BOOLEAN mask, too", pairs = true, separate,
      masked(is_starts), equal(s.batch, 1), equal(s.heads, 1), equal(s.queries, 1), equal(size(K, -2), 5),
      at_least(dims(M), 4), absent(A) },
    of("boolean", "each score is allowed or filtered", several, separate, masked(is_boolean), equal(s.queries, 3),
      equal(size(K, -2), 5)),
    of("boolean-square", "each score is allowed or filtered, as many keys as queries", several, separate,
      masked(is_boolean), equal(s.queries, 4), equal(size(K, -2), 4)),
    of("boolean-relative", "scores are filtered, and have relative biases", several, separate, masked(is_boolean), given(A)),
    of("mask-past", "there are a mask and a past", several, separate, given(M), equal(mask_type, is_length), given(PK),
      given(PV), given(YK), given(YV)),
    situation "filter-small" { text = "MaskFilterValue is -1, so filtered scores count", masked(is_boolean), several,
      separate, values = { MaskFilterValue = -1.0 }, at_least(size(K, -2), 3) },
    situation "filter-zero" { text = "MaskFilterValue is 0, so filtered scores count", masked(is_length), several, separate,
      values = { MaskFilterValue = 0.0 } },
    situation "filter-infinite" { text = "MaskFilterValue is minus infinity", masked(is_length), several, separate,
      values = { MaskFilterValue = -inf } },
    situation "scale-zero" { text = "Scale is 0, so all keys count the same", unmasked, several, separate,
      values = { Scale = 0.0 }, absent(A) },
    situation "scale-negative" { text = "Scale is -1", unmasked, several, separate, values = { Scale = -1.0 } },
    situation "scale-half" { text = "Scale is 1/2", unmasked, several, separate, values = { Scale = 0.5 } },
    situation "units" { text = "the magnitudes of all elements are 1 or 2, so that scores are exact", fill = "units",
      several, separate, unmasked, at_least(s.head, 2), at_least(size(K, -2), 3) },
    situation "zeros" { text = "all elements are 0", fill = "zero", several },
    situation "not-finite" { text = "some queries are NaNs or infinities", fill = "not-finite", several, separate,
      unmasked },
    situation "special" { text = "elements are the extremes of their type, NaNs and infinities", fill = "special",
      several, separate },
    apart(Q, "permuted", reordered), apart(K, "permuted", reordered), apart(V, "permuted", reordered),
    apart(Q, "padded", gaps), apart(K, "broadcast", " repeats elements"), apart(V, "padded", gaps),
    apart(QK, "permuted", reordered), apart(KV, "permuted", reordered), apart(QKV, "permuted", reordered),
    apart(B, "padded", " has gaps between its elements"), apart(A, "permuted", reordered), apart(A, "broadcast",
      " repeats elements"),
    apart(M, "permuted", reordered, masked(is_boolean)), apart(M, "broadcast", " repeats elements", masked(is_boolean)),
    apart(PK, "permuted", reordered, unmasked, given(PV)), apart(PV, "permuted", reordered, unmasked, given(PK)),
    apart(Y, "permuted", reordered), apart(Y, "padded", gaps), apart(YK, "permuted", reordered),
    apart(YV, "permuted", reordered), apart(YV, "padded", gaps),
  }
  for _, fill in ipairs { "far-below", "far-above" } do
    for id, form in pairs { separate = separate, stacked = forms["query-key-value"] } do
      found[#found + 1] = situation(("%s-%s"):format(fill, id)) { fill = fill, several, form, unmasked,
        text = ("%s are near %d, and scores far from 0"):format(id == "separate" and "queries" or "stacked tensors",
          fill == "far-below" and -10000 or 10000), values = { Scale = 1.0 }, at_least(s.queries, 3) }
    end
  end
  if grouped then
    local groups = { equal(s.heads, 6), equal(s.key_heads, 2), at_least(s.queries, 2), separate }
    for _, more in ipairs {
      of("groups", "three heads of queries share one of keys", groups, unmasked, at_least(size(K, -2), 3)),
      of("groups-bias", "heads that share keys have a bias", groups, unmasked, given(B), given(YK), given(YV)),
      of("groups-past", "heads that share keys have a past", groups, unmasked, given(PK), given(PV), given(YK), given(YV)),
      of("groups-boolean", "heads that share keys have masks of their own", groups, masked(is_boolean)),
      of("groups-relative", "heads that share keys have relative biases of their own", groups, unmasked, given(A),
        absent(PK), absent(PV)),
      of("groups-value-head", "heads that share keys have values of another size", groups, unmasked, equal(s.value, 3),
        equal(s.head, 5)),
      of("one-group", "all heads share one of keys", equal(s.heads, 4), equal(s.key_heads, 1), at_least(s.queries, 2),
        separate, unmasked),
      of("past-lengths", "the past has a length for each batch element", several, any_lengths, given(PL), given(PK),
        given(PV), unmasked),
      of("past-lengths-one", "the past has the length 0, and there is one query", at_least(s.heads, 2), any_lengths,
        given(PL), absent(PK), absent(PV), equal(s.queries, 1), equal(size(K, -2), 1), unmasked),
    } do
      found[#found + 1] = more
    end
  end
  return found
end

-- ---- operators

local function floats(sizes_of, values) return { "FLOAT32", sizes_of, values } end
local function integers(sizes_of, values) return { "INT32", sizes_of, values } end

-- Makes an example. `more`: fields besides the usual ones. All results were computed by hand.
local function attends(id, output, more)
  local all = { ruling = "E12", Scale = 1, MaskFilterValue = -10000, HeadCount = 1, MaskType = 0, [Y] = output }
  for key, value in pairs(more) do all[key] = value end
  return example(id) (all)
end

-- The same of one head, with queries {1, 0} and {0, 1}, and three keys and values of two elements.
local function small_one(id, values, more)
  more[Q], more[K] = floats({ 1, 2, 2 }, { 1, 0, 0, 1 }), floats({ 1, 3, 2 }, { 1, 0, 0, 1, 1, 1 })
  more[V] = floats({ 1, 3, 2 }, { 1, 2, 3, 4, 5, 6 })
  return attends(id, floats({ 1, 2, 2 }, values), more)
end

-- The same of two heads of one element, with Scale 1/2.
local function small_two(id, values, more)
  more[Q], more[K] = floats({ 1, 2, 2 }, { 1, 2, 3, -1 }), floats({ 1, 3, 2 }, { 1, 0, 0, 1, 1, 1 })
  more[V], more.HeadCount, more.Scale = floats({ 1, 3, 2 }, { 1, 2, 3, 4, 5, 6 }), 2, 0.5
  return attends(id, floats({ 1, 2, 2 }, values), more)
end

local function examples_of_one()
  local length, ends, starts, boolean = is_length, is_ends, is_starts, is_boolean
  return {
    small_one("plain", { 3, 4, 3.533913, 4.533913 }, {}),
    small_one("length", { 1.537883, 2.537883, 2.462117, 3.462117 },
      { MaskType = length, [M] = integers({ 1, 1 }, { 2 }) }),
    small_one("end-start", { 4.462117, 5.462117, 4, 5 }, { MaskType = ends, [M] = integers({ 2, 1 }, { 3, 1 }) }),
    small_one("boolean", { 1.537883, 2.537883, 4, 5 },
      { MaskType = boolean, [M] = integers({ 1, 1, 2, 3 }, { 1, 1, 0, 0, 1, 1 }) }),
    small_one("all-filtered", { 3, 4, 3.533913, 4.533913 }, { MaskType = length, [M] = integers({ 1, 1 }, { 0 }) }),
    small_one("all-filtered-boolean", { 3, 4, 2.462117, 3.462117 },
      { MaskType = boolean, [M] = integers({ 1, 1, 2, 3 }, { 0, 0, 0, 1, 1, 0 }) }),
    small_one("relative", { 3, 4, 3.976575, 4.976575 },
      { Scale = 0.5, [A] = floats({ 1, 1, 2, 3 }, { 0, 1, 0, 0, 0, 1 }) }),
    small_two("heads", { 3, 4.533913, 3, 3.644412 }, {}),
    small_two("heads-bias", { 13, 24.30191, 13, 23.27165 }, { [B] = floats({ 6 }, { 1, -1, 0.5, 1, 10, 20 }),
      [YK] = floats({ 1, 2, 3, 1 }, { 1.5, 0.5, 1.5, 1, 2, 2 }), [YV] = floats({ 1, 2, 3, 1 }, { 11, 13, 15, 22, 24, 26 }) }),
    attends("past", floats({ 1, 1, 2 }, { 3.573972, 6.147944 }), { Scale = 0.5, [Q] = floats({ 1, 1, 2 }, { 1, 2 }),
      [K] = floats({ 1, 1, 2 }, { 1, 1 }), [V] = floats({ 1, 1, 2 }, { 5, 6 }),
      [PK] = floats({ 1, 1, 2, 2 }, { 1, 0, 0, 1 }), [PV] = floats({ 1, 1, 2, 2 }, { 1, 2, 3, 4 }),
      [B] = floats({ 6 }, { 1, 0, 0, 1, -1, 1 }), [YK] = floats({ 1, 1, 3, 2 }, { 1, 0, 0, 1, 1, 2 }),
      [YV] = floats({ 1, 1, 3, 2 }, { 1, 2, 3, 4, 4, 7 }) }),
    attends("query-key-value", floats({ 1, 2, 2 }, { 3.537883, 6.999665, 4, 6.017986 }), { HeadCount = 2,
      [QKV] = floats({ 1, 2, 2, 3, 1 }, { 1, 2, 3, 4, -1, 6, 0, 1, 5, -2, 1, 7 }) }),
    attends("query-key", floats({ 1, 2, 3 }, { 1.357609, 2.357609, 3.357609, 1.806824, 2.806824, 3.806824 }), {
      [QK] = floats({ 1, 2, 1, 2, 2 }, { 1, 0, 1, 2, 0, 1, -1, 1 }), [V] = floats({ 1, 2, 3 }, { 1, 2, 3, 4, 5, 6 }) }),
    attends("key-value", floats({ 1, 1, 2 }, { 3.690604, 5.841025 }), { HeadCount = 2, [Q] = floats({ 1, 1, 2 }, { 1, -1 }),
      [KV] = floats({ 1, 3, 2, 2, 1 }, { 1, 2, 0, 3, 2, 4, 1, 5, 0, 6, -1, 7 }) }),
    attends("cross", floats({ 1, 1, 3 }, { 1.357609, 2.357609, 3.357609 }), { [Q] = floats({ 1, 1, 1 }, { 2 }),
      [K] = floats({ 1, 2, 1 }, { 1, 0 }), [V] = floats({ 1, 2, 3 }, { 1, 2, 3, 4, 5, 6 }) }),
    attends("starts", floats({ 2, 1, 1 }, { 1.537883, 6.761594 }), { MaskType = starts,
      [M] = integers({ 8 }, { 2, 2, 0, 1, 2, 0, 2, 4 }), [Q] = floats({ 2, 1, 1 }, { 1, 2 }),
      [K] = floats({ 2, 2, 1 }, { 1, 0, 0, 1 }), [V] = floats({ 2, 2, 1 }, { 1, 3, 5, 7 }) }),
  }
end

-- Returns examples in which heads share keys and values, and some with one head.
local function examples_of_groups()
  local function counted(query_heads, key_heads, more)
    more.HeadCount, more.QueryHeadCount, more.KeyValueHeadCount = nil, query_heads, key_heads
    return more
  end
  local function grouped(id, values, query_heads, key_heads, more)
    local all = { ruling = "E12", Scale = 1, MaskFilterValue = -10000, MaskType = 0, [Y] = floats({ 1, 1, 4 }, values) }
    for key, value in pairs(counted(query_heads, key_heads, more)) do all[key] = value end
    return example(id) (all)
  end
  return {
    grouped("groups", { 1.537883, 1.238406, 15.37883, 12.38406 }, 4, 2, { [Q] = floats({ 1, 1, 4 }, { 1, 2, -1, -2 }),
      [K] = floats({ 1, 2, 2 }, { 1, 0, 0, 1 }), [V] = floats({ 1, 2, 2 }, { 1, 10, 3, 30 }) }),
    grouped("one-group", { 1.537883, 12.53788, 2, 13 }, 2, 1, { [Q] = floats({ 1, 1, 2 }, { 1, -1 }),
      [K] = floats({ 1, 2, 1 }, { 1, 0 }), [V] = floats({ 1, 2, 2 }, { 1, 2, 3, 4 }),
      [B] = floats({ 5 }, { 0, 1, 1, 0, 10 }), [YK] = floats({ 1, 1, 2, 1 }, { 2, 1 }),
      [YV] = floats({ 1, 1, 2, 2 }, { 1, 12, 3, 14 }) }),
    grouped("past-lengths", { 1, 2, 1, 2 }, 2, 1, { [Q] = floats({ 1, 1, 2 }, { 3, -1 }),
      [K] = floats({ 1, 1, 1 }, { 1 }), [V] = floats({ 1, 1, 2 }, { 1, 2 }), [PL] = integers({ 1 }, { 0 }) }),
  }
end

local small <const> = { 0.125, 2 }

-- Makes an operator. `grouped`: heads of queries share heads of keys.
local function attention(name, grouped)
  local page = "DML_" .. name
  local heads = attr(grouped and "QueryHeadCount" or "HeadCount")
  local key_heads = grouped and attr "KeyValueHeadCount" or heads
  local s = shape_of(heads, key_heads)
  local stages, joined = inputs_of(s)
  stages[#stages + 1] = filtered(s)
  for _, one_of_them in ipairs(scores_of(s)) do stages[#stages + 1] = one_of_them end
  stages[#stages + 1] = results_of(s)
  local output, behaviours = output_of(s, page)
  local key, of_key = present_of(s, page, YK, "keys", joined)
  local value, of_value = present_of(s, page, YV, "values", joined)
  for _, more in ipairs { of_key, of_value } do
    for _, one_of_them in ipairs(more) do behaviours[#behaviours + 1] = one_of_them end
  end
  if grouped then
    for _, output_name in ipairs { Y, YK, YV } do behaviours[#behaviours + 1] = past_lengths_of(s, output_name) end
  end
  behaviours[#behaviours + 1] = behaviour "denormals" { text = "denormals are not flushed to zero", strength = "soft",
    ruling = "E7" }
  local is_boolean_mask = is(mask_type, is_boolean)
  local entries = size(M, -1)
  return operator(name) {
    parameters = { { "d", dims(Y) } },
    rules = rules_of(page, s, grouped),
    situations = situations_of(s, grouped),
    grids = { grid(M) { from = filled(0, entries), to = filled(1 + (1 - is_boolean_mask) * s.keys, entries),
      parts = filled(1, entries), spans = 0 } },
    stages = stages,
    results = { output, key, value },
    behaviours = behaviours,
    domains = { [Q] = small, [K] = small, [QK] = small, [KV] = small, [QKV] = small, [PK] = small, [V] = { -4, 4 },
      [PV] = { -4, 4 }, [B] = { -2, 2 }, [A] = { -4, 4 }, [M] = { 0, 1 }, Scale = { 0.125, 2, usual = 0.5 },
      MaskFilterValue = { -20000, -0.5, usual = -10000 },
      [grouped and "QueryHeadCount" or "HeadCount"] = { 1, 4, usual = 2 }, [grouped and PL or M] = { 0, 1 },
      KeyValueHeadCount = grouped and { 1, 2, usual = 2 } or nil },
    examples = grouped and examples_of_groups() or examples_of_one(),
  }
end

return { define("MULTIHEAD_ATTENTION", attention, false), define("MULTIHEAD_ATTENTION1", attention, true) }
