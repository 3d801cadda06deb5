/* test_onnxruntime_parts.c: the parts of the ONNX Runtime device that are its own: models as bytes, layouts, index
 * types. It needs neither ONNX Runtime's headers nor its library. */
#include "device/common/layout.h"
#include "device/onnxruntime/model.c"
#include "tools/tap.h"

#include <stdlib.h>

/* Prints a protobuf message as text, by an independent reader: "7{1{1:"a"}}". The bytes do not show which fields are
 * messages: `messages` lists their paths, such as "7.1". */
struct reader {
    const uint8_t *bytes;
    const char *const *messages;
    char text[1024];
};

static void say(struct reader *r, const char *format, unsigned long long number)
{
    size_t used = strlen(r->text);
    snprintf(r->text + used, sizeof r->text - used, format, number);
}

static uint64_t read_varint(const uint8_t **at)
{
    uint64_t number = 0;
    for (int shift = 0;; shift += 7) {
        number |= (uint64_t)(**at & 127) << shift;
        if (!(*(*at)++ & 128))
            return number;
    }
}

static int is_message(const struct reader *r, const char *path)
{
    for (int i = 0; r->messages[i]; i++)
        if (!strcmp(r->messages[i], path))
            return 1;
    return 0;
}

static void read_message(struct reader *r, const uint8_t *at, const uint8_t *stop, const char *path)
{
    while (at < stop) {
        uint64_t key = read_varint(&at);
        char inner[64];
        snprintf(inner, sizeof inner, "%s%s%llu", path, *path ? "." : "", (unsigned long long)(key >> 3));
        say(r, " %llu", key >> 3);
        if ((key & 7) == 0) {
            say(r, ":%llu", read_varint(&at));
            continue;
        }
        uint64_t size = read_varint(&at);
        if ((key & 7) != 2 || size > (uint64_t)(stop - at)) {
            say(r, " damaged at byte %llu", (unsigned long long)(at - r->bytes));
            return;
        }
        if (is_message(r, inner)) {
            say(r, "{", 0);
            read_message(r, at, at + size, inner);
            say(r, " }", 0);
        } else {
            say(r, ":'", 0);
            for (uint64_t i = 0; i < size; i++)
                say(r, "%c", at[i]);
            say(r, "'", 0);
        }
        at += size;
    }
}

static void check_model(const struct model *model, const char *expected, const char *name)
{
    static const char *const messages[] = {"7",    "7.1",    "7.1.5",    "7.11", "7.11.2", "7.11.2.1",
                                           "7.12", "7.12.2", "7.12.2.1", "8",    NULL};
    uint8_t bytes[MODEL_SIZE];
    size_t size = model_encode(model, bytes);
    struct reader r = {.bytes = bytes, .messages = messages};
    read_message(&r, bytes, bytes + size, "");
    if (!ok(!strcmp(r.text, expected), "%s", name)) {
        note("got:      %s", r.text);
        note("expected: %s", expected);
    }
}

static void test_models(void)
{
    struct model gather = {.node = "GatherND",
                           .attributes = {MODEL_INT("batch_dims", 300)},
                           .input_count = 2,
                           .input_types = {1, 7},
                           .output_count = 1,
                           .output_types = {1}};
    struct model scatter = {.node = "ScatterElements",
                            .attributes = {MODEL_INT("axis", 7)},
                            .input_count = 3,
                            .input_types = {11, 6, 11},
                            .output_count = 1,
                            .output_types = {11}};
    struct model nonzero = {
        .node = "NonZero", .input_count = 1, .input_types = {10}, .output_count = 1, .output_types = {7}};
    uint8_t bytes[MODEL_SIZE];

    check_model(&gather,
                " 1:8 7{ 1{ 1:'x0' 1:'x1' 2:'y0' 4:'GatherND' 5{ 1:'batch_dims' 3:300 20:2 } } 2:'g'"
                " 11{ 1:'x0' 2{ 1{ 1:1 } } } 11{ 1:'x1' 2{ 1{ 1:7 } } } 12{ 1:'y0' 2{ 1{ 1:1 } } } } 8{ 2:13 }",
                "a model of two inputs and an attribute");
    check_model(&scatter,
                " 1:8 7{ 1{ 1:'x0' 1:'x1' 1:'x2' 2:'y0' 4:'ScatterElements' 5{ 1:'axis' 3:7 20:2 } } 2:'g'"
                " 11{ 1:'x0' 2{ 1{ 1:11 } } } 11{ 1:'x1' 2{ 1{ 1:6 } } } 11{ 1:'x2' 2{ 1{ 1:11 } } }"
                " 12{ 1:'y0' 2{ 1{ 1:11 } } } } 8{ 2:13 }",
                "a model of three inputs, whose graph has more than 127 bytes");
    check_model(&nonzero,
                " 1:8 7{ 1{ 1:'x0' 2:'y0' 4:'NonZero' } 2:'g' 11{ 1:'x0' 2{ 1{ 1:10 } } } 12{ 1:'y0' 2{ 1{ 1:7 } } } }"
                " 8{ 2:13 }",
                "a model without attributes");
    struct model scaled = {.node = "Clip",
                           .opset = 18,
                           .input_count = 5,
                           .input_types = {1, 1, 1, 1, 1},
                           .output_count = 1,
                           .output_types = {1},
                           .has_scale_bias = 1};
    struct model where = {.node = "Where",
                          .attributes = {MODEL_INT("p", 1), MODEL_TEXT("q", "LEFT")},
                          .input_count = 3,
                          .input_types = {2, 10, 10},
                          .output_count = 1,
                          .output_types = {10},
                          .truths = 1};
    struct model greater = {.node = "Greater",
                            .input_count = 2,
                            .input_types = {11, 11},
                            .output_count = 1,
                            .output_types = {12},
                            .casts = 1};
    check_model(
        &scaled,
        " 1:8 7{ 1{ 1:'x0' 1:'x3' 2:'scaled' 4:'Mul' } 1{ 1:'scaled' 1:'x4' 2:'biased' 4:'Add' }"
        " 1{ 1:'biased' 1:'x1' 1:'x2' 2:'y0' 4:'Clip' } 2:'g' 11{ 1:'x0' 2{ 1{ 1:1 } } } 11{ 1:'x1' 2{ 1{ 1:1 } } }"
        " 11{ 1:'x2' 2{ 1{ 1:1 } } } 11{ 1:'x3' 2{ 1{ 1:1 } } } 11{ 1:'x4' 2{ 1{ 1:1 } } }"
        " 12{ 1:'y0' 2{ 1{ 1:1 } } } } 8{ 2:18 }",
        "a model that scales its first input");
    check_model(
        &where,
        " 1:8 7{ 1{ 1:'x0' 2:'t0' 4:'Cast' 5{ 1:'to' 3:9 20:2 } } 1{ 1:'t0' 1:'x1' 1:'x2' 2:'y0' 4:'Where'"
        " 5{ 1:'p' 3:1 20:2 } 5{ 1:'q' 4:'LEFT' 20:3 } } 2:'g' 11{ 1:'x0' 2{ 1{ 1:2 } } } 11{ 1:'x1' 2{ 1{ 1:10 } } }"
        " 11{ 1:'x2' 2{ 1{ 1:10 } } } 12{ 1:'y0' 2{ 1{ 1:10 } } } } 8{ 2:13 }",
        "a model with a truth value among its inputs, and two attributes");
    check_model(&greater,
                " 1:8 7{ 1{ 1:'x0' 1:'x1' 2:'b0' 4:'Greater' } 1{ 1:'b0' 2:'y0' 4:'Cast' 5{ 1:'to' 3:12 20:2 } } 2:'g'"
                " 11{ 1:'x0' 2{ 1{ 1:11 } } } 11{ 1:'x1' 2{ 1{ 1:11 } } } 12{ 1:'y0' 2{ 1{ 1:12 } } } } 8{ 2:13 }",
                "a model whose output is a truth value");
    struct model unpool = {.node = "MaxUnpool",
                           .attributes = {MODEL_INTS("pads", 4, 0, 1, 300, 2)},
                           .input_count = 1,
                           .input_types = {1},
                           .output_count = 1,
                           .output_types = {1}};
    struct model top_k = {.node = "TopK",
                          .input_count = 2,
                          .input_types = {1, 7},
                          .output_count = 2,
                          .output_types = {1, 12},
                          .casts = 2};
    check_model(&unpool,
                " 1:8 7{ 1{ 1:'x0' 2:'y0' 4:'MaxUnpool' 5{ 1:'pads' 8:0 8:1 8:300 8:2 20:7 } } 2:'g'"
                " 11{ 1:'x0' 2{ 1{ 1:1 } } } 12{ 1:'y0' 2{ 1{ 1:1 } } } } 8{ 2:13 }",
                "a model with a list as attribute");
    check_model(
        &top_k,
        " 1:8 7{ 1{ 1:'x0' 1:'x1' 2:'y0' 2:'b1' 4:'TopK' } 1{ 1:'b1' 2:'y1' 4:'Cast' 5{ 1:'to' 3:12 20:2 } } 2:'g'"
        " 11{ 1:'x0' 2{ 1{ 1:1 } } } 11{ 1:'x1' 2{ 1{ 1:7 } } } 12{ 1:'y0' 2{ 1{ 1:1 } } }"
        " 12{ 1:'y1' 2{ 1{ 1:12 } } } } 8{ 2:13 }",
        "a model of two outputs, of which the second one is cast");
    struct model largest = {.node = "Many", .input_count = MODEL_INPUTS, .output_count = MODEL_OUTPUTS};
    largest.has_scale_bias = 1;
    largest.truths = largest.casts = UINT64_MAX;
    size_t size = model_encode(&largest, bytes);
    ok(size > 4096 && size < MODEL_SIZE - 1024, "the largest model is below its limit (%zu bytes)", size);
}

static void test_layouts(void)
{
    struct tensor padded = {
        .element_size = 2, .element_bits = 16, .rank = 3, .sizes = {2, 1, 3}, .strides = {1, 77, 4}, .count = 6};
    struct tensor broadcast = {
        .element_size = 1, .element_bits = 8, .rank = 2, .sizes = {3, 2}, .strides = {0, 1}, .count = 6};
    const uint16_t strided[10] = {10, 20, 0, 0, 11, 21, 0, 0, 12, 22}, expected[6] = {10, 11, 12, 20, 21, 22};
    const uint8_t pair[2] = {8, 9}, repeated[6] = {8, 9, 8, 9, 8, 9};
    uint16_t packed[6], back[10];
    uint8_t bytes[6];

    layout_pack(&padded, strided, packed);
    ok(!memcmp(packed, expected, sizeof packed), "a permuted and padded tensor is packed");
    memset(back, 0, sizeof back);
    layout_unpack(&padded, packed, back);
    ok(!memcmp(back, strided, sizeof back), "and unpacked again; bytes between elements keep their values");
    layout_pack(&broadcast, pair, bytes);
    ok(!memcmp(bytes, repeated, sizeof bytes), "a broadcast tensor is packed");

    struct tensor quarters = {.type = DML_TENSOR_DATA_TYPE_UINT4,
                              .element_bits = 4,
                              .rank = 2,
                              .sizes = {3, 1},
                              .strides = {3, 1},
                              .count = 3};
    const uint8_t nibbles[4] = {0xa1, 0xb2, 0xc3, 0xd4}; /* elements 1, a, 2, b, 3, c, 4, d */
    uint8_t list[2] = {0, 0xf0}, spread[4] = {0x55, 0x55, 0x55, 0x55};
    ok(layout_packed_bytes(&quarters) == 2, "three elements of 4 bits need two bytes");
    layout_pack(&quarters, nibbles, list);
    ok(list[0] == 0xb1 && list[1] == 0xf4, "a tensor of 4 bits is packed");
    layout_unpack(&quarters, list, spread);
    ok(spread[0] == 0x51 && spread[1] == 0xb5 && spread[2] == 0x55 && spread[3] == 0x54,
       "and unpacked again; the other half of a byte keeps its value");
}

static void test_index_types(void)
{
    const uint32_t u32[2] = {5, UINT32_MAX};
    const int32_t i32[2] = {5, -1};
    const uint64_t u64[3] = {5, UINT64_MAX, (uint64_t)INT64_MAX + 1};
    const int64_t i64[2] = {INT64_MIN, INT64_MAX};
    int64_t wide[3];

    layout_widen(DML_TENSOR_DATA_TYPE_UINT32, 2, u32, wide);
    ok(wide[0] == 5 && wide[1] == 4294967295, "UINT32 stays positive");
    layout_widen(DML_TENSOR_DATA_TYPE_INT32, 2, i32, wide);
    ok(wide[0] == 5 && wide[1] == -1, "INT32 keeps its sign");
    layout_widen(DML_TENSOR_DATA_TYPE_UINT64, 3, u64, wide);
    ok(wide[0] == 5 && wide[1] == INT64_MAX && wide[2] == INT64_MAX, "UINT64 beyond INT64 is not negative");
    layout_widen(DML_TENSOR_DATA_TYPE_INT64, 2, i64, wide);
    ok(wide[0] == INT64_MIN && wide[1] == INT64_MAX, "INT64 is unchanged");
}

int main(void)
{
    test_models();
    test_layouts();
    test_index_types();
    return tap_done();
}
