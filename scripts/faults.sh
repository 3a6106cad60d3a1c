#!/usr/bin/env bash
# Tests the real command against external faults: killed processes, failing system calls, too little memory, ranks that
# are killed or stopped, intruders that connect to ranks, and stores that are replaced while they are opened.
#
#   scripts/faults.sh [kill|inject|memory|ranks|intruder|replace|all] [--seconds N]
#
# Without --seconds every case runs, which takes long. With it, a sample runs that takes about N seconds in total.
# GTS names the command. The default is target/release/gts, or else target/debug/gts.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
    sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

part=all
seconds=
while [ $# -gt 0 ]; do
    case $1 in
    kill | inject | memory | ranks | intruder | replace | all) part=$1 ;;
    --seconds)
        [[ ${2-} =~ ^[1-9][0-9]*$ ]] || usage
        seconds=$2
        shift
        ;;
    *) usage ;;
    esac
    shift
done

target=${CARGO_TARGET_DIR:-target}
for built in "$target/release/gts" "$target/debug/gts"; do
    if [ -z "${GTS-}" ] && [ -x "$built" ]; then
        GTS=$built
    fi
done
if [ ! -x "${GTS-}" ]; then
    echo "faults: there is no command to try; build it with \`cargo build --package gts-graph-cli\`, or name it by GTS" >&2
    exit 1
fi
GTS=$(realpath "$GTS")
export GTS

parts=$part
[ "$part" = all ] && parts="kill inject memory ranks intruder replace"
scripts=()
for part in $parts; do
    for script in scripts/faults/"$part".*; do
        [ -f "$script" ] && scripts+=("$script")
    done
done

failed=0
for script in "${scripts[@]}"; do
    case $script in
    *.py) command=(python3 "$script") ;;
    *) command=(bash "$script") ;;
    esac
    [ -n "$seconds" ] && command+=(--seconds $(((seconds + ${#scripts[@]} - 1) / ${#scripts[@]})))
    "${command[@]}" || failed=1
done
exit "$failed"
