/* nvml.h: clocks and power state of an NVIDIA GPU, by NVIDIA's management library, if it is installed: Vulkan does not
 * report them. */
#ifndef NVML_H
#define NVML_H

#include "device/vulkan/vk.h"

/* The library, opened at the first question; zeroed: not opened yet. */
struct nvml {
    void *library; /* null: it is not installed */
    void *gpu;     /* the library's handle; null: the device is none of its GPUs */
    int asked;
};

/* Writes "1980 MHz, memory 2619 MHz, 412 W, P0" to `out`, or "" if that is not known. */
void nvml_describe(struct nvml *nvml, const struct vk *vk, char *out, size_t size);

void nvml_close(struct nvml *nvml);

#endif
