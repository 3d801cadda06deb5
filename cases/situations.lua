-- The situations of the specs: for each, cases with all of its contents and some data types of each kind.
local kinds = { "FLOAT32", "FLOAT16", "FLOAT64", "INT32", "UINT8", "INT64", "UINT16", "INT8", "UINT64", "UINT32", "INT16",
  "INT4", "UINT4" }
local most = 4 -- data types of a situation

-- Returns the first data tensor; its types are those that the cases have.
local function lead(op)
  for _, tensor in ipairs(op.tensors) do
    if not tensor.index then return tensor end
  end
end

local function contents(list) return #list > 0 and list or { false } end

-- Adds a case with the contents for this type. Small tensors first: the conditions make some sizes large.
local function emit(op, level, situation, type, fill, indices)
  local label = situation.id
  if fill and #situation.fills > 1 then label = label .. "-" .. fill end
  if indices and #situation.indices > 1 then label = label .. "-" .. indices end
  for _, largest in ipairs { 7, 2 } do
    if op:emit { label = label, situation = situation.id, fill = fill or nil, indices = indices or nil,
      level = level.name, types = { [lead(op).group] = type }, largest = largest, elements = 70000 } then
      return true
    end
  end
end

-- Adds cases at this level for some data types that it has.
local function emit_types(op, level, situation, fill, indices)
  local has, left = {}, most
  for _, type in ipairs(level.types[lead(op).group]) do has[type] = true end
  for _, type in ipairs(kinds) do
    if left > 0 and has[type] and emit(op, level, situation, type, fill, indices) then left = left - 1 end
  end
end

return strategy "situations" {
  plan = "Every situation of the spec, with each of its contents, for data types of each kind.",
  cases = function(op)
    for _, situation in ipairs(op.situations) do
      for at = situation.each_level and 1 or #op.levels, #op.levels do
        for _, fill in ipairs(contents(situation.fills)) do
          for _, indices in ipairs(contents(situation.indices)) do
            emit_types(op, op.levels[at], situation, fill, indices)
          end
        end
      end
    end
  end,
}
