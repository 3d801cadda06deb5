-- Reads JSON: `json(text)` returns the value. Objects and arrays become tables, null becomes nil. Raises an error if
-- the text is not JSON.

local escapes = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", ['"'] = '"', ["\\"] = "\\", ["/"] = "/" }
local literals = { ["true"] = true, ["false"] = false }
local read

local function wrong(at) error("not JSON at byte " .. at, 0) end

local function skip(text, at) return string.match(text, "^[ \t\r\n]*()", at) end

local function read_string(text, at)
  local parts = {}
  while true do
    local plain, mark, past = string.match(text, '^([^"\\]*)(["\\])()', at)
    if not plain then wrong(at) end
    parts[#parts + 1] = plain
    if mark == '"' then return table.concat(parts), past end
    local code = string.match(text, "^u(%x%x%x%x)", past)
    local letter = string.sub(text, past, past)
    parts[#parts + 1] = code and utf8.char(tonumber(code, 16)) or escapes[letter] or wrong(past)
    at = past + (code and 5 or 1)
  end
end

-- Reads the items between brackets; `item` reads one.
local function read_items(text, at, close, item)
  at = skip(text, at)
  if string.sub(text, at, at) == close then return at + 1 end
  while true do
    at = skip(text, item(skip(text, at)))
    local mark = string.sub(text, at, at)
    if mark == close then return at + 1 end
    if mark ~= "," then wrong(at) end
    at = at + 1
  end
end

function read(text, at)
  local mark, result = string.sub(text, at, at), {}
  if mark == '"' then return read_string(text, at + 1) end
  if mark == "{" then
    at = read_items(text, at + 1, "}", function(from)
      if string.sub(text, from, from) ~= '"' then wrong(from) end
      local key, past = read_string(text, from + 1)
      past = skip(text, past)
      if string.sub(text, past, past) ~= ":" then wrong(past) end
      result[key], past = read(text, skip(text, past + 1))
      return past
    end)
    return result, at
  elseif mark == "[" then
    at = read_items(text, at + 1, "]", function(from)
      local past
      result[#result + 1], past = read(text, from)
      return past
    end)
    return result, at
  end
  local word, past = string.match(text, "^(%a+)()", at)
  if word == "null" or literals[word] ~= nil then return literals[word], past end
  word, past = string.match(text, "^(-?%d[%d.eE+-]*)()", at)
  return math.tointeger(tonumber(word)) or tonumber(word) or wrong(at), past
end

return function(text)
  local value, past = read(text, skip(text, 1))
  if skip(text, past) <= #text then wrong(past) end
  return value
end
