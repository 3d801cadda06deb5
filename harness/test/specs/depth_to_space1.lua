-- Sizes that a block divides; products and quotients of sizes and an attribute.
local X, Y, B = "InputTensor", "OutputTensor", attr "BlockSize"

return operator "DEPTH_TO_SPACE1" {
  parameters = { { "d", dims(X) } },
  rules = {
    rule "same-type" { same "DataType" },
    rule "order" { one_of(attr "Order", { 0, 1 }) },
    rule "block-positive" { at_least(B, 1), strength = "soft" },
    rule "block-divides" { divides(B * B, size(X, 1)) },
    rule "output-sizes" { equal(sizes(Y), concat(size(X, 0), size(X, 1) // (B * B), size(X, 2) * B, size(X, 3) * B)) },
  },
}
