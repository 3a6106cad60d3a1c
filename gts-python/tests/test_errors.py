"""Bad input: the exception of each kind, and an interpreter that lives on."""

import pickle

import gts_graph as gts
import numpy as np
import polars as pl
import pyarrow as pa
import pytest

EDGES = np.array([0, 1, 2]), np.array([1, 2, 0])


def refused(call, kind=gts.Error, text=""):
    with pytest.raises(kind) as raised:
        call()
    error = raised.value
    assert text in str(error), str(error)
    assert "--" not in str(error), str(error)
    return error


def test_arrays_that_are_no_edges():
    source, target = EDGES
    read = gts.Graph.from_numpy
    refused(lambda: read(source, target[:2]), ValueError, "source has 3 elements, and target has 2")
    refused(lambda: read(source, target, np.ones(4)), ValueError, "weight has 4")
    refused(lambda: read(source.reshape(1, 3), target.reshape(1, 3)), ValueError, "2 dimensions")
    refused(lambda: read(source.astype(float), target), text="floats")
    refused(lambda: read(np.array(["a", "b", "c"], object), target), ValueError, "object")
    refused(lambda: read(np.arange(6)[::2], target), ValueError, "not contiguous")
    refused(lambda: read(source, target, vertices=2), text="vertex 2")
    with pytest.raises(TypeError):
        read([0, 1], [1, 0])


def test_weights_that_an_algorithm_refuses():
    graph = gts.Graph.from_numpy(*EDGES, np.array([1.0, -2.0, 3.0]))
    refused(lambda: gts.pagerank(graph, weighted=True), text="-2")
    refused(lambda: gts.Graph.from_numpy(*EDGES, np.array([1.0, np.nan, 3.0])), text="arrays, row 2")
    refused(lambda: gts.sssp(gts.Graph.from_numpy(*EDGES)), text="needs weights")


def test_tables_that_are_no_edges():
    read = gts.Graph.from_arrow
    refused(lambda: read(pl.DataFrame({"source": [1, None], "target": [1, 2]})), text="table, row 2")
    refused(lambda: read(pl.DataFrame({"source": [1.5, 2.0], "target": [1, 2]})), text="floats")
    refused(lambda: read(pl.DataFrame({"a": [1], "b": [2]}), columns=("a", "c")), text="`c`")
    with pytest.raises(TypeError, match="__arrow_c_stream__"):
        read({"source": [1]})

    def batches():
        yield pa.record_batch({"source": [1], "target": [2]})
        raise OSError("the connection broke")

    reader = pa.RecordBatchReader.from_batches(pa.schema({"source": pa.int64(), "target": pa.int64()}), batches())
    with pytest.raises(Exception, match="the connection broke"):
        read(reader)


def test_arguments_that_do_not_fit(packages):
    error = refused(lambda: gts.bfs(packages, source="libc7"), KeyError, "the nearest is")
    assert error.code == "GTS1013" and pickle.loads(pickle.dumps(error)).code == "GTS1013"
    refused(lambda: gts.pagerank(packages, dampign=0.5), ValueError, "damping")
    refused(lambda: gts.pagerank(packages, damping=2), ValueError, "from 0 to 1")
    refused(lambda: gts.pagerank(packages, damping="much"), ValueError, "a number from 0 to 1")
    refused(lambda: gts.run("pagerang", packages), ValueError, "pagerank")
    refused(lambda: gts.pagerank(packages, device="gpu"), ValueError, "expected auto, cpu")
    refused(lambda: gts.cross_edges(packages, from_=["libc6"]), ValueError, "to")
    for wrong in ("rmat:10", None, packages._raw):
        with pytest.raises(TypeError):
            gts.pagerank(wrong)
    with pytest.raises(TypeError):
        gts.pagerank(packages, damping=object())


def test_options_without_effect(tmp_path):
    table = pl.DataFrame({"source": [1, 2], "target": [2, 1]})
    for options in ({"skip": 1}, {"header": True}, {"delimiter": ";"}, {"format": "csv"}, {"comment": "!"}):
        (name,) = options
        refused(lambda: gts.Graph.from_arrow(table, **options), text=f"{name} is given")
        refused(lambda: gts.Graph.from_numpy(*EDGES, **options), text=f"{name} is given")
    refused(lambda: gts.Graph.from_arrow(table, columns=("source", "target", "a", "b")), ValueError, "4 elements")
    path = tmp_path / "a.csv"
    path.write_text("1,2\n")
    refused(lambda: gts.Graph.open(path, host_memory=1 << 30), text="host_memory")
    answer = gts.bfs(gts.Graph.from_arrow(table), streams=2)
    assert answer.report["device"].startswith("cuda") or any("streams" in notice for notice in answer.report["notices"])


def test_a_defect_is_not_a_wrong_argument(packages):
    from gts_graph import _gts

    raw = gts.bfs(packages, source="libc6")._raw
    assert type(refused(lambda: raw.array(9, 0))) is gts.Error


def test_keys_of_other_types(packages):
    for wrong in (1.5, object(), ("up", "libc6"), ["libc6"]):
        with pytest.raises(TypeError):
            gts.bfs(packages, source=wrong)


def test_files_that_change(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("source,target\n1,2\n")
    graph = gts.Graph.read(path)
    assert len(gts.bfs(graph, source=1)) == 2
    path.write_text("source,target\n1,2\n3,4\n")
    assert len(gts.bfs(graph, source=1)) == 2
    error = refused(lambda: gts.wcc(graph), text="has changed")
    assert str(path) in str(error) and error.code


def test_files_that_are_no_graph(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("source,target\n1,2\n2,x\n")
    error = refused(lambda: gts.Graph.read(path), text="expected")
    assert (error.file, error.line, error.column) == (str(path), 3, 3) and error.next
    refused(lambda: gts.Graph.read(tmp_path / "b.csv"), FileNotFoundError)
    refused(lambda: gts.Graph.read("rmat:20", memory="1MiB"), MemoryError)


def test_a_store_that_is_replaced_or_damaged(tmp_path):
    path = tmp_path / "a.gts"
    gts.Graph.read("rmat:12").save(path)
    graph = gts.Graph.open(path)
    gts.Graph.read("rmat:10").save(path, replace=True)
    assert len(graph) == 4096 and abs(gts.pagerank(graph)["rank"].sum(dtype=float) - 1) < 1e-4
    (path / "manifest").write_text("nonsense")
    refused(lambda: gts.Graph.open(path))


def test_keys_that_begin_with_a_sign_of_the_command_line():
    table = pl.DataFrame({"source": ["@x", "--y", "a,b"], "target": ["--y", "a,b", "@x"]})
    graph = gts.Graph.from_arrow(table)
    assert gts.induced_subgraph(graph, vertices=["@x", "--y", "a,b"]).scalars["edges"] == 3
    for key in ("@x", "--y", "a,b"):
        assert gts.bfs(graph, source=key).scalars["reached"] == 3
