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
      on(words.when(fits, family.rounding == "either" and words.between(output, down, up) or words.equal(output, down))),
      page = family.page },
  }
  if dilations then table.insert(rules, 3, rule "dilations" { words.at_least(dilations, 1), page = family.page }) end
  return rules
end

-- `count` tensors of one type and one shape, the output last.
function words.elementwise(...)
  return {
    words.rule "same-dims" { words.same("DimensionCount", ...) },
    words.rule "same-sizes" { words.same("Sizes", ...) },
    words.rule "same-type" { words.same("DataType", ...) },
  }
end

-- Dimensions that the array `axes` of `count` entries names.
function words.axes(axes, count, rank)
  return {
    words.rule "axes-range" { words.between(words.list(axes), 0, rank - 1) },
    words.rule "axes-unique" { words.at_most(words.attr(count), rank), words.distinct(words.list(axes)), strength = "soft" },
  }
end

return words
