-- Writes specs/catalogue.lua from the documents' tables:
--   lua5.4 tools/cataloguegen.lua TABLES_DIR > specs/catalogue.lua
--   lua5.4 tools/cataloguegen.lua --check specs/catalogue.lua TABLES_DIR
-- --check compares the file with what the tables make and prints the first line that differs; exit status 1 if one
-- does. The catalogue is committed; `make check` runs --check where the tables are beside the checkout.
--
-- The operator cards of the documents correct some rows of the tables. Each correction is an entry of `corrections`
-- with its source and its reason. A correction that no longer fits its table is an error, as is any row that this file
-- cannot read: nothing of the tables is dropped silently.

local tables = dofile((string.match(arg[0], "^(.*/)") or "./") .. "tables.lua")

-- Every set of data types in the tables, named once.
local type_sets = {
  { "float", "FLOAT32,FLOAT16" },
  { "float16", "FLOAT16" },
  { "float32", "FLOAT32" },
  { "int32", "INT32" },
  { "uint8", "UINT8" },
  { "uint32", "UINT32" },
  { "integer4_8", "INT8,INT4,UINT8,UINT4" },
  { "integer8", "INT8,UINT8" },
  { "integer8_32", "INT32,INT16,INT8,UINT32,UINT16,UINT8" },
  { "integer32", "INT32,UINT32" },
  { "integer32_64", "INT64,INT32,UINT64,UINT32" },
  { "unsigned8_and_32", "UINT32,UINT8" },
  { "unsigned8_32", "UINT32,UINT16,UINT8" },
  { "unsigned8_64", "UINT64,UINT32,UINT16,UINT8" },
  { "unsigned32_64", "UINT64,UINT32" },
  { "float32_int32", "FLOAT32,INT32" },
  { "float_int32", "FLOAT32,FLOAT16,INT32" },
  { "float_integer4_8", "FLOAT32,FLOAT16,INT8,INT4,UINT8,UINT4" },
  { "float_integer8", "FLOAT32,FLOAT16,INT8,UINT8" },
  { "float_integer8_16", "FLOAT32,FLOAT16,INT16,INT8,UINT16,UINT8" },
  { "float_integer8_32", "FLOAT32,FLOAT16,INT32,INT16,INT8,UINT32,UINT16,UINT8" },
  { "float_integer8_64", "FLOAT32,FLOAT16,INT64,INT32,INT16,INT8,UINT64,UINT32,UINT16,UINT8" },
  { "float_integer16_32", "FLOAT32,FLOAT16,INT32,INT16,UINT32,UINT16" },
  { "float_integer32", "FLOAT32,FLOAT16,INT32,UINT32" },
  { "float_integer32_64", "FLOAT32,FLOAT16,INT64,INT32,UINT64,UINT32" },
  { "float_signed8_32", "FLOAT32,FLOAT16,INT32,INT16,INT8" },
  { "float_signed8_64", "FLOAT32,FLOAT16,INT64,INT32,INT16,INT8" },
  { "float64_integer8_64", "FLOAT64,INT64,INT32,INT16,INT8,UINT64,UINT32,UINT16,UINT8" },
  { "all8_64", "FLOAT64,FLOAT32,FLOAT16,INT64,INT32,INT16,INT8,UINT64,UINT32,UINT16,UINT8" },
}

-- What the cards correct: operators, `what` to do (see `actions`), the card, and why. The catalogue repeats why above
-- the operator.
local corrections = {
  -- Tables that begin at another level than the operator.
  { "TOP_K", what = "move_table", from = "2_0", to = "1_0", card = "movement_reduction.md, TOP_K",
    why = "introduced at 1_0; its page says 2_0 and has no earlier table" },
  { "MAX_UNPOOLING", what = "move_table", from = "3_0", to = "2_0", card = "movement_reduction.md, MAX_UNPOOLING",
    why = "introduced at 2_0; its page says 3_0 and has no earlier table" },
  { "SCATTER_ELEMENTS", what = "move_table", from = "1_0", to = "2_0",
    card = "movement_reduction.md, additions to SCATTER_ELEMENTS",
    why = "introduced at 2_0; its page says 1_0 and has a table for it" },

  -- Types that the tables get wrong or leave out.
  { "ADAM_OPTIMIZER", what = "set_types", level = "3_0", tensors = "TrainingStepTensor", was = "FLOAT32,FLOAT16",
    now = "UINT32", card = "window_matrix_sequence.md, ADAM_OPTIMIZER",
    why = "the page's text makes TrainingStepTensor UINT32, its table a float: UINT32 is certain, floats are open" },
  { "ADAM_OPTIMIZER", what = "beyond", strength = "open", tensors = "TrainingStepTensor", types = "FLOAT32,FLOAT16",
    card = "window_matrix_sequence.md, ADAM_OPTIMIZER",
    why = "the page's text makes TrainingStepTensor UINT32, its table a float: UINT32 is certain, floats are open" },
  { "MULTIHEAD_ATTENTION1", what = "set_types", level = "6_3", tensors = "PastSequenceLengthsTensor",
    was = "FLOAT32,FLOAT16", now = "INT32", card = "window_matrix_sequence.md, MULTIHEAD_ATTENTION1",
    why = "the page makes PastSequenceLengthsTensor a float like the query, callers give INT32: floats are open" },
  { "MULTIHEAD_ATTENTION1", what = "beyond", strength = "open", tensors = "PastSequenceLengthsTensor",
    types = "FLOAT32,FLOAT16", card = "window_matrix_sequence.md, MULTIHEAD_ATTENTION1",
    why = "the page makes PastSequenceLengthsTensor a float like the query, callers give INT32: floats are open" },
  { "FOLD", "UNFOLD", what = "set_types", level = "6_4", tensors = "InputTensor,OutputTensor", was = "",
    now = "FLOAT32", card = "movement_reduction.md, UNFOLD and FOLD",
    why = "the page's table lists no types; its examples are FLOAT32" },
  { "FOLD", "UNFOLD", what = "beyond", strength = "soft", accept = true, tensors = "InputTensor,OutputTensor",
    types = "FLOAT16", card = "movement_reduction.md, UNFOLD and FOLD",
    why = "the page's table lists no types; its examples are FLOAT32" },
  { "FOLD", "UNFOLD", what = "beyond", strength = "open", tensors = "InputTensor,OutputTensor",
    types = "FLOAT64,INT64,INT32,INT16,INT8,UINT64,UINT32,UINT16,UINT8",
    card = "movement_reduction.md, UNFOLD and FOLD",
    why = "the page's table lists no types; its examples are FLOAT32" },

  -- Extensions that the feature-level history announces and no table has.
  { "CAST", what = "beyond", strength = "soft", tensors = "InputTensor,OutputTensor", types = "INT32,UINT32",
    before = "3_0", card = "element_wise.md, CAST",
    why = "the 1_0 table has no 32-bit integers, which looks like a slip" },
  { "ELEMENT_WISE_IF", what = "beyond", strength = "soft", tensors = "ATensor,BTensor,OutputTensor", types = "FLOAT32",
    before = "3_0", card = "element_wise.md, ELEMENT_WISE_IF",
    why = "the 2_0 table has FLOAT16 alone, which looks like a slip; by the history 2_1 added integers" },
  { "ELEMENT_WISE_IF", what = "beyond", strength = "soft", tensors = "ATensor,BTensor,OutputTensor",
    types = "INT32,INT16,INT8,UINT32,UINT16,UINT8", from = "2_1", before = "3_0",
    card = "element_wise.md, ELEMENT_WISE_IF",
    why = "the 2_0 table has FLOAT16 alone, which looks like a slip; by the history 2_1 added integers" },
  { "ELEMENT_WISE_CONSTANT_POW", what = "beyond", strength = "soft", tensors = "InputTensor,OutputTensor",
    types = "INT32,INT16,INT8,UINT32,UINT16,UINT8", from = "3_0", card = "element_wise.md, ELEMENT_WISE_CONSTANT_POW",
    why = "by the history 3_0 added integers, no table has them" },
  { "ACTIVATION_SHRINK", what = "beyond", strength = "soft", tensors = "InputTensor,OutputTensor",
    types = "INT32,INT16,INT8,UINT32,UINT16,UINT8", from = "2_1", before = "5_1",
    card = "activation_normalization.md, ACTIVATION_SHRINK",
    why = "by the history 2_1 added integers, the tables say 5_1" },
  { "JOIN", what = "beyond", strength = "soft", tensors = "InputTensors,OutputTensor", dims = "1,8", from = "3_1",
    before = "4_1", card = "catalogue.md, history and pages on extensions",
    why = "by the history 3_1 added dimension counts up to 8, the tables say 4_1" },
  { "ADAM_OPTIMIZER", what = "beyond", strength = "open", dims = "1,8", from = "4_0",
    tensors = "InputParametersTensor,InputFirstMomentTensor,InputSecondMomentTensor,GradientTensor,TrainingStepTensor,"
      .. "OutputParametersTensor,OutputFirstMomentTensor,OutputSecondMomentTensor",
    card = "window_matrix_sequence.md, ADAM_OPTIMIZER",
    why = "by the history 4_0 added dimension counts up to 8, no table has them" },

  -- Fields.
  { "BATCH_NORMALIZATION_GRAD", what = "required", field = "Epsilon",
    card = "activation_normalization.md, BATCH_NORMALIZATION_GRAD",
    why = "the schema marks Epsilon optional, which a FLOAT cannot be" },

  -- Relations that a page leaves out, states twice or overstates.
  { "QUANTIZED_LINEAR_MATRIX_MULTIPLY", what = "drop_same", relation = "DimensionCount",
    tensors = "AScaleTensor,AZeroPointTensor,BScaleTensor,BZeroPointTensor,OutputScaleTensor,OutputZeroPointTensor",
    card = "window_matrix_sequence.md, MATRIX_MULTIPLY_INTEGER and its siblings",
    why = "the page states the DimensionCount of scales and zero points twice" },
  { "CONVOLUTION_INTEGER", what = "add_same", relation = "DataType", tensors = "InputTensor,InputZeroPointTensor",
    card = "window_matrix_sequence.md, CONVOLUTION_INTEGER",
    why = "the table of constraints has no rows for this operator" },
  { "CONVOLUTION_INTEGER", what = "add_same", relation = "DataType", tensors = "FilterTensor,FilterZeroPointTensor",
    card = "window_matrix_sequence.md, CONVOLUTION_INTEGER",
    why = "the table of constraints has no rows for this operator" },
  { "CONVOLUTION_INTEGER", what = "add_same", relation = "DimensionCount",
    tensors = "InputTensor,FilterTensor,OutputTensor",
    card = "window_matrix_sequence.md, CONVOLUTION_INTEGER and its sibling QUANTIZED_LINEAR_CONVOLUTION",
    why = "one DimensionCount, as in the sibling" },
  { "REDUCE", what = "drop_other", card = "movement_reduction.md, REDUCE",
    why = "the table of constraints has words only; ARGMAX and ARGMIN return indices, whose type is their own" },
  { "REDUCE", what = "drop_other", card = "movement_reduction.md, REDUCE",
    why = "the table of constraints has words only; ARGMAX and ARGMIN return indices, whose type is their own" },
  { "REDUCE", what = "add_same", relation = "DimensionCount", tensors = "InputTensor,OutputTensor",
    card = "movement_reduction.md, REDUCE",
    why = "the table of constraints has words only; ARGMAX and ARGMIN return indices, whose type is their own" },
  { "REDUCE", what = "add_same", relation = "DataType", tensors = "InputTensor,OutputTensor",
    where = { field = "Function", unless = "ARGMAX,ARGMIN" }, card = "movement_reduction.md, REDUCE",
    why = "the table of constraints has words only; ARGMAX and ARGMIN return indices, whose type is their own" },
  { "MATRIX_MULTIPLY_INTEGER_TO_FLOAT", what = "drop_same", relation = "DataType",
    tensors = "ATensor,AZeroPointTensor,BTensor,BZeroPointTensor",
    card = "window_matrix_sequence.md, MATRIX_MULTIPLY_INTEGER and its siblings",
    why = "the page wants one DataType for A and B, callers mix UINT8 and INT8: open" },
  { "MATRIX_MULTIPLY_INTEGER_TO_FLOAT", what = "add_same", relation = "DataType", tensors = "ATensor,AZeroPointTensor",
    card = "window_matrix_sequence.md, MATRIX_MULTIPLY_INTEGER and its siblings",
    why = "the page wants one DataType for A and B, callers mix UINT8 and INT8: open" },
  { "MATRIX_MULTIPLY_INTEGER_TO_FLOAT", what = "add_same", relation = "DataType", tensors = "BTensor,BZeroPointTensor",
    card = "window_matrix_sequence.md, MATRIX_MULTIPLY_INTEGER and its siblings",
    why = "the page wants one DataType for A and B, callers mix UINT8 and INT8: open" },
  { "MATRIX_MULTIPLY_INTEGER_TO_FLOAT", what = "add_same", relation = "DataType", tensors = "ATensor,BTensor",
    strength = "open", card = "window_matrix_sequence.md, MATRIX_MULTIPLY_INTEGER and its siblings",
    why = "the page wants one DataType for A and B, callers mix UINT8 and INT8: open" },
  { "MULTIHEAD_ATTENTION1", what = "leave_out", relation = "DataType", tensors = "PastSequenceLengthsTensor",
    card = "window_matrix_sequence.md, MULTIHEAD_ATTENTION1",
    why = "the page makes PastSequenceLengthsTensor a float like the query, callers give INT32: floats are open" },
  { "FOLD", "UNFOLD", what = "drop_same", relation = "DimensionCount", tensors = "InputTensor,OutputTensor",
    card = "movement_reduction.md, UNFOLD and FOLD", why = "the page's examples break its rule of one DimensionCount" },
  { "FOLD", "UNFOLD", what = "add_same", relation = "DataType", tensors = "InputTensor,OutputTensor", strength = "soft",
    card = "movement_reduction.md, UNFOLD and FOLD", why = "the page is silent on the types; one type is a ruling" },
  { "SCATTER_ND", what = "weaken", relation = "DimensionCount", strength = "soft",
    tensors = "IndicesTensor,InputTensor,OutputTensor,UpdatesTensor", card = "rulings.md, A16",
    why = "the page's example breaks its rule of one DimensionCount" },
  { "NONZERO_COORDINATES", what = "add_same", relation = "DimensionCount", before = "4_0",
    tensors = "InputTensor,OutputCountTensor,OutputCoordinatesTensor", card = "rulings.md, A33",
    why = "the current page has no constraints; the page of 3_0 had one DimensionCount" },
  { "ELEMENT_WISE_POW", what = "add_same", relation = "DataType", tensors = "InputTensor,ExponentTensor",
    before = "3_0", card = "element_wise.md, ELEMENT_WISE_POW",
    why = "the page wants one DataType for base and exponent before 3_0" },
  { "ELEMENT_WISE_QUANTIZED_LINEAR_ADD", what = "add_same", relation = "Sizes",
    tensors = "ATensor,BTensor,OutputTensor", card = "element_wise.md, ELEMENT_WISE_QUANTIZED_LINEAR_ADD",
    why = "the page constrains only the DimensionCount; equal sizes are a ruling" },
  { "DYNAMIC_QUANTIZE_LINEAR", what = "add_same", relation = "Sizes", tensors = "InputTensor,OutputTensor",
    card = "element_wise.md, DYNAMIC_QUANTIZE_LINEAR",
    why = "the page is silent on the sizes; equal sizes are a ruling" },
  { "QUANTIZE", "DEQUANTIZE", what = "add_same", relation = "Sizes", tensors = "InputTensor,OutputTensor",
    card = "element_wise.md, QUANTIZE and DEQUANTIZE",
    why = "the page is silent on the sizes; equal sizes are a ruling" },
  { "TILE", what = "add_same", relation = "DimensionCount", tensors = "InputTensor,OutputTensor",
    card = "movement_reduction.md, TILE", why = "one DimensionCount is in the page's text, not in its constraints" },
  { "REVERSE_SUBSEQUENCES", what = "add_same", relation = "Sizes", tensors = "InputTensor,OutputTensor",
    card = "movement_reduction.md, REVERSE_SUBSEQUENCES",
    why = "equal sizes are in the page's text, not in its constraints" },
  { "DIAGONAL_MATRIX1", what = "add_same", relation = "Sizes", tensors = "InputTensor,OutputTensor",
    card = "movement_reduction.md, DIAGONAL_MATRIX1",
    why = "the page constrains only DataType and DimensionCount; equal sizes are a ruling" },
  { "MAX_UNPOOLING", what = "add_same", relation = "Sizes", tensors = "InputTensor,IndicesTensor",
    card = "movement_reduction.md, MAX_UNPOOLING", why = "sizes and DimensionCount are in the page's text alone" },
  { "MAX_UNPOOLING", what = "add_same", relation = "DimensionCount", tensors = "InputTensor,OutputTensor",
    card = "movement_reduction.md, MAX_UNPOOLING", why = "sizes and DimensionCount are in the page's text alone" },
  { "MAX_POOLING1", "MAX_POOLING2", what = "add_same", relation = "Sizes", tensors = "OutputTensor,OutputIndicesTensor",
    card = "window_matrix_sequence.md, Pooling", why = "equal sizes are in the page's text, not in its constraints" },
  { "MEAN_VARIANCE_NORMALIZATION1", "MEAN_VARIANCE_NORMALIZATION2", what = "add_same", relation = "Sizes",
    tensors = "InputTensor,OutputTensor", card = "activation_normalization.md, MEAN_VARIANCE_NORMALIZATION",
    why = "the page gives both the same dimensions, but has no constraint" },
  { "ROI_ALIGN_GRAD", what = "add_same", relation = "Sizes", tensors = "ROITensor,OutputROIGradientTensor",
    card = "window_matrix_sequence.md, ROI_ALIGN_GRAD", why = "sizes are in the page's text, not in its constraints" },
  { "ROI_ALIGN_GRAD", what = "add_same", relation = "Sizes", tensors = "InputTensor,OutputGradientTensor",
    strength = "soft", card = "window_matrix_sequence.md, ROI_ALIGN_GRAD",
    why = "sizes are in the page's text, not in its constraints" },

  -- In-place execution, where schema and page disagree.
  { "ACTIVATION_GELU", what = "in_place", now = "open", card = "activation_normalization.md, element-wise family",
    why = "in place by the schema, not by the page" },
  { "ACTIVATION_SWISH", "ACTIVATION_HARD_SWISH", what = "in_place", now = "open",
    card = "activation_normalization.md, element-wise family", why = "in place by the page, not by the schema" },
  { "ELEMENT_WISE_IS_INFINITY", what = "in_place", now = "open", card = "element_wise.md, In place",
    why = "in place by the schema, not by the page" },
  { "FILL_VALUE_CONSTANT", "FILL_VALUE_SEQUENCE", what = "in_place", card = "element_wise.md, In place",
    why = "in place by the schema, but there is no input" },
}

local kinds = { INT = "int", FLOAT = "float", UINT_ARRAY = "uints", INT_ARRAY = "ints", FLOAT_ARRAY = "floats",
  SCALE_BIAS = "scale_bias", SIZE_2D = "size_2d", SCALAR_UNION = "scalar", OPERATOR_DESC = "operator",
  OPERATOR_DESC_ARRAY = "operators" }

-- ---- reading the tables

local function wrong(...) error(string.format(...), 0) end

local function split(text)
  local parts = {}
  for part in text:gmatch "[^,]+" do parts[#parts + 1] = part end
  return parts
end

-- Whether a text of names with commas between them has a name.
local function lists(text, name) return ("," .. text .. ","):find("," .. name .. ",", 1, true) ~= nil end

-- An operator: name, ordinal, struct, since, page_since, in_place, fields, levels (each with `from`, `group` and a row
-- per tensor in `rows`), same, beyond, notes. A field: what the catalogue prints of it.
local operators, by_name, enums, level_of = {}, {}, {}, {}

local function read_enums(folder)
  for row in tables.rows(folder .. "/enums.tsv") do
    local enum = enums[row.enum] or { name = row.enum, constants = {} }
    enums[row.enum] = enum
    table.insert(enum.constants, { name = row.constant, value = math.tointeger(tonumber(row.value)),
      since = tonumber(row.since_target_version:match "^%S+") })
    if row.enum == "DML_FEATURE_LEVEL" then level_of[tonumber(row.value)] = row.constant end
  end
end

local function level_number(name)
  for number, level in pairs(level_of) do if level == name then return number end end
  wrong("'%s' is no feature level", name)
end

-- The field before `at` that counts the elements of an array, or tells the type of a scalar.
local function preceding(op, at, fits, what)
  for i = at - 1, 1, -1 do if fits(op.fields[i]) then return op.fields[i].name end end
  wrong("%s: %s: no field before it %s", op.name, op.fields[at].name, what)
end
local function is_count(field) return field.kind == "uint" and field.name:match "Count$" end
local function is_data_type(field) return field.type == "DML_TENSOR_DATA_TYPE" end

local function kind_of(field)
  if field.direction == "in" then return field.array and "inputs" or "input" end
  if field.direction == "out" then return field.array and "outputs" or "output" end
  if field.type ~= "UINT" and field.type ~= "BOOL" then return kinds[field.type] end
  return field.meaning == "" and "uint" or field.meaning == "BOOL" and "bool" or enums[field.meaning] and "enum"
end

local function read_fields(op, text)
  op.fields = {}
  for i, field in ipairs(tables.fields(text)) do
    local kind = kind_of(field) or wrong("%s: %s: type %s is not known", op.name, field.name, field.type)
    op.fields[i] = { kind = kind, name = field.name, optional = field.optional or nil,
      type = kind == "enum" and field.meaning or nil, tensor = field.direction ~= "attr" }
    if kind:match "s$" and kind ~= "scale_bias" then
      op.fields[i].count = preceding(op, i, is_count, "counts its elements")
    elseif kind == "scalar" then
      op.fields[i].typed_by = preceding(op, i, is_data_type, "tells its type")
    end
    if kind == "enum" then enums[field.meaning].used = true end
  end
end

local function find_field(op, name)
  for i, field in ipairs(op.fields) do if field.name == name then return field, i end end
  wrong("%s: no field is named %s", op.name, name)
end

local function read_operators(folder)
  for row in tables.rows(folder .. "/operators.tsv") do
    local name = row.operator:match "^DML_OPERATOR_(.+)$" or wrong("operators.tsv: '%s' is no operator", row.operator)
    local op = { name = name, ordinal = math.tointeger(tonumber(row.ordinal)), struct = row.desc_struct,
      since = row.introduced_ruled, levels = {}, same = {}, beyond = {}, notes = {} }
    if row.introduced_page ~= op.since then op.page_since = row.introduced_page end
    local schema, page = row.inplace_schema, row.inplace_page
    op.in_place = schema == "1" and page == "1" or nil
    op.in_place_disputed = schema ~= "" and schema ~= page or nil
    if op.ordinal ~= #operators + 1 then wrong("%s: ordinal %s, expected %d", name, row.ordinal, #operators + 1) end
    level_number(op.since)
    read_fields(op, row.fields)
    operators[#operators + 1], by_name[name] = op, op
  end
end

local function operator_of(row, file)
  return by_name[row.operator:match "^DML_OPERATOR_(.+)$"] or wrong("%s: '%s' is no operator", file, row.operator)
end

local function find_level(op, from, group)
  for _, level in ipairs(op.levels) do if level.from == from and level.group == group then return level end end
end

local function read_support(folder)
  for row in tables.rows(folder .. "/tensor_support.tsv") do
    local op = operator_of(row, "tensor_support.tsv")
    local field = find_field(op, row.tensor)
    local level = find_level(op, row.feature_level, row.function_group)
    if not level then
      level = { from = row.feature_level, group = row.function_group, rows = {}, at = #op.levels }
      level_number(level.from)
      table.insert(op.levels, level)
    end
    if not field.tensor then wrong("%s: %s is no tensor", op.name, row.tensor) end
    if level.rows[row.tensor] then wrong("%s: level %s lists %s twice", op.name, level.from, row.tensor) end
    level.rows[row.tensor] = { types = row.data_types, low = tonumber(row.min_dims), high = tonumber(row.max_dims),
      optional = row.optional == "1" }
  end
end

-- Tensors in the order of the struct.
local function in_order(op, tensors)
  local sorted = table.move(tensors, 1, #tensors, 1, {})
  table.sort(sorted, function(a, b) return select(2, find_field(op, a)) < select(2, find_field(op, b)) end)
  return sorted
end

local function read_constraints(folder)
  for row in tables.rows(folder .. "/constraints.tsv") do
    local op = operator_of(row, "constraints.tsv")
    local relation = row.relation:match "^same:([%a+]+)$"
    if not relation and row.relation ~= "other" then wrong("%s: relation '%s' is not known", op.name, row.relation) end
    local tensors = relation and in_order(op, split(row.tensors))
    table.insert(op.same, tensors and { relation = relation, tensors = tensors } or { other = true })
  end
end

-- ---- correcting them

local function same_key(one) return (one.relation or "") .. " " .. table.concat(one.tensors or {}, ",") end

local function find_same(op, c)
  local wanted = same_key { relation = c.relation, tensors = in_order(op, split(c.tensors)) }
  for i, one in ipairs(op.same) do if same_key(one) == wanted then return i end end
end

local actions = {}

function actions.move_table(op, c)
  local level = find_level(op, c.from, "")
  if not level or find_level(op, c.to, "") then return "no table at " .. c.from .. ", or one at " .. c.to end
  level.from = c.to
end

function actions.set_types(op, c)
  for _, tensor in ipairs(split(c.tensors)) do
    local level = find_level(op, c.level, "")
    local row = level and level.rows[tensor]
    if not row or row.types ~= c.was then return tensor .. " has other types at " .. c.level end
    row.types = c.now
  end
end

-- The table that holds at a level.
local function table_at(op, number)
  local found
  for _, level in ipairs(op.levels) do
    if level_number(level.from) <= number and (not found or level_number(level.from) > level_number(found.from)) then
      found = level
    end
  end
  return found
end

function actions.beyond(op, c)
  local low, high = (c.dims or "0,9"):match "^(%d),(%d)$"
  local from = level_number(c.from or op.since)
  local before = c.before and level_number(c.before) or math.huge
  for number in pairs(level_of) do
    for _, tensor in ipairs(number >= from and number < before and split(c.tensors) or {}) do
      local row = table_at(op, number).rows[tensor] or wrong("%s: no tensor is named %s", op.name, tensor)
      for _, type in ipairs(split(c.types or "")) do
        if lists(row.types, type) then return type .. " is in the table of " .. tensor end
      end
      if row.low <= tonumber(low) and row.high >= tonumber(high) then return "the table has these dimension counts" end
    end
  end
  table.insert(op.beyond, { strength = c.strength, accept = c.accept, types = c.types, dims = c.dims, from = c.from,
    before = c.before, tensors = in_order(op, split(c.tensors)) })
end

function actions.required(op, c)
  local field = find_field(op, c.field)
  if not field.optional then return c.field .. " is not optional" end
  field.optional = nil
end

function actions.drop_same(op, c)
  local i = find_same(op, c)
  if not i then return "no such relation" end
  table.remove(op.same, i)
end

function actions.weaken(op, c)
  local i = find_same(op, c)
  if not i then return "no such relation" end
  op.same[i].strength = c.strength
end

-- Takes one tensor out of the relation that names it.
function actions.leave_out(op, c)
  for _, one in ipairs(op.same) do
    for i, tensor in ipairs(one.relation == c.relation and one.tensors or {}) do
      if tensor == c.tensors then table.remove(one.tensors, i) return end
    end
  end
  return "no relation has " .. c.tensors
end

function actions.drop_other(op)
  for i, one in ipairs(op.same) do if one.other then table.remove(op.same, i) return end end
  return "no such row"
end

-- Whether a relation of the table says this already, of these tensors or of more.
local function is_implied(op, c)
  for _, one in ipairs(op.same) do
    local all = not (one.other or one.strength or one.before or one.where)
    for property in c.relation:gmatch "%a+" do all = all and one.relation:find(property, 1, true) end
    for _, tensor in ipairs(split(c.tensors)) do all = all and lists(table.concat(one.tensors, ","), tensor) end
    if all then return true end
  end
end

function actions.add_same(op, c)
  if is_implied(op, c) then return "the table has this relation" end
  local where
  if c.where then
    where = { field = c.where.field, values = {} }
    local field = find_field(op, where.field)
    for _, constant in ipairs(enums[field.type].constants) do
      if not lists(c.where.unless, constant.name) then table.insert(where.values, constant.name) end
    end
  end
  table.insert(op.same, { relation = c.relation, tensors = in_order(op, split(c.tensors)), strength = c.strength,
    before = c.before, where = where })
end

function actions.in_place(op, c)
  if not op.in_place_disputed then return "schema and page agree on in-place execution" end
  op.in_place, op.in_place_disputed = c.now, nil
end

local function correct()
  for _, c in ipairs(corrections) do
    for _, name in ipairs(c) do
      local op = by_name[name] or wrong("correction: no operator is named %s", name)
      local stale = actions[c.what](op, c)
      if stale then wrong("%s: the correction %s (%s) does not apply: %s", name, c.what, c.card, stale) end
      local note = ("corrected: %s (%s)"):format(c.why, c.card)
      if not op.notes[note] then
        op.notes[note] = true
        table.insert(op.notes, note)
      end
    end
  end
end

-- ---- what must be so then

local function check_same(op)
  local seen = {}
  for _, one in ipairs(op.same) do
    if one.other then wrong("%s: a relation in words only needs a correction", op.name) end
    local key = same_key(one)
    if seen[key] then wrong("%s: a relation is there twice: %s", op.name, key) end
    seen[key] = true
    for _, tensor in ipairs(one.tensors) do
      if not find_field(op, tensor).tensor then wrong("%s: %s is no tensor", op.name, tensor) end
    end
  end
end

-- A tensor that became optional at a later level says from when on.
local function settle_optional(op, field)
  local from
  for _, level in ipairs(op.levels) do
    local row = level.rows[field.name] or wrong("%s: level %s: no row for %s", op.name, level.from, field.name)
    if row.optional and not from then from = level.from end
    if not row.optional and from then wrong("%s: %s becomes required after %s", op.name, field.name, from) end
  end
  if (from ~= nil) ~= (field.optional == true) then
    wrong("%s: tables disagree whether %s is optional", op.name, field.name)
  end
  if from and from ~= op.levels[1].from then field.optional = from end
end

local function settle()
  for _, op in ipairs(operators) do
    if op.in_place_disputed then wrong("%s: schema and page disagree on in-place execution", op.name) end
    table.sort(op.levels, function(a, b)
      local x, y = level_number(a.from), level_number(b.from)
      if x ~= y then return x < y end
      return a.at < b.at
    end)
    if #op.levels == 0 or op.levels[1].from ~= op.since then wrong("%s: no table at %s", op.name, op.since) end
    for _, field in ipairs(op.fields) do if field.tensor then settle_optional(op, field) end end
    check_same(op)
  end
end

-- ---- writing

local heading = [[
-- Generated by tools/cataloguegen.lua from the documents' tables. Do not edit: corrections belong in that file.
--
-- The %d operators of DirectML up to feature level %s, as plain data. `operators` lists them by ordinal:
--   name, ordinal   DML_OPERATOR_<name> and its value
--   struct          the description's struct, where it is not DML_<name>_OPERATOR_DESC
--   since           the feature level that introduced it; `page_since`: what its page says, where that is wrong
--   in_place        an output may share memory with an input: true, or "open" where the sources disagree
--   fields          { kind, name, … } in the order of the struct. Kinds: input, output (a tensor), inputs, outputs (an
--                   array of tensors), uint, int, float, bool, enum (of `type`), uints, ints, floats (arrays),
--                   scale_bias, size_2d, scalar (a DML_SCALAR_UNION; the field `typed_by` holds its type), operator,
--                   operators (nested descriptions). `count`: the field that holds the array's length. `optional`: may
--                   be null; a level: from that level on. `like`: at every level the tensor has the types and
--                   dimension counts of that other one
--   levels          { level, TENSOR = { types, count } or { types, lowest, highest }, … }: holds from this level on,
--                   until the next; `where`: only for these values of a field. What is listed must be accepted, what
--                   is not must be rejected
--   beyond          { strength, TENSOR, …, types =, dims = }: what no table lists, but need not be rejected. "soft": a
--                   rejection (with `accept`: an acceptance) is expected, anything else is a warning; "open": either
--                   is right. `from` and `before` are levels
--   same            { "PROPERTY+…", TENSOR, … }: tensors that must agree on these properties, as far as they are
--                   given; of an array, every element. `strength` if it is not reject; `before` and `where` as above
-- `enums` holds the constants of the enumerations in use: { name, value }; `from`: a level added it later.
-- "corrected" above an operator: where it differs from the tables, and which card says so.
]]

local out = {}
local function put(...) out[#out + 1] = string.format(...) end

local width = 120

-- `prefix` { item, item, … } on one line, or on lines filled to the width; `indent` is that of the first.
local function list_text(indent, prefix, items)
  local line = prefix .. "{ " .. table.concat(items, ", ") .. " }"
  if #indent + #line < width then return line end
  local lines, text = { prefix .. "{" }, indent .. " "
  for _, item in ipairs(items) do
    if #text + #item + 2 > width then
      lines[#lines + 1] = text
      text = indent .. " "
    end
    text = text .. " " .. item .. ","
  end
  lines[#lines + 1] = text
  lines[#lines + 1] = indent .. "}"
  return table.concat(lines, "\n")
end

-- Writes `key` = { item, … }, an item a line unless there is only one and it fits on the line.
local function put_block(key, items)
  local line = "    " .. key .. " = { " .. (items[1] or "") .. " },"
  if #items == 1 and #line <= width and not items[1]:find "\n" then out[#out + 1] = line return end
  if #items == 0 then return end
  out[#out + 1] = "    " .. key .. " = {"
  for _, item in ipairs(items) do out[#out + 1] = "      " .. item .. "," end
  out[#out + 1] = "    },"
end

local function put_comment(indent, text)
  local line = indent .. "--"
  for word in text:gmatch "%S+" do
    if #line + #word + 1 > width then
      out[#out + 1] = line
      line = indent .. "--  "
    end
    line = line .. " " .. word
  end
  out[#out + 1] = line
end

local function quoted(names)
  local parts = {}
  for i, name in ipairs(names) do parts[i] = '"' .. name .. '"' end
  return parts
end

local set_names, sets_used = {}, {}
for _, set in ipairs(type_sets) do set_names[set[2]] = set[1] end
local function types_name(op, types)
  sets_used[types] = true
  return set_names[types] or wrong("%s: the types %s have no name: add one to type_sets", op.name, types)
end

local function row_text(op, row)
  local dims = row.low == row.high and tostring(row.low) or row.low .. ", " .. row.high
  return ("{ %s, %s }"):format(types_name(op, row.types), dims)
end

-- The first tensor that has the same rows at every level.
local function like_of(op, at)
  for i = 1, at - 1 do
    local equal = op.fields[i].tensor
    for _, level in ipairs(equal and op.levels or {}) do
      local a, b = level.rows[op.fields[i].name], level.rows[op.fields[at].name]
      equal = equal and a.types == b.types and a.low == b.low and a.high == b.high
    end
    if equal then return op.fields[i].name end
  end
end

local function put_fields(op)
  local items = {}
  for i, field in ipairs(op.fields) do
    field.like = field.tensor and like_of(op, i) or nil
    local parts = quoted { field.kind, field.name }
    for _, key in ipairs { "type", "count", "typed_by", "like", "optional" } do
      local value = field[key]
      if value then parts[#parts + 1] = ("%s = %s"):format(key, value == true and "true" or '"' .. value .. '"') end
    end
    items[i] = "{ " .. table.concat(parts, ", ") .. " }"
  end
  out[#out + 1] = "    " .. list_text("    ", "fields = ", items) .. ","
end

local function where_text(field, values)
  return ("where = { %s = { %s } }"):format(field, table.concat(quoted(values), ", "))
end

-- "MULTIPLY and SUM": the constants of the operator's enumeration.
local function group_text(op, group)
  local values = {}
  for word in group:gmatch "[%u%d_]+" do values[#values + 1] = word end
  for _, field in ipairs(op.fields) do
    local known = {}
    for _, constant in ipairs(field.type and enums[field.type].constants or {}) do known[constant.name] = true end
    local all = #values > 0
    for _, value in ipairs(values) do all = all and known[value] end
    if all then return where_text(field.name, values) end
  end
  wrong("%s: no enumeration has the constants of the group '%s'", op.name, group)
end

local function put_levels(op)
  local levels = {}
  for i, level in ipairs(op.levels) do
    local items = { '"' .. level.from .. '"' }
    if level.group ~= "" then items[2] = group_text(op, level.group) end
    for _, field in ipairs(op.fields) do
      if field.tensor and not field.like then
        items[#items + 1] = field.name .. " = " .. row_text(op, level.rows[field.name])
      end
    end
    levels[i] = list_text("      ", "", items)
  end
  put_block("levels", levels)
end

local function put_beyond(op)
  local entries = {}
  for i, one in ipairs(op.beyond) do
    local items = quoted { one.strength, table.unpack(one.tensors) }
    if one.types then items[#items + 1] = "types = " .. types_name(op, one.types) end
    if one.dims then items[#items + 1] = "dims = { " .. one.dims:gsub(",", ", ") .. " }" end
    if one.from then items[#items + 1] = ('from = "%s"'):format(one.from) end
    if one.before then items[#items + 1] = ('before = "%s"'):format(one.before) end
    if one.accept then items[#items + 1] = "accept = true" end
    entries[i] = list_text("      ", "", items)
  end
  put_block("beyond", entries)
end

local function put_same(op)
  local relations = {}
  for i, one in ipairs(op.same) do
    local items = quoted { one.relation, table.unpack(one.tensors) }
    if one.strength then items[#items + 1] = ('strength = "%s"'):format(one.strength) end
    if one.before then items[#items + 1] = ('before = "%s"'):format(one.before) end
    if one.where then items[#items + 1] = where_text(one.where.field, one.where.values) end
    relations[i] = list_text("      ", "", items)
  end
  put_block("same", relations)
end

local function put_operator(op)
  for _, note in ipairs(op.notes) do put_comment("  ", note) end
  local head = ('  { name = "%s", ordinal = %d, since = "%s",'):format(op.name, op.ordinal, op.since)
  if op.struct ~= "DML_" .. op.name .. "_OPERATOR_DESC" then head = head .. (' struct = "%s",'):format(op.struct) end
  if op.page_since then head = head .. (' page_since = "%s",'):format(op.page_since) end
  if op.in_place then head = head .. " in_place = " .. (op.in_place == true and "true" or '"open"') .. "," end
  out[#out + 1] = head
  put_fields(op)
  put_levels(op)
  put_beyond(op)
  put_same(op)
  put "  },"
end

local function put_enums()
  put "local enums = {"
  local names = {}
  for name, enum in pairs(enums) do if enum.used then names[#names + 1] = name end end
  table.sort(names)
  for _, name in ipairs(names) do
    local items, first = {}, enums[name].constants[1].since
    for i, constant in ipairs(enums[name].constants) do
      local from = constant.since > first and (', from = "%s"'):format(level_of[constant.since]) or ""
      items[i] = ('{ "%s", %d%s }'):format(constant.name, constant.value, from)
    end
    out[#out + 1] = "  " .. list_text("  ", name .. " = ", items) .. ","
  end
  put "}"
end

local function put_types()
  for _, set in ipairs(type_sets) do
    if not sets_used[set[2]] then wrong("type_sets: no table has the types of %s", set[1]) end
    out[#out + 1] = list_text("", "local " .. set[1] .. " = ", quoted(split(set[2])))
  end
end

local function catalogue(folder)
  read_enums(folder)
  read_operators(folder)
  read_support(folder)
  read_constraints(folder)
  correct()
  settle()
  for _, op in ipairs(operators) do put_operator(op) end
  local body = out
  out = {}
  local newest = 0
  for number in pairs(level_of) do newest = math.max(newest, number) end
  put(heading, #operators, level_of[newest])
  put_types()
  put ""
  put_enums()
  put ""
  put "local operators = {"
  table.move(body, 1, #body, #out + 1, out)
  put "}"
  put ""
  put "return { enums = enums, operators = operators }"
  return table.concat(out, "\n") .. "\n"
end

-- ---- the command

local function lines_of(text)
  local lines = {}
  for line in text:gmatch "([^\n]*)\n" do lines[#lines + 1] = line end
  return lines
end

local function check(path, fresh)
  local file = io.open(path) or wrong("%s cannot be read", path)
  local text = file:read "a"
  file:close()
  if text == fresh then return end
  local found, made = lines_of(text), lines_of(fresh)
  local at = 1
  while found[at] == made[at] and found[at] do at = at + 1 end
  wrong("%s:%d: not as the tables make it\n  file:   %s\n  tables: %s", path, at, found[at] or "(its end)",
    made[at] or "(its end)")
end

local checked = arg[1] == "--check" and arg[2]
local folder = checked and arg[3] or not checked and arg[1]
if not folder or folder:match "^%-" then
  io.stderr:write("usage: cataloguegen.lua [--check FILE] TABLES_DIR\n")
  os.exit(2)
end
local good, message = pcall(function()
  local text = catalogue(folder)
  if checked then check(checked, text) else io.write(text) end
end)
if not good then
  io.stderr:write("cataloguegen.lua: ", tostring(message), "\n")
  os.exit(1)
end
