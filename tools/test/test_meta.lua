-- This test compares the definitions for lua-language-server with the program: they have every word of specs and of
-- strategies, every key that a word takes, every method and every member, and no other. Their types are not compared.

local tap = dofile "tools/tap.lua"
local is = tap.is
local function read(path) return assert(tap.read(path), path) end

local function sorted(set)
  local list = {}
  for name in pairs(set) do list[#list + 1] = name end
  table.sort(list)
  return table.concat(list, " ")
end

-- Returns the definitions in the files of a folder: globals, and the fields and methods of each class.
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
    local field = line:match "^%-%-%-@field %[?([%w_]+)%]?%??"
    if field and field ~= "integer" then classes[class][field] = true end
    local inner = line:match "^%-%-%-@field %w+%?? ({.*})"
    if inner then
      local keys = {}
      for key in inner:gmatch "([%l_]+)%??: " do keys[key] = true end
      classes[class .. "." .. field] = keys
    end
    local owner, method = line:match "^function (%w+):([%w_]+)"
    if owner then classes[owner][method] = true end
  end
  return globals, classes
end

-- ---- specs: the words are those that the preludes make, in the order in which the program runs them

local function prelude(name, ...) return assert(loadfile("harness/load/" .. name .. ".lua"))(...) end
local words, tools = prelude "expressions"
words, tools = prelude("prelude", words, tools)
words, tools = prelude("situations", words, tools)
words = prelude("families", words, tools)
for name, word in pairs(prelude("formula", words)) do words[name] = word end
prelude("activations", words)
prelude("carried", words)
prelude("normalisations", words)

local globals, classes = definitions "specs/meta"
is(sorted(globals), sorted(words), "every word of specs has a definition, and nothing else has")

-- Returns the keys that a word takes: they are in its complaint about another key.
local function known_to(make)
  local _, complaint = pcall(make, { no_such_key = true })
  local known = {}
  for key in tostring(complaint):match("known: (.*)$"):gmatch "%S+" do known[key] = true end
  return sorted(known)
end
for _, word in ipairs { "rule", "behaviour", "result", "index", "rows", "selection", "operator",
  "situation" } do
  local body = classes[word:gsub("^%l", string.upper) .. "Body"]
  body["1"] = nil -- words take unnamed entries unseen
  is(sorted(body), known_to(words[word] "NAME"), ("the keys of `%s` are defined"):format(word))
end
is(sorted(classes.FoldBody), known_to(words.over), "the keys of `over` are defined")
is(sorted(classes.WindowsBody), known_to(words.windows), "the keys of `windows` are defined")

-- ---- strategies

words = assert(loadfile "harness/plan/prelude.lua")()
globals, classes = definitions "cases/meta"
is(sorted(globals), sorted(words), "every word of strategies has a definition, and nothing else has")
is(sorted(classes.StrategyBody), known_to(words.strategy "name"), "the keys of `strategy` are defined")

-- The program's source names the keys that it gives to strategies and takes from them.
local source, request = read "harness/plan/plan_operator.c", read "harness/plan/plan_request.c"
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
for _, class in ipairs { "Level", "Tensor", "OperatorRule" } do
  local push_one = between(source, ("static void push_%ss("):format(class:gsub("^Operator", ""):lower()), "\n}")
  local set = found(push_one, 'set_text%(L, "([%l_]+)"')
  for name in pairs(found(push_one, 'lua_setfield%(L, %-2, "([%l_]+)"')) do set[name] = true end
  is(sorted(classes[class]), sorted(set), ("the members of `%s` are defined"):format(class))
end
is(sorted(classes.Interface), sorted(found(between(source, "methods[] = {{\"sequence\"", "}}"), '{"([%l_]+)"')),
  "the methods of the interface are defined")
local keys = between(request, 'strcmp(key, "label")', "\n}")
is(sorted(classes.Request), sorted(found(keys, 'strcmp%(key, "([%l_]+)"%)')), "the members of a request are defined")
for _, name in ipairs { "size", "leading" } do
  local entry = between(request, ("static void request_%s("):format(name), "\n}")
  is(sorted(classes["Request." .. name]), sorted(found(entry, 'strcmp%(key, "([%l_]+)"%)')),
    ("the members of `%s` are defined"):format(name))
end
tap.done()
