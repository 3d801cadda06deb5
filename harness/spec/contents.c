#include "harness/spec/contents.h"

#include <stddef.h>

const char *const fill_names[] = {"ordinary",
                                  "sparse",
                                  "special",
                                  "denormal",
                                  "signalling-nans",
                                  "denormals",
                                  "zero",
                                  "one",
                                  "counting",
                                  "distinct",
                                  "patterns",
                                  "dyadic",
                                  "pairs",
                                  "choice",
                                  "settled",
                                  "nonzero-first",
                                  "nonzero-middle",
                                  "nonzero-last",
                                  "nonzero-alternating",
                                  "nonzero-edges-32",
                                  "nonzero-edges-64",
                                  "nonzero-edges-256",
                                  "nonzero-edges-1024",
                                  NULL};
const char *const index_fill_names[] = {"any",        "positive",   "negative", "first", "last", "each",
                                        "descending", "duplicates", "above",    "below", "far",  NULL};
