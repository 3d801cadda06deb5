/* message.h: requests and answers as JSON; README.md says what is in them. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include "device/bridge/peer.h"
#include "device/device.h"
#include "device/common/descriptor.h"

#include <jansson.h>

/* What the peer says of itself. */
struct message_hello {
    assay_device_info info; /* `size` is not set */
    uint32_t data_types;    /* a bit for each DML_TENSOR_DATA_TYPE */
    int strides;            /* takes tensors as they are; else they are packed for it */
    int compile;            /* wants to be asked before an operator is dispatched */
};

/* The operator in the documented names; to be freed with json_decref(). Null: no memory. Of a `packed` one the tensors
 * have no strides, and no more bytes than their elements. */
json_t *message_operator(const struct descriptor *descriptor, int packed);

/* "FLOAT32"; null: no tensor may have that type. */
const char *message_type_name(DML_TENSOR_DATA_TYPE type);

/* Sends a request of that kind, which has `body` as its member `name` (null: none; stolen). */
int message_send(struct peer *peer, const char *kind, const char *name, json_t *body, const struct peer_bytes *parts,
                 size_t count);

/* Receives an answer; to be freed with json_decref(). Null: `peer->problem`, which may be the peer's own words. */
json_t *message_receive(struct peer *peer, uint64_t *data_size);

/* What is in an answer. All return 0 and lose the peer where it is not as it should be. */
int message_read_hello(struct peer *peer, json_t *answer, struct message_hello *out);
int message_read_status(struct peer *peer, json_t *answer, HRESULT *status, uint64_t *device_ns, const char **text);

#endif
