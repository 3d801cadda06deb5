/* bugs_attention.h: bugs of attention with several heads. A line each, as in bugs_numbers.h. */
#ifndef MISTAKES_BUGS_ATTENTION_H
#define MISTAKES_BUGS_ATTENTION_H

#define A_BOTH "MULTIHEAD_ATTENTION MULTIHEAD_ATTENTION1"
#define A_GROUPED "MULTIHEAD_ATTENTION1"

/* clang-format off */
#define ATTENTION_BUGS(FORMULA) \
    /* masks */ \
    FORMULA(ATTENTION_UNMASKED, "attention-unmasked", "the mask is ignored", "optional-ignored input-as-zero", A_BOTH, "", "", \
            "choose(eq(present(M), 0), 0, => choose(ge(present(M), 0), 0,") \
    FORMULA(ATTENTION_INVERTED, "attention-inverted", "a BOOLEAN mask filters what it allows", "condition-wrong", A_BOTH, "", "", \
            "choose(eq(allowed, 0), 1, choose(eq(allowed, 1), 0, 2)) => choose(eq(allowed, 1), 1, 0)") \
    FORMULA(ATTENTION_LENGTH_MORE, "attention-length-more", "the key at the length is not filtered", "condition-wrong", A_BOTH, "", "", \
            "choose(eq(kind, is_length), ge(row, => choose(eq(kind, is_length), gt(row,") \
    FORMULA(ATTENTION_LENGTH_FIRST, "attention-length-first", "the length of the first batch element counts for all", "misplaced dimension-ignored zeros condition-wrong", A_BOTH, "", "", \
            "ge(row, of_input(M, b)), => ge(row, of_input(M, b * 0)),") \
    FORMULA(ATTENTION_ENDS_INCLUSIVE, "attention-ends-inclusive", "the key at the end is not filtered", "condition-wrong", A_BOTH, "", "", \
            "either(ge(row, of_input(M, 0, b)), => either(gt(row, of_input(M, 0, b)),") \
    FORMULA(ATTENTION_STARTS_IGNORED, "attention-starts-ignored", "the starts of keys are ignored", "condition-wrong step-missing optional-ignored input-as-zero", A_BOTH, "", "", \
            "lt(row, of_input(M, 1, b)) => 0") \
    FORMULA(ATTENTION_STARTS_EXCLUSIVE, "attention-starts-exclusive", "the key at the start is filtered", "condition-wrong optional-ignored input-as-zero", A_BOTH, "", "", \
            "lt(row, of_input(M, 1, b)) => le(row, of_input(M, 1, b))") \
    FORMULA(ATTENTION_ENDS_EXCHANGED, "attention-ends-exchanged", "ends and starts change places", "optional-ignored input-as-zero dimension-reversed step-wrong", A_BOTH, "", "", \
            "either(ge(row, of_input(M, 0, b)), lt(row, of_input(M, 1, b))) => either(ge(row, of_input(M, 1, b)), lt(row, of_input(M, 0, b)))") \
    FORMULA(ATTENTION_MASK_HEAD, "attention-mask-head", "the BOOLEAN mask of the first head counts for all", "misplaced dimension-ignored", A_BOTH, "", "", \
            "local allowed = of_input(M, b, n, i, j) => local allowed = of_input(M, b, n * 0, i, j)") \
    FORMULA(ATTENTION_MASK_QUERY, "attention-mask-query", "the BOOLEAN mask of the first query counts for all", "misplaced dimension-ignored", A_BOTH, "", "", \
            "local allowed = of_input(M, b, n, i, j) => local allowed = of_input(M, b, n, i * 0, j)") \
    FORMULA(ATTENTION_FILTER_FIXED, "attention-filter-fixed", "MaskFilterValue is -10000", "attribute-misread", A_BOTH, "", "", \
            "local mask_type, scale, filter = attr \"MaskType\", attribute \"Scale\", attribute \"MaskFilterValue\" => local mask_type, scale, filter = attr \"MaskType\", attribute \"Scale\", choose(ne(attribute \"MaskFilterValue\", 0), -10000.0, -10000.0)") \
    /* scores */ \
    FORMULA(ATTENTION_UNSCALED, "attention-unscaled", "Scale is ignored", "attribute-misread attribute-ignored", A_BOTH, "", "", \
            "scale * dot + bias => dot + bias") \
    FORMULA(ATTENTION_SCALED_TWICE, "attention-scaled-twice", "Scale is applied twice", "attribute-misread", A_BOTH, "", "", \
            "scale * dot + bias => scale * scale * dot + bias") \
    FORMULA(ATTENTION_ROOT, "attention-root", "scores are divided by the root of the head size, too", "", A_BOTH, "", "", \
            "scale * dot + bias => scale * dot / sqrt(part(dot, \"count\")) + bias") \
    FORMULA(ATTENTION_SCALED_BIAS, "attention-scaled-bias", "Scale multiplies RelativePositionBias, too", "step-order", A_BOTH, "", "", \
            "scale * dot + bias => scale * (dot + bias)") \
    FORMULA(ATTENTION_RELATIVE_LOST, "attention-relative-lost", "RelativePositionBias is ignored", "optional-ignored input-as-zero dimension-ignored", A_BOTH, "", "", \
            "scale * dot + bias => scale * dot") \
    FORMULA(ATTENTION_RELATIVE_TURNED, "attention-relative-turned", "RelativePositionBias is transposed where it is square", "dimensions-exchanged", A_BOTH, "", "", \
            "of_input(A, b, g * s.shared + r, i, j) => choose(eq(as_number(s.queries, \"queries\"), as_number(s.rows, \"queries\")), of_input(A, b, g * s.shared + r, j, i), of_input(A, b, g * s.shared + r, i, j))") \
    FORMULA(ATTENTION_RELATIVE_HEAD, "attention-relative-head", "RelativePositionBias of the first head counts for all", "misplaced dimension-ignored", A_BOTH, "", "", \
            "of_input(A, b, g * s.shared + r, i, j) => of_input(A, b, g * 0, i, j)") \
    FORMULA(ATTENTION_OVERFLOWS, "attention-overflows", "the greatest score is not subtracted", "step-missing fold-from-zero fold-from-least fold-missed nans", A_BOTH, "", "", \
            "exp(one(\"scores\", concat(kind, b, g, r, i, j)) - top) => exp(one(\"scores\", concat(kind, b, g, r, i, j)))") \
    FORMULA(ATTENTION_FIRST_SCORE, "attention-first-score", "the first score is subtracted in place of the greatest", "nans", A_BOTH, "", "", \
            "exp(one(\"scores\", concat(kind, b, g, r, i, j)) - top) => exp(one(\"scores\", concat(kind, b, g, r, i, j)) - one(\"scores\", concat(kind, b, g, r, i, 0 * j)))") \
    FORMULA(ATTENTION_OVER_QUERIES, "attention-over-queries", "weights are divided by their sum over the queries", "", A_BOTH, "", "", \
            "[VALUE] = above / below, => [VALUE] = over { sizes = concat(s.rows), fold = \"sum\", w * v, at = { weights = row.weights, values = row.values } } / over { sizes = concat(s.queries), fold = \"sum\", w, at = { weights = concat(kind, b, g, r, entry(step(concat(s.queries)), 0), 0) } },") \
    FORMULA(ATTENTION_UNDIVIDED, "attention-undivided", "weights are not divided by their sum", "step-missing", A_BOTH, "", "", \
            "[VALUE] = above / below, => [VALUE] = above,") \
    FORMULA(ATTENTION_LAST_KEY, "attention-last-key", "the last of several keys is dropped", "fold-missed", A_BOTH, "", "", \
            "[VALUE] = above / below, => [VALUE] = over { sizes = concat(greatest(1, s.rows - 1)), fold = \"sum\", w * v, at = { weights = row.weights, values = row.values } } / over { sizes = concat(greatest(1, s.rows - 1)), fold = \"sum\", w, at = { weights = row.weights } },") \
    FORMULA(ATTENTION_EVEN, "attention-even", "head sizes are rounded down to an even number", "fold-missed", A_BOTH, "", "", \
            "local dot = over { sizes = concat(s.head), => local dot = over { sizes = concat(greatest(1, s.head // 2 * 2)),") \
    FORMULA(ATTENTION_256, "attention-256", "the elements of a head past 256 are dropped", "fold-missed", A_BOTH, "", "", \
            "local dot = over { sizes = concat(s.head), => local dot = over { sizes = concat(least(256, s.head)),") \
    /* heads and tensors */ \
    FORMULA(ATTENTION_INTERLEAVED, "attention-interleaved", "heads are interleaved: element by element", "misplaced", A_BOTH, "", "", \
            "local found = of_input(plain, b, j, n * width + e) => local found = of_input(plain, b, j, n + e * (plain == Q and shape_heads or shape_key_heads))\n" \
            "local function shape_of(heads, key_heads) => local shape_heads, shape_key_heads local function shape_of(heads, key_heads) shape_heads, shape_key_heads = heads, key_heads") \
    FORMULA(ATTENTION_OUTPUT_INTERLEAVED, "attention-output-interleaved", "the heads of the output are interleaved", "misplaced", A_BOTH, "", "", \
            "g, r, entry(at, D - 2), column) } } => g, r, entry(at, D - 2), entry(own, 0)) } }\n" \
            "local function found(what, kind) => local own = divided(concat(entry(at, D - 1) - (g * s.shared + r)), concat(s.heads), concat(s.value)) local function found(what, kind)") \
    FORMULA(ATTENTION_STACK_EXCHANGED, "attention-stack-exchanged", "key and value of StackedKeyValueTensor change places", "dimension-reversed", A_BOTH, "", "", \
            "{ [QK] = 1, [KV] = 0, [QKV] = 1 } or { [KV] = 1, [QKV] = 2 } => { [QK] = 1, [KV] = 1, [QKV] = 1 } or { [KV] = 0, [QKV] = 2 }") \
    FORMULA(ATTENTION_ALL_EXCHANGED, "attention-all-exchanged", "key and value of StackedQueryKeyValueTensor change places", "", A_BOTH, "", "", \
            "{ [QK] = 1, [KV] = 0, [QKV] = 1 } or { [KV] = 1, [QKV] = 2 } => { [QK] = 1, [KV] = 0, [QKV] = 2 } or { [KV] = 1, [QKV] = 1 }") \
    FORMULA(ATTENTION_QUERY_EXCHANGED, "attention-query-exchanged", "query and key of StackedQueryKeyTensor change places", "dimension-reversed dimension-ignored", A_BOTH, "", "", \
            "{ [QK] = 1, [KV] = 0, [QKV] = 1 } => { [QK] = 0, [KV] = 0, [QKV] = 1 }\n" \
            "fresh(Q, { [QK] = 0, => fresh(Q, { [QK] = 1,") \
    FORMULA(ATTENTION_BIAS_OF_KEYS, "attention-bias-of-keys", "queries have the bias of keys", "misplaced", A_BOTH, "", "", \
            "of_input(B, n * s.head + e) } => of_input(B, query_width + n * s.head + e) }") \
    FORMULA(ATTENTION_BIAS_OF_VALUES, "attention-bias-of-values", "values have the bias of keys", "misplaced", A_BOTH, "", "", \
            "(is_key and 0 or key_width) => (is_key and 0 or 0)") \
    FORMULA(ATTENTION_BIAS_LOST, "attention-bias-lost", "BiasTensor is ignored for queries", "optional-ignored input-as-zero step-missing condition-wrong", A_BOTH, "", "", \
            "s.head, b, n, i, e) + of_input(B, n * s.head + e) } => s.head, b, n, i, e) }") \
    FORMULA(ATTENTION_BIAS_HEAD, "attention-bias-head", "all heads have the bias of the first one", "misplaced dimension-ignored", A_BOTH, "", "", \
            "(is_key and 0 or key_width) + n * width + e => (is_key and 0 or key_width) + n * 0 + e") \
    FORMULA(ATTENTION_BIAS_PAST, "attention-bias-past", "rows of the past have the bias, too", "condition-wrong step-wrong", A_BOTH, "", "", \
            "new = new + choose(ge(coordinate(-2), as_number(s.past + 1, \"queries\") - 1), of_input(B, column), 0) => new = new + of_input(B, column)") \
    FORMULA(ATTENTION_PRESENT_PLAIN, "attention-present-plain", "the bias is not in the present outputs", "", "", A_BOTH, "", \
            "local value = one(name, slice(at, 0, 4)) => local value = joined(name, at, false)") \
    FORMULA(ATTENTION_PAST_AFTER, "attention-past-after", "the past comes after the new rows in the present outputs", "misplaced dimension-reversed", A_BOTH, "", "", \
            "local value = one(name, slice(at, 0, 4)) => local value = one(name, concat(slice(at, 0, 2), entry(at, 2) + s.past, entry(at, 3))) + one(name, concat(slice(at, 0, 2), entry(at, 2) - s.keys, entry(at, 3)))") \
    FORMULA(ATTENTION_PAST_LOST, "attention-past-lost", "the rows of the past are zeros", "optional-ignored input-as-zero zeros", A_BOTH, "", "", \
            "return new + of_input(before, b, n, j, e) => return new") \
    FORMULA(ATTENTION_VALUE_WIDTH, "attention-value-width", "values have the head size of keys", "zeros", A_BOTH, "", "", \
            "local width, before = is_key and s.head or s.value, => local width, before = s.head,") \
    FORMULA(ATTENTION_KEYS_AS_VALUES, "attention-keys-as-values", "the past of keys is that of values", "operands-swapped", A_BOTH, "", "", \
            "is_key and PK or PV => is_key and PV or PK") \
    FORMULA(ATTENTION_FIRST_BATCH, "attention-first-batch", "keys of the first batch element count for all", "misplaced dimension-ignored", A_BOTH, "", "", \
            "keys = concat(b, g, j, e) } } => keys = concat(b * 0, g, j, e) } }") \
    /* heads that share keys */ \
    FORMULA(ATTENTION_MODULO, "attention-modulo", "head n shares the keys of head n mod KeyValueHeadCount", "misplaced", A_GROUPED, "", "", \
            "local column = entry(at, D - 1) - (g * s.shared + r) * s.value => local column = entry(at, D - 1) - (r * s.key_heads + g) * s.value\n" \
            "local n = entry(at, 1) * s.shared + entry(at, 2) => local n = entry(at, 2) * s.key_heads + entry(at, 1)\n" \
            "of_input(A, b, g * s.shared + r, i, j) => of_input(A, b, r * s.key_heads + g, i, j)") \
    FORMULA(ATTENTION_BIAS_UNSHARED, "attention-bias-unshared", "the bias of keys has a part for each head of queries", "misplaced input-as-zero", A_GROUPED, "", "", \
            "local query_width, key_width = s.heads * s.head, s.key_heads * s.head => local query_width, key_width = s.heads * s.head, s.heads * s.head")
/* clang-format on */

#endif
