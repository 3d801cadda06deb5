/* Answers of a bridge's peer: the device is unchanged, but the input takes the place of the peer's process. */
#include "harness/describe/desc_text.h"
#include "harness/load/load.h"
#include "harness/describe/marshal.h"
#include "tools/fuzz/target.h"

/* Replaces starting a peer and sending to it. */
#define assay_device_entry bridge_entry
#define peer_start start_process
#include "device/bridge/peer.c"
#undef peer_start
static int start_pipe(struct peer *peer);
static int send_next(const struct peer_bytes *parts, size_t count);
#define peer_start(peer, command, timeout) start_pipe(peer)
#define peer_send(peer, json, size, parts, count) send_next(parts, count)
#include "device/bridge/describe.c"
#include "device/bridge/message.c"

#include "device/bridge/bridge.c"
#include "device/bridge/bridge_options.c"
#include "device/common/layout.h"

enum { DATA_MAX = 127, ROOM = PEER_HEADER + UINT16_MAX / 4 + DATA_MAX };

/* The input is a sequence of answers: a byte of flags (FRAMED: the target puts a header before the payload; the other
 * bits: bytes of data after it), two bytes of length, the payload. */
enum { FRAMED = 1 };
static const uint8_t *next_answer, *answers_end;
static int answer_pipe = -1;
static volatile unsigned sent; /* forces a read of all sent bytes */

static int start_pipe(struct peer *peer)
{
    int ends[2];
    *peer = (struct peer){.in = -1, .out = -1, .log = -1, .shared = memfd_create("tensors", MFD_CLOEXEC)};
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        abort();
    peer->out = ends[0];
    answer_pipe = ends[1];
    return 1;
}

/* Takes a request: puts the next answer into the pipe. After the last answer, closes the pipe. */
static int send_next(const struct peer_bytes *parts, size_t count)
{
    uint8_t bytes[ROOM], *to = bytes;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < parts[i].size; j++)
            sent += ((const uint8_t *)parts[i].at)[j];
    if (answers_end - next_answer < 3) {
        close_fd(&answer_pipe);
        return 1;
    }
    unsigned flags = next_answer[0], length = (next_answer[1] | (unsigned)next_answer[2] << 8) / 4;
    next_answer += 3;
    if (length > (size_t)(answers_end - next_answer))
        length = (unsigned)(answers_end - next_answer);
    if (flags & FRAMED) {
        memcpy(to, magic, sizeof magic);
        put_little_endian(to + 4, length, 4);
        put_little_endian(to + 8, flags >> 1, 8);
        to += PEER_HEADER;
    }
    memcpy(to, next_answer, length);
    to += length;
    next_answer += length;
    if (flags & FRAMED) {
        memset(to, 0x5a, flags >> 1);
        to += flags >> 1;
    }
    if (write(answer_pipe, bytes, (size_t)(to - bytes)) != to - bytes)
        abort(); /* the pipe has room: the device must not send while it has unread bytes */
    return 1;
}

/* Two operators; the second has a strided output, which the bridge packs for peers without strides. */
static const char *const texts[] = {
    "GATHER InputTensor=FLOAT32[1,4] IndicesTensor=UINT32[1,3] OutputTensor=FLOAT32[1,3] Axis=1 IndexDimensions=1",
    "NONZERO_COORDINATES InputTensor=FLOAT32[2,2] OutputCountTensor=UINT32[1] "
    "OutputCoordinatesTensor=UINT32[4,2]:strides[4,2]",
};
enum { OPERATORS_TRIED = 2 };

static void dispatch_all(const assay_device_api *tried, assay_device *device, assay_compiled *const *compiled)
{
    assay_binding inputs[OPERATORS_TRIED][3] = {0}, outputs[OPERATORS_TRIED][3] = {0};
    assay_dispatch_item items[OPERATORS_TRIED];
    assay_dispatch_result results[OPERATORS_TRIED];
    uint32_t count = 0;
    for (int i = 0; i < OPERATORS_TRIED; i++) {
        if (!compiled[i])
            continue;
        const struct descriptor *d = &compiled[i]->descriptor;
        for (uint32_t j = 0; j < d->input_count; j++)
            inputs[i][j] = (assay_binding){.base = calloc(1, d->inputs[j].bytes), .size = d->inputs[j].bytes};
        for (uint32_t j = 0; j < d->output_count; j++)
            outputs[i][j] = (assay_binding){.base = calloc(1, d->outputs[j].bytes), .size = d->outputs[j].bytes};
        items[count++] = (assay_dispatch_item){.compiled = compiled[i],
                                               .inputs = inputs[i],
                                               .outputs = outputs[i],
                                               .input_count = d->input_count,
                                               .output_count = d->output_count};
    }
    HRESULT status = count ? tried->dispatch(device, items, count, results) : S_OK;
    for (uint32_t i = 0; i < count; i++)
        if (FAILED(status) && (!*tried->message(device) || SUCCEEDED(results[i].status)))
            abort(); /* a lost device must say why, and must have no results */
    for (int i = 0; i < OPERATORS_TRIED; i++)
        for (int j = 0; j < 3; j++)
            free(inputs[i][j].base), free(outputs[i][j].base);
}

static void use(const assay_device_api *tried, assay_device *device, const DML_OPERATOR_DESC *const *descs)
{
    assay_operator *ops[OPERATORS_TRIED] = {0};
    assay_compiled *compiled[OPERATORS_TRIED] = {0};
    for (int i = 0; i < OPERATORS_TRIED; i++)
        if (SUCCEEDED(tried->create_operator(device, descs[i], &ops[i])))
            tried->compile_operator(device, ops[i], DML_EXECUTION_FLAG_NONE, &compiled[i]);
    for (int i = 0; i < 2; i++) /* after a loss, too */
        dispatch_all(tried, device, compiled);
    for (int i = 0; i < OPERATORS_TRIED; i++) {
        tried->destroy_compiled(device, compiled[i]);
        tried->destroy_operator(device, ops[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct spec_set set;
    static struct opdesc parsed[OPERATORS_TRIED]; /* `marshals` point into them */
    static struct marshal marshals[OPERATORS_TRIED];
    static const DML_OPERATOR_DESC *descs[OPERATORS_TRIED];
    struct error error = {0};
    if (!set.script) {
        if (spec_set_load(&set, "specs", &error))
            abort();
        for (int i = 0; i < OPERATORS_TRIED; i++) {
            if (desc_text_parse(&set, texts[i], &parsed[i], &error))
                abort();
            marshal_desc(&set.specs[parsed[i].op], &parsed[i], &marshals[i]);
            descs[i] = &marshals[i].op;
        }
    }
    const assay_device_api *tried = bridge_entry(ASSAY_DEVICE_ABI);
    const assay_device_config config = {.size = sizeof config, .arguments = "peer"};
    assay_device *device = NULL;
    char message[256] = "";
    next_answer = data;
    answers_end = data + size;
    HRESULT result = tried->create_device(&config, &device, message, sizeof message);
    if (SUCCEEDED(result) != (device != NULL) || (!device && !*message))
        abort();
    if (device)
        use(tried, device, descs);
    tried->destroy_device(device);
    close_fd(&answer_pipe);
    return 0;
}
