// The walk with TEXELS, for operators without gradients and without given statistics: a workgroup of one subgroup takes
// a slice. An invocation has eight elements side by side, and the next ones behind those of the others. No pass needs a
// barrier, which costs a processor much.
#extension GL_KHR_shader_subgroup_arithmetic : require

// Parameters that are read once, since a processor reads them for each invocation.
ADDRESS input_texels, scales, biases, target;
uint count;
float a, b;

const uint BLOCK = 32u;

// Returns the number of elements from one group of eight of an invocation to its next.
uint step_of_lane()
{
    return 8u * gl_WorkGroupSize.x;
}

uint first_of_lane()
{
    return 8u * gl_SubgroupInvocationID;
}

vec4 four_of_input(place line, uint i)
{
    return load_four(TYPE, OPERAND(int(INPUT), input_texels), line.at[INPUT] + i);
}

float total_of(vec4 sums)
{
    precise float sum = (sums.x + sums.y) + (sums.z + sums.w);
    return subgroupAdd(sum);
}

// Returns numbers in the order of sizes, except that 0 is the greatest: so the least is the least that is not 0.
uvec4 sizes_of(vec4 x)
{
    return (floatBitsToUint(x) & 0x7fffffffu) - 1u;
}

// Tells whether a driver divides numbers, the least of which has this size, by the divisor as quotient() does.
bool are_plain(uvec4 least, float divisor)
{
    return subgroupMin(min(min(least.x, least.y), min(least.z, least.w))) >= 0x21800000u && is_moderate(divisor);
}

vec4 centred(vec4 x, float mean)
{
    precise vec4 centre = x - mean;
    return centre;
}

// Returns the first sum of a line, added in blocks, so that errors of long slices grow slowly.
float sum_of_line(place line, inout uvec4 least)
{
    precise vec4 sums = vec4(0.0);
    for (uint i = first_of_lane(); i < count;) {
        precise vec4 block = vec4(0.0);
        for (uint k = 0u; k < BLOCK && i < count; k++, i += step_of_lane()) {
            vec4 low = four_of_input(line, i), high = four_of_input(line, i + 4u);
            if (OPERATION == MAGNITUDES || OPERATION == SQUARES)
                least = min(least, min(sizes_of(low), sizes_of(high)));
            if (OPERATION == MAGNITUDES)
                block += abs(low) + abs(high);
            else if (OPERATION == SQUARES)
                block += low * low + high * high;
            else
                block += low + high;
        }
        sums += block;
    }
    return total_of(sums);
}

// Returns the sum of the squared distances of the elements from their mean.
float squares_of_line(place line, float mean, inout uvec4 least)
{
    precise vec4 sums = vec4(0.0);
    for (uint i = first_of_lane(); i < count;) {
        precise vec4 block = vec4(0.0);
        for (uint k = 0u; k < BLOCK && i < count; k++, i += step_of_lane()) {
            vec4 low = centred(four_of_input(line, i), mean), high = centred(four_of_input(line, i + 4u), mean);
            least = min(least, min(sizes_of(low), sizes_of(high)));
            block += low * low + high * high;
        }
        sums += block;
    }
    return total_of(sums);
}

bool is_given(uint operand)
{
    return (PRESENT >> operand & 1u) != 0u;
}

// Returns four elements of an operand that steps along the slice, or `otherwise` four times.
vec4 four_of(uint operand, ADDRESS texels, place line, uint i, float otherwise)
{
    return (STEPS >> operand & 1u) != 0u ? load_four(TYPE, OPERAND(int(operand), texels), line.at[operand] + i)
                                         : vec4(otherwise);
}

// Writes the results of a line. `plain`: see are_plain().
void write_line(place line, float mean, float root, float scale, float bias, uint end, bool plain)
{
    for (uint i = first_of_lane(); i < end; i += step_of_lane()) {
        vec4 results[2];
        [[unroll]] for (uint h = 0u; h < 2u; h++) {
            vec4 x = centred(four_of_input(line, i + 4u * h), mean);
            vec4 scale_of = four_of(SCALE, scales, line, i + 4u * h, scale);
            vec4 bias_of = four_of(BIAS, biases, line, i + 4u * h, bias);
            [[unroll]] for (uint u = 0u; u < 4u; u++) {
                precise float quick = x[u] / root, share = plain ? quick : quotient(x[u], root);
                precise float moved = share * scale_of[u] + bias_of[u];
                results[h][u] = OPERATION == MEAN_VARIANCE ? activated(moved, a, b) : share;
            }
        }
        store_eight(TYPE, target, line.at[TARGET] + i, results[0], results[1]);
    }
}

// Returns the element of an operand that has one for a slice.
float one_of(uint operand, place line, float otherwise)
{
    return is_given(operand) && (STEPS >> operand & 1u) == 0u ? load(TYPE, p.operands[operand], line.at[operand])
                                                               : otherwise;
}

void main()
{
    uint index = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, rest = index;
    input_texels = p.operands[INPUT];
    scales = p.operands[SCALE];
    biases = p.operands[BIAS];
    target = p.operands[TARGET];
    count = p.count;
    a = p.a;
    b = p.b;
    if (index >= p.line_count)
        return;
    place line;
    [[unroll]] for (uint k = 0u; k < 8u; k++)
        line.at[k] = 0u;
    for (uint d = 0u; d < p.line_rank; d++)
        walk(p.lines[d], rest, line);
    uvec4 least = uvec4(0xffffffffu);
    float sum = sum_of_line(line, least), mean = 0.0, root = 1.0;
    if (OPERATION == MEAN_VARIANCE) {
        mean = p.centred != 0u ? quotient(sum, float(count)) : 0.0;
        precise float spread = quotient(squares_of_line(line, mean, least), float(count)) + p.epsilon;
        root = p.divided != 0u ? sqrt(spread) : 1.0;
    } else {
        root = OPERATION == SQUARES ? sqrt(sum) : sum;
        root = root < p.epsilon ? p.epsilon : root; // a NaN stays
    }
    float scale = one_of(SCALE, line, 1.0), bias = one_of(BIAS, line, 0.0);
    bool plain = are_plain(least, root);
    write_line(line, mean, root, scale, bias, plain ? count : 0u, true);
    write_line(line, mean, root, scale, bias, plain ? 0u : count, false);
}
