#!/usr/bin/env bash
# Runs the GPU checks on emulated GPUs: `emulator/all.sh` runs all of them, `emulator/all.sh ci` those of .ci/run.
#
# Requires everything that run.sh requires, and the test graphs (in GTS_TEST_DATA, or next to the workspace). Uses the
# tests' builds, or optimised ones if PROFILE=release. Prints one line per suite and writes the suites' output to
# emulator/target/logs. Exits with 1 if a suite fails.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/.."

case ${1:-whole} in
ci | whole) scope=${1:-whole} ;;
*)
    echo "gts emulator: unknown scope '$1'; use emulator/all.sh [ci]" >&2
    exit 2
    ;;
esac
profile=()
[ "${PROFILE:-}" != release ] || profile=(--release)

# Build the whole workspace, as its tests do. Building only a part would select other features and cause a rebuild.
folder=${CARGO_TARGET_DIR:-target}/$([ "${PROFILE:-}" = release ] && echo release || echo debug)
executables=$(cargo test --quiet --locked "${profile[@]}" --workspace --features gts-graph-cli/arrow --no-run --message-format=json |
    grep -o '"executable":"[^"]*"' | cut -d '"' -f 4) || exit 1
check=$folder/gts-gpu-check
gts=$folder/gts
language=$(grep '/deps/language-' <<<"$executables")
conformance=$(grep '/deps/conformance-' <<<"$executables")

# Maximum number of arcs of the graphs in some suites.
ARCS=600
SMALLEST=20
# Tests that take more than two seconds, which most of them spend in the compiler. They run only without `ci`.
long=()
for name in edge_list::lists_give_the_answers_of_pages gather::every_operator_reduces_the_neighbours_of_every_vertex \
    intersect::directed_lists_meet_as_sets_do missing::an_active_vertex_without_a_value_is_a_fault \
    missing::nothing_is_concluded_from_a_value_that_is_missing missing::only_an_edge_that_uses_the_value_raises_the_fault \
    neighbours::a_part_of_each_list_is_scanned order::order::special_graphs \
    order::streamed_kernels_agree overflow::a_guard_that_overflows_faults_only_where_it_is_evaluated \
    overflow::a_missing_value_is_loud_however_it_began priority::shortest_paths_are_those_of_any_order \
    pull::a_symmetric_graph_needs_no_in_edges pull::long_arrays_are_pulled_as_they_are_pushed \
    pull::many_vertices_are_looked_ahead_for pull::pulling_equals_pushing \
    pull_traversals::a_symmetric_graph_needs_no_in_edges pull_traversals::pulling_equals_pushing; do
    long+=(--skip "$name")
done
for name in betweenness betweenness_of_one bfs bfs_of_16_bits bfs_tree cdlp closeness closeness_back colouring \
    eccentricity eccentricity_of_one eccentricity_of_some hits hits_by_weights k_core lcc pagerank pagerank_by_weights \
    personalised_pagerank radius random_walk_with_restart random_walks salsa scc spanning_forest sssp sssp_near_far wcc \
    who_to_follow; do
    long+=(--skip "$name::special_graphs")
done
# `hits` and `pagerank_by_weights` run on random graphs, so `ci` leaves this test out.
long+=(--skip hits_by_weights::random_graphs)

logs=$here/target/logs
rm -rf "$logs"
mkdir -p "$logs"
touch "$logs/codes"
# Suites that begin together must not build the emulator together.
"$here/run.sh" true || exit

# The suites of `ci` run side by side, each on one core: most launches are too small for two.
lanes=1
if [ "$scope" = ci ]; then
    lanes=$(nproc)
    export GTS_EMU_THREADS=${GTS_EMU_THREADS:-1}
fi

# Runs a suite on emulated GPUs, as soon as a lane is free. Arguments: the suite's name and the command.
suite() {
    while [ "$(jobs -rp | wc -l)" -ge "$lanes" ]; do
        wait -n
    done
    run_suite "$@" &
}

run_suite() {
    local name=$1 started=$SECONDS code
    shift
    GTS_EMU_STATS=$logs/statistics timeout "${LIMIT:-3600}" "$here/run.sh" "$@" >"$logs/$name" 2>&1
    code=$?
    echo "$code $name" >>"$logs/codes"
    printf '%-28s %-12s %4d s  %s\n' "$name" "$([ "$code" -eq 0 ] && echo passed || echo "failed ($code)")" \
        "$((SECONDS - started))" "$(grep -E '^(cells|pages streamed|parts took|test result)' "$logs/$name" | tail -n 1)"
    [ "$code" -eq 0 ] || tail -n 20 "$logs/$name"
}

if [ "$scope" = ci ]; then
    # The longest suites start first, so that all lanes finish at about the same time.
    GTS_TEST_DEVICE=cuda GTS_TEST_RANDOM_GRAPHS=2 suite language "$language" "${long[@]}"
    GTS_TEST_DEVICE=cuda GTS_TEST_RANDOM_GRAPHS=2 suite conformance "$conformance" special_graphs random_graphs "${long[@]}"
fi
suite small "$check" cuda small
suite stream "$check" cuda stream 300
suite steps "$check" cuda steps small
if [ "$scope" = ci ]; then
    suite sessions "$check" cuda sessions small
    GTS_EMU_DEVICES=2 suite several "$check" cuda several 2 "$ARCS"
    suite together "$check" cpu+cuda algorithms "$SMALLEST"
    suite planted "$here/planted.sh" "$gts"
    CALLS=50 suite failing "$here/failing.sh" "$check"
else
    suite sessions "$check" cuda sessions
    GTS_EMU_DEVICES=2 suite several "$check" cuda several 2
    suite plans "$check" cuda plans
    suite algorithms "$check" cuda algorithms "$ARCS"
    suite together "$check" cpu+cuda algorithms "$ARCS"
    GTS_EMU_DEVICES=3 suite devices "$check" cuda-devices:2,3 algorithms "$ARCS"
    suite measure "$gts" devices --measure
    GTS_TEST_DEVICE=cuda suite language "$language"
    # Its tests run side by side, each with devices of its own: the smallest card has too little memory for that.
    GTS_EMU_MEMORY=$((8 << 30)) GTS_TEST_DEVICE=cuda suite conformance "$conformance"
    GTS_EMU_DEVICES=3 suite every "$here/every.sh" "$gts"
    suite planted "$here/planted.sh" "$gts"
    suite failing "$here/failing.sh" "$check"
fi
wait

# Entry points, each with the program that contains it. The runtime's own entry points have no program name.
source=gts-cuda/src/cuda_src
{
    "$check" entries | grep ' of '
    perl -0ne 'while (/__global__\s+void\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)\(/g) { my $name = $1; print "$name\n" if $name =~ /^gts_/ }' "$source"/*.cuh
} | sort -u >"$logs/entries"
sed -n -e 's/^entry \(gts_[^ ]*\) of .*/\1/p' -e 's/^entry \([^ ]* of Kernel .*\) [0-9]* launches, .*/\1/p' "$logs/statistics" |
    sort -u >"$logs/ran"
printf '\nkernels that ran: %d; entry points that ran: %d of %d\n' "$(grep -o 'Kernel .*' "$logs/ran" | sort -u | wc -l)" \
    "$(comm -12 "$logs/entries" "$logs/ran" | wc -l)" "$(wc -l <"$logs/entries")"
if [ "$scope" = whole ]; then
    comm -23 "$logs/entries" "$logs/ran" | sed -E -e 's/^/no suite ran /' \
        -e '/__(active|all) /s/$/ (the algorithm applies it to the other set of vertices)/' \
        -e '/__(steps|claim|claiming_steps) /s/$/ (the algorithm advances step by step)/' \
        -e '/ (hook|follow)__edge_list/s/$/ (the kernel reads positions, and edge lists have none)/' \
        -e '/ lose_(in|out)_edges__pull/s/$/ (too few vertices are active for a pass that pulls)/'
fi
failed=$(grep -vc '^0 ' "$logs/codes")
printf '%d suites, %d failed\n' "$(wc -l <"$logs/codes")" "$failed"
[ "$failed" -eq 0 ]
