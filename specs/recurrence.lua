-- Recurrent networks. Stages hold the state after each step, how far a device may miss it, and whether a device may
-- miss it at all: with RELU and small integers, every order of arithmetic gives the same bits.

local X, W, R, B, H0, C0, L, P = "InputTensor", "WeightTensor", "RecurrenceTensor", "BiasTensor", "HiddenInitTensor",
  "CellMemInitTensor", "SequenceLengthsTensor", "PeepholeTensor"
local sequence, single, cell_single = "OutputSequenceTensor", "OutputSingleTensor", "OutputCellSingleTensor"
local direction = attr "Direction"
local K = 1 + is(direction, 2)
local steps, batch, inputs, hidden = size(X, 1), size(X, 2), size(X, 3), size(R, -1)
local u <const>, least <const>, exact <const> = 0x1p-24, 0x1p-126, 0x1p24

-- An error above all others: any value is right, a NaN, too, so activations pass it on even where they are constant.
-- `beyond`: above what a device's numbers hold.
local any <const>, open_from <const> = 0x1p1000, 0x1p900
local beyond = choose(gt(spacing_of(X, 1), 0x1p-20), 65504, 0x1.fffffep127)

-- ---- the elements of tensors and stages

local function one(tensor, at)
  return over { sizes = concat(1), fold = "sum", element(tensor), at = { [tensor] = at } }
end
local function given(tensor, formula) return choose(present(tensor), formula, 0) end

-- The coordinates of a stage {step or time, phase or gate, direction, batch element, hidden element}.
local function grid(stage_name)
  local at = place(stage_name)
  return { s = entry(at, 0), p = entry(at, 1), k = entry(at, 2), b = entry(at, 3), h = entry(at, 4),
    phase = coordinate(-4), backward = either(eq(attribute "Direction", 1), eq(coordinate(-3), 1)) }
end

-- A stage with numbers for each batch element: its length, the number of steps, the number of inputs.
local function facts()
  local b = entry(place "facts", 1)
  local function count(dimension, tensor, at)
    return part(over { sizes = concat(dimension), fold = "sum", at = { [tensor] = at }, element(tensor) }, "steps")
  end
  local t, i = entry(step(concat(steps)), 0), entry(step(concat(inputs)), 0)
  local all, kind = count(steps, X, concat(0, t, 0, 0)), coordinate(-2)
  return stage "facts" { sizes = concat(3, batch), choose(eq(kind, 2), count(inputs, X, concat(0, 0, 0, i)),
    choose(both(eq(kind, 0), present(L)), one(L, concat(0, 0, 0, b)), all)) }
end
local function fact(number, b) return one("facts", concat(number, b)) end

-- A stage with the number of elements of inputs that are not integers.
local function fractions(tensors)
  local found = 0
  for _, tensor in ipairs(tensors) do
    found = found + given(tensor, over { sizes = sizes(tensor), fold = "sum", at = { [tensor] = step(sizes(tensor)) },
      ne(element(tensor), floor(element(tensor))) })
  end
  return stage "fractions" { sizes = concat(1), found }
end

-- Stages with what each time adds to the sum of each gate, and with the magnitude of its terms.
local function products(network, name)
  local at = grid(name)
  local gates = #network.gates
  local row, i = at.p * hidden + at.h, entry(step(concat(inputs)), 0)
  local dot = over { sizes = concat(inputs), fold = "sum", element(X) * element(W),
    at = { [X] = concat(0, at.s, at.b, i), [W] = concat(0, at.k, row, i) } }
  local bias = given(B, one(B, concat(0, 0, at.k, row)))
  local second = given(B, one(B, concat(0, 0, at.k, gates * hidden + row)))
  if network.apart then second = choose(eq(at.phase, network.apart), 0, second) end
  local value = dot + bias + second
  if name == "magnitudes" then
    value = choose(either(gt(part(dot, "peak"), beyond), gt(part(dot, "infinities"), 0)), any,
      choose(gt(part(dot, "nans"), 0), 0, part(dot, "magnitude")) + abs(bias) + abs(second))
  end
  return stage(name) { sizes = concat(steps, gates, K, batch, hidden), value }
end

-- ---- numbers with errors

-- A quantity has a value `v`, the most that a device misses it by, `e`, and whether it may miss it, `i`. A stage needs
-- its values and one other part, "e" or "i", at most; an algebra leaves the other out.
local function algebra(wanted)
  local function quantity(v, e, i)
    return { v = v, e = wanted == "e" and e() or 0, i = wanted == "i" and i() or 0 }
  end
  local A = {}
  local function rounded(v, e, a, b)
    return quantity(v, function() return e() + u * abs(v) + least + choose(gt(abs(v), beyond), any, 0) end,
      function() return either(either(a.i, b.i), gt(abs(v), exact)) end)
  end
  function A.number(v) return { v = v, e = 0, i = 0 } end
  function A.sum(a, b) return rounded(a.v + b.v, function() return a.e + b.e end, a, b) end
  function A.difference(a, b) return rounded(a.v - b.v, function() return a.e + b.e end, a, b) end
  function A.product(a, b)
    local function e() return (abs(a.v) + 0x1p-100) * b.e + (abs(b.v) + 0x1p-100) * a.e + a.e * b.e end
    return rounded(a.v * b.v, e, a, b)
  end
  -- (1 - share) * a + share * b, or a + share * (b - a): both have the same share.
  function A.mixed(share, a, b)
    local value = (1 - share.v) * a.v + share.v * b.v
    local magnitude = (1 + abs(share.v)) * (abs(a.v) + abs(b.v))
    value.text = "the mixed value"
    return quantity(value, function()
      local passed = (abs(1 - share.v) + 0x1p-100) * a.e + (abs(share.v) + 0x1p-100) * b.e +
        (abs(b.v - a.v) + 0x1p-100) * share.e + share.e * (a.e + b.e)
      return passed + 4 * (u * magnitude + least) + choose(gt(magnitude, beyond), any, 0)
    end, function() return either(either(either(share.i, a.i), b.i), gt(magnitude, exact)) end)
  end
  function A.choose(when, a, b)
    return quantity(choose(when, a.v, b.v), function() return choose(when, a.e, b.e) end,
      function() return choose(when, a.i, b.i) end)
  end
  function A.clipped(a, limit, when)
    return quantity(choose(when, max(-limit, min(limit, a.v)), a.v),
      function() return choose(both(when, is_nan(a.v)), any, a.e) end,
      function() return either(a.i, both(when, ne(limit, floor(limit)))) end)
  end
  function A.activated(index, x)
    x.v.text = "x"
    local value, own, passed = listed_activation("ActivationDescs", index, x.v, x.e, u)
    value.text = "f(x)"
    return quantity(value, function()
      return choose(is_nan(x.v), choose(is_nan(value), 0, any), choose(ge(x.e, open_from), x.e, own + passed))
    end,
      function() return either(x.i, ne(own, 0)) end)
  end
  return A
end

-- ---- the state

-- A step has a phase for the sum of each gate, then the phases of the network, the last of which is the hidden state. A
-- stage of the state has these for all steps; step 0 is the initial state. `wanted`: the part of the quantities.
-- `other`: the documents leave a choice on which all later states depend, and these are the stages of the other one.
local function state(network, wanted, other)
  local function stage_of(key)
    return (other and "other " or "") .. ({ v = "state", e = "errors", i = "inexact" })[key]
  end
  local name = stage_of(wanted)
  local A, at, gates = algebra(wanted), grid(name), #network.gates
  local last = gates + #network.phases - 1
  -- Returns the quantity of a phase, a number of steps before.
  local function found(phase, before)
    local place_of = concat(at.s - before, phase, at.k, at.b, at.h)
    local function read(key) return (key == "v" or key == wanted) and one(stage_of(key), place_of) or 0 end
    return { v = read "v", e = read "e", i = read "i" }
  end
  -- The phases count from the one that reads them, `g.own`: equal distances are one fold.
  local g = { A = A, other = other }
  function g.now(phase) return found(at.p + (phase - g.own), 0) end
  function g.before(phase) return found(at.p + (phase - g.own), 1) end
  function g.input(tensor, row) return A.number(given(tensor, one(tensor, concat(0, 0, at.k, row * hidden + at.h)))) end

  local function by_time(stage_name, gate)
    local function on(time) return one(stage_name, concat(time, gate, at.k, at.b, at.h)) end
    return choose(at.backward, on(steps - at.s), on(at.s - 1))
  end
  -- Returns the sum of a row of RecurrenceTensor times the elements of a phase, plus `more`, a value with a magnitude.
  local function dot(row, phase, before, more, magnitude)
    local j = entry(step(concat(hidden)), 0)
    local function fold(key, formula)
      return over { sizes = concat(hidden), fold = "sum", formula, at = { [R] = concat(0, at.k, row, j),
        [stage_of(key)] = concat(at.s - before, phase, at.k, at.b, j) } }
    end
    local sum = fold("v", element(R) * element(stage_of "v"))
    local size_of = choose(gt(part(sum, "nans"), 0), 0, part(sum, "magnitude")) + magnitude
    local value = sum + more
    value.text = "the sum of a gate"
    return { v = value,
      e = wanted == "e" and choose(either(gt(size_of, beyond), gt(part(sum, "infinities"), 0)), any,
        (part(sum, "count") + fact(2, at.b) + 4) * (u * size_of + least) +
          fold("e", (abs(element(R)) + 0x1p-100) * element(stage_of "e"))) or 0,
      i = wanted == "i" and either(one("fractions", concat(0)), either(gt(size_of, exact),
        gt(fold("i", element(stage_of "i")), 0))) or 0 }
  end

  -- The part of the input in the sum of a gate; and the whole sum, with a phase of this step as the state.
  function g.of_input(gate)
    local size_of = by_time("magnitudes", gate)
    return { v = by_time("products", gate), e = wanted == "e" and choose(gt(size_of, beyond), any,
      (fact(2, at.b) + 4) * (u * size_of + least)) or 0,
      i = wanted == "i" and either(one("fractions", concat(0)), gt(size_of, exact)) or 0 }
  end
  function g.sum_with(gate, phase)
    local row = gate * hidden + at.h
    local own = given(B, one(B, concat(0, 0, at.k, (gates + gate) * hidden + at.h)))
    return dot(row, phase, 0, by_time("products", gate) + own, by_time("magnitudes", gate) + abs(own))
  end

  -- The sum of a gate. The sum of the gate `network.apart` leaves out the products of the input.
  local function sum_of_gate()
    local apart = network.apart and eq(at.phase, network.apart) or 0
    local own = given(B, one(B, concat(0, 0, at.k, (gates + at.p) * hidden + at.h)))
    local added, magnitude = by_time("products", at.p), by_time("magnitudes", at.p)
    if network.apart then
      added, magnitude = choose(apart, own, added), choose(apart, abs(own), magnitude)
    end
    return dot(at.p * hidden + at.h, last, 1, added, magnitude)
  end

  -- All activations are one formula, of the argument and the activation that the phase has.
  local argument, slot, result = A.number(0), 0, sum_of_gate()
  local is_activation, instead = 0, nil
  for n, phase in ipairs(network.phases) do
    g.own = gates + n - 1
    local is_this = eq(at.phase, g.own)
    local value = phase[1](g)
    if phase.slot then
      argument, slot = A.choose(is_this, value, argument), choose(is_this, phase.slot, slot)
      is_activation = either(is_activation, is_this)
      if phase.unless then
        local otherwise = phase.otherwise(g)
        local skips = both(is_this, phase.unless)
        instead = instead and A.choose(skips, otherwise, instead) or otherwise
        is_activation = both(is_activation, negated(skips))
        result = A.choose(skips, instead, result)
      end
    else
      result = A.choose(is_this, value, result)
    end
  end
  result = A.choose(is_activation, A.activated(coordinate(-3) * network.activations + slot, argument), result)
  result.v.text = "the phase's value"
  local initial = choose(eq(at.phase, last), given(H0, one(H0, concat(0, at.k, at.b, at.h))), 0)
  if network.cell then
    initial = choose(eq(at.phase, network.cell), given(C0, one(C0, concat(0, at.k, at.b, at.h))), initial)
  end
  local length, all = fact(0, at.b), fact(1, at.b)
  local time = choose(at.backward, all - coordinate(-5), coordinate(-5) - 1)
  local kept = found(at.p, 1)
  local function staged(key, new, first)
    return choose(eq(coordinate(-5), 0), first, choose(present(L), choose(ge(time, length), kept[key], new), new))
  end
  local formula
  if wanted == "e" then
    local new = max(choose(gt(abs(result.v), beyond), any, 0), max(0, result.e))
    formula = staged("e", min(new, any), choose(gt(abs(initial), beyond), any, 0))
  elseif wanted == "i" then
    formula = staged("i", result.i, one("fractions", concat(0)))
  else
    formula = staged("v", result.v, initial)
  end
  local count = steps
  if other then count, formula = steps * other.used, choose(other.when, formula, 0) end
  return stage(name) { sizes = concat(count + 1, gates + #network.phases, K, batch, hidden), formula }
end

-- ---- results

-- Returns the result of an output, and its behaviours. The output is phase `phase` of the state, after step `forward`,
-- or after step `backward` of a sequence that is read backward. `past(length)`: the condition that a sequence of this
-- length has no such step.
local function results_of(network, output_name, phase, forward, backward, past)
  local at = place(output_name)
  local k, b, h = entry(at, 1), entry(at, 2), entry(at, 3)
  local is_backward = either(eq(attribute "Direction", 1), eq(coordinate(-3), 1))
  local function read(name)
    return choose(is_backward, one(name, concat(backward, phase, k, b, h)), one(name, concat(forward, phase, k, b, h)))
  end
  local value, error, inexact_ = read "state", read "errors", read "inexact"
  value.text, error.text = "the state", "the error of the state"
  local once = choose(inexact_, error + ulp(0.5), 0)
  local found = result(output_name) { choose(past(fact(0, b)), 0, value), FLOAT32 = once,
    FLOAT16 = { soft = once, must = 0x1p11 * error + ulp(1) } }
  local suffix = ({ [sequence] = "sequence", [single] = "single", [cell_single] = "cell" })[output_name]
  local function open(id, when, ruling, text)
    return behaviour(("%s-%s"):format(id, suffix)) { of = output_name, strength = "open", ruling = ruling,
      text = text, when = when, gives = "anything" }
  end
  local choices = {
    open("length-0", eq(fact(0, b), 0), "Q2", "a length of 0 gives any value"),
    open("length-beyond", gt(fact(0, b), fact(1, b)), "Q2", "a length above that of the sequence gives any value"),
    open("range", either(ge(error, open_from), gt(abs(value), largest)), "Q4",
      "where the state, or a sum on the way to it, is beyond the type, any value is right"),
    open("nan", is_nan(value), "E25", "where a NaN contributes to the state, any value is right: an activation may make " ..
      "a number of it"),
  }
  local function choice(other, when, gives)
    choices[#choices + 1] = behaviour(("%s-%s"):format(other.id, suffix)) { of = output_name, strength = other.strength,
      ruling = other.ruling, text = other.text, when = when, gives = { { other.outcome, gives } } }
  end
  local other, unused = network.other, network.unused
  if other then
    choice(other, other.when, choose(past(fact(0, b)), 0, within(read "other state", read "other errors")))
  end
  if unused then choice(unused, unused.when(k, b), nan) end
  return found, choices
end

-- ---- rules

local function rules_of(network)
  local page, gates, count = network.page, #network.gates, network.activations
  local known = one_of(direction, { 0, 1, 2 })
  local function shaped(id, tensor, ...)
    return rule(id) { page = page, when(all_of(known, present(tensor)), equal(sizes(tensor), concat(...))) }
  end
  local function owned(tensor) return when(at_most(flags(tensor), 1), equal(flags(tensor), 0)) end
  local function each_activation(id, strength, text, condition)
    return rule(id) { strength = strength, page = page, text = text, every("ActivationDescs", condition) }
  end
  local taken, fused = recurrent_activations(), recurrent_activations(true)
  local rules = {
    rule "same-type" { same "DataType", page = page },
    rule "direction" { known, page = page },
    rule "input-sizes" { equal(size(X, 0), 1), page = page },
    rule "weight-sizes" { when(known, equal(sizes(W), concat(1, K, gates * hidden, inputs))), page = page },
    rule "recurrence-sizes" { when(known, equal(prefix(sizes(R), 3), concat(1, K, gates * hidden))), page = page },
    shaped("bias-sizes", B, 1, 1, K, 2 * gates * hidden),
    shaped("hidden-init-sizes", H0, 1, K, batch, hidden),
    rule "lengths-sizes" { when(present(L), equal(sizes(L), concat(1, 1, 1, batch))), page = page },
    shaped("sequence-sizes", sequence, steps, K, batch, hidden),
    shaped("single-sizes", single, 1, K, batch, hidden),
    rule "needs-output" { strength = "soft", ruling = "Q5", text = "at least one output must be given",
      any_of(present(sequence), present(single), network.cell and present(cell_single) or nil) },
    rule "activation-count" { when(known, equal(attr "ActivationDescCount", count * K)), page = page },
    rule "activations-given" { strength = "soft", ruling = "B10", text = "ActivationDescs must not be null",
      present "ActivationDescs" },
    each_activation("activation-type", "soft", "the activations must be ones that recurrent networks are known to take",
      function(A) return when(one_of(operator_type(A), fused), one_of(operator_type(A), taken)) end),
    each_activation("activation-other", "open", "the activations should be ones that can be fused",
      function(A) return one_of(operator_type(A), fused) end),
    each_activation("activation-desc", "soft", "the Desc of no activation may be null", has_desc),
    each_activation("activation-input-null", "soft", "the InputTensor of each activation must be null",
      function(A) return equal(member_given(A, 0), 0) end),
    each_activation("activation-output-null", "soft", "the OutputTensor of each activation must be null",
      function(A) return equal(member_given(A, 1), 0) end),
  }
  local no_owned = { page = page, text = "no input may have the flag DML_TENSOR_FLAG_OWNED_BY_DML" }
  for _, tensor in ipairs(network.inputs) do no_owned[#no_owned + 1] = owned(tensor) end
  no_owned[#no_owned + 1] = owned(L)
  rules[#rules + 1] = rule "no-owned" (no_owned)
  if network.cell then
    rules[#rules + 1] = shaped("cell-init-sizes", C0, 1, K, batch, hidden)
    rules[#rules + 1] = shaped("peephole-sizes", P, 1, 1, K, 3 * hidden)
    rules[#rules + 1] = shaped("cell-single-sizes", cell_single, 1, K, batch, hidden)
  end
  for _, more in ipairs(network.rules or {}) do rules[#rules + 1] = more end
  return rules
end

-- ---- situations

local function situations_of(network)
  local both_ways, ahead, back = { equal(direction, 2) }, { equal(direction, 0) }, { equal(direction, 1) }
  local several = { at_least(steps, 3), at_least(batch, 2), at_least(hidden, 2) }
  local function of(id, text, ...) return situation(id) { text = text, ... } end
  local function lengths(id, text, word, ...)
    return situation(id) { text = text, indices = word, present(L), several, present(sequence), ... }
  end
  local function alone(id, given_, ...)
    return situation(id) { text = given_ .. " is the only output", present(given_), several, ... }
  end
  local function apart(tensor, kind, text, ...)
    return situation(("%s-%s"):format(tensor, kind)) { text = tensor .. text, several, at_least(inputs, 2), ...,
      strides = { [tensor] = kind } }
  end
  local reordered = " has its dimensions in another order in memory"
  return {
    of("ahead", "the sequence is read from its begin", ahead, several),
    of("back", "the sequence is read from its end", back, several),
    of("both-ways", "the sequence is read in both directions", both_ways, several),
    of("one-step", "there is one step", equal(steps, 1), both_ways, at_least(hidden, 2)),
    of("many-steps", "there are more than 32 steps", at_least(steps, 33), at_least(hidden, 2)),
    of("one-hidden", "there is one hidden element", equal(hidden, 1), at_least(steps, 3), at_least(inputs, 2)),
    of("hidden-past-tile", "there are more than 32 hidden elements", at_least(hidden, 33), at_least(steps, 2)),
    of("hidden-prime", "there are 17 hidden elements and 19 inputs", equal(hidden, 17), equal(inputs, 19),
      at_least(steps, 2)),
    of("inputs-past-256", "there are more than 256 inputs", at_least(inputs, 257), at_least(steps, 2)),
    of("batch-past-tile", "there are more than 32 batch elements", at_least(batch, 33), at_least(steps, 2)),
    lengths("lengths-ahead", "sequences have lengths of their own", "each", ahead),
    lengths("lengths-back", "sequences that are read from their end have lengths of their own", "each", back),
    lengths("lengths-both-ways", "sequences that are read in both directions have lengths of their own", "each",
      both_ways),
    lengths("lengths-whole", "all sequences are as long as the input", "last"),
    lengths("lengths-descending", "the lengths descend", "descending", present(single)),
    lengths("lengths-any-initial", "sequences with an initial state have any length", "any", both_ways, present(H0),
      present(single)),
    alone("sequence-alone", sequence, absent(single), network.cell and absent(cell_single) or nil),
    alone("single-alone", single, absent(sequence), network.cell and absent(cell_single) or nil),
    of("outputs-together", "all outputs are given", both_ways, several, present(sequence), present(single),
      network.cell and present(cell_single) or nil),
    of("nothing-optional", "no optional input is given", several, absent(B), absent(H0), absent(L),
      network.cell and { absent(C0), absent(P) } or nil),
    of("everything-optional", "all optional inputs are given", both_ways, several, present(B), present(H0), present(L),
      network.cell and { present(C0), present(P) } or nil),
    of("bias-alone", "BiasTensor is the only optional input", several, both_ways, present(B), absent(H0), absent(L),
      network.cell and { absent(C0), absent(P) } or nil),
    situation "units" { text = "the magnitudes of all elements are 1 or 2, so that sums are exact", fill = "units",
      several, at_least(inputs, 2) },
    situation "zeros" { text = "all elements are 0", fill = "zero", several },
    situation "not-finite" { text = "some elements are NaNs or infinities", fill = "not-finite", several },
    apart(X, "permuted", reordered), apart(X, "padded", " has gaps between its rows"),
    apart(X, "broadcast", " repeats elements"),
    apart(W, "permuted", reordered, both_ways), apart(R, "permuted", reordered, both_ways),
    apart(R, "broadcast", " repeats elements"),
    apart(sequence, "permuted", reordered, both_ways), apart(single, "padded", " has gaps between its rows"),
    network.situations and network.situations(several, both_ways) or {},
  }
end

-- ---- operators

local function join(all)
  local found = {}
  for _, list_of in ipairs(all) do
    for _, one_of_it in ipairs(list_of) do found[#found + 1] = one_of_it end
  end
  return found
end

local function recurrent(name, network)
  network.name = name
  local last = #network.gates + #network.phases - 1
  network.page = "DML_" .. network.name
  local t = entry(place(sequence), 0)
  local function never() return 0 end
  local time = coordinate(-4)
  local function is_past(length) return ge(time, length) end
  local of_sequence, choices = results_of(network, sequence, last, t + 1, steps - t, is_past)
  local after = steps + entry(place(single), 0)
  local of_single, more = results_of(network, single, last, after, after, never)
  local results, behaviours = { of_sequence, of_single }, join { network.behaviours, choices, more }
  if network.cell then
    after = steps + entry(place(cell_single), 0)
    results[3], more = results_of(network, cell_single, network.cell, after, after, never)
    behaviours = join { behaviours, more }
  end
  behaviours[#behaviours + 1] = behaviour "past-length" { of = sequence, strength = "open", ruling = "Q3",
    text = "elements of OutputSequenceTensor past the length of a sequence have any value",
    when = ge(time, fact(0, entry(place(sequence), 2))), gives = "anything" }
  behaviours[#behaviours + 1] = behaviour "denormals" { text = "denormals are not flushed to zero", strength = "soft",
    ruling = "E7" }
  local domains = { [X] = { -1, 1 }, [W] = { -0.5, 0.5 }, [R] = { -0.25, 0.25 }, [B] = { -1, 1 }, [H0] = { -1, 1 } }
  if network.cell then domains[C0], domains[P], domains.ClipThreshold = { -1, 1 }, { -0.5, 0.5 }, { 0.25, 4 } end
  local stages = { facts(), fractions(network.inputs), products(network, "products"), products(network, "magnitudes"),
    state(network, "v"), state(network, "e"), state(network, "i") }
  if network.other then
    stages[#stages + 1] = state(network, "v", network.other)
    stages[#stages + 1] = state(network, "e", network.other)
  end
  return operator(network.name) {
    groups = { "data", "lengths" },
    parameters = { { "d", dims(X) } },
    rules = rules_of(network),
    situations = situations_of(network),
    indices = { index(L) { into = concat(steps + 1) } },
    stages = stages,
    results = results,
    behaviours = behaviours,
    domains = domains,
    examples = network.examples,
  }
end

local function floats(sizes_of, values) return { "FLOAT32", sizes_of, values } end
local function lengths_of(...) return { "UINT32", { 1, 1, 1, select("#", ...) }, { ... } } end

-- ---- RNN

local function rnn_example(id, direction_of, values, last_values, lengths)
  return example(id) { ruling = "E12", Direction = direction_of, ActivationDescCount = 1,
    ActivationDescs = "[ACTIVATION_RELU()]", [X] = floats({ 1, 3, 1, 2 }, { 1, 2, 3, -1, 0, 1 }),
    [W] = floats({ 1, 1, 2, 2 }, { 1, 0, -1, 2 }), [R] = floats({ 1, 1, 2, 2 }, { 0, 1, 1, 0 }),
    [B] = floats({ 1, 1, 1, 4 }, { 1, 0, 0, -1 }), [L] = lengths,
    [sequence] = values and floats({ 3, 1, 1, 2 }, values), [single] = floats({ 1, 1, 1, 2 }, last_values) }
end

local rnn = {
  gates = { "h" }, activations = 1, inputs = { X, W, R, B, H0 },
  phases = { { slot = 0, function(g) return g.now(0) end } },
  behaviours = {
    behaviour "recurs" { page = "DML_RNN", ruling = "Q1",
      text = "the state after each step is f(W * x + Wb + R * state + Rb)" },
  },
  examples = {
    rnn_example("forward", 0, { 2, 2, 6, 0, 1, 7 }, { 1, 7 }),
    rnn_example("backward", 1, { 2, 7, 5, 0, 1, 1 }, { 2, 7 }),
    rnn_example("backward-shorter", 1, nil, { 2, 6 }, lengths_of(2)),
  },
}

-- ---- GRU

-- The phases: the sums of the gates z, r and h, the last of them apart; z, r, r times the state before, the candidate,
-- the state.
local function gru_candidate(g)
  local A = g.A
  return A.choose(attribute "LinearBeforeReset", A.sum(g.of_input(2), A.product(g.now(4), g.now(2))), g.sum_with(2, 5))
end

local function gru_situations(several, both_ways)
  local linear, plain = { equal(attr "LinearBeforeReset", 1) }, { equal(attr "LinearBeforeReset", 0) }
  local many = { at_least(steps, 3), at_least(hidden, 33) }
  local function activated(n, name) return one_of(operator_type(("ActivationDescs[%d]"):format(n)),
    { operator_number("ACTIVATION_" .. name) }) end
  local usual = { activated(0, "SIGMOID"), activated(1, "TANH") }
  local function of(id, text, ...) return situation(id) { text = text, ... } end
  return {
    of("reset-after", "r multiplies the product with the state and its bias", linear, several, present(B), present(H0)),
    of("reset-before", "r multiplies the state before the product", plain, several, present(B), present(H0)),
    of("reset-after-no-bias", "r multiplies the product with the state, without a bias", linear, several, absent(B),
      present(H0)),
    of("reset-before-no-bias", "r multiplies the state, and there is no bias", plain, several, absent(B), present(H0)),
    of("reset-after-both-ways", "r multiplies products with the state in both directions", linear, both_ways, several,
      present(B)),
    of("reset-before-past-tile", "r multiplies more than 32 elements of the state", plain, many),
    of("reset-after-past-tile", "r multiplies more than 32 products with the state", linear, many),
    of("first-step", "there is one step, without an initial state", equal(steps, 1), absent(H0), present(B),
      at_least(hidden, 2)),
    of("first-step-initial", "there is one step, with an initial state", equal(steps, 1), present(H0), plain,
      at_least(hidden, 2)),
    of("usual", "the activations are SIGMOID and TANH", usual, several),
    of("usual-both-ways", "the activations are SIGMOID and TANH, in both directions", both_ways, usual,
      activated(2, "SIGMOID"), activated(3, "TANH"), several, present(H0)),
    of("activations-by-direction", "the directions have different activations", both_ways, usual,
      activated(2, "HARD_SIGMOID"), activated(3, "RELU"), several),
    of("exchanged", "the first activation is TANH, the second one SIGMOID", activated(0, "TANH"),
      activated(1, "SIGMOID"), several),
    situation "exact" { text = "the activations are RELU and the elements 1 or 2, so that results are exact",
      activated(0, "RELU"), activated(1, "RELU"), fill = "units", equal(steps, 2), equal(hidden, 2), equal(inputs, 2),
      absent(L), present(B), plain },
    situation "exact-reset-after" { text = "results are exact, and r multiplies the product", activated(0, "RELU"),
      activated(1, "RELU"), fill = "units", equal(steps, 2), equal(hidden, 2), equal(inputs, 2), absent(L), present(B),
      linear },
    situation("linear-lengths") { text = "sequences have lengths of their own, and r multiplies the product",
      indices = "each", present(L), linear, both_ways, several, present(sequence), present(single) },
  }
end

local function gru_example(id, linear, direction_of, activations, values)
  return example(id) { ruling = "E12", Direction = direction_of, LinearBeforeReset = linear, ActivationDescCount = 2,
    ActivationDescs = activations, [X] = floats({ 1, 2, 1, 1 }, { 1, 2 }),
    [W] = floats({ 1, 1, 3, 1 }, { 0.25, 0.5, 1 }), [R] = floats({ 1, 1, 3, 1 }, { 0.125, 1, -1 }),
    [B] = floats({ 1, 1, 1, 6 }, { 0, 0, 1, 0, 0, 0.5 }), [H0] = floats({ 1, 1, 1, 1 }, { 2 }),
    [sequence] = floats({ 2, 1, 1, 1 }, values) }
end

local two_relus <const>, sigmoid_tanh <const> = "[ACTIVATION_RELU(),ACTIVATION_RELU()]",
  "[ACTIVATION_SIGMOID(),ACTIVATION_TANH()]"

local gru = {
  gates = { "z", "r", "h" }, activations = 2, inputs = { X, W, R, B, H0 }, apart = 2,
  phases = {
    { slot = 0, function(g) return g.now(0) end },
    { slot = 0, function(g) return g.now(1) end },
    { function(g) return g.A.product(g.now(4), g.before(7)) end },
    { slot = 1, gru_candidate },
    { function(g) return g.A.mixed(g.now(3), g.now(6), g.before(7)) end },
  },
  situations = gru_situations,
  behaviours = {
    behaviour "recurs" { page = "DML_GRU", ruling = "Q1",
      text = "the state after each step is (1 - z) * n + z * state, where z and r are f(W * x + Wb + R * state + " ..
        "Rb) of their rows, and n is g(W * x + Wb + R * (r * state) + Rb)" },
    behaviour "resets-after" { page = "DML_GRU", ruling = "Q1",
      text = "if LinearBeforeReset is true, n is g(W * x + Wb + r * (R * state + Rb))" },
  },
  examples = {
    gru_example("reset-before", false, 0, two_relus, { 1, 1.1875 }),
    gru_example("reset-after", true, 0, two_relus, { 1, 1.375 }),
    gru_example("reset-after-backward", true, 1, two_relus, { 0.65625, 1.5 }),
    gru_example("usual", false, 0, sigmoid_tanh, { 1.461183, 1.297456 }),
    gru_example("usual-reset-after", true, 0, sigmoid_tanh, { 1.451353, 1.290258 }),
  },
}

-- ---- LSTM

-- The phases: the sums of the gates i, o, f and c; i, e, c, the cell, o, h of the cell, the state.
local clips <const>, couples <const> = attribute "UseClipThreshold", attribute "CoupleInputForget"

local function clipped(g, x) return g.A.clipped(x, attribute "ClipThreshold", clips) end

-- Returns the operand of a gate's activation: the sum and, if there are peepholes, a row of them times a cell.
local function with_peephole(g, gate, row, cell)
  local A, sum = g.A, g.now(gate)
  return clipped(g, A.choose(present(P), A.sum(sum, A.product(g.input(P, row), cell)), sum))
end

-- Returns the condition that, in some step, the operand of f has a NaN or an infinite peephole for some hidden element.
local function forgets_nan(k, b)
  local at = step(concat(steps, hidden))
  local sums = over { sizes = concat(steps, hidden), fold = "sum", element "state",
    at = { state = concat(1 + entry(at, 0), 2, k, b, entry(at, 1)) } }
  local peepholes = over { sizes = concat(hidden), fold = "sum", element(P),
    at = { [P] = concat(0, 0, k, 2 * hidden + entry(step(concat(hidden)), 0)) } }
  return both(couples, gt(part(sums, "nans") + part(peepholes, "nans") + part(peepholes, "infinities"), 0))
end

local function lstm_situations(several, both_ways)
  local clip, free = { equal(attr "UseClipThreshold", 1) }, { equal(attr "UseClipThreshold", 0) }
  local coupled, apart = { equal(attr "CoupleInputForget", 1) }, { equal(attr "CoupleInputForget", 0) }
  local function activated(n, name) return one_of(operator_type(("ActivationDescs[%d]"):format(n)),
    { operator_number("ACTIVATION_" .. name) }) end
  local usual = { activated(0, "SIGMOID"), activated(1, "TANH"), activated(2, "TANH") }
  local usual_back = { activated(3, "SIGMOID"), activated(4, "TANH"), activated(5, "TANH") }
  local relus = { activated(0, "RELU"), activated(1, "RELU"), activated(2, "RELU") }
  local small = { equal(hidden, 2), equal(inputs, 2), absent(L), present(B) }
  local function of(id, text, ...) return situation(id) { text = text, ... } end
  local function limited(id, text, limit, ...)
    return situation(id) { text = text, values = { ClipThreshold = limit }, clip, ... }
  end
  return {
    of("cell-alone", "OutputCellSingleTensor is the only output", present(cell_single), absent(sequence),
      absent(single), several),
    of("cell-init-alone", "CellMemInitTensor is the only initial state", several, both_ways, present(C0), absent(H0)),
    of("hidden-init-alone", "HiddenInitTensor is the only initial state", several, present(H0), absent(C0)),
    of("peephole", "there are peepholes", several, usual, present(P), present(C0), free, apart),
    of("peephole-both-ways", "both directions have peepholes", both_ways, several, present(P), present(C0)),
    of("peephole-clipped", "sums with peepholes are clipped", several, usual, present(P), present(C0), clip),
    of("peephole-coupled", "there are peepholes, and the gates are coupled", several, usual, present(P), present(C0),
      coupled),
    of("peephole-past-tile", "more than 32 hidden elements have peepholes", at_least(steps, 2), at_least(hidden, 33),
      present(P)),
    of("coupled", "the gates of input and forgetting are coupled", several, usual, coupled, free, absent(P)),
    of("coupled-both-ways", "the gates are coupled in both directions", both_ways, several, coupled, present(C0)),
    of("apart", "the gates of input and forgetting are apart", several, usual, apart, free, absent(P)),
    limited("clipped-narrowly", "ClipThreshold is 0.25", 0.25, several, usual, apart),
    limited("clipped-zero", "ClipThreshold is 0", 0.0, several),
    limited("clipped-widely", "ClipThreshold is infinite", 1 / 0, several),
    limited("clipped-both-ways", "both directions are clipped", 0.5, both_ways, several, usual, usual_back),
    situation "not-clipped" { text = "UseClipThreshold is false, and ClipThreshold is 0.125", free, several, usual,
      values = { ClipThreshold = 0.125 } },
    of("cell-with-lengths", "sequences have lengths of their own, and the last cell is an output", both_ways, several,
      present(L), present(cell_single), present(C0)),
    of("first-step", "there is one step, without an initial state", equal(steps, 1), absent(H0), absent(C0),
      present(B), at_least(hidden, 2)),
    of("first-step-initial", "there is one step, with an initial state", equal(steps, 1), present(H0), present(C0),
      at_least(hidden, 2), apart),
    of("usual", "the activations are SIGMOID, TANH and TANH", usual, several, free),
    of("usual-both-ways", "the activations are SIGMOID, TANH and TANH, in both directions", both_ways, usual,
      usual_back, several, present(H0), present(C0)),
    of("activations-by-direction", "the directions have different activations", both_ways, usual,
      activated(3, "HARD_SIGMOID"), activated(4, "SOFTSIGN"), activated(5, "RELU"), several),
    of("exchanged", "f is TANH, g is SIGMOID, h is RELU", activated(0, "TANH"), activated(1, "SIGMOID"),
      activated(2, "RELU"), several),
    situation "exact" { text = "the activations are RELU and the elements 1 or 2, so that results are exact",
      relus, fill = "units", equal(steps, 1), small, free },
    situation "exact-clipped" { text = "results are exact, and ClipThreshold is 2", relus, fill = "units",
      equal(steps, 4), small, clip, values = { ClipThreshold = 2.0 } },
    situation "coupled-not-finite" { text = "some elements are NaNs or infinities, and the gates are coupled",
      fill = "not-finite", several, coupled },
  }
end

local function lstm_example(id, values, last_cell, more)
  local case = { ruling = "E12", Direction = 0, ClipThreshold = 0, UseClipThreshold = false, CoupleInputForget = false,
    ActivationDescCount = 3, ActivationDescs = "[ACTIVATION_RELU(),ACTIVATION_RELU(),ACTIVATION_RELU()]",
    [X] = floats({ 1, 2, 1, 1 }, { 1, 2 }), [W] = floats({ 1, 1, 4, 1 }, { 1, 2, 0.5, 3 }),
    [R] = floats({ 1, 1, 4, 1 }, { 0.5, -0.25, 0.25, -1 }),
    [B] = floats({ 1, 1, 1, 8 }, { 0, 1, 0, -1, 0.5, 0, 0, 0 }), [H0] = floats({ 1, 1, 1, 1 }, { 1 }),
    [C0] = floats({ 1, 1, 1, 1 }, { 2 }), [sequence] = floats({ 2, 1, 1, 1 }, values),
    [cell_single] = floats({ 1, 1, 1, 1 }, { last_cell }) }
  for name, value in pairs(more) do case[name] = value end
  return example(id) (case)
end

local lstm = {
  gates = { "i", "o", "f", "c" }, activations = 3, inputs = { X, W, R, B, H0, C0, P }, cell = 7,
  phases = {
    { slot = 0, function(g) return with_peephole(g, 0, 0, g.before(7)) end },
    { slot = 0, function(g) return with_peephole(g, 2, 2, g.before(7)) end, unless = couples,
      otherwise = function(g) return g.A.difference(g.A.number(1), g.now(4)) end },
    { slot = 1, function(g) return clipped(g, g.now(3)) end },
    { function(g) return g.A.sum(g.A.product(g.now(5), g.before(7)), g.A.product(g.now(4), g.now(6))) end },
    { slot = 0, function(g) return with_peephole(g, 1, 1, g.now(7)) end },
    { slot = 2, function(g) return g.other and clipped(g, g.now(7)) or g.now(7) end },
    { function(g) return g.A.product(g.now(8), g.now(9)) end },
  },
  other = { id = "clips-h", used = 1 - is(attr "UseClipThreshold", 0), when = clips, outcome = "clipped",
    strength = "open", ruling = "Q6", text = "if UseClipThreshold is true, what h takes may be limited, too" },
  unused = { id = "couples-nan", when = forgets_nan, outcome = "NaN", strength = "soft", ruling = "Q7",
    text = "if CoupleInputForget is true, the gate f takes no part, even if it is a NaN" },
  rules = {
    rule "clip" { when(at_least(attr "UseClipThreshold", 1), at_least(attr "ClipThreshold", 0.0)), strength = "soft",
      ruling = "Q6", text = "if UseClipThreshold is true, ClipThreshold must be at least 0" },
  },
  situations = lstm_situations,
  behaviours = {
    behaviour "recurs" { page = "DML_LSTM", ruling = "Q1",
      text = "the cell after each step is e * cell + i * c, and the state is o * h(cell), where i, o and e are f(W * " ..
        "x + Wb + R * state + Rb + P * cell) of their rows, o of the new cell, and c is g(W * x + Wb + R * state + Rb)" },
    behaviour "clips" { page = "DML_LSTM", ruling = "Q6",
      text = "if UseClipThreshold is true, what f and g take is limited to -ClipThreshold to ClipThreshold" },
    behaviour "couples" { page = "DML_LSTM", ruling = "Q7", text = "if CoupleInputForget is true, e is 1 - i" },
  },
  examples = {
    lstm_example("plain", { 9.625, 30.92236328125 }, 11.921875, {}),
    lstm_example("peephole", { 39, 2853.017578125 }, 80.4375, { [P] = floats({ 1, 1, 1, 3 }, { 1, 0.5, 0.25 }) }),
    lstm_example("coupled", { 0, 62.5 }, 12.5, { CoupleInputForget = true }),
    lstm_example("clipped", { 4.5, 7.875 }, 5.25, { ClipThreshold = 1.5, UseClipThreshold = true }),
    lstm_example("backward", { 0, 68.875 }, 256.921875, { Direction = 1, [single] = floats({ 1, 1, 1, 1 }, { 0 }) }),
    lstm_example("usual", { 0.907986, 0.978836 }, 2.519061,
      { ActivationDescs = "[ACTIVATION_SIGMOID(),ACTIVATION_TANH(),ACTIVATION_TANH()]" }),
  },
}

return { define("RNN", recurrent, rnn), define("GRU", recurrent, gru), define("LSTM", recurrent, lstm) }
