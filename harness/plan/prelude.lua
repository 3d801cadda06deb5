-- The words that a strategy file may use; see cases/README.md. A file returns one strategy.

local words = {}

function words.strategy(name)
  if type(name) ~= "string" then error("strategy: expected a name", 2) end
  return function(body)
    if type(body) ~= "table" then error(("strategy \"%s\": expected a table"):format(name), 2) end
    for key in pairs(body) do
      if key ~= "plan" and key ~= "cases" and key ~= "interface" and key ~= "deep" and
        key ~= "tier" then
        error(("strategy \"%s\": unknown key '%s'; known: plan cases interface deep tier"):format(name,
          tostring(key)), 2)
      end
    end
    if type(body.plan) ~= "string" then error(("strategy \"%s\": plan: expected a text"):format(name), 2) end
    if body.tier ~= nil and (type(body.tier) ~= "string" or body.tier == "" or body.tier == "all") then
      error(("strategy \"%s\": tier: expected a name other than all"):format(name), 2)
    end
    if type(body.cases) ~= "function" then error(("strategy \"%s\": cases: expected a function"):format(name), 2) end
    if body.interface ~= nil and type(body.interface) ~= "function" then
      error(("strategy \"%s\": interface: expected a function"):format(name), 2)
    end
    if body.deep ~= nil and type(body.deep) ~= "function" then
      error(("strategy \"%s\": deep: expected a function"):format(name), 2)
    end
    return { kind = "strategy", name = name, plan = body.plan, cases = body.cases, interface = body.interface,
      deep = body.deep, tier = body.tier }
  end
end

-- The combinations of one value of each of some named lists: tables by name. More than `most` are thinned out, so that
-- each value still occurs.
function words.combinations(lists, most)
  local all, names = { {} }, {}
  for name in pairs(lists) do names[#names + 1] = name end
  table.sort(names) -- here, unlike in strategies, `pairs` has no fixed order
  for _, name in ipairs(names) do
    local more, values = {}, lists[name]
    for _, combination in ipairs(all) do
      for _, value in ipairs(values) do
        local one = { [name] = value }
        for other, had in pairs(combination) do one[other] = had end
        more[#more + 1] = one
      end
    end
    all = more
  end
  if #all <= most then return all end
  local longest, some = 0, {}
  for _, values in pairs(lists) do longest = math.max(longest, #values) end
  for i = 1, longest do
    some[i] = {}
    for name, values in pairs(lists) do some[i][name] = values[(i - 1) % #values + 1] end
  end
  return some
end

-- The combinations of the data types of a level that some description has. Each is tried once: an impossible one costs
-- more than a case.
function words.possible_types(op, level, most)
  local possible = {}
  for _, types in ipairs(words.combinations(level.types, most)) do
    if op:possible { level = level.name, types = types } then possible[#possible + 1] = types end
  end
  return possible
end

local function is_free(op, tensor)
  local level = op.levels[#op.levels].name
  for _, size in ipairs { 5, 11 } do
    local request = { level = level, size = { tensor = tensor.name, from_last = 0, size = size } }
    if not op:possible(request) then return false end
  end
  return not tensor.index
end

-- The first tensor that holds no indices and whose last size may be any number, unlike that of a state of six words.
function words.free_tensor(op)
  for _, tensor in ipairs(op.tensors) do
    op.free = op.free or is_free(op, tensor) and tensor
  end
  op.free = op.free or op.tensors[1] -- kept: finding it takes the solver
  return op.free
end

return words
