#!/usr/bin/env bash
# Runs a command on emulated GPUs: emulator/run.sh COMMAND [ARGUMENT...]
#
# Requires cargo and NVRTC 13 or later. NVRTC is loaded from the folder GTS_NVRTC_DIR or, by default, from the one that
# `bash .ci/run` installs. emulator/README.md describes the variables GTS_EMU_*.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

refuse() {
    printf 'gts emulator: %s\n' "$*" >&2
    exit 2
}

[ $# -gt 0 ] || refuse "no command; use emulator/run.sh COMMAND [ARGUMENT...]"

nvrtc=${GTS_NVRTC_DIR:-}
if [ -z "$nvrtc" ]; then
    for folder in "$here"/../target/ci-tools/lib/python3*/site-packages/nvidia/cu13/lib; do
        [ ! -d "$folder" ] || nvrtc=$folder
    done
fi
[ -n "$nvrtc" ] || refuse "no NVRTC; pip install nvidia-cuda-nvrtc, and set GTS_NVRTC_DIR to the folder of libnvrtc.so.13"
nvrtc=$(cd "$nvrtc" 2>/dev/null && pwd) || refuse "GTS_NVRTC_DIR=$GTS_NVRTC_DIR is no folder"

# Prints the newest file in NVRTC's folder whose name has this prefix.
newest() {
    find "$nvrtc" -maxdepth 1 -name "$1*" 2>/dev/null | sort -V | tail -n 1
}
compiler=$(newest libnvrtc.so.)
builtins=$(newest libnvrtc-builtins.so.)
[ -n "$compiler" ] || refuse "no libnvrtc.so.* in $nvrtc"
[ -n "$builtins" ] || refuse "no libnvrtc-builtins.so.* in $nvrtc, which $compiler needs"

target=$here/target
# Compile for this CPU: register columns use its widest vector instructions.
(unset CARGO_TARGET_DIR && cd "$here" && RUSTFLAGS="${RUSTFLAGS:-} -C target-cpu=native" cargo build --quiet --release --locked)

# Link the driver only as libcuda.so. NVRTC opens libcuda.so.1 and must not find the emulated driver.
libraries=$target/libraries
mkdir -p "$libraries"
link() {
    [ "$(readlink "$2" || true)" = "$1" ] || ln -sfn "$1" "$2"
}
link "$target/release/libcuda.so" "$libraries/libcuda.so"
link "$target/release/libnvrtc.so" "$libraries/libnvrtc.so"
link "$target/release/libnvrtc.so" "$libraries/libnvrtc.so.13"
# A real NCCL would load the real driver. This library exports none of NCCL's functions, so GTS reports it as unusable
# and transfers values between ranks through host memory.
link "$target/release/libcuda.so" "$libraries/libnccl.so.2"
for old in "$libraries"/libnvrtc-builtins.so.*; do
    [ "$old" = "$libraries/${builtins##*/}" ] || rm -f "$old"
done
link "$builtins" "$libraries/${builtins##*/}"

# The emulator uses its own program cache. Patched programs use a temporary one.
cache=$target/cache
if [ -n "${GTS_EMU_PATCH:-}" ]; then
    cache=$(mktemp -d)
    trap 'rm -rf "$cache"' EXIT
else
    mkdir -p "$cache"
    chmod 700 "$cache"
fi

export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export GTS_NVRTC_DIR=$libraries GTS_EMU_NVRTC=$compiler GTS_CACHE_DIR=$cache
if [ -n "${GTS_EMU_PATCH:-}" ]; then
    "$@"
else
    exec "$@"
fi
