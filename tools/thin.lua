-- tools/few puts this file in front of each strategy, which then requests few cases: for each of its first labels the
-- first, second, fourth, eighth request and so on; without a label, every eighth. The remaining cases have the same
-- names and seeds as in the whole plan.

local most_labels <const>, step <const> = 12, 8

local function is_power(number) return number & (number - 1) == 0 end

local function thin(op)
  local few, labels, requests, rules = {}, 0, { [false] = 0 }, 0
  for key, value in pairs(op) do few[key] = value end
  local function wanted(label)
    if not label then
      requests[false] = requests[false] + 1
      return requests[false] % step == 1
    end
    if requests[label] == nil then
      labels = labels + 1
      requests[label] = (labels <= most_labels or is_power(labels)) and 0
    end
    if not requests[label] then return false end
    requests[label] = requests[label] + 1
    return is_power(requests[label])
  end
  few.emit = function(_, request)
    if wanted(request.label) then return op:emit(request) end
    return op:possible(request)
  end
  few.possible = function(_, request) return op:possible(request) end
  few.example = function(_, example) return op:example(example) end
  -- The strategy breaks a rule at the highest level that has it; the first, second, fourth and so on also at the
  -- lowest.
  few.violate = function(_, level, rule)
    local last, number
    for i, known in ipairs(op.rules) do if known.id == rule then last, number = op.levels[known.last].name, i end end
    if level == last or is_power(number) and level == op.levels[1].name then op:violate(level, rule) end
  end
  few.corners = function(_, rule)
    rules = rules + 1
    if is_power(rules) then op:corners(rule, 1) end
  end
  few.cover = function() return op:cover(2) end
  return few
end

local function thinned(cases) return cases and function(op) cases(thin(op)) end end

local whole = strategy
local function strategy(name)
  return function(entry)
    entry.cases, entry.deep = thinned(entry.cases), thinned(entry.deep)
    return whole(name)(entry)
  end
end

