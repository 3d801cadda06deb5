-- Limits of devices: counters, offsets, strides and indices of 8, 16, 20 or 24 bits, and launches of 65,535 groups of
-- up to 256 threads. The default cases have offsets of 24 bits; the tier deep has that many elements, which take slow
-- devices seconds. Elements of one byte, and inputs that are broadcast along their long dimension, keep the cases
-- small.
local groups = { (1 << 24) + 64, 65535 * 64 + 1, 65535 * 16 + 1, 65537 }
local offsets = { (1 << 24) + 64, (1 << 20) + 64, 65536 + 64 }
local most = 36 << 20 -- bytes of a case

-- Returns the types with the narrowest data type for the free tensor.
local function narrowest(op, level)
  local group, least, found = free_tensor(op).group, 65, nil
  for _, type in ipairs(level.types[group]) do
    local bits = tonumber(type:sub(-2)) or tonumber(type:sub(-1))
    if bits < least then least, found = bits, type end
  end
  return { [group] = found }
end

local function where(op, keep)
  local found = {}
  for _, tensor in ipairs(op.tensors) do if keep(tensor) then found[#found + 1] = tensor end end
  return found
end

local function each(tensors, value)
  local found = {}
  for _, tensor in ipairs(tensors) do found[tensor.name] = value end
  return found
end

-- Adds a case with at least `count` elements in each of `tensors`: a long dimension beside short dimensions.
local function elements(op, level, count, tensors)
  local inputs = where(op, function(t) return t.kind == "input" end)
  local data = where(op, function(t) return t.kind == "input" and not t.index end)
  local free = free_tensor(op)
  local longs = { free }
  if free.kind == "input" then
    longs = { table.unpack(inputs) }
    -- The sizes of an output may be as free as those of the inputs.
    for _, tensor in ipairs(tensors) do if tensor.kind == "output" then longs[#longs + 1] = tensor end end
  end
  for _, long in ipairs(longs) do
    for _, broadcast in ipairs(long.kind == "input" and { inputs, data, { long } } or { {} }) do
      for from_last = 1, 2 do -- never the last dimension: a short last size divides the index of an element
        if op:emit { label = "elements-" .. count, level = level.name, types = narrowest(op, level),
          strides = each(broadcast, "broadcast"), least = each(tensors, count), indices = "positive", room = 3,
          size = { tensor = long.name, from_last = from_last, elements = count },
          elements = 3 * count, bytes = most, work = 32 * count, tries = 1000 } then return true end
      end
    end
  end
end

-- Adds a case with a tensor of `size` along an indexed dimension, and with the largest index. Each of `tensors` has at
-- least `size` elements.
local function indices_of(op, level, size, tensors, long)
  local named = where(op, function(t) return t.index end)
  for few = 5, 1, -4 do
    local least = each(tensors, size)
    for _, tensor in ipairs(named) do least[tensor.name] = few end
    for from_last = 0, 3 do
      if op:emit { label = "index-" .. size, level = level.name, types = narrowest(op, level), indices = "descending",
        room = size, least = least, elements = size + size // 8, bytes = most, tries = 1000,
        size = { tensor = long.name, from_last = from_last, size = size } } then return true end
    end
  end
end

-- Adds such a case for the first tensor that can be indexed.
local function indices(op, level, size, tensors)
  for _, long in ipairs(where(op, function(t) return not t.index end)) do
    if indices_of(op, level, size, tensors, long) then return true end
  end
end

-- Adds a case with a gap after the first outermost row of a tensor.
local function apart(op, level, tensor, offset)
  return op:emit { label = ("apart-%s-%d"):format(tensor.name, offset), level = level.name, types = narrowest(op, level),
    apart = { [tensor.name] = offset }, strides = { [tensor.name] = "padded" }, bytes = most }
end

local function last_level(op) return op.levels[#op.levels] end
local function data(op) return where(op, function(t) return not t.index end) end
local function has_indices(op) return #data(op) < #op.tensors end
local function output(op) return { op.tensors[#op.tensors] } end
local function outputs(op) return where(op, function(t) return t.kind == "output" end) end

-- Adds a case in which all data tensors, or the last output, or the first of several outputs, or the free tensor have
-- at least `count` elements.
local function many(op, level, count)
  return elements(op, level, count, data(op)) or elements(op, level, count, output(op)) or
    #outputs(op) > 1 and elements(op, level, count, { outputs(op)[1] }) or
    op.plain and elements(op, level, count, { free_tensor(op) })
end

return strategy "sizes" {
  plan = "Offsets past 16, 20 and 24 bits, counts and indices past 20 bits, and 65,535 groups of 64 threads.",
  cases = function(op)
    local level = last_level(op)
    if not op.plain then apart(op, level, free_tensor(op), offsets[1]) end
    for _, tensor in ipairs(op.tensors) do apart(op, level, tensor, offsets[3]) end
    if has_indices(op) then indices(op, level, offsets[2], {}) end
    for i = op.plain and #groups or 2, #groups do
      if many(op, level, groups[i]) then break end
    end
  end,
  -- Counts past 24 bits, and 65,535 groups of 256 threads.
  deep = function(op)
    local level = last_level(op)
    if op.plain then apart(op, level, free_tensor(op), offsets[1]) end
    if has_indices(op) and indices(op, level, offsets[1], output(op)) then return end
    many(op, level, groups[1])
  end,
}
