-- luacheck: no max line length
-- The smallest descriptions that some device got wrong. `assay fuzz promote` adds to the list.
local found = {
  { id = "element-limit-7d1b55", operator = "GATHER",
    description = "GATHER InputTensor=FLOAT32[4294967295] IndicesTensor=UINT32[1] OutputTensor=FLOAT32[1] Axis=0 IndexDimensions=0" },
  { id = "element-limit-45a906", operator = "SCATTER_ND", rejected = "element-limit",
    description = "SCATTER_ND InputTensor=FLOAT32[1,1,1] IndicesTensor=UINT32[1,1,3]:strides[0,0,2147483648] UpdatesTensor=FLOAT32[1,1,1] OutputTensor=FLOAT32[1,1,1] InputDimensionCount=3 IndicesDimensionCount=1" },
  { id = "nan-limit", operator = "ELEMENT_WISE_CLIP",
    description = "ELEMENT_WISE_CLIP InputTensor=FLOAT32[1,1,1,1] OutputTensor=FLOAT32[1,1,1,1] ScaleBias=null Min=-3 Max=nan" },
  { id = "nan-activation", operator = "ELEMENT_WISE_ADD1",
    description = "ELEMENT_WISE_ADD1 ATensor=FLOAT32[2,2,2] BTensor=FLOAT32[2,2,2] OutputTensor=FLOAT32[2,2,2] FusedActivation=ACTIVATION_HARD_SIGMOID(Alpha=0,Beta=0)" },
  { id = "least-integer", operator = "PADDING",
    description = "PADDING InputTensor=INT64[1] OutputTensor=INT64[2] PaddingMode=CONSTANT PaddingValue=-9.22337204e+18 DimensionCount=1 StartPadding=[0] EndPadding=[1]" },
  -- assay fuzz promote: next
}

return strategy "regressions" {
  plan = "The smallest descriptions that a fuzz campaign found some device to accept or reject wrongly.",
  cases = function(op)
    for _, case in ipairs(found) do
      if case.operator == op.name then op:example(case) end
    end
  end,
}
