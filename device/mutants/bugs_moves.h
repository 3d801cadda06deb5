/* bugs_moves.h: bugs of the operators that move elements to places that attributes alone decide. A line each, as in
 * bugs_numbers.h. naive_move.c implements them. */
#ifndef BUGS_MOVES_H
#define BUGS_MOVES_H

#define M_WINDOWS "SLICE1 SLICE_GRAD"
#define M_SLICES "SLICE " M_WINDOWS
#define M_PADS "PADDING PADDING1"
#define M_ORDERED "SPACE_TO_DEPTH1 DEPTH_TO_SPACE1"
#define M_BLOCKS "SPACE_TO_DEPTH DEPTH_TO_SPACE " M_ORDERED

/* clang-format off */
#define MOVE_BUGS(MOVE) \
    MOVE(STEPS_IGNORED, "steps-ignored", "strides through the input are taken as 1", "misplaced zeros attribute-misread", M_SLICES, "", "") \
    MOVE(STEPS_FIRST, "steps-first", "the first stride holds for all dimensions", "misplaced zeros attribute-misread", M_SLICES, "", "") \
    MOVE(STEPS_POSITIVE, "steps-positive", "the sign of a stride is lost", "misplaced zeros attribute-misread", M_WINDOWS, "", "") \
    MOVE(STEPS_ALIGNED, "steps-aligned", "going backwards, the last element is the first of the window", \
         "misplaced zeros", M_WINDOWS, "", "") \
    MOVE(WINDOW_FROM_END, "window-from-end", "going backwards, a window ends where the tensor ends", "misplaced zeros", \
         M_WINDOWS, "", "") \
    MOVE(OFFSETS_IGNORED, "offsets-ignored", "offsets are taken as 0", "misplaced zeros attribute-misread", M_SLICES, "", "") \
    MOVE(GRADIENT_KEPT, "gradient-kept", "elements outside of the windows are not written", "not-written", "SLICE_GRAD", "", "") \
    MOVE(PARTS_EQUAL, "parts-equal", "all parts are taken to be as long as the first", "misplaced not-written", \
         "JOIN SPLIT", "", "") \
    MOVE(PARTS_FIRST_AXIS, "parts-first-axis", "parts lie one after the other in memory, whatever the axis", "misplaced", \
         "JOIN SPLIT", "", "") \
    MOVE(PARTS_OF_EIGHT, "parts-of-eight", "the ninth part is taken for the first, and so on", "misplaced", "JOIN SPLIT", \
         "", "") \
    MOVE(PART_STRIDES_FIRST, "part-strides-first", "the strides of the first part hold for all", \
         "misplaced strides-ignored stride-ignored not-written", "JOIN SPLIT", "", "") \
    MOVE(TILE_ELEMENTS, "tile-elements", "each element is repeated, not the whole", "misplaced", "TILE", "", "") \
    MOVE(TILE_OF_SIXTEEN, "tile-of-sixteen", "beyond the 16th repetition of the last dimension, its first element is repeated", "misplaced", \
         "TILE", "", "") \
    MOVE(PADDING_SIX, "padding-six", "with six and more dimensions, the padding before the first one is not constant", "misplaced", \
         M_PADS, "", "") \
    MOVE(PADDING_NAN, "padding-nan", "a PaddingValue that is a NaN is taken as 0", "", "PADDING1", "", "") \
    MOVE(PADDING_MINUS_ZERO, "padding-minus-zero", "a PaddingValue of -0 is taken as 0", "", "PADDING1", "", "") \
    MOVE(BLOCKS_OF_THREE, "blocks-of-three", \
         "with several channels and blocks of 3 by 3 or more, COLUMN_ROW_DEPTH is read as the other Order", \
         "attribute-misread", "DEPTH_TO_SPACE1", "", "") \
    MOVE(TILE_LAST_ONLY, "tile-last-only", "only the last two dimensions are repeated right", "misplaced", "TILE", "", "") \
    MOVE(PADDING_SWAPPED, "padding-swapped", "StartPadding and EndPadding change places", "misplaced attribute-misread", M_PADS, "", "") \
    MOVE(PADDING_MODE_NEXT, "padding-mode-next", "PaddingMode is read as the next value, the last as EDGE", "misplaced attribute-misread", \
         M_PADS, "", "") \
    MOVE(PADDING_EDGE_TWICE, "padding-edge-twice", "REFLECTION repeats the edge", "misplaced attribute-misread", M_PADS, "", "") \
    MOVE(PADDING_ONCE, "padding-once", "beyond one reflection, the edge is repeated", "misplaced attribute-misread", M_PADS, "", "") \
    MOVE(PADDING_ZERO, "padding-zero", "PaddingValue is taken as 0", "zeros misplaced attribute-ignored", M_PADS, "", "") \
    MOVE(PADDING_ROUNDED, "padding-rounded", "PaddingValue is rounded for integers", "misplaced", "PADDING", "", "") \
    MOVE(PADDING_AS_FLOAT, "padding-as-float", "the bytes of PaddingValue are read as a FLOAT", "zeros misplaced", \
         "PADDING1", "", "") \
    MOVE(BLOCKS_TRANSPOSED, "blocks-transposed", "rows and columns of a block change places", "misplaced", M_BLOCKS, "", "") \
    MOVE(BLOCKS_OF_TWO, "blocks-of-two", "blocks are taken as those of BlockSize 2 if the sizes allow it", "misplaced", \
         "SPACE_TO_DEPTH DEPTH_TO_SPACE", "", "") \
    MOVE(BLOCK_ORDER_OTHER, "block-order-other", "the depth changes last instead of first, or first instead of last", \
         "misplaced attribute-misread", M_BLOCKS, "", "")
/* clang-format on */

#endif
