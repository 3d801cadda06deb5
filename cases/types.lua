return strategy "types" {
  plan = "Every combination of data types and rank in the table of every feature level, on small tensors of random shape.",
  cases = function(op)
    for _, level in ipairs(op.levels) do
      local groups = {}
      for group in pairs(level.types) do groups[#groups + 1] = group end
      local function each(i, chosen)
        if i > #groups then
          for dims = 1, 8 do op:emit { level = level.name, types = chosen, parameters = { d = dims } } end
          return
        end
        for _, type in ipairs(level.types[groups[i]]) do
          chosen[groups[i]] = type
          each(i + 1, chosen)
        end
      end
      each(1, {})
    end
  end,
}
