#!/bin/bash
# Tests the words of assay_peer.py and assay_peer.js: both print the same about one operator; and that bridge and peers
# name the versions of the protocol that do not fit.
. tools/tap.sh
kit=$PWD/device/bridge

# One input of each kind. The data: 8 halves, 3 indices, and 12 elements along three axes.
cat >"$TMPDIR/item.json" <<'END_OF_ITEM'
{"Type": "ELEMENT_WISE_CLIP1", "ExecutionFlags": ["ALLOW_HALF_PRECISION_COMPUTATION"],
 "Inputs": ["HalfTensor", "IndicesTensor", "AbsentTensor", "Tensors"], "Outputs": ["OutputTensor"],
 "Desc": {"HalfTensor": {"DataType": "FLOAT16", "Sizes": [1,1,2,4], "Strides": null, "TotalTensorSizeInBytes": 16},
  "IndicesTensor": {"DataType": "UINT64", "Sizes": [3], "Strides": null, "TotalTensorSizeInBytes": 24},
  "AbsentTensor": null,
  "Tensors": [{"DataType": "INT8", "Sizes": [2,3,2], "Strides": null, "TotalTensorSizeInBytes": 12}],
  "OutputTensor": {"DataType": "FLOAT16", "Sizes": [8], "Strides": null, "TotalTensorSizeInBytes": 16},
  "Min": "-Infinity", "ScaleBias": {"Scale": 2.0, "Bias": 0.5},
  "Value": {"DataType": "INT64", "Bytes": [254,255,255,255,255,255,255,255]},
  "Half": {"DataType": "FLOAT16", "Bytes": [0,190]},
  "FusedActivation": {"Type": "ACTIVATION_LINEAR", "Desc": {"InputTensor": null, "OutputTensor": null, "Alpha": 3.0,
                                                            "Beta": 1.0}}}}
END_OF_ITEM
{
    # FLOAT16: 1, -2, 65504, the least denormal, 1023 of them, 0.333…, 0, the least normal
    printf '\x00\x3c\x00\xc0\xff\x7b\x01\x00\xff\x03\x55\x35\x00\x00\x00\x04'
    printf '\x05\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0\0\x80'
    printf '\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\xf4'
    head -c 16 /dev/zero
} >"$TMPDIR/data"

cat >"$TMPDIR/expected" <<'END_OF_EXPECTED'
item ELEMENT_WISE_CLIP1 ALLOW_HALF_PRECISION_COMPUTATION
types 11 true false
half 16777216 -33554432 1098974756864 1 1023 5591040 0 1024
last 2 4
indices 5 9223372036854775807 9223372036854775807
absent true true
joined 1 3 5 2 4 6 7 9 11 8 10 -12
parted 1 2 3 4 5 6 7 8 9 10 11 -12
first 1 2 7 8 3 4 9 10 5 6 11 -12
scaled 2.5 4.5 true
attribute true -2 -1.5 true
fused 7 true
unsupported the adapter cannot fuse ACTIVATION_LINEAR
rounded 0001 0000 ff7b 007c 0038 0080 007e 0068
END_OF_EXPECTED

cat >"$TMPDIR/words.py" <<'END_OF_PYTHON'
import json
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[3])
import assay_peer
import numpy as np


def say(*words):
    print(*[str(word).lower() if isinstance(word, bool) else word for word in words])


item = assay_peer.Item(json.load(open(sys.argv[1])), memoryview(bytearray(open(sys.argv[2], "rb").read())))
half, indices, absent, (small,) = item.inputs
x, attributes = small.array(), item.attributes
say("item", item.type, *item.flags)
say("types", len(assay_peer.DTYPES), "UINT64" in assay_peer.DTYPES, "INT4" in assay_peer.DTYPES)
say("half", *(half.array().astype("f8") * 2 ** 24).astype("i8").reshape(-1))
say("last", *assay_peer.last(half.array(), 2).shape)
say("indices", *indices.indices())
say("absent", absent is None, assay_peer.arrays(item.tensors)[2] is None)
say("joined", *assay_peer.joined(x, [1]).reshape(-1))
say("parted", *assay_peer.parted(assay_peer.joined(x, [1, 0]), [1, 0], x.shape).reshape(-1))
say("first", *assay_peer.joined(x, [2, 0]).reshape(-1))
scaled = assay_peer.scaled(np.array([1, 2], "f4"), attributes["ScaleBias"])
say("scaled", *scaled, assay_peer.scaled(x, None) is x)
say("attribute", attributes["Min"] == float("-inf"), attributes["Value"], attributes["Half"], "Half" in attributes)
linear = {"ACTIVATION_LINEAR": lambda v, Alpha, Beta: Alpha * v + Beta}
say("fused", int(assay_peer.fused(2, attributes["FusedActivation"], linear)), assay_peer.fused(x, None, linear) is x)
try:
    assay_peer.fused(2, attributes["FusedActivation"], {})
except assay_peer.Unsupported as unsupported:
    say("unsupported", unsupported)
output, = assay_peer.arrays(item.outputs)
np.seterr(all="ignore")
output[...] = [2.0 ** -16, 2.0 ** -25, 65519, 65520, 0.5 + 2.0 ** -12, -0.0, float("nan"), 2049]
say("rounded", *[item.outputs[0].data[i:i + 2].hex() for i in range(0, 16, 2)])
END_OF_PYTHON

cat >"$TMPDIR/words.js" <<'END_OF_JAVASCRIPT'
const fs = require('fs');
const [, , description, data, kit] = process.argv;
const { Item, Unsupported, dataTypes, last, joined, parted, scaled, fused } = require(`${kit}/assay_peer.js`);
const say = (...words) => console.log(words.join(' '));

const item = new Item(JSON.parse(fs.readFileSync(description)), Buffer.from(new Uint8Array(fs.readFileSync(data)).buffer));
const [half, indices, absent, [small]] = item.inputs, { attributes } = item, { array, sizes } = small;
say('item', item.type, ...item.flags);
say('types', dataTypes.length, dataTypes.includes('UINT64'), dataTypes.includes('INT4'));
say('half', ...half.numbers.map((value) => value * 2 ** 24));
say('last', ...last(half.sizes, 2));
say('indices', ...indices.indices);
say('absent', absent === null, item.tensors[2] === null);
say('joined', ...joined(array, sizes, [1]));
say('parted', ...parted(joined(array, sizes, [1, 0]), sizes, [1, 0]));
say('first', ...joined(array, sizes, [2, 0]));
say('scaled', ...scaled(Float32Array.of(1, 2), attributes.ScaleBias), scaled(array, null) === array);
say('attribute', attributes.Min === -Infinity, attributes.Value, attributes.Half, 'Half' in attributes);
const linear = { ACTIVATION_LINEAR: (value, { Alpha, Beta }) => Alpha * value + Beta };
say('fused', fused(2, attributes.FusedActivation, linear), fused(array, null, linear) === array);
try {
  fused(2, attributes.FusedActivation, {});
} catch (error) {
  if (error instanceof Unsupported) say('unsupported', error.message);
}
const [output] = item.outputs;
output.write([2 ** -16, 2 ** -25, 65519, 65520, 0.5 + 2 ** -12, -0, NaN, 2049]);
say('rounded', ...[0, 2, 4, 6, 8, 10, 12, 14].map((at) => output.bytes.toString('hex', at, at + 2)));
output.write(Uint16Array.of(1, 2, 3, 4, 5, 6, 7, 8));
if (output.array[7] !== 8) say('bits are converted');
try {
  output.write([1]);
  say('too few elements are written');
} catch (error) {
  if (error.message !== 'OutputTensor gets 1 elements, expected 8') say(error.message);
}
END_OF_JAVASCRIPT

for language in '/usr/bin/python3 words.py' 'node words.js'; do
    read -r program words <<<"$language"
    "$program" "$TMPDIR/$words" "$TMPDIR/item.json" "$TMPDIR/data" "$kit" >"$TMPDIR/printed" 2>&1
    diff "$TMPDIR/expected" "$TMPDIR/printed" >"$TMPDIR/diff"
    ok $? "$words: each word means the same" || sed 's/^/# /' "$TMPDIR/diff"
done

# A bridge of another version.
printf 'ASB9\x13\0\0\0\0\0\0\0\0\0\0\0{"request":"hello"}' >"$TMPDIR/request"
echo 'import sys; sys.dont_write_bytecode = True; sys.path.insert(0, sys.argv[1]); import assay_peer; assay_peer.serve({}, None)' \
    >"$TMPDIR/peer.py"
echo 'require(process.argv[2] + "/assay_peer.js").serve({}, null);' >"$TMPDIR/peer.js"
for language in '/usr/bin/python3 peer.py' 'node peer.js'; do
    read -r program words <<<"$language"
    ASSAY_BRIDGE_IN=3 ASSAY_BRIDGE_OUT=4 "$program" "$TMPDIR/$words" "$kit" 3<"$TMPDIR/request" 4>"$TMPDIR/answer"
    is "$(tail -c +17 "$TMPDIR/answer" | jq -r .error)" \
        'this peer speaks version 2 of the protocol, the bridge version 9' "$words names versions that do not fit"
done
peer="/usr/bin/python3 $PWD/device/test/bridge_peer.py"
fails 6 'the peer speaks version 1 of the protocol, the bridge version 2' run -d "bridge:$peer hello other-version" \
    gather.examples
fails 6 'the peer ended with exit status 0; version 2 of the protocol has requests in ASSAY_BRIDGE_IN' \
    run -d 'bridge:cat' gather.examples

# Tensors lie in memory that bridge and peer share, if the peer can map it. A strided output keeps what lies between
# its elements; a large tensor makes the memory grow.
cat >"$TMPDIR/shared.py" <<'END_OF_PYTHON'
import mmap
import os
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import assay_peer
import numpy as np


def run(item):
    if not all(isinstance(tensor.data.obj, mmap.mmap) for tensor in item.tensors):
        raise RuntimeError("a tensor was copied")
    try:  # a bridge that reads the memory would die
        os.ftruncate(int(os.environ["ASSAY_BRIDGE_MEMORY"]), 0)
        os._exit(1)
    except PermissionError:
        pass
    x, index, y = item.inputs[0].array(), item.inputs[1].indices(), item.outputs[0].array()
    y[...] = np.take_along_axis(x, np.where(index < 0, index + x.shape[item.attributes["Axis"]], index),
                                item.attributes["Axis"])


assay_peer.serve({"name": "shared", "data_types": list(assay_peer.DTYPES), "strides": sys.argv[2] == "strides",
                  "operators": {"GATHER_ELEMENTS": {}}}, run)
END_OF_PYTHON
few_operators
for strides in strides packed; do
    "$ASSAY" run -d "bridge:/usr/bin/python3 $TMPDIR/shared.py $kit $strides" --db "$TMPDIR/shared.db" -j 1 \
        gather_elements.strides gather_elements.types gather_elements.extents gather_elements.memory >"$TMPDIR/out" 2>&1
    is $? 0 "$strides: tensors in shared memory" || grep -m 5 -E 'message|verdict' "$TMPDIR/out" | sed 's/^/# /'
done
is "$(sqlite3 "$TMPDIR/shared.db" "select sum(compared) > 40 from results")" 1 '  whose outputs were compared'
tap_done
