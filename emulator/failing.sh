#!/usr/bin/env bash
# Lets calls of the driver fail, one a run: emulator/run.sh emulator/failing.sh PROGRAM, with PROGRAM the command gts.
#
# Each run must give the right answer, or end with a typed error and exit code 1, or 70 if the device failed for good; nothing
# may panic or hang. FIRST and LAST choose which of the calls that may lack memory fail
# (1 to 200 if not given); KINDS chooses the runs: streamed, several (both if not given).
set -uo pipefail
gts=$1
first=${FIRST:-1} last=${LAST:-200}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
right=0 refused=0 wrong=0

# Makes one run fail at a call: the run's name, what fails, and the command.
one() {
    local name=$1 rule=$2 code
    shift 2
    GTS_EMU_FAIL=$rule timeout 60 "$@" >"$work/out" 2>"$work/err"
    code=$?
    if grep -q 'panicked' "$work/err"; then
        code=101
    fi
    case $code in
    0) right=$((right + 1)) ;;
    1 | 70)
        if grep -q '^error' "$work/err"; then
            refused=$((refused + 1))
        else
            code=none
        fi
        ;;
    esac
    case $code in
    0 | 1 | 70) ;;
    *)
        wrong=$((wrong + 1))
        printf '%s with %s: exit code %s\n' "$name" "$rule" "$code"
        tail -n 5 "$work/err"
        ;;
    esac
}

streamed=("$gts" run pagerank rmat:12 --iterations 2 --device cuda --device-memory 310KiB --page-size 4KiB --check)
several=("$gts" run bfs rmat:10 --source 0 --device cuda --devices 2 --check)
for kind in ${KINDS:-streamed several}; do
    export GTS_EMU_DEVICES=1
    [ "$kind" = streamed ] || export GTS_EMU_DEVICES=2
    declare -n command=$kind
    for number in $(seq "$first" "$last"); do
        one "$kind" "any:2:$number" "${command[@]}"
    done
    if [ -z "${LAST:-}" ]; then
        # Each call that the run makes, by its name.
        GTS_EMU_STATS=$work/calls "${command[@]}" >"$work/out" 2>&1
        for call in $(sed -n 's/^call \([^ ]*\) .*/\1/p' "$work/calls"); do
            for number in 1 2 3; do
                for error in 2 700; do
                    one "$kind" "$call:$error:$number" "${command[@]}"
                done
            done
        done
    fi
done
printf 'cells: %d runs, %d right answers, %d typed errors, %d wrong\n' "$((right + refused + wrong))" "$right" "$refused" "$wrong"
[ "$wrong" -eq 0 ]
