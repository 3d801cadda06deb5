-- This test installs assay: the guides name only installed files, a device compiles with the header and the pkg-config
-- file, the README's first failure has its device, and uninstalling leaves no file behind.

package.path = "tools/test/?.lua;" .. package.path
local guides = require "guides"
local tap = dofile "tools/tap.lua"
local scratch = assert(os.getenv "TMPDIR", "run me with tools/run-test")
local variant = os.getenv "VARIANT" or "release"

local ok, is, run = tap.ok, tap.is, function(command) return tap.run(".", command) end
local function read(path) return tap.read(path) or "" end

local prefix = scratch .. "/prefix"
local share = prefix .. "/share/assay"
local function make(target)
  return run(("make --no-print-directory %s PREFIX=%s VARIANT=%s"):format(target, prefix, variant))
end
local status, said = make "install"
is(status, 0, "make install")
if status ~= 0 then print("# " .. said) end

-- ---- guides

for _, name in ipairs { "README.md", "LICENSE", "CHANGELOG.md", "cases/README.md", "specs/README.md",
  "reports/README.md", "device/README.md", "device/template/README.md", "device/bridge/README.md",
  "tools/ci/README.md" } do
  ok(read(share .. "/" .. name) ~= "", name .. " is installed")
end
for _, name in ipairs { "README.md", "LICENSE", "CHANGELOG.md" } do
  is(read(prefix .. "/share/doc/assay/" .. name), read(share .. "/" .. name), name .. " is where documentation is, too")
end

local function exists(path) return run("ls -d " .. path .. " | grep .") == 0 end
-- Files that the reader makes.
local reader = { ["mydevice.c"] = true, [".github/workflows/assay.yml"] = true }
local _, list = run("cd " .. share .. " && find -name '*.md' -not -name CHANGELOG.md | sed 's|^./||' | sort")
for name in list:gmatch "%S+" do
  local text, folder = read(share .. "/" .. name), share .. "/" .. (name:match "^.*/" or "")
  local missing = {}
  for _, target in ipairs(guides.links(text)) do
    if not exists(folder .. target) then missing[#missing + 1] = target end
  end
  local _, prose = guides.parse(text)
  for _, path in ipairs(guides.paths(prose)) do
    local find = ("{ ls -d %s%s %s/%s %s/%s; find %s %s/device/*.h -path '*/%s'; } 2>/dev/null | grep ."):format(
      folder, path, share, path, prefix, path, folder, share, path)
    if not reader[path] and run(find) ~= 0 then missing[#missing + 1] = path end
  end
  is(table.concat(missing, " "), "", name .. " names only what is installed")
  local source = {}
  for _, pattern in ipairs { "build/", "`make%s+%l+", "\n    make %l+", "<!%-%-" } do
    for found in text:gmatch(pattern) do source[#source + 1] = found end
  end
  is(table.concat(source, ", "), "", "  and nothing of the source")
end

-- ---- use

local assay = prefix .. "/bin/assay"
status, said = run(assay .. " run -d mutants:fault=flip-bit gather_nd.examples")
is(status, 1, "the README's first failure fails")
ok(said:find "elements differ in one bit", "  as the README says", said)
status, said = run(assay .. " run -d mutants:ignore=GATHER/axis-range 'gather.violations.axis-range.*'")
is(status, 1, "a device that reads the specs finds the installed ones")
ok(said:find "accepted, although Axis must be below", "  and breaks their rule", said)

local pkg = ("export PKG_CONFIG_PATH=%s/share/pkgconfig; "):format(prefix)
status, said = run(pkg .. "pkg-config --validate assay && pkg-config --modversion assay")
is(status, 0, "pkg-config finds assay")
is(said:match "%S+", select(2, run(assay .. " --version")):match "[%d.]+", "  in the version that it has")
status, said = run(pkg .. ("cd %s && cc -shared -fPIC -fvisibility=hidden -Wall -Wextra -Werror \z
  $(pkg-config --cflags assay) $(pkg-config --variable=guidesdir assay)/device/template/mydevice.c \z
  -o mydevice.so"):format(scratch))
ok(status == 0, "the template compiles with its flags", said)
status, said = run(pkg .. "ls $(pkg-config --variable=devicesdir assay)/reference.so \z
  $(pkg-config --variable=includedir assay)/device.h")
ok(status == 0, "  and its variables name folders that are there", said)
status = run(("cd %s && %s devices -o GATHER ./mydevice.so"):format(scratch, assay))
is(status, 0, "  and assay loads what it compiled")

-- An installation in a stage has the same files, and none of them names the stage.
status, said = run(("make --no-print-directory install DESTDIR=%s/stage PREFIX=/usr VARIANT=%s"):format(scratch,
  variant))
ok(status == 0, "make install DESTDIR=…", said)
local files = "cd %s && find . | sort"
is(select(2, run(files:format(scratch .. "/stage/usr"))), select(2, run(files:format(prefix))),
  "  installs the same files")
is(select(2, run(("grep -rl %s %s/stage || true"):format(scratch, scratch))), "", "  of which none names the stage")

is((make "uninstall"), 0, "make uninstall")
is(select(2, run(("find %s -not -type d; find %s -name '*assay*' -not -path %s"):format(prefix, prefix, prefix))), "",
  "  leaves nothing")
tap.done()
