---@meta
-- The words of strategies, for lua-language-server: `"workspace.library": ["/usr/local/share/assay/cases/meta"]` in .luarc.json.
-- No strategy: assay does not read this folder. ../README.md explains the words; a test holds this file against the program.

---@class StrategyBody
---@field plan string one sentence: what the cases are
---@field cases fun(op: Operator)
---@field interface? fun(interface: Interface)
---@field deep? fun(op: Operator) cases of the tier `deep`
---@field tier? string

---@class Level
---@field name string
---@field types table<string, string[]> of each group

---@class Tensor
---@field name string
---@field kind string
---@field group string
---@field index boolean

---@class OperatorRule
---@field id string
---@field strength string
---@field behaviour boolean
---@field choice boolean
---@field last integer

---@class OperatorSituation
---@field id string
---@field fills string[]
---@field indices string[]

---@class Operator
---@field name string
---@field levels Level[]
---@field tensors Tensor[]
---@field rules OperatorRule[]
---@field situations OperatorSituation[]
---@field limits table[] bounds of attributes and sizes
---@field parameters string[]
---@field enumerations table<string, string[]>
---@field examples table[]
---@field sparse boolean
---@field formula boolean
---@field elementwise boolean
---@field folds boolean
---@field extremes table<string, string>[]
---@field selects boolean
---@field slices boolean
---@field plain boolean
---@field in_place table<string, string>[]
---@field free? Tensor set by `free_tensor`
local Operator = {}

---Adds a case. Returns false if no legal description meets the request.
---@param request Request
---@return boolean
function Operator:emit(request) end

---Returns true if a legal description meets the request; makes no case.
---@param request Request
---@return boolean
function Operator:possible(request) end

---Adds a case, and for each part of its description a case that differs from it in this part. Returns false if no legal
---description meets the request.
---@param request Request
---@return boolean
function Operator:vary(request) end

---@param level string
---@param rule string
---@return boolean
function Operator:violate(level, rule) end

---@param rule string
---@param strength 1|2|3
---@return boolean
function Operator:corners(rule, strength) end

---@param strength 2|3
---@return boolean
function Operator:cover(strength) end

---@param one table one of `examples`
---@return boolean
function Operator:example(one) end

---@class Interface
local Interface = {}

---@param request { label: string, kind: "mixed"|"devices"|"many"|"hidden"|"growth"|"reopen", steps: integer }
function Interface:sequence(request) end

---@class Request
---@field label? string
---@field level? string
---@field types? table<string, string>
---@field parameters? table<string, integer>
---@field attributes? table<string, string>
---@field strides? table<string, string>
---@field size? { tensor: string, from_last?: integer, size?: integer, elements?: integer, beside?: integer, shown?: string }
---@field leading? { tensor: string, ones: integer }
---@field limit? table one of `limits`
---@field tests? string id of the rule under test
---@field situation? string id of one of `situations`
---@field fill? string
---@field indices? string
---@field slack? integer|table<string, integer>
---@field alignment? integer
---@field owned? boolean
---@field apart? table<string, integer>
---@field idle? integer
---@field again? boolean
---@field grows? boolean
---@field in_place? table<string, string>
---@field one_memory? boolean
---@field largest? integer
---@field elements? integer
---@field work? integer
---@field bytes? integer
---@field least? table<string, integer>
---@field most? table<string, integer>
---@field slice? integer
---@field room? integer
---@field shared_tuples? boolean
---@field tries? integer

---@param name string
---@return fun(body: StrategyBody): table
function strategy(name) end

---The combinations of one value of each list; if they are more than `most`, as few as have every value.
---@param lists table<string, any[]>
---@param most integer
---@return table<string, any>[]
function combinations(lists, most) end

---The combinations of data types of a level that some description has.
---@param op Operator
---@param level Level
---@param most integer
---@return table<string, string>[]
function possible_types(op, level, most) end

---The first tensor that holds no indices and whose last size may be any number.
---@param op Operator
---@return Tensor
function free_tensor(op) end
