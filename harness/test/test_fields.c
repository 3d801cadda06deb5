/* Every kind of field: descriptions against hand-written documented structs, and back; text, JSON and C; wild and
 * simpler values. */
#include "harness/describe/desc_json.h"
#include "harness/describe/desc_text.h"
#include "harness/describe/field_kind.h"
#include "harness/describe/marshal.h"
#include "harness/load/load.h"
#include "tools/tap.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_SIZE = 8192, MUTATIONS = 3000 };

static struct spec_set specs;

/* ---- hand-written structs */

#define SIZES(...)                                                                                                     \
    (const UINT[])                                                                                                     \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define TENSOR_OF(type, bytes, ...)                                                                                    \
    {                                                                                                                  \
        DML_TENSOR_TYPE_BUFFER, &(const DML_BUFFER_TENSOR_DESC)                                                        \
        {                                                                                                              \
            .DataType = DML_TENSOR_DATA_TYPE_##type, .DimensionCount = sizeof(SIZES(__VA_ARGS__)) / sizeof(UINT),      \
            .Sizes = SIZES(__VA_ARGS__), .TotalTensorSizeInBytes = (bytes)                                             \
        }                                                                                                              \
    }
#define TENSOR(type, bytes, ...) (&(const DML_TENSOR_DESC)TENSOR_OF(type, bytes, __VA_ARGS__))

static const DML_ACTIVATION_ELU_OPERATOR_DESC elu = {.Alpha = 0.5f};
static const DML_OPERATOR_DESC fused_elu = {DML_OPERATOR_ACTIVATION_ELU, &elu};
static const DML_CONVOLUTION_OPERATOR_DESC convolution = {
    .InputTensor = TENSOR(FLOAT32, 64, 1, 1, 4, 4),
    .FilterTensor = TENSOR(FLOAT32, 24, 1, 1, 2, 3),
    .BiasTensor = NULL,
    .OutputTensor = TENSOR(FLOAT16, 12, 1, 1, 3, 2),
    .Mode = DML_CONVOLUTION_MODE_CROSS_CORRELATION,
    .Direction = DML_CONVOLUTION_DIRECTION_BACKWARD,
    .DimensionCount = 2,
    .Strides = SIZES(1, 2),
    .Dilations = SIZES(3, 4),
    .StartPadding = SIZES(5, 6),
    .EndPadding = SIZES(7, 8),
    .OutputPadding = SIZES(0, 9),
    .GroupCount = 10,
    .FusedActivation = &fused_elu,
};
static const DML_JOIN_OPERATOR_DESC join = {
    .InputCount = 2,
    .InputTensors = (const DML_TENSOR_DESC[]){TENSOR_OF(FLOAT32, 8, 1, 2), TENSOR_OF(INT32, 12, 1, 3)},
    .OutputTensor = TENSOR(FLOAT32, 20, 1, 5),
    .Axis = 1,
};
static const DML_SPLIT_OPERATOR_DESC split = {
    .InputTensor = TENSOR(FLOAT32, 8, 1, 2),
    .OutputCount = 1,
    .OutputTensors = (const DML_TENSOR_DESC[]){{DML_TENSOR_TYPE_INVALID, NULL}},
    .Axis = 1,
};
static const DML_FILL_VALUE_CONSTANT_OPERATOR_DESC fill_float = {
    .OutputTensor = TENSOR(FLOAT32, 8, 2), .ValueDataType = DML_TENSOR_DATA_TYPE_FLOAT32, .Value = {.Float32 = -1.5f}};
static const DML_FILL_VALUE_CONSTANT_OPERATOR_DESC fill_int64 = {
    .OutputTensor = TENSOR(INT64, 16, 2), .ValueDataType = DML_TENSOR_DATA_TYPE_INT64, .Value = {.Int64 = -7}};
static const DML_FILL_VALUE_CONSTANT_OPERATOR_DESC fill_bytes = {.OutputTensor = TENSOR(UINT8, 4, 2),
                                                                 .ValueDataType = (DML_TENSOR_DATA_TYPE)99,
                                                                 .Value = {{1, 2, 3, 4, 5, 6, 7, 0xff}}};
static const DML_FILL_VALUE_SEQUENCE_OPERATOR_DESC fill_sequence = {.OutputTensor = TENSOR(UINT8, 4, 3),
                                                                    .ValueDataType = DML_TENSOR_DATA_TYPE_UINT8,
                                                                    .ValueStart = {.UInt8 = 5},
                                                                    .ValueDelta = {{3, 1}}};
static const DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC identity = {.InputTensor = TENSOR(FLOAT32, 4, 1),
                                                                 .OutputTensor = TENSOR(FLOAT32, 4, 1),
                                                                 .ScaleBias = &(const DML_SCALE_BIAS){2.0f, -0.1f}};
static const DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC plain_identity = {.InputTensor = TENSOR(UINT4, 4, 3),
                                                                       .OutputTensor = TENSOR(INT4, 8, 3, 3)};
static const DML_RESAMPLE_OPERATOR_DESC resample = {.InputTensor = TENSOR(FLOAT32, 4, 1, 1),
                                                    .OutputTensor = TENSOR(FLOAT32, 12, 1, 3),
                                                    .InterpolationMode = (DML_INTERPOLATION_MODE)7,
                                                    .ScaleCount = 2,
                                                    .Scales = (const FLOAT[]){1.0f, 3.3f}};
static const DML_UPSAMPLE_2D_OPERATOR_DESC upsample = {.InputTensor = TENSOR(FLOAT32, 4, 1, 1, 1, 1),
                                                       .OutputTensor = TENSOR(FLOAT32, 24, 1, 1, 3, 2),
                                                       .ScaleSize = {.Width = 2, .Height = 3},
                                                       .InterpolationMode = DML_INTERPOLATION_MODE_LINEAR};
static const DML_ACTIVATION_SCALED_TANH_OPERATOR_DESC scaled_tanh = {
    .InputTensor = TENSOR(FLOAT32, 4, 1), .Alpha = 1.0f, .Beta = -2.5f};
static const DML_RNN_OPERATOR_DESC rnn = {
    .InputTensor = TENSOR(FLOAT32, 4, 1, 1, 1, 1),
    .WeightTensor = TENSOR(FLOAT32, 8, 1, 2, 1, 1),
    .RecurrenceTensor = TENSOR(FLOAT32, 8, 1, 2, 1, 1),
    .SequenceLengthsTensor = TENSOR(UINT32, 4, 1, 1, 1, 1),
    .OutputSingleTensor = TENSOR(FLOAT32, 8, 1, 2, 1, 1),
    .ActivationDescCount = 4,
    .ActivationDescs = (const DML_OPERATOR_DESC[]){{DML_OPERATOR_ACTIVATION_SCALED_TANH, &scaled_tanh},
                                                   {DML_OPERATOR_ACTIVATION_ELU, &elu},
                                                   {DML_OPERATOR_ACTIVATION_RELU, NULL},
                                                   {(DML_OPERATOR_TYPE)4000000000u, NULL}},
    .Direction = DML_RECURRENT_NETWORK_DIRECTION_BIDIRECTIONAL};
static const DML_REDUCE_OPERATOR_DESC reduce = {.Function = DML_REDUCE_FUNCTION_SUM,
                                                .InputTensor = TENSOR(FLOAT32, 24, 2, 3),
                                                .OutputTensor = TENSOR(FLOAT32, 4, 1, 1),
                                                .AxisCount = 2,
                                                .Axes = SIZES(0, 1)};
static const DML_REDUCE_OPERATOR_DESC reduce_nothing = {.Function = (DML_REDUCE_FUNCTION)12,
                                                        .InputTensor = TENSOR(FLOAT32, 4, 1),
                                                        .OutputTensor = TENSOR(FLOAT32, 4, 1),
                                                        .AxisCount = 0xffffffff};
static const DML_SLICE1_OPERATOR_DESC slice = {.InputTensor = TENSOR(FLOAT32, 16, 4),
                                               .OutputTensor = TENSOR(FLOAT32, 8, 2),
                                               .DimensionCount = 1,
                                               .InputWindowOffsets = SIZES(0),
                                               .InputWindowSizes = SIZES(0x80000000),
                                               .InputWindowStrides = (const INT[]){-2}};
static const DML_DIAGONAL_MATRIX_OPERATOR_DESC diagonal = {
    .OutputTensor = TENSOR(FLOAT32, 16, 2, 2), .Offset = INT32_MIN, .Value = 1e-40f};
static const DML_LOCAL_RESPONSE_NORMALIZATION_OPERATOR_DESC normalization = {.InputTensor = TENSOR(FLOAT32, 4, 1),
                                                                             .OutputTensor = TENSOR(FLOAT32, 4, 1),
                                                                             .CrossChannel = 1,
                                                                             .LocalSize = 3,
                                                                             .Alpha = 1e-4f,
                                                                             .Beta = 0.75f,
                                                                             .Bias = -0.0f};
static const DML_DEQUANTIZE_OPERATOR_DESC dequantize = {
    .InputTensor = TENSOR(INT4, 4, 7),
    .QuantizationType = DML_QUANTIZATION_TYPE_SCALE_ZERO_POINT,
    .QuantizationTensorCount = 2,
    .QuantizationTensors = (const DML_TENSOR_DESC[]){TENSOR_OF(FLOAT32, 4, 1), TENSOR_OF(INT4, 4, 1)},
    .OutputTensor = TENSOR(FLOAT32, 28, 7)};

static const struct {
    DML_OPERATOR_TYPE type;
    const void *desc;
    const char *text;
} descriptions[] = {
    {DML_OPERATOR_CONVOLUTION, &convolution,
     "CONVOLUTION InputTensor=FLOAT32[1,1,4,4] FilterTensor=FLOAT32[1,1,2,3] BiasTensor=null "
     "OutputTensor=FLOAT16[1,1,3,2] Mode=CROSS_CORRELATION Direction=BACKWARD DimensionCount=2 Strides=[1,2] "
     "Dilations=[3,4] StartPadding=[5,6] EndPadding=[7,8] OutputPadding=[0,9] GroupCount=10 "
     "FusedActivation=ACTIVATION_ELU(Alpha=0.5)"},
    {DML_OPERATOR_JOIN, &join,
     "JOIN InputCount=2 InputTensors=[FLOAT32[1,2],INT32[1,3]] OutputTensor=FLOAT32[1,5] Axis=1"},
    {DML_OPERATOR_SPLIT, &split, "SPLIT InputTensor=FLOAT32[1,2] OutputCount=1 OutputTensors=[null] Axis=1"},
    {DML_OPERATOR_FILL_VALUE_CONSTANT, &fill_float,
     "FILL_VALUE_CONSTANT OutputTensor=FLOAT32[2] ValueDataType=FLOAT32 Value=FLOAT32(-1.5)"},
    {DML_OPERATOR_FILL_VALUE_CONSTANT, &fill_int64,
     "FILL_VALUE_CONSTANT OutputTensor=INT64[2] ValueDataType=INT64 Value=INT64(-7)"},
    {DML_OPERATOR_FILL_VALUE_CONSTANT, &fill_bytes,
     "FILL_VALUE_CONSTANT OutputTensor=UINT8[2] ValueDataType=99 Value=0x01020304050607ff"},
    {DML_OPERATOR_FILL_VALUE_SEQUENCE, &fill_sequence,
     "FILL_VALUE_SEQUENCE OutputTensor=UINT8[3] ValueDataType=UINT8 ValueStart=UINT8(5) ValueDelta=0x0301000000000000"},
    {DML_OPERATOR_ELEMENT_WISE_IDENTITY, &identity,
     "ELEMENT_WISE_IDENTITY InputTensor=FLOAT32[1] OutputTensor=FLOAT32[1] ScaleBias=[2,-0.1]"},
    {DML_OPERATOR_ELEMENT_WISE_IDENTITY, &plain_identity,
     "ELEMENT_WISE_IDENTITY InputTensor=UINT4[3] OutputTensor=INT4[3,3] ScaleBias=null"},
    {DML_OPERATOR_RESAMPLE, &resample,
     "RESAMPLE InputTensor=FLOAT32[1,1] OutputTensor=FLOAT32[1,3] InterpolationMode=7 ScaleCount=2 Scales=[1,3.3]"},
    {DML_OPERATOR_UPSAMPLE_2D, &upsample,
     "UPSAMPLE_2D InputTensor=FLOAT32[1,1,1,1] OutputTensor=FLOAT32[1,1,3,2] ScaleSize=[2,3] "
     "InterpolationMode=LINEAR"},
    {DML_OPERATOR_RNN, &rnn,
     "RNN InputTensor=FLOAT32[1,1,1,1] WeightTensor=FLOAT32[1,2,1,1] RecurrenceTensor=FLOAT32[1,2,1,1] "
     "BiasTensor=null HiddenInitTensor=null SequenceLengthsTensor=UINT32[1,1,1,1] OutputSequenceTensor=null "
     "OutputSingleTensor=FLOAT32[1,2,1,1] ActivationDescCount=4 "
     "ActivationDescs=[ACTIVATION_SCALED_TANH(InputTensor=given,Alpha=1,Beta=-2.5),ACTIVATION_ELU(Alpha=0.5),"
     "ACTIVATION_RELU(null),4000000000(null)] Direction=BIDIRECTIONAL"},
    {DML_OPERATOR_REDUCE, &reduce,
     "REDUCE Function=SUM InputTensor=FLOAT32[2,3] OutputTensor=FLOAT32[1,1] AxisCount=2 Axes=[0,1]"},
    {DML_OPERATOR_REDUCE, &reduce_nothing,
     "REDUCE Function=12 InputTensor=FLOAT32[1] OutputTensor=FLOAT32[1] AxisCount=4294967295 Axes=null"},
    {DML_OPERATOR_SLICE1, &slice,
     "SLICE1 InputTensor=FLOAT32[4] OutputTensor=FLOAT32[2] DimensionCount=1 InputWindowOffsets=[0] "
     "InputWindowSizes=[2147483648] InputWindowStrides=[-2]"},
    {DML_OPERATOR_DIAGONAL_MATRIX, &diagonal,
     "DIAGONAL_MATRIX OutputTensor=FLOAT32[2,2] Offset=-2147483648 Value=9.99995e-41"},
    {DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION, &normalization,
     "LOCAL_RESPONSE_NORMALIZATION InputTensor=FLOAT32[1] OutputTensor=FLOAT32[1] CrossChannel=1 LocalSize=3 "
     "Alpha=0.0001 Beta=0.75 Bias=-0"},
    {DML_OPERATOR_DEQUANTIZE, &dequantize,
     "DEQUANTIZE InputTensor=INT4[7] QuantizationType=SCALE_ZERO_POINT QuantizationTensorCount=2 "
     "QuantizationTensors=[FLOAT32[1],INT4[1]] OutputTensor=FLOAT32[7]"},
};

enum { DESCRIPTIONS = sizeof descriptions / sizeof *descriptions };

/* ---- comparing documented structs */

static bool same_tensors(const DML_TENSOR_DESC *a, const DML_TENSOR_DESC *b)
{
    if (!a || !b || !a->Desc || !b->Desc)
        return !a == !b && (!a || (!a->Desc && !b->Desc));
    const DML_BUFFER_TENSOR_DESC *x = a->Desc, *y = b->Desc;
    return a->Type == b->Type && x->DataType == y->DataType && x->Flags == y->Flags &&
           x->DimensionCount == y->DimensionCount && !x->Strides && !y->Strides &&
           memcmp(x->Sizes, y->Sizes, x->DimensionCount * sizeof *x->Sizes) == 0 &&
           x->TotalTensorSizeInBytes == y->TotalTensorSizeInBytes &&
           x->GuaranteedBaseOffsetAlignment == y->GuaranteedBaseOffsetAlignment;
}

static bool same_structs(const struct spec_layout *layout, const void *a, const void *b);

static bool same_operators(const DML_OPERATOR_DESC *a, const DML_OPERATOR_DESC *b)
{
    const struct spec_layout *layout = catalogue_layout(specs.catalogue, (uint32_t)a->Type);
    return a->Type == b->Type && !a->Desc == !b->Desc &&
           (!a->Desc || !layout || same_structs(layout, a->Desc, b->Desc));
}

/* Compares member by member as the catalogue lays them out: pointers by the memory that they point to. */
static bool same_structs(const struct spec_layout *layout, const void *a, const void *b)
{
    bool same = true;
    for (int i = 0; i < layout->field_count; i++) {
        const struct spec_field *field = &layout->fields[i];
        const char *x = (const char *)a + field->offset, *y = (const char *)b + field->offset;
        const void *p = NULL, *q = NULL;
        UINT count = 1;
        if (field->count_field >= 0)
            memcpy(&count, (const char *)a + layout->fields[field->count_field].offset, sizeof count);
        if (field_kinds[field->kind].is_pointer) {
            memcpy(&p, x, sizeof p);
            memcpy(&q, y, sizeof q);
        }
        bool good = !p == !q;
        for (UINT n = 0; good && p && n < count; n++)
            switch (field->kind) {
            case FIELD_INPUT:
            case FIELD_OUTPUT:
            case FIELD_INPUTS:
            case FIELD_OUTPUTS:
                good = same_tensors((const DML_TENSOR_DESC *)p + n, (const DML_TENSOR_DESC *)q + n);
                break;
            case FIELD_OPERATOR:
            case FIELD_OPERATORS:
                good = same_operators((const DML_OPERATOR_DESC *)p + n, (const DML_OPERATOR_DESC *)q + n);
                break;
            case FIELD_SCALE_BIAS:
                good = memcmp(p, q, sizeof(DML_SCALE_BIAS)) == 0;
                break;
            default:
                good = ((const UINT *)p)[n] == ((const UINT *)q)[n];
            }
        if (!field_kinds[field->kind].is_pointer)
            good = memcmp(x, y, field_kinds[field->kind].bytes) == 0;
        if (!good)
            note("%s.%s differs", layout->name, field->name);
        same &= good;
    }
    return same;
}

static bool same_descs(const struct spec *spec, const struct opdesc *a, const struct opdesc *b)
{
    bool same = true;
    for (int i = 0; i < spec->field_count; i++) {
        const struct field_ref x = field_ref(spec, a, i), y = field_ref(spec, b, i);
        if (!field_kind(&x)->same(&x, &y)) {
            note("%s differs", spec->fields[i].name);
            same = false;
        }
    }
    return same;
}

static const struct spec *spec_of(DML_OPERATOR_TYPE type)
{
    for (int i = 0; i < specs.count; i++)
        if (specs.specs[i].type == type)
            return &specs.specs[i];
    return NULL;
}

/* ---- tests */

static void test_struct(size_t n)
{
    const struct spec *spec = spec_of(descriptions[n].type);
    const DML_OPERATOR_DESC op = {descriptions[n].type, descriptions[n].desc};
    struct opdesc read, parsed;
    struct marshal marshal;
    struct error error = {0};
    char text[TEXT_SIZE];
    marshal_read(spec, &op, &read);
    size_t length = desc_text_print(spec, &read, text, sizeof text);
    if (!ok(length < sizeof text && strcmp(text, descriptions[n].text) == 0, "%s: the struct as text", spec->name))
        note("got %s", text);
    memset(&parsed, 0xaa, sizeof parsed);
    if (!ok(desc_text_parse(&specs, descriptions[n].text, &parsed, &error) == 0 && same_descs(spec, &read, &parsed),
            "%s: the text as a description %s", spec->name, error.text))
        return;
    memset(&marshal, 0xaa, sizeof marshal);
    marshal_desc(spec, &parsed, &marshal);
    ok(marshal.op.Type == op.Type &&
           same_structs(catalogue_layout(specs.catalogue, (uint32_t)op.Type), op.Desc, marshal.op.Desc),
       "%s: the description as a struct", spec->name);
}

static bool json_gives_back(const struct spec *spec, const struct opdesc *desc, struct error *error)
{
    struct opdesc back;
    json_t *object = json_object();
    if (!desc_json_write(object, spec, desc))
        return false;
    char *text = json_dumps(object, JSON_ENSURE_ASCII);
    struct json_cursor cursor = {0};
    bool good = text && json_cursor_open_text("test", text, strlen(text), false, &cursor, error) == 0;
    good = good && desc_json_read(&cursor, &specs, &back, error) == 0 && same_descs(spec, desc, &back);
    if (!good)
        note("%s in %s", error->text, text);
    json_cursor_close(&cursor);
    free(text);
    json_decref(object);
    return good;
}

static void test_fields_json(size_t n)
{
    const struct spec *spec = spec_of(descriptions[n].type);
    struct error error = {0};
    struct opdesc desc;
    desc_text_parse(&specs, descriptions[n].text, &desc, &error);
    ok(json_gives_back(spec, &desc, &error), "%s: JSON gives back the description", spec->name);
}

/* Returns true if the text of a description is the text of a description that equals it. */
static bool text_gives_back(const struct spec *spec, const struct opdesc *desc)
{
    struct error error = {0};
    struct opdesc back;
    char text[TEXT_SIZE];
    if (desc_text_print(spec, desc, text, sizeof text) >= sizeof text)
        return false;
    bool good = desc_text_parse(&specs, text, &back, &error) == 0 && same_descs(spec, desc, &back);
    if (!good)
        note("%s: %s", error.text, text);
    return good;
}

static uint64_t weight_of(const struct field_ref *ref)
{
    return field_kind(ref)->weigh(ref);
}

/* Simplifies a member for as long as that makes it lighter. */
static void simplify_fully(const struct spec *spec, struct opdesc *desc, int field)
{
    struct opdesc best;
    struct field_ref ref = field_ref(spec, desc, field);
    bool lighter = true;
    while (lighter) {
        lighter = false;
        opdesc_copy(&best, desc);
        const struct field_ref before = field_ref(spec, &best, field);
        for (unsigned way = 0; !lighter && field_kind(&ref)->simplify(&ref, way); way++) {
            lighter = weight_of(&ref) < weight_of(&before);
            if (!lighter)
                opdesc_copy(desc, &best);
        }
    }
}

/* The description is in a block of exactly its size, so that sanitizers find writes past it. */
static void test_wild(size_t n)
{
    const struct spec *spec = spec_of(descriptions[n].type);
    struct random random = {.key = random_hash(descriptions[n].text, 1)};
    struct error error = {0};
    struct opdesc parsed, *desc = malloc(spec->blank->size);
    struct marshal marshal;
    int changed = 0, texts = 0, jsons = 0, places = 0, heavy = 0;
    desc_text_parse(&specs, descriptions[n].text, &parsed, &error);
    opdesc_copy(desc, &parsed);
    for (int i = 0; i < MUTATIONS; i++) {
        int field = (int)random_below(&random, (uint32_t)spec->field_count);
        struct opdesc old;
        opdesc_copy(&old, desc);
        const struct field_ref ref = field_ref(spec, desc, field), before = field_ref(spec, &old, field);
        field_kind(&ref)->mutate(&ref, &random);
        changed += !field_kind(&ref)->same(&ref, &before);
        marshal_desc(spec, desc, &marshal);
        for (int f = 0; f < spec->field_count; f++)
            places += field_kinds[spec->fields[f].kind].items > 0 &&
                      memcmp(&desc->values[f].place, &spec->blank->values[f].place, sizeof desc->values[f].place) != 0;
        texts += i % 16 == 0 && !text_gives_back(spec, desc);
        jsons += i % 64 == 0 && !json_gives_back(spec, desc, &error);
        if (i % 32 == 31)
            opdesc_copy(desc, &parsed);
    }
    ok(changed > MUTATIONS / 4, "%s: %d of %d wild changes change it", spec->name, changed, MUTATIONS);
    ok(places == 0, "%s: every item keeps its place", spec->name);
    ok(texts == 0, "%s: the text of wild descriptions gives them back", spec->name);
    ok(jsons == 0, "%s: and so does their JSON", spec->name);
    for (int i = 0; i < spec->field_count; i++) {
        const struct field_ref ref = field_ref(spec, desc, i);
        bool counts = false; /* whether arrays have so many elements: those keep their number */
        for (int f = 0; f < spec->field_count; f++)
            counts |= spec->fields[f].count_field == i || spec->fields[f].typed_by == i;
        for (int k = 0; k < 20 && !counts; k++)
            field_kind(&ref)->mutate(&ref, &random);
        if (counts)
            continue;
        simplify_fully(spec, desc, i);
        heavy += weight_of(&ref) > 0;
        if (weight_of(&ref) > 0)
            note("%s weighs %llu", spec->fields[i].name, (unsigned long long)weight_of(&ref));
    }
    ok(heavy == 0, "%s: wild members become simplest", spec->name);
    free(desc);
}

/* Compiles every description as C source and reads the result back. */
static void test_c(const char *folder)
{
    char source[PATH_MAX], library[PATH_MAX], command[3 * PATH_MAX], name[128], text[TEXT_SIZE];
    struct error error = {0};
    snprintf(source, sizeof source, "%s/all.c", folder);
    snprintf(library, sizeof library, "%s/all.so", folder);
    FILE *out = fopen(source, "w");
    fprintf(out, "#include \"dml.h\"\n#include <math.h>\n#include <stddef.h>\n");
    for (int n = 0; n < DESCRIPTIONS; n++) {
        struct opdesc desc;
        const struct spec *spec = spec_of(descriptions[n].type);
        desc_text_parse(&specs, descriptions[n].text, &desc, &error);
        for (int pass = 0; pass < 2; pass++) {
            if (pass == 1)
                fprintf(out, "const DML_%s_OPERATOR_DESC desc_%d = {\n",
                        catalogue_layout(specs.catalogue, (uint32_t)spec->type)->struct_name, n);
            for (int i = 0; i < spec->field_count; i++) {
                const struct field_ref ref = field_ref(spec, &desc, i);
                snprintf(name, sizeof name, "d%d_%s", n, spec->fields[i].name);
                if (pass == 0 && field_kind(&ref)->declare_c)
                    field_kind(&ref)->declare_c(&ref, name, out);
                if (pass == 0)
                    continue;
                fprintf(out, "    .%s = ", spec->fields[i].name);
                field_kind(&ref)->initialise_c(&ref, name, out);
                fprintf(out, ",\n");
            }
        }
        fprintf(out, "};\n");
    }
    fclose(out);
    snprintf(command, sizeof command, "cc -std=c11 -Wall -Werror -shared -fPIC -I device '%s' -o '%s'", source,
             library);
    if (!ok(system(command) == 0, "the descriptions as C source compile")) /* NOLINT(cert-env33-c) */
        return;
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    for (int n = 0; n < DESCRIPTIONS && handle; n++) {
        struct opdesc read;
        snprintf(name, sizeof name, "desc_%d", n);
        const DML_OPERATOR_DESC op = {descriptions[n].type, dlsym(handle, name)};
        marshal_read(spec_of(op.Type), &op, &read);
        desc_text_print(spec_of(op.Type), &read, text, sizeof text);
        if (!ok(strcmp(text, descriptions[n].text) == 0, "%s: C source gives it back", spec_of(op.Type)->name))
            note("got %s", text);
    }
    if (handle)
        dlclose(handle);
}

static void test_fields_refuses(const char *text, const char *says)
{
    struct error error = {0};
    struct opdesc desc;
    int result = desc_text_parse(&specs, text, &desc, &error);
    ok(result == EXIT_USAGE && strstr(error.text, says), "'%s': %s", text, error.text);
}

static void test_fields_refused(void)
{
    test_fields_refuses("REDUCE Function=TOTAL", "expected a constant or a number, found ''");
    test_fields_refuses("REDUCE AxisCount=2 Axes=[1]", "expected as many numbers as the count says");
    test_fields_refuses("REDUCE AxisCount=2 Axes=[1,2,3]", "expected as many numbers as the count says");
    test_fields_refuses("REDUCE Axes=[1]", "expected AxisCount before it");
    test_fields_refuses("REDUCE AxisCount=1 Axes=[-1]", "found '-1]'");
    test_fields_refuses("SLICE1 DimensionCount=1 InputWindowStrides=[2147483648]", "expected as many");
    test_fields_refuses("JOIN InputCount=17 InputTensors=[FLOAT32]", "found ']'");
    test_fields_refuses("DIAGONAL_MATRIX Offset=2147483648", "expected a number");
    test_fields_refuses("DIAGONAL_MATRIX Value=one", "expected a number, such as 0.5");
    test_fields_refuses("DIAGONAL_MATRIX Value=0x7fc0000", "expected a number, such as 0.5");
    test_fields_refuses("FILL_VALUE_CONSTANT Value=UINT4(1)", "expected a value with its type");
    test_fields_refuses("FILL_VALUE_CONSTANT Value=0x01", "expected a value with its type");
    test_fields_refuses("ELEMENT_WISE_IDENTITY ScaleBias=[1]", "expected null, or scale and bias");
    test_fields_refuses("CONVOLUTION FusedActivation=ACTIVATION_ELU", "expected null or an operator");
    test_fields_refuses("CONVOLUTION FusedActivation=ACTIVATION_ELV()", "expected null or an operator");
    test_fields_refuses("CONVOLUTION FusedActivation=ACTIVATION_ELU(Gamma=1)", "found 'Gamma=1)'");
    test_fields_refuses("CONVOLUTION FusedActivation=999(Alpha=1)", "found 'Alpha=1)'");
}

/* An array has as many elements as its count says, up to the room; a null pointer is no array of zeros. */
static void test_counts(void)
{
    struct error error = {0};
    struct opdesc desc;
    const struct spec *spec = spec_of(DML_OPERATOR_JOIN);
    unsigned count = 0;
    desc_text_parse(&specs, descriptions[1].text, &desc, &error);
    int inputs = spec_find_field(spec, "InputTensors"), output = spec_find_field(spec, "OutputTensor"), items = 0;
    ok(opdesc_count(&desc, inputs) == 2 && opdesc_present(&desc, inputs), "JOIN: two tensors");
    for (int i = -1; (i = spec_next_tensor(spec, &desc, i)) >= 0; items++)
        ok(spec->tensor_fields[i] == (items < 2 ? inputs : output), "  in the order of the fields");
    ok(items == 3, "JOIN: three tensors in all");
    desc.values[0].number = 0xffffffff;
    ok(opdesc_count(&desc, inputs) == OPDESC_MAX_ARRAY, "a wild count: as many as there is room for");
    desc_text_parse(&specs, descriptions[14].text, &desc, &error);
    spec = spec_of(DML_OPERATOR_SLICE1);
    ok(opdesc_list(&desc, spec_find_field(spec, "InputWindowStrides"), &count)[0] == (uint32_t)-2 && count == 1 &&
           opdesc_entry(&desc, spec_find_field(spec, "InputWindowStrides"), 0) == -2 &&
           opdesc_entry(&desc, spec_find_field(spec, "InputWindowSizes"), 0) == 0x80000000,
       "SLICE1: entries are signed where the documents say so");
}

/* ---- */

/* A folder of specs without rules, for all operators above, with the catalogue. */
static bool make_specs(char *folder)
{
    char path[PATH_MAX], catalogue[PATH_MAX];
    if (!mkdtemp(folder) || !realpath("specs/catalogue.lua", catalogue))
        return false;
    snprintf(path, sizeof path, "%s/catalogue.lua", folder);
    if (symlink(catalogue, path))
        return false;
    for (int i = 0; i < DESCRIPTIONS; i++) {
        const char *text = descriptions[i].text;
        int length = (int)strcspn(text, " ");
        snprintf(path, sizeof path, "%s/%.*s.lua", folder, length, text);
        FILE *file = fopen(path, "w");
        if (!file)
            return false;
        fprintf(file, "return operator \"%.*s\" { rules = {}, parameters = {} }\n", length, text);
        fclose(file);
    }
    return true;
}

static void remove_specs(const char *folder)
{
    char command[PATH_MAX + 16];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    ok(system(command) == 0, "nothing is left behind"); /* NOLINT(cert-env33-c) */
}

int main(void)
{
    char folder[] = "/tmp/assay-fields-XXXXXX";
    struct error error = {0};
    if (!make_specs(folder) || spec_set_load(&specs, folder, &error)) {
        ok(0, "the specs are loaded: %s", error.text);
        return tap_done();
    }
    for (size_t i = 0; i < DESCRIPTIONS; i++) {
        test_struct(i);
        test_fields_json(i);
        test_wild(i);
    }
    test_c(folder);
    test_fields_refused();
    test_counts();
    spec_set_free(&specs);
    remove_specs(folder);
    return tap_done();
}
