-- Reads the documents' tables, for generators: tab-separated text, the first line names the columns.

local tables = {}

-- Iterates over the rows of a file. A row holds its cells by number and by the name of the column.
function tables.rows(path)
  local file = assert(io.open(path))
  local lines = file:lines()
  local function cells(line)
    local found = {}
    for cell in (line .. "\t"):gmatch("(.-)\t") do found[#found + 1] = cell end
    return found
  end
  local names = cells(lines() or error(path .. ": empty"))
  return function()
    local line = lines()
    if not line then file:close() return nil end
    local row = cells(line)
    for i, name in ipairs(names) do row[name] = row[i] end
    return row
  end
end

-- Returns the fields of an operator in struct order, from text such as "in:ATensor; attr:Alpha:FLOAT;
-- attr:Mode:UINT=DML_MODE"; "?" after a name means optional, "[]" an array. `direction` is "in", "out" or "attr". An
-- attribute has a `type` ("UINT") and a `meaning` ("DML_MODE" or "").
function tables.fields(text)
  local fields = {}
  for part in text:gmatch "[^;]+" do
    local direction, name, marks, rest = part:match "^%s*(%l+):([%w_]+)([?%[%]]*):?(.-)%s*$"
    if not direction then error("no field: " .. part) end
    local type, meaning = rest:match "^([%w_]*)=?(.*)$"
    fields[#fields + 1] = { direction = direction, name = name, optional = marks:find("?", 1, true) ~= nil,
      array = marks:find("[", 1, true) ~= nil, type = type, meaning = meaning }
  end
  return fields
end

return tables
