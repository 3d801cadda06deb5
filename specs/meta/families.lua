---@meta
-- See operators.lua.

-- ---- families

---@class WindowsBody
---@field input string
---@field output string
---@field window List
---@field dilations? boolean|"open"
---@field rounding? "down"|"either"
---@field extra? List
---@field arrays? string[]
---@field when? Conditions
---@field fits? table
---@field sizes? string
---@field rulings? string[]
---@field page? string

---@param family WindowsBody
---@return Rule[]
function windows(family) end

---@class QuantisedSumBody
---@field [1] Formula
---@field magnitude Formula
---@field scales Formula[]
---@field step Formula
---@field zero_point Formula

---@param family QuantisedSumBody
---@return Formula, Behaviour[]
function quantised_sum(family) end

---@param axes string
---@param count string
---@param rank Numeric
---@return Rule[]
function axes(axes, count, rank) end

---@param tensor string
---@param limits? { highest?: integer, also?: Conditions, single?: boolean }
---@return Situation[]
function shape_situations(tensor, limits) end

---@param tensor string
---@return Situation[]
function number_situations(tensor) end

---@param tensor string
---@return Situation[]
function bit_situations(tensor) end

---@param without? string names of values, or of fields and values
---@param also? Conditions
---@return Situation[]
function value_situations(without, also) end

---@param indices string
---@param tuples? boolean
---@param distinct? boolean
---@return Situation[]
function index_situations(indices, tuples, distinct) end

---@param fields { tensor?: string, long: fun(n: integer): (Conditions), one: Conditions, outer?: Conditions, whole?: Conditions }
---@return Situation[]
function row_situations(fields) end

---@param fields { rows: Numeric, depth: Numeric, columns: Numeric, other: string, also?: Conditions }
---@return Situation[]
function product_situations(fields) end

---@class SlidingFields
---@field windows List
---@field strides List
---@field dilations List|1
---@field before List
---@field after List
---@field image List
---@field count Numeric
---@field also? Conditions

---@param fields SlidingFields
---@return Situation[]
function sliding_situations(fields) end

---@param divided? Conditions
---@return Situation
function small_deviation(divided) end

---@param axis Numeric
---@param several? boolean the operator has Axes
---@return Situation[]
function rows_along(axis, several) end

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

---The errors that functions may have by themselves.
---@param roundoff number
---@return table
function function_limits(roundoff) end

---The errors of functions within a composite.
---@param roundoff number
---@param hard? boolean
---@return table
function function_errors(roundoff, hard) end

---@param bound fun(roundoff: number, errors: table): Formula
---@param scale? Formulaic
---@return table<string, Tolerance>
function composite(bound, scale) end

---A bound on the error of a device that computes the formula step by step with unit roundoff u.
---@param formula Formulaic
---@param u number
---@return Formula
function carried(formula, u) end

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

---@param product Formula
---@param factor? Formula
---@param added? Formula
---@return Formula, Outcomes
function product_overflows(product, factor, added) end

---@param family table
---@return Result[]
function fused_results(family) end

---The fused activation of x in the outcomes of all results of fused_results.
---@param x Formulaic
---@return Formula
function activated(x) end

---@param field string
---@param page? string
---@param since? string
---@param also? string[]
---@return Rule[]
function fused_rules(field, page, since, also) end

---Situations in which the FusedActivation is the last one of the table of a feature level.
---@param field string the FusedActivation
---@return Situation[]
function fused_situations(field) end

---@param value Formula
---@param of? string
---@param also? string[]
---@param may_be_nan? Formula
---@return Behaviour[]
function fused_behaviours(value, of, also, may_be_nan) end

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

---@param all? boolean of all activations that can be fused
---@return integer[]
function recurrent_activations(all) end

---@param field string an array of operator descriptions
---@param index Formulaic
---@param x Formula
---@param e Formulaic how far a device may miss x
---@param u number
---@return Formula value, Formula own, Formula passed
function listed_activation(field, index, x, e, u) end
