-- Makes the environment of a sandboxed file: returns a function that takes a table of words and gives the environment.

local function key_order(a, b)
  local ta, tb = type(a), type(b)
  if ta ~= tb then return ta < tb end
  if ta == "boolean" then return not a and b end
  return a < b
end

-- The order of `pairs` differs from process to process: ours is by type, then value.
local function sorted_pairs(t)
  local keys = {}
  for key in pairs(t) do
    local kind = type(key)
    if kind ~= "string" and kind ~= "number" and kind ~= "boolean" then
      error("pairs: keys must be strings, numbers or booleans", 2)
    end
    keys[#keys + 1] = key
  end
  table.sort(keys, key_order)
  local i = 0
  return function()
    i = i + 1
    if keys[i] ~= nil then return keys[i], t[keys[i]] end
  end
end

-- An address would differ from run to run.
local function stable_tostring(value)
  local kind = type(value)
  if kind == "string" or kind == "number" or kind == "boolean" or kind == "nil" then return tostring(value) end
  return kind
end

local function stable_format(pattern, ...)
  local values = table.pack(...)
  for i = 1, values.n do
    local kind = type(values[i])
    if kind ~= "string" and kind ~= "number" then values[i] = stable_tostring(values[i]) end
  end
  return string.format(pattern, table.unpack(values, 1, values.n))
end

local function subset(library, names)
  local copy = {}
  for name in string.gmatch(names, "%S+") do copy[name] = library[name] end
  return copy
end

local function shallow_copy(from)
  local copy = {}
  for key, value in pairs(from) do copy[key] = value end
  return copy
end

-- No pattern matching: its running time is not bounded by the instruction limit.
local strings = "byte char len lower upper rep reverse sub"
local tables = "concat insert remove sort unpack pack"
local maths = "abs ceil floor fmod huge max maxinteger min mininteger modf pi sqrt tointeger type ult log exp"

local methods = subset(string, strings)
methods.format = stable_format
getmetatable("").__index = methods

return function(words)
  local env = {
    assert = assert, error = error, ipairs = ipairs, select = select, tonumber = tonumber, type = type,
    pairs = sorted_pairs, tostring = stable_tostring,
    string = subset(string, strings), table = subset(table, tables), math = subset(math, maths),
  }
  env.string.format = stable_format
  for name, word in pairs(words) do
    env[name] = type(word) == "table" and shallow_copy(word) or word -- what one file changes, the next does not see
  end
  return env
end
