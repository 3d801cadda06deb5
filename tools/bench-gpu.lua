-- Compares the Vulkan device on a GPU with PyTorch on the same GPU: large tensors (bench_device, bench_torch.py), and
-- the shipped shapes of models (assay bench, bench_torch_models.py). Prints a line for each: the times, their ratio, and
-- the share of the bandwidth of a large copy, and of a copy that moves as many bytes.
--   lua5.4 tools/bench-gpu.lua [EDGE]   (ASSAY=build/assay, SECONDS=1; EDGE=16384 of the large tensors)
-- A column is "-" without a PyTorch with CUDA. Prints one line if the Vulkan device is no GPU.

local here = string.match(arg[0], "^(.*/)") or "./"
local json, programs = dofile(here .. "json.lua"), dofile(here .. "programs.lua")
local output_of = programs.output_of

local assay = os.getenv("ASSAY") or "build/assay"
local seconds = os.getenv("SECONDS") or "1"
local edge = arg[1] or "16384"
local folder = string.match(assay, "^(.*)/") or "."
local library, large = folder .. "/devices/vulkan.so", folder .. "/test/bench_device"

local python = programs.find_python("import sys, torch; sys.exit(not torch.cuda.is_available())")

-- Returns the milliseconds that a script prints, by name.
local function of_torch(script)
  local times = {}
  for line in string.gmatch(python and output_of(python .. " " .. script) or "", "[^\n]+") do
    local name, ms = string.match(line, "^(.-) +PyTorch +([%d.]+) ms$")
    if name then times[name] = tonumber(ms) end
  end
  return times
end

local function cell(format, value) return value and string.format(format, value) or "         -" end

local function share(part) return part and string.format("%8.0f %%", 100 * part) or "         -" end

local function show(name, ms, torch, rest)
  print(string.format("  %-32s%10.4f", name, ms) .. cell("%10.4f", torch) .. cell("%10.2f", torch and ms / torch) .. rest)
  io.flush()
end

-- Returns name, device time and host time of each line of bench_device.
local function large_times(arguments)
  local found = {}
  local text = output_of(string.format("%s %s %s %s", large, library, arguments, edge))
  for line in string.gmatch(text or "", "[^\n]+") do
    local name, device, host = string.match(line, "^%s*(.-) +device +([%d.]+) ms +host +([%d.]+) ms$")
    if name then found[#found + 1] = { name = name, device = tonumber(device), host = tonumber(host) } end
  end
  return found
end

local function bench(arguments)
  return json(output_of(string.format("%s bench -d vulkan --seconds %s --json %s", assay, seconds, arguments))).devices[1]
end

-- Returns the nanoseconds of a copy for several numbers of bytes; a copy of few bytes takes some time, too.
local function copy_times(cases)
  local copies, seen, times = {}, {}, {}
  for _, case in ipairs(cases) do
    if case.measured and not seen[case.bytes] then
      seen[case.bytes] = true
      local desc = string.format('{"DataType": "FLOAT32", "Sizes": [%d]}', case.bytes // 512 * 64)
      copies[#copies + 1] = string.format(
        '{"name": "copy.%d", "type": "DML_OPERATOR_ELEMENT_WISE_IDENTITY", "fill": "ordinary",' ..
        ' "desc": {"InputTensor": %s, "OutputTensor": %s}}', case.bytes, desc, desc)
    end
  end
  local unique = os.tmpname()
  local name = unique .. ".json"
  local file = assert(io.open(name, "w"))
  file:write('{"cases": [', table.concat(copies, ","), "]}")
  file:close()
  for _, case in ipairs(bench("--copy 0 --cases " .. name).cases) do
    if case.measured then times[tonumber(string.match(case.case, "%d+"))] = case.device.median_ns end
  end
  os.remove(name)
  os.remove(unique)
  return times
end

local description = string.match(output_of(string.format("%s %s '' 64", large, library)) or "", "^(.-);")
if not description or string.find(description, "llvmpipe", 1, true) then
  print("kernels on a GPU: the Vulkan device is none")
  return
end

print(string.format("kernels on %s; PyTorch beside it", description))
print(string.format("  %-32s%10s%10s%10s%10s%10s", "milliseconds of the device", "assay", "PyTorch", "ratio", "of copy",
  "as large"))
local times, often = of_torch("device/test/bench_torch.py " .. edge), large_times("repeat=100")
for _, t in ipairs(often) do
  show(t.name, t.device, times[t.name], "")
end
times = of_torch("device/test/bench_torch_models.py")
local cases = bench("").cases
local copies = copy_times(cases)
for _, case in ipairs(cases) do
  if case.measured then
    show(case.case, case.device.median_ns / 1e6, times[case.case],
      share(case.share_of_copy) .. share(copies[case.bytes] and copies[case.bytes] / case.device.median_ns))
  end
end
print("milliseconds of the host, with all transfers, where the device computes once and 100 times")
for i, t in ipairs(large_times("repeat=1")) do
  print(string.format("  %-32s%10.1f%10.1f", t.name, t.host, often[i].host))
end
