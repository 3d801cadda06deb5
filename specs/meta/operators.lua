---@meta
-- The words of specs, for lua-language-server: `"workspace.library": ["/usr/local/share/assay/specs/meta"]` in .luarc.json. No
-- spec: assay does not read this folder. ../README.md explains the words; a test holds this file against the prelude.

-- ---- kinds of values

---A number of a description: of attributes, sizes and the like. A condition compares it.
---@class Number
---@operator add(Numeric): Number
---@operator sub(Numeric): Number
---@operator mul(Numeric): Number
---@operator mod(Numeric): Number
---@operator idiv(Numeric): Number
---@operator unm: Number

---A list of such numbers. Arithmetic goes entry by entry; a number stands for a list of such entries.
---@class List
---@operator add(Numeric|List): List
---@operator sub(Numeric|List): List
---@operator mul(Numeric|List): List
---@operator mod(Numeric|List): List
---@operator idiv(Numeric|List): List

---A condition of a rule, or several that must all hold.
---@class Condition

---The value of an output's element: a number, or a condition, computed from the elements of the inputs.
---@class Formula
---@operator add(Formulaic): Formula
---@operator sub(Formulaic): Formula
---@operator mul(Formulaic): Formula
---@operator div(Formulaic): Formula
---@operator band(Formulaic): Formula
---@operator bor(Formulaic): Formula
---@operator bxor(Formulaic): Formula
---@operator shl(Formulaic): Formula
---@operator shr(Formulaic): Formula
---@operator bnot: Formula
---@operator unm: Formula

---@alias Numeric integer|Number
---@alias Formulaic number|Formula
---@alias Conditions Condition|Number|Condition[]
---@alias Strength "reject"|"must"|"soft"|"open"
---@alias Tolerance Formulaic|{ soft: Formulaic, must: Formulaic }
---@alias Outcomes "anything"|{ [1]: string, [2]: Formulaic }[]

---@class Rule
---@class Behaviour
---@class Situation
---@class Result
---@class Stage
---@class Example
---@class Index
---@class Grid
---@class Rows
---@class Domain
---@field [1]? number
---@field [2]? number
---@field usual? number
---@field nonzero? boolean
---@class Selection

---@class RuleBody
---@field [integer] Conditions|fun(name: string, direction: string, field: table): Conditions
---@field strength? Strength
---@field page? string the page, or its sentences
---@field ruling? string ids of rulings, such as "A1, E5"
---@field from? string the first feature level
---@field before? string the feature level from which on it does not hold
---@field text? string what the rule says, instead of what its conditions do
---@field untested? string why no case breaks it

---@class SituationBody
---@field [integer] Conditions
---@field text string one plain sentence
---@field fill? string words of contents
---@field indices? string words of contents of index tensors
---@field strides? table<string, "packed"|"padded"|"permuted"|"broadcast">
---@field values? table<string, number> of FLOATs and scalars
---@field pairs? boolean the strategy "parts" also varies a description in the situation
---@field each_level? boolean the strategy "situations" asks for cases at every feature level, not at the highest alone

---@class BehaviourBody
---@field strength? Strength
---@field page? string
---@field ruling? string
---@field from? string
---@field before? string
---@field text? string
---@field shown_by? table which cases test it without naming it
---@field untested? string
---@field accepts? string outcomes that are right
---@field reports? string outcomes that get a warning
---@field anywhere? boolean no element of the output has a known value
---@field bounded? boolean reads stay inside the tensors
---@field when? Formulaic
---@field gives? Outcomes
---@field of? string the output, if there are several
---@field activation? string
---@field given? table

---@class ResultBody
---@field [1] Formulaic
---@field FLOAT16? Tolerance
---@field FLOAT32? Tolerance
---@field FLOAT64? Tolerance
---@field integers? Tolerance
---@field zeros? "signed"
---@field bits? boolean
---@field overflow? "wraps"|"open"
---@field by? string
---@field activation? string
---@field given? table
---@field domain? number[]

---@class IndexBody
---@field into? List
---@field tuple? any
---@field distinct? any
---@field along? any

---@class GridBody
---@field from? List
---@field to? List
---@field parts? List
---@field spans? integer

---@class RowsBody
---@field count? string

---@class SelectionBody
---@field values? string
---@field of? string
---@field along? Numeric
---@field descending? Numeric

---@class OperatorBody
---@field page? string
---@field introduced? string
---@field sentences? table
---@field levels? table
---@field groups? string[]
---@field rules? table
---@field behaviours? Behaviour[]
---@field situations? table
---@field indices? Index[]
---@field grids? Grid[]
---@field rows? Rows
---@field selection? Selection
---@field parameters? table
---@field examples? Example[]
---@field sparse? table
---@field slice? Numeric
---@field stages? Stage[]
---@field results? Result[]
---@field domains? table<string, Domain>
---@field meaning? fun(T: table)

---A member of a struct: its kind, such as "input", "float" or "uints", and its name in C.
---@class Member
---@field [1] string
---@field [2] string
---@field optional? true|string the pointer may be null; a level: from that level on
---@field like? string the tensor has the types and dimension counts of that other one
---@field count? string the field that holds the length of the array
---@field typed_by? string the field that holds the data type of the scalar
---@field type? string the enumeration

---@class StructBody
---@field number integer the Type of descriptions, from 1000 on
---@field fields Member[]
---@field levels table[] { level, TENSOR = { types, lowest, highest }, …, where = … }, …
---@field same? table[] { "DataType+DimensionCount+Sizes", TENSOR, TENSOR, … }, …
---@field in_place? true|"several"|string[] the inputs that may have the memory of an output
---@field enums? table<string, table[]> constants { "NAME", value } of enumerations of its own

---The struct of an operator that DirectML does not have; it comes before operator "NAME".
---@param name string
---@return fun(body: StructBody)
function struct(name) end

-- ---- parts of an operator

---@param name string
---@return fun(body: OperatorBody): OperatorBody
function operator(name) end

---The operator that the constructor makes of its name and the other arguments.
---@param name string
---@param constructor fun(name: string, ...): table
---@return table
function define(name, constructor, ...) end

---@param id string
---@return fun(body: RuleBody): Rule
function rule(id) end

---@param id string
---@return fun(body: BehaviourBody): Behaviour
function behaviour(id) end

---@param id string
---@return fun(body: SituationBody): Situation
function situation(id) end

---@param output string
---@return fun(body: ResultBody): Result
function result(output) end

---@class StageBody
---@field [1] Formulaic
---@field sizes List

---A FLOAT64 tensor that formulas name, computed before the outputs.
---@param name string
---@return fun(body: StageBody): Stage
function stage(name) end

---@param id string
---@return fun(body: table): Example
function example(id) end

---@param tensor string
---@return fun(body: IndexBody): Index
function index(tensor) end

---@param tensor string
---@return fun(body: GridBody): Grid
function grid(tensor) end

---@param output string
---@return fun(body: RowsBody): Rows
function rows(output) end

---@param output string
---@return fun(body: SelectionBody): Selection
function selection(output) end

---A tensor of an example: a row of values, with a DimensionCount that every level has.
---@param type string
---@param values number[]
---@return table
function tensor(type, values) end

---@param list table
---@return table
function rulings(list) end

---@param body { behaviours: Behaviour[], sentences: table }
---@return table
function interface(body) end

---@param rules table
---@return table
function tensor_rules(rules) end

-- For the program alone.
function set_catalogue(read, add) end

---The value of DML_OPERATOR_<name>.
---@param name string
---@return integer
function operator_number(name) end
