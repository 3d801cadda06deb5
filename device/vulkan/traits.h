/* traits.h: properties of a device that plans depend on. */
#ifndef TRAITS_H
#define TRAITS_H

#include "device/vulkan/vulkan_options.h"
#include "device/vulkan/texels.h"
#include "device/vulkan/vk.h"

/* Moves that keep the memory busy in different ways. */
enum pipeline_move {
    PIPELINE_COPY,   /* no indices, and more than the copy command is good for; an element for each invocation */
    PIPELINE_TUPLES, /* several indices for each element */
    PIPELINE_WIDE,   /* elements of 128 bits or more */
    PIPELINE_NARROW, /* any other move */
    PIPELINE_MAP,    /* element-wise operators */
    PIPELINE_MOVES
};

struct traits_of_move {
    uint8_t together;      /* elements that an invocation should have in flight */
    uint8_t group_log;     /* log2 of the invocations in a workgroup; 0: as many as usual */
    uint32_t max_elements; /* elements that one invocation should move at most */
};

struct pipeline_traits {
    uint32_t group_size;         /* invocations in a workgroup */
    uint32_t subgroups_in_group; /* subgroups in a workgroup, about */
    uint32_t groups_at_least;    /* workgroups to fill before an invocation moves more than one element */
    struct traits_of_move move[PIPELINE_MOVES];
    uint32_t cache_bytes; /* bytes that indices should reach over at a time, to stay in the cache; 0: no limit */
    uint8_t run;          /* adjacent elements that an invocation scans for non-zero ones; 0: 128 bits' worth */
    uint8_t kept;         /* most elements of a slice that an invocation keeps in registers, over 8; 1: none */
    uint8_t summed;       /* least elements for an invocation of a reduction, if there are so many */
    uint32_t added;       /* most numbers that each workgroup adds up by itself: more are scanned first */
    uint16_t rounds;      /* rounds of loops that an invocation may have in all; 0: any number */
    uint8_t large_log;    /* log2 of the size of a workgroup for work that would take too many rounds */
    uint16_t tile;        /* least elements of a sequence that TOP_K selects from in a workgroup */
    uint8_t scans;        /* a subgroup takes a line of a cumulative operator alone, if there are enough */
    uint8_t copies;       /* a kernel copies large tensors faster than vkCmdCopyBuffer */
    uint16_t widest;      /* bits of the widest element that a plan may use */
    uint64_t texel_bytes; /* bytes of the largest tensor that a kernel may read as texels; 0: none */
    uint64_t store_bytes; /* bytes of the largest tensor that a kernel may store to as a buffer */
    uint64_t word_bytes;  /* bytes of the largest tensor that a kernel may read as texels of a word */
    uint8_t has_int64, has_float64; /* kernels may compute with 64-bit numbers */
};

/* Returns the traits. `is_processor`: plan as for a processor. Only the members of `vk` that tell the driver's features
 * are read. */
struct pipeline_traits pipeline_traits_of(const struct vk *vk, const struct options *options,
                                          const struct texels *texels, int is_processor);
#endif
