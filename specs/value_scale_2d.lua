-- VALUE_SCALE_2D multiplies all elements by Scale and adds the Bias of their channel.

local x, page = element "InputTensor", "DML_VALUE_SCALE_2D"
local scale, bias = attribute "Scale", entry("Bias", coordinate(-3))

-- A number in the type of the output: a device may round attributes to FLOAT16.
local function rounded_number(number) return round_even(number / spacing(number)) * spacing(number) end
local coarse_scale, coarse_bias = cast "Scale", rounded_number(bias)

local body = composite(function(u_) return 2 * u_ * (abs(scale * x) + abs(y)) end, max(1, abs(x)))
body[1] = scale * x + bias
body.text = "each element is Scale times the InputTensor element, plus the Bias of its channel"
body.special = "an infinity gives an infinity, or a NaN if Scale is 0 or Bias is the opposite infinity"
body.rules = {
  rule "channel-count" { one_of(attr "ChannelCount", { 1, 3 }), page = page },
  rule "channels" { when(one_of(attr "ChannelCount", { 1, 3 }), equal(size("InputTensor", 1), attr "ChannelCount")),
    page = page, ruling = "N40",
    text = "ChannelCount must be the number of channels of InputTensor" },
  rule "bias-given" { present "Bias", strength = "soft", ruling = "B10", text = "Bias must be given" },
  rule "attributes-finite" { finite(attr "Scale"), finite(list "Bias"), strength = "open", ruling = "N1",
    text = "the attributes are finite numbers" },
}
body.behaviours = {
  behaviour "attributes-rounded" { strength = "open", ruling = "N2",
    text = "a device may round an attribute to FLOAT16 first",
    when = both(gt(u, 0x1p-20), either(ne(coarse_scale, scale), ne(coarse_bias, bias))),
    gives = { { "rounded", coarse_scale * x + coarse_bias }, { "bias", scale * x + coarse_bias },
      { "scale", coarse_scale * x + bias } } },
  behaviour "product-overflow" { strength = "open", ruling = "S3",
    text = "if the product alone is beyond the type, any value is right", when = both(lt(abs(x), inf),
      gt(abs(scale * x), largest)), gives = "anything" },
}
body.examples = {
  example "channels" { ruling = "E12, N40", InputTensor = { "FLOAT32", { 1, 3, 1, 2 }, { 1, 2, 3, 4, 5, 6 } }, Scale = 2,
    ChannelCount = 3, Bias = { 0.5, -1, 10 }, OutputTensor = { "FLOAT32", { 1, 3, 1, 2 }, { 2.5, 4.5, 5, 7, 20, 22 } } },
  example "one" { ruling = "E12, N40", InputTensor = { "FLOAT16", { 2, 1, 1, 2 }, { 1, 2, 3, 4 } }, Scale = -0.5,
    ChannelCount = 1, Bias = { 3 }, OutputTensor = { "FLOAT16", { 2, 1, 1, 2 }, { 2.5, 2, 1.5, 1 } } },
}

return operator "VALUE_SCALE_2D" (elementwise(body))
