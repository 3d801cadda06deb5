-- Every sentence of device.h, and the behaviours that test its promises. tools/test/test_interface.lua compares the
-- sentences with the header. A sentence keeps its id when others are added or removed; a new sentence takes the next
-- free number. Behaviours of this file and of tensor.lua carry the sentences that a device can break. Every other
-- sentence has a word that says why it needs no behaviour:
--
--   says      the sentence explains or defines something
--   permits   the sentence permits a device to do something
--   assay     the sentence is a promise of assay, which assay's own tests cover
--   rules     the rules of the operators encode the sentence
--
-- Every case tests a behaviour, unless `shown_by` restricts it to the cases of the interface (`lifecycle`) or to
-- rejected descriptions.

local lifecycle, rejected = { lifecycle = true }, { rejected = true }

return interface {
  behaviours = {
    behaviour "independent" { page = "D11, D12, D13, D14, D118", shown_by = lifecycle,
      text = "a dispatch depends on its operator and bindings only, not on other operators or earlier calls" },
    behaviour "entry" { page = "D2, D136, D137, D190",
      text = "the library exports assay_device_entry(), whose table has every function of its version" },
    behaviour "operator-first" { page = "D15", shown_by = lifecycle,
      text = "a compiled operator outlives the operator that it was made from" },
    behaviour "devices" { page = "D16, D19", shown_by = lifecycle,
      text = "several devices may exist at a time, and another one after destroy_device()" },
    behaviour "frees" { page = "D17", shown_by = lifecycle,
      text = "the memory, mappings, descriptors and threads of the process do not grow without bound" },
    behaviour "destroy-null" { page = "D144", shown_by = lifecycle, text = "destroy functions accept null" },
    behaviour "describes" { page = "D82, D83, D91, D147", shown_by = lifecycle,
      text = "describe() fills in legal values, always the same, and nothing past the struct" },
    behaviour "data-types" { page = "D149, D151",
      text = "the device rejects a data type that it denies, and denies numbers that are no data type" },
    behaviour "limit" { page = "D89", text = "a tensor above max_tensor_bytes is never dispatched",
      untested = "assay itself leaves out such cases" },
    behaviour "unimplemented" { page = "D168",
      text = "the device reports an operator that it does not implement as unsupported" },
    behaviour "message" { page = "D181, D182", shown_by = lifecycle, text = "message() is never null, and is UTF-8" },
    behaviour "copies" { page = "D154", text = "the device does not read a description after create_operator()" },
    behaviour "malformed" { page = "D155, D156, D157, D158, D162", shown_by = rejected,
      text = "the device rejects a malformed description without a crash" },
    behaviour "pointers" { page = "D58, D59, D60",
      text = "an output pointer is set if the function succeeds, and null if it fails" },
    behaviour "success" { page = "D47, D48", text = "S_OK is the only success" },
    behaviour "lost" { page = "D55", text = "a lost device stays lost" },
    behaviour "batch" { page = "D176, D177, D178", text = "the device runs every item of a batch and sets its result" },
    behaviour "clock" { page = "D130, D131", text = "device_ns is the time of the item alone" },
    behaviour "tensors-in-dispatch" { page = "D21, D101",
      text = "the device accesses no tensor after dispatch() has returned" },
    behaviour "threads" { page = "D22", shown_by = lifecycle, text = "no thread outlives destroy_device()" },
    behaviour "process-state" { page = "D27, D29", text = "process-wide state stays unchanged" },
    behaviour "survives" { page = "D30", text = "the device does not end the process" },
    behaviour "fork" { page = "D31", text = "a child process becomes another program" },
    behaviour "programs" { page = "D32, D33", text = "a program that a call starts ends with it" },
    behaviour "output" { page = "D35", text = "the device prints nothing to standard output" },
    behaviour "sandbox" { page = "D45", text = "the device changes no file outside of its folders and opens no socket"
      },
    behaviour "says-why" { page = "D133, D141", strength = "soft", text = "the device explains a failure",
      untested = "a person reads the explanation" },
    behaviour "unknown-key" { page = "D80", strength = "soft", text = "the device rejects an unknown argument",
      untested = "only the device knows its arguments" },
    behaviour "half" { page = "D171, D172, D173",
      text = "FLOAT32 results are as precise as the flags of compile_operator() demand",
      untested = "a run with --half tests it; no single case does" },
    behaviour "measures" { page = "D194, D195, D198, D199, D200",
      text = "measure() runs the item as often as requested, and returns the times",
      untested = "`assay bench` judges it; no case does" },
  },
  sentences = {
    { "D1", "device.h: the interface between assay and an implementation of DirectML's operators.", "says" },
    { "D2", "A device is a shared library that exports one function, assay_device_entry(), and hides every other " ..
      "symbol." },
    { "D3", "A device needs this header and dml.h, and nothing else of this project.", "says" },
    { "D4", '"Must" is a requirement: a device that breaks it fails a case, or cannot be opened.', "says" },
    { "D5", '"Should" is a recommendation: a device that ignores it gets a warning.', "says" },
    { "D6", '"May" is a permission.', "says" },
    { "D7", "ORDER OF CALLS. The order of calls is the documented one:", "says" },
    { "D8", "create_device → describe → supports_data_type … create_operator → compile_operator → dispatch … → " ..
      "destroy_compiled → destroy_operator", "says" },
    { "D9", "destroy_device", "says" },
    { "D10", "There is no initialisation: assay creates and compiles an operator with inputs that are " ..
      "DML_TENSOR_FLAG_OWNED_BY_DML, but never dispatches it.", "assay" },
    { "D11", "assay may keep many operators alive at a time." },
    { "D12", "assay may dispatch a compiled operator many times, each time with other bindings and other contents." },
    { "D13", "A compiled operator must keep no state between dispatches." },
    { "D14", "assay may compile an operator more than once." },
    { "D15", "assay may call destroy_operator() before destroy_compiled(): a compiled operator must not depend " ..
      "on the operator that it was made from." },
    { "D16", "assay may make several devices at a time, and make one again after destroy_device()." },
    { "D17", "A device must free the memory, mappings, descriptors and threads of every object that assay " ..
      "destroys: their number must not grow if assay makes, dispatches and destroys the same operators again and " ..
      "again." },
    { "D18", "THREADS. assay calls a device from one thread at a time, not always the same thread.", "assay" },
    { "D19", "Two threads may call two devices of one library at once." },
    { "D20", "A device may run threads of its own.", "says" },
    { "D21", "Those threads must not touch a tensor outside dispatch()." },
    { "D22", "Those threads must have ended when destroy_device() returns." },
    { "D23", "THE PROCESS. assay runs a device in a process of its own, which shares with assay only the memory " ..
      "of tensors and descriptions.", "assay" },
    { "D24", "Other processes of assay hold the expected results and judge the outputs.", "assay" },
    { "D25", "A crash fails the case that was running, and the run goes on.", "assay" },
    { "D26", "`assay fuzz` and `assay dispatch` run the device in a process with their own code.", "assay" },
    { "D27", "A device must leave process-wide state as it was when it was called: signal handlers and masks, " ..
      "the locale, the floating-point mode (rounding, flush-to-zero, traps), file descriptors 0 to 3, the " ..
      "working directory, the umask, the environment variables, the priority and the resource limits." },
    { "D28", "assay checks them after its calls and restores them.", "assay" },
    { "D29", "A change fails the case; a change made while the device is opened fails the run." },
    { "D30", "A device must not end the process." },
    { "D31", "A device must not fork, except to start another program." },
    { "D32", "A program that create_device(), describe() or supports_data_type() starts may run until " ..
      "destroy_device() returns." },
    { "D33", "A program that a later call starts must have ended when that call returns." },
    { "D34", "A device may print to standard error: assay shows the end of the text with a failure.", "says" },
    { "D35", "A device must not print to standard output." },
    { "D36", "THE MACHINE. A device, and every program that it starts, may read files.", "permits" },
    { "D37", "It may write below the folder that TMPDIR names: the folder belongs to this process alone, and " ..
      "assay removes it when the process ends.", "permits" },
    { "D38", "It may write below the folder that XDG_CACHE_HOME names: later processes of the same device find " ..
      "the files again.", "permits" },
    { "D39", "It may use drivers through their files in /dev.", "permits" },
    { "D40", "It cannot gain privileges.", "assay" },
    { "D41", "assay denies every other change of files and every socket except pairs of AF_UNIX streams, with " ..
      "EACCES or EPERM.", "assay" },
    { "D42", "assay denies signals to other processes, with EPERM, if the kernel can (Linux 6.12).", "assay" },
    { "D43", "assay denies memory beyond a limit, with ENOMEM.", "assay" },
    { "D44", "The user may lift these denials (--allow).", "permits" },
    { "D45", "If the thread in which assay calls the device tries to change a file or to open a socket and is " ..
      "denied, the case fails." },
    { "D46", "ERRORS are HRESULTs with the documented meanings:", "says" },
    { "D47", "S_OK done." },
    { "D48", "A device must return no other code for a success" },
    { "D49", "E_INVALIDARG the description breaks a documented rule", "says" },
    { "D50", "DXGI_ERROR_UNSUPPORTED legal, but beyond this device: the case counts as unsupported, not failed, " ..
      "unless the declared feature level promises it", "says" },
    { "D51", "E_OUTOFMEMORY legal, but too large for the memory there is.", "says" },
    { "D52", "From dispatch(), it counts as unsupported if the item's tensors have 256 MiB or more together.",
      "says" },
    { "D53", "From create_operator() and compile_operator() of an operator that assay never dispatches, it " ..
      "counts as DXGI_ERROR_UNSUPPORTED.", "says" },
    { "D54", "Otherwise it fails the case", "says" },
    { "D55", "DXGI_ERROR_DEVICE_REMOVED the device is lost: every later call that returns an HRESULT must return " ..
      "this, too" },
    { "D56", "E_FAIL any other failure, explained by message() or in the item's result", "says" },
    { "D57", "An output pointer is null when assay calls.", "assay" },
    { "D58", "A function that fails must leave its output pointer null." },
    { "D59", "A function that succeeds must set it." },
    { "D60", "A function that does otherwise fails the case, whatever outcome was expected." },
    { "D61", "REJECTING. Each documented rule has a strength, which `assay spec OPERATOR` prints.", "rules" },
    { "D62", "A device must reject a description that breaks a rule of strength `must` or `reject`.", "rules" },
    { "D63", "A device should reject a description that breaks a `soft` rule: if the device accepts it, the case " ..
      "passes with a warning.", "rules" },
    { "D64", "A device may accept or reject a description that breaks an `open` rule: assay records the " ..
      "decision.", "rules" },
    { "D65", "A device must accept a description that breaks no rule, unless one of the errors above excuses it.",
      "rules" },
    { "D66", "A device should reject in create_operator(), with E_INVALIDARG." },
    { "D67", "A rejection in compile_operator() gets a warning." },
    { "D68", "A rejection with another error gets a warning; but DXGI_ERROR_UNSUPPORTED counts as unsupported " ..
      "unless the declared feature level promises the operator and its data types." },
    { "D69", "The version of this interface.", "says" },
    { "D70", "It is raised when a change would break a device built against an older header.", "says" },
    { "D71", "The device defines these three.", "says" },
    { "D72", "assay never looks inside them.", "says" },
    { "D73", "made by create_device()", "says" },
    { "D74", "made by create_operator()", "says" },
    { "D75", "made by compile_operator()", "says" },
    { "D76", "The argument of create_device().", "says" },
    { "D77", "It is valid until create_device() returns.", "assay" },
    { "D78", "bytes of this struct, as assay knows it: a member at or past it does not exist", "says" },
    { "D79", "the text after the device's name and a ':' on the command line; \"\" if there is none, never null.",
      "says" },
    { "D80", "By convention `key=value` pairs, separated by commas; a device should reject an unknown key with " ..
      "E_INVALIDARG" },
    { "D81", "The result of describe().", "says" },
    { "D82", "Text must be UTF-8, must end with a zero byte, and may be empty." },
    { "D83", "bytes of this struct, set by assay: a device must write nothing at or past it" },
    { "D84", "the highest level that the device promises, with all of its tables.", "rules" },
    { "D85", "0: the device promises no level; the newest level's tables judge it, but a case that it calls " ..
      "unsupported never fails", "permits" },
    { "D86", 'for a person: "llvmpipe (LLVM 15.0.6, 256 bits)"', "says" },
    { "D87", 'for a person: "Mesa 22.3.6 (LLVM 15.0.6)"', "says" },
    { "D88", "version of the device library", "says" },
    { "D89", "largest TotalTensorSizeInBytes that the device takes; 0: no limit" },
    { "D90", "most items that one dispatch() gains from; 1: batches gain nothing.", "says" },
    { "D91", "It must not be 0" },
    { "D92", "ASSAY_DEVICE_… bits; 0: none", "says" },
    { "D93", "A flag of assay_device_info: create_operator() validates with assay's own code (device/common), so " ..
      "that a rejection says nothing about the implementation behind the device.", "says" },
    { "D94", "assay counts passes in which outputs were compared apart from the other passes of such a device.",
      "assay" },
    { "D95", "The memory of a tensor: `size` bytes at `base` + `offset`, as in DML_BUFFER_BINDING.", "says" },
    { "D96", "`size` is the tensor's TotalTensorSizeInBytes or more.", "says" },
    { "D97", "`offset` is a multiple of 16 and of the tensor's GuaranteedBaseOffsetAlignment, and may be 0.",
      "says" },
    { "D98", "`base` + `offset` is aligned in the same way.", "permits" },
    { "D99", "`base` is null if an optional tensor is absent.", "says" },
    { "D100", "assay owns the memory, which is valid until dispatch() returns.", "assay" },
    { "D101", "assay takes the outputs when dispatch() returns: a later write counts as a failure." },
    { "D102", "Inputs may be mapped read-only.", "permits" },
    { "D103", "The page after a tensor may be unmapped.", "permits" },
    { "D104", "The memory may be absent in a child process.", "permits" },
    { "D105", "A device must not write an input, except in place (see assay_dispatch_item)." },
    { "D106", "A device must not read outside the `size` bytes." },
    { "D107", "A device must not write outside an output's TotalTensorSizeInBytes, even if the binding is larger." },
    { "D108", "assay checks the bytes around a tensor.", "assay" },
    { "D109", "A device may write every byte within TotalTensorSizeInBytes, also the gaps between strides and " ..
      "the bytes after the last element.", "permits" },
    { "D110", "The contents of an output before dispatch() are arbitrary, and say nothing about the expected " ..
      "result: they may be NaNs; in place they are the input's.", "says" },
    { "D111", "A byte that a device does not write must keep its value." },
    { "D112", "A device that works on copies of the tensors must therefore copy an output in before it copies it " ..
      "out, unless it writes every byte.", "says" },
    { "D113", "One execution of an operator.", "says" },
    { "D114", "Bindings are in the order of the fields of the operator's documented struct: one array for the " ..
      "inputs, one for the outputs.", "assay" },
    { "D115", "An optional tensor has a binding, also if it is absent: its base is null, and its size 0.", "assay" },
    { "D116", "An array of tensors has one binding for each element.", "assay" },
    { "D117", "A description within the description has no binding.", "assay" },
    { "D118", "Inputs may share memory with each other." },
    { "D119", "An output shares memory with no other output, and with an input only in place.", "says" },
    { "D120", "IN PLACE. If the documents say that an operator supports in-place execution, then an input may have " ..
      "the memory of an output." },
    { "D121", "Both bindings are then equal (base, offset and size), and both tensors have the same data type, " ..
      "sizes, strides, TotalTensorSizeInBytes and alignment.", "assay" },
    { "D122", "Both inputs of ELEMENT_WISE_ADD, _ADD1, _BIT_AND, _BIT_OR and _BIT_XOR may have the memory of the " ..
      "output at once; one input of another operator may.", "assay" },
    { "D123", "An input never overlaps an output in any other way.", "assay" },
    { "D124", "The result must be the same as in memory of its own." },
    { "D125", "So a device that works in the memory that it is given must read an element of such an input " ..
      "before it writes the output's element at the same coordinates, or anything else there: it fails if it " ..
      "clears the output first, if it copies another operand to the output first, or if it writes more elements " ..
      "than it has read.", "says" },
    { "D126", "A device that copies all inputs before it writes an output need do nothing.", "permits" },
    { "D127", "A device that cannot tell which of its steps read first can compare the addresses, and copy such " ..
      "an input.", "says" },
    { "D128", "assay does not check that input afterwards; the other inputs must be unchanged." },
    { "D129", "The result of one item.", "says" },
    { "D130", "must be 0" },
    { "D131", "nanoseconds that this item alone took, by the device's own clock; 0: it has no clock." },
    { "D132", "assay takes no more than the call took by assay's clock", "assay" },
    { "D133", 'if the item failed: one sentence about this item, zero-terminated; "": none.' },
    { "D134", 'assay sets it to "" before it calls dispatch()', "assay" },
    { "D191", "The request to measure(), and its answer.", "says" },
    { "D192", "bytes of this struct, as assay knows it: a member at or past it does not exist", "says" },
    { "D193", "number of runs of the item, at least 1", "assay" },
    { "D194", "`count` numbers, which are 0: a device sets each to the nanoseconds of one run, by the device's own " ..
      "clock, or to the mean of a few adjacent runs, if reading the clock takes as long as a share of a run; 0: it " ..
      "has no clock" },
    { "D195", "nanoseconds from the start of the first run to the end of the last one, by a clock of the host, " ..
      "without the transfers of the tensors to the device's memory and back." },
    { "D196", "assay takes no more than the call took by assay's clock", "assay" },
    { "D197", 'clocks and power state of the device after the last run, for a person: "1980 MHz, P0"; "": not ' ..
      'known', "says" },
    { "D135", "The device's functions.", "says" },
    { "D136", "A device must set every pointer but the last two." },
    { "D137", "The table must stay valid while the library is loaded." },
    { "D138", "ASSAY_DEVICE_ABI of the header that the device was compiled with", "says" },
    { "D139", "sizeof(assay_device_api) of that header", "says" },
    { "D140", "Creates a device.", "says" },
    { "D141", "If it fails, it should write one zero-terminated sentence to `message` (`message_size` bytes) that " ..
      "names the missing part: a loader, a driver, a feature." },
    { "D142", 'DXGI_ERROR_UNSUPPORTED means "not on this machine".', "says" },
    { "D143", "Destroys a device.", "says" },
    { "D144", "Every destroy function must accept null, and then do nothing." },
    { "D145", "Fills in `info`, whose members are all 0 but `size`.", "says" },
    { "D146", "A failure means that the device cannot be used.", "says" },
    { "D147", "assay may ask again: the answer must be the same." },
    { "D148", "DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT: returns nonzero if tensors may have this type.", "says" },
    { "D149", "assay asks after describe(), about each type, and about numbers that are no data type: a device " ..
      "must deny those numbers." },
    { "D150", "A case with a type that the device denies is unsupported, whatever the feature level promises.",
      "says" },
    { "D151", "A device must not accept an operator with a type that it denies." },
    { "D152", "Validates a description.", "says" },
    { "D153", "Neither `desc` nor desc->Desc is null.", "assay" },
    { "D154", "A device must copy the parts that it needs: assay overwrites the description, and all that it " ..
      "points to, when the call returns." },
    { "D155", "A description may be malformed in any way that its types allow." },
    { "D156", "A tensor, its Desc or its Sizes may be a null pointer." },
    { "D157", "Counts and enumerations may have any value." },
    { "D158", "A device must reject such a description, and must not crash." },
    { "D159", "Reading `DimensionCount` entries of Sizes, or of Strides that are not null, is safe up to a count " ..
      "of 8.", "assay" },
    { "D160", "Members arrive in the documented struct of the operator.", "assay" },
    { "D161", "A member gives the number of elements of an array; whatever that number is, the array may be a null " ..
      "pointer.", "assay" },
    { "D162", "Reading that many elements is safe up to a count of 8: a device must check a higher count against " ..
      "the tensors before it reads further." },
    { "D163", "An array of tensors is always as long as its count says, and assay keeps that count at 16 or " ..
      "below.", "assay" },
    { "D164", "A missing element of an array of tensors has a null Desc.", "assay" },
    { "D165", "All 8 bytes of a DML_SCALAR_UNION can be read.", "assay" },
    { "D166", "A description within the description, such as FusedActivation, may have any Type, and a null " ..
      "Desc; another Desc has the struct of its Type, or is zeros if the Type is no operator's.", "assay" },
    { "D167", "Its tensors are null, as documented, or else are small FLOAT32 tensors.", "assay" },
    { "D168", "A device must return DXGI_ERROR_UNSUPPORTED for an operator that it does not implement." },
    { "D169", "Compiles an operator.", "says" },
    { "D170", "assay destroys the operator, also if compiling fails.", "assay" },
    { "D171", "With ALLOW_HALF_PRECISION_COMPUTATION (`assay run --half`), a device may compute FLOAT32 outputs " ..
      "as if their operands, the attributes and the result were FLOAT16: the bounds of FLOAT16 count, for the " ..
      "operands as they are or rounded to FLOAT16." },
    { "D172", "Copied, compared or converted results must be those without the flag." },
    { "D173", "Without it, the bounds of FLOAT32 count." },
    { "D174", "`assay dispatch` passes on the flags that a model names; a device may ignore every flag.", "permits" },
    { "D175", "Runs `count` items and returns when all are done.", "says" },
    { "D176", "Items are independent: a device may run them in any order, or at once." },
    { "D177", "A device must set all `count` results in `out`." },
    { "D178", "It must return S_OK unless the device as a whole failed: an item's own failure belongs in its " ..
      "result." },
    { "D179", "Returns one sentence for a person about the last call that failed: which rule, which tensor.", "says" },
    { "D180", 'It may be "".', "says" },
    { "D181", "It must not be null, and must be UTF-8." },
    { "D182", "The device owns the text, which must stay valid until the next call." },
    { "D183", "A sentence about an item of a dispatch() that returned S_OK belongs in the item's result: assay " ..
      "uses this text instead only if the item's is \"\" and no other item of the call failed.", "says" },
    { "D184", "Returns nonzero if the device implements operators of this type.", "says" },
    { "D185", "assay asks once for each documented type, after describe().", "assay" },
    { "D186", "The cases of an operator that the device denies are unsupported, whatever the feature level " ..
      "promises, and are not run; the conformance statement names the operator as missing.", "says" },
    { "D187", "This pointer may be null, and a device that was built against a header without it need not be " ..
      "rebuilt: an operator that such a device does not implement fails the cases that its feature level " ..
      "promises.", "assay" },
    { "D198", "Runs one item measurement->count times, each run after the one before it has ended, on tensors that " ..
      "stay in the device's memory (`assay bench`)." },
    { "D199", "When it returns, the outputs must be as after dispatch()." },
    { "D200", "Every run must do the whole work of the item." },
    { "D201", "The item is never in place.", "assay" },
    { "D202", "The promises of dispatch() hold for measure(), too.", "says" },
    { "D203", "A device may return DXGI_ERROR_UNSUPPORTED: assay then measures by calling dispatch() again and again.",
      "permits" },
    { "D204", "assay does so, too, if this pointer is null, or if the device was built against a header without " ..
      "it.", "assay" },
    { "D188", "The one exported function: returns the device's functions.", "says" },
    { "D189", "`abi` is assay's ASSAY_DEVICE_ABI.", "says" },
    { "D190", "A device that does not implement that version must return null." },
  },
}
