-- Element-wise operators that keep numbers within limits.

local x, g, gradient = element "InputTensor", scaled "InputTensor", element "InputGradientTensor"

-- True if the element or a limit is a NaN.
local function has_nan(value, low, high)
  local some = either(is_nan(value), is_nan(low))
  return high and either(some, is_nan(high)) or some
end

-- A device may reject limits in the wrong order; behaviour "crossed" defines the result otherwise.
local function ordered_limits(fields)
  fields.rules = fields.rules or {}
  table.insert(fields.rules, rule "min-not-above-max" { ordered("Min", "Max"), strength = "open", ruling = "E21" })
end

-- Adds what matters for limits. One alone cannot be an infinity that leaves the other no place.
local function limited(fields, both_limits)
  if not both_limits then return fields end
  fields.without = "Min-infinite Min-largest Max-minus-infinite"
  fields.situations = {
    situation "both-infinite" { text = "both limits are infinity", values = { Min = inf, Max = inf } },
    situation "both-minus-infinite" { text = "both limits are minus infinity", values = { Min = -inf, Max = -inf } },
    situation "no-limits" { text = "Min is minus infinity, Max infinity", values = { Min = -inf, Max = inf } },
    situation "zeros" { text = "Min is -0, Max is 0", values = { Min = -0.0, Max = 0.0 } },
  }
  return fields
end

-- Adds the behaviours for NaNs and for limits in the wrong order.
local function clip(low, high, fields)
  fields[1] = high and max(low, min(g, high)) or max(g, low)
  fields.nans, fields.behaviours = false, fields.behaviours or {}
  local kept = choose(is_nan(low), high and choose(is_nan(high), g, min(g, high)) or g, max(g, low))
  local alternatives = { { "propagated", nan }, { "low", low }, { "kept", kept }, high and { "high", high } }
  table.insert(fields.behaviours, behaviour "nan" {
    text = "a NaN element gives a NaN or a limit; a device may ignore a NaN limit",
    strength = "open",
    ruling = "E16", when = both(is_float "InputTensor", has_nan(g, low, high)), gives = alternatives })
  if high then
    ordered_limits(fields)
    table.insert(fields.behaviours, behaviour "crossed" { text = "where Min is above Max, every element is Min",
      strength = "soft",
      ruling = "E21", when = gt(low, high), gives = { { "high", high } } })
  end
  return elementwise(limited(fields, high))
end

-- Returns the condition that an integer tensor has a limit that is a NaN.
local function has_nan_limit(low, high)
  return both(negated(is_float "InputTensor"), has_nan(0, cast(low), high and cast(high)))
end

-- The integer that processors give for any number beyond the type, and for a NaN.
local indefinite <const> = choose(lt(lowest, 0), lowest, largest / 2 + 1)

-- Makes the behaviour for a limit that is a NaN, of an integer type. A device that ignores it has the type's own limit.
local function nan_limits(low, high, gives)
  local function clipped(as_low, as_high)
    local function limit(name, as) return choose(is_nan(cast(name)), as, cast(name)) end
    return max(limit(low, as_low), high and min(g, limit(high, as_high)) or g)
  end
  return behaviour "nan-limits" { text = "a limit that is a NaN is some integer, or ignored", strength = "open",
    ruling = "E16, E22", when = has_nan_limit(low, high), gives = gives or {
      { "lowest", clipped(lowest, lowest) }, { "largest", clipped(largest, largest) },
      { "indefinite", clipped(indefinite, indefinite) }, { "ignored", clipped(lowest, largest) } } }
end

-- Adds the behaviour for a FLOAT limit outside of an integer type. `gives`: its outcomes.
local function saturates(low, high, gives)
  local function is_outside(name) return choose(is_nan(cast(name)), 0, negated(fits(truncated(name)))) end
  local outside = high and either(is_outside(low), is_outside(high)) or is_outside(low)
  return behaviour "wide-limits" { text = "a limit beyond the integer type saturates", strength = "soft",
    ruling = "E22", when = both(negated(is_float "InputTensor"), outside), gives = gives }
end

-- Other limits than those that saturate: a device converts both alike, if they do not fit.
local function other_limits(low, high)
  local function clipped(conversion, of_nan)
    local function limit(name)
      return choose(is_nan(cast(name)), of_nan or 0, choose(fits(truncated(name)), cast(name), conversion(name)))
    end
    return max(limit(low), high and min(g, limit(high)) or g)
  end
  local function zero() return 0 end
  local function modulo(name) return wrapped(truncated(name)) end
  -- A limit that saturates before it is converted: to the nearest FLOAT32 within a type of 32 bits or more, or to 32
  -- bits, of which a smaller type takes the lower ones.
  local function early(name)
    local is_signed = lt(lowest, 0)
    local nearest = max(lowest, min(truncated(name), largest - largest / (1 << 24)))
    local in_32_bits = max(choose(is_signed, -(1 << 31), 0), min(truncated(name), choose(is_signed, 1 << 31, 1 << 32) - 1))
    return choose(gt(largest, 1 << 16), nearest, wrapped(in_32_bits))
  end
  return saturates(low, high, { { "zero", clipped(zero) }, { "indefinite", clipped(function() return indefinite end, indefinite) },
    { "wrapped", clipped(modulo) }, { "early", clipped(early) } })
end

local passes = { { "zero", 0 }, { "passes", gradient } }
local function clip_gradient(low, high, fields)
  fields[1] = choose(either(le(x, low), ge(x, high)), 0, gradient)
  fields.nans, fields.zeros, fields.behaviours = false, "signed", fields.behaviours or {}
  table.insert(fields.behaviours, behaviour "nan" { text = "the gradient of a NaN element passes", strength = "soft",
    ruling = "E16",
    when = both(is_float "InputTensor", has_nan(x, low, high)), gives = { { "zero", 0 } } })
  ordered_limits(fields)
  table.insert(fields.behaviours, behaviour "crossed" { text = "where Min is above Max, every element is 0",
    strength = "soft",
    ruling = "E21", when = gt(low, high), gives = passes })
  return elementwise(limited(fields, true))
end

local function clips(id, type, limits, values, results)
  limits.InputTensor, limits.OutputTensor = tensor(type, values), tensor(type, results)
  return example(id) (limits)
end
local function gradients(id, limits)
  limits.InputTensor, limits.InputGradientTensor = tensor("FLOAT32", { -2, -1, 0, 2, 3 }),
    tensor("FLOAT32", { 1, 2, 3, 4, 5 })
  limits.OutputGradientTensor = tensor("FLOAT32", { 0, 0, 3, 0, 0 })
  return example(id) (limits)
end

return {
  operator "ELEMENT_WISE_CLIP" (clip(cast "Min", cast "Max", {
    behaviours = { other_limits("Min", "Max"), nan_limits("Min", "Max") },
    examples = {
      clips("sample", "FLOAT32", { Min = -2.5, Max = 2.5 }, { -4, -3, -2, -1, 0, 1, 2, 3, 4 },
        { -2.5, -2.5, -2, -1, 0, 1, 2, 2.5, 2.5 }),
      clips("cast", "INT32", { Min = -1.9, Max = 2.9 }, { -3, -1, 2, 3 }, { -1, -1, 2, 2 }),
    } })),

  operator "ELEMENT_WISE_CLIP1" (clip(attribute "Min", attribute "Max", {
    rules = {
      rule "minmax-type" { equal(attr "MinMaxDataType", data_type "OutputTensor"), page = "DML_ELEMENT_WISE_CLIP1" },
    },
    examples = {
      clips("sample", "FLOAT16", { MinMaxDataType = "FLOAT16", Min = "FLOAT16(2)", Max = "FLOAT16(4)" },
        { 1, 2, 3, 4, 5 }, { 2, 2, 3, 4, 4 }),
    } })),

  operator "ELEMENT_WISE_THRESHOLD" (clip(cast "Min", nil, {
    behaviours = { other_limits "Min", nan_limits "Min" },
    examples = { clips("floats", "FLOAT32", { Min = 0.5 }, { -1, 0.5, 2 }, { 0.5, 0.5, 2 }) } })),

  operator "ELEMENT_WISE_CLIP_GRAD" (clip_gradient(cast "Min", cast "Max", {
    behaviours = { saturates("Min", "Max", passes), nan_limits("Min", "Max", passes) },
    examples = { gradients("limits", { Min = -1, Max = 2 }) } })),

  operator "ELEMENT_WISE_CLIP_GRAD1" (clip_gradient(attribute "Min", attribute "Max", {
    rules = {
      rule "minmax-type" { equal(attr "MinMaxDataType", data_type "OutputGradientTensor"),
        page = "DML_ELEMENT_WISE_CLIP_GRAD1" },
    },
    examples = { gradients("limits", { MinMaxDataType = "FLOAT32", Min = "FLOAT32(-1)", Max = "FLOAT32(2)" }) } })),
}
