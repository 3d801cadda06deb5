std = "lua54"
max_line_length = 140 -- sentences in specs are long

-- The words that a prelude defines for specs or cases: `words.NAME = …` or `function words.NAME(…)`. Those files can
-- use only these and what the Lua sandbox keeps of the standard library.
local function words_of(...)
   local names = {}
   for _, prelude in ipairs { ... } do
      for line in io.lines(prelude) do
         local name = line:match "^%s*words%.([%a_][%w_]*)%s*=[^=]" or line:match "^function words%.([%a_][%w_]*)"
         names[#names + 1] = name
      end
   end
   return names
end

local words_of_specs = words_of("harness/load/expressions.lua", "harness/load/prelude.lua", "harness/load/families.lua",
   "harness/load/situations.lua", "harness/load/activations.lua", "harness/load/carried.lua",
   "harness/load/normalisations.lua")

-- Words of formulas are made by `functions(COUNT, "NAME NAME …")`, `condition("NAME", …)` and `of_field("NAME", …)`, too.
local listed
for line in io.lines "harness/load/formula.lua" do
   listed = line:match "^functions%(" or listed
   local names = listed and line:match '"(.-)"' or line:match '^condition%("(.-)"' or line:match '^of_field%("(.-)"'
   names = names or line:match "^words%.([%a_][%w_]*)" or line:match "^function words%.([%a_][%w_]*)" or ""
   for name in names:gmatch "%S+" do
      words_of_specs[#words_of_specs + 1] = name
   end
   if line:match "%)$" then listed = nil end
end
words_of_specs[#words_of_specs + 1] = "inf" -- words.nan, words.inf = …
files["specs/"] = { read_globals = words_of_specs }
files["harness/test/specs/"] = { read_globals = words_of_specs }
-- Definitions for lua-language-server: globals without use, parameters without use.
files["specs/meta/"] = { ignore = { "1", "2", "3" } }
files["cases/meta/"] = { ignore = { "1", "2", "3" } }
-- Stands in front of a strategy, which uses what it defines.
files["tools/thin.lua"] = { read_globals = { "strategy" }, ignore = { "211/strategy" } }
files["cases/"] = { read_globals = words_of "harness/plan/prelude.lua" }
