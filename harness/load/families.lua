-- Words for families of operators. This file runs after prelude.lua and adds to its words. A family is a list of rules,
-- which stands among the rules of an operator. specs/README.md explains the words.

local words, tools = ...

local function named(what, family, known)
  tools.expect(family, "table", what)
  for key in pairs(family) do
    if not string.find(" " .. known .. " ", " " .. key .. " ", 1, true) then
      error(("%s: unknown key '%s'; known: %s"):format(what, key, known), 3)
    end
  end
end

-- The rules of a window that moves over the spatial dimensions of `input`, all but its first two, by Strides, and gives
-- one element of `output` for each place. `window`: its sizes. `dilations`: true if the operator has Dilations; "open" if
-- a device may also accept an output whose sizes follow without them. `rounding`: "down", or "either" if the last window
-- may pass the end of the padded input. `extra`: a list to add to the sizes of the output. `fits`: another condition of
-- the rule that the window fits, and its strength. `sizes`: the strength of the rule of the sizes of the output.
-- `rulings`: those of the rules that entries are at least 1, that the window fits, and that sizes count Dilations.
-- `arrays`: the names of the operator's other arrays.
function words.windows(family)
  named("windows", family, "input output window dilations rounding extra arrays when fits sizes page rulings")
  local rulings = family.rulings or {}
  local spatial = words.attr "DimensionCount"
  local input = words.slice(words.sizes(family.input), 2, words.dims(family.input))
  local output = words.slice(words.sizes(family.output), 2, words.dims(family.output))
  local strides, dilations = words.list "Strides", family.dilations and words.list "Dilations"
  local extent = dilations and (family.window - 1) * dilations + 1 or family.window
  local padded = input + words.list "StartPadding" + words.list "EndPadding"
  local function sizes(rounded) return family.extra and rounded + 1 + family.extra or rounded + 1 end
  local function follows(covered)
    local down, up = sizes((padded - covered) // strides), sizes(words.ceil_div(padded - covered, strides))
    return family.rounding == "either" and words.between(output, down, up) or words.equal(output, down)
  end
  local fits = words.at_most(extent, padded)
  local more = family.fits or {}
  local either = family.dilations == "open" and words.any_of(follows(extent), follows(family.window))
  local on = function(...) return family.when and words.when(family.when, ...) or { ... } end
  local rule = words.rule
  local rules = {
    rule "spatial-count" { words.equal(spatial, words.dims(family.input) - 2), page = family.page },
    rule "strides" { words.at_least(strides, 1), page = family.page, ruling = rulings[1] },
    rule "window-fits" { on(fits, more[1]), page = family.page, ruling = rulings[2], strength = more.strength,
      text = "the window, with its gaps, must fit into the padded input" },
    rule "output-sizes" { on(words.when(fits, either or follows(extent))), page = family.page, strength = family.sizes,
      text = either and "the sizes of the output must be the numbers of places of the window" or nil },
  }
  local given = { strength = "soft", ruling = "B10", text = "no array may be a null pointer" }
  for _, name in ipairs { "Strides", "StartPadding", "EndPadding", dilations and "Dilations" or nil } do
    given[#given + 1] = words.present(name)
  end
  for _, name in ipairs(family.arrays or {}) do given[#given + 1] = words.present(name) end
  table.insert(rules, 2, rule "arrays-given" (given))
  if dilations then
    table.insert(rules, 4, rule "dilations" { words.at_least(dilations, 1), page = family.page,
      ruling = rulings[1] })
  end
  if either then
    rules[#rules + 1] = rule "output-sizes-dilated" { on(words.when(words.all_of(fits, either), follows(extent))),
      strength = "open", page = family.page, ruling = rulings[3],
      text = "the numbers of places are those of the window with its gaps" }
  end
  return rules
end

-- Quantises a sum of integers: returns the value, and the behaviours that leave it open. `magnitude`: the sum of the
-- absolute values. `scales`: the two that multiply it. `step`, `zero_point`: those of the output.
function words.quantised_sum(family)
  named("quantised_sum", family, "1 magnitude scales step zero_point")
  local sum, first, second, step = family[1], family.scales[1], family.scales[2], family.step
  local both, either, gt, lt, max, abs = words.both, words.either, words.gt, words.lt, words.max, words.abs
  local scales = first * second
  local quotient = words.named(sum * scales / step, "quotient")
  local function open(id, ruling, text, when)
    return words.behaviour(id) { strength = "open", ruling = ruling, text = text, when = when, gives = "anything" }
  end
  local function is_no_scale(scale) return words.negated(both(gt(scale, 0), lt(scale, words.inf))) end
  return words.saturate(words.round_even(words.within(quotient, 0x1p-20 * max(1, abs(quotient)))) + family.zero_point), {
    open("wide", "P9", "where the sum may be beyond 32 bits, any value is right", gt(family.magnitude, 0x7fffffff)),
    open("zero-scale", "P11", "a scale of 0 or below, or one that is not finite, gives any value",
      either(is_no_scale(step), either(is_no_scale(first), is_no_scale(second)))),
    open("range", "S3",
      "where products of scales may be beyond FLOAT32 or below its normal numbers, any value is right",
      either(gt(max(abs(quotient), max(abs(sum), 1) * scales), 0x1p127), lt(scales / max(1, step), 0x1p-100))),
  }
end

-- Rules that tensors agree in DimensionCount, Sizes and DataType, as the catalogue says of the operator.
local function agreement(op, page)
  local rules, names = {}, { DimensionCount = "same-dims", Sizes = "same-sizes", DataType = "same-type" }
  for _, property in ipairs { "DimensionCount", "Sizes", "DataType" } do
    for _, relation in ipairs(op.same or {}) do
      if tools.has_property(relation, property) and not relation.before and not relation.where then
        rules[#rules + 1] = words.rule(names[property]) {
          words.same(property, table.unpack(relation, 2)), page = page, ruling = property == "Sizes" and "E1" or nil,
        }
      end
    end
  end
  return rules
end

local function field_of(op, kind)
  for _, field in ipairs(op.fields) do if field[1] == kind then return field end end
end

-- Returns two flags: the tensor may have floating-point types, and integer types, at some level.
local function numbers_of(op, field)
  local floats, integers
  for _, level in ipairs(op.levels) do
    for _, type in ipairs(level[field.like or field[2]][1]) do
      if string.find(type, "^FLOAT") then floats = true else integers = true end
    end
  end
  return floats, integers
end

-- The element of an input after the operator's ScaleBias, if that is given. A device may miss it by one ULP of its
-- largest part; for FLOAT64, by one ULP of FLOAT32 (E2).
function words.scaled(tensor)
  local x, scale, bias = words.element(tensor), words.attribute "ScaleBias", words.bias "ScaleBias"
  local sum = x * scale + bias
  local largest = words.max(words.max(words.abs(x * scale), words.abs(bias)), words.abs(sum))
  local ulp = words.choose(words.lt(words.u, 0x1p-24), largest * 0x1p-23, words.spacing(largest))
  local scaled = words.within(sum, words.choose(words.is_float(tensor), ulp, 0))
  scaled = words.choose(words.present "ScaleBias", scaled, x)
  scaled.name, scaled.text, scaled.binds = ("scaled(%s)"):format(tensor), tensor .. " * Scale + Bias", 1
  return scaled
end

-- A ScaleBias of integers is exact: all numbers are integers within the type and within 24 bits. An infinite Scale times
-- 0 is no number, although formulas of integers take it for 0.
local function is_exact(tensor)
  local both, le, abs = words.both, words.le, words.abs
  local x, scale, bias = words.element(tensor), words.attribute "ScaleBias", words.bias "ScaleBias"
  local exact = both(words.eq(scale, words.trunc(scale)), words.eq(bias, words.trunc(bias)))
  exact = both(exact, words.lt(abs(scale), words.inf))
  for _, part in ipairs { x, x * scale, x * scale + bias } do
    exact = both(exact, both(words.fits(part), le(abs(part), 1 << 24)))
  end
  return exact
end

-- Returns the behaviours that all element-wise operators with these fields and types have.
local function common_behaviours(op, body, page)
  local output, input = field_of(op, "output"), field_of(op, "input")
  local floats, integers = numbers_of(op, output)
  local behaviour = words.behaviour
  local found = {
    behaviour "elements" { text = body.text or "each element is " .. body[1].text, page = page,
      ruling = floats and "E5, E10" or nil },
  }
  local function add(one) found[#found + 1] = one end
  if body.special then add(behaviour "special" { text = body.special, page = page,
    ruling = floats and "E8" or nil }) end
  if floats and body.nans ~= false then
    add(behaviour "nans" { text = "a NaN among the operands gives a NaN, of any payload", ruling = "E6" })
  end
  if floats and not body.bits then
    add(behaviour "denormals" { text = "denormals are not flushed to zero", strength = "soft", ruling = "E7" })
    add(behaviour "infinities" { text = "a result beyond the largest number becomes an infinity, not that number",
      strength = "soft", ruling = "E9" })
  end
  if integers and body.overflows then
    add(behaviour "overflow" { text = "integers beyond their type are taken modulo 2^width; those of 8 and 16 bits may " ..
      "saturate, with 32 and 64 bits that is a warning", strength = "soft", ruling = "E4" })
  end
  if field_of(op, "scale_bias") then
    local _, scaled_integers = numbers_of(op, input)
    add(behaviour "scale-bias" { text = "Scale and Bias are applied to InputTensor first, in FLOAT32 or better",
      page = page, ruling = "E2" })
    if floats then
      local x, scale, bias = words.element(input[2]), words.attribute "ScaleBias", words.bias "ScaleBias"
      local part = words.max(words.abs(x * scale), words.abs(x * scale + bias))
      local most = words.choose(words.lt(words.u, 0x1p-24), 0x1.fffffep127, words.largest)
      local finite = words.both(words.is_float(input[2]), words.lt(words.abs(x), words.inf))
      add(behaviour "scale-bias-overflow" { strength = "open", ruling = "E2",
        text = "a result of Scale and Bias beyond the type, or beyond FLOAT32, may become any value",
        when = words.both(words.present "ScaleBias", words.both(finite, words.gt(part, most))), gives = "anything" })
    end
    if scaled_integers then
      local scaled = words.both(words.present "ScaleBias", words.negated(words.is_float(input[2])))
      add(behaviour "scale-bias-integers" { strength = "open", ruling = "E3",
        text = "integers beyond their type or 24 bits, and fractions, may become any value",
        when = words.both(scaled, words.negated(is_exact(input[2]))), gives = "anything" })
    end
  end
  return found
end

-- Returns the rest of the table of an operator whose output elements are a formula of its inputs' elements at the same
-- coordinates. The formula comes first; `FLOAT32` and others are as for `result`. Rules, behaviours, examples and
-- domains are those of this operator alone, also situations; `without`: values of attributes that no legal description
-- has. `text` describes the formula, `special` the results of special values.
-- `nans = false`: a NaN need not give a NaN. `overflows = true`: integers may go beyond their type.
local of_result = "FLOAT16 FLOAT32 FLOAT64 integers zeros bits overflow"
function words.elementwise(body)
  named("elementwise", body, "1 text special nans overflows rules behaviours examples domains sparse levels " ..
    "situations without " .. of_result)
  local op = tools.operator
  local page, output = "DML_" .. op.name, field_of(op, "output")
  local result, behaviours = { body[1] }, common_behaviours(op, body, page)
  local rules = agreement(op, page)
  for key in string.gmatch(of_result, "%S+") do result[key] = body[key] end
  for _, one in ipairs(body.rules or {}) do rules[#rules + 1] = one end
  for _, one in ipairs(body.behaviours or {}) do behaviours[#behaviours + 1] = one end
  for _, one in ipairs(body.examples or {}) do if not one.page then one.ruling = one.ruling or "E12" end end
  return {
    parameters = { { "d", words.dims((field_of(op, "input") or output)[2]) } },
    rules = rules,
    results = { words.result(output[2]) (result) }, behaviours = behaviours, examples = body.examples,
    domains = body.domains, sparse = body.sparse, levels = body.levels,
    situations = {
      words.shape_situations((field_of(op, "input") or output)[2]), words.value_situations(body.without),
      field_of(op, "input") and (body.bits and words.bit_situations or words.number_situations)(field_of(op, "input")[2])
        or {},
      body.situations or {},
    },
  }
end

-- A bound on the error of a fold of floats. Each step of rounding may miss by one part in 2^bits of the sum of absolute
-- values. (If the usual bound has no value, it is at most twice that sum.) The bound is 0 if no order of the elements
-- rounds. `steps`: the number of roundings of an element before it takes part.
local function rounding(fold, steps, bits)
  local n = words.max(words.part(fold, "count") + (steps - (bits == 24 and 1 or 0)), 0) * 2.0 ^ -bits
  local gamma = words.choose(words.lt(n, 0.5), n / (1 - n), 2 * n)
  local least = steps * 2.0 ^ (bits == 24 and -149 or -24) -- the error of an element that is a denormal
  local error = gamma * words.part(fold, "magnitude") + words.part(fold, "count") * least
  error = words.choose(words.inexact(fold, bits), error, 0)
  return words.named(error, ("rounding%d"):format(bits))
end

-- Returns the bounds for FLOAT32 and for FLOAT16 as the accumulator's type.
function words.roundings(fold, steps)
  return rounding(fold, steps or 0, 24), rounding(fold, steps or 0, 11)
end

-- The tolerance of a fold: FLOAT16 is rounded once more, and may have FLOAT16 accumulators, with a warning. `change`
-- converts an error of the fold to an error of the result.
function words.rounded(fold, steps, change)
  local narrow, wide = words.roundings(fold, steps)
  change = change or function(error) return error end
  local once = words.choose(words.inexact(fold, 24), words.ulp(0.5), 0)
  return { FLOAT32 = change(narrow), FLOAT16 = { soft = change(narrow) + once, must = change(wide) } }
end

-- The errors that functions may have in arithmetic with the unit roundoff `u` (E10). The must bounds of the operators
-- are these, and those of all composites follow from them. `exp` and `sqrt` are in ULP, the others are absolute.
function words.function_limits(u)
  local is_half = u > 0x1p-20
  local absolute = is_half and 1 / 512 or 1 / 1024
  return { least_exp = is_half and 1 or 32, sqrt = is_half and 3 or 5, log = absolute, tanh = absolute, erf = absolute,
    exp = function(t) return is_half and 2 + words.abs(t) or words.max(32, 4 + 2 * words.abs(t)) end,
    -- A power is an exp2 of a product with a log2, so their errors add up. The bound is that of FLOAT32.
    pow = function(base, exponent)
      local ln = words.log(words.abs(base))
      return words.choose(words.eq(base, 0), 0,
        5 * words.abs(exponent * ln / math.log(2)) + 6 * words.abs(exponent)) + 32
    end }
end

-- The errors that functions have within a composite: relative ones of `exp` and `sqrt`, absolute ones of the others.
-- `least_exp` is that of e^0. `hard`: as `limits` allow; otherwise as a careful device computes.
function words.function_errors(u, hard)
  local limits, abs, max = words.function_limits(u), words.abs, words.max
  if not hard then
    return { least_exp = 8 * u, sqrt = 2 * u, tanh = 0x1p-20, erf = 0x1p-20,
      exp = function(t) return 8 * u + 2 * u * abs(t) end, log = function(value) return 8 * u * max(1, abs(value)) end }
  end
  return { limits = limits, least_exp = math.max(8, 2 * limits.least_exp) * u, sqrt = 2 * u * limits.sqrt, tanh = limits.tanh,
    erf = limits.erf, exp = function(t) return max(8 * u + 2 * u * abs(t), 2 * u * limits.exp(t)) end,
    log = function(value) return max(8 * u * max(1, abs(value)), limits.log) end }
end

-- The tolerance of a result of several steps, from its bound for a unit roundoff and the errors of functions: the bound
-- of FLOAT32 arithmetic. FLOAT16 is rounded once more, and may be computed in FLOAT16, with a warning. A device may
-- flush denormals within the steps, `scale` times.
function words.composite(bound, scale)
  local flushed = words.smallest_normal * (scale or 1)
  local function at(u, hard) return bound(u, words.function_errors(u, hard)) + flushed end
  local narrow, coarse, wide = at(0x1p-24), at(0x1p-24, true), at(0x1p-11, true)
  local half = narrow + words.ulp(1)
  local single = coarse.text == narrow.text and narrow or { soft = narrow, must = coarse } -- without functions, one bound
  return { FLOAT32 = single, FLOAT16 = { soft = half, must = words.max(half, wide) } }
end

-- The behaviour for an overflow of a partial sum that a different order avoids.
function words.partial_overflow(fold, id, given)
  return words.behaviour(id or "partial") { strength = "open", ruling = "S3", given = given,
    text = "where partial sums may be beyond the type, the result may be infinite or a NaN",
    when = words.both(words.gt(words.part(fold, "peak"), words.largest), words.eq(words.part(fold, "nans"), 0)),
    gives = { { "high", words.inf }, { "low", -words.inf }, { "undefined", words.nan } } }
end

-- The same for partial products that overflow or become too small; a factor 0 stays.
function words.partial_range(fold, given)
  local beyond = words.either(words.gt(words.part(fold, "peak"), words.largest),
    words.lt(words.part(fold, "dip"), words.smallest_normal))
  return words.behaviour "partial-range" { strength = "open", ruling = "S3", given = given,
    text = "where partial products may be beyond the type or below its normal numbers, any result is right",
    when = words.both(beyond,
      words.both(words.eq(words.part(fold, "zeros"), 0), words.eq(words.part(fold, "nans"), 0))),
    gives = "anything" }
end

function words.partial_zero(fold, given)
  return words.behaviour "partial-zero" { strength = "open", ruling = "S3", given = given,
    text = "where a partial product may be beyond the type, a factor 0 may give a NaN",
    when = words.both(words.gt(words.part(fold, "peak"), words.largest),
      words.both(words.gt(words.part(fold, "zeros"), 0), words.eq(words.part(fold, "nans"), 0))),
    gives = { { "undefined", words.nan } } }
end

-- The values of an enumeration for which the catalogue lists each data type of a tensor, from one level on, as groups
-- of types with the same values.
local function values_by_type(member, entries, constants, field)
  local by_type, order, groups, found = {}, {}, {}, {}
  for _, entry in ipairs(entries) do
    for _, type in ipairs(entry[member.like or member[2]][1]) do
      if not by_type[type] then
        by_type[type] = {}
        order[#order + 1] = type
      end
      for _, name in ipairs(entry.where[field]) do table.insert(by_type[type], constants[name]) end
    end
  end
  for _, type in ipairs(order) do
    table.sort(by_type[type])
    local key = table.concat(by_type[type], " ")
    if not groups[key] then
      groups[key] = { types = {}, values = by_type[type] }
      found[#found + 1] = groups[key]
    end
    table.insert(groups[key].types, type)
  end
  return found
end

-- The rule for an enumeration some of whose values have tables of their own in the catalogue: the types limit the
-- value. Another rule is about values that are not in the enumeration.
function words.types_by_constant(field)
  local op, standing, starts, rule = tools.operator, {}, {}, {}
  local constants, most, all = nil, 0, 0
  for _, member in ipairs(op.fields) do
    if member[2] == field then constants = tools.constants(member.type) end
  end
  for _, value in pairs(constants) do most, all = math.max(most, value), all + 1 end
  for i, entry in ipairs(op.levels) do -- collects the entries that hold from each level on
    for k = #standing, 1, -1 do
      if standing[k].where[field][1] == entry.where[field][1] then table.remove(standing, k) end
    end
    standing[#standing + 1] = entry
    if not op.levels[i + 1] or op.levels[i + 1][1] ~= entry[1] then
      starts[#starts + 1] = { level = entry[1], entries = table.move(standing, 1, #standing, 1, {}) }
    end
  end
  for i, start in ipairs(starts) do
    for _, member in ipairs(op.fields) do
      local groups = (member[1] == "input" or member[1] == "output") and
        values_by_type(member, start.entries, constants, field) or {}
      for _, group in ipairs(groups) do
        local is = words.one_of(words.data_type(member[2]), tools.type_numbers(group.types))
        local one = words.when(words.at_most(words.attr(field), most),
          words.when(is, words.one_of(words.attr(field), group.values)))
        one = words.from_level(start.level, one)
        if starts[i + 1] then one = words.before_level(starts[i + 1].level, one) end
        if #group.values < all then rule[#rule + 1] = one end
      end
    end
  end
  rule.page, rule.text = "DML_" .. op.name, ("%s must be a constant that takes the data types"):format(field)
  return words.rule "types" (rule)
end

-- Returns the table of an operator that moves elements: an element of an output is a copy of an element of an input, or
-- a fill value. `from` is a function of the fields that returns a function of the coordinates of an output element and
-- of a table for other coordinates. That function returns the input to copy from, with its coordinates set in the
-- table; or nil and the bits of the fill value. For an array of outputs it also gets the number of the output, from 0.
-- `text` describes the operator.
function words.moves(body)
  named("moves", body, "parameters rules text from examples levels behaviours situations without shape")
  local op, behaviour = tools.operator, words.behaviour
  local output = field_of(op, "output") or field_of(op, "outputs")
  local floats = numbers_of(op, field_of(op, "input") or field_of(op, "inputs"))
  local behaviours = {
    behaviour "moves" { text = body.text, page = "DML_" .. op.name },
    behaviour "exact" { text = "values are copied bit for bit", ruling = "A26" },
  }
  if floats then
    behaviours[3] = behaviour "nan-payloads" { text = "NaNs are copied bit for bit, too", strength = "soft",
      ruling = "A26", accepts = "kept", reports = "quieted canonical" }
    behaviours[4] = behaviour "denormals" { text = "denormals are copied, not flushed to zero", strength = "soft",
      ruling = "A26", accepts = "kept", reports = "flushed" }
  end
  for _, one in ipairs(body.behaviours or {}) do behaviours[#behaviours + 1] = one end
  local function meaning(T)
    local from, outputs, at = body.from(T), T[output[2]], {}
    for j = 0, output[1] == "outputs" and #outputs or 0 do
      local to = output[1] == "outputs" and outputs[j] or outputs
      for c in to:coordinates() do
        local tensor, fill = from(c, at, j)
        to:set(c, tensor and tensor:get(at) or fill)
      end
    end
  end
  local situations = { words.value_situations(body.without), body.situations or {} }
  table.insert(situations, words.shape_situations((field_of(op, "input") or output)[2], body.shape))
  return { parameters = body.parameters, rules = body.rules, behaviours = behaviours, examples = body.examples,
    levels = body.levels, meaning = meaning, situations = situations }
end

-- A tensor of an example: a row of values, which has a legal DimensionCount at every level.
function words.tensor(type, values)
  return { type, { 1, 1, 1, #values }, values }
end

-- Rules for the dimensions that the array `axes` of `count` entries names.
function words.axes(axes, count, rank)
  return {
    words.rule "axes-range" { words.between(words.list(axes), 0, rank - 1) },
    words.rule "axes-unique" { words.at_most(words.attr(count), rank), words.distinct(words.list(axes)),
      strength = "soft" },
  }
end

return words
