#!/bin/bash
# A plan of several operators is made by a process for each processor: it must not depend on their number, and an error
# in one share must be reported as that of a single process is.
. tools/tap.sh
few_operators
cases=$TMPDIR/cases
mkdir "$cases"
nonzero='op.tensors[2].name == "OutputCountTensor"'

strategy() { printf 'return strategy "%s" {\n  plan = "%s",\n%s\n}\n' "$1" "$1" "$(cat)" >"$cases/$1.lua"; }
list() { "$@" "$ASSAY" list --no-config --cases "$cases"; }

strategy a_few <<LUA
  cases = function(op)
    if $nonzero then for i = 1, 3 do op:emit { label = "n" .. i, level = "3_0" } end end
  end,
LUA
strategy b_all <<'LUA'
  cases = function(op) op:emit { label = "x", level = op.levels[#op.levels].name } end,
  deep = function(op) op:emit { label = "y", level = op.levels[#op.levels].name } end,
LUA
strategy c_pairs <<LUA
  cases = function(op)
    if not ($nonzero) then return end
    op:emit { label = "before", level = "3_0" }
    op:cover(2)
    op:emit { label = "behind", level = "3_0" }
  end,
LUA
first=$(taskset -cp $$ | sed 's/.*: *//; s/[,-].*//')
list taskset -c "$first" >"$TMPDIR/one"
list env >"$TMPDIR/more"
like "$(sed 's/\.fl.*//' "$TMPDIR/one" | tr '\n' ' ')" \
    '^(nonzero_coordinates\.a_few\.n[123] ){3}gather\.b_all\.x .* scatter_nd\.b_all\.x nonzero_coordinates\.c_pairs\.b' \
    'the order is that of files, operators and requests'
cmp "$TMPDIR/one" "$TMPDIR/more"
is $? 0 'one process and several make the same plan'

strategy d_wrong <<LUA
  cases = function(op) if $nonzero then error("planted") end end,
LUA
fails 3 'on NONZERO_COORDINATES .*planted' list --no-config --cases "$cases"
rm "$cases"/[abc]_*
sed -i 's/error("planted")/op:emit { label = "only", level = "3_0" }/' "$cases/d_wrong.lua"
like "$(list env)" '^nonzero_coordinates\.d_wrong\.only\.fl3_0[^ ]*$' 'a share without cases is no error'
sed -i 's/OutputCountTensor/NoTensor/' "$cases/d_wrong.lua"
fails 4 'no case has these operators' list --no-config --cases "$cases"

tap_done
