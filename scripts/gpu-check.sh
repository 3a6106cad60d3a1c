#!/usr/bin/env bash
# Builds a release and packs into .gpu/ what a machine with a GPU requires: stripped binaries, test data, and
# gpu-run.sh, which runs checks and measurements there. That machine requires a driver and NVRTC, but neither Rust nor a
# network.
set -euo pipefail
cd "$(dirname "$0")/.."

data=${GTS_TEST_DATA:-../shared/data}
if [ ! -f "$data/manifest.json" ]; then
    echo "no test graphs in $data: set GTS_TEST_DATA to their folder" >&2
    exit 1
fi

cargo build --locked --release --package gts-tests --bin gts-gpu-check
cargo build --locked --release --package gts-bench --bin gts-bench
cargo build --locked --release --package gts-graph-cli --bin gts
# Prints the path of a test binary. Arguments: package, test.
tests_of() {
    cargo test --locked --release --package "$1" --test "$2" --no-run --message-format=json |
        grep -o "\"executable\":\"[^\"]*/$2-[^\"]*\"" | cut -d'"' -f4
}
language=$(tests_of gts-graph-runtime language)
conformance=$(tests_of gts-tests conformance)

rm -rf .gpu
mkdir -p .gpu/data
for binary in gts-gpu-check gts-bench gts; do
    strip -o ".gpu/$binary" "${CARGO_TARGET_DIR:-target}/release/$binary"
done
strip -o .gpu/language "$language"
strip -o .gpu/conformance "$conformance"
cp -r "$data/manifest.json" "$data/graphs" "$data/ref" "$data/published" .gpu/data/
cp scripts/gpu-run.sh .gpu/
git describe --always --dirty >.gpu/commit

du -sh .gpu
echo "copy .gpu to a machine with a GPU and run there: bash .gpu/gpu-run.sh PART ...; the script's head lists the parts"
