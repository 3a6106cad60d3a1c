#!/usr/bin/env bash
# Runs checks and measurements on a machine with a GPU, from the package that gpu-check.sh creates. Arguments are the
# parts to run:
#
#   language     every construct of the kernel language, compared value by value with plain Rust
#   conformance  every algorithm on special, random and rewritten graphs, by two techniques, against serial versions
#   product      every graph, algorithm, technique, width of record IDs and page size, against serial oracles
#   stream       every graph and algorithm with too little device memory for the graph: streams, caches, transfers
#   several      the same with both strategies on all GPUs of the machine, with attributes in parts
#   nccl         values of ranks by NCCL: a single rank, and ranks that share a GPU
#   algorithms   every algorithm on every graph, resident and streamed, against references, serial versions and
#                Graphalytics' published outputs (CELLS: text that `ALGORITHM on GRAPH` must contain; CELLS_SECONDS:
#                time after which no cell begins)
#   sessions     values by every path to the host, consecutive and concurrent runs, warm runs without allocation
#   steps        steps that the device begins, against steps that the host begins; limits that end them; the times of
#                both on a grid and on RMAT of SCALE
#   sanitize     compute-sanitizer's memcheck and initcheck on all variants and streams with small graphs, and all of
#                its tools on steps that the device begins
#   repeat       1,000 runs with every technique, which must return identical bits
#   scan         PageRank's scan on RMAT of SCALE (24 by default): each technique, order and page size
#   traverse     BFS and SSSP on RMAT
#   pull         PageRank's pass and BFS by push and by pull, each technique and order
#   streaming    PageRank's scan from host memory, in each order, compared with plain copies; all on RMAT of SCALE
#   transfer     BFS and SSSP from host memory, with each transfer method, compared with a zero-copy BFS
#   caches       PageRank and BFS with caches of a quarter of the pages to all pages
#   sharing      PageRank on one GPU and on all: whole graphs in the caches, and streamed, compared with plain copies
#   beyond       a graph larger than the memory of the device and the host, from disk: built within a budget, then
#                PageRank, BFS, SSSP and WCC compared with runs in memory (BEYOND: the scale of the graph, 27 by
#                default; KINDS: some of "weights=u32 in-edges plain"; BUILD_MEMORY, DEVICE_MEMORY, HOST_MEMORY: the
#                budgets, 4, 4 and 6 GiB by default; STORES: the folder of the stores)
#   plan         predicted and measured figures of runs, from RMAT 22 to SCALE
#   times        the time of every algorithm on RMAT 22 and SCALE
#   compile      the time to compile each program, and to load it from the cache
#
# Prints a summary and appends it to results.md in $OUT, or to bench/results/DATE-COMMIT-MACHINE.md.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export GTS_TEST_DATA=$here/data
scale=${SCALE:-24}
commit=$(cat "$here/commit" 2>/dev/null || echo unknown)
gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -1)

if [ -n "${OUT:-}" ]; then
    results=$OUT/results.md
else
    mkdir -p "$here/../bench/results"
    machine=$(printf '%s' "${gpu%%,*}" | tr -c '[:alnum:]\n' '-')
    results=$here/../bench/results/$(date +%F)-$commit-${machine:-unknown}.md
fi
[ -s "$results" ] || printf '# %s, commit %s, %s\n' "$(date +%F)" "$commit" "${gpu:-no GPU found}" >"$results"

failed=0

# Runs a command, prints the last lines of its output, and appends them to the results.
part() {
    local name=$1 log code started=$SECONDS
    shift
    log=$(mktemp)
    "$@" >"$log" 2>&1
    code=$?
    [ "$code" -eq 0 ] || failed=1
    {
        printf '\n## %s (%s, %d s)\n\n```text\n' "$name" "$([ "$code" -eq 0 ] && echo passed || echo "FAILED with $code")" \
            "$((SECONDS - started))"
        tail -n "${LINES_SHOWN:-60}" "$log"
        printf '```\n'
    } | tee -a "$results"
    rm -f "$log"
}

# Starts a part under a tool of compute-sanitizer. Arguments: the tool, the end of the part's name, the suite to check.
sanitized() {
    local tool=$1 name=$2
    shift 2
    (
        part "compute-sanitizer $tool$name" compute-sanitizer --tool "$tool" --error-exitcode 9 --print-limit 20 \
            "$here/gts-gpu-check" cuda "$@"
        exit "$failed"
    ) &
    sanitizers+=("$!")
}

for wanted in "$@"; do
    case $wanted in
    language) part language env GTS_TEST_DEVICE=cuda "$here/language" --test-threads=1 ;;
    conformance) part conformance env GTS_TEST_DEVICE=cuda "$here/conformance" ;;
    product) part product "$here/gts-gpu-check" cuda product ;;
    sessions) part sessions "$here/gts-gpu-check" cuda sessions ;;
    steps)
        part steps "$here/gts-gpu-check" cuda steps
        part "searches on a grid" "$here/gts-gpu-check" cuda search grid:4096x4096 original 24
        part "searches, RMAT $scale" "$here/gts-gpu-check" cuda search "rmat:$scale" degree 24
        ;;
    stream) part stream "$here/gts-gpu-check" cuda stream ;;
    algorithms) LINES_SHOWN=400 part algorithms "$here/gts-gpu-check" cuda algorithms all "${CELLS:-}" ${CELLS_SECONDS:-} ;;
    sanitize)
        if ! command -v compute-sanitizer >/dev/null; then
            part sanitize sh -c 'echo "no compute-sanitizer on this machine"; exit 1'
            continue
        fi
        # Run concurrently: each tool keeps one core of the host busy, and the GPU is nearly idle.
        sanitizers=()
        for tool in memcheck initcheck; do
            sanitized $tool "" small
            sanitized $tool ", streamed" stream 300
        done
        for tool in memcheck racecheck synccheck initcheck; do
            sanitized $tool ", steps" steps small
        done
        for sanitizer in "${sanitizers[@]}"; do
            wait "$sanitizer" || failed=1
        done
        ;;
    nccl) part nccl "$here/gts-gpu-check" cuda nccl ;;
    several) part several "$here/gts-gpu-check" cuda several "$(nvidia-smi --list-gpus | wc -l)" ;;
    sharing) part "sharing, RMAT $scale" "$here/gts-bench" several "$scale" "$(nvidia-smi --list-gpus | wc -l)" ;;
    repeat) part repeat "$here/gts-gpu-check" cuda repeat "${REPEATS:-1000}" ;;
    scan) part "scan, RMAT $scale" "$here/gts-bench" gpu scan "$scale" ;;
    traverse) part "traverse, RMAT $scale" "$here/gts-bench" gpu traverse "$scale" ;;
    pull) part "pull, RMAT $scale" "$here/gts-bench" gpu pull "$scale" ;;
    streaming) part "streaming, RMAT $scale" "$here/gts-bench" streaming scan "$scale" ;;
    transfer) part "transfer, RMAT $scale" "$here/gts-bench" streaming traverse "$scale" ;;
    caches) part "caches, RMAT $scale" "$here/gts-bench" streaming cache "$scale" ;;
    beyond)
        stores=${STORES:-$(mktemp -d)}
        large=${BEYOND:-27}
        budgets="--device-memory ${DEVICE_MEMORY:-4GiB} --host-memory ${HOST_MEMORY:-6GiB}"
        memory=${BUILD_MEMORY:-4GiB}
        for kind in ${KINDS:-weights=u32 in-edges}; do
            # SSSP requires weights, WCC in-edges. A store with both would be twice as large.
            case $kind in
            in-edges) generator=rmat:$large options=--in-edges only="--only wcc" ;;
            plain) generator=rmat:$large options= only= ;;
            *) generator=rmat:$large,$kind options= only= ;;
            esac
            store=$stores/$large.gts
            part "building RMAT $large, $kind, in $memory" \
                "$here/gts" generate "$generator" "$store" --memory "$memory" $options
            part "beyond, RMAT $large, $kind" "$here/gts-bench" beyond "$store" $budgets $only
            rm -rf "$store"
        done
        ;;
    plan)
        # Plans are based on measurements of this machine.
        part "measuring the machine" "$here/gts" devices --measure
        part "plan, RMAT 22 to $scale" "$here/gts-bench" plan cuda $(seq 22 "$scale")
        ;;
    times) LINES_SHOWN=200 part "times, RMAT 22 and $scale" "$here/gts-bench" algorithms cuda 22 "$scale" ;;
    compile) part compile "$here/gts-bench" gpu compile ;;
    *)
        echo "unknown part $wanted: the head of this script lists them" >&2
        failed=1
        ;;
    esac
done
exit "$failed"
