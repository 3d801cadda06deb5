-- Gives explicit strides to every tensor.
local function idle(op)
  local strides = {}
  for _, tensor in ipairs(op.tensors) do strides[tensor.name] = "packed" end
  return strides
end

-- Adds cases for one type of each element size, which a random draw of few cases may miss.
local function least_alignments(op, level)
  local group, tried = op.tensors[1].group, {}
  for _, type in ipairs(level.types[group]) do
    local bytes = math.max(1, (tonumber(type:sub(-2)) or tonumber(type:sub(-1))) // 8)
    if not tried[bytes] then
      tried[bytes] = true
      op:emit { label = "alignment-least-" .. bytes, level = level.name, types = { [group] = type }, alignment = bytes,
        tests = "alignment" }
    end
  end
end

local function at_level(op, level)
  for _, slack in ipairs { 4, 16, 1024 } do
    op:emit { label = "slack-" .. slack, level = level.name, slack = slack, tests = "total-size" }
  end
  for _, tensor in ipairs(op.tensors) do
    op:emit { label = "slack-" .. tensor.name, level = level.name, slack = { [tensor.name] = 64 }, tests = "total-size" }
  end
  op:emit { label = "slack-2147483648", level = level.name, slack = 1 << 31, tests = "total-size" } -- not dispatched
  for _, slack in ipairs { 1, 2, 3, 5 } do
    op:emit { label = "slack-" .. slack, level = level.name, slack = slack, tests = "total-multiple" }
  end
  for _, alignment in ipairs { 1, 2, 4, 8, 16, 32, 256, 4096, 1 << 17, 1 << 31 } do
    op:emit { label = "alignment-" .. alignment, level = level.name, alignment = alignment, tests = "alignment" }
  end
  if op.plain then least_alignments(op, level) end
  for dims = 2, 8, 3 do
    op:emit { label = "idle-stride", level = level.name, idle = (1 << 31) + 1, parameters = { d = dims },
      strides = idle(op), leading = { tensor = op.tensors[1].name, ones = 1 }, tests = "strided" }
  end
  for copy = 1, 4 do op:emit { label = "again-" .. copy, level = level.name, again = true, tests = "outside" } end
  op:emit { label = "owned", level = level.name, owned = true, tests = "flag-bits" }
end

return strategy "memory" {
  plan = "Members without effect on results: TotalTensorSizeInBytes, alignment, strides of sizes of 1, owner, repeats.",
  cases = function(op)
    for i, level in ipairs(op.levels) do
      if not op.plain or i == #op.levels then at_level(op, level) end
    end
  end,
  deep = function(op) -- the lower levels of operators with formulas
    for i = 1, op.plain and #op.levels - 1 or 0 do at_level(op, op.levels[i]) end
  end,
}
