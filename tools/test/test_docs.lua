-- This test checks the READMEs: every command in them runs, every transcript shows the text that the command prints,
-- and every case name, option, make target and file that they name exists. Figures are masked; `…` stands for any text.

package.path = "tools/test/?.lua;" .. package.path
local guides = require "guides"
local tap = dofile "tools/tap.lua"
local ok, quoted, run, read = tap.ok, tap.quoted, tap.run, tap.read

local assay = os.getenv "ASSAY" or "build/assay"
local scratch = assert(os.getenv "TMPDIR", "run me with tools/run-test")
local files = { "README.md", "cases/README.md", "device/README.md", "device/bridge/README.md",
  "device/directml/README.md", "device/mutants/README.md", "device/onnxruntime/README.md", "device/reference/README.md",
  "device/template/README.md", "device/vulkan/README.md", "harness/README.md", "reports/README.md",
  "reports/CLAIMS.md", "reports/RUNS.md", "reports/dashboard/README.md", "specs/README.md", "tools/README.md",
  "tools/ci/README.md", "tools/cluster/README.md", "tools/fuzz/README.md" }

-- ---- the files around the commands

local root = select(2, run(".", "pwd")):match "[^\n]+"
local work = scratch .. "/work"
local program = assay:sub(1, 1) == "/" and assay or root .. "/" .. assay
local function prepare()
  local status, said = run(".", ([[
set -e
cp -r $(dirname PROGRAM)/few WORK
mkdir -p WORK/night WORK/share WORK/some WORK/brief
mkdir -p "$XDG_CONFIG_HOME/assay"
printf '[run]\nsearch = 0\n' >"$XDG_CONFIG_HOME/assay/config" # the search takes longer than the cases
cd WORK
rm cases/mustpass/*
for version in 1.0 1.1; do
  build/assay list | grep -Fxf - <(PROGRAM mustpass $version) | gzip >cases/mustpass/$version.txt.gz
done
cp cases/{examples,strides}.lua ROOT/cases/types.lua some
cp cases/examples.lua brief
cat >brief/violations.lua <<END
return strategy "violations" {
  plan = "Types that the first level does not have, which devices of later levels skip.",
  cases = function(op) op:violate(op.levels[1].name, "data-types") end,
}
END
cp -r cases all
for each in ROOT/cases/*.lua; do
  name=${each##*/}
  [ -e all/$name ] || cat ROOT/tools/thin.lua $each >all/$name
done
for each in device reports tools harness Makefile; do ln -s ROOT/$each $each; done
touch begun
${CC:-cc} -shared -fPIC -fvisibility=hidden -Idevice device/template/mydevice.c -o mydevice.so
cp mydevice.so my.so; cp mydevice.so old.so; cp mydevice.so new.so; cp device/template/mydevice.c .
printf '#!/bin/sh\necho none\n' >my_adapter; chmod +x my_adapter
mkdir models
printf 'gather.values.special*  fail  # quiets NaNs, issue 12\n' >known.txt
for each in 1 2; do
  build/assay run -d reference -d vulkan:device=llvmpipe gather.examples --db results.db >out.txt
done
build/assay run -d ./my.so gather_elements.examples --db my.db >out.txt || test $? = 1
build/assay report results.db --json data.json
for each in before after night/monday; do build/assay run -d reference gather.examples --db $each.db >$each.txt; done
build/assay run -d reference --shard 2/3 --db two.db >out.txt
build/assay run -d reference --shard 3/3 --db three.db >out.txt
build/assay fuzz -d mutants:ignore=GATHER/axis-range --count 100000 -o GATHER --db mine.db >out.txt || test $? = 1
case=$(build/assay list gather.examples | head -n 1)
build/assay repro "$case" --export json FILE.json
build/assay repro "$case" --export dxdispatch exported
cp exported/* .
echo "$case" >case.txt
]]):gsub("WORK", work):gsub("PROGRAM", program):gsub("ROOT", root))
  return ok(status == 0, "the files that the commands need can be made", said)
end

-- Words in capitals stand for these words.
local stands_for
local function placeholders()
  local case = assert(read(work .. "/case.txt")):match "%S+"
  stands_for = { CASE = case, DEVICE = "reference", COMMAND = "run", ID = "1", SEED = "7", OPERATOR = "GATHER",
    FILE = "some.db", DB = "results.db", RULE = "axis-range", NAME = "gather" }
end

-- Commands that do not run here, with the reason; the first match counts.
local left_out = {
  { "^make ", "its target is looked up instead" },
  { "^cp ", "copies what is installed" },
  { "^cc .*pkg%-config", "tools/test/test_install.lua compiles with it" },
  { "PREFIX", "needs an installed copy" },
  { "^tools/fuzz/run", "takes minutes" },
  { "^tools/cluster/", "needs a rack; tools/test/cluster.sh and tools/test/cluster/*.sh run it" },
  { "^tools/ci/play", "tools/test/ci.sh runs it" },
  { "^tools/deps", "tools/test/deps.sh runs it" },
  { "%-%-tier large", "takes minutes" },
  { "%-%-tier exhaustive", "takes minutes; harness/test/test_exhaustive.c runs slices" },
  { "exp%.db", "needs the results of such a run" },
  { "assay bench %-d", "needs more operators; harness/test/test_bench.sh runs it" },
  { "bench%.db#1", "harness/test/test_bench.sh compares such runs" },
  { "bench_torch", "needs PyTorch and a GPU" },
  { "tools/mutation %-%-quick", "harness/test/long/test_mutation.sh runs those mutants" },
  { "replay_NAME", "make check runs all of them" },
  { "^assay adapter new", "harness/test/test_adapter.sh writes adapters in each language" },
  { "bridge:mine/adapter", "harness/test/test_adapter.sh runs it" },
  { "my_adapter", "stands for the reader's own program" },
  { "device/bridge/webgpu", "device/test/test_bridge_webgpu.sh runs it, where ONNX Runtime is" },
  { "device/bridge/pytorch", "device/test/test_bridge_pytorch.sh runs it, where PyTorch is" },
  { "^assay worker$", "is the program's own use" },
  { "%-%-validation", "device/test/test_lavapipe.sh runs it" },
  { "directml", "needs WSL 2; device/test/test_directml_cases.sh runs it through stand-ins" },
  { "onnxruntime", "device/test/long/test_onnxruntime.sh runs it, where it is" },
}

-- Returns the text that replaces a command, which then runs with another folder as `cases`.
local function with_cases(folder)
  return ("mv cases kept; mv %s cases; %%0; status=$?; mv cases %s; mv kept cases; (exit $status)"):format(folder,
    folder)
end

-- Parts of commands, with their replacements. Some commands need an option that the prose leaves out.
local instead = {
  { "^build/assay run %-d reference %-d vulkan.*", with_cases "brief" }, -- making shaders takes the time
  { "assay bisect .*", "%0 --cases some" },
  { "^assay run %-d bridge:device/bridge/numpy/adapter.py$", "%0 '*.examples.*'" },
  { "^dxdispatch%.exe model%.json.*",
    "cd folder; ../build/assay dispatch model.json -d reference >dxdispatch.txt 2>&1" },
  { "^assay run %-%-resume",
    [[build/assay run -d reference --shuffle 5 --repeat 4 --db results.db >out.txt &
    until [ "$(sqlite3 results.db "select count(*) from runs where state = 'running'")" = 1 ]; do
      kill -0 $! || exit
      sleep 0.02
    done
    kill -9 $!; wait; %0]] },
  { "bench_device (%S+) repeat=400 16384", "bench_device %1 repeat=2 64" },
  { "^assay fuzz promote 1$", "mkdir -p new; cp cases/regressions.lua new; %0 --db mine.db --cases new" },
  { "^tools/mutation 'legal=%*'", "tools/mutation 'legal=nan*'" }, -- two of dozens
  { "^tools/mutation .*", with_cases "all" }, -- the command names more strategies
  { "%-%-seconds 5$", "--seconds 1" },
  { "level=2_1$", "%0 --no-config" }, -- the command then includes the search that ends a run
  { "^assay run %-%-profile$", "%0 -d reference gather.examples" },
  { "^assay run %-%-db results%.db$", "%0 -d reference gather.examples" },
  { "^assay (%l+)$", "assay %1 --help" }, -- the command is only named
}

-- The statuses of commands that end with another one than 0, by a part of the command.
local statuses = {
  { "mutants", 1 }, { "%./mydevice%.so", 1 }, { "%./my%.so", 6 }, { "%./old%.so", 1 }, { "expect check", 1 },
  { "expect update", 1 }, { "^assay compare results%.db", 1 }, { "fuzz", 1 }, { "^make", 0 },
}

-- ---- reading a README

local programs = { assay = true, ["build/assay"] = true, make = true, sqlite3 = true, cc = true, prove = true,
  cp = true, ["dxdispatch.exe"] = true, ["PREFIX/bin/assay"] = true }

local function is_command(line)
  local word = line:match "^(%S+)"
  return word and (programs[word] or word:match "^tools/" or word:match "^build/test/" or word:match "^device/test/" or
    word:match "%$PREFIX")
end

-- Returns a command without the remark behind it: two spaces or more, then words that are no option.
local function without_remark(line)
  local command = line:match "^(.-%S)%s%s+[^%-]" or line
  return (command:gsub("%s+# .*$", ""))
end

-- ---- checks

local makefile = assert(read "Makefile")
local function check_make(where, command)
  for target in command:gmatch "%f[%w]make%s+([%l][%l%-]*)%f[^%l%-/]" do
    ok(makefile:find("\n" .. target:gsub("%-", "%%-") .. ":") ~= nil,
      ("%s: make has a target '%s'"):format(where, target))
  end
end

-- Checks a command that only mentions an option: the option must be in the help. Returns false for any other command.
local function check_mention(where, command)
  local tool, option = command:match "^(assay %l+) (%-%-[%l%-]+)%s*%l*$"
  if not tool then tool, option = command:match "^(tools/%l+) (%-%-[%l%-]+)$" end
  if not tool or option == "--help" then return false end
  local _, said = run(work, "build/" .. tool .. " --help 2>&1 || " .. tool .. " --help")
  ok(said:find(option:gsub("%-", "%%-") .. "%f[^%w%-]") ~= nil, ("%s: %s has %s"):format(where, tool, option), said)
  return true
end

local done = {}
local function check_command(where, command, documented)
  check_make(where, command)
  for _, entry in ipairs(left_out) do
    if command:find(entry[1]) then return end
  end
  local runs = command:gsub("%f[%w](%u[%u]+)%f[%W]", function(word) return stands_for[word] end)
  for _, entry in ipairs(instead) do runs = runs:gsub(entry[1], entry[2]) end
  if done[runs] and not documented then return end
  done[runs] = true
  local status, said = run(work, 'export HOME=$PWD; assay() { build/assay "$@"; }\n' .. runs)
  local allowed = 0
  for _, entry in ipairs(statuses) do
    if runs:find(entry[1]) then allowed = entry[2] break end
  end
  ok(status <= allowed, ("%s: %s"):format(where, command), "exit status " .. status, said:sub(1, 1500))
  if documented then
    local printed = {}
    for line in (said .. "\n"):gmatch "(.-)\n" do printed[#printed + 1] = line end
    while printed[#printed] == "" do printed[#printed] = nil end
    ok(guides.matches(documented, printed), ("%s: prints what is shown"):format(where), said:sub(1, 3000))
  end
end

local function check_block(file, block)
  if block.language ~= "" and block.language ~= "sh" then return end
  local i = 1
  while i <= #block do
    local line, where = block[i].text, file .. ":" .. block[i].number
    if line:match "^%$ " then
      local documented = {}
      while block[i + 1] and not block[i + 1].text:match "^%$ " do
        i = i + 1
        documented[#documented + 1] = block[i].text
      end
      while documented[#documented] == "" do documented[#documented] = nil end
      check_command(where, line:sub(3), documented)
    elseif is_command(line) then
      check_command(where, without_remark(line))
    end
    i = i + 1
  end
end

-- Names of the operators with a spec, in lower case.
local operators = {}
for line in io.popen("grep -oh 'operator \"[A-Z0-9_]*\"' specs/*.lua"):lines() do
  local name = line:match '^%s*operator "([%u%d_]+)"' or line:match '^return operator "([%u%d_]+)"'
  if name then operators[name:lower()] = true end
end

-- Returns a pattern of Lua for a path or a name in which * stands for any text.
local function lua_pattern(text) return (text:gsub("[%.%-]", "%%%0"):gsub("%*", "[^\n]*")) end

-- By operator: the names of its cases without a tier, a line each.
local names = {}

-- Returns true if a case has this name or this leading part, or matches this pattern, which begins with the operator's
-- name. Other tiers take much longer to list.
local function has_case(operator, pattern)
  names[operator] = names[operator] or
    "\n" .. select(2, run(root, quoted(program) .. " list -o " .. operator:upper()))
  local line = "\n" .. lua_pattern(pattern)
  if names[operator]:find(line .. "\n") or not pattern:find "%*" and names[operator]:find(line .. "%.") then
    return true
  end
  return run(root, quoted(program) .. " list --count --tier all " .. quoted(pattern)) == 0
end

-- Returns true if a finding of a search may have the name: OPERATOR.search.RULE.KIND.
local function has_finding(name)
  local operator, rule = name:match "^([%l%d_]+)%.search%.([%l%d%-]+)%.[%l%-]+$"
  return operator and run(root, quoted(program) .. " explain " .. operator:upper() .. "/" .. rule) == 0
end

local function check_case_names(file, text)
  local seen = {}
  for name in text:gmatch "%f[%w_][%l%d_]+%.[%w_%-%.%*…]+" do
    local operator = name:match "^([%l%d_]+)%."
    name = name:gsub("%.+$", "")
    local pattern = name:gsub("…", "*")
    local is_file = name:match "%.lua$" or name:match "%.[ch]$" or name:match "%.comp$"
    if operators[operator] and not seen[name] and not is_file then
      seen[name] = true
      ok(name:find(".search.", 1, true) and has_finding(name) or has_case(operator, pattern),
        ("%s: there is a case %s"):format(file, name))
    end
  end
end

local all_options
local function check_options(file, prose)
  if not all_options then
    all_options = select(2, run(work, [[
build/assay --help
for each in $(build/assay --help | sed -n 's/^  \([a-z][a-z-]*\).*/\1/p'); do build/assay $each --help; done
tools/mutation --help; tools/pagecheck --help; tools/fuzz/run --help; tools/cluster/shards --help; reports/test/dashboard_data.py --help]]))
  end
  local seen = {}
  for code in prose:gmatch "`([^`]+)`" do
    local option = code:match "^(%-%-[%l%-]+)"
    if option and not seen[option] then
      seen[option] = true
      ok(all_options:find(option:gsub("%-", "%%-") .. "%f[^%w%-]") ~= nil,
        ("%s: there is an option %s"):format(file, option))
    end
  end
end

-- Names of all files and folders, a line each.
local tree
local function in_tree(pattern)
  tree = tree or "\n" .. select(2, run(".", "find . -name .git -prune -o -printf '%P\n'"))
  return tree:find("\n" .. pattern .. "\n") ~= nil
end

local function exists(path)
  if path:find "%*" then return run(".", "ls -d " .. path .. " | grep .") == 0 end
  local file = io.open(path) -- the path may be that of a folder
  return file and file:close() or false
end

local function check_links(file, text)
  for _, target in ipairs(guides.links(text)) do
    ok(exists((file:match "^(.*/)" or "") .. target), ("%s: the link to %s leads somewhere"):format(file, target))
  end
end

-- Checks the files that prose names without a command. A file whose name has no folder may be anywhere below the
-- README's folder, or be a header that every reader knows by name.
local not_here = { ["mydevice.c"] = true } -- the reader's own file
local function check_paths(file, prose)
  local folder = file:match "^(.*)/" or "."
  for _, path in ipairs(guides.paths(prose)) do
    local built = path:match "^build/"
    local ours = guides.is_file(path) or not built and exists((path:match "^[^/]+"))
    if ours and not not_here[path] then
      local below = folder == "." and "" or lua_pattern(folder .. "/")
      local wanted = lua_pattern(path)
      ok(exists(folder .. "/" .. path) or exists(path) or in_tree(below .. "[^\n]*/" .. wanted) or
        path:find "%.h$" and exists("device/" .. path), ("%s: there is a file %s"):format(file, path))
    end
  end
end

if prepare() then
  placeholders()
  for _, file in ipairs(files) do
    local text = read(file)
    if ok(text, file .. " is there") then
      local blocks, prose = guides.parse(text)
      for _, block in ipairs(blocks) do check_block(file, block) end
      for code in prose:gmatch "`([^`]+)`" do
        code = code:gsub("%s+", " ")
        if is_command(code) and code:find " " and not code:find "…" and not check_mention(file, code) then
          check_command(file, code)
        end
      end
      check_case_names(file, text)
      check_options(file, prose)
      check_links(file, text)
      check_paths(file, prose)
    end
  end
end
local _, written = run(".", "find cases specs reports tools -newer " .. quoted(work .. "/begun") .. " -type f")
ok(written == "", "no command has written to the sources", written)
ok(tap.count > 200, "there was something to check: " .. tap.count .. " points")
tap.done()
