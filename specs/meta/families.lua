---@meta
-- See operators.lua.

-- ---- families

---@class WindowsBody
---@field input string
---@field output string
---@field window List
---@field dilations? boolean
---@field rounding? "down"|"either"
---@field extra? List
---@field when? Conditions
---@field page? string

---@param family WindowsBody
---@return Rule[]
function windows(family) end

---@param axes string
---@param count string
---@param rank Numeric
---@return Rule[]
function axes(axes, count, rank) end

---The table of an element-wise operator but for what is particular.
---@param body table
---@return OperatorBody
function elementwise(body) end

---The table of an operator that copies each element from a place that attributes decide, or fills it.
---@param body table
---@return OperatorBody
function moves(body) end

---@param field string
---@return Rule
function types_by_constant(field) end

---An element after the operator's ScaleBias.
---@param tensor string
---@return Formula
function scaled(tensor) end

---@param fold Formula
---@param steps? Formulaic
---@return Formula, Formula
function roundings(fold, steps) end

---@param fold Formula
---@param steps? Formulaic
---@param change? fun(error: Formula): Formula
---@return table<string, Tolerance>
function rounded(fold, steps, change) end

---@param bound fun(roundoff: number): Formula
---@param scale? Formulaic
---@return table<string, Tolerance>
function composite(bound, scale) end

---@param fold Formula
---@param id? string
---@param given? table
---@return Behaviour
function partial_overflow(fold, id, given) end

---@param fold Formula
---@param given? table
---@return Behaviour
function partial_range(fold, given) end

---@param fold Formula
---@param given? table
---@return Behaviour
function partial_zero(fold, given) end

---@param name string
---@param x Formulaic
---@param get fun(attribute: string): Formula
---@return ResultBody
function activation(name, x, get) end

---@param x Formulaic
---@param get fun(attribute: string): Formula
---@return Formula, Outcomes
function product_overflows(x, get) end

---@param family table
---@return Result[]
function fused_results(family) end

---@param field string
---@param page? string
---@param since? string
---@return Rule[]
function fused_rules(field, page, since) end

---@param value Formula
---@param of? string
---@return Behaviour[]
function fused_behaviours(value, of) end

---@param x Formulaic
---@param fold fun(kind: string, formula: Formula): Formula
---@param centred? Formulaic
---@return table<string, Formula>
function statistics(x, fold, centred) end

---@param variance Formula
---@param epsilon string
---@param output? string
---@param id? string
---@return table
function root_of(variance, epsilon, output, id) end

---@param id string
---@param product Formula
---@param output? string
---@param also? Formulaic
---@return Behaviour
function may_overflow(id, product, output, also) end

---@param id string
---@param product Formula
---@param output? string
---@return Behaviour
function infinities(id, product, output) end

---@param of table
---@return table
function normalised(of) end

---@param ... string
---@return Rule
function number_rules(...) end
