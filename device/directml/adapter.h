/* adapter.h: choosing an adapter. */
#ifndef ADAPTER_H
#define ADAPTER_H

#include "device/directml/libraries.h"

struct adapter {
    IDXCoreAdapter *adapter;
    bool has_graphics; /* otherwise the adapter computes only */
    uint64_t memory;   /* bytes of its own */
    char name[128];    /* of the driver: "NVIDIA GeForce RTX 3080" */
    char version[64];  /* of the driver: "31.0.15.3623" */
};

/* Chooses an adapter: by number, by a part of its name without regard to case, or, with "", the first in the order of
 * DXCore's preferences. A failure names the adapters that there are. adapter_close() accepts what a failure leaves. */
HRESULT adapter_open(struct adapter *adapter, const struct libraries *libraries, const char *choice, char *message,
                     size_t message_size);
void adapter_close(struct adapter *adapter);

#endif
