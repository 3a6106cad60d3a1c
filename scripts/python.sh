#!/usr/bin/env bash
# Tests the Python package in an environment. Requires cargo and the package registries.
#
#     scripts/python.sh                   builds the wheel without optimisation, and tests it
#     scripts/python.sh build             only builds the wheel
#     scripts/python.sh DISTRIBUTION      tests a wheel or a source distribution, first alone in an empty environment
#
# GTS_PYTHON names an environment with the packages of .ci/requirements.txt, into which the wheel is installed.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}
python=${GTS_PYTHON:-$target/python}
if [[ -z ${GTS_PYTHON:-} ]]; then
    python3 -m venv "$python"
    "$python/bin/python" -m pip install --quiet --disable-pip-version-check --requirement .ci/requirements.txt
fi

distribution=${1:-}
if [[ -z $distribution || $distribution == build ]]; then
    wheels=$target/wheels
    rm -rf "$wheels"
    (cd gts-python && CARGO_TARGET_DIR=$target PATH=$python/bin:$PATH maturin build --quiet --locked --out "$wheels")
    [[ $distribution != build ]] || exit 0
    distribution=$(echo "$wheels"/*.whl)
else
    distribution=$(realpath "$distribution")
    empty=$(mktemp -d)
    trap 'rm -rf "$empty"' EXIT
    python3 -m venv "$empty"
    "$empty/bin/python" -m pip install --quiet --disable-pip-version-check "$distribution" polars==2.1.0
    # Neither pyarrow nor networkx is there.
    (cd "$empty" && "$empty/bin/python" - <<'END' && "$empty/bin/gts" list >/dev/null)
import gts_graph as gts
import polars as pl

pl.DataFrame({"source": ["a", "b"], "target": ["b", "c"]}).write_parquet("edges.parquet")
assert gts.pagerank(gts.Graph.read("edges.parquet")).to_polars()["vertex"].to_list() == ["a", "b", "c"]
END
fi
"$python/bin/python" -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps "$distribution"
# Runs outside the repository, so that the installed package is tested.
tests=$PWD/gts-python/tests
cd "$target"
"$python/bin/python" -m pytest -q -p no:cacheprovider --durations 8 "$tests"
"$python/bin/python" -m mypy --no-error-summary --cache-dir "$target/mypy" --package gts_graph
