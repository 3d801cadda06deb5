// Samples of regions, for kernels whose parameters have the dimensions of the bins and the sizes of the picture.
const uint MOST_SAMPLES = 256u; // of a bin, in a dimension

float entry_of_region(uint region, uint entry)
{
    return load(TYPE, p.regions, region * p.region_stride + entry * p.entry_stride);
}

// The samples of a bin along a dimension.
struct sampling {
    uint count;
    uint before; // samples of the region before the bin
    float total; // samples of the region
    float first; // edge of the region
    float extent;
};

sampling sampling_of(uint region, uint bin, uint d)
{
    uint i = d == ROWS ? 1u : 0u, bins = p.dimensions[d].size;
    float scale = d == ROWS ? p.scale_y : p.scale_x, first = entry_of_region(region, i);
    precise float begin = first * scale, extent = (entry_of_region(region, i + 2u) - first) * scale;
    float wanted = ceil(quotient(extent, float(bins)));
    uint most = min(p.most, MOST_SAMPLES), count = min(p.fewest, MOST_SAMPLES);
    if (wanted > float(count))
        count = wanted < float(most) ? uint(wanted) : max(most, count);
    return sampling(count, bin * count, float(bins * count), begin, extent);
}

// Returns how far a sample is from the first edge of a region with this extent.
float distance_of(sampling s, uint number_of_sample, float extent)
{
    precise float at = float(s.before + number_of_sample) - p.output_offset;
    if (CORNERS != 0u)
        return s.total > 1.0 ? quotient(at * extent, s.total - 1.0) : 0.5 * extent;
    return quotient(at * extent, s.total);
}

// Two elements around a sample along a dimension.
struct neighbours {
    uint first;
    uint second;
    float weight; // of the second one
    bool is_outside;
};

neighbours neighbours_of(sampling s, uint number_of_sample, uint d)
{
    precise float x = distance_of(s, number_of_sample, s.extent) + s.first - p.input_offset;
    uint size = p.sizes[d];
    if (!(x >= -1.0 && x <= float(size)))
        return neighbours(0u, 0u, 0.0, true);
    float within = clamp(x, 0.0, float(size - 1u));
    if (IS_LINEAR == 0u)
        return neighbours(min(uint(within + 0.5), size - 1u), 0u, 0.0, false);
    uint first = min(uint(within), size - 1u);
    return neighbours(first, min(first + 1u, size - 1u), within - float(first), false);
}

float average(float first, float second, float weight)
{
    precise float before = (1.0 - weight) * first, behind = weight * second, sum = before + behind;
    return sum;
}

// Returns what is between two elements of a row.
float line(uint plane, uint row, neighbours columns)
{
    uint start = plane + row * p.dimensions[ROWS].stride[SOURCE], apart = p.dimensions[COLUMNS].stride[SOURCE];
    float first = load(TYPE, p.source, start + columns.first * apart);
    return columns.weight > 0.0
               ? average(first, load(TYPE, p.source, start + columns.second * apart), columns.weight)
               : first;
}

// Returns what is between the four elements around a sample.
float interpolated(uint plane, neighbours rows, neighbours columns)
{
    float first = line(plane, rows.first, columns);
    return rows.weight > 0.0 ? average(first, line(plane, rows.second, columns), rows.weight) : first;
}

// Returns the batch of a region; a number that is too large if the picture has no such batch.
uint batch_of(uint region)
{
    bool is_wide = bits_of(BATCH_TYPE) == 64; // the low word comes first
    uint word_at = region * p.batch_stride * (is_wide ? 2u : 1u);
    bool is_beyond = is_wide && load_word(UINT32, p.batches, word_at + 1u) != 0u;
    return is_beyond ? 0xffffffffu : load_word(UINT32, p.batches, word_at);
}
