/* bugs.h: the wrong values, one line each: identifier, name, what is wrong, and the public issue of a real implementation
 * with a bug of this kind ("" where none is known to us). naive*.c asks for them by identifier at the place in question.
 *
 * A line is SOFT if the rulings only warn of it, and OPEN if it is no bug at all: the documents allow the behaviour, and
 * a fingerprint tells it apart. */
#ifndef BUGS_H
#define BUGS_H

enum bug_kind { BUG_HARD, BUG_SOFT, BUG_OPEN };

/* clang-format off */
#define BUGS(HARD, SOFT, OPEN) \
    /* indices */ \
    HARD(NEGATIVE_AS_ZERO, "negative-as-zero", "a negative index is taken as 0", "openvino#30856") \
    HARD(NEGATIVE_PLUS_RANK, "negative-plus-rank", "a negative index gets the rank added, not the size", "openvino#22039") \
    HARD(NEGATIVE_PLUS_FIRST, "negative-plus-first", "a negative index counts from the end of dimension 0", "") \
    HARD(NEGATIVE_UNPADDED, "negative-unpadded", "dimensions that negatives count from are numbered from the left", "") \
    HARD(NEGATIVE_PLUS_INDICES, "negative-plus-indices", "a negative index counts from the end of the index tensor", "") \
    HARD(NEGATIVE_TWICE, "negative-twice", "a negative index is counted from the end twice", "") \
    HARD(NEGATIVE_ONE_SHORT, "negative-one-short", "-1 is the last element but one", "") \
    HARD(NEGATIVE_ONE_ONLY, "negative-one-only", "of the negative indices only -1 is known", "") \
    HARD(NEGATIVE_FIRST_ONLY, "negative-first-only", "negatives count in the first coordinate of a tuple only", "onnx-mlir#3611") \
    HARD(NEGATIVE_LAST_ONLY, "negative-last-only", "negatives count in the last coordinate of a tuple only", "") \
    HARD(NEGATIVE_LOWEST_LOST, "negative-lowest-lost", "-n counts as out of range", "") \
    HARD(INDEX_LOW_HALF, "index-low-half", "of a 64-bit index the low half is read, unsigned", "DirectML#727") \
    HARD(INDEX_WORDS, "index-words", "64-bit indices are found at 32-bit distances", "tensorflow-directml#80") \
    HARD(INDEX_8_BITS, "index-8-bits", "an index has 8 bits", "") \
    HARD(INDEX_16_BITS, "index-16-bits", "an index has 16 bits", "tt-metal#56398") \
    HARD(INDEX_HALF, "index-half", "an index passes through a float16", "") \
    HARD(INDEX_LAST_LOST, "index-last-lost", "n - 1 counts as out of range", "") \
    /* tuples */ \
    HARD(TUPLE_IS_LEAD, "tuple-is-lead", "a tuple has as many coordinates as the indices have leading sizes", "onnx-mlir#3611") \
    HARD(TAIL_LITERAL, "tail-literal", "a block has as many dimensions as a tuple has coordinates", "") \
    HARD(TUPLE_REVERSED, "tuple-reversed", "a tuple is read from its end", "apache/tvm#5229") \
    HARD(TUPLE_SHIFTED, "tuple-shifted", "each coordinate is read one place further on", "") \
    HARD(TUPLE_FIRST_ONLY, "tuple-first-only", "only the first coordinate of a tuple counts", "") \
    HARD(TUPLE_SKIPS_ONES, "tuple-skips-ones", "dimensions of size 1 take no coordinate", "tt-mlir#8982") \
    HARD(INPUT_RANK_STRIPPED, "input-rank-stripped", "leading sizes of 1 do not count in InputDimensionCount", "") \
    HARD(INDICES_RANK_STRIPPED, "indices-rank-stripped", "leading sizes of 1 do not count in IndicesDimensionCount", "") \
    HARD(BATCH_IGNORED, "batch-ignored", "every batch reads from the first one", "") \
    HARD(BATCH_FIRST_ONLY, "batch-first-only", "only the first batch dimension counts", "") \
    HARD(BATCH_FROM_END, "batch-from-end", "the batch is told by the last leading sizes", "") \
    HARD(BATCH_FROM_OUTPUT, "batch-from-output", "the batch is told by the first output sizes, padding included", "") \
    HARD(LEAD_LINEAR, "lead-linear", "updates of all tuples are found along the first leading size", "burn#5195") \
    HARD(LEAD_LAST_ONLY, "lead-last-only", "tuples are told apart by the last leading size only", "openvino#27041") \
    HARD(TAIL_ROW_ONLY, "tail-row-only", "of a block only the last dimension counts", "") \
    /* axes */ \
    HARD(AXIS_FIRST, "axis-first", "the axis is 0", "") \
    HARD(AXIS_LAST, "axis-last", "the axis is the last dimension", "") \
    HARD(AXIS_PLUS_ONE, "axis-plus-one", "the axis is one too high", "") \
    HARD(AXIS_MIRRORED, "axis-mirrored", "the axis counts from the end", "") \
    HARD(GATHER_RANK_STRIPPED, "gather-rank-stripped", "leading sizes of 1 do not count in IndexDimensions", "") \
    HARD(GATHER_SCALAR, "gather-scalar", "IndexDimensions of 0 is taken as 1", "") \
    HARD(GATHER_INDEX_ROW, "gather-index-row", "of several index dimensions only the last counts", "") \
    HARD(GATHER_BY_ELEMENT, "gather-by-element", "indices after the axis are read element by element", "DirectML#685") \
    HARD(ELEMENTS_BY_INPUT, "elements-by-input", "indices are found with the sizes of the input", "dfdx#588") \
    HARD(ELEMENTS_LINE, "elements-line", "all lines use the indices of the first", "") \
    /* scatters */ \
    HARD(SCATTER_NO_COPY, "scatter-no-copy", "elements without an update are not written", "iree#24504") \
    HARD(SCATTER_ONTO_ZERO, "scatter-onto-zero", "elements without an update become 0", "") \
    HARD(SCATTER_COPY_SHORT, "scatter-copy-short", "the last element is not copied", "") \
    HARD(SCATTER_COPY_LONG, "scatter-copy-long", "one element too many is copied", "apache/tvm#8419") \
    HARD(SCATTER_BY_TARGET, "scatter-by-target", "the update is read at the place where it goes", "") \
    HARD(SCATTER_LAST_LOST, "scatter-last-lost", "the last update is left out", "") \
    HARD(SCATTER_ADDS, "scatter-adds", "updates are added", "") \
    HARD(SCATTER_WORDS, "scatter-words", "a small update takes the rest of its 32-bit word along", "chipStar#1512") \
    OPEN(SCATTER_FIRST_WINS, "scatter-first-wins", "the first of several updates of an element stays", "") \
    OPEN(SCATTER_CLAMPS, "scatter-clamps", "an update out of range goes to the nearest element", "") \
    OPEN(GATHER_ZERO, "gather-zero", "an index out of range gives 0", "tensorflow#3638") \
    OPEN(INDEX_32_BITS, "index-32-bits", "a 64-bit index is cut to its low half", "") \
    OPEN(INDEX_SIGNED, "index-signed", "an unsigned 32-bit index is taken as signed", "") \
    /* strides and shapes */ \
    HARD(INPUT_PACKED, "input-packed", "strides of the input are ignored", "iree#19749") \
    HARD(INDICES_PACKED, "indices-packed", "strides of the indices are ignored", "pytorch#129093") \
    HARD(UPDATES_PACKED, "updates-packed", "strides of the updates are ignored", "") \
    HARD(OUTPUT_PACKED, "output-packed", "strides of the outputs are ignored", "") \
    HARD(BROADCAST_PACKED, "broadcast-packed", "a tensor with a stride of 0 is taken as packed", "csarofeen/pytorch#1514") \
    HARD(DENSE_PACKED, "dense-packed", "a tensor without gaps is taken as packed, permuted or not", "csarofeen/pytorch#755") \
    HARD(LAST_STRIDE_ONE, "last-stride-one", "the last stride is taken as 1", "") \
    HARD(FIRST_STRIDE_PACKED, "first-stride-packed", "the first stride is taken as packed", "") \
    HARD(RANK_MERGED, "rank-merged", "dimensions before the last 4 are merged into one", "tt-metal#56875") \
    HARD(RANK_5, "rank-5", "dimensions before the last 5 are ignored", "") \
    HARD(RANK_6, "rank-6", "dimensions before the last 6 are ignored", "") \
    HARD(RANK_7, "rank-7", "dimensions before the last 7 are ignored", "") \
    HARD(PLACE_8_BITS, "place-8-bits", "places are counted in 8 bits", "") \
    HARD(PLACE_16_BITS, "place-16-bits", "places are counted in 16 bits", "TIM-VX#454") \
    HARD(OFFSET_INPUT, "offset-input", "the offset of inputs is ignored", "") \
    HARD(OFFSET_OUTPUT, "offset-output", "the offset of outputs is ignored", "") \
    /* work groups */ \
    HARD(GROUP_64_TAIL, "group-64-tail", "what does not fill a group of 64 is not done", "") \
    HARD(GROUP_EDGE, "group-edge", "the last element of each group of 256 is not done", "") \
    HARD(FROM_1024, "from-1024", "elements from number 1024 on are not done", "") \
    HARD(FROM_65536, "from-65536", "elements from number 65536 on are not done", "hipBLASLt#2299") \
    HARD(ROW_64, "row-64", "in a row, elements from number 64 on are not done", "") \
    HARD(ROW_256, "row-256", "in a row, elements from number 256 on are not done", "") \
    HARD(ROW_1024, "row-1024", "in a row, elements from number 1024 on are not done", "") \
    HARD(ROWS_65535, "rows-65535", "rows from number 65535 on are not done", "mlx#3666") \
    HARD(EVERY_7TH, "every-7th", "every seventh element is not done", "") \
    HARD(LAST_LOST, "last-lost", "the last element is not done", "") \
    HARD(WORD_TAIL, "word-tail", "small elements that do not fill a 32-bit word are not done", "") \
    /* elements */ \
    HARD(FLOAT32_HALF, "float32-half", "FLOAT32 passes through a float16", "") \
    HARD(FLOAT64_FLOAT32, "float64-float32", "FLOAT64 passes through a float32", "") \
    HARD(INT32_FLOAT32, "int32-float32", "INT32 and UINT32 pass through a float32", "pytorch#123024") \
    HARD(INT64_FLOAT64, "int64-float64", "INT64 and UINT64 pass through a float64", "") \
    HARD(HIGH_HALF_LOST, "high-half-lost", "of 64 bits the low half is moved", "") \
    HARD(HALVES_SWAPPED, "halves-swapped", "the halves of 64 bits change places", "") \
    HARD(MINUS_ZERO_LOST, "minus-zero-lost", "-0.0 becomes 0.0", "") \
    HARD(NAN_INFINITY, "nan-infinity", "NaN becomes infinity", "tt-llk#675") \
    HARD(INFINITY_LARGEST, "infinity-largest", "infinity becomes the largest number", "") \
    HARD(LOWEST_CLIPPED, "lowest-clipped", "the lowest signed integer becomes the next one", "") \
    HARD(UNSIGNED_CLIPPED, "unsigned-clipped", "an unsigned integer is clipped to the signed range", "") \
    SOFT(NAN_CANONICAL, "nan-canonical", "every NaN becomes the same one", "") \
    SOFT(NAN_QUIET, "nan-quiet", "a signalling NaN becomes quiet", "") \
    SOFT(DENORMALS_FLUSHED, "denormals-flushed", "FLOAT32 denormals become 0", "tt-metal#54899") \
    HARD(DENORMALS_16_FLUSHED, "denormals-16-flushed", "FLOAT16 denormals become 0", "") \
    HARD(DENORMALS_64_FLUSHED, "denormals-64-flushed", "FLOAT64 denormals become 0", "") \
    /* coordinates of what is not zero */ \
    HARD(COLUMN_MAJOR, "column-major", "rows stand in column-major order", "") \
    HARD(CHUNKS_UNORDERED, "chunks-unordered", "chunks of 64 are written last first", "") \
    HARD(MEMORY_ORDER, "memory-order", "rows stand in the order of memory", "") \
    HARD(MINUS_ZERO_COUNTED, "minus-zero-counted", "-0.0 is not zero", "") \
    HARD(NAN_MISSED, "nan-missed", "NaN is zero", "") \
    HARD(INFINITY_MISSED, "infinity-missed", "infinity is zero", "") \
    HARD(FRACTIONS_MISSED, "fractions-missed", "a float below 1 is zero", "numba-cuda-mlir#304") \
    HARD(NEGATIVE_MISSED, "negative-missed", "a negative number is zero", "") \
    HARD(LOW_BYTE_ONLY, "low-byte-only", "an integer with a low byte of 0 is zero", "") \
    SOFT(DENORMALS_MISSED, "denormals-missed", "a denormal is zero", "mlx#4205") \
    HARD(COORDINATES_FIRST, "coordinates-first", "a row has the first coordinates", "") \
    HARD(COORDINATES_EFFECTIVE, "coordinates-effective", "a row has no coordinates of leading sizes of 1", "") \
    HARD(COORDINATES_FULL, "coordinates-full", "rows lie as far apart as if they had all coordinates", "") \
    HARD(COORDINATES_TRANSPOSED, "coordinates-transposed", "rows are columns", "") \
    HARD(COORDINATES_FLAT, "coordinates-flat", "the last coordinate is the element's number", "") \
    HARD(COORDINATES_8_BITS, "coordinates-8-bits", "a coordinate has 8 bits", "") \
    HARD(COORDINATES_HALF, "coordinates-half", "a coordinate passes through a float16", "pytorch#122916") \
    HARD(COUNT_PLUS_ONE, "count-plus-one", "the count is one too high", "") \
    HARD(COUNT_OF_VALUES, "count-of-values", "coordinates are counted, not rows", "") \
    HARD(COUNT_NOT_ZERO, "count-not-zero", "a count of 0 is not written", "") \
    HARD(COUNT_CAPPED, "count-capped", "at most 1024 rows are found", "torch-xpu-ops#4396") \
    HARD(LAST_SKIPPED, "last-skipped", "the last element is not looked at", "") \
    HARD(BROADCAST_ONCE, "broadcast-once", "a broadcast element is found once", "")
/* clang-format on */

#define BUG_IDENTIFIER(identifier, name, what, issue) BUG_##identifier,
enum bug { BUG_NONE, BUGS(BUG_IDENTIFIER, BUG_IDENTIFIER, BUG_IDENTIFIER) BUG_COUNT };
#undef BUG_IDENTIFIER

#endif
