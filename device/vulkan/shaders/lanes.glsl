// The grid by which the invocations of a workgroup share lines: one side has an invocation for each line of elements,
// the other one for each place along a line. Both sides are powers of two. Neighbours are invocations whose elements
// are adjacent in memory, if there are such.
struct line_grid {
    uint line_count;
    uint line_groups; // workgroups side by side that take all lines
    uint lines_log;   // lines of one workgroup: 2^lines_log
    uint places_log;
    uint lines_adjacent; // neighbours are on different lines; otherwise at different places
    uint tile;           // elements of a line that a workgroup takes
    uint line_length;    // elements of a line
    uint line_rank;      // dimensions that number the lines
};

// The share of an invocation.
struct lane {
    uint tile;  // the number of the tile
    uint begin; // its first element in the line
    uint end;   // the end of its elements
    uint row;   // the line in the workgroup
    uint line;  // the line; the invocation has none, if it is not below line_count
    uint place;
    uint slot; // a number of its own in the workgroup, in order of places within each line
};

// Finds the share of the invocation with this number in the workgroup. Returns false, for all of the workgroup, if
// there is no such tile.
bool find_lane(line_grid g, uint number, out lane here)
{
    uint lines = 1u << g.lines_log, places = 1u << g.places_log;
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    bool adjacent = g.lines_adjacent != 0u;
    here.tile = group / g.line_groups;
    here.begin = here.tile * g.tile;
    here.row = adjacent ? number & (lines - 1u) : number >> g.places_log;
    here.place = adjacent ? number >> g.lines_log : number & (places - 1u);
    here.line = (group - here.tile * g.line_groups) * lines + here.row;
    here.slot = here.row * places + here.place;
    here.end = 0u;
    if (number >= lines * places) { // the size of a workgroup need not be a power of two
        here.line = g.line_count;
        here.place = places;
        here.slot = number;
    }
    if (here.tile > (g.line_length - 1u) / g.tile)
        return false;
    here.end = min(g.tile, g.line_length - here.begin);
    return true;
}
