---@meta
-- See operators.lua.

-- ---- formulas

---@class FoldBody
---@field [1] Formulaic
---@field sizes List
---@field at table<string, List> where the elements of each input are
---@field fold "sum"|"product"|"min"|"max"|"place_of_min"|"place_of_max"
---@field last? Numeric
---@field signed_zeros? boolean

---@param tensor string
---@return Formula
function element(tensor) end

---gives the formula a name, by which texts call it
---@param a Formula
---@param name string
---@return Formula
function named(a, name) end

---what the device wrote to another output
---@param name string
---@return Formula
function output(name) end

---@param name string
---@return Formula
function attribute(name) end

---@param name string
---@return Formula
function cast(name) end

---@param name string
---@return Formula
function truncated(name) end

---the Type of an element of an array of operator descriptions; a NaN beyond its end
---@param field string
---@param index Formulaic
---@return Formula
function type_of(field, index) end

---a FLOAT of such an element, which describes the activation
---@param field string
---@param index Formulaic
---@param activation string
---@param member string
---@return Formula
function member_of(field, index, activation, member) end

---@param name string
---@return Formula
function floored(name) end

---@param name string
---@return Formula
function bias(name) end

---@param tensor string
---@return Formula
function least_of(tensor) end

---@param tensor string
---@return Formula
function greatest_of(tensor) end

---@param tensor string
---@return Formula
function is_float(tensor) end

---@param tensor string
---@param a Formulaic
---@return Formula
function spacing_of(tensor, a) end

---@param n integer
---@return Formula
function coordinate(n) end

---@param n number
---@return Formula
function ulp(n) end

---@param n integer
---@return Formula
function term(n) end

---@param a Formulaic|Number|List
---@return any
function abs(a) end

---@param a Formulaic
---@return Formula
function floor(a) end

---@param a Formulaic
---@return Formula
function ceil(a) end

---@param a Formulaic
---@return Formula
function trunc(a) end

---@param a Formulaic
---@return Formula
function round_even(a) end

---@param a Formulaic
---@return Formula
function round_away(a) end

---@param a Formulaic
---@return Formula
function sqrt(a) end

---@param a Formulaic
---@return Formula
function exp(a) end

---@param a Formulaic
---@return Formula
function log(a) end

---@param a Formulaic
---@return Formula
function sin(a) end

---@param a Formulaic
---@return Formula
function cos(a) end

---@param a Formulaic
---@return Formula
function tan(a) end

---@param a Formulaic
---@return Formula
function asin(a) end

---@param a Formulaic
---@return Formula
function acos(a) end

---@param a Formulaic
---@return Formula
function atan(a) end

---@param a Formulaic
---@return Formula
function sinh(a) end

---@param a Formulaic
---@return Formula
function cosh(a) end

---@param a Formulaic
---@return Formula
function tanh(a) end

---@param a Formulaic
---@return Formula
function asinh(a) end

---@param a Formulaic
---@return Formula
function acosh(a) end

---@param a Formulaic
---@return Formula
function atanh(a) end

---@param a Formulaic
---@return Formula
function erf(a) end

---@param a Formulaic
---@return Formula
function expm1(a) end

---@param a Formulaic
---@return Formula
function log1p(a) end

---@param a Formulaic
---@return Formula
function is_nan(a) end

---@param a Formulaic
---@return Formula
function is_inf(a) end

---@param a Formulaic
---@return Formula
function bit_count(a) end

---@param a Formulaic
---@return Formula
function wrapped(a) end

---@param a Formulaic
---@return Formula
function spacing(a) end

---@param a Formulaic
---@return Formula
function negated(a) end

---@param a Formulaic
---@return Formula
function fits(a) end

---@param a Formulaic
---@return Formula
function saturate(a) end

---@param a Formulaic
---@param b Formulaic
---@return Formula
function min(a, b) end

---@param a Formulaic
---@param b Formulaic
---@return Formula
function max(a, b) end

---@param a Formulaic
---@param b Formulaic
---@return Formula
function pow(a, b) end

---@param a Formulaic
---@param b Formulaic
---@return Formula
function atan2(a, b) end

---@param a Formulaic
---@param b Formulaic
---@return Formula
function within(a, b) end

---@param plain Formulaic
---@param formulas table<string, Formulaic>
---@return Formula
function by_activation(plain, formulas) end

---@param a Formulaic
---@param b Formulaic
---@return Formula
function lt(a, b) end

---@param a Formulaic
---@param b Formulaic
---@return Formula
function le(a, b) end

---@param a Formulaic
---@param b Formulaic
---@return Formula
function gt(a, b) end

---@param a Formulaic
---@param b Formulaic
---@return Formula
function ge(a, b) end

---@param a Formulaic
---@param b Formulaic
---@return Formula
function eq(a, b) end

---@param a Formulaic
---@param b Formulaic
---@return Formula
function ne(a, b) end

---@param a Formulaic
---@param b Formulaic
---@return Formula
function both(a, b) end

---@param a Formulaic
---@param b Formulaic
---@return Formula
function either(a, b) end

---@param condition Formulaic
---@param a Formulaic
---@param b Formulaic
---@return Formula
function choose(condition, a, b) end

---@param fold FoldBody
---@return Formula
function over(fold) end

---@param fold Formula
---@param name "count"|"magnitude"|"peak"|"dip"|"nans"|"zeros"|"infinities"|"first_nan"|"last_nan"|"own"|"steps"
---@return Formula
function part(fold, name) end

---@param fold Formula
---@param at List
---@return Formula
function elsewhere(fold, at) end

---@param fold Formula
---@param bits Formulaic
---@return Formula
function inexact(fold, bits) end

---the row-major number of the element
---@type Formula
number = nil

---the exact result, in a tolerance
---@type Formula
y = nil

---the unit roundoff, in a tolerance
---@type Formula
u = nil

---the largest number of the type
---@type Formula
largest = nil

---the lowest number of the type
---@type Formula
lowest = nil

---the smallest normal number of the type
---@type Formula
smallest_normal = nil

---@type number
nan = nil

---@type number
inf = nil

-- ---- meanings

---@param count integer
---@return table<integer, integer>
function zeros(count) end

---@param coordinates table<integer, integer>
---@return table<integer, integer>
function copy(coordinates) end

---@param index integer
---@param size integer
---@return integer?
function wrap(index, size) end

---@param index integer
---@param size integer
---@return integer
function nearest(index, size) end
