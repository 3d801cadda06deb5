-- Decisions of the project where the documents leave room, contradict themselves or are wrong, one line each. Rules,
-- behaviours, examples and levels refer to them in `ruling`; `unused` says why none does.

return rulings {
  -- sizes of GATHER_ND, GATHER_ND1 and SCATTER_ND; P, Q and B are the attributes, K is the last size of IndicesTensor
  { "A1", "the tail of the output is the last P - B - K sizes of the input, not the last K of them" },
  { "A2", "a range of sizes written a .. b excludes b" },
  { "A3", "a tuple has from 1 to P - B coordinates; the page's own bound, DimensionCount, is too wide" },
  { "A4", "the sizes of the output must fit into DimensionCount dimensions" },
  { "A5", "the leading sizes that an attribute does not count are 1" },
  { "A6", "P and Q may be the full DimensionCount, for scatters too, and are at least 1" },
  { "A7", "Q counts the dimension of the tuple: Q = 1 is one tuple" },
  { "A8", "a property that must match is compared with the same property of InputTensor" },
  { "A9", "P is the number of counted dimensions, even if the first of them has size 1" },
  { "A10", "B is below P and below Q, and both tensors have the same batch sizes" },
  { "A11", "SCATTER_ND has no axis: the wording is from another page" },
  { "A12", "IndexDimensions may be the full DimensionCount; 0 is a scalar index" },
  { "A13", "the column example of GATHER has IndexDimensions 1: with the printed value its output would not fit" },
  -- examples that break the rules of their own page
  { "A14", "the output of the GATHER_ELEMENTS example is FLOAT32, like its input" },
  { "A15", "the indices of the SCATTER_ND example are integers" },
  { "A16", "the tensors of the SCATTER_ND example are padded to two dimensions each" },
  { "A17", "two-dimensional examples need level 3_0 or higher" },
  { "A18", "a SCATTER example that repeats an index proves nothing; the other example has an input of 3 rows" },
  { "A19", "coordinates are right-aligned; rows past the count are not compared" },
  { "A20", "errors in the metadata of the NONZERO_COORDINATES page", unused = "no behaviour of a device depends on them" },
  -- index values
  { "A21", "from level 3_0 on, signed indices from -n to -1 count from the end; unsigned indices never do" },
  { "A22", "a gather index out of range changes no other element and likely reads the nearest one; an error may " ..
    "follow, except in GATHER" },
  { "A23", "a scatter index out of range changes no memory outside the output; its update is dropped, or the call " ..
    "fails" },
  { "A24", "a target of several updates becomes exactly one of them" },
  { "A25", "64-bit indices are compared in full" },
  { "A26", "elements are copied bit for bit; a deviation in NaN payloads or denormals is a warning" },
  { "A27", "indices have the sizes of the input except at Axis, where they may be smaller or larger" },
  { "A28", "Axis is below DimensionCount, which all tensors share" },
  { "A29", "no size is 0" },
  -- NONZERO_COORDINATES; N and M are the last two sizes of OutputCoordinatesTensor
  { "A30", "N is at least 1, even if the effective rank is 0" },
  { "A31", "N may be the full DimensionCount of the input" },
  { "A32", "M is exactly the number of elements of the input" },
  { "A33", "the tensors share a DimensionCount up to level 3_1; each has its own from 4_0 on" },
  { "A34", "sizes for other DimensionCounts follow the pattern: leading 1s, then M and N" },
  { "A35", "a size in brackets in a table is optional; where present, [1] is 1" },
  { "A36", "the effective rank ignores leading sizes of 1 only" },
  { "A37", "the coordinates that a narrow row omits are always 0" },
  { "A38", "rows follow the logical coordinates in row-major order, whatever the strides" },
  { "A39", "a broadcast element counts once for each coordinate" },
  { "A40", "negative zero is zero" },
  { "A41", "NaN and infinities are not zero" },
  { "A42", "denormals are not zero, though a device may flush them" },
  { "A43", "the count is in rows; rows past it are undefined" },
  { "A44", "the count fits into UINT32", unused = "no input has more than 2^32 - 1 elements" },
  { "A45", "no table has 64-bit inputs" },
  -- element-wise operators
  { "E1", "an output element depends on the input elements at its coordinates; a size of 1 is never stretched, " ..
    "strides of 0 broadcast" },
  { "E2", "Scale and Bias are applied in FLOAT32 or better, with an error of one ULP of the largest term" },
  { "E3", "a ScaleBias of integers is exact within the type and 24 bits, for an integer Scale and Bias; otherwise " ..
    "it is open" },
  { "E4", "integers are taken modulo 2^width; those of 8 and 16 bits may saturate, too, with 32 and 64 bits that is a " ..
    "warning" },
  { "E5", "a floating-point result is the exact result, rounded once; FLOAT16 operators compute in FLOAT32 or better" },
  { "E6", "a NaN among the operands of arithmetic gives a NaN, of any payload and sign" },
  { "E7", "denormals of floating-point operands and results may be flushed to zeros, with a warning" },
  { "E8", "zeros are equal; a zero with the wrong sign is a warning where the sign follows from the formula" },
  { "E9", "a result beyond the largest number becomes an infinity; the largest number instead is a warning" },
  { "E10", "the documents give no tolerance: the limits are those of other suites, of Direct3D and of Vulkan" },
  { "E11", "where a function is steep or its argument large, results are open; tests avoid such arguments" },
  { "E12", "an example that is on no page is computed by hand" },
  { "E13", "values outside of an enumeration are rejected; a division of integers by 0, and shifts by the width, " ..
    "are open" },
  { "E14", "an operator computes its mathematical function, not the formula in the comment of its page" },
  { "E15", "SIGN of a NaN is 0, as in the last branch of the page" },
  { "E16", "MAX, MIN and CLIP of a NaN return an operand, a limit or a NaN; a device may ignore a NaN limit; " ..
    "CLIP_GRAD passes the gradient" },
  { "E17", "MEAN is half of the sum, for integers rounded toward zero; a sum beyond the type is open" },
  { "E18", "MODULUS may round the quotient to the next integer; a large quotient loses the remainder" },
  { "E19", "powers without a real value are the values of C's pow, or NaN where C has 1; integer results are " ..
    "rounded toward zero" },
  { "E20", "ATAN_YX with infinities gives the angles of C's atan2" },
  { "E21", "Min above Max may be rejected; if it is accepted, CLIP gives Min and CLIP_GRAD 0" },
  { "E22", "a FLOAT limit counts in the type of the tensor: integers are truncated and saturate, FLOAT16 is rounded" },
  { "E23", "CAST of a value beyond the range of an integer type or of FLOAT16 is open" },
  { "E24", "a device may accept a fused activation of a higher level, or SOFTMAX; its Desc is not null" },
  { "E25", "an activation of a NaN or an infinity may have the value of its formula or of its limit" },
  { "E26", "a quantised value is rounded with halves to even, then the zero point added, then clamped; near a tie " ..
    "both integers are right" },
  { "E27", "the range of DYNAMIC_QUANTIZE_LINEAR contains 0; its zero point is rounded and clamped, as in ONNX" },
  { "E28", "the pages of QUANTIZE and DEQUANTIZE are silent: each block of equal size has a scale and a zero point, " ..
    "as in DMLX and WebNN" },
  { "E29", "FILL_VALUE_SEQUENCE counts logical elements; its delta is signed; repeated addition of the delta is a " ..
    "warning" },
  -- sums and reductions
  { "S1", "a device may sum in any order, in FLOAT32 or better; a sum of FLOAT16 elements in FLOAT16 is a warning" },
  { "S2", "sums and products of integers are taken modulo 2^width, a deviation is a warning" },
  { "S3", "if a partial result leaves the range of the type in some order, the result may leave it, too" },
  { "S4", "MIN and MAX with a NaN return the NaN or the extreme of the numbers, ARGMIN and ARGMAX the index of " ..
    "either; sums are NaN" },
  { "S5", "a repeated axis is a warning if accepted; without axes a device reduces each element by itself, or " ..
    "rejects" },
  { "S6", "a device rejects values outside of an enumeration; it takes a BOOL above 1 as true, or rejects it" },
  { "S7", "-0 and +0 are equal; a device that orders them gets a warning" },
  { "S8", "excluded elements have no influence on a running sum or product" },
  { "S9", "an index is row-major over the reduced axes in ascending order, whatever the order in Axes" },
  { "S10", "LOG_SUM_EXP may overflow or underflow as e^x does, or subtract the largest element first; ln is natural" },
  { "S11", "the tables decide the output types of ARGMIN and ARGMAX, not the page of the enumeration; two " ..
    "dimensions need 3_0" },
  { "S12", "FOLD: sizes and paddings describe the output; an element that no window covers is 0; a sum of zeros may " ..
    "have either sign" },
  -- operators that move elements
  { "V1", "SLICE: a stride of 0 is open: the formula repeats one element, and SLICE1 forbids it" },
  { "V2", "examples of this project cover features without an example on a page" },
  { "V3", "SLICE1: a device should reject a stride of 0; an acceptance is a warning, since the page of SLICE_GRAD " ..
    "says that SLICE1 accepts it" },
  { "V4", "SLICE1 and SLICE_GRAD count the elements of a window by the size of the stride, not by the signed stride" },
  { "V5", "TILE: both tensors have the same DimensionCount; the second tensor of its example is the output" },
  { "V6", "a device should reject a PaddingMode or Order outside of the enumeration, and must reject a mode of a " ..
    "higher level" },
  { "V7", "REFLECTION of a size of 1 and WRAP by more than the size are open: the documents do not define the result" },
  { "V8", "PADDING: an integer value is truncated toward zero; a value beyond the type, or inexact in FLOAT16, is " ..
    "open" },
  { "V9", "PADDING1: in modes other than CONSTANT, a wrong type of the unused value is a warning if accepted" },
  { "V10", "SPACE_TO_DEPTH: the sizes follow the page's example; the text of the page has the sizes of the inverse" },
  { "V11", "a BlockSize is at least 1, and divides the sizes that it splits" },
  { "V12", "SLICE_GRAD: a device should reject an input with more elements than its windows; an acceptance is a " ..
    "warning" },
  { "V13", "UNFOLD and FOLD: the tensors have 2 + DimensionCount and 3 dimensions, as in the examples; further " ..
    "leading sizes of 1 are open" },
  { "V14", "UNFOLD and FOLD: a device should reject windows, strides and dilations of 0; an acceptance is a " ..
    "warning. A dilated window fits into the padded image, since no size is 0" },
  { "V15", "UNFOLD and FOLD: only whole windows count, so the number of window positions is rounded down" },
  { "V16", "UNFOLD and FOLD: both tensors have the same data type; an accepted deviation is a warning" },
  -- selection and random numbers
  { "R1", "a FLOAT Value is converted to the type of the output: truncated to an integer, or rounded to FLOAT16; a " ..
    "value beyond the integer type is open" },
  { "R2", "diagonal offsets are compared in 64 bits: no sum of offsets wraps" },
  { "R3", "all bits of 64-bit indices and lengths count; use of the low 32 bits alone is a warning" },
  { "R4", "ONE_HOT: an index equal to the size of the axis, or below its negative, is out of range, too" },
  { "R5", "MAX_UNPOOLING: indices are row-major over the whole output; the batches and channels of both tensors " ..
    "agree" },
  { "R6", "Philox 4x32-10 as Random123 publishes it: state words 0 to 3 are the counter, the lowest first, 4 and 5 " ..
    "the key" },
  { "R7", "the counter is 128 bits wide, carries into all words and wraps; unused words of the last block are lost" },
  { "R8", "TOP_K: the position of a NaN in the order is open; zeros of both signs may be equal, as may denormals " ..
    "and zeros" },
  { "R9", "an example that is on no page is computed by hand, or from published vectors" },
  { "R10", "the first example of DIAGONAL_MATRIX1 has Value 7 and shows ones; Value is right" },
  -- activations and normalisations
  { "N1", "a device may accept or reject attributes that are NaNs or infinities, or that cause a division by 0" },
  { "N2", "a FLOAT attribute may be rounded to FLOAT16 first or not: the pages do not say" },
  { "N3", "PARAMETERIZED_RELU selects: an element of 0 or above ignores its slope" },
  { "N4", "a device may convert integers beyond 24 bits to FLOAT32, with a warning; a value beyond the type is open" },
  { "N5", "SHRINK of integers: Threshold is rounded down, which changes no comparison; a negative Threshold may be " ..
    "truncated; the result of a Bias with a fraction is open" },
  { "N6", "SOFTPLUS: from 6_4 on a Steepness below 1 is legal, as the history and the release notes say, against " ..
    "the page; 0 and negative values are open" },
  { "N7", "RELU_GRAD selects and does not multiply: a blocked NaN or infinity has no effect" },
  { "N8", "SHRINK: the conditions of the formula are tested in order; testing the second condition first is a " ..
    "warning" },
  { "N10", "SOFTMAX family: a slice is the set of elements with the same coordinates outside of the axes; the order " ..
    "of Axes has no effect" },
  { "N11", "SOFTMAX family: the exponent is the element minus the maximum of its slice, so no power overflows; the " ..
    "pages' formulas are not literal" },
  { "N12", "SOFTMAX family: powers and logarithms are as precise as in Direct3D, sums have any order; FLOAT16 is " ..
    "computed in FLOAT32, or in FLOAT16 with a warning" },
  { "N13", "a NaN turns its whole slice into NaNs, a deviation is a warning; slices with plus infinity or of minus " ..
    "infinities alone are open, and so is HARDMAX of a NaN" },
  { "N14", "the page of LOG_SOFTMAX1 shows the results of HARDMAX1; the examples here follow the formula of " ..
    "LOG_SOFTMAX1" },
  { "N20", "a normalised element is open if an intermediate sum, square or product is beyond the type; a sum beyond " ..
    "FLOAT16 counts, too; a gradient with an infinite term is an infinity or a NaN" },
  { "N21", "the result is open if the variance plus Epsilon is 0, negative, or may be flushed to 0" },
  { "N22", "a variance below the rounding error of the squared mean: a NaN, or any value on the right side of the mean, " ..
    "is a warning; the variance of equal elements is 0" },
  { "N23", "a slice of one element becomes its bias or a NaN; BATCH_NORMALIZATION_TRAINING returns the element as " ..
    "mean, and variance 0; NaNs there are a warning" },
  { "N24", "axes exist, in any order, none repeated; without axes each element is a slice by itself, or the device " ..
    "rejects" },
  { "N25", "an example that is on no page is computed by hand; a variance is biased: the sum of squares divided by " ..
    "the number of elements" },
  { "N26", "Spatial has an effect below 4_0 only: if FALSE, height and width are not broadcast; with a " ..
    "DimensionCount other than 4 a violation is a warning" },
  { "N27", "OutputVarianceTensor does not include Epsilon; FusedAddTensor is added before the activation" },
  { "N28", "BATCH_NORMALIZATION_GRAD sums over the dimensions in which MeanTensor has one element" },
  { "N29", "BATCH_NORMALIZATION_TRAINING_GRAD reads the mean from MeanTensor, or computes it from InputTensor as on " ..
    "its page" },
  { "N30", "LP_NORMALIZATION divides by the larger of norm and Epsilon; other uses of Epsilon are a warning" },
  { "N31", "a row of zeros stays zero if Epsilon is positive and not denormal; otherwise, and where squares " ..
    "underflow, the result is open" },
  { "N32", "MEAN_VARIANCE_NORMALIZATION2: without UseMean the mean is 0, also within the variance; without " ..
    "UseVariance there is no division" },
  { "N35", "LOCAL_RESPONSE_NORMALIZATION: a device may accept or reject attributes that are not positive; the " ..
    "result is open if S is not positive, or if S or its power is beyond the type" },
  { "N36", "LOCAL_RESPONSE_NORMALIZATION: with CrossChannel, a window covers channels; without, rows and columns of " ..
    "one channel; the three texts disagree. Windows are clipped; the divisor is always LocalSize" },
  { "N37", "LOCAL_RESPONSE_NORMALIZATION: with an even LocalSize, the additional element of a window may be the " ..
    "last element, as in ONNX, or the first" },
  { "N38", "LOCAL_RESPONSE_NORMALIZATION: the divisor is LocalSize, as on the page; without CrossChannel, the " ..
    "square of LocalSize is a warning" },
  { "N39", "LOCAL_RESPONSE_NORMALIZATION_GRAD: the page has no formula; it is the derivative of the forward formula" },
  { "N40", "VALUE_SCALE_2D: Bias has a number for each channel, not for each dimension as on the page" },
  -- windows that move: poolings
  { "W1", "strides, dilations and sizes of windows are at least 1" },
  { "W2", "the dilated window must fit into the padded input; for MAX_POOLING and its successors, an acceptance is a " ..
    "warning" },
  { "W3", "the sizes of the output count the dilated window; a device may accept sizes by the pages' formula, which " ..
    "forgets Dilations" },
  { "W4", "a device may reject sizes that are rounded up, and paddings as large as the window" },
  { "W5", "the greatest of nothing, an average of nothing and, with IncludePadding, the number of elements of a " ..
    "window that goes past the padded input are open" },
  { "W6", "a maximum ignores padding, and NaNs or not; -0 and +0 are equal" },
  { "W7", "the index of a maximum is row-major over the whole input, with batches and channels, whatever the strides" },
  { "W8", "LP_POOLING takes absolute values first, although the page's formula does not; other results are a warning" },
  { "W9", "a P of 0 should be rejected, and gives any value" },
  { "W10", "QUANTIZED_LINEAR_AVERAGE_POOLING: scales and zero points have one element, or one for each channel. They " ..
    "are right-aligned with the input; a device may reject a vector of channels" },
  { "W11", "QUANTIZED_LINEAR_AVERAGE_POOLING: with IncludePadding, padding counts as the real number 0, which is the " ..
    "zero point; other results are a warning" },
  -- resampling
  { "U1", "UPSAMPLE_2D is RESAMPLE with whole scales: LINEAR takes elements at their centres; the weights of elements " ..
    "at their corners are a warning" },
  { "U2", "a weighted average of an infinity or a NaN may be a NaN; with a weight of 0 it is open" },
  { "U3", "RESAMPLE, RESAMPLE1, RESAMPLE_GRAD: a coordinate in the middle between two elements takes the later one, as " ..
    "in ONNX Runtime; the earlier one is a warning" },
  { "U4", "RESAMPLE and its successors: coordinates are FLOAT32 numbers; near the point where the nearest element " ..
    "changes, both are right, unless the scale is a power of two and the coordinate has few digits" },
  { "U5", "RESAMPLE3: Antialiased has an effect for LINEAR and a scale below 1/2 only, where values are open; other " ..
    "values at scales from 1/2 to 1 are a warning" },
  { "U6", "RESAMPLE and its successors: scales are finite and above 0, offsets finite; a coordinate beyond 2^20 is open" },
  { "U7", "RESAMPLE and its successors: LINEAR may miss an integer by 1" },
  { "U8", "RESAMPLE_GRAD, RESAMPLE_GRAD1: the offsets are those of the operator whose gradient this is; exchanged, as " ..
    "TensorFlow's plugin passes them, they are right, too" },
  -- regions of pictures
  { "Z1", "ROI_POOLING: a region with corners a and b has b - a + 1 rows, at least one; the end of a bin is exclusive" },
  { "Z2", "ROI_POOLING: how a coordinate between two elements is rounded is open: away from zero or to even" },
  { "Z3", "ROI_POOLING: a bin outside of the picture gives 0, as in ONNX, or its nearest element, or the least number; " ..
    "a reversed region is open" },
  { "Z4", "a region whose batch or corner is no number that the input has gives any value, as does a coordinate that " ..
    "infinite offsets make no number" },
  { "Z5", "ROI_ALIGN: sample s of a region is at (s - OutputPixelOffset) * length / samples, from its first edge, less " ..
    "InputPixelOffset; the loops of the page's pseudo-code are half-open" },
  { "Z6", "ROI_ALIGN: the number of samples is the size of a bin, rounded up and limited; it is open where the limits " ..
    "differ and the size is no whole number; the limits are at least 1 and in order" },
  { "Z7", "ROI_ALIGN: a sample up to 1 outside of the picture is moved to its edge, as in ONNX; one farther away is " ..
    "OutOfBoundsInputValue" },
  { "Z8", "ROI_ALIGN: NEAREST_NEIGHBOR between two elements is open" },
  { "Z9", "ROI_ALIGN_GRAD: OutputGradientTensor is the adjoint of ROI_ALIGN1; a sample outside of the picture passes " ..
    "nothing on, and which of equal samples is the greatest is open" },
  { "Z10", "ROI_ALIGN_GRAD: OutputROIGradientTensor is the derivative by the chain rule, with the elements before and " ..
    "behind a sample, which are one where it is at an element; with NEAREST_NEIGHBOR it is open" },
  -- recurrence
  { "Q1", "the equations of RNN, GRU and LSTM are those of ONNX with layout 0; results of BACKWARD are at their own time" },
  { "Q2", "a sequence length of 0, or above that of the input, gives any value" },
  { "Q3", "OutputSequenceTensor is 0 past the length of a sequence in ONNX; any value is right" },
  { "Q4", "where a state, or a sum on the way to it, may be beyond the type, any value is right" },
  { "Q5", "ONNX Runtime gives at least one output of a recurrent network" },
  { "Q6", "LSTM: ClipThreshold is at least 0 and limits what the activations f and g take, sums and peepholes " ..
    "together; it may limit what h takes, as in ONNX Runtime, whose page says the same of all activations" },
  { "Q7", "LSTM: with CoupleInputForget, i decides alone, and a NaN in the sum of f has no effect" },
  -- attention
  { "K1", "attention: Scale is used as it is; masks and biases are added to scaled scores, and the softmax subtracts the " ..
    "greatest of a row; keys of the past come first" },
  { "K2", "attention: PastValueTensor and OutputPresentValueTensor have the head size of values; a cross attention is the " ..
    "case without a past" },
  { "K3", "attention: the present outputs have the bias; a device that writes them without it gets a warning" },
  { "K4", "attention: whether a filtered score is increased by MaskFilterValue or set to it is open: the texts contradict " ..
    "each other" },
  { "K5", "attention: whether a mask counts the rows of the past is open" },
  { "K6", "attention: a BOOLEAN mask other than 0 and 1, and starts of queries and keys that filter, are open" },
  { "K7", "attention: a filter, score or value that is not finite may give any value; a NaN that counts gives a NaN" },
  { "K8", "MULTIHEAD_ATTENTION1: KeyValueHeadCount divides QueryHeadCount, and neighbouring heads of queries share one of " ..
    "keys and values; stacked tensors have equal numbers" },
  { "K9", "attention: a device may take PastKeyTensor and PastValueTensor as all keys and values, or reject it" },
  { "K10", "attention: PastKeyTensor and PastValueTensor belong together, as MaskTensor and MaskType do" },
  { "K11", "attention: a relative bias and a BOOLEAN mask have an element for each score, as in ONNX Runtime" },
  { "K12", "attention: a list of lengths may have one dimension or not" },
  { "K13", "MULTIHEAD_ATTENTION1: PastSequenceLengthsTensor is INT32; its meaning is open, unless there is no past and one " ..
    "query and key" },
  -- products of matrices
  { "P1", "a sum of products is computed in FLOAT32 or better; in FLOAT16 with a warning" },
  { "P2", "an Alpha or Beta of 0 may skip what it multiplies, also a NaN or an infinity" },
  { "P3", "a device may reject a size of more than 65535 channels" },
  { "P4", "CONVOLUTION may use a transform such as Winograd's, which spreads rounding errors: a warning" },
  { "P5", "convolutions: GroupCount is at least 1 and divides both numbers of channels; filters are those of ONNX" },
  { "P6", "CONVOLUTION, BACKWARD: a device should reject sizes that are not those of a FORWARD" },
  { "P7", "CONVOLUTION: OutputPadding is no zero padding in any library; what it adds is open, so a device may reject " ..
    "it" },
  { "P8", "a parameter of one dimension with an element for each row may be accepted" },
  { "P9", "products of integers are exact; where a sum may exceed 32 bits, the result is open. Parameters of fewer " ..
    "dimensions are right-aligned" },
  { "P10", "MATRIX_MULTIPLY_INTEGER_TO_FLOAT: the page wants one type of A and B; DirectML's callers mix types" },
  { "P11", "a scale that is 0, negative or not finite gives any value" },
  { "P12", "convolutions of integers: a scale or zero point of the filter has one element, or one for each output " ..
    "channel, in dimension 1 or as a list; in other dimensions a device may accept or reject several" },
  { "P13", "convolutions of integers: padding counts as the zero point, as in ONNX, so that it adds nothing; a sum " ..
    "with the integer 0 in its place is a warning" },
  { "P14", "QUANTIZED_LINEAR_CONVOLUTION: a device may reject a scale of each channel with one zero point, and the " ..
    "reverse" },
  -- optimizers
  { "O1", "ADAM_OPTIMIZER: Epsilon is added outside of the bias correction; attributes count as FLOAT32 numbers" },
  { "O2", "ADAM_OPTIMIZER: a TrainingStep of 0 and Betas out of range give any value, as divisions by 0 do" },
  -- general
  { "B1", "a device may reject types and dimension counts outside of the newest table up to its level" },
  { "B2", "where pages differ about when an operator was introduced, the header and the history are right" },
  { "B3", "the minimum of TotalTensorSizeInBytes is rounded up to a multiple of 4; larger values that are no " ..
    "multiple of 4 are open" },
  { "B4", "a binding starts at a multiple of 16 and of the stated alignment; an alignment below 16 has no effect" },
  { "B5", "2^32 - 1 elements limit the extent in memory and, separately, the product of the sizes" },
  { "B6", "outputs whose elements overlap are open; the stride of a size of 1 has no effect" },
  { "B7", "inputs may be broadcast or padded, outputs padded" },
  { "B8", "the padding of an output may be written; inputs and memory around tensors may not" },
  { "B9", "an output may have the memory of an input of its type and layout if schema and page permit it; otherwise " ..
    "this is open" },
  { "B10", "null pointers, unknown flags and types, counts of 0 or above 8 and wrong alignments are rejected" },
  { "B11", "DimensionCounts are from 1 to 8, as the operator's table says" },
  { "B12", "errors on the pages about binding and device creation",
    unused = "device.h has its own calls instead" },
  { "B13", "a rejection is any failing HRESULT, preferably E_INVALIDARG" },
  { "B14", "a rejection comes at creation or, at the latest, compilation" },
  { "B15", "a wrong number of bindings removes the device",
    unused = "assay binds exactly the tensors of the description" },
  { "B16", "a query for feature levels returns one of those asked for",
    unused = "a device states its level; the interface has no such query" },
  { "B17", "creation with a null result pointer is open", unused = "the interface always has a result pointer" },
  { "B18", "execution flags change no result of a copy", unused = "operators are compiled without flags" },
  { "B19", "data types that a page's history mentions and no table lists are rejected; an acceptance is a warning" },
  { "B20", "where the pages list no types, or contradict themselves, a device may accept or reject the types that a " ..
    "card calls open" },
}
