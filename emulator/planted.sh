#!/usr/bin/env bash
# Plants faults in kernels, and checks that each fault is reported with its kernel:
# emulator/run.sh emulator/planted.sh PROGRAM, with PROGRAM the command gts.
set -uo pipefail
gts=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
found=0 failed=0

# Plants the fault read from standard input. Arguments: the fault's name, and a pattern that the report must match.
plant() {
    cat >"$work/patch"
    # Programs with planted faults must not enter the shared cache.
    if GTS_EMU_PATCH=$work/patch GTS_CACHE_DIR=$(mktemp -d "$work/cache.XXXXXX") timeout 60 \
        "$gts" run bfs rmat:10 --source 0 --device cuda --check >"$work/out" 2>&1; then
        printf '%s: the run gives an answer\n' "$1"
        failed=$((failed + 1))
    elif grep -qE "$2" "$work/out"; then
        found=$((found + 1))
    else
        printf '%s: no report like `%s`\n' "$1" "$2"
        tail -n 20 "$work/out"
        failed=$((failed + 1))
    fi
}

plant "a barrier of all blocks that counts one short" \
    '\(702\): kernel expand__steps: all threads wait for memory that nothing writes' <<'PATCH'
<<<<
        } while (arrived < round * gridDim.x);
====
        } while (arrived < round * gridDim.x + 1);
>>>>
PATCH
plant "a barrier that threads of one branch miss" \
    '\(702\): kernel expand__steps: threads are at two barriers at once' <<'PATCH'
<<<<
    if (!__syncthreads_or(fresh)) {
====
    if (threadIdx.x >= GTS_WARP) {
        __syncthreads();
    }
    if (!__syncthreads_or(fresh)) {
>>>>
PATCH
plant "a shuffle with half of the mask" \
    '\(702\): kernel expand__steps: lane 16 is not in the mask 0x0000ffff that it names' <<'PATCH'
<<<<
        u64 other = __shfl_up_sync(GTS_ALL_LANES, until, distance);
====
        u64 other = __shfl_up_sync(0xffffu, until, distance);
>>>>
PATCH
plant "a buffer one element short" \
    '\(700\): kernel gts_fill: the address 0x[0-9a-f]* is in no allocation' <<'PATCH'
<<<<
    GTS_FOR_EACH(i, quads) {
        memory[i] = pattern;
====
    GTS_FOR_EACH(i, quads + 1) {
        memory[i] = pattern;
>>>>
PATCH
printf 'cells: %d planted faults found, %d not\n' "$found" "$failed"
[ "$failed" -eq 0 ]
