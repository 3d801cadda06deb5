return strategy "examples" {
  plan = "The worked examples of the documents, as the rulings correct them; those that the rulings call wrong must be rejected.",
  cases = function(op)
    for _, example in ipairs(op.examples) do op:example(example) end
  end,
}
