return strategy "examples" {
  plan = "The examples of the documents, corrected by the rulings; a device must reject the illegal examples.",
  cases = function(op)
    for _, example in ipairs(op.examples) do op:example(example) end
  end,
}
