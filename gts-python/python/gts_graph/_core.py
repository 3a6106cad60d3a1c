"""Graphs, runs and answers."""

from __future__ import annotations

import json
import keyword
import os
import uuid
from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any, Union

from . import _gts
from ._errors import UsageError, as_arguments, exception_of

PathText = Union[str, "os.PathLike[str]"]
Columns = Union[str, Sequence[Union[str, int]]]
Progress = Union[bool, Callable[[str, int, Union[int, None]], None]]


def python_name(name):
    """Returns the name of an algorithm or an option in Python."""
    name = name.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def _flag(name):
    """Returns the flag of an option with a name in Python."""
    return "--" + name.rstrip("_").replace("_", "-")


def _texts(value):
    """Returns the texts of the flags for a value, or None for a flag without a value."""
    if isinstance(value, (list, tuple, set, frozenset)) or type(value).__name__ in ("ndarray", "Series"):
        return [text for each in value for text in _texts(each)]
    if isinstance(value, bool):
        return ["yes" if value else "no"]
    if isinstance(value, (str, os.PathLike, uuid.UUID)):
        return [os.fspath(value) if isinstance(value, os.PathLike) else str(value)]
    if hasattr(value, "__index__"):
        return [str(value.__index__())]
    if isinstance(value, float) or hasattr(value, "__float__"):
        return [repr(float(value))]
    raise TypeError(f"cannot use a {type(value).__name__} as the value of an option")


def _flags(options, plain=()):
    """Returns options as flags of the command line. ``plain`` names options that are switched by a flag without a value."""
    flags = []
    for name, value in options.items():
        flag = _flag(name)
        if value is None or (value is False and name in plain):
            continue
        if value is True and name in plain:
            flags.append(flag)
        else:
            flags.extend(f"{flag}={text}" for text in _texts(value))
    return flags


_SWITCHES = frozenset((
    "decimal_comma", "directed", "undirected", "bipartite", "symmetrise", "in_edges", "drop_self_loops", "drop_duplicates",
    "checked",
))


def _reading(columns, options):
    if isinstance(columns, (tuple, list)):
        if len(columns) > 3:
            raise UsageError(f"columns has {len(columns)} elements", next="give source, target and weight")
        columns = ",".join(f"{role}={column}" for role, column in zip(("source", "target", "weight"), columns))
    return _flags({"columns": columns, **options}, _SWITCHES)


def _listener(progress):
    """Returns the progress callback, or None if no progress is shown."""
    if not progress:
        return None
    if callable(progress):
        return progress
    from ._progress import Meter

    return Meter()


class Graph:
    """A graph, whose vertices are known by keys: numbers, signed numbers, UUIDs or names.

    ``len(graph)`` is the number of vertices. Algorithms that need the graph in another form, such as one in which each edge
    is stored in both directions, read it again in that form, once.
    """

    __slots__ = ("_raw",)

    def __init__(self, raw: Any) -> None:
        self._raw = raw

    @classmethod
    def open(cls, store: PathText, *, host_memory: int | None = None, progress: Progress = False) -> Graph:
        """Opens a store that ``Graph.save`` or ``gts import`` has written. Pages that exceed ``host_memory`` bytes stay on
        disk and stream; by default, three quarters of the free memory."""
        return cls(_gts.read([os.fspath(store)], [], _bytes(host_memory), _listener(progress)))

    @classmethod
    def read(
        cls, paths: PathText | Sequence[PathText], *, columns: Columns | None = None, keys: str | None = None,
        weights: str | int | None = None, progress: Progress = False, **options: Any,
    ) -> Graph:
        """Reads files, a folder of files, a pattern such as ``part-*``, a store, or a generator such as ``rmat:20``.

        ``columns`` are the names or numbers of the columns of sources, targets and weights. ``keys`` is ``number``,
        ``signed``, ``uuid`` or ``text``. ``weights`` is a type, ``none`` or ``1``. Other options are those of ``gts import``:
        format, header, delimiter, decimal_comma, comment, skip, directed, undirected, symmetrise, bipartite, in_edges,
        drop_self_loops, drop_duplicates, memory, order, page_size.
        """
        paths = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
        flags = _reading(columns, {"keys": keys, "weights": weights, **options})
        return cls(_gts.read([os.fspath(path) for path in paths], flags, None, _listener(progress)))

    @classmethod
    def from_parquet(
        cls, paths: PathText | Sequence[PathText], *, columns: Columns | None = None, **options: Any
    ) -> Graph:
        """Reads Parquet files: see ``Graph.read``."""
        return cls.read(paths, columns=columns, format="parquet", **options)

    @classmethod
    def from_arrow(
        cls, table: Any, *, columns: Columns | None = None, keys: str | None = None, weights: str | int | None = None,
        vertices: int | None = None, progress: Progress = False, **options: Any,
    ) -> Graph:
        """Reads a table that has ``__arrow_c_stream__``: a data frame of Polars, pandas or DuckDB, or a table of pyarrow.

        The graph shares the memory of the table and may read it again, so it must not change while the graph exists.
        ``vertices`` is the number of vertices, if the keys are numbers below it. Options are those of ``Graph.read``, except
        those of text files.
        """
        if not (hasattr(table, "__arrow_c_stream__") or hasattr(table, "__arrow_c_array__")):
            raise TypeError(f"a {type(table).__name__} has no __arrow_c_stream__: convert it to a data frame or a table")
        keys = "number" if keys is None and vertices is not None else keys
        flags = _reading(columns, {"keys": keys, "weights": weights, **options})
        return cls(_gts.read_arrow(table, flags, vertices, _listener(progress)))

    @classmethod
    def from_numpy(
        cls, source: Any, target: Any, weight: Any = None, *, vertices: int | None = None, progress: Progress = False,
        **options: Any,
    ) -> Graph:
        """Reads arrays of numbers with one dimension, one element per edge.

        The graph shares the memory of the arrays and may read them again, so they must not change while the graph exists.
        ``vertices`` is the number of vertices, if the keys are numbers below it. Options are those of
        ``Graph.read``, except those of text files.
        """
        if vertices is not None:
            options.setdefault("keys", "number")
        flags = _flags(options, _SWITCHES)
        return cls(_gts.read_numpy(source, target, weight, flags, vertices, _listener(progress)))

    @classmethod
    def from_scipy(cls, matrix: Any, *, weights: bool | str | int | None = True, **options: Any) -> Graph:
        """Reads a square sparse matrix: an entry at row i and column j is an edge from i to j, and its value the weight.

        ``weights`` is False for a graph without weights, or as in ``Graph.read``. Entries at the same place are parallel
        edges: ``matrix.sum_duplicates()`` adds them. The graph may share the memory of the matrix, which must not change
        while the graph exists.
        """
        matrix = matrix.tocoo()
        rows, columns = matrix.shape
        if rows != columns:
            raise UsageError(f"the matrix has {rows} rows and {columns} columns", next="give a square matrix")
        import numpy

        source, target = numpy.ascontiguousarray(matrix.row), numpy.ascontiguousarray(matrix.col)
        values = numpy.ascontiguousarray(matrix.data)
        values = values.view(numpy.uint8) if values.dtype == bool else values
        has_type = not isinstance(weights, bool) and weights is not None
        options |= {"vertices": rows, "weights": weights if has_type else None}
        return cls.from_numpy(source, target, values if has_type or weights else None, **options)

    @classmethod
    def from_networkx(cls, graph: Any, *, weight: str | None = None, **options: Any) -> Graph:
        """Reads a graph of networkx. Keys are the numbers of its nodes, in their order; ``weight`` names an attribute of edges."""
        from .networkx._graph import arrays_of

        source, target, weights = arrays_of(graph, weight)
        return cls.from_numpy(source, target, weights, vertices=len(graph), undirected=not graph.is_directed(), **options)

    def save(self, path: PathText, *, replace: bool = False) -> None:
        """Writes a store, which ``Graph.open`` opens. Ctrl-C takes effect after the store is complete."""
        self._raw.save(path, replace)

    @property
    def info(self) -> dict[str, Any]:
        """Properties of the graph, as a dictionary."""
        raw = self._raw
        return {
            "name": raw.name, "vertices": raw.vertices, "edges": raw.edges, "undirected_edges": raw.undirected_edges,
            "keys": raw.keys, "weights": raw.weights, "bytes": raw.bytes, "notes": raw.notes,
        }

    def __len__(self) -> int:
        return self._raw.vertices

    def __repr__(self) -> str:
        raw = self._raw
        edges = raw.edges if raw.undirected_edges is None else raw.undirected_edges
        directed = "directed" if raw.undirected_edges is None else "undirected"
        weights = f", weights {raw.weights}" if raw.weights else ""
        return f"<gts_graph.Graph: {raw.vertices:,} vertices, {edges:,} {directed} edges, keys {raw.keys}{weights}>"


def _bytes(value):
    return None if value is None else int(value)


def _has_side(value):
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str) and value[0] in ("left", "right")


def _key(value):
    """Returns the text of a vertex's key. A pair is a side, ``left`` or ``right``, and a key."""
    if _has_side(value):
        return f"{value[0]}:{_key(value[1])}"
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, (str, uuid.UUID)):
        return str(value)
    raise TypeError(f"cannot use {value!r} as the key of a vertex")


def _keys(values):
    """Returns the texts of keys: of one key, or of any iterable of keys."""
    if isinstance(values, (str, uuid.UUID, Integral)) or _has_side(values):
        return [_key(values)]
    return [_key(value) for value in values]


def _run_flags(algorithm, device, options):
    """Returns the parameters of an algorithm and the options of its run as flags of the command line."""
    parameters = _PARAMETERS.get(algorithm, {})
    flags = []
    for name, value in {"device": device, **options}.items():
        kind, flag = parameters.get(name), _flag(name)
        if kind == "vertex" and value is not None:
            flags.append(f"{flag}={_key(value)}")
        elif kind == "vertices" and value is not None:
            # The command line reads a file of keys after @.
            flags.extend(f"{flag}=@{text}" if text.startswith("@") else f"{flag}={text}" for text in _keys(value))
        else:
            is_switch = kind == "flag" or (kind is None and isinstance(value, bool))
            flags.extend(_flags({name: value}, {name} if is_switch else ()))
    return flags


class Table:
    """A table of an answer. Polars, pandas, DuckDB and pyarrow read it by ``__arrow_c_stream__``.

    ``table["rank"]`` is a column as an array of numpy.
    """

    __slots__ = ("_number", "_raw")

    def __init__(self, raw: Any, number: int = 0) -> None:
        self._raw, self._number = raw, number

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._raw.stream(self._number, requested_schema)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._raw.columns(self._number)

    def __getitem__(self, column: str) -> Any:
        columns = self.columns
        if column not in columns:
            raise KeyError(f"no column {column!r}: there are {', '.join(columns)}")
        return self._raw.array(self._number, columns.index(column))

    def __len__(self) -> int:
        return self._raw.tables()[self._number][1]

    def to_numpy(self) -> dict[str, Any]:
        """Returns the columns as arrays by name. Columns with nulls are masked arrays. Numbers are not copied."""
        return {name: self[name] for name in self.columns}

    def to_polars(self) -> Any:
        """Returns the table as a data frame of Polars."""
        import polars

        return polars.DataFrame(self)

    def to_pandas(self) -> Any:
        """Returns the table as a data frame of pandas. Columns with nulls have nullable types."""
        import pandas  # type: ignore[import-untyped]
        from numpy.ma import MaskedArray

        integers, floats = pandas.arrays.IntegerArray, pandas.arrays.FloatingArray
        nullable = {"i": integers, "u": integers, "f": floats, "b": pandas.arrays.BooleanArray}

        def column(array: Any) -> Any:
            if not isinstance(array, MaskedArray):
                return array
            if array.dtype.kind in nullable:
                return nullable[array.dtype.kind](array.data.copy(), array.mask.copy())
            objects = array.data.copy()
            objects[array.mask] = None
            return objects

        return pandas.DataFrame({name: column(array) for name, array in self.to_numpy().items()})

    def _repr_html_(self) -> str:
        from html import escape

        rows = min(10, len(self))
        columns = [self._raw.array(self._number, place, rows) for place in range(len(self.columns))]
        cells = [[escape(str(array[row])) for array in columns] for row in range(rows)]
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in cells)
        more = f"<p>{rows} of {len(self):,} rows</p>" if len(self) > rows else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


class Answer(Table):
    """The answer of an algorithm: its main table, other tables, and values that describe the whole graph."""

    __slots__ = ()

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name, the main one first. ``scalars`` is that of the single values."""
        return {name: Table(self._raw, number) for number, (name, _) in enumerate(self._raw.tables())}

    @property
    def scalars(self) -> dict[str, int | float | bool]:
        """The values that describe the whole graph, by name."""
        return self._raw.scalars()

    @property
    def algorithm(self) -> str:
        """The name of the algorithm."""
        return self._raw.algorithm

    @property
    def report(self) -> dict[str, Any]:
        """The device of the run and its notices, and the edges, bytes and seconds of the run and of each kernel."""
        report = json.loads(self._raw.report)
        return {**report, "notices": [as_arguments(notice) for notice in report["notices"]]}

    def __repr__(self) -> str:
        scalars = "".join(f", {name} {value}" for name, value in self.scalars.items())
        return f"<gts_graph.Answer: {self.algorithm}, {len(self):,} rows of {', '.join(self.columns)}{scalars}>"


def run(
    algorithm: str, graph: Graph, *, device: str = "auto", progress: Progress = False, **options: Any
) -> Answer:
    """Runs an algorithm on a graph, and returns its answer.

    Options are the parameters of the algorithm, and those of ``gts run`` that choose how it runs: threads, seed, time_limit,
    max_steps, technique, propagation, checked, devices, device_memory and others. ``progress`` is True, or a callback with
    three arguments: the name of the phase or kernel, what is done, and the total or None.
    """
    if not isinstance(graph, Graph):
        raise TypeError(f"expected a gts_graph.Graph, found a {type(graph).__name__}")
    return Answer(_gts.run(algorithm, graph._raw, _run_flags(algorithm, device, options), _listener(progress)))


def command(*arguments: Any) -> Any:
    """Runs a command of ``gts``, and returns what it prints with ``--json``."""
    texts = [os.fspath(argument) if isinstance(argument, os.PathLike) else str(argument) for argument in arguments]
    result = json.loads(_gts.command(texts))
    if result and result.get("error"):
        raise exception_of(json.dumps(result["error"]))
    return result


def devices() -> dict[str, Any]:
    """Returns the devices that GTS can use, and what is missing for others."""
    return command("devices")


def explain(code: str) -> dict[str, Any]:
    """Explains an error code, such as that of an exception, or a word of the kernel language."""
    return command("explain", code)


def plan(algorithm: str, graph: Graph | PathText, *, device: str = "auto", **options: Any) -> dict[str, Any]:
    """Predicts the memory and time of a run, without running it. ``graph`` is the name of a store, a file or a generator, or
    a graph that was read from one, with its options."""
    arguments = graph._raw.arguments() if isinstance(graph, Graph) else [os.fspath(graph)]
    if arguments is None:
        raise UsageError("a graph that was read from a table has no name", next="write it by Graph.save, and open the store")
    return command("plan", algorithm, *arguments, *_run_flags(algorithm, device, options))


ALGORITHMS = json.loads(_gts.algorithms())
_PARAMETERS = {
    name: {python_name(parameter["name"]): parameter["kind"] for parameter in algorithm["parameters"]}
    for algorithm in ALGORITHMS
    for name in [algorithm["name"], *algorithm["aliases"]]
}
