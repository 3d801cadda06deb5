#!/bin/bash
# All cases with indices on ONNX Runtime's WebGPU provider: test_bridge_webgpu.sh runs few of them.
. tools/tap.sh
in_shard || { tap_done; exit; }
WHOLE=indices exec bash device/test/test_bridge_webgpu.sh
