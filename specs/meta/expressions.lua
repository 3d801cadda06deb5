---@meta
-- See operators.lua.

-- ---- numbers of a description

---@param name string
---@return Number
function attr(name) end

---DimensionCount
---@param name string
---@return Number
function dims(name) end

---DataType, as a number
---@param name string
---@return Number
function data_type(name) end

---the type of the tensor desc
---@param name string
---@return Number
function tensor_type(name) end

---Flags
---@param name string
---@return Number
function flags(name) end

---GuaranteedBaseOffsetAlignment
---@param name string
---@return Number
function alignment(name) end

---TotalTensorSizeInBytes
---@param name string
---@return Number
function total(name) end

---1 if the tensor, or what the name says, is given, else 0
---@param name string
---@return Number
function present(name) end

---1 if Sizes is given, else 0
---@param name string
---@return Number
function has_sizes(name) end

---the number of elements
---@param name string
---@return Number
function elements(name) end

---from the first to the last element in memory, in elements
---@param name string
---@return Number
function extent(name) end

---the bytes that sizes and strides imply
---@param name string
---@return Number
function implied(name) end

---the bytes of an element
---@param name string
---@return Number
function element_bytes(name) end

---DimensionCount without the leading sizes of 1
---@param name string
---@return Number
function effective_rank(name) end

---1 if elements share memory, else 0
---@param name string
---@return Number
function overlap(name) end

---the Type of an operator description
---@param name string
---@return Number
function operator_type(name) end

---1 if the Desc of an operator description is given, else 0
---@param name string
---@return Number
function has_desc(name) end

---a size; -1: the last
---@param tensor string
---@param index Numeric
---@return Number
function size(tensor, index) end

---1 if member `index` of a nested description is given, else 0
---@param name string
---@param index integer
---@return Number
function member_given(name, index) end

---member `index` of a nested description, a FLOAT
---@param name string
---@param index integer
---@return Number
function member_float(name, index) end

---@param a Numeric|List
---@param b Numeric|List
---@return Number
function ceil_div(a, b) end

---@param a Numeric|List
---@param b Numeric|List
---@return Number
function least(a, b) end

---@param a Numeric|List
---@param b Numeric|List
---@return Number
function greatest(a, b) end

---1 if both are equal, else 0
---@param a Numeric
---@param b Numeric
---@return Number
function is(a, b) end

---a; b if it is undefined, such as a size of an absent tensor
---@param a Numeric
---@param b Numeric
---@return Number
function otherwise(a, b) end

---@param of List
---@return Number
function sum(of) end

---@param of List
---@return Number
function product(of) end

---@param of List
---@return Number
function length(of) end

---entry `index` of a list, from 0 on; in a formula, of an array of FLOATs, by its name
---@param of List|string
---@param index Numeric|Formulaic
---@return any
function entry(of, index) end

-- ---- lists

---an attribute that is an array
---@param name string
---@return List
function list(name) end

---@param tensor string
---@return List
function sizes(tensor) end

---@param array string
---@param make fun(element: string): Number
---@return List
function map(array, make) end

---@param from List
---@param first Numeric
---@param past Numeric
---@return List
function slice(from, first, past) end

---@param of List
---@param count Numeric
---@return List
function prefix(of, count) end

---@param of List
---@param count Numeric
---@return List
function suffix(of, count) end

---@param ... List|Numeric
---@return List
function concat(...) end

---right-aligned, 1s in front
---@param what List
---@param length Numeric
---@return List
function fit(what, length) end

---@param what List
---@param index Numeric|List
---@param value Numeric
---@return List
function replace(what, index, value) end

---@param value Numeric
---@param count Numeric
---@return List
function filled(value, count) end

---@param of List
---@return List
function weights(of) end

---@param output string
---@return List
function place(output) end

---@param of List
---@return List
function step(of) end

---@param what List
---@param by List|Numeric
---@param past List
---@return List
function divided(what, by, past) end

---@param tensor string
---@param at List
---@return List
function gathered(tensor, at) end

-- ---- conditions

---@param x Numeric|List
---@param y Numeric|List
---@return Condition
function equal(x, y) end

---@param x Number|List
---@param low number|Number|List
---@param high number|Number|List
---@return Condition
function between(x, low, high) end

---@param x Number|List
---@param low Numeric|List
---@param high Numeric|List
---@return Condition
function each(x, low, high) end

---@param x Number|List
---@param past number|Number|List
---@return Condition
function below(x, past) end

---@param x Number|List
---@param low number|Number|List
---@return Condition
function at_least(x, low) end

---@param x Number|List
---@param high number|Number|List
---@return Condition
function at_most(x, high) end

---@param x Number|List
---@param low number|Number|List
---@return Condition
function above(x, low) end

---@param x Number|List
---@return Condition
function finite(x) end

---@param x Number|List
---@param values integer[]
---@return Condition
function one_of(x, values) end

---@param x Numeric
---@param low Numeric
---@return Condition
function zero_or_power_of_two(x, low) end

---a condition: x, or every entry of it, occurs in a list; in a formula, an attribute of the activation, by its name
---@param x any
---@param of? List
---@return any
function member(x, of) end

---@param what List
---@return Condition
function distinct(what) end

---@param by Numeric|List
---@param x Numeric|List
---@return Condition
function divides(by, x) end

---@param x string
---@param y string
---@return Condition
function ordered(x, y) end

---@param x string|List
---@param to string|List
---@return Condition
function broadcasts(x, to) end

---@param name string
---@return Condition
function absent(name) end

---@param property "DimensionCount"|"DataType"|"Sizes"
---@param lead? string
---@param ... string
---@return Condition[]
function same(property, lead, ...) end

---@param ... Conditions
---@return Condition
function any_of(...) end

---@param ... Conditions
---@return Condition
function all_of(...) end

---@param condition Conditions
---@param ... Conditions
---@return Conditions
function when(condition, ...) end

---@param level string
---@param ... Conditions
---@return Conditions
function from_level(level, ...) end

---@param level string
---@param ... Conditions
---@return Conditions
function before_level(level, ...) end

---@param array string
---@param make fun(element: string): Conditions
---@return Condition
function every(array, make) end
