#!/usr/bin/env bash
# Tests the feature `bv`, which reads BV graphs of WebGraph. Its crates take too long to compile for `.ci/run`.
#
#   scripts/bv.sh
#
# The BV graph cnr-2000 of the reference graphs is compared with its list of edges. GTS_TEST_DATA names their folder. The
# default is ../shared/data.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo clippy --locked -p gts-graph-tables --features bv --all-targets -- -D warnings
cargo test --locked -p gts-graph-tables --no-default-features --features bv
cargo build --locked -p gts-graph-cli --no-default-features --features bv
gts=${CARGO_TARGET_DIR:-target}/debug/gts

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
data=${GTS_TEST_DATA:-../shared/data}
if [ ! -e "$data/graphs/cnr-2000.graph" ]; then
    echo "bv: there is no $data/graphs/cnr-2000.graph; GTS_TEST_DATA names the folder of the reference graphs" >&2
    exit 1
fi
"$gts" import "$data/graphs/cnr-2000.tsv.zst" "$place/tsv.gts" --quiet > "$place/report"
for name in cnr-2000 cnr-2000.graph cnr-2000.properties; do
    "$gts" import "$data/graphs/$name" "$place/bv.gts" --force --quiet > "$place/report"
    diff -r "$place/tsv.gts" "$place/bv.gts"
done
"$gts" run wcc "$data/graphs/cnr-2000" --device cpu --quiet --output "$place/bv.csv"
"$gts" run wcc "$data/graphs/cnr-2000.tsv.zst" --device cpu --quiet --output "$place/tsv.csv"
cmp "$place/tsv.csv" "$place/bv.csv"

# A BV graph declares its vertices, so each side has all of them.
for name in cnr-2000 cnr-2000.tsv.zst; do
    "$gts" import "$data/graphs/$name" --bipartite "$place/sides.gts" --force --quiet > "$place/report"
    "$gts" export "$place/sides.gts" "$place/$name.csv" --lossy --quiet > "$place/report"
done
cmp "$place/cnr-2000.csv" "$place/cnr-2000.tsv.zst.csv"

head -c 500000 "$data/graphs/cnr-2000.graph" > "$place/cut.graph"
cp "$data/graphs/cnr-2000.properties" "$place/cut.properties"
code=0
"$gts" import "$place/cut" "$place/cut.gts" 2> "$place/error" || code=$?
cat "$place/error"
if [ "$code" != 65 ] || ! grep -q 'it ends too early' "$place/error" || grep -q panicked "$place/error"; then
    echo "bv: a cut graph ends with code $code" >&2
    exit 1
fi
echo "bv: cnr-2000 as a BV graph equals its list of edges"
