-- Functions that read guides in Markdown, for the tests that follow guides.

local guides = {}

-- Returns the blocks of code of a guide, as lists of lines with numbers, and its prose as one text. Empty lines within
-- a block belong to the block.
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

-- Returns true if a printed line matches a documented line, in which … stands for any text.
local function same(documented, printed, exact)
  local pattern = masked(documented, exact):gsub("[%^%$%(%)%%%.%[%]%*%+%-%?]", "%%%0"):gsub("…", ".-")
  return masked(printed, exact):match("^" .. pattern .. "$") ~= nil
end

-- Returns true if printed lines match documented lines one after the other. A documented line … stands for any lines.
-- Figures may differ, unless `exact`.
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

-- Returns the files that links lead to.
function guides.links(text)
  local found = {}
  for target in text:gmatch "%]%(([^%)#]+)%)" do
    if not target:match "^%w+:" then found[#found + 1] = target end
  end
  return found
end

local kinds = { c = true, h = true, lua = true, sh = true, sql = true, js = true, py = true, css = true, comp = true }
-- Returns true if the ending of a name is that of a file.
function guides.is_file(name) return kinds[name:match "^[%w_%-%./%*]+%.(%l+)$"] or false end

-- Returns the files and folders that prose names as code, once each. Names with capitals are left out: they stand for
-- other names.
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
