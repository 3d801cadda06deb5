-- The error that a device makes while it computes a formula step by step, as another formula: each operation rounds, and
-- passes on the errors of its operands. This file runs after the words of formulas, and adds to them.

local words = ...

local abs, max, choose, part = words.abs, words.max, words.choose, words.part

-- An error of `node` is `k` unit roundoffs of its value, and `more`, a number or a formula; nil: 0. An exact node has neither.
local exact <const> = { k = 0 }

-- Roundings of an operation, two to the ULP: Vulkan allows 2.5 ULP for a quotient, and a root may be its inverse's.
local ROUNDINGS <const> = { add = 1, sub = 1, mul = 1, div = 5, sqrt = 7 }

-- Products of errors are below this share: only a sum has many roundings, and no such products (Jeannerod and Rump).
local SLACK <const> = 1 + 0x1p-6

local plain = {}
for op in string.gmatch("const element output number coordinate present is_float attribute bias cast truncated floored " ..
  "entry nested member least_of greatest_of largest lowest smallest_normal roundoff result", "%S+") do
  plain[op] = true
end

local conditions = {}
for op in string.gmatch("lt le eq ne both either negated", "%S+") do conditions[op] = true end

local function sum_of(a, b) return a and b and a + b or a or b end

-- A constant is a power of two: products with it are exact.
local function is_power(node)
  local size = node.op == "const" and math.abs(node.value) or 0
  return size >= 0x1p-14 and size <= 0x1p15 and math.log(size, 2) % 1 == 0
end

local function is_exact(e) return e.k == 0 and not e.more end

-- Returns a function of a node that gives its error in arithmetic with unit roundoff `u`.
local function errors_in(u)
  local half, known, of = u > 0x1p-20, {}, {}
  local bits, least = half and 11 or 24, half and 0x1p-14 or 0x1p-126

  local function error_of(node)
    local found = known[node]
    if found then return found end
    local op = of[node.op]
    if plain[node.op] then
      found = exact
    elseif conditions[node.op] then -- a condition of inexact numbers may be true or false
      local a, b = error_of(node.a), node.b and error_of(node.b) or exact
      found = is_exact(a) and is_exact(b) and exact or { k = 0, more = 1 }
    elseif op then
      found = op(node)
    else
      error(("carried: no bound for '%s'"):format(node.op), 0)
    end
    known[node] = found
    return found
  end

  -- The whole error of a node: a number, a formula, or nil.
  local function whole(node)
    local e = error_of(node)
    return sum_of(e.k ~= 0 and e.k * u * abs(node) or nil, e.more)
  end

  local function of_sum(node)
    return { k = ROUNDINGS[node.op], more = sum_of(whole(node.a), whole(node.b)) }
  end
  of.add, of.sub = of_sum, of_sum

  function of.neg(node) return error_of(node.a) end
  function of.is_nan() return exact end -- rounding makes no NaN
  of.abs, of.is_inf = of.neg, of.is_nan

  function of.mul(node)
    local a, b = error_of(node.a), error_of(node.b)
    local factor, other = node.a, b
    if is_power(node.b) then factor, other = node.b, a end
    if is_power(factor) then return { k = other.k, more = other.more and abs(factor) * other.more } end
    local more = sum_of(a.more and a.more * abs(node.b), b.more and b.more * abs(node.a))
    if a.more and b.more then more = more + a.more * b.more end
    return { k = a.k + b.k + ROUNDINGS.mul, more = sum_of(more, least) }
  end

  -- A divisor that may be 0 gives any value.
  function of.div(node)
    local a, by = error_of(node.a), whole(node.b)
    local more
    if by then
      local rest = abs(node.b) - by
      more = choose(words.gt(rest, 0), sum_of(a.more, by * abs(node)) / rest, words.largest)
    elseif a.more then
      more = a.more / abs(node.b)
    end
    return { k = a.k + ROUNDINGS.div, more = sum_of(more, least) }
  end

  -- The roots of a and b differ by (a - b) / (root(a) + root(b)).
  function of.sqrt(node)
    local error = whole(node.a)
    local more = error and choose(words.gt(error, 0),
      error / (words.sqrt(max(node.a, 0)) + words.sqrt(max(node.a - error, 0))), 0)
    return { k = ROUNDINGS.sqrt, more = more and choose(words.lt(more, words.inf), more, words.sqrt(error)) }
  end

  local function of_extreme(node)
    local a, b = whole(node.a), whole(node.b)
    return { k = 0, more = a and b and max(a, b) or a or b }
  end
  of.min, of.max = of_extreme, of_extreme

  of["choose"] = function(node)
    local b, c = whole(node.b), whole(node.c)
    if is_exact(error_of(node.a)) then
      return { k = 0, more = (b or c) and choose(node.a, b or 0, c or 0) }
    end
    return { k = 0, more = sum_of(abs(node.b - node.c), b and c and max(b, c) or b or c) }
  end

  -- A sum of n elements rounds n - 1 times in any order: each time by at most the sum of magnitudes.
  function of.fold(node)
    local fold, kind = node.fold, node.fold.fold
    if node.value ~= 0 then
      for _, name in ipairs { "count", "steps" } do
        if part(node, name).value == node.value then return exact end
      end
      error(("carried: no bound for the %s"):format(node.text), 0)
    end
    local step = error_of(fold[1])
    local function over(formula)
      local copy = {}
      for key, value in pairs(fold) do copy[key] = value end
      copy[1] = formula
      return words.over(copy)
    end
    if kind ~= "sum" then
      if is_exact(step) then return exact end
      error(("carried: no bound for a %s of inexact elements"):format(kind), 0)
    end
    local roundings = (part(node, "count") - 1 + step.k) * u * part(node, "magnitude")
    if is_exact(step) then return { k = 0, more = choose(words.inexact(node, bits), roundings, 0) } end
    local of_steps
    if type(step.more) == "number" then
      of_steps = part(node, "count") * step.more
    elseif step.more then
      of_steps = over(step.more)
    end
    return { k = 0, more = sum_of(max(roundings, 0), of_steps) }
  end

  return whole
end

-- Returns a bound on the error of a device that computes the formula with unit roundoff `u` in each step, whatever the
-- order of sums. Elements and attributes are exact.
function words.carried(formula, u)
  local found = errors_in(u)(formula)
  return found and SLACK * found or 0
end
