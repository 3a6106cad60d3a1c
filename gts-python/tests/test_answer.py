"""Answers as tables."""

import gts_graph as gts
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest


@pytest.fixture(scope="module")
def levels(packages):
    return gts.bfs(packages, source="libc6")


def test_numbers_are_not_copied(levels):
    array = levels["level"].data
    column = pa.table(levels)["level"].chunk(0)
    assert column.buffers()[1].address == array.ctypes.data
    assert pa.table(levels)["level"].chunk(0).buffers()[1].address == array.ctypes.data
    with pytest.raises(ValueError):
        array[0] = 1


def test_an_array_outlives_its_answer():
    array = gts.pagerank(gts.Graph.read("rmat:10"))["rank"]
    assert abs(array.sum(dtype=float) - 1) < 1e-5
    column = pa.table(gts.pagerank(gts.Graph.read("rmat:10")))["rank"]
    assert np.array_equal(column.to_numpy(), array)


def test_all_ways_out_have_the_same_cells(levels):
    array = levels["level"]
    assert isinstance(array, np.ma.MaskedArray) and array.dtype == np.uint32
    assert levels.to_polars().schema == {"vertex": pl.String, "level": pl.UInt32}
    assert levels.to_pandas()["level"].dtype == pd.UInt32Dtype()
    expected = array.filled(9).tolist()
    assert levels.to_polars()["level"].fill_null(9).to_list() == expected
    assert levels.to_pandas()["level"].fillna(9).tolist() == expected
    assert pa.table(levels)["level"].fill_null(9).to_pylist() == expected
    assert levels.to_polars()["vertex"].to_list() == levels["vertex"].tolist()


def test_single_values_and_other_tables(packages):
    answer = gts.egonet(packages, source="libc6")
    assert answer.scalars == {"edges": answer.tables["egonet"].to_polars().height, "vertices": answer.scalars["vertices"]}
    assert answer.tables["egonet"].columns == ["source", "target"]
    assert list(answer.tables) == ["vertices", "egonet", "scalars"]


def test_vertices_as_values_are_keys(packages):
    parents = gts.bfs(packages, source="libc6", parents=True).to_polars()
    assert parents.schema["parent"] == pl.String
    assert parents.filter(pl.col("level") == 1)["parent"].unique().to_list() == ["libc6"]


def test_a_missing_key_is_none():
    edges = pl.DataFrame({"source": ["a", "c"], "target": ["b", "c"]})
    frame = gts.bfs(gts.Graph.from_arrow(edges), source="a", parents=True).to_pandas()
    assert frame["parent"].isna().tolist() == [False, False, True]


def test_sides_are_columns():
    edges = pl.DataFrame({"source": [1, 2], "target": [1, 1]})
    answer = gts.wcc(gts.Graph.from_arrow(edges, bipartite=True))
    sides = ["left", "left", "right"]
    assert answer.columns == answer.to_polars().columns == list(answer.to_numpy()) == list(answer.to_pandas())
    assert answer.columns[:2] == ["vertex", "side"]
    assert answer["side"].tolist() == answer.to_polars()["side"].to_list() == answer.to_pandas()["side"].tolist() == sides
    assert "<th>side</th>" in answer._repr_html_() and "<td>right</td>" in answer._repr_html_()
    parents = gts.bfs(gts.Graph.from_arrow(edges, bipartite=True), source=("left", 2), parents=True)
    assert parents["parent_side"].tolist() == parents.to_polars()["parent_side"].to_list()
    source = gts.bfs(gts.Graph.from_arrow(edges, bipartite=True), source=("left", 2)).to_polars()
    assert source["level"].to_list() == [None, 0, 1]


def test_a_notebook_shows_ten_rows(levels):
    html = levels._repr_html_()
    assert html.count("<tr>") == 11 and "10 of 57,823 rows" in html
    assert repr(levels).startswith("<gts_graph.Answer: bfs, 57,823 rows of vertex, level, reached 3")


def test_the_report_tells_what_ran(levels):
    assert levels.report["device"].startswith(("cpu", "cuda"))
    assert levels.report["kernels"][0]["kernel"] == "expand"
