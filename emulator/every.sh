#!/usr/bin/env bash
# Runs every algorithm in every way, and compares each answer with the serial one:
# emulator/run.sh emulator/every.sh PROGRAM, with PROGRAM the command gts.
#
# The ways are all techniques, pushing and pulling, all loops over steps, streaming, several devices by both strategies,
# and the CPU beside a GPU. Requires three devices and python3. Runs side by side on the cores.
set -uo pipefail
gts=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Algorithms with the arguments that they need, then variants with kernels of their own.
"$gts" list --json | python3 -c '
import json, sys
needed = {
    "st-connectivity": "--target 9",
    "induced-subgraph": "--vertices 1,2,3,4,5,6,7,8,9",
    "cross-edges": "--from 1,2,3,4,5,6 --to 7,8,9,10,11,12",
}
for algorithm in json.load(sys.stdin):
    print(algorithm["name"], needed.get(algorithm["name"], ""))
' >"$work/algorithms" || exit 1
printf '%s\n' "bfs --parents" "bfs --level-type u16" "cdlp --symmetrise" >>"$work/algorithms"

techniques=(vertex edge2 edge4 edge8 edge16 edge32 edge64 balanced hybrid)
{
    for technique in "${techniques[@]}"; do
        printf '%s\n' "--steps host --technique $technique --propagation push" \
            "--steps host --technique $technique --propagation pull"
    done
    printf '%s\n' "--technique edge2 --propagation pull-at-edge" "--technique edge64 --propagation pull-at-edge" \
        "--technique edge-list" "--technique edge-list-pairs"
    for steps in device device:2; do
        printf '%s\n' "--steps $steps --propagation push"
    done
    for transfer in copy in-place; do
        printf '%s\n' "--device-memory 290KiB --transfer $transfer"
    done
    for devices in 2 3; do
        printf '%s\n' "--devices $devices --strategy p" "--devices $devices --strategy s"
    done
} | sed 's/^/--device cuda /' >"$work/ways"
printf '%s\n' "--device cpu+cuda --alpha 0.3" >>"$work/ways"

# Strategy-S cannot run every kernel, and some algorithms need more memory than others.
export REFUSALS='needs the attributes of all vertices on one device|needs a device that holds it whole|too little memory'

# Runs one algorithm in one way, and prints the outcome in one word, then what was run.
cell() {
    local out code
    # shellcheck disable=SC2086 # The arguments are words.
    out=$(timeout 300 "$gts" run $1 rmat:9,weights=u32 --in-edges --page-size 1KiB --check $2 2>&1)
    code=$?
    if [ "$code" -eq 0 ]; then
        echo "right $1 $2"
    elif [[ $code == @(1|71) ]] && grep -qE "$REFUSALS" <<<"$out"; then
        echo "refused $1 $2: $(grep -oE "$REFUSALS" <<<"$out")"
    else
        echo "wrong ($code) $1 $2: $(tail -n 3 <<<"$out" | tr '\n' ' ')"
    fi
}
export -f cell
export gts
while read -r algorithm; do
    while read -r way; do
        printf '%s\0%s\0' "$algorithm" "$way"
    done <"$work/ways"
done <"$work/algorithms" | xargs -0 -n 2 -P "$(nproc)" bash -c 'cell "$@"' _ >"$work/cells"
grep '^wrong' "$work/cells"
grep '^refused' "$work/cells" | sed 's/.*: //' | sort | uniq -c | sort -rn
printf 'cells: %d right, %d refused, %d wrong\n' \
    "$(grep -c '^right' "$work/cells")" "$(grep -c '^refused' "$work/cells")" "$(grep -c '^wrong' "$work/cells")"
! grep -q '^wrong' "$work/cells"
