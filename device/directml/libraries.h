/* libraries.h: the libraries of Windows that WSL 2 gives to Linux, loaded at run time. */
#ifndef LIBRARIES_H
#define LIBRARIES_H

#include "device/directml/com.h"

struct libraries {
    void *handles[3]; /* in the order of the names in libraries.c */
    dxcore_create_factory create_factory;
    PFN_D3D12_CREATE_DEVICE create_device;
    PFN_D3D12_GET_DEBUG_INTERFACE get_debug;
    dml_create_device create_dml;
};

/* Loads the libraries from `folder`; "": from the loader's path, or else from WSL's folder. Fails with
 * DXGI_ERROR_UNSUPPORTED and a message that names the missing part. libraries_close() accepts what a failure leaves. */
HRESULT libraries_open(struct libraries *libraries, const char *folder, char *message, size_t message_size);
void libraries_close(struct libraries *libraries);

#endif
