"""Every algorithm against the command line.

GTS_GRAPHS lists graphs of the test data to use instead of the default ones, separated by commas.
"""

import gzip
import inspect
import os

import gts_graph as gts
import numpy as np
import pyarrow.parquet as pq
import pytest
from conftest import DATA, EXAMPLES
from gts_graph._core import ALGORITHMS, command, python_name

GRAPHS = os.environ.get("GTS_GRAPHS", "names.tsv,karate.mtx,foodweb-baydry.konect,rome99.gr").split(",")


def arguments(algorithm, keys, folder):
    """Returns values of the parameters that a run must have, or that make it short."""
    names = {parameter["name"] for parameter in algorithm["parameters"]}
    pattern = folder / "pattern"
    pattern.write_text("0 1\n1 2\n0 2\n")
    given = {
        "source": keys[1], "target": keys[2], "from": keys[:3], "to": keys[3:9], "vertices": keys[:40], "pattern": str(pattern),
    }
    given = {name: value for name, value in given.items() if name in names}
    if "samples" in names:
        del given["source"]
        given["samples"] = 4
    return given | {"count": True} if "pattern" in names else given


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda algorithm: algorithm["name"])
def test_python_and_the_command_give_one_answer(algorithm, graph, tmp_path, opened, names):
    path = names if graph == "names.tsv" else DATA / "graphs" / graph
    if not path.exists():
        pytest.skip(f"{path} is missing")
    read, keys = opened(path)
    given = arguments(algorithm, keys, tmp_path)
    options = {} if read.info["weights"] or not algorithm["weights"] else {"weights": "1"}
    source = gts.Graph.read(path, **options) if options else read
    answer = gts.run(algorithm["name"], source, seed=7, threads=1, **{python_name(name): value for name, value in given.items()})
    flags = [f"--{flag}={value}" for flag, value in options.items()]
    for name, value in given.items():
        values = value if isinstance(value, list) else [value]
        flags += [f"--{name}"] if value is True else [f"--{name}={each}" for each in values]
    output = tmp_path / "answer.parquet"
    command("run", algorithm["name"], path, *flags, "--seed=7", "--threads=1", "--no-cache", "--output", output)
    expected = pq.read_table(output)
    found = answer.to_numpy()
    assert list(found) == expected.column_names
    for name, column in found.items():
        wanted = expected[name].to_pylist()
        got = [None if value is np.ma.masked else value for value in (column if isinstance(column, np.ma.MaskedArray) else column.tolist())]
        assert got == wanted, name


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """The dependencies among the Python packages of Debian."""
    lines = gzip.open(EXAMPLES / "debian-12-dependencies.tsv.gz", "rt").readlines()
    path = tmp_path_factory.mktemp("graphs") / "names.tsv"
    path.write_text("".join(line for line in lines if line.count("python3-") == 2 or line.startswith("source\t")))
    return path


@pytest.fixture(scope="module")
def opened():
    known = {}

    def open(path):
        if path not in known:
            graph = gts.Graph.read(path)
            # These calls read a symmetrised form, which the other algorithms must not use.
            gts.triangles(graph)
            if graph.info["weights"]:
                gts.spanning_forest(graph)
            known[path] = graph, gts.degree_distribution(graph)["vertex"].tolist()
        return known[path]

    return open


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda algorithm: algorithm["name"])
def test_each_algorithm_is_a_function_with_a_signature(algorithm):
    for name in [algorithm["name"], *algorithm["aliases"]]:
        function = getattr(gts, python_name(name))
        parameters = inspect.signature(function).parameters
        assert list(parameters)[0] == "graph"
        for parameter in algorithm["parameters"]:
            assert parameters[python_name(parameter["name"])].default == (inspect.Parameter.empty if parameter["required"] else parameter["default"])
        assert algorithm["summary"] in function.__doc__
        assert "--" not in function.__doc__ and "`output" not in function.__doc__


def test_the_types_are_those_of_the_algorithms():
    from pathlib import Path

    from gts_graph._stub import stub

    assert (Path(gts.__file__).parent / "__init__.pyi").read_text() == stub(), "run `python -m gts_graph._stub > __init__.pyi`"


def test_plans_devices_and_explanations(packages):
    assert gts.plan("pagerank", packages)["seconds"]["run"] > 0
    assert gts.plan("bfs", "rmat:20", source=3)
    assert gts.devices()["devices"][0]["device"] == "cpu"
    assert gts.explain("GTS1013")["title"]
