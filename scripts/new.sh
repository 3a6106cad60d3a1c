#!/usr/bin/env bash
# Makes a crate from each template of `gts new`, outside the repository, and builds, tests and runs it unedited.
# GTS names the command. To save time, the crates use the target folder and the lock file of the tests, and are built
# without optimisation.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}
lock=$PWD/Cargo.lock
gts=$(realpath "${GTS:-$target/debug/gts}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export CARGO_TARGET_DIR=$target CARGO_PROFILE_DEV_OPT_LEVEL=0 CARGO_INCREMENTAL=0
templates=(traverse scan gather)
# All crates are made at once, because another build may replace the command later.
for template in "${templates[@]}"; do
    "$gts" new "own-$template" --template "$template" >/dev/null
    cp "$lock" "own-$template"
done
for template in "${templates[@]}"; do
    (
        cd "own-$template"
        cargo test --quiet
        cargo run --quiet -- run "own-$template" rmat:10 --check
    ) >"$template.log" 2>&1 || {
        cat "$template.log" >&2
        exit 1
    }
    # The three tests of `gts_conformance!`, and the check of the run.
    [[ $(grep -c '^test result: ok. 3 passed' "$template.log") == 1 ]] && grep -q '^check .* serial run' "$template.log" || {
        cat "$template.log" >&2
        echo "new: the crate of $template did not run its tests" >&2
        exit 1
    }
done
echo "the crates of 3 templates pass"
