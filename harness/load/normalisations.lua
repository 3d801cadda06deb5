-- The common parts of normalisations: the statistics of a slice, the normalised elements, and the errors of both. This
-- file runs after the words of formulas and activations, and adds to them.

local words = ...

local abs, max, choose, both, either, part = words.abs, words.max, words.choose, words.both, words.either, words.part
local named = words.named

local largest_single = 0x1.fffffep127

-- Numbers below this may count as 0 in arithmetic with this unit roundoff.
local function least_of(u) return u > 0x1p-20 and 0x1p-14 or 0x1p-126 end

local function sum_of(...)
  local sum
  for _, one in ipairs { ... } do if one then sum = sum and sum + one or one end end
  return sum
end

-- Returns the mean, the variance and other statistics of `x`. `fold` is a function of a kind of fold and a formula.
-- `centred`: a condition without which the mean counts as 0; nil: always.
function words.statistics(x, fold, centred)
  local sum = fold("sum", x)
  local count = named(part(sum, "count"), "count")
  local mean = named(centred and choose(centred, sum / count, 0) or sum / count, "mean")
  local variance = named(fold("sum", (x - mean) * (x - mean)) / count, "variance")
  return {
    sum = sum, count = count, mean = mean, variance = variance,
    size = part(sum, "magnitude") / count,     -- the mean of absolute values
    square = variance + mean * mean,           -- the mean of the squares
    single = words.eq(part(sum, "steps"), 1),  -- the slice has one element
  }
end

-- A condition that sums or squares of a slice are beyond the type, so that results of them may be, too.
local function overflows(of) return words.gt(max(part(of.sum, "magnitude"), of.count * of.square), words.largest) end

-- Returns the root that divides: of a variance and Epsilon together. `error(u)` is a bound on the relative error of its
-- inverse, beyond some roundings; `output`: the output of the behaviour, if there are several. In FLOAT16, a device may
-- round Epsilon first, at most to infinity, and the inverse may become 0.
function words.root_of(variance, epsilon, output, id)
  local exact, rounded = words.attribute(epsilon), words.cast(epsilon)
  local under = named(variance + exact, "stabilised")
  local moved = abs(rounded - exact) / under
  moved = choose(words.gt(rounded, exact), words.min(moved, 1), moved)
  return {
    under = under, root = named(words.sqrt(under), "root"),
    error = function(u)
      return moved + (u * max(0, abs(variance) + abs(exact) - under) + least_of(u)) / under
    end,
    vanishes = words.behaviour(id or "no-variance") {
      strength = "open", ruling = "N21", of = output, gives = "anything",
      text = "where variance and Epsilon together are 0 or below, or finite but beyond FLOAT32, any value is right",
      when = either(words.negated(words.gt(variance + rounded, 0x1p-126)),
        both(words.gt(under, largest_single), words.lt(under, words.inf))) },
  }
end

-- Returns a behaviour for elements whose product, in some order, or sum may be beyond the type. Infinities are
-- excluded, unless `also`, a condition, holds.
function words.may_overflow(id, product, output, also)
  local finite = words.lt(product, words.inf)
  return words.behaviour(id) { text = "where sums or products may be beyond the type on the way, any value is right",
    strength = "open", ruling = "N20", of = output, gives = "anything",
    when = both(words.gt(product, words.largest), also and either(finite, also) or finite) }
end

-- Returns a behaviour for elements with an infinite product, since an operand is infinite: the order decides which
-- infinity, or NaN, is the result.
function words.infinities(id, product, output)
  return words.behaviour(id) { strength = "open", ruling = "N20",
    text = "where infinities take part, either infinity or a NaN is right, as the order decides",
    of = output, when = words.is_inf(product),
    gives = { { "infinity", words.inf }, { "negative", -words.inf }, { "undefined", words.nan } } }
end

-- Returns the value of a normalised element, its bounds, and the behaviours that leave a choice. `slice`: statistics of
-- `x`. `divided`: a condition without which no element is divided; nil: always. `centred`: as above. `epsilon`: the
-- name of the attribute. `scale`, `bias` and perhaps `added`: formulas. `output`: if there are several. `single`: for a
-- slice of one element, any value gets a warning; otherwise a NaN is right.
function words.normalised(of)
  local x, slice, scale, bias = of.x, of.slice, of.scale, of.bias
  local by = words.root_of(slice.variance, of.epsilon, of.output)
  local function where_divided(formula) return of.divided and choose(of.divided, formula, 0) or formula end
  local function where_centred(formula) return of.centred and choose(of.centred, formula, 0) or formula end
  local root = of.divided and choose(of.divided, by.root, 1) or by.root
  local centre = x - slice.mean
  local value = named(sum_of(scale * centre / root, bias, of.added), "normalised")
  local function bound(u, e)
    local g = (slice.count + 4) * u
    local of_mean = where_centred(g * (slice.size + abs(x)))
    local of_root = where_divided(2 * g * slice.square / by.under + by.error(u))
    return abs(scale) / root * (of_mean + abs(centre) * (of_root + 10 * u + e.sqrt) + least_of(u)) + least_of(u) / root
      + 2 * u * sum_of(abs(bias), abs(value), of.added and abs(of.added))
  end
  local flushed = max(1, abs(x))
  local function hard(u) return bound(u, words.function_errors(u, true)) end
  local narrow, wide = hard(0x1p-24), hard(0x1p-11)

  local product = abs(scale) * (1 + abs(x) + abs(slice.mean)) * max(1, 1 / root)
  local negative = words.ge(2 * (slice.count + 4) * words.u * slice.square, by.under)
  local varies = words.gt(slice.variance, slice.square * 0x1p-40)
  -- A variance computed from sums of squares is anything from 0, or below, to its value and the errors of both squares.
  -- The sign of the centred element stays, unless the mean's error is larger than the element.
  local lost = 2 * (slice.count + 4) * words.u * slice.square
  local most = abs(by.under) + lost
  local magnified = choose(words.le(abs(centre), 2 * (slice.count + 4) * words.u * (slice.size + abs(x))),
    words.within(0, 0x1p129), centre / words.sqrt(words.within(most, most)))
  local behaviour = words.behaviour
  by.vanishes.when = where_divided(by.vanishes.when)
  return {
    value = value, tolerance = words.composite(bound, flushed),
    -- the error before an activation: FLOAT16 arithmetic is allowed for FLOAT16
    error = choose(words.gt(words.u, 0x1p-20), max(narrow + words.spacing(value), wide), narrow)
      + words.smallest_normal * flushed,
    behaviours = {
      behaviour "overflow" { strength = "open", ruling = "N20", of = of.output, gives = "anything",
        text = "where sums, sums of squares or products may be beyond the type, any value is right",
        when = either(overflows(slice), words.gt(product, words.largest)) },
      by.vanishes,
      behaviour "cancellation" { text = "the variance may not be lost in the square of the mean", strength = "soft",
        ruling = "N22", of = of.output, when = where_centred(where_divided(both(varies, negative))),
        gives = { { "magnified", words.activated(sum_of(scale * magnified, bias, of.added)) },
          { "undefined", words.activated(words.nan) } } },
      behaviour "single" { text = of.single and "a slice of one element has a variance of 0" or
        "a slice of one element may give a NaN", strength = of.single and "soft" or "open", ruling = "N23",
        of = of.output, when = slice.single, gives = { { "undefined", words.activated(words.nan) } } },
    },
  }
end

-- Returns a rule that FLOATs, such as Epsilon, are finite numbers.
function words.number_rules(...)
  local found = {}
  for _, name in ipairs { ... } do found[#found + 1] = words.finite(words.attr(name)) end
  found.strength, found.ruling, found.text = "open", "N1", "the attributes are finite numbers"
  return words.rule "attributes-finite" (found)
end
