"""Graphs from files, tables, arrays and matrices."""

import uuid

import duckdb
import gts_graph as gts
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from conftest import iterations_for
from hypothesis import given, settings
from hypothesis import strategies as st

ROWS = {"from": ["x", "y", "y", "z"], "to": ["y", "x", "z", "é"], "km": [0.5, 1.5, 2.0, 3.25]}


def tables():
    frame = pd.DataFrame(ROWS)
    yield "pandas", frame
    yield "polars", pl.DataFrame(ROWS)
    yield "pyarrow", pa.table(ROWS)
    yield "batches", pa.table(ROWS).to_reader(max_chunksize=2)
    yield "categories", pl.DataFrame(ROWS).with_columns(pl.col("from", "to").cast(pl.Categorical))
    yield "duckdb", duckdb.sql("select * from frame")


@pytest.mark.parametrize("name, table", list(tables()), ids=[name for name, _ in tables()])
def test_a_table_is_a_graph(name, table):
    graph = gts.Graph.from_arrow(table, columns=("from", "to", "km"))
    assert (len(graph), graph.info["edges"], graph.info["keys"], graph.info["weights"]) == (4, 4, "text", "f32")
    distances = gts.sssp(graph, source="x")
    assert list(distances["vertex"]) == ["x", "y", "z", "é"]
    assert list(distances["distance"]) == [0.0, 0.5, 2.5, 5.75]


def test_a_float_is_not_rounded():
    frame = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "weight": [0.1, 0.25]})
    graph = gts.Graph.from_arrow(frame)
    assert graph.info["weights"] == "f64"
    assert gts.sssp(graph, source="a")["distance"].tolist() == [0.0, 0.1, 0.1 + 0.25]
    assert gts.Graph.from_arrow(frame.astype({"weight": np.float32})).info["weights"] == "f32"


@pytest.mark.parametrize("kind", [np.int64, np.uint64, np.int32, np.uint32, np.uint16, np.int8])
def test_arrays_of_every_integer_are_a_graph(kind):
    source, target = np.array([0, 1, 2], kind), np.array([1, 2, 3], kind)
    graph = gts.Graph.from_numpy(source, target, np.array([1, 2, 3], np.uint32), vertices=6)
    assert (len(graph), graph.info["keys"], graph.info["weights"]) == (6, "number", "u32")
    assert gts.wcc(graph)["component"].tolist() == [0, 0, 0, 0, 4, 5]


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 30).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))))))
def test_a_matrix_is_a_graph(case):
    vertices, edges = case
    rows, columns = [np.array([edge[end] for edge in edges], np.int32) for end in (0, 1)]
    matrix = scipy.sparse.coo_array((np.ones(len(edges)), (rows, columns)), shape=(vertices, vertices))
    graph = gts.Graph.from_scipy(matrix)
    out = np.bincount(rows, minlength=vertices)
    assert gts.degree_distribution(graph)["out_degree"].tolist() == out.tolist()
    found = scipy.sparse.csgraph.connected_components(matrix)[0]
    assert gts.wcc(graph).scalars["components"] == found


def test_a_file_is_the_graph_of_its_table(tmp_path, packages):
    pl.DataFrame(ROWS).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame(ROWS).write_csv(tmp_path / "a.csv")
    columns = ("from", "to", "km")
    expected = gts.pagerank(gts.Graph.from_arrow(pl.DataFrame(ROWS), columns=columns), weighted=True)["rank"]
    for path in ("a.parquet", "a.csv"):
        found = gts.pagerank(gts.Graph.read(tmp_path / path, columns=columns), weighted=True)["rank"]
        assert found.tolist() == expected.tolist()
    assert len(gts.Graph.from_parquet([tmp_path / "a.parquet"], columns=columns)) == 4
    assert (len(packages), packages.info["keys"]) == (57823, "text")


def test_a_store_is_the_graph_that_was_saved(tmp_path, packages):
    packages.save(tmp_path / "packages.gts")
    opened = gts.Graph.open(tmp_path / "packages.gts")
    assert gts.bfs(opened, source="libc6").to_pandas().equals(gts.bfs(packages, source="libc6").to_pandas())
    with pytest.raises(gts.Error, match="exists"):
        packages.save(tmp_path / "packages.gts")
    packages.save(tmp_path / "packages.gts", replace=True)


def test_a_closed_store_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError) as error:
        gts.Graph.open(tmp_path / "nothing.gts")
    assert error.value.code == "GTS2112"


def test_keys_are_numbers_signed_numbers_uuids_and_names():
    keys = [uuid.UUID(int=number) for number in (3, 1, 2)]
    table = pa.table({"source": pa.array([key.bytes for key in keys], pa.binary(16)), "target": pa.array([key.bytes for key in keys[1:] + keys[:1]], pa.binary(16))})
    graph = gts.Graph.from_arrow(table)
    assert graph.info["keys"] == "uuid"
    assert gts.bfs(graph, source=keys[0])["vertex"].tolist() == sorted(keys)
    signed = gts.Graph.from_numpy(np.array([-3, -1]), np.array([-1, 5]))
    assert gts.bfs(signed, source=-3)["level"].tolist() == [0, 1, 2]
    assert signed.info["keys"] == "signed"


def test_vertices_are_any_iterable_of_keys(packages):
    names = packages_of = ["libc6", "zlib1g", "bash"]
    expected = gts.induced_subgraph(packages, vertices=names).scalars
    for given in (tuple(names), set(names), pl.Series(names), pd.Series(names), np.array(names), iter(packages_of), dict.fromkeys(names)):
        assert gts.induced_subgraph(packages, vertices=given).scalars == expected
    graph = gts.Graph.read("rmat:8")
    expected = gts.induced_subgraph(graph, vertices=[0, 1, 2]).scalars
    for given in (range(3), np.arange(3), (number for number in range(3)), [np.int64(0), np.uint8(1), 2], (0, 1, 2)):
        assert gts.induced_subgraph(graph, vertices=given).scalars == expected
    assert gts.bfs(graph, source=np.int32(3)).scalars == gts.bfs(graph, source=3).scalars
    one = gts.induced_subgraph(graph, vertices=[3]).scalars
    assert gts.induced_subgraph(graph, vertices=np.int64(3)).scalars == gts.induced_subgraph(graph, vertices=3).scalars == one
    sides = gts.Graph.from_numpy(np.array([0, 1]), np.array([0, 1]), bipartite=True)
    assert gts.induced_subgraph(sides, vertices=[("left", 0), ("right", 0)]).scalars["edges"] == 1
    assert gts.bfs(sides, source=("left", np.int64(1))).scalars["reached"] == 2


def test_matrices_of_booleans_and_types_of_weights():
    matrix = scipy.sparse.coo_array((np.array([True, True]), (np.array([0, 1]), np.array([1, 2]))), shape=(3, 3))
    assert gts.sssp(gts.Graph.from_scipy(matrix), source=0)["distance"].tolist() == [0, 1, 2]
    numbers = matrix.astype(np.float64).tocsr() * 0.1
    for weights, found in ((True, "f64"), (False, None), (None, None), ("f32", "f32"), ("1", "u32"), (1, "u32"), ("none", None)):
        assert gts.Graph.from_scipy(numbers, weights=weights).info["weights"] == found, weights


def test_a_plan_has_the_options_of_its_graph(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("7 1 2\n8 2 3\n9 3 4\n")
    graph = gts.Graph.read(path, columns=(2, 3), undirected=True)
    assert gts.plan("bfs", graph, source=np.int64(4))
    with pytest.raises(KeyError):
        gts.plan("bfs", graph, source=9)
    assert gts.plan("personalised-pagerank", "rmat:10", source=1)
    both = gts.Graph.read([path, path], columns=(2, 3))
    assert gts.plan("wcc", both)


def test_repr_is_one_line(packages):
    assert repr(packages) == "<gts_graph.Graph: 57,823 vertices, 244,526 directed edges, keys text>"


def test_progress_reaches_a_callback():
    told = []
    graph = gts.Graph.read("rmat:13")
    gts.pagerank(graph, iterations=iterations_for(1, graph), progress=lambda *news: told.append(news))
    assert {phase for phase, _, _ in told} & {"push", "pull", "damp"}, told
    with pytest.raises(ZeroDivisionError):
        gts.pagerank(graph, iterations=400000, progress=lambda *news: 1 / 0)
