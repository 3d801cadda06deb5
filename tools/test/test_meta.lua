-- The definitions for lua-language-server say what the program has: every word of specs and of strategies, every key of what
-- words make, every method and member, and no other.

local tap = dofile "tools/tap.lua"
local is = tap.is
local function read(path) return assert(tap.read(path), path) end

local function sorted(set)
  local list = {}
  for name in pairs(set) do list[#list + 1] = name end
  table.sort(list)
  return table.concat(list, " ")
end

-- What the files of a folder define: globals, and the fields and methods of each class.
local function definitions(folder)
  local globals, classes, class, seen, lines = {}, {}, nil, {}, ""
  for path in io.popen(("ls %s/*.lua"):format(folder)):lines() do
    assert(loadfile(path))
    lines = lines .. read(path)
  end
  for line in lines:gmatch "[^\n]*" do
    local name = line:match "^function ([%w_]+)%(" or line:match "^([%l_]+) = nil$"
    if name then
      if seen[name] then is(name, "", "defined once") end
      globals[name], seen[name] = true, true
    end
    class = line:match "^%-%-%-@class (%w+)" or class
    classes[class or ""] = classes[class or ""] or {}
    local field = line:match "^%-%-%-@field ([%w_]+)%??"
    if field then classes[class][field] = true end
    local owner, method = line:match "^function (%w+):([%w_]+)"
    if owner then classes[owner][method] = true end
  end
  return globals, classes
end

-- ---- specs: the words are those that the preludes make, in the order in which the program runs them

local function prelude(name, ...) return assert(loadfile("harness/spec/" .. name .. ".lua"))(...) end
local words, tools = prelude "expressions"
words, tools = prelude("prelude", words, tools)
words = prelude("families", words, tools)
for name, word in pairs(prelude("formula", words)) do words[name] = word end
prelude("activations", words)
prelude("normalisations", words)

local globals, classes = definitions "specs/meta"
is(sorted(globals), sorted(words), "every word of specs has a definition, and nothing else has")

-- The keys that a word takes are in its complaint about another one.
for _, word in ipairs { "rule", "behaviour", "result", "index", "rows", "selection", "operator" } do
  local _, complaint = pcall(function() words[word] "NAME" { no_such_key = true } end)
  local known = {}
  for key in tostring(complaint):match("known: (.*)$"):gmatch "%S+" do known[key] = true end
  is(sorted(classes[word:gsub("^%l", string.upper) .. "Body"]), sorted(known), ("the keys of `%s` are defined"):format(word))
end

-- ---- strategies

words = assert(loadfile "harness/case/prelude.lua")()
globals, classes = definitions "cases/meta"
is(sorted(globals), sorted(words), "every word of strategies has a definition, and nothing else has")
local _, complaint = pcall(function() words.strategy "name" { no_such_key = true } end)
local known = {}
for key in complaint:match("known: (.*)$"):gmatch "%S+" do known[key] = true end
is(sorted(classes.StrategyBody), sorted(known), "the keys of `strategy` are defined")

-- What the program gives to strategies, and takes from them.
local source, request = read "harness/case/plan_operator.c", read "harness/case/plan_request.c"
local function found(text, pattern)
  local set = {}
  for name in text:gmatch(pattern) do set[name] = true end
  return set
end
local function between(text, first, past)
  local from = assert(text:find(first, 1, true), first)
  return text:sub(from, assert(text:find(past, from, true), past))
end
local push = between(source, "static const luaL_Reg methods[] = {{\"emit\"", "\n}")
local members = found(push, '"([%l_]+)"')
members.free = true -- of `free_tensor`
is(sorted(classes.Operator), sorted(members), "the members of an operator are defined")
is(sorted(classes.Interface), sorted(found(between(source, "methods[] = {{\"sequence\"", "}}"), '{"([%l_]+)"')),
  "the methods of the interface are defined")
local keys = between(request, 'strcmp(key, "label")', "\n}")
is(sorted(classes.Request), sorted(found(keys, 'strcmp%(key, "([%l_]+)"%)')), "the members of a request are defined")
tap.done()
