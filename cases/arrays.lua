-- Long arrays of tensors. The parameter n is the number of tensors of an array.
local counts = { 9, 16, 17, 33, 63, 64 }

local function has_array(op)
  for _, letter in ipairs(op.parameters) do if letter == "n" then return true end end
  return false
end

return strategy "arrays" {
  plan = "Arrays of 9 to 64 tensors, with strides of all kinds.",
  cases = function(op)
    if not has_array(op) then return end
    for _, level in ipairs(op.levels) do
      for _, count in ipairs(counts) do
        for _, strides in ipairs { "null", "packed", "padded", "permuted" } do
          op:emit { label = ("tensors-%d-%s"):format(count, strides), level = level.name, parameters = { n = count },
            strides = { [op.tensors[1].name] = strides }, largest = 3 }
        end
      end
    end
  end,
}
