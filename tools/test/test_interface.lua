-- specs/interface.lua quotes every sentence of device/device.h, in order: a sentence that was added, changed or removed
-- must be looked at there. With --print it prints the sentences of the header instead.

-- Adds the sentences of a comment. Paragraphs end at empty lines; in a table, at lines that are indented by 4 columns.
-- A heading in capitals belongs to its first sentence.
local function add_sentences(found, comment)
  local paragraph = {}
  local function flush()
    local text = table.concat(paragraph, " "):gsub("%s+", " "):gsub("^ ", ""):gsub(" $", "")
    paragraph = {}
    local from, at = 1, 1
    while from <= #text do
      local stop, past, next_word = text:find("[.?]%s+(%f[%g]%S+)", at)
      if stop and not (next_word:match("^[%u`\"]") or next_word == "assay" or next_word:match("^%d+:")) or
        stop and text:sub(from, stop):match("^[%u ]+%.$") then
        at = stop + 1
      else
        found[#found + 1] = text:sub(from, stop or #text)
        if not stop then break end
        from = past - #next_word + 1
        at = from
      end
    end
  end
  for line in (comment .. "\n"):gmatch("(.-)\n") do
    line = line:gsub("^%s*%*+ ?", "")
    if line:match("^%s*$") or line:match("^    %S") then flush() end
    paragraph[#paragraph + 1] = line
  end
  flush()
end

local function sentences_of(path)
  local found = {}
  local file = assert(io.open(path))
  for comment in file:read("a"):gmatch("/%*(.-)%*/") do
    if comment:match("%S+%s+%S+%s+%S") and not comment:match("clang%-format") then add_sentences(found, comment) end
  end
  file:close()
  return found
end

local function quoted_by(path)
  local quoted
  local function keyed() return function(body) return body end end
  local environment = { behaviour = keyed, interface = function(body) quoted = body.sentences end }
  assert(loadfile(path, "t", environment))()
  return quoted
end

local said = sentences_of("device/device.h")
if arg[1] == "--print" then
  for _, sentence in ipairs(said) do print(sentence) end
  os.exit(true)
end
local quoted = quoted_by("specs/interface.lua")
local failed
for i = 1, math.max(#said, #quoted) do
  local is, was = said[i] or "nothing", quoted[i] and quoted[i][2] or "nothing"
  if is ~= was then
    failed = true
    print(("not ok 1 - specs/interface.lua quotes device.h\n# device.h:  %s\n# %s: %s"):format(is,
      quoted[i] and quoted[i][1] or "-", was))
    break
  end
end
if not failed then print(("ok 1 - specs/interface.lua quotes the %d sentences of device.h"):format(#said)) end
print("1..1")
os.exit(not failed)
