/* bugs.h: bugs that give wrong values, a line each: identifier, name, what is wrong, the public issue of a real
 * implementation that had a bug of this kind ("": none is known), and the causes that a run may name for it: names of
 * explanations in harness/trial/explain.h, the exact one first ("": none has to fit). naive*.c implements each with an
 * `if`.
 *
 * A bug is SOFT if the rulings only warn of it. OPEN is no bug at all: the documents allow the behaviour, and only the
 * device's fingerprint shows it. */
#ifndef BUGS_H
#define BUGS_H

#include "device/mutants/bugs_moves.h"
#include "harness/mistakes/bugs_numbers.h"
#include "device/mutants/bugs_pick.h"
#include "harness/mistakes/bugs_activations.h"
#include "harness/mistakes/bugs_attention.h"
#include "harness/mistakes/bugs_matrix.h"
#include "harness/mistakes/bugs_normalise.h"
#include "harness/mistakes/bugs_products.h"
#include "harness/mistakes/bugs_quantise.h"
#include "harness/mistakes/bugs_region.h"
#include "harness/mistakes/bugs_recurrence.h"
#include "harness/mistakes/bugs_resample.h"
#include "harness/mistakes/bugs_response.h"
#include "harness/mistakes/bugs_softmax.h"
#include "harness/mistakes/bugs_unfold.h"
#include "harness/mistakes/bugs_windows.h"

enum bug_kind { BUG_HARD, BUG_SOFT, BUG_OPEN };

/* clang-format off */
#define BUGS(HARD, SOFT, OPEN) \
    /* indices */ \
    HARD(NEGATIVE_AS_ZERO, "negative-as-zero", "a negative index is read as 0", "openvino#30856", "negative-as-zero misplaced") \
    HARD(NEGATIVE_PLUS_RANK, "negative-plus-rank", "a negative index gets the rank added, not the size", "openvino#22039", "negative-base misplaced") \
    HARD(NEGATIVE_PLUS_FIRST, "negative-plus-first", "a negative index counts from the end of dimension 0", "", "negative-base misplaced") \
    HARD(NEGATIVE_UNPADDED, "negative-unpadded", "a negative index counts from the end of a dimension numbered without the padding", "", "negative-base misplaced") \
    HARD(NEGATIVE_PLUS_INDICES, "negative-plus-indices", "a negative index counts from the end of the index tensor", "", "negative-base misplaced") \
    HARD(NEGATIVE_TWICE, "negative-twice", "a negative index gets the size added twice", "", "negative-base misplaced negative-lost") \
    HARD(NEGATIVE_ONE_SHORT, "negative-one-short", "-1 names the last element but one", "", "negative-base misplaced") \
    HARD(NEGATIVE_ONE_ONLY, "negative-one-only", "-1 is the only negative index that works", "", "negative-lost negative-as-zero misplaced updates-missed") \
    HARD(NEGATIVE_FIRST_ONLY, "negative-first-only", "negative indices work only in the first coordinate of a tuple", "onnx-mlir#3611", "negative-lost negative-as-zero misplaced updates-missed") \
    HARD(NEGATIVE_LAST_ONLY, "negative-last-only", "negative indices work only in the last coordinate of a tuple", "", "negative-lost negative-as-zero misplaced updates-missed") \
    HARD(NEGATIVE_LOWEST_LOST, "negative-lowest-lost", "-n counts as out of range", "", "negative-lost misplaced updates-missed") \
    HARD(INDEX_LOW_HALF, "index-low-half", "only the low half of a 64-bit index is read, unsigned", "DirectML#727", "index-low-half misplaced updates-missed negative-lost") \
    HARD(INDEX_WORDS, "index-words", "64-bit indices are read at 32-bit distances", "tensorflow-directml#80", "index-words misplaced") \
    HARD(INDEX_8_BITS, "index-8-bits", "an index is cut to 8 bits", "", "index-cut misplaced") \
    HARD(INDEX_16_BITS, "index-16-bits", "an index is cut to 16 bits", "tt-metal#56398", "index-cut misplaced") \
    HARD(INDEX_HALF, "index-half", "an index is rounded to FLOAT16", "", "index-rounded misplaced") \
    HARD(INDEX_FLOAT32, "index-float32", "an index is rounded to FLOAT32", "", "index-rounded misplaced") \
    HARD(INDEX_LAST_LOST, "index-last-lost", "n - 1 counts as out of range", "", "index-last-lost misplaced updates-missed") \
    /* tuples */ \
    HARD(TUPLE_IS_LEAD, "tuple-is-lead", "a tuple has as many coordinates as the indices have leading sizes", "onnx-mlir#3611", "tuple-mixed misplaced dimension-ignored") \
    HARD(TAIL_LITERAL, "tail-literal", "a block has as many dimensions as a tuple has coordinates", "", "misplaced") \
    HARD(TUPLE_REVERSED, "tuple-reversed", "a tuple is read backwards", "apache/tvm#5229", "tuple-mixed misplaced") \
    HARD(TUPLE_SHIFTED, "tuple-shifted", "each coordinate is read one place too far", "", "tuple-mixed misplaced") \
    HARD(TUPLE_FIRST_ONLY, "tuple-first-only", "only the first coordinate of a tuple counts", "", "tuple-mixed misplaced") \
    HARD(TUPLE_SKIPS_ONES, "tuple-skips-ones", "dimensions of size 1 use no coordinate", "tt-mlir#8982", "tuple-mixed misplaced") \
    HARD(INPUT_RANK_STRIPPED, "input-rank-stripped", "leading sizes of 1 do not count in InputDimensionCount", "", "attribute-misread tuple-mixed misplaced") \
    HARD(INDICES_RANK_STRIPPED, "indices-rank-stripped", "leading sizes of 1 do not count in IndicesDimensionCount", "", "attribute-misread misplaced") \
    HARD(BATCH_IGNORED, "batch-ignored", "every batch reads from the first one", "", "dimension-ignored misplaced") \
    HARD(BATCH_FIRST_ONLY, "batch-first-only", "only the first batch dimension counts", "", "dimension-ignored misplaced") \
    HARD(BATCH_FROM_END, "batch-from-end", "the batch is taken from the last leading coordinates", "", "misplaced dimension-ignored") \
    HARD(BATCH_FROM_OUTPUT, "batch-from-output", "the batch is taken from the first output coordinates, padding included", "", "misplaced dimension-ignored") \
    HARD(LEAD_LINEAR, "lead-linear", "the updates of all tuples are read along the first leading dimension", "burn#5195", "misplaced dimension-ignored") \
    HARD(LEAD_LAST_ONLY, "lead-last-only", "only the last leading coordinate selects the tuple", "openvino#27041", "dimension-ignored misplaced") \
    HARD(TAIL_ROW_ONLY, "tail-row-only", "only the last dimension of a block counts", "", "dimension-ignored misplaced updates-missed") \
    /* axes */ \
    HARD(AXIS_FIRST, "axis-first", "the axis is 0", "", "attribute-misread misplaced") \
    HARD(AXIS_LAST, "axis-last", "the axis is the last dimension", "", "attribute-misread misplaced") \
    HARD(AXIS_PLUS_ONE, "axis-plus-one", "the axis is one too high", "", "attribute-misread misplaced") \
    HARD(AXIS_MIRRORED, "axis-mirrored", "the axis counts from the end", "", "attribute-misread misplaced") \
    HARD(GATHER_RANK_STRIPPED, "gather-rank-stripped", "leading sizes of 1 do not count in IndexDimensions", "", "attribute-misread misplaced") \
    HARD(GATHER_SCALAR, "gather-scalar", "IndexDimensions 0 is read as 1", "", "attribute-misread misplaced") \
    HARD(GATHER_INDEX_ROW, "gather-index-row", "only the last of several index dimensions counts", "", "dimension-ignored misplaced") \
    HARD(GATHER_BY_ELEMENT, "gather-by-element", "indices after the axis are read element by element", "DirectML#685", "misplaced") \
    HARD(ELEMENTS_BY_INPUT, "elements-by-input", "indices are addressed by the sizes of the input", "dfdx#588", "misplaced") \
    HARD(ELEMENTS_LINE, "elements-line", "all lines use the indices of the first", "", "dimension-ignored misplaced") \
    /* scatters */ \
    HARD(SCATTER_NO_COPY, "scatter-no-copy", "elements without an update are not written", "iree#24504", "not-written") \
    HARD(SCATTER_ONTO_ZERO, "scatter-onto-zero", "elements without an update become 0", "", "input-as-zero zeros") \
    HARD(SCATTER_COPY_SHORT, "scatter-copy-short", "the last element is not copied", "", "not-written") \
    HARD(SCATTER_COPY_LONG, "scatter-copy-long", "one element too many is copied", "apache/tvm#8419", "") \
    HARD(SCATTER_BY_TARGET, "scatter-by-target", "the update is read at the position where it is written", "", "misplaced") \
    HARD(SCATTER_LAST_LOST, "scatter-last-lost", "the last update is skipped", "", "updates-missed misplaced") \
    HARD(SCATTER_ADDS, "scatter-adds", "updates are added", "", "updates-added") \
    SOFT(SCATTER_TORN, "scatter-torn", "a second update of an 8-byte element replaces only its high half", "", "") \
    HARD(SCATTER_COPY_TOTAL, "scatter-copy-total", "all bytes of the input are copied if the output has its strides", "", "") \
    HARD(SCATTER_WORDS, "scatter-words", "an update of a small element overwrites the rest of its 32-bit word", "chipStar#1512", "zeros word-overwritten") \
    OPEN(SCATTER_FIRST_WINS, "scatter-first-wins", "the first of several updates of an element wins", "", "misplaced updates-missed") \
    OPEN(SCATTER_CLAMPS, "scatter-clamps", "an update out of range goes to the nearest element", "", "") \
    OPEN(GATHER_ZERO, "gather-zero", "an index out of range gives 0", "tensorflow#3638", "zeros") \
    OPEN(INDEX_32_BITS, "index-32-bits", "a 64-bit index is cut to its low half", "", "index-low-half") \
    OPEN(INDEX_SIGNED, "index-signed", "an unsigned 32-bit index is read as signed", "", "index-type misplaced") \
    HARD(GATHER_FOREIGN, "gather-foreign", "an index out of range reads memory of no tensor", "", "") \
    /* strides and shapes */ \
    HARD(INPUT_PACKED, "input-packed", "strides of the input are ignored", "iree#19749", "strides-ignored misplaced") \
    HARD(INDICES_PACKED, "indices-packed", "strides of the indices are ignored", "pytorch#129093", "strides-ignored misplaced") \
    HARD(UPDATES_PACKED, "updates-packed", "strides of the updates are ignored", "", "strides-ignored misplaced") \
    HARD(OUTPUT_PACKED, "output-packed", "strides of the outputs are ignored", "", "strides-ignored") \
    HARD(BROADCAST_PACKED, "broadcast-packed", "a tensor with a stride of 0 is read as packed", "csarofeen/pytorch#1514", "strides-ignored misplaced") \
    HARD(DENSE_PACKED, "dense-packed", "a tensor without gaps is read as packed, even if permuted", "csarofeen/pytorch#755", "strides-ignored misplaced") \
    HARD(LAST_STRIDE_ONE, "last-stride-one", "the last stride is read as 1", "", "stride-ignored strides-ignored misplaced") \
    HARD(FIRST_STRIDE_PACKED, "first-stride-packed", "the first stride is read as the packed one", "", "stride-ignored strides-ignored misplaced") \
    HARD(RANK_MERGED, "rank-merged", "dimensions before the last 4 are merged into one", "tt-metal#56875", "rank-limited misplaced dimension-ignored") \
    HARD(RANK_5, "rank-5", "dimensions before the last 5 are ignored", "", "rank-limited dimension-ignored misplaced") \
    HARD(RANK_6, "rank-6", "dimensions before the last 6 are ignored", "", "rank-limited dimension-ignored misplaced") \
    HARD(RANK_7, "rank-7", "dimensions before the last 7 are ignored", "", "rank-limited dimension-ignored misplaced") \
    HARD(PLACE_8_BITS, "place-8-bits", "element offsets are cut to 8 bits", "", "place-cut misplaced not-written") \
    HARD(PLACE_16_BITS, "place-16-bits", "element offsets are cut to 16 bits", "TIM-VX#454", "place-cut misplaced not-written") \
    HARD(PLACE_20_BITS, "place-20-bits", "element offsets are cut to 20 bits", "", "place-cut misplaced not-written") \
    HARD(PLACE_24_BITS, "place-24-bits", "element offsets are cut to 24 bits", "", "place-cut misplaced not-written") \
    HARD(STRIDE_16_BITS, "stride-16-bits", "strides are cut to 16 bits", "", "misplaced stride-ignored not-written") \
    HARD(ROWS_256, "rows-256", "rows are taken as padded to 256 bytes where the alignment is 256", "", "misplaced zeros") \
    HARD(TUPLE_ADJACENT, "tuple-adjacent", "the coordinates of a broadcast tuple are taken as adjacent", "", "tuple-mixed misplaced strides-ignored") \
    HARD(OFFSET_INPUT, "offset-input", "the offset of inputs is ignored", "", "offset-ignored") \
    HARD(OFFSET_OUTPUT, "offset-output", "the offset of outputs is ignored", "", "not-written") \
    /* work groups */ \
    HARD(GROUP_64_TAIL, "group-64-tail", "elements after the last full group of 64 are skipped", "", "not-written updates-missed") \
    HARD(GROUP_EDGE, "group-edge", "the last element of each group of 256 is skipped", "", "not-written updates-missed") \
    HARD(FROM_1024, "from-1024", "elements from number 1024 on are skipped", "", "not-written updates-missed") \
    HARD(FROM_65536, "from-65536", "elements from number 65536 on are skipped", "hipBLASLt#2299", "not-written updates-missed place-cut") \
    HARD(ROW_64, "row-64", "elements from number 64 on in a row are skipped", "", "not-written updates-missed") \
    HARD(ROW_256, "row-256", "elements from number 256 on in a row are skipped", "", "not-written updates-missed place-cut") \
    HARD(ROW_1024, "row-1024", "elements from number 1024 on in a row are skipped", "", "not-written updates-missed") \
    HARD(GROUPS_16, "groups-16", "elements past 65,535 groups of 16 are skipped", "", "not-written updates-missed") \
    HARD(GROUPS_64, "groups-64", "elements past 65,535 groups of 64 are skipped", "", "not-written updates-missed") \
    HARD(GROUPS_256, "groups-256", "elements past 65,535 groups of 256 are skipped", "", "not-written updates-missed") \
    HARD(THREADS_16_BITS, "threads-16-bits", "the number of elements is cut to 16 bits", "", "not-written updates-missed rows-truncated") \
    HARD(SIZE_41, "size-41", "the last of exactly 41 elements along a dimension is skipped", "", "not-written updates-missed rows-truncated") \
    HARD(SIZE_100, "size-100", "the last of exactly 100 elements along a dimension is skipped", "", "not-written updates-missed rows-truncated") \
    HARD(RECIPROCAL, "reciprocal", "coordinates come from n * (1 / size) in FLOAT32", "", "misplaced not-written updates-missed") \
    HARD(RECIPROCAL_HALF, "reciprocal-half", "coordinates come from (n + 0.5) * (1 / size) in FLOAT32", "", "misplaced not-written") \
    HARD(WORDS_OF_TWO, "words-of-two", \
         "from 2,048 on, two threads write 2-byte elements by words, and one at their border is lost", "", "not-written") \
    HARD(ROWS_65535, "rows-65535", "rows from number 65535 on are skipped", "mlx#3666", "not-written updates-missed") \
    HARD(EVERY_7TH, "every-7th", "every seventh element is skipped", "", "not-written updates-missed") \
    HARD(LAST_LOST, "last-lost", "the last element is skipped", "", "not-written updates-missed") \
    HARD(WORD_TAIL, "word-tail", "small elements after the last full 32-bit word are skipped", "", "not-written updates-missed") \
    /* elements */ \
    HARD(FLOAT32_HALF, "float32-half", "FLOAT32 is rounded to FLOAT16", "", "float-narrowed") \
    HARD(FLOAT64_FLOAT32, "float64-float32", "FLOAT64 is rounded to FLOAT32", "", "float-narrowed") \
    HARD(INT32_FLOAT32, "int32-float32", "INT32 and UINT32 are rounded to FLOAT32", "pytorch#123024", "integer-as-float") \
    HARD(INT64_FLOAT64, "int64-float64", "INT64 and UINT64 are rounded to FLOAT64", "", "integer-as-float") \
    HARD(HIGH_HALF_LOST, "high-half-lost", "only the low half of 64 bits is moved", "", "high-half-lost") \
    HARD(HALVES_SWAPPED, "halves-swapped", "the halves of 64 bits are swapped", "", "bytes-swapped") \
    HARD(MINUS_ZERO_LOST, "minus-zero-lost", "-0.0 becomes 0.0", "", "signed-zero-lost zeros one-bit") \
    HARD(NAN_INFINITY, "nan-infinity", "NaN becomes infinity", "tt-llk#675", "nan-infinity") \
    HARD(INFINITY_LARGEST, "infinity-largest", "infinity becomes the largest number", "", "infinity-largest") \
    HARD(LOWEST_CLIPPED, "lowest-clipped", "the lowest signed integer becomes the next one", "", "lowest-clipped one-bit") \
    HARD(UNSIGNED_CLIPPED, "unsigned-clipped", "an unsigned integer is clipped to the signed range", "", "unsigned-clipped") \
    SOFT(NAN_CANONICAL, "nan-canonical", "every NaN becomes the same NaN", "", "nan-canonical") \
    SOFT(NAN_QUIET, "nan-quiet", "a signalling NaN becomes quiet", "", "nan-quieted one-bit") \
    SOFT(DENORMALS_FLUSHED, "denormals-flushed", "FLOAT32 denormals become 0", "tt-metal#54899", "denormals-flushed zeros one-bit rows-missing") \
    HARD(DENORMALS_16_FLUSHED, "denormals-16-flushed", "FLOAT16 denormals become 0", "", "denormals-flushed zeros one-bit rows-missing") \
    HARD(DENORMALS_64_FLUSHED, "denormals-64-flushed", "FLOAT64 denormals become 0", "", "denormals-flushed zeros one-bit rows-missing") \
    /* NONZERO_COORDINATES */ \
    HARD(COLUMN_MAJOR, "column-major", "rows are in column-major order", "", "row-order") \
    HARD(CHUNKS_UNORDERED, "chunks-unordered", "chunks of 64 are written last first", "", "row-order") \
    HARD(MEMORY_ORDER, "memory-order", "rows are in the order of memory", "", "row-order") \
    HARD(MINUS_ZERO_COUNTED, "minus-zero-counted", "-0.0 counts as non-zero", "", "signed-zero-counted") \
    HARD(NAN_MISSED, "nan-missed", "NaN counts as zero", "", "nan-missed rows-missing") \
    HARD(INFINITY_MISSED, "infinity-missed", "infinity counts as zero", "", "infinity-missed rows-missing") \
    HARD(FRACTIONS_MISSED, "fractions-missed", "a float below 1 counts as zero", "numba-cuda-mlir#304", "fractions-missed") \
    HARD(NEGATIVE_MISSED, "negative-missed", "a negative number counts as zero", "", "negative-missed") \
    HARD(LOW_BYTE_ONLY, "low-byte-only", "an integer with a low byte of 0 counts as zero", "", "low-byte-only") \
    SOFT(DENORMALS_MISSED, "denormals-missed", "a denormal counts as zero", "mlx#4205", "denormals-flushed zeros one-bit rows-missing") \
    HARD(COORDINATES_FIRST, "coordinates-first", "a row has the first coordinates", "", "row-columns") \
    HARD(COORDINATES_EFFECTIVE, "coordinates-effective", "a row lacks the coordinates of leading sizes of 1", "", "row-columns") \
    HARD(COORDINATES_FULL, "coordinates-full", "rows are as far apart as if they had all coordinates", "", "row-distance") \
    HARD(COORDINATES_TRANSPOSED, "coordinates-transposed", "rows are written as columns", "", "row-transposed") \
    HARD(COORDINATES_FLAT, "coordinates-flat", "the last coordinate is the element's number", "", "row-flat") \
    HARD(COORDINATES_8_BITS, "coordinates-8-bits", "a coordinate is cut to 8 bits", "", "row-cut") \
    HARD(COORDINATES_HALF, "coordinates-half", "a coordinate is rounded to FLOAT16", "pytorch#122916", "row-cut") \
    HARD(COUNT_PLUS_ONE, "count-plus-one", "the count is one too high", "", "count-wrong") \
    HARD(COUNT_OF_VALUES, "count-of-values", "coordinates are counted, not rows", "", "count-wrong") \
    HARD(COUNT_NOT_ZERO, "count-not-zero", "a count of 0 is not written", "", "not-written") \
    HARD(COUNT_CAPPED, "count-capped", "at most 1024 rows are found", "torch-xpu-ops#4396", "rows-truncated") \
    HARD(LAST_SKIPPED, "last-skipped", "the last element is not examined", "", "rows-truncated") \
    HARD(BROADCAST_ONCE, "broadcast-once", "a broadcast element is found once", "", "rows-missing rows-truncated")
/* clang-format on */

#define BUG_IDENTIFIER(identifier, name, what, issue, cause) BUG_##identifier,
#define BUG_NUMBER(identifier, name, what, cause, hard, soft, open) BUG_##identifier,
#define BUG_FORMULA(identifier, name, what, cause, hard, soft, open, changes) BUG_##identifier,
enum bug {
    BUG_NONE,
    BUGS(BUG_IDENTIFIER, BUG_IDENTIFIER, BUG_IDENTIFIER) NUMBER_BUGS(BUG_FORMULA) MOVE_BUGS(BUG_NUMBER)
        PICK_BUGS(BUG_NUMBER) UNFOLD_BUGS(BUG_FORMULA) ACTIVATION_BUGS(BUG_FORMULA) SOFTMAX_BUGS(BUG_FORMULA)
            NORMALISE_BUGS(BUG_FORMULA) RESPONSE_BUGS(BUG_FORMULA) WINDOW_BUGS(BUG_FORMULA) PRODUCT_BUGS(BUG_FORMULA)
                MATRIX_BUGS(BUG_FORMULA) QUANTISE_BUGS(BUG_FORMULA) RESAMPLE_BUGS(BUG_FORMULA) REGION_BUGS(BUG_FORMULA)
                    RECURRENCE_BUGS(BUG_FORMULA) ATTENTION_BUGS(BUG_FORMULA) BUG_COUNT
};
#undef BUG_IDENTIFIER
#undef BUG_NUMBER
#undef BUG_FORMULA

#endif
