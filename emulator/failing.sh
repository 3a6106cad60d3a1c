#!/usr/bin/env bash
# Makes calls of the driver fail, one per run: emulator/run.sh emulator/failing.sh PROGRAM, with PROGRAM gts-gpu-check.
#
# Each run must return the right result, or end with a typed error and exit code 1. No run may panic, hang, or leave
# memory allocated unless its device failed permanently. The first CALLS calls that may run out of memory fail, one per
# run. If CALLS is not set, the first 200 fail, and then the first three calls of each name.
set -uo pipefail
export program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export work

# Prints the arguments of a run. Argument: the run's name.
arguments() {
    case $1 in
    streamed) echo cuda once 1 400000 ;;
    several) echo cuda once 2 ;;
    esac
}

# Prints the number of devices that a run uses. Argument: the run's name.
devices() {
    [ "$1" = several ] && echo 2 || echo 1
}

# Makes a run fail by a rule and prints the outcome: right, refused, or wrong with the reason. Arguments: the run's name
# and the rule.
one() {
    local name=$1 rule=$2 code out why=
    out=$(mktemp -d "$work/run.XXXXXX")
    GTS_EMU_DEVICES=$(devices "$name") GTS_EMU_FAIL=$rule GTS_EMU_STATS=$out/statistics \
        timeout 60 "$program" $(arguments "$name") >"$out/out" 2>"$out/err"
    code=$?
    case $code in
    0) ;;
    1) grep -q '^error' "$out/err" || why="no typed error" ;;
    *) why="exit code $code" ;;
    esac
    ! grep -q panicked "$out/err" || why="a panic"
    case $rule in
    # Memory may stay allocated if its device failed permanently, or if the call that frees it fails.
    *:700:* | cuMem*Free* | cuMemHostUnregister:* | cuDevicePrimaryCtxRelease*) ;;
    # No statistics are written if the driver cannot be initialised.
    cuInit:* | cuDriverGetVersion:*) ;;
    *) grep -q '^left: 0 allocations' "$out/statistics" || why="memory is left: $(grep '^left' "$out/statistics")" ;;
    esac
    if [ -n "$why" ]; then
        printf 'wrong %s with %s: %s\n' "$name" "$rule" "$why"
        tail -n 5 "$out/err"
    else
        [ "$code" -eq 0 ] && echo right || echo refused
    fi
    rm -rf "$out"
}
export -f arguments devices one

# Prints the name of each run and the rule by which it fails.
runs() {
    local name call number error
    for name in streamed several; do
        for number in $(seq "${CALLS:-200}"); do
            echo "$name any:2:$number"
        done
        [ -z "${CALLS:-}" ] || continue
        GTS_EMU_DEVICES=$(devices "$name") GTS_EMU_STATS=$work/calls-$name "$program" $(arguments "$name") >"$work/out" 2>&1
        for call in $(sed -n 's/^call \([^ ]*\) .*/\1/p' "$work/calls-$name"); do
            for number in 1 2 3; do
                for error in 2 700; do
                    echo "$name $call:$error:$number"
                done
            done
        done
    done
}

runs | GTS_EMU_THREADS=1 xargs -P "$(nproc)" -L 1 bash -c 'one "$@"' one >"$work/found"
grep -vE '^(right|refused)$' "$work/found"
right=$(grep -c '^right$' "$work/found") refused=$(grep -c '^refused$' "$work/found") wrong=$(grep -c '^wrong ' "$work/found")
printf 'cells: %d runs, %d right answers, %d typed errors, %d wrong\n' "$((right + refused + wrong))" "$right" "$refused" "$wrong"
[ "$wrong" -eq 0 ] && [ "$((right + refused))" -gt 0 ]
