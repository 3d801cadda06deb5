// The walk with TEXELS: a workgroup of one subgroup takes a line. An invocation has eight elements side by side, and
// the next ones behind those of the others. No pass needs a barrier, which costs a processor much.
#extension GL_KHR_shader_subgroup_arithmetic : require

// Parameters that are read once, since a processor reads them for each invocation.
ADDRESS source, target;

struct eight {
    vec4 half_of[2];
};

eight load_eight(uint i)
{
    return eight(vec4[](load_four(TYPE, OPERAND(0, source), i), load_four(TYPE, OPERAND(0, source), i + 4u)));
}

// Returns e^x for x <= 0, which is no NaN: a fraction, times 2^n.
float fraction_of_power(float x, out int n)
{
    precise float fraction = exp_minus_one_of_near_rest(x > -104.0 ? x : -104.0, n) + 1.0;
    return fraction;
}

// Returns the same as power_of(), but 0 for a denormal: in a sum that is at least 1 it makes no difference.
float term_of(float x)
{
    if (TYPE == FLOAT16)
        return rough_exp(x);
    int n;
    float fraction = fraction_of_power(x, n);
    float power = n > -126 ? uintBitsToFloat(floatBitsToUint(fraction) + uint(n << 23)) : 0.0;
    return is_nan(x) ? x : power;
}

// Returns share * 2^n for a share that is no denormal and an n from -151 to 0. A result that a multiplication might
// flush is counted in units of the least denormal, and the sum with 2^23 has the count in its last bits, rounded.
float scaled_down(float share, int n)
{
    const uint last_bits = 0x4b000000u; // 2^23
    uint bits = floatBitsToUint(share) + uint(n << 23);
    precise float count = share * uintBitsToFloat(uint(min(n, -64) + 149 + 127) << 23) + uintBitsToFloat(last_bits);
    return uintBitsToFloat(floatBitsToUint(share) >> 23 > uint(-n) ? bits : floatBitsToUint(count) - last_bits);
}

// Returns the quotient of the power and the sum, which is at least 1, or a NaN if an element is.
float share_of(float x, float sum, uint not_a_number)
{
    if (TYPE == FLOAT16)
        return rough_exp(x) * (1.0 / sum);
    int n;
    precise float share = fraction_of_power(x, n) / sum;
    return uintBitsToFloat(floatBitsToUint(scaled_down(share, n)) | not_a_number);
}

// Returns the greatest element. Elements next to 0 count as equal.
float greatest_of_line(lane here, uint from, uint step)
{
    vec4 most = vec4(-INFINITE);
    for (uint i = here.place * 8u; i < here.end; i += step) {
        eight x = load_eight(from + i);
        [[unroll]] for (uint h = 0u; h < 2u; h++)
            most = mix(most, x.half_of[h], greaterThan(x.half_of[h], most));
    }
    float upper = most.x > most.y ? most.x : most.y, lower = most.z > most.w ? most.z : most.w;
    return subgroupMax(upper > lower ? upper : lower);
}

extreme first_greatest_of_line(lane here, uint from, uint step)
{
    extreme most = extreme(0u, 0xffffffffu);
    for (uint i = here.place * 8u; i < here.end; i += step) {
        eight x = load_eight(from + i);
        [[unroll]] for (uint u = 0u; u < 8u; u++)
            most = greater_of(most, extreme(key_of(x.half_of[u / 4u][u % 4u]), i + u));
    }
    uint key = subgroupMax(most.key);
    return extreme(key, ~subgroupMax(most.key == key ? ~most.first : 0u));
}

float sum_of_line(lane here, uint from, uint step, float greatest)
{
    precise vec4 sums = vec4(0.0);
    for (uint i = here.place * 8u; i < here.end; i += step) {
        eight x = load_eight(from + i);
        [[unroll]] for (uint c = 0u; c < 4u; c++) {
            precise float low = x.half_of[0][c] - greatest, high = x.half_of[1][c] - greatest;
            sums[c] += term_of(low) + term_of(high);
        }
    }
    precise float sum = (sums.x + sums.y) + (sums.z + sums.w);
    return subgroupAdd(sum);
}

void main()
{
    lane here;
    line_grid grid = p.grid;
    source = p.source;
    target = p.target;
    if (!find_lane(grid, gl_LocalInvocationID.x, here))
        return;
    uvec2 start = offsets_of_line(here.line, grid.line_rank);
    uint step = 8u * gl_WorkGroupSize.x;
    extreme most = extreme(0u, 0u);
    float greatest = 0.0, sum = 1.0;
    if (MODE == FIRST) {
        most = first_greatest_of_line(here, start.x, step);
    } else {
        greatest = greatest_of_line(here, start.x, step);
        sum = sum_of_line(here, start.x, step, greatest);
    }
    uint not_a_number = is_nan(sum) ? floatBitsToUint(NOT_A_NUMBER) : 0u;
    float logarithm = MODE == LOGARITHM ? log_of(sum) : 0.0;
    for (uint i = here.place * 8u; i < here.end; i += step) {
        eight x = load_eight(start.x + i);
        [[unroll]] for (uint u = 0u; u < 8u; u++) {
            precise float t = x.half_of[u / 4u][u % 4u] - greatest, less = t - logarithm;
            if (MODE == PART)
                x.half_of[u / 4u][u % 4u] = share_of(t, sum, not_a_number);
            else if (MODE == LOGARITHM)
                x.half_of[u / 4u][u % 4u] = less;
            else
                x.half_of[u / 4u][u % 4u] = float(i + u == most.first);
        }
        store_eight(TYPE, target, start.y + i, x.half_of[0], x.half_of[1]);
    }
}
