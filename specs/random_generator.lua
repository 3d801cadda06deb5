local function state_sizes(name)
  return equal(sizes(name), fit(concat(6), dims(name)))
end

-- Words are 32 bits, the counter is four of them, the lowest first.
local function block(counter, key)
  local c, k = { table.unpack(counter) }, { table.unpack(key) }
  for _ = 1, 10 do
    local p, r = 0xD2511F53 * c[1], 0xCD9E8D57 * c[3]
    c = { (r >> 32) ~ c[2] ~ k[1], r & 0xFFFFFFFF, (p >> 32) ~ c[4] ~ k[2], p & 0xFFFFFFFF }
    k = { k[1] + 0x9E3779B9 & 0xFFFFFFFF, k[2] + 0xBB67AE85 & 0xFFFFFFFF }
  end
  return c
end

local function advance(counter)
  for i = 1, 4 do
    counter[i] = counter[i] + 1 & 0xFFFFFFFF
    if counter[i] ~= 0 then return end
  end
end

local function state(words) return { "UINT32", { 1, 1, 1, 6 }, words } end
local function numbers(words) return { "UINT32", { 1, 1, 1, #words }, words } end
local function draws(id, from, drawn, to, source)
  return example(id) { page = source == "page" and "DML_RANDOM_GENERATOR" or nil, ruling = source ~= "page" and source or nil,
    Type = "PHILOX_4X32_10", InputStateTensor = state(from), OutputTensor = numbers(drawn),
    OutputStateTensor = to and state(to) }
end
local ones <const> = 0xFFFFFFFF

return operator "RANDOM_GENERATOR" {
  groups = { "state" },
  situations = { shape_situations "OutputTensor",
    situation "partial-block" { text = "the last block of 4 words is used in part", one_of(size("OutputTensor", -1) % 4, { 1, 2, 3 }),
      at_least(size("OutputTensor", -1), 257) },
    situation "counter-carries" { text = "all words of the state are ones: the counter overflows, or zeros",
      fill = "zero special", at_least(size("OutputTensor", -1), 33) },
    situation "no-state" { text = "the state is not written", absent "OutputStateTensor" },
    situation "state-padded" { text = "the words of the state have gaps", strides = { InputStateTensor = "padded" } },
    situation "state-permuted" { text = "a written state has gaps", present "OutputStateTensor",
      strides = { OutputStateTensor = "padded" } } },
  parameters = { { "d", dims "OutputTensor" }, { "s", dims "InputStateTensor" } },
  rules = {
    rule "state-sizes" { state_sizes "InputStateTensor", page = "DML_RANDOM_GENERATOR" },
    rule "type-value" { one_of(attr "Type", { 0 }), strength = "soft", page = "DML_RANDOM_GENERATOR" },
    rule "same-state-dims" { when(present "OutputStateTensor",
      equal(dims "OutputStateTensor", dims "InputStateTensor")), page = "DML_RANDOM_GENERATOR" },
    rule "same-state-sizes" { when(present "OutputStateTensor",
      equal(sizes "OutputStateTensor", sizes "InputStateTensor")), page = "DML_RANDOM_GENERATOR" },
  },
  behaviours = {
    behaviour "draws" { text = "element n is word n % 4 of Philox 4x32-10 for the counter plus n // 4",
      page = "DML_RANDOM_GENERATOR", ruling = "R6" },
    behaviour "state" {
      text = "the counter grows by one for each block of 4 words, also for a partly used block; the key does not " ..
        "change",
      page = "DML_RANDOM_GENERATOR", ruling = "R7" },
    behaviour "repeatable" { text = "equal states give equal bits", page = "DML_RANDOM_GENERATOR" },
  },
  meaning = function(T)
    local counter, key, at = {}, {}, zeros(T.InputStateTensor.rank)
    for i = 0, 5 do
      at[T.InputStateTensor.rank - 1] = i
      local into = i < 4 and counter or key
      into[#into + 1] = T.InputStateTensor:get(at)
    end
    local words, used
    for c in T.OutputTensor:coordinates() do
      if not words or used == 4 then
        words, used = block(counter, key), 0
        advance(counter)
      end
      used = used + 1
      T.OutputTensor:set(c, words[used])
    end
    if not T.OutputStateTensor then return end
    for i = 0, 5 do
      at[T.OutputStateTensor.rank - 1] = i
      T.OutputStateTensor:set(at, i < 4 and counter[i + 1] or key[i - 3])
    end
  end,
  examples = {
    draws("known-zeros", { 0, 0, 0, 0, 0, 0 }, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 }, { 1, 0, 0, 0, 0, 0 },
      "R6, R9"),
    draws("known-ones", { ones, ones, ones, ones, ones, ones }, { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd },
      { 0, 0, 0, 0, ones, ones }, "R6, R9"),
    draws("known-pi", { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0 },
      { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 },
      { 0x243f6a89, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0 }, "R6, R9"),
    draws("part-of-a-block", { 0, 0, 0, 0, 0, 0 },
      { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8, 0xf8e4cca4, 0x5cb200db, 0xb1a574eb, 0x097eff67, 0x04faa329, 0x51c732a6 },
      { 3, 0, 0, 0, 0, 0 }, "R7, R9"),
    draws("carry", { ones, ones, 0, 0, 1, 2 },
      { 0x917bce08, 0xbfd2df9c, 0x2cd1335e, 0x0ff71127, 0xf0c38cd9, 0x8ac52c3d }, { 1, 0, 1, 0, 1, 2 }, "R7, R9"),
    draws("wrap", { ones, ones, ones, ones, ones, ones },
      { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd, 0x72a47709 }, { 1, 0, 0, 0, ones, ones }, "R7, R9"),
    draws("no-state", { 0, 0, 0, 0, 0, 0 }, { 0x6627e8d5, 0xe169c58d }, nil, "R6, R9"),
  },
}
