-- Rules for every tensor, and behaviours of every operator. A behaviour with `in_place` in `shown_by` belongs to the
-- operators that support in-place execution, and refers to their pages. Page names are those of the API reference.

local input_flags, max = { 0, 1 }, 0xFFFFFFFF -- DML_TENSOR_FLAG_NONE, _OWNED_BY_DML; 2^32 - 1

return tensor_rules {
  rule "tensor-present" { function(T) return equal(present(T), 1) end,
    text = "every tensor that is not optional must be given", strength = "soft", ruling = "B10" },
  rule "tensor-type" { function(T) return equal(tensor_type(T), 1) end,
    text = "the Type of every tensor must be DML_TENSOR_TYPE_BUFFER", page = "DML_TENSOR_DESC", ruling = "B10" },
  rule "sizes-present" { function(T) return equal(has_sizes(T), 1) end,
    text = "the Sizes of every tensor must be given", strength = "soft", ruling = "B10" },
  rule "sizes-nonzero" { function(T) return each(sizes(T), 1, max) end,
    text = "no size may be 0", page = "DML_BUFFER_TENSOR_DESC", ruling = "A29" },
  rule "flag-bits" { function(T) return one_of(flags(T), input_flags) end,
    text = "Flags must hold documented bits only", strength = "soft", ruling = "B10" },
  rule "owned-by-dml" { function(T, kind)
      return kind == "output" and when(at_most(flags(T), 1), equal(flags(T), 0)) or nil
    end,
    text = "DML_TENSOR_FLAG_OWNED_BY_DML is for inputs only", page = "DML_TENSOR_FLAGS", ruling = "B10" },
  rule "element-limit" { function(T) return at_most(extent(T), max) end,
    text = "a tensor may not extend over more than 2^32 - 1 elements", page = "DML_BUFFER_TENSOR_DESC", ruling = "B5" },
  rule "broadcast-limit" { function(T) return when(at_most(extent(T), max), at_most(elements(T), max)) end,
    text = "the sizes of a broadcast tensor may multiply to at most 2^32 - 1", strength = "open", ruling = "B5",
    untested = "a violation has 2^32 elements that share memory; the solver cannot make such a tensor" },
  rule "total-size" { function(T) return at_least(total(T), implied(T)) end,
    text = "TotalTensorSizeInBytes must be at least the size that sizes and strides imply, rounded up to a multiple " ..
      "of 4",
    page = "DML_BUFFER_TENSOR_DESC", ruling = "B3" },
  rule "alignment" { function(T) return zero_or_power_of_two(alignment(T), element_bytes(T)) end,
    text = "GuaranteedBaseOffsetAlignment must be 0 or a power of two of at least the element size",
    page = "DML_BUFFER_TENSOR_DESC", ruling = "B4, B10" },
  rule "output-overlap" { function(T, kind) return kind == "output" and equal(overlap(T), 0) or nil end,
    text = "no two elements of an output may share memory", strength = "open", ruling = "B6" },
  behaviour "total-multiple" { text = "a device may require TotalTensorSizeInBytes to be a multiple of 4",
    strength = "open",
    ruling = "B3", accepts = "accepted" },
  behaviour "strided" {
    text = "tensors may be padded or permuted, inputs also broadcast; a size of 1 may have any stride",
    page = "DML_BUFFER_TENSOR_DESC", ruling = "B6, B7", shown_by = { strides = true } },
  behaviour "outside" {
    text = "the device writes neither inputs nor memory around outputs; it may write the padding of an output",
    page = "DML_BUFFER_TENSOR_DESC, D105, D106, D107, D111", ruling = "B8" },
  behaviour "in-place" {
    text = "an input may be bound to the memory of an output: the device reads each element before it writes it",
    page = "D120, D124, D128", ruling = "B9", shown_by = { in_place = true } },
  behaviour "rejection" { text = "the device rejects an illegal description at creation, with E_INVALIDARG",
    strength = "soft", page = "D66, D67, D68", ruling = "B13, B14", shown_by = { rejected = true } },
}
