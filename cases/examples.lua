return strategy "examples" {
  plan = "The worked examples of the pages, as the rulings correct them; those that the rulings call wrong must be rejected.",
  cases = function(op)
    for _, example in ipairs(op.examples) do op:example(example) end
  end,
}
