-- What a guide in Markdown holds, for the tests that follow guides.

local guides = {}

-- Its blocks of code, as lists of lines with numbers, and its prose as one text. Empty lines within a block belong to it.
function guides.parse(text)
  local blocks, prose, block, fence, number, empty = {}, {}, nil, nil, 0, 0
  for line in (text .. "\n"):gmatch "(.-)\n" do
    number = number + 1
    local code = not fence and line:match "^    (.*)$"
    if line:match "^```" then
      fence = not fence and (line:match "^```(%w*)" or "") or nil
      block, empty = fence and { language = fence } or nil, 0
      if block then blocks[#blocks + 1] = block end
    elseif fence or code then
      if not block then
        block = { language = "" }
        blocks[#blocks + 1] = block
      end
      for i = empty, 1, -1 do block[#block + 1] = { text = "", number = number - i } end
      empty = 0
      block[#block + 1] = { text = code or line, number = number }
    elseif line == "" and block then
      empty = empty + 1
    else
      block, empty = nil, 0
      prose[#prose + 1] = line
    end
  end
  return blocks, table.concat(prose, "\n")
end

local function masked(line, exact)
  if not exact then line = line:gsub("0x%x+", "0x#"):gsub("%-?%d[%d%.]*e[%+%-]%d+", "#"):gsub("%-?%d[%d%.]*", "#") end
  return (line:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", ""))
end

-- Whether a line that was printed is as a documented one, in which … stands for anything.
local function same(documented, printed, exact)
  local pattern = masked(documented, exact):gsub("[%^%$%(%)%%%.%[%]%*%+%-%?]", "%%%0"):gsub("…", ".-")
  return masked(printed, exact):match("^" .. pattern .. "$") ~= nil
end

-- Whether lines that were printed are as documented: one after the other, but for lines that are … alone. Figures may differ,
-- unless `exact`.
function guides.matches(documented, printed, exact)
  local function from(d, p)
    if d > #documented then return true end
    if documented[d]:match "^%s*…%s*$" then
      for q = p, #printed + 1 do
        if from(d + 1, q) then return true end
      end
      return false
    end
    return p <= #printed and same(documented[d], printed[p], exact) and from(d + 1, p + 1)
  end
  return from(1, 1)
end

-- The files that links lead to.
function guides.links(text)
  local found = {}
  for target in text:gmatch "%]%(([^%)#]+)%)" do
    if not target:match "^%w+:" then found[#found + 1] = target end
  end
  return found
end

-- Whether a name is that of a file by its ending.
local kinds = { c = true, h = true, lua = true, sh = true, sql = true, js = true, py = true, css = true, comp = true }
function guides.is_file(name) return kinds[name:match "^[%w_%-%./%*]+%.(%l+)$"] or false end

-- The files and folders that prose names as code, once each; not those with capitals, which stand for others.
function guides.paths(prose)
  local found, seen = {}, {}
  for code in prose:gmatch "`([^`%s]+)`" do
    local path = guides.is_file(code) or code:match "^%.?[%l%d_]+/[%w_%-%./]*$"
    if path and not seen[code] and not code:find "%u%u" then
      seen[code] = true
      found[#found + 1] = code
    end
  end
  return found
end

return guides
