-- Words for what many operators share. Runs after prelude.lua, whose words it adds to. A family is a list of rules, which
-- stands among the rules of an operator. specs/README.md explains the words.

local words, tools = ...

local function named(what, family, known)
  tools.expect(family, "table", what)
  for key in pairs(family) do
    if not string.find(" " .. known .. " ", " " .. key .. " ", 1, true) then
      error(("%s: unknown key '%s'; known: %s"):format(what, key, known), 3)
    end
  end
end

-- A window that moves over the spatial dimensions of `input`, all but its first two, by Strides, and gives one element of
-- `output` for each place. `window`: its sizes. `dilations`: whether the operator has Dilations. `rounding`: "down", or
-- "either": the last window may go past the padded input. `extra`: what else is added to the sizes of the output.
function words.windows(family)
  named("windows", family, "input output window dilations rounding extra when page")
  local spatial = words.attr "DimensionCount"
  local input = words.slice(words.sizes(family.input), 2, words.dims(family.input))
  local output = words.slice(words.sizes(family.output), 2, words.dims(family.output))
  local strides, dilations = words.list "Strides", family.dilations and words.list "Dilations"
  local extent = dilations and (family.window - 1) * dilations + 1 or family.window
  local padded = input + words.list "StartPadding" + words.list "EndPadding"
  local function sizes(rounded) return family.extra and rounded + 1 + family.extra or rounded + 1 end
  local down, up = sizes((padded - extent) // strides), sizes(words.ceil_div(padded - extent, strides))
  local fits = words.at_most(extent, padded)
  local on = function(...) return family.when and words.when(family.when, ...) or { ... } end
  local rule = words.rule
  local rules = {
    rule "spatial-count" { words.equal(spatial, words.dims(family.input) - 2), page = family.page },
    rule "strides" { words.at_least(strides, 1), page = family.page },
    rule "window-fits" { on(fits), page = family.page,
      text = "the window, with its gaps, must fit into the padded input" },
    rule "output-sizes" {
      on(words.when(fits, family.rounding == "either" and words.between(output, down, up) or words.equal(output,
        down))),
      page = family.page },
  }
  if dilations then table.insert(rules, 3, rule "dilations" { words.at_least(dilations, 1), page = family.page }) end
  return rules
end

-- Tensors that agree in DimensionCount, Sizes and DataType, as the catalogue says of the operator.
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

-- Whether the tensor may have floating-point types, and integer types, at some level.
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
-- largest part: FLOAT64 by one of FLOAT32 (E2).
function words.scaled(tensor)
  local x, scale, bias = words.element(tensor), words.attribute "ScaleBias", words.bias "ScaleBias"
  local sum = x * scale + bias
  local largest = words.max(words.max(words.abs(x * scale), words.abs(bias)), words.abs(sum))
  local ulp = words.choose(words.lt(words.u, 0x1p-24), largest * 0x1p-23, words.spacing(largest))
  local scaled = words.within(sum, words.choose(words.is_float(tensor), ulp, 0))
  scaled = words.choose(words.present "ScaleBias", scaled, x)
  scaled.text, scaled.binds = tensor .. " * Scale + Bias", 1
  return scaled
end

-- Whether a ScaleBias of integers is exact: all numbers are integers within the type and within 24 bits.
local function is_exact(tensor)
  local both, le, abs = words.both, words.le, words.abs
  local x, scale, bias = words.element(tensor), words.attribute "ScaleBias", words.bias "ScaleBias"
  local exact = both(words.eq(scale, words.trunc(scale)), words.eq(bias, words.trunc(bias)))
  for _, part in ipairs { x, x * scale, x * scale + bias } do
    exact = both(exact, both(words.fits(part), le(abs(part), 1 << 24)))
  end
  return exact
end

-- What every element-wise operator with these fields and types does.
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
    add(behaviour "infinities" { text = "what is beyond the largest number becomes an infinity, not that number",
      strength = "soft", ruling = "E9" })
  end
  if integers and body.overflows then
    add(behaviour "overflow" { text = "integers beyond their type are taken modulo 2^width; 8 and 16 bits may saturate",
      strength = "soft", ruling = "E4" })
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
        text = "what Scale and Bias make larger than any number of the type, or of FLOAT32, may become any value",
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

-- An operator whose output elements are a formula of the elements of its inputs at the same coordinates: the rest of its
-- table. The formula comes first; `FLOAT32` and others as for `result`; rules, behaviours, examples and domains are those
-- that are particular. `text` says what the formula does, `special` what special values give. `nans = false`: a NaN need not
-- give a NaN. `overflows = true`: integers may go beyond their type.
local of_result = "FLOAT16 FLOAT32 FLOAT64 integers zeros bits overflow"
function words.elementwise(body)
  named("elementwise", body, "1 text special nans overflows rules behaviours examples domains sparse levels " ..
    of_result)
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
  }
end

-- A tensor of an example: a row of values, which has a legal DimensionCount at every level.
function words.tensor(type, values)
  return { type, { 1, 1, 1, #values }, values }
end

-- Dimensions that the array `axes` of `count` entries names.
function words.axes(axes, count, rank)
  return {
    words.rule "axes-range" { words.between(words.list(axes), 0, rank - 1) },
    words.rule "axes-unique" { words.at_most(words.attr(count), rank), words.distinct(words.list(axes)),
      strength = "soft" },
  }
end

return words
