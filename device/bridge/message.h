/* message.h: requests and answers; README.md describes them. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include "device/bridge/peer.h"
#include "device/device.h"
#include "device/common/descriptor.h"

#include <jansson.h>

enum { MESSAGE_OPERATORS = DML_OPERATOR_UNFOLD + 1 };

/* The peer's statement in hello about one operator. */
struct message_support {
    int known;
    uint32_t max_rank;                    /* largest DimensionCount */
    uint32_t types[CATALOGUE_MAX_FIELDS]; /* a bit for each DML_TENSOR_DATA_TYPE, for members that are tensors */
};

/* The peer's answer to hello. */
struct message_hello {
    assay_device_info info; /* `size` is not set */
    uint32_t data_types;    /* a bit for each DML_TENSOR_DATA_TYPE */
    int strides;            /* the peer takes strided tensors; otherwise the bridge packs them */
    int memory;             /* tensors go through the memory that bridge and peer share */
    int compile;            /* the peer wants a compile request for each operator before dispatch */
    struct message_support operators[MESSAGE_OPERATORS]; /* by DML_OPERATOR_TYPE */
};

/* Tells whether the peer has the operator: an operator that it lacks is not validated. */
int message_has_operator(const struct message_hello *hello, DML_OPERATOR_TYPE type);

/* Tells whether the peer takes the operator with these data types and this rank, by its answer to hello. If not, `text`
 * has a sentence. */
int message_takes(const struct message_hello *hello, const struct descriptor *descriptor, char *text, size_t size);

/* Sends a request `kind`. If `name` is not null, `body` becomes its member of that name: the reference is stolen.
 * `parts` are the request's data. Returns 0 if the peer is lost. */
int message_send(struct peer *peer, const char *kind, const char *name, json_t *body, const struct peer_bytes *parts,
                 size_t count);

/* Receives an answer, which the caller frees with json_decref(). Returns null if the peer is lost; `peer->problem` says
 * why. */
json_t *message_receive(struct peer *peer, uint64_t *data_size);

/* Read an answer. Both return 0 and lose the peer if the answer breaks the protocol. `*text` is valid as long as
 * `answer`. */
int message_read_hello(struct peer *peer, json_t *answer, struct message_hello *out);
int message_read_status(struct peer *peer, json_t *answer, HRESULT *status, uint64_t *device_ns, const char **text);

#endif
