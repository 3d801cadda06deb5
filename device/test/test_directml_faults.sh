#!/bin/bash
# Faults are planted in copies of the device directml, one at a time: the stand-ins for Microsoft's libraries, or
# test_directml, notice each. The file standin/faults lists them; ALL_FAULTS=1 tries all, not the first three.
. tools/tap.sh
build=$(dirname "$ASSAY")
if [ ! -e "$ASSAY_DEVICES/directml.so" ]; then
    echo "1..0 # SKIP the device directml is not here: Debian's directx-headers-dev was missing when assay was built"
    exit 0
fi
headers=/usr/include
[ -e $headers/directx/d3d12.h ] || headers=/usr/local/include

# plant FILE EDIT: builds the device with an edited file, as $TMPDIR/device.so.
plant() {
    local file=$1 edit=$2 objects=("$build"/device/directml/*.o)
    mkdir -p "$TMPDIR/device/directml"
    sed "$edit" "device/directml/$file" >"$TMPDIR/device/directml/$file" || return
    ! cmp -s "device/directml/$file" "$TMPDIR/device/directml/$file" || { echo "# nothing changes: $edit"; return 1; }
    ${CC:-cc} -std=c11 -D_GNU_SOURCE -fPIC -fvisibility=hidden -I. -isystem $headers/wsl/stubs \
        -isystem $headers/directx -c "$TMPDIR/device/directml/$file" -o "$TMPDIR/fault.o" &&
        ${CC:-cc} -shared -o "$TMPDIR/device.so" "$TMPDIR/fault.o" \
            "${objects[@]/#"$build/device/directml/${file%.c}.o"/"$TMPDIR/fault.o"}" \
            "$build/device/common/common.a" -Wl,--allow-multiple-definition -ldl -lm
}

count=0
while read -r line; do
    file=${line%% | *} says=${line##* | } edit=${line#* | }
    edit=${edit% | *}
    count=$((count + 1))
    [ "${ALL_FAULTS:-}" ] || [ $count -le 3 ] || break
    rm -f "$TMPDIR/device.so"
    plant "$file" "$edit" || { ok 1 "the fault can be planted: $file: $edit"; continue; }
    timeout 60 "$build/test/test_directml" "$TMPDIR/device.so" >"$TMPDIR/out" 2>&1
    text=$(grep -E -- "^not ok|^stand-in" "$TMPDIR/out")
    like "$text" "$says" "$file: $edit"
done < <(grep -v '^#' device/test/standin/faults)
tap_done
