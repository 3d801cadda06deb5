// What the invocations of a line have, joined across them; all of them get the result. Every invocation of the workgroup
// must call these functions, in turns: 0, 1, 0 and so on, since slower ones may still read what was joined before.
#if SUBGROUPS
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#endif

// The invocations of a line, as slots of the workgroup that follow one another.
struct peers {
    uint slot;  // of this one
    uint first; // of all
    uint count; // a power of two
    bool works; // else this one is of no line
    bool in_subgroups; // they are all of one subgroup, or of several
};

shared uint joined[2][gl_WorkGroupSize.x];

// Whether all subgroups are full: then the invocations of one follow one another in the order of invocation().
bool are_full()
{
#if SUBGROUPS
    return gl_NumSubgroups * gl_SubgroupSize == gl_WorkGroupSize.x;
#else
    return false;
#endif
}

// The number of this invocation in the workgroup.
uint invocation()
{
#if SUBGROUPS
    if (are_full())
        return gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
#endif
    return gl_LocalInvocationID.x;
}

// `in_order`: slots are numbers of invocations.
peers peers_of(uint slot, uint first, uint count, bool works, bool in_order)
{
#if SUBGROUPS
    return peers(slot, first, count, works, in_order && are_full() && count >= gl_SubgroupSize);
#else
    return peers(slot, first, count, works, false);
#endif
}

float sum_across(float value, uint turn, peers all)
{
#if SUBGROUPS
    if (all.in_subgroups) {
        float part = subgroupAdd(value);
        if (all.count == gl_SubgroupSize)
            return part;
        if (gl_SubgroupInvocationID == 0u)
            joined[turn][gl_SubgroupID] = floatBitsToUint(part);
        barrier();
        precise float sum = 0.0;
        for (uint k = 0u; k < all.count / gl_SubgroupSize; k++)
            sum += uintBitsToFloat(joined[turn][all.first / gl_SubgroupSize + k]);
        return sum;
    }
#endif
    joined[turn][all.slot] = floatBitsToUint(value);
    for (uint apart = all.count >> 1; apart > 0u; apart >>= 1) {
        barrier();
        if (all.works && all.slot - all.first < apart) {
            precise float both = value + uintBitsToFloat(joined[turn][all.slot + apart]);
            value = both;
            joined[turn][all.slot] = floatBitsToUint(value);
        }
    }
    barrier();
    return uintBitsToFloat(joined[turn][all.first]);
}

uint greatest_across(uint value, uint turn, peers all)
{
#if SUBGROUPS
    if (all.in_subgroups) {
        value = subgroupMax(value);
        if (all.count == gl_SubgroupSize)
            return value;
        if (gl_SubgroupInvocationID == 0u)
            joined[turn][gl_SubgroupID] = value;
        barrier();
        for (uint k = 0u; k < all.count / gl_SubgroupSize; k++)
            value = max(value, joined[turn][all.first / gl_SubgroupSize + k]);
        return value;
    }
#endif
    joined[turn][all.slot] = value;
    for (uint apart = all.count >> 1; apart > 0u; apart >>= 1) {
        barrier();
        if (all.works && all.slot - all.first < apart) {
            value = max(value, joined[turn][all.slot + apart]);
            joined[turn][all.slot] = value;
        }
    }
    barrier();
    return joined[turn][all.first];
}
