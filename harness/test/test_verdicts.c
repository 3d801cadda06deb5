/* Holds results of devices against their verdicts: results that the documents allow pass, or warn where a soft rule
 * decides; wrong ones fail. Each row is an example of a kind of verdict that was too strict or too loose. */
#include "harness/base/datatype.h"
#include "harness/describe/desc_text.h"
#include "harness/load/load.h"
#include "harness/spec/elements.h"
#include "harness/trial/computed.h"
#include "harness/test/kept.h"
#include "tools/tap.h"

#include <stdlib.h>
#include <string.h>

enum { PASS = AGREES, WARN = AGREES_SOFTLY, FAIL = DIFFERS, ROOM = 256 };

/* The elements of the tensors are by item, in order: inputs as a case has them, then outputs as a device wrote them. */
static const struct {
    const char *kind, *description;
    const char *elements[8];
    int verdict;
} rows[] = {
#define SCALED(op, rest) "ELEMENT_WISE_" op " InputTensor=FLOAT16[1] OutputTensor=FLOAT16[1] " rest
    {"a pole within the allowance of Scale and Bias",
     SCALED("RECIP", "ScaleBias=[-7.4009767,-3.0526438]"),
     {"-0.41235352", "-2842"},
     PASS},
    {"a result that no value within the allowance gives",
     SCALED("RECIP", "ScaleBias=[-7.4009767,-3.0526438]"),
     {"-0.41235352", "400"},
     FAIL},
    {"an open case that holds for a value within the allowance",
     "ELEMENT_WISE_POW InputTensor=FLOAT32[1] ExponentTensor=FLOAT32[1] OutputTensor=FLOAT32[1] ScaleBias=[-2,1]",
     {"-8.21e-11", "nan", "1"},
     PASS},
#define REDUCE(function, type)                                                                                         \
    "REDUCE Function=" function " InputTensor=" type "[3] OutputTensor=" type "[1] AxisCount=1 Axes=[0]"
    {"the extreme of NaNs alone is a NaN", REDUCE("MAX", "FLOAT32"), {"nan nan nan", "nan"}, PASS},
    {"a device that ignores NaNs gives the start of the fold", REDUCE("MAX", "FLOAT32"), {"nan nan nan", "-inf"}, WARN},
    {"a device that ignores NaNs gives the start of the fold", REDUCE("MIN", "FLOAT32"), {"nan nan nan", "inf"}, WARN},
    {"a device that ignores NaNs gives the lowest number", REDUCE("MAX", "FLOAT16"), {"nan nan nan", "-65504"}, WARN},
    {"no NaN and no start of a fold", REDUCE("MAX", "FLOAT32"), {"nan nan nan", "1"}, FAIL},
    {"the extreme of NaNs and a number", REDUCE("MAX", "FLOAT32"), {"nan -3 nan", "-3"}, PASS},
    {"the extreme of NaNs and a number", REDUCE("MAX", "FLOAT32"), {"nan -3 nan", "-inf"}, FAIL},
#define EXPONENTIALS "REDUCE Function=LOG_SUM_EXP InputTensor=FLOAT16[2] OutputTensor=FLOAT16[1] AxisCount=1 Axes=[0]"
    {"powers that overflow", EXPONENTIALS, {"11 10.5", "inf"}, PASS},
    {"powers that overflow, shifted", EXPONENTIALS, {"11 10.5", "11.47"}, PASS},
    {"neither an overflow nor the value", EXPONENTIALS, {"11 10.5", "0"}, FAIL},
    {"powers that underflow", EXPONENTIALS, {"-20 -30", "-inf"}, PASS},
    {"powers that underflow, shifted", EXPONENTIALS, {"-20 -30", "-20"}, PASS},
    {"neither an underflow nor the value", EXPONENTIALS, {"-20 -30", "2"}, FAIL},
#define PLACE "ARGMAX InputTensor=FLOAT32[3] OutputTensor=UINT32[1] AxisCount=1 Axes=[0] AxisDirection=0"
    {"an index of NaNs", PLACE, {"nan nan nan", "2"}, PASS},
    {"an index past the NaNs", PLACE, {"nan nan nan", "3"}, FAIL},
    {"an index past the NaNs", PLACE, {"nan nan nan", "4294967295"}, FAIL},
#define POWER(type, exponent)                                                                                          \
    "ELEMENT_WISE_POW InputTensor=" type "[1] ExponentTensor=" exponent "[1] OutputTensor=" type "[1] ScaleBias=null"
    {"a FLOAT32 power of an integer", POWER("INT32", "FLOAT32"), {"916039619", "1", "916039616"}, WARN},
    {"a wrong power of an integer", POWER("INT32", "FLOAT32"), {"916039619", "1", "916000000"}, FAIL},
    {"a FLOAT32 power of a small integer", POWER("INT32", "FLOAT32"), {"7", "2", "48"}, WARN},
    {"a wrong power of a small integer", POWER("INT32", "FLOAT32"), {"7", "2", "47"}, FAIL},
    {"2^32, beyond UINT32, as a rounded power", POWER("UINT32", "FLOAT32"), {"4294967280", "1", "0"}, PASS},
    {"a power within UINT32", POWER("UINT32", "FLOAT32"), {"4294000000", "1", "0"}, FAIL},
    {"an integer power that is one off", POWER("INT32", "INT32"), {"7", "2", "47"}, FAIL},
    {"a denormal base counts as zero, a denormal exponent does not",
     POWER("FLOAT32", "FLOAT16"),
     {"1e-45", "6e-8", "0"},
     WARN},
    {"a denormal base and a denormal exponent count as zeros",
     POWER("FLOAT32", "FLOAT16"),
     {"1e-45", "6e-8", "1"},
     WARN},
    {"a denormal exponent counts as zero, and gives 0", POWER("FLOAT32", "FLOAT16"), {"2", "6e-8", "0"}, FAIL},
#define CAST(from, to) "CAST InputTensor=" from "[1] OutputTensor=" to "[1]"
    {"2^63, beyond INT64", CAST("FLOAT32", "INT64"), {"0x1p63", "0"}, PASS},
    {"the largest FLOAT32 within INT64", CAST("FLOAT32", "INT64"), {"0x1.fffffep62", "0"}, FAIL},
    {"2^64, beyond UINT64", CAST("FLOAT32", "UINT64"), {"0x1p64", "0"}, PASS},
    {"the largest FLOAT16", CAST("UINT32", "FLOAT16"), {"65504", "inf"}, FAIL},
#define NORM(epsilon) "LP_NORMALIZATION InputTensor=FLOAT32[2] OutputTensor=FLOAT32[2] Axis=0 P=1 Epsilon=" epsilon
    {"a norm and Epsilon", NORM("2"), {"3 1", "0.5 0.166666672"}, WARN},
    {"a norm and a negative Epsilon", NORM("-2"), {"3 1", "1.5 0.5"}, WARN},
    {"a norm below a negative Epsilon", NORM("-8"), {"3 1", "-0.75 -0.25"}, WARN},
    {"neither a limit nor a sum", NORM("-8"), {"3 1", "0.25 -0.25"}, FAIL},
#define NORMALISED                                                                                                     \
    "BATCH_NORMALIZATION InputTensor=FLOAT32[1,1,1,1] MeanTensor=FLOAT32[1,1,1,1] VarianceTensor=FLOAT32[1,1,1,1] "    \
    "ScaleTensor=FLOAT32[1,1,1,1] BiasTensor=FLOAT32[1,1,1,1] OutputTensor=FLOAT32[1,1,1,1] Spatial=1 Epsilon=0 "      \
    "FusedActivation=null"
    {"a folded form that overflows", NORMALISED, {"inf", "4", "1", "-3.4e38", "0", "nan"}, PASS},
    {"a folded form within the type", NORMALISED, {"inf", "4", "1", "-3", "0", "nan"}, FAIL},
#define HALF(op, rest) op " InputTensor=FLOAT16[1] OutputTensor=FLOAT16[1] " rest
#define CLIP "ELEMENT_WISE_CLIP InputTensor=FLOAT32[1] OutputTensor=FLOAT32[1] ScaleBias=null Min=-inf Max=inf"
#define QUOTIENT "ELEMENT_WISE_DIVIDE ATensor=FLOAT32[1] BTensor=FLOAT32[1] OutputTensor=FLOAT32[1]"
    {"the largest number for an overflow", SCALED("EXP", "ScaleBias=null"), {"12", "65504"}, WARN},
    {"the largest number for an overflow of FLOAT64",
     "ELEMENT_WISE_EXP InputTensor=FLOAT32[1] OutputTensor=FLOAT32[1] ScaleBias=null",
     {"800", "3.4028235e38"},
     WARN},
    {"the largest number for an overflow", CAST("FLOAT32", "FLOAT16"), {"70000", "65504"}, WARN},
    {"the largest number for an infinity", CAST("FLOAT32", "FLOAT16"), {"inf", "65504"}, FAIL},
    {"the largest number for an infinity", SCALED("EXP", "ScaleBias=null"), {"inf", "65504"}, FAIL},
    {"the largest number for a pole", SCALED("RECIP", "ScaleBias=null"), {"0", "65504"}, FAIL},
    {"the lowest number for a pole", SCALED("LOG", "ScaleBias=null"), {"0", "-65504"}, FAIL},
    {"an infinity at a pole", SCALED("LOG", "ScaleBias=null"), {"0", "-inf"}, PASS},
    {"the largest number for a pole", QUOTIENT, {"1", "0", "3.4028235e38"}, FAIL},
    {"the largest number for an overflow", QUOTIENT, {"1e38", "1e-38", "3.4028235e38"}, WARN},
    {"the largest number for an infinity", CLIP, {"inf", "3.4028235e38"}, FAIL},
    {"the largest number for an infinity", HALF("ACTIVATION_RELU", ""), {"inf", "65504"}, FAIL},
    {"the largest number for an infinity", REDUCE("SUM", "FLOAT32"), {"inf 1 2", "3.4028235e38"}, FAIL},
    {"the largest number for an overflow", REDUCE("SUM", "FLOAT32"), {"3e38 3e38 1", "3.4028235e38"}, WARN},
    {"the largest number for an infinity", REDUCE("MAX", "FLOAT16"), {"inf 1 2", "65504"}, FAIL},
#define ACTIVATION(op, sizes, rest) "ACTIVATION_" op " InputTensor=FLOAT32" sizes " OutputTensor=FLOAT32" sizes " " rest
    {"a product of attributes that overflows",
     ACTIVATION("SCALED_ELU", "[1]", "Alpha=2 Gamma=-3.4e38"),
     {"0", "nan"},
     PASS},
    {"a product of attributes that overflows",
     ACTIVATION("SCALED_ELU", "[1]", "Alpha=2 Gamma=-3.4e38"),
     {"-1", "inf"},
     PASS},
    {"a product that takes no part", ACTIVATION("SCALED_ELU", "[1]", "Alpha=2 Gamma=-3.4e38"), {"0.5", "nan"}, FAIL},
    {"a product within the type", ACTIVATION("SCALED_ELU", "[1]", "Alpha=2 Gamma=-1e38"), {"0", "nan"}, FAIL},
#define FUNCTION "the limit of a function within a composite"
#define BEYOND "beyond the limit of a function within a composite"
    {FUNCTION, ACTIVATION("LOG_SOFTMAX", "[1,2]", ""), {"0 0", "-0.6926 -0.6936"}, WARN},
    {BEYOND, ACTIVATION("LOG_SOFTMAX", "[1,2]", ""), {"0 0", "-0.6916 -0.6936"}, FAIL},
    {FUNCTION, ACTIVATION("SOFTMAX", "[1,2]", ""), {"0 0", "0.500003 0.499998"}, WARN},
    {BEYOND, ACTIVATION("SOFTMAX", "[1,2]", ""), {"0 0", "0.500006 0.499998"}, FAIL},
    {FUNCTION, ACTIVATION("SIGMOID", "[1]", ""), {"-10", "4.5397992e-05"}, WARN},
    {BEYOND, ACTIVATION("SIGMOID", "[1]", ""), {"-10", "4.54002e-05"}, FAIL},
    {FUNCTION, ACTIVATION("ELU", "[1]", "Alpha=1"), {"-1", "-0.6321195"}, WARN},
    {BEYOND, ACTIVATION("ELU", "[1]", "Alpha=1"), {"-1", "-0.63211"}, FAIL},
    {FUNCTION, ACTIVATION("CELU", "[1]", "Alpha=1"), {"1e-7", "-2e-6"}, WARN},
    {BEYOND, ACTIVATION("CELU", "[1]", "Alpha=1"), {"1e-7", "-8e-6"}, FAIL},
    {"no error of a power, which does not count", ACTIVATION("CELU", "[1]", "Alpha=1"), {"1e-4", "0.9e-4"}, FAIL},
    {FUNCTION, ACTIVATION("SOFTPLUS", "[1]", "Steepness=1"), {"-inf", "9e-4"}, WARN},
    {FUNCTION, ACTIVATION("SOFTPLUS", "[1]", "Steepness=1"), {"0", "0.6936"}, WARN},
    {BEYOND, ACTIVATION("SOFTPLUS", "[1]", "Steepness=1"), {"0", "0.6946"}, FAIL},
    {FUNCTION, REDUCE("LOG_SUM", "FLOAT32"), {"1 2 3", "1.7926"}, WARN},
    {BEYOND, REDUCE("LOG_SUM", "FLOAT32"), {"1 2 3", "1.7928"}, FAIL},
    {FUNCTION, REDUCE("L2", "FLOAT32"), {"3 4 0", "5.0000019"}, WARN},
    {BEYOND, REDUCE("L2", "FLOAT32"), {"3 4 0", "5.000003"}, FAIL},
#define QUANTIZE                                                                                                       \
    "ELEMENT_WISE_QUANTIZE_LINEAR InputTensor=FLOAT32[1,1,1,2] ScaleTensor=FLOAT32[1,1,1,2] "                          \
    "ZeroPointTensor=INT8[1,1,1,2] OutputTensor=INT8[1,1,1,2]"
    {"a quantised number as expected", QUANTIZE, {"3 -5", "2 1", "0 0", "2 -5"}, PASS},
    {"a quantised number one off", QUANTIZE, {"3 -5", "2 1", "0 0", "2 -4"}, WARN},
    {"a quantised number two off", QUANTIZE, {"3 -5", "2 1", "0 0", "2 -3"}, FAIL},
    {"an exact tie to the even integer", QUANTIZE, {"5 -5", "2 1", "0 0", "2 -5"}, PASS},
    {"an exact tie away from zero", QUANTIZE, {"5 -5", "2 1", "0 0", "3 -5"}, WARN},
    {"a quotient that is rounded to a tie", QUANTIZE, {"0.35 -5", "0.1 1", "0 0", "3 -5"}, PASS},
    {"a quotient that is rounded to a tie", QUANTIZE, {"0.35 -5", "0.1 1", "0 0", "4 -5"}, PASS},
    {"a quantised number beyond its type", QUANTIZE, {"300 -5", "1 1", "0 0", "127 -5"}, PASS},
    {"a quantised number that wraps", QUANTIZE, {"300 -5", "1 1", "0 0", "44 -5"}, FAIL},
#define DEQUANTIZE(type)                                                                                               \
    "ELEMENT_WISE_DEQUANTIZE_LINEAR InputTensor=" type "[1,1,1,1] ScaleTensor=FLOAT32[1,1,1,1] "                       \
    "ZeroPointTensor=" type "[1,1,1,1] OutputTensor=FLOAT32[1,1,1,1]"
    {"a difference beyond 32 bits", DEQUANTIZE("INT32"), {"1073741824", "1", "-1468680227", "-1752545280"}, PASS},
    {"a difference within 32 bits", DEQUANTIZE("INT32"), {"1073741824", "1", "-1000", "-1752545280"}, FAIL},
    {"a negative difference of unsigned numbers",
     DEQUANTIZE("UINT32"),
     {"3000000000", "1", "3000000001", "4294967295"},
     PASS},
    {"a negative difference of small numbers", DEQUANTIZE("UINT32"), {"3", "1", "128", "4294967171"}, FAIL},
/* Outcomes of soft behaviours, and results that are none of them. */
#define SLOPE "ACTIVATION_PARAMETERIZED_RELU InputTensor=INT32[1] SlopeTensor=INT32[1] OutputTensor=INT32[1]"
    {"a product in FLOAT32", SLOPE, {"-100000003", "3", "-300000000"}, WARN},
    {"no product", SLOPE, {"-100000003", "3", "-299990000"}, FAIL},
    {"a small product one off", SLOPE, {"-3", "3", "-8"}, FAIL},
#define SHRINK "ACTIVATION_SHRINK InputTensor=INT32[1] OutputTensor=INT32[1] Bias=1 Threshold=5"
    {"a difference in FLOAT32", SHRINK, {"100000003", "100000000"}, WARN},
    {"no difference", SHRINK, {"100000003", "99990000"}, FAIL},
#define MODULUS "ELEMENT_WISE_MODULUS_TRUNCATE ATensor=INT32[1] BTensor=INT32[1] OutputTensor=INT32[1]"
    {"the lowest integer modulo -1", MODULUS, {"-2147483648", "-1", "-2147483648"}, WARN},
    {"the lowest integer modulo -1", MODULUS, {"-2147483648", "-1", "7"}, FAIL},
    {"a power of an infinity", POWER("FLOAT32", "FLOAT32"), {"inf", "-1", "nan"}, WARN},
    {"a power of an infinity", POWER("FLOAT32", "FLOAT32"), {"inf", "-1", "5"}, FAIL},
    {"a negative power of an integer", POWER("INT32", "INT32"), {"7", "-1", "1"}, WARN},
    {"a negative power of an integer", POWER("INT32", "INT32"), {"7", "-1", "7"}, FAIL},
#define ANGLE "ELEMENT_WISE_ATAN_YX ATensor=FLOAT32[1] BTensor=FLOAT32[1] OutputTensor=FLOAT32[1]"
    {"the angle of an infinity", ANGLE, {"inf", "1", "0.7853982"}, WARN},
    {"no angle of an infinity", ANGLE, {"inf", "1", "7"}, FAIL},
#define LIMITS(min, max)                                                                                               \
    "ELEMENT_WISE_CLIP InputTensor=UINT8[1] OutputTensor=UINT8[1] ScaleBias=null Min=" min " Max=" max
    {"a Min that is the indefinite integer", LIMITS("-5", "100"), {"50", "128"}, WARN},
    {"a Min modulo 256", LIMITS("-5", "100"), {"50", "251"}, WARN},
    {"a Min that no conversion gives", LIMITS("-5", "100"), {"50", "60"}, FAIL},
    {"no effect of a Min that saturates", LIMITS("-5", "100"), {"50", "40"}, FAIL},
    {"a Max modulo 256", LIMITS("5", "300"), {"50", "44"}, WARN},
    {"a Max that no conversion gives", LIMITS("5", "300"), {"50", "45"}, FAIL},
    {"no effect of a Max that saturates", LIMITS("5", "300"), {"50", "60"}, FAIL},
    {"below a Min, beside a Max that saturates", LIMITS("5", "300"), {"50", "4"}, FAIL},
    {"a Min of 0 beside a Max modulo 256", LIMITS("-5", "300"), {"50", "44"}, WARN},
    {"a Min modulo 256 beside a Max of 32 bits", LIMITS("300", "1e12"), {"100", "100"}, WARN},
#define THRESHOLD "ELEMENT_WISE_THRESHOLD InputTensor=INT8[1] OutputTensor=INT8[1] ScaleBias=null Min=-300"
    {"a Min modulo 256", THRESHOLD, {"-100", "-44"}, WARN},
    {"a Min that no conversion gives", THRESHOLD, {"5", "127"}, FAIL},
    {"no effect of a Min that saturates", THRESHOLD, {"5", "4"}, FAIL},
#define CROSSED                                                                                                        \
    "ELEMENT_WISE_CLIP_GRAD InputTensor=FLOAT32[1] InputGradientTensor=FLOAT32[1] OutputGradientTensor=FLOAT32[1] "    \
    "Min=2 Max=-2"
    {"a gradient between crossed limits", CROSSED, {"0", "3", "3"}, WARN},
    {"no gradient", CROSSED, {"0", "3", "5"}, FAIL},
#define SINE "ELEMENT_WISE_SIN InputTensor=FLOAT32[1] OutputTensor=FLOAT32[1] ScaleBias=null"
    {"any sine of a large number", SINE, {"1e10", "0.3"}, PASS},
    {"a large number itself", SINE, {"1e10", "1e10"}, WARN},
    {"no sine", SINE, {"1e10", "7"}, FAIL},
#define DYNAMIC                                                                                                        \
    "DYNAMIC_QUANTIZE_LINEAR InputTensor=FLOAT32[1,1,1,2] OutputTensor=UINT8[1,1,1,2] "                                \
    "OutputScaleTensor=FLOAT32[1,1,1,1] OutputZeroPointTensor=UINT8[1,1,1,1]"
    {"a range without 0", DYNAMIC, {"10 20", "255 255", "0.039215688", "1"}, WARN},
    {"a scale of no range", DYNAMIC, {"10 20", "200 255", "0.05", "0"}, FAIL},
    {"a zero point of no range", DYNAMIC, {"10 20", "132 255", "0.078431375", "5"}, FAIL},
    {"an infinite zero point of a range of 0", DYNAMIC, {"10 10", "255 255", "0.039215688", "255"}, WARN},
    {"an infinite zero point that becomes 0", DYNAMIC, {"-10 -10", "0 0", "0.039215688", "0"}, WARN},
    {"a zero point of no infinity", DYNAMIC, {"-10 -10", "0 0", "0.039215688", "77"}, FAIL},
#define ADAM                                                                                                           \
    "ADAM_OPTIMIZER InputParametersTensor=FLOAT32[1,1,1,1] InputFirstMomentTensor=FLOAT32[1,1,1,1] "                   \
    "InputSecondMomentTensor=FLOAT32[1,1,1,1] GradientTensor=FLOAT32[1,1,1,1] TrainingStepTensor=UINT32[1,1,1,1] "     \
    "OutputParametersTensor=FLOAT32[1,1,1,1] OutputFirstMomentTensor=FLOAT32[1,1,1,1] "                                \
    "OutputSecondMomentTensor=FLOAT32[1,1,1,1] LearningRate=9.53674e-07 Beta1=0 Beta2=0 Epsilon=0xbf7ffff0"
    {"an error of a root that a division magnifies", ADAM, {"1", "0", "0", "1", "1", "-4", "1", "1"}, WARN},
    {"no such error", ADAM, {"1", "0", "0", "1", "1", "12", "1", "1"}, FAIL},
    {"a number among NaNs", ACTIVATION("SOFTMAX", "[1,2]", ""), {"nan 1", "0 1"}, WARN},
    {"no share", ACTIVATION("SOFTMAX", "[1,2]", ""), {"nan 1", "0 2"}, FAIL},
    {"a number among NaNs", ACTIVATION("LOG_SOFTMAX", "[1,2]", ""), {"nan 1", "-inf 0"}, WARN},
    {"no logarithm of a share", ACTIVATION("LOG_SOFTMAX", "[1,2]", ""), {"nan 1", "-inf 2"}, FAIL},
#define TRAINING                                                                                                       \
    "BATCH_NORMALIZATION_TRAINING InputTensor=FLOAT32[1,1,1,1] ScaleTensor=FLOAT32[1,1,1,1] "                          \
    "BiasTensor=FLOAT32[1,1,1,1] FusedAddTensor=null OutputTensor=FLOAT32[1,1,1,1] OutputMeanTensor=FLOAT32[1,1,1,1] " \
    "OutputVarianceTensor=FLOAT32[1,1,1,1] Epsilon=1 FusedActivation=null"
    {"a variance of one element", TRAINING, {"3", "2", "1", "nan", "3", "nan"}, WARN},
    {"no variance of one element", TRAINING, {"3", "2", "1", "1", "3", "5"}, FAIL},
    {"no mean of one element", TRAINING, {"3", "2", "1", "1", "4", "0"}, FAIL},
    {"no normalised element", TRAINING, {"3", "2", "1", "2", "3", "0"}, FAIL},
#define CANCELS(activation)                                                                                            \
    "MEAN_VARIANCE_NORMALIZATION InputTensor=FLOAT32[1,1,1,2] ScaleTensor=null BiasTensor=null "                       \
    "OutputTensor=FLOAT32[1,1,1,2] CrossChannel=0 NormalizeVariance=1 Epsilon=1e-20 FusedActivation=" activation
    {"a variance in one pass", CANCELS("null"), {"0.9995 1.0005", "-5 5"}, WARN},
    {"a variance below 0 in one pass", CANCELS("null"), {"0.9995 1.0005", "nan nan"}, WARN},
    {"the other side of the mean", CANCELS("null"), {"0.9995 1.0005", "5 -5"}, FAIL},
    {"the activation of a variance in one pass", CANCELS("ACTIVATION_RELU()"), {"0.9995 1.0005", "0 5"}, WARN},
    {"no activation", CANCELS("ACTIVATION_RELU()"), {"0.9995 1.0005", "0 -5"}, FAIL},
#define ANTIALIASED                                                                                                    \
    "RESAMPLE3 InputTensor=FLOAT32[1,1,1,4] OutputTensor=FLOAT32[1,1,1,3] InterpolationMode=1 RoundingDirection=1 "    \
    "DimensionCount=4 Scales=[1,1,1,0.75] InputPixelOffsets=[0.5,0.5,0.5,0.5] "                                        \
    "OutputPixelOffsets=[-0.5,-0.5,-0.5,-0.5] Antialiased=1"
    {"antialiased at a scale above 1/2", ANTIALIASED, {"1 2 3 4", "1.3 2.5 3.7"}, WARN},
    {"no mean of elements", ANTIALIASED, {"1 2 3 4", "1.3 2.5 4.7"}, FAIL},
#define MIDDLE                                                                                                         \
    "RESAMPLE1 InputTensor=FLOAT32[1,2,2,2] OutputTensor=FLOAT32[1,1,1,1] InterpolationMode=0 DimensionCount=4 "       \
    "Scales=[1,0.5,0.5,0.5] InputPixelOffsets=[0.5,0.5,0.5,0.5] OutputPixelOffsets=[-0.5,-0.5,-0.5,-0.5]"
    {"the middle of three dimensions", MIDDLE, {"1 2 3 4 5 6 7 8", "8"}, PASS},
    {"another element in the middle", MIDDLE, {"1 2 3 4 5 6 7 8", "3"}, WARN},
    {"no element", MIDDLE, {"1 2 3 4 5 6 7 8", "9"}, FAIL},
#define SCATTERED(scale, offset)                                                                                       \
    "RESAMPLE_GRAD1 InputGradientTensor=FLOAT32[5] OutputGradientTensor=FLOAT32[3] InterpolationMode=0 "               \
    "RoundingDirection=0 DimensionCount=1 Scales=[" scale "] InputPixelOffsets=[" offset "] OutputPixelOffsets=[0]"
    {"an infinity with finite gradients within the type", SCATTERED("1", "0"), {"1 2 inf -3 -3e38", "1 2 inf"}, PASS},
    {"a NaN for such an infinity", SCATTERED("1", "0"), {"1 2 inf -3 -3e38", "1 2 nan"}, FAIL},
    {"an infinity with finite gradients beyond the type",
     SCATTERED("1", "0"),
     {"1 2 inf -3e38 -3e38", "1 2 inf"},
     PASS},
    {"a NaN for such an infinity", SCATTERED("1", "0"), {"1 2 inf -3e38 -3e38", "1 2 nan"}, PASS},
    {"the opposite infinity", SCATTERED("1", "0"), {"1 2 inf -3e38 -3e38", "1 2 -inf"}, FAIL},
    {"a number for an infinity", SCATTERED("1", "0"), {"1 2 inf -3e38 -3e38", "1 2 0"}, FAIL},
    {"offsets that count as each other, and gradients beyond the type",
     SCATTERED("3", "-1"),
     {"1e38 2.5e38 -3e38 1 2", "0 inf 0"},
     PASS},
    {"offsets that count as each other, and a number", SCATTERED("3", "-1"), {"1e38 2.5e38 -3e38 1 2", "0 7 0"}, FAIL},
#define LINE ACTIVATION("LINEAR", "[1]", "Alpha=2 Beta=inf")
    {"an infinite Beta", LINE, {"-1", "inf"}, PASS},
    {"an infinite Beta, and a NaN", LINE, {"-1", "nan"}, FAIL},
    {"an infinite Beta, and a product beyond the type", LINE, {"-3e38", "nan"}, PASS},
    {"the infinity of a product, whatever Beta adds", LINE, {"-3e38", "-inf"}, FAIL},
#define SIGMOID ACTIVATION("HARD_SIGMOID", "[1]", "Alpha=2 Beta=inf")
    {"an infinite Beta", SIGMOID, {"-1", "nan"}, FAIL},
    {"an infinite Beta, and a product beyond the type", SIGMOID, {"-3e38", "nan"}, PASS},
    {"an infinite Beta, and a product beyond the type", SIGMOID, {"-3e38", "0.5"}, FAIL},
#define SWISH ACTIVATION("HARD_SWISH", "[1]", "Alpha=2 Beta=inf")
    {"an infinite Beta", SWISH, {"-1", "nan"}, FAIL},
    {"an infinite Beta, and a product beyond the type", SWISH, {"-3e38", "nan"}, PASS},
    {"an infinite Beta, and a product beyond the type", SWISH, {"-3e38", "0.5"}, FAIL},
#define DIVERGING                                                                                                      \
    "ADAM_OPTIMIZER InputParametersTensor=FLOAT32[1] InputFirstMomentTensor=FLOAT32[1] "                               \
    "InputSecondMomentTensor=FLOAT32[1] GradientTensor=FLOAT32[1] TrainingStepTensor=UINT32[1] "                       \
    "OutputParametersTensor=FLOAT32[1] OutputFirstMomentTensor=FLOAT32[1] OutputSecondMomentTensor=FLOAT32[1] "        \
    "LearningRate=1 Beta1=2 Beta2=2 Epsilon=1"
    {"Betas beyond 1 and an infinite gradient", DIVERGING, {"1", "1", "1", "inf", "1", "0", "-inf", "-inf"}, PASS},
    {"a NaN for an infinite moment", DIVERGING, {"1", "1", "1", "inf", "1", "0", "nan", "-inf"}, FAIL},
    {"a NaN for an infinite moment", DIVERGING, {"1", "1", "1", "inf", "1", "0", "-inf", "nan"}, FAIL},
    {"an infinite gradient and moments beyond the type",
     DIVERGING,
     {"1", "3e38", "3e38", "inf", "1", "0", "nan", "nan"},
     PASS},
#define LIMITED(type, rest) "ELEMENT_WISE_CLIP InputTensor=" type "[1] OutputTensor=" type "[1] ScaleBias=null " rest
#define WIDE LIMITED("INT8", "Min=-300 Max=300")
    {"limits that saturate", WIDE, {"100", "100"}, PASS},
    {"limits that are 0", WIDE, {"100", "0"}, WARN},
    {"limits modulo 256", WIDE, {"100", "44"}, WARN},
    {"limits that are the indefinite integer", WIDE, {"100", "-128"}, WARN},
    {"no limits", WIDE, {"100", "77"}, FAIL},
    {"limits that no conversion gives", LIMITED("INT32", "Min=-3e9 Max=3e9"), {"7", "123456789"}, FAIL},
    {"the indefinite integer", LIMITED("INT32", "Min=-3e9 Max=3e9"), {"7", "-2147483648"}, WARN},
    {"infinite limits", LIMITED("INT32", "Min=-inf Max=inf"), {"7", "8"}, FAIL},
    {"the nearest FLOAT32 within the type", LIMITED("INT32", "Min=0 Max=3e9"), {"2147483647", "2147483520"}, WARN},
    {"a limit next to it", LIMITED("INT32", "Min=0 Max=3e9"), {"2147483647", "2147483521"}, FAIL},
    {"a limit that saturates", LIMITED("UINT8", "Min=0.5 Max=300"), {"100", "100"}, PASS},
    {"a limit modulo 256 beside a fraction", LIMITED("UINT8", "Min=0.5 Max=300"), {"100", "44"}, WARN},
    {"a limit that no conversion gives", LIMITED("UINT8", "Min=0.5 Max=300"), {"100", "60"}, FAIL},
#define LEAST(min) "ELEMENT_WISE_THRESHOLD InputTensor=UINT8[1] OutputTensor=UINT8[1] ScaleBias=null Min=" min
    {"a limit that saturates", LEAST("300"), {"5", "255"}, PASS},
    {"a limit modulo 256", LEAST("300"), {"5", "44"}, WARN},
    {"a limit that is 0", LEAST("300"), {"5", "5"}, WARN},
    {"a limit that no conversion gives", LEAST("300"), {"5", "60"}, FAIL},
    {"0^0 is 1", POWER("INT32", "INT32"), {"0", "0", "1"}, PASS},
    {"0^0 is a NaN, which becomes 0", POWER("INT32", "INT32"), {"0", "0", "0"}, PASS},
    {"0^0 is a NaN, which becomes the indefinite integer", POWER("INT32", "INT32"), {"0", "0", "-2147483648"}, PASS},
    {"no conversion of a NaN", POWER("INT32", "INT32"), {"0", "0", "7"}, FAIL},
    {"1^infinity is 1", POWER("UINT8", "FLOAT32"), {"1", "inf", "1"}, PASS},
    {"1^infinity is a NaN, which becomes 0", POWER("UINT8", "FLOAT32"), {"1", "inf", "0"}, PASS},
    {"no conversion of a NaN", POWER("UINT8", "FLOAT32"), {"1", "inf", "77"}, FAIL},
    {"a power by -infinity", POWER("INT32", "FLOAT32"), {"3", "-inf", "0"}, PASS},
    {"a power by -infinity as an infinity", POWER("INT32", "FLOAT32"), {"3", "-inf", "2147483647"}, WARN},
    {"no power by -infinity", POWER("INT32", "FLOAT32"), {"3", "-inf", "77"}, FAIL},
    {"0 to a power without a value", POWER("INT32", "FLOAT32"), {"0", "-inf", "77"}, PASS},
    {"a NaN as a Min of 0", LIMITED("INT8", "Min=nan Max=100"), {"-5", "0"}, PASS},
    {"a NaN as no Min", LIMITED("INT8", "Min=nan Max=100"), {"-5", "-5"}, PASS},
    {"a NaN as the largest Min", LIMITED("INT8", "Min=nan Max=100"), {"-5", "127"}, PASS},
    {"a NaN as no Min beside a Max", LIMITED("INT8", "Min=nan Max=100"), {"110", "110"}, FAIL},
    {"a Min that no conversion of a NaN gives", LIMITED("INT8", "Min=nan Max=100"), {"-5", "-4"}, FAIL},
    {"a NaN as the indefinite integer", LIMITED("UINT32", "Min=nan Max=nan"), {"7", "2147483648"}, PASS},
    {"a NaN as no limit", LIMITED("UINT32", "Min=nan Max=nan"), {"7", "7"}, PASS},
    {"no limit of NaNs", LIMITED("UINT32", "Min=nan Max=nan"), {"7", "8"}, FAIL},
    {"a NaN beside a Max modulo 256", LIMITED("UINT8", "Min=nan Max=300"), {"100", "44"}, WARN},
    {"a NaN beside a Max that no conversion gives", LIMITED("UINT8", "Min=nan Max=300"), {"100", "60"}, FAIL},
    {"a NaN as no Min of a number", LIMITED("FLOAT32", "Min=nan Max=100"), {"300", "100"}, PASS},
    {"a NaN as no limit of a number", LIMITED("FLOAT32", "Min=nan Max=100"), {"300", "300"}, FAIL},
#define REGION_SUM                                                                                                     \
    "ROI_ALIGN_GRAD InputTensor=null InputGradientTensor=FLOAT32[1,1,1,1] ROITensor=FLOAT32[1,4] "                     \
    "BatchIndicesTensor=UINT32[1] OutputGradientTensor=FLOAT32[1,1,2,2] OutputROIGradientTensor=null "                 \
    "ReductionFunction=AVERAGE InterpolationMode=LINEAR SpatialScaleX=1 SpatialScaleY=1 InputPixelOffset=0.5 "         \
    "OutputPixelOffset=-0.5 MinimumSamplesPerOutput=2 MaximumSamplesPerOutput=2 AlignRegionsToCorners=0"
    {"an average", REGION_SUM, {"3e38", "0.5 0.5 0.9 0.9", "0", "1.92e38 4.8e37 4.8e37 1.2e37"}, PASS},
    {"a sum that overflows before it is divided",
     REGION_SUM,
     {"3e38", "0.5 0.5 0.9 0.9", "0", "inf 4.8e37 4.8e37 1.2e37"},
     PASS},
    {"a number for such a sum", REGION_SUM, {"3e38", "0.5 0.5 0.9 0.9", "0", "1e38 4.8e37 4.8e37 1.2e37"}, FAIL},
    {"an infinity for a sum within the type", REGION_SUM, {"3", "0.5 0.5 0.9 0.9", "0", "inf 0.48 0.48 0.12"}, FAIL},
#define CLIPPED_CELL                                                                                                   \
    "LSTM InputTensor=FLOAT32[1,1,1,1] WeightTensor=FLOAT32[1,1,4,1] RecurrenceTensor=FLOAT32[1,1,4,1] "               \
    "BiasTensor=null HiddenInitTensor=null CellMemInitTensor=null SequenceLengthsTensor=null PeepholeTensor=null "     \
    "OutputSequenceTensor=null OutputSingleTensor=null OutputCellSingleTensor=FLOAT32[1,1,1,1] ActivationDescCount=3 " \
    "ActivationDescs=[ACTIVATION_HARD_SIGMOID(Alpha=0,Beta=0),ACTIVATION_HARD_SIGMOID(Alpha=0,Beta=0),"                \
    "ACTIVATION_IDENTITY()] Direction=FORWARD ClipThreshold=1 UseClipThreshold=1 CoupleInputForget=0"
    {"constant gates", CLIPPED_CELL, {"3", "0 0 0 0", "0 0 0 0", "1"}, FAIL},
    {"a NaN that a gate may lose, behind constant gates", CLIPPED_CELL, {"inf", "0 0 0 0", "0 0 0 0", "1"}, PASS},
#define REGION_FAR(offsets)                                                                                            \
    "ROI_ALIGN1 InputTensor=FLOAT32[1,1,1,1] ROITensor=FLOAT32[1,4] BatchIndicesTensor=UINT32[1] "                     \
    "OutputTensor=FLOAT32[1,1,1,1] ReductionFunction=AVERAGE InterpolationMode=NEAREST_NEIGHBOR SpatialScaleX=1 "      \
    "SpatialScaleY=1 " offsets                                                                                         \
    " OutOfBoundsInputValue=4 MinimumSamplesPerOutput=1 MaximumSamplesPerOutput=1 AlignRegionsToCorners=0"
#define FAR_OUTPUT REGION_FAR("InputPixelOffset=0 OutputPixelOffset=inf")
#define FAR_BOTH REGION_FAR("InputPixelOffset=-inf OutputPixelOffset=inf")
    {"a sample that is infinitely far away", FAR_OUTPUT, {"3", "0 0 1 1", "0", "4"}, PASS},
    {"the edge of the picture for such a sample", FAR_OUTPUT, {"3", "0 0 1 1", "0", "3"}, WARN},
    {"another number for such a sample", FAR_OUTPUT, {"3", "0 0 1 1", "0", "2"}, FAIL},
    {"a region without length times an infinite offset", FAR_OUTPUT, {"3", "0 0 0 1", "0", "3"}, PASS},
    {"two infinite offsets", FAR_BOTH, {"3", "0 0 1 1", "0", "7"}, PASS},
#define REGION_FAR_GRADIENT                                                                                            \
    "ROI_ALIGN_GRAD InputTensor=null InputGradientTensor=FLOAT32[1,1,1,1] ROITensor=FLOAT32[1,4] "                     \
    "BatchIndicesTensor=UINT32[1] OutputGradientTensor=FLOAT32[1,1,1,1] OutputROIGradientTensor=null "                 \
    "ReductionFunction=AVERAGE InterpolationMode=LINEAR SpatialScaleX=1 SpatialScaleY=1 InputPixelOffset=0 "           \
    "OutputPixelOffset=inf MinimumSamplesPerOutput=1 MaximumSamplesPerOutput=1 AlignRegionsToCorners=0"
    {"a gradient of a sample that is infinitely far away", REGION_FAR_GRADIENT, {"3", "0 0 1 1", "0", "4"}, FAIL},
    {"a gradient of a region without length", REGION_FAR_GRADIENT, {"3", "0 0 0 0", "0", "4"}, PASS},
#define REGION_SAMPLES(least, most)                                                                                    \
    "ROI_ALIGN InputTensor=FLOAT32[1,1,1,2] ROITensor=FLOAT32[1,4] BatchIndicesTensor=UINT32[1] "                      \
    "OutputTensor=FLOAT32[1,1,1,1] ReductionFunction=AVERAGE InterpolationMode=LINEAR SpatialScaleX=1 "                \
    "SpatialScaleY=1 OutOfBoundsInputValue=0 MinimumSamplesPerOutput=" least " MaximumSamplesPerOutput=" most
    {"a bin of eight samples", REGION_SAMPLES("8", "8"), {"1 2", "0 0 3 1", "0", "1.25"}, FAIL},
    {"a bin of more than eight samples", REGION_SAMPLES("16", "16"), {"1 2", "0 0 3 1", "0", "1.25"}, PASS},
#define REGION_OUTSIDE(reduction)                                                                                      \
    "ROI_ALIGN1 InputTensor=FLOAT32[1,1,1,1] ROITensor=FLOAT32[1,4] BatchIndicesTensor=UINT32[1] "                     \
    "OutputTensor=FLOAT32[1,1,1,1] ReductionFunction=" reduction " InterpolationMode=LINEAR SpatialScaleX=1 "          \
    "SpatialScaleY=1 InputPixelOffset=0 OutputPixelOffset=0 OutOfBoundsInputValue=nan MinimumSamplesPerOutput=2 "      \
    "MaximumSamplesPerOutput=2 AlignRegionsToCorners=0"
    {"a NaN outside of the picture that MAX ignores", REGION_OUTSIDE("MAX"), {"3", "-4 0 4 0", "0", "3"}, PASS},
    {"a NaN outside of the picture in an average", REGION_OUTSIDE("AVERAGE"), {"3", "-4 0 4 0", "0", "3"}, WARN},
    {"a number without such a NaN", REGION_OUTSIDE("MAX"), {"3", "0 0 0 0", "0", "4"}, FAIL},
    {"zero times an infinite Scale of integers",
     "ELEMENT_WISE_IDENTITY InputTensor=INT32[2] OutputTensor=INT32[2] ScaleBias=[inf,1]",
     {"0 0", "0 7"},
     PASS},
#define REGION_SLOPE                                                                                                   \
    "ROI_ALIGN_GRAD InputTensor=FLOAT32[1,1,2,2] InputGradientTensor=FLOAT32[1,1,1,1] ROITensor=FLOAT32[1,4] "         \
    "BatchIndicesTensor=UINT32[1] OutputGradientTensor=null OutputROIGradientTensor=FLOAT32[1,4] "                     \
    "ReductionFunction=AVERAGE InterpolationMode=LINEAR SpatialScaleX=1 SpatialScaleY=1 InputPixelOffset=0.5 "         \
    "OutputPixelOffset=-0.5 MinimumSamplesPerOutput=1 MaximumSamplesPerOutput=1 AlignRegionsToCorners=0"
#define FLAT(slope)                                                                                                    \
    {                                                                                                                  \
        "1000 1000 1000 1000", "1", "0.5 0.5 1.4 1.2", "0", slope " 0 0 0"                                             \
    }
#define REGION_STEEP                                                                                                   \
    "ROI_ALIGN_GRAD InputTensor=FLOAT32[1,1,2,2] InputGradientTensor=FLOAT32[1,1,1,1] ROITensor=FLOAT32[1,4] "         \
    "BatchIndicesTensor=UINT32[1] OutputGradientTensor=null OutputROIGradientTensor=FLOAT32[1,4] "                     \
    "ReductionFunction=AVERAGE InterpolationMode=LINEAR SpatialScaleX=0.015625 SpatialScaleY=0.015625 "                \
    "InputPixelOffset=0.5 OutputPixelOffset=-0.5 MinimumSamplesPerOutput=1 MaximumSamplesPerOutput=1 "                 \
    "AlignRegionsToCorners=0"
#define STEEP(gradient, slopes)                                                                                        \
    {                                                                                                                  \
        "0 64 64 128", gradient, "32 32 89.6 76.8", "0", slopes                                                        \
    }
    {"the slope of a flat picture with the roundings of its products", REGION_SLOPE, FLAT("6e-5"), PASS},
    {"the slope of a flat picture beyond its roundings", REGION_SLOPE, FLAT("2e-4"), FAIL},
    {"a slope times a scale that is far below it", REGION_STEEP, STEEP("3e38", "1.5e38 1.5e38 1.5e38 1.5e38"), PASS},
    {"a slope that overflows before it is scaled", REGION_STEEP, STEEP("3e38", "inf 1.5e38 1.5e38 1.5e38"), PASS},
    {"a number for such a slope", REGION_STEEP, STEEP("3e38", "1e38 1.5e38 1.5e38 1.5e38"), FAIL},
    {"an infinity for a slope within the type", REGION_STEEP, STEEP("3", "inf 1.5 1.5 1.5"), FAIL},
#define TURNS                                                                                                          \
    "BATCH_NORMALIZATION InputTensor=FLOAT16[1,1,1,1] MeanTensor=FLOAT16[1,1,1,1] VarianceTensor=FLOAT16[1,1,1,1] "    \
    "ScaleTensor=FLOAT16[1,1,1,1] BiasTensor=FLOAT16[1,1,1,1] OutputTensor=FLOAT16[1,1,1,1] Spatial=1 Epsilon=0 "      \
    "FusedActivation=ACTIVATION_GELU()"
    {"the least activation within the error of its operand", TURNS, {"2048", "2048", "1", "1", "-0.1", "-0.17"}, PASS},
    {"a value below the least activation", TURNS, {"2048", "2048", "1", "1", "-0.1", "-0.18"}, FAIL},
#define RESPONSES(alpha)                                                                                               \
    "LOCAL_RESPONSE_NORMALIZATION_GRAD InputTensor=FLOAT32[1,4,1,1] InputGradientTensor=FLOAT32[1,4,1,1] "             \
    "OutputGradientTensor=FLOAT32[1,4,1,1] CrossChannel=1 LocalSize=3 Alpha=" alpha " Beta=1 Bias=1"
#define RESPONSE(outputs)                                                                                              \
    {                                                                                                                  \
        "1 2 3 4", "inf 1 0 0", outputs                                                                                \
    }
    {"an infinite gradient", RESPONSES("3"), RESPONSE("nan -inf -0.053333335 0"), PASS},
    {"its product with its own derivative", RESPONSES("3"), RESPONSE("inf -inf -0.053333335 0"), PASS},
    {"its product with the opposite of that", RESPONSES("3"), RESPONSE("-inf -inf -0.053333335 0"), FAIL},
    {"a number for an infinite gradient", RESPONSES("3"), RESPONSE("7 -inf -0.053333335 0"), FAIL},
    {"a number beside an infinite gradient", RESPONSES("3"), RESPONSE("nan 7 -0.053333335 0"), FAIL},
    {"a NaN beside an infinite gradient", RESPONSES("3"), RESPONSE("nan nan -0.053333335 0"), FAIL},
    {"the opposite infinity beside it", RESPONSES("3"), RESPONSE("nan inf -0.053333335 0"), FAIL},
    {"a NaN outside of its windows", RESPONSES("3"), RESPONSE("nan -inf nan 0"), FAIL},
    {"a factor that counts as 0", RESPONSES("1e-38"), RESPONSE("nan nan 0 0"), PASS},
    {"a number for such a factor", RESPONSES("1e-38"), RESPONSE("nan 1 0 0"), FAIL},
#define SCALED_PRODUCT                                                                                                 \
    "MATRIX_MULTIPLY_INTEGER_TO_FLOAT ATensor=UINT8[1,1] AScaleTensor=FLOAT32[1,1] AZeroPointTensor=null "             \
    "BTensor=INT8[1,1] BScaleTensor=FLOAT32[1,1] BZeroPointTensor=null BiasTensor=FLOAT32[1,1] "                       \
    "OutputTensor=FLOAT32[1,1]"
    {"an infinite Bias", SCALED_PRODUCT, {"2", "0.5", "-3", "2", "inf", "inf"}, PASS},
    {"a number for an infinite Bias", SCALED_PRODUCT, {"2", "0.5", "-3", "2", "inf", "-3"}, FAIL},
    {"a NaN for an infinite Bias", SCALED_PRODUCT, {"2", "0.5", "-3", "2", "inf", "nan"}, FAIL},
    {"a number for a Bias that is a NaN", SCALED_PRODUCT, {"2", "0.5", "-3", "2", "nan", "-3"}, FAIL},
    {"a product that opposes an infinite Bias", SCALED_PRODUCT, {"2", "3e38", "-3", "2", "inf", "nan"}, PASS},
    {"a number for such a product", SCALED_PRODUCT, {"2", "3e38", "-3", "2", "inf", "7"}, FAIL},
#define TO_INPUT                                                                                                       \
    "BATCH_NORMALIZATION_GRAD InputTensor=FLOAT32[1,1,1,1] InputGradientTensor=FLOAT32[1,1,1,1] "                      \
    "MeanTensor=FLOAT32[1,1,1,1] VarianceTensor=FLOAT32[1,1,1,1] ScaleTensor=FLOAT32[1,1,1,1] "                        \
    "OutputGradientTensor=FLOAT32[1,1,1,1] OutputScaleGradientTensor=FLOAT32[1,1,1,1] "                                \
    "OutputBiasGradientTensor=FLOAT32[1,1,1,1] Epsilon=1"
    {"an infinite gradient", TO_INPUT, {"1", "inf", "1", "3", "1e-37", "inf", "nan", "inf"}, PASS},
    {"a NaN for an infinite gradient", TO_INPUT, {"1", "inf", "1", "3", "1e-37", "nan", "nan", "inf"}, FAIL},
    {"a factor of a gradient that counts as 0", TO_INPUT, {"1", "inf", "1", "1e6", "1e-37", "nan", "nan", "inf"}, PASS},
    {"a number for such a factor", TO_INPUT, {"1", "inf", "1", "1e6", "1e-37", "0", "nan", "inf"}, FAIL},
    {"an infinite scale of a gradient that counts as 0",
     TO_INPUT,
     {"1", "1e-37", "1", "1e6", "-inf", "nan", "0", "1e-37"},
     PASS},
#define MATRICES(alpha, beta, activation)                                                                              \
    "GEMM ATensor=FLOAT32[1,2] BTensor=FLOAT32[2,1] CTensor=FLOAT32[1,1] OutputTensor=FLOAT32[1,1] TransA=0 TransB=0 " \
    "Alpha=" alpha " Beta=" beta " FusedActivation=" activation
    {"an infinite addend", MATRICES("1", "1", "null"), {"1 2", "3 4", "inf", "inf"}, PASS},
    {"an infinite addend times a number below 0", MATRICES("1", "-2", "null"), {"1 2", "3 4", "inf", "-inf"}, PASS},
    {"a number for an infinite addend", MATRICES("1", "1", "null"), {"1 2", "3 4", "inf", "11"}, FAIL},
    {"a NaN for an infinite addend", MATRICES("1", "1", "null"), {"1 2", "3 4", "inf", "nan"}, FAIL},
    {"the opposite infinity", MATRICES("1", "1", "null"), {"1 2", "3 4", "inf", "-inf"}, FAIL},
    {"an infinite addend that a product opposes", MATRICES("1", "1", "null"), {"-3e38 2", "3 4", "inf", "nan"}, PASS},
    {"an infinity beside such a product", MATRICES("1", "1", "null"), {"-3e38 2", "3 4", "inf", "inf"}, PASS},
    {"a number beside such a product", MATRICES("1", "1", "null"), {"-3e38 2", "3 4", "inf", "7"}, FAIL},
    {"the infinity of such a product", MATRICES("1", "1", "null"), {"-3e38 2", "3 4", "inf", "-inf"}, FAIL},
    {"an activation of such a NaN", MATRICES("1", "1", "ACTIVATION_RELU()"), {"-3e38 2", "3 4", "inf", "0"}, PASS},
    {"no activation of it", MATRICES("1", "1", "ACTIVATION_RELU()"), {"-3e38 2", "3 4", "inf", "7"}, FAIL},
    {"an activation of an infinite addend", MATRICES("1", "1", "ACTIVATION_RELU()"), {"1 2", "3 4", "inf", "11"}, FAIL},
    {"an infinite addend with a factor of 0", MATRICES("1", "0", "null"), {"1 2", "3 4", "inf", "nan"}, PASS},
    {"no addend with a factor of 0", MATRICES("1", "0", "null"), {"1 2", "3 4", "inf", "11"}, PASS},
    {"a number with a factor of 0", MATRICES("1", "0", "null"), {"1 2", "3 4", "inf", "12"}, FAIL},
    {"an infinite addend with a factor of 0", MATRICES("1", "0", "null"), {"1 2", "3 4", "inf", "inf"}, FAIL},
    {"no product with a factor of 0", MATRICES("0", "2", "null"), {"1 nan", "3 4", "5", "10"}, PASS},
    {"a product with a factor of 0", MATRICES("0", "2", "null"), {"1 nan", "3 4", "5", "nan"}, PASS},
    {"a number for a product with a factor of 0", MATRICES("0", "2", "null"), {"1 nan", "3 4", "5", "3"}, FAIL},
    {"an infinite factor of a sum that rounding moves",
     MATRICES("inf", "1", "null"),
     {"1 -1", "3 3", "-inf", "-inf"},
     PASS},
    {"the sign of no addend", MATRICES("inf", "1", "null"), {"1 -1", "3 3", "-inf", "inf"}, FAIL},
    {"a factor that counts as 0", MATRICES("1", "1e-40", "null"), {"1 2", "3 4", "inf", "nan"}, PASS},
#define FILTERED(activation)                                                                                           \
    "CONVOLUTION InputTensor=FLOAT32[1,1,2] FilterTensor=FLOAT32[1,1,2] BiasTensor=FLOAT32[1,1,1] "                    \
    "OutputTensor=FLOAT32[1,1,1] Mode=1 Direction=0 DimensionCount=1 Strides=[1] Dilations=[1] StartPadding=[0] "      \
    "EndPadding=[0] OutputPadding=[0] GroupCount=1 FusedActivation=" activation
    {"an infinite bias", FILTERED("null"), {"1 2", "3 4", "-inf", "-inf"}, PASS},
    {"a number for an infinite bias", FILTERED("null"), {"1 2", "3 4", "-inf", "11"}, FAIL},
    {"a NaN for an infinite bias", FILTERED("null"), {"1 2", "3 4", "-inf", "nan"}, FAIL},
    {"an infinite bias that a product opposes", FILTERED("null"), {"3e38 2", "3 4", "-inf", "nan"}, PASS},
    {"a number beside such a product", FILTERED("null"), {"3e38 2", "3 4", "-inf", "7"}, FAIL},
    {"an activation of a sum with an infinite bias", FILTERED("ACTIVATION_TANH()"), {"1 2", "3 4", "-inf", "1"}, FAIL},
    {"an activation of the infinite bias", FILTERED("ACTIVATION_TANH()"), {"1 2", "3 4", "-inf", "-1"}, PASS},
};

static uint8_t memory[OPDESC_MAX_TENSORS][ROOM], expected[OPDESC_MAX_TENSORS][ROOM];

/* Writes numbers, separated by blanks, to a packed tensor. */
static void test_verdicts_fill(const struct opdesc_tensor *tensor, uint8_t *to, const char *text)
{
    char *end;
    for (uint64_t at = 0; *text; at++, text = end + strspn(end, " ")) {
        uint64_t bits = 0;
        double value = strtod(text, &end);
        if (end == text) {
            printf("Bail out! '%s' is no number\n", text);
            exit(3);
        }
        datatype_from_double(tensor->data_type, value, &bits);
        element_put(datatype_of(tensor->data_type)->bits, to, at, bits);
    }
}

static bool test_verdicts_is_output(const struct spec *spec, int item)
{
    for (int field = 0; field < spec->field_count; field++)
        if (field_is_output(&spec->fields[field]) && spec_item(spec, field) == item)
            return true;
    return false;
}

static int test_verdicts_judge(const struct spec_set *specs, const char *description, const char *const elements[],
                               const char **first)
{
    static struct comparison comparison;
    struct opdesc desc;
    struct error error = {0};
    uint8_t *tensors[OPDESC_MAX_TENSORS], *computed[OPDESC_MAX_TENSORS];
    int verdict = PASS;
    if (desc_text_parse(specs, description, &desc, &error) != 0) {
        printf("Bail out! %s\n", error.text);
        exit(3);
    }
    memset(memory, 0, sizeof memory);
    for (int i = 0, next = 0; i < desc.tensor_count; i++) {
        tensors[i] = memory[i];
        computed[i] = expected[i];
        if (desc.items[i].tensor.present)
            test_verdicts_fill(&desc.items[i].tensor, memory[i], elements[next++]);
    }
    memcpy(expected, memory, sizeof memory);
    computed_run(&specs->specs[desc.op], &desc, computed);
    for (int i = 0; i < desc.tensor_count; i++) {
        const struct computed_output output = {.spec = &specs->specs[desc.op],
                                               .desc = &desc,
                                               .item = i,
                                               .tensors = (const uint8_t *const *)tensors,
                                               .expected = expected[i],
                                               .got = memory[i],
                                               .rule = -1};
        if (!test_verdicts_is_output(&specs->specs[desc.op], i) || !desc.items[i].tensor.present)
            continue;
        computed_compare(&output, &comparison);
        if ((int)comparison.agreement > verdict)
            verdict = (int)comparison.agreement;
    }
    *first = comparison.first.expected;
    return verdict;
}

int main(void)
{
    static struct spec_set specs;
    struct error error = {0};
    static const char *const words[] = {[PASS] = "passes", [WARN] = "warns", [FAIL] = "fails"};
    if (kept_specs(&specs, &error) != 0) {
        printf("Bail out! %s\n", error.text);
        return 3;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *first;
        int got = test_verdicts_judge(&specs, rows[i].description, rows[i].elements, &first);
        if (!ok(got == rows[i].verdict, "%.30s…: %s %s", rows[i].description, rows[i].kind, words[rows[i].verdict]))
            note("it %s; expected %s", words[got], first);
    }
    spec_set_free(&specs);
    return tap_done();
}
