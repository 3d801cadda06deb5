-- Returns a function that makes the environment of a sandboxed file from a table of words.

local function key_order(a, b)
  local ta, tb = type(a), type(b)
  if ta ~= tb then return ta < tb end
  if ta == "boolean" then return not a and b end
  return a < b
end

-- Lua's own order of `pairs` differs between processes. This one sorts by type, then by value.
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

-- Prints the type of a table or function: its address would differ between runs.
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

-- Lua's table.sort picks its pivots by the clock, so that equal entries come out in another order each time, and no
-- limit counts its steps. This function keeps the order of equal entries.
local function stable_sort(list, before)
  before = before or function(a, b) return a < b end
  local from, to, count, width = list, {}, #list, 1
  while width < count do
    for first = 1, count, 2 * width do
      local a, middle, past = first, math.min(first + width, count + 1), math.min(first + 2 * width, count + 1)
      local b = middle
      for i = first, past - 1 do
        if a < middle and (b >= past or not before(from[b], from[a])) then
          to[i], a = from[a], a + 1
        else
          to[i], b = from[b], b + 1
        end
      end
    end
    from, to, width = to, from, 2 * width
  end
  if from ~= list then table.move(from, 1, count, 1, list) end
end

local function subset(library, names)
  local copy = {}
  for name in string.gmatch(names, "%S+") do copy[name] = library[name] end
  return copy
end

local function deep_copy(from)
  if type(from) ~= "table" then return from end
  local copy = {}
  for key, value in pairs(from) do copy[key] = deep_copy(value) end
  return setmetatable(copy, getmetatable(from))
end

-- Lua's string.rep loops n times even over an empty text, and the instruction limit does not count that.
local function bounded_rep(text, n, separator)
  n, separator = math.tointeger(n), separator or ""
  if type(text) ~= "string" or not n or type(separator) ~= "string" then
    error("string.rep: expected a text, a count and a separator", 2)
  end
  local size = #text + #separator
  if n <= 0 or size == 0 then return "" end
  if size > (1 << 30) // n then error("string.rep: the result is too large", 2) end
  return string.rep(text, n, separator)
end

-- Scripts get no pattern matching, since the instruction limit does not bound its running time.
local strings = "byte char len lower upper reverse sub"
local tables = "concat insert remove unpack pack"
local maths = "abs ceil floor fmod huge max maxinteger min mininteger modf pi sqrt tointeger type ult log exp"

local function safe_strings()
  local safe = subset(string, strings)
  safe.format, safe.rep = stable_format, bounded_rep
  return safe
end
getmetatable("").__index = safe_strings()

local function safe_tables()
  local safe = subset(table, tables)
  safe.sort = stable_sort
  return safe
end

return function(words)
  local env = {
    assert = assert, error = error, ipairs = ipairs, select = select, tonumber = tonumber, type = type,
    pairs = sorted_pairs, tostring = stable_tostring,
    string = safe_strings(), table = safe_tables(), math = subset(math, maths),
  }
  for name, word in pairs(words) do env[name] = deep_copy(word) end -- one file cannot change the words of the next
  return env
end
