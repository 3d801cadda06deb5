-- Compares the reference device on large tensors with other implementations for processors: lavapipe, ONNX Runtime,
-- PyTorch, and plain loops in C. Prints a line for each case of cases/bench/large.json: milliseconds, then ratios.
--   lua5.4 tools/bench-processor.lua [FILTER…]   (ASSAY=build/assay, LIMITS=build/test/limits, SECONDS=1)
-- A column is "-" where its program is not installed (`make onnxruntime`, Debian's python3-torch) or has no such
-- operator. All columns of a case are measured one after the other, so that the machine changes little between them.

local here = string.match(arg[0], "^(.*/)") or "./"
local json, programs = dofile(here .. "json.lua"), dofile(here .. "programs.lua")
local output_of = programs.output_of

local assay = os.getenv("ASSAY") or "build/assay"
local limits = os.getenv("LIMITS") or "build/test/limits"
local seconds = os.getenv("SECONDS") or "1"
local cases = "cases/bench/large.json"

-- Returns the minimum of the samples by the device's own clock: the speed of the undisturbed machine, as for the other
-- programs. The time of ONNX Runtime is that of its call alone, without the conversions of the device around it.
local function of_device(device)
  return function(name)
    local text = output_of(string.format("%s bench -d %s --cases %s --copy 0 --seconds %s --json %s", assay, device,
      cases, seconds, name))
    local found, ns = text and json(text).devices[1].cases[1], nil
    for _, sample in ipairs(found and found.measured and found.samples_ns or {}) do
      ns = math.min(ns or math.huge, sample[2])
    end
    return ns
  end
end

-- `command` prints a name and nanoseconds.
local function of_program(command)
  return function(name)
    return command and tonumber(string.match(output_of(command .. " " .. name) or "", " (%d+)"))
  end
end

local python = programs.find_python("import torch")
local function of_torch(threads)
  return of_program(python and python .. " device/test/bench_torch_large.py " .. threads)
end

local columns = {
  { key = "mine", title = "reference", measure = of_device("reference") },
  { key = "mine2", title = "x2", measure = of_device("reference:threads=2") },
  { key = "lavapipe", title = "lavapipe", measure = of_device("vulkan:device=llvmpipe") },
  { key = "ort", title = "ORT", measure = of_device("onnxruntime") },
  { key = "ort2", title = "x2", measure = of_device("onnxruntime:threads=2") },
  { key = "torch", title = "PyTorch", measure = of_torch(1) },
  { key = "torch2", title = "x2", measure = of_torch(2) },
  { key = "c", title = "plain C", measure = of_program(limits) },
}

local function least(a, b) return a and b and math.min(a, b) or a or b end

-- The target times of the reference device on one thread and on two, in nanoseconds, and their reasons.
local function targets_of(name, times)
  if string.find(name, "gather") or string.find(name, "scatter") or string.find(name, "copy") then
    return times.c and 1.1 * times.c, nil, "1.1 x C"
  elseif string.find(name, "nonzero") then
    return times.ort and times.ort / 2, nil, "ORT / 2"
  end
  return least(times.ort, times.torch), least(times.ort2, times.torch2), "best of ORT, PyTorch"
end

local function cell(format, value) return value and string.format(format, value) or "         -" end
local function ratio(a, b) return a and b and a / b end

local function show(name)
  local times, line = {}, string.format("%-24s", name)
  for _, column in ipairs(columns) do
    times[column.key] = column.measure(name)
    line = line .. cell("%10.1f", times[column.key] and times[column.key] / 1e6)
  end
  local target, target2, what = targets_of(name, times)
  local of_target, of_target2 = ratio(times.mine, target), ratio(times.mine2, target2)
  local missed = of_target and of_target > 1 or of_target2 and of_target2 > 1
  line = line .. cell("%10.2f", ratio(times.mine, times.c)) .. cell("%10.2f", ratio(times.lavapipe, times.mine)) ..
    cell("%10.2f", of_target) .. cell("%10.2f", of_target2) .. "  " .. what .. (missed and ", missed" or "")
  print(line)
  io.flush()
end

local filters = table.concat(arg, " ")
local names = {}
for name in string.gmatch(output_of(string.format("%s list --cases %s %s", assay, cases, filters)) or "", "[^\n]+") do
  names[#names + 1] = name
end
if #names == 0 then
  io.stderr:write("bench-processor: no case of ", cases, " matches ", filters, "\n")
  os.exit(2)
end

local title = string.format("%-24s", "milliseconds")
for _, column in ipairs(columns) do title = title .. string.format("%10s", column.title) end
print("large tensors on a processor: one thread, x2: two; lavapipe as many as there are processors")
print(title .. string.format("%10s%10s%10s%10s  target", "of C", "lavapipe", "of target", "x2"))
for _, name in ipairs(names) do show(name) end
