-- A device may keep compiled code under a key that lacks a part of the description: an attribute, a type, a stride. Only
-- descriptions that differ in that part alone show it. The cases of a batch are compiled before any of them is
-- dispatched, so both operators of a pair are alive. Each part is in several pairs: one case in eight goes to another
-- worker, and a part may matter for some modes or for special values only.
local fills = { false, "special", "dyadic", false, false }

return strategy "parts" {
  plan = "A description, and others that differ from it in one part: a size, the rank, a type, strides, an attribute.",
  cases = function(op)
    local modes = combinations(op.enumerations, 4)
    for copy = 1, math.max(op.formula and #fills or 6, #modes) do
      local request = { label = tostring(copy), level = op.levels[#op.levels].name, elements = 512, room = 2,
        attributes = modes[(copy - 1) % #modes + 1], fill = op.formula and fills[(copy - 1) % #fills + 1] or nil }
      if not op:vary(request) then
        request.room = nil
        op:vary(request)
      end
    end
    for _, situation in ipairs(op.situations) do
      if situation.pairs then
        op:vary { label = situation.id, situation = situation.id, level = op.levels[#op.levels].name, elements = 2048,
          room = 2 }
      end
    end
  end,
}
