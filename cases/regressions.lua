-- luacheck: no max line length
-- The smallest descriptions that some device judged wrongly. `assay fuzz promote` adds to the list.
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
  { id = "product-overflow", operator = "ACTIVATION_LINEAR", fill = "special", indices = "first",
    description = "ACTIVATION_LINEAR InputTensor=FLOAT32[2,2] OutputTensor=FLOAT32[2,2] Alpha=-1.5 Beta=3.4e+38" },
  { id = "product-order", operator = "ACTIVATION_PARAMETRIC_SOFTPLUS", fill = "distinct", indices = "first",
    description = "ACTIVATION_PARAMETRIC_SOFTPLUS InputTensor=FLOAT32[1] OutputTensor=FLOAT32[1] Alpha=3.40282347e+38 Beta=2" },
  { id = "variance-overflow", operator = "BATCH_NORMALIZATION", fill = "special", indices = "last",
    description = "BATCH_NORMALIZATION InputTensor=FLOAT32[10,3,3] MeanTensor=FLOAT32[1,1,1] VarianceTensor=FLOAT32[10,1,1] ScaleTensor=FLOAT32[1,3,3] BiasTensor=FLOAT32[1,1,1] OutputTensor=FLOAT32[10,3,3] Spatial=0 Epsilon=3.4e+38 FusedActivation=null" },
  { id = "variance-overflow", operator = "BATCH_NORMALIZATION_GRAD", fill = "special", indices = "each",
    description = "BATCH_NORMALIZATION_GRAD InputTensor=FLOAT32[5] InputGradientTensor=FLOAT32[5] MeanTensor=FLOAT32[1] VarianceTensor=FLOAT32[1] ScaleTensor=FLOAT32[1] OutputGradientTensor=FLOAT32[5] OutputScaleGradientTensor=FLOAT32[1] OutputBiasGradientTensor=FLOAT32[1] Epsilon=3.40282347e+38" },
  { id = "half-epsilon", operator = "BATCH_NORMALIZATION_TRAINING", fill = "distinct", indices = "first",
    description = "BATCH_NORMALIZATION_TRAINING InputTensor=FLOAT16[2] ScaleTensor=FLOAT16[1] BiasTensor=FLOAT16[1] FusedAddTensor=FLOAT16[2] OutputTensor=FLOAT16[2] OutputMeanTensor=FLOAT16[1] OutputVarianceTensor=FLOAT16[1] Epsilon=1.99744635e+15 FusedActivation=null" },
  { id = "denormal-gradients", operator = "BATCH_NORMALIZATION_TRAINING_GRAD", fill = "denormal", indices = "positive",
    description = "BATCH_NORMALIZATION_TRAINING_GRAD InputTensor=FLOAT32[4,3] InputGradientTensor=FLOAT32[4,3] MeanTensor=FLOAT32[4,1] VarianceTensor=FLOAT32[4,1] ScaleTensor=FLOAT32[4,1] OutputGradientTensor=FLOAT32[4,3] OutputScaleGradientTensor=FLOAT32[4,1] OutputBiasGradientTensor=FLOAT32[4,1] Epsilon=1.82528691e-21" },
  { id = "denormal-alpha", operator = "LOCAL_RESPONSE_NORMALIZATION", fill = "special", indices = "last",
    description = "LOCAL_RESPONSE_NORMALIZATION InputTensor=FLOAT32[1,2,2,3] OutputTensor=FLOAT32[1,2,2,3] CrossChannel=1 LocalSize=2 Alpha=1.4013e-45 Beta=1 Bias=1" },
  { id = "denormal-bias", operator = "LOCAL_RESPONSE_NORMALIZATION_GRAD", fill = "denormal", indices = "last",
    description = "LOCAL_RESPONSE_NORMALIZATION_GRAD InputTensor=FLOAT32[1,1,2,2] InputGradientTensor=FLOAT32[1,1,2,2] OutputGradientTensor=FLOAT32[1,1,2,2] CrossChannel=0 LocalSize=3 Alpha=1 Beta=1 Bias=1.4013e-45" },
  { id = "half-epsilon", operator = "LP_NORMALIZATION", fill = "sparse", indices = "first",
    description = "LP_NORMALIZATION InputTensor=FLOAT16[1,4,5,6] OutputTensor=FLOAT16[1,4,5,6] Axis=1 Epsilon=-3.40282347e+38 P=2" },
  { id = "denormal-alpha", operator = "ACTIVATION_SCALED_ELU", fill = "sparse", indices = "first",
    description = "ACTIVATION_SCALED_ELU InputTensor=FLOAT32[3] OutputTensor=FLOAT32[3] Alpha=1.4013e-45 Gamma=-1.18282844e+30" },
  { id = "denormal-epsilon", operator = "LP_NORMALIZATION", fill = "zero", indices = "first",
    description = "LP_NORMALIZATION InputTensor=FLOAT32[1] OutputTensor=FLOAT32[1] Axis=0 Epsilon=1.4013e-45 P=1" },
  -- assay fuzz promote: next
}

return strategy "regressions" {
  plan = "The smallest descriptions that a search found some device to accept or reject wrongly.",
  cases = function(op)
    for _, case in ipairs(found) do
      if case.operator == op.name then op:example(case) end
    end
  end,
}
