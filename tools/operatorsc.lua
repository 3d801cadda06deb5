-- Writes the documented names of operators as rows of a C table, { name, type, feature level that introduced it }, for
-- harness/base/dml_names.c. An older name of a type follows its own.
--   lua5.4 tools/operatorsc.lua device/dml.h specs/catalogue.lua > dml_operators.h
local since = {}
for _, operator in ipairs(assert(loadfile(arg[2], "t"))().operators) do since[operator.name] = operator.since end
for line in io.lines(arg[1]) do
  local name, value = line:match("^%s*DML_OPERATOR_([A-Z0-9_]+) = ([^,]+),")
  if name and value ~= "0" then
    local level = since[name] or since[value:match("DML_OPERATOR_([A-Z0-9_]+)")]
    print(('{"%s", DML_OPERATOR_%s, DML_FEATURE_LEVEL_%s},'):format(name, name, assert(level, name)))
  end
end
