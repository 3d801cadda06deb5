-- Corrects the tables, and checks that the result is complete. A correction that no longer fits is an error.

local corrections = require "catalogue.corrections"
local model = require "catalogue.read"
local operators, by_name, enums, level_of = model.operators, model.by_name, model.enums, model.level_of
local level_number, find_field, find_level, in_order = model.level_number, model.find_field, model.find_level, model.in_order
local wrong, split, lists = model.wrong, model.split, model.lists

local function same_key(one) return (one.relation or "") .. " " .. table.concat(one.tensors or {}, ",") end

local function find_same(op, c)
  local wanted = same_key { relation = c.relation, tensors = in_order(op, split(c.tensors)) }
  for i, one in ipairs(op.same) do if same_key(one) == wanted then return i end end
end

local actions = {}

function actions.move_table(op, c)
  local level = find_level(op, c.from, "")
  if not level or find_level(op, c.to, "") then return "no table at " .. c.from .. ", or one at " .. c.to end
  level.from = c.to
end

function actions.set_types(op, c)
  for _, tensor in ipairs(split(c.tensors)) do
    local level = find_level(op, c.level, "")
    local row = level and level.rows[tensor]
    if not row or row.types ~= c.was then return tensor .. " has other types at " .. c.level end
    row.types = c.now
  end
end

-- Returns the table that applies at a level.
local function table_at(op, number)
  local found
  for _, level in ipairs(op.levels) do
    if level_number(level.from) <= number and (not found or level_number(level.from) > level_number(found.from)) then
      found = level
    end
  end
  return found
end

function actions.beyond(op, c)
  local low, high = (c.dims or "0,9"):match "^(%d),(%d)$"
  local from = level_number(c.from or op.since)
  local before = c.before and level_number(c.before) or math.huge
  for number in pairs(level_of) do
    for _, tensor in ipairs(number >= from and number < before and split(c.tensors) or {}) do
      local row = table_at(op, number).rows[tensor] or wrong("%s: no tensor is named %s", op.name, tensor)
      for _, type in ipairs(split(c.types or "")) do
        if lists(row.types, type) then return type .. " is in the table of " .. tensor end
      end
      if row.low <= tonumber(low) and row.high >= tonumber(high) then return "the table has these dimension counts" end
    end
  end
  table.insert(op.beyond, { strength = c.strength, accept = c.accept, types = c.types, dims = c.dims, from = c.from,
    before = c.before, tensors = in_order(op, split(c.tensors)) })
end

function actions.required(op, c)
  local field = find_field(op, c.field)
  if not field.optional then return c.field .. " is not optional" end
  field.optional = nil
end

function actions.drop_same(op, c)
  local i = find_same(op, c)
  if not i then return "no such relation" end
  table.remove(op.same, i)
end

function actions.weaken(op, c)
  local i = find_same(op, c)
  if not i then return "no such relation" end
  op.same[i].strength = c.strength
end

-- Removes one tensor from the relation that names it.
function actions.leave_out(op, c)
  for _, one in ipairs(op.same) do
    for i, tensor in ipairs(one.relation == c.relation and one.tensors or {}) do
      if tensor == c.tensors then table.remove(one.tensors, i) return end
    end
  end
  return "no relation has " .. c.tensors
end

function actions.drop_other(op)
  for i, one in ipairs(op.same) do if one.other then table.remove(op.same, i) return end end
  return "no such row"
end

-- True if a relation of the table already has this property for these tensors, or for more.
local function is_implied(op, c)
  for _, one in ipairs(op.same) do
    local all = not (one.other or one.strength or one.before or one.where)
    for property in c.relation:gmatch "%a+" do all = all and one.relation:find(property, 1, true) end
    for _, tensor in ipairs(split(c.tensors)) do all = all and lists(table.concat(one.tensors, ","), tensor) end
    if all then return true end
  end
end

function actions.add_same(op, c)
  if is_implied(op, c) then return "the table has this relation" end
  local where
  if c.where then
    where = { field = c.where.field, values = {} }
    local field = find_field(op, where.field)
    for _, constant in ipairs(enums[field.type].constants) do
      if not lists(c.where.unless, constant.name) then table.insert(where.values, constant.name) end
    end
  end
  table.insert(op.same, { relation = c.relation, tensors = in_order(op, split(c.tensors)), strength = c.strength,
    before = c.before, where = where })
end

function actions.in_place(op, c)
  if not op.in_place_disputed then return "schema and page agree on in-place execution" end
  op.in_place, op.in_place_disputed = c.now, nil
end

-- Sets the inputs that may share memory with the output: only `inputs`, or several at once.
function actions.in_place_inputs(op, c)
  if op.in_place ~= true then return "not in place by schema and page" end
  for _, name in ipairs(split(c.inputs)) do find_field(op, name) end
  op.in_place = split(c.inputs)
end

function actions.in_place_several(op)
  if op.in_place ~= true then return "not in place by schema and page" end
  op.in_place = "several"
end

local function correct()
  for _, c in ipairs(corrections) do
    for _, name in ipairs(c) do
      local op = by_name[name] or wrong("correction: no operator is named %s", name)
      local stale = actions[c.what](op, c)
      if stale then wrong("%s: the correction %s (%s) does not apply: %s", name, c.what, c.card, stale) end
      local note = ("corrected: %s (%s)"):format(c.why, c.card)
      if not op.notes[note] then
        op.notes[note] = true
        table.insert(op.notes, note)
      end
    end
  end
end

-- ---- checks of the corrected tables

local function check_same(op)
  local seen = {}
  for _, one in ipairs(op.same) do
    if one.other then wrong("%s: a relation in words only needs a correction", op.name) end
    local key = same_key(one)
    if seen[key] then wrong("%s: a relation is there twice: %s", op.name, key) end
    seen[key] = true
    for _, tensor in ipairs(one.tensors) do
      if not find_field(op, tensor).tensor then wrong("%s: %s is no tensor", op.name, tensor) end
    end
  end
end

-- A tensor that became optional at a later level has that level.
local function settle_optional(op, field)
  local from
  for _, level in ipairs(op.levels) do
    local row = level.rows[field.name] or wrong("%s: level %s: no row for %s", op.name, level.from, field.name)
    if row.optional and not from then from = level.from end
    if not row.optional and from then wrong("%s: %s becomes required after %s", op.name, field.name, from) end
  end
  if (from ~= nil) ~= (field.optional == true) then
    wrong("%s: tables disagree whether %s is optional", op.name, field.name)
  end
  if from and from ~= op.levels[1].from then field.optional = from end
end

local function settle()
  for _, op in ipairs(operators) do
    if op.in_place_disputed then wrong("%s: schema and page disagree on in-place execution", op.name) end
    table.sort(op.levels, function(a, b)
      local x, y = level_number(a.from), level_number(b.from)
      if x ~= y then return x < y end
      return a.at < b.at
    end)
    if #op.levels == 0 or op.levels[1].from ~= op.since then wrong("%s: no table at %s", op.name, op.since) end
    for _, field in ipairs(op.fields) do if field.tensor then settle_optional(op, field) end end
    check_same(op)
  end
end

return function()
  correct()
  settle()
end
