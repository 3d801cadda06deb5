#include "device/directml/libraries.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { LIBRARIES = sizeof((struct libraries *)0)->handles / sizeof(void *) };
static const char *const names[LIBRARIES] = {"libdxcore.so", "libd3d12.so", "libdirectml.so"};

#define WSL_FOLDER "/usr/lib/wsl/lib"

static void *load_from(const char *folder, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void *load_windows_library(const char *folder, const char *name)
{
    if (*folder)
        return load_from(folder, name);
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    return library ? library : load_from(WSL_FOLDER, name);
}

/* Sets `*function`, a pointer to a function, to the library's symbol. */
static HRESULT find_export(void *library, const char *name, void *function, char *message, size_t message_size)
{
    void *symbol = dlsym(library, name);
    if (!symbol) {
        snprintf(message, message_size, "the libraries of WSL are too old: %s", dlerror());
        return DXGI_ERROR_UNSUPPORTED;
    }
    memcpy(function, &symbol, sizeof symbol); /* ISO C has no cast from object to function pointer */
    return S_OK;
}

HRESULT libraries_open(struct libraries *libraries, const char *folder, char *message, size_t message_size)
{
    *libraries = (struct libraries){0};
    for (int i = 0; i < LIBRARIES; i++) {
        libraries->handles[i] = load_windows_library(folder, names[i]);
        if (!libraries->handles[i]) {
            snprintf(message, message_size, "DirectML needs WSL 2, whose libraries cannot be loaded: %s", dlerror());
            return DXGI_ERROR_UNSUPPORTED;
        }
    }
    HRESULT result = find_export(libraries->handles[0], "DXCoreCreateAdapterFactory", &libraries->create_factory,
                                 message, message_size);
    if (SUCCEEDED(result))
        result =
            find_export(libraries->handles[1], "D3D12CreateDevice", &libraries->create_device, message, message_size);
    if (SUCCEEDED(result))
        result =
            find_export(libraries->handles[1], "D3D12GetDebugInterface", &libraries->get_debug, message, message_size);
    if (SUCCEEDED(result))
        result = find_export(libraries->handles[2], "DMLCreateDevice1", &libraries->create_dml, message, message_size);
    return result;
}

void libraries_close(struct libraries *libraries)
{
    for (int i = LIBRARIES - 1; i >= 0; i--)
        if (libraries->handles[i])
            dlclose(libraries->handles[i]);
    *libraries = (struct libraries){0};
}
