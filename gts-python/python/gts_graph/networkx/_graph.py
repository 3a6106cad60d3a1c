"""Graphs of networkx as arrays, and as graphs of GTS."""

import weakref
from contextlib import contextmanager
from functools import cached_property
from itertools import chain

import numpy

from .._core import Graph
from .._errors import UsageError

# The largest integer up to which f64 holds all integers.
EXACT = 2**53
# The code of arguments that the command line does not have: a defect of the backend.
_UNKNOWN_ARGUMENT = "GTS4001"


@contextmanager
def refusals_left_to_networkx():
    """Lets networkx compute what GTS refuses."""
    try:
        yield
    except UsageError as error:
        if error.code == _UNKNOWN_ARGUMENT:
            raise
        raise NotImplementedError(error.message) from error


def arrays_of(graph, weight=None):
    """Returns the positions of the sources and targets of all edges, and their weights or None, as arrays.

    Positions are those in ``list(graph)``. Edges are in the order of ``graph.edges``; an undirected edge appears once. An
    edge without the attribute ``weight`` has weight 1.
    """
    ends = _Ends(graph)
    return ends.source, ends.target, None if weight is None else ends.weights(weight)[0]


class _Ends:
    """The ends of all edges of a graph, in the order of ``graph.edges``."""

    def __init__(self, graph):
        index = {node: position for position, node in enumerate(graph)}
        rows = [row for _, row in graph.adjacency()]
        # A row of a view of a multigraph may iterate over fewer nodes than its length.
        neighbours = [list(row) for row in rows]
        counts = numpy.fromiter(map(len, neighbours), numpy.int64, len(rows))
        source = numpy.repeat(numpy.arange(len(rows)), counts)
        target = numpy.fromiter(map(index.__getitem__, chain.from_iterable(neighbours)), numpy.int64, len(source))
        self._rows = rows
        self._is_multigraph = graph.is_multigraph()
        if self._is_multigraph:
            parallel = numpy.fromiter((len(edges) for row in rows for edges in row.values()), numpy.int64, len(source))
            source, target = numpy.repeat(source, parallel), numpy.repeat(target, parallel)
        # networkx stores an undirected edge at both ends.
        self._kept = slice(None) if graph.is_directed() else source <= target
        self.source, self.target = source[self._kept], target[self._kept]

    def weights(self, attribute):
        """Returns the values of an attribute as f64, and their type: int, float, or None for mixed types and those of numpy."""
        if self._is_multigraph:
            edges = (edge for row in self._rows for parallel in row.values() for edge in parallel.values())
        else:
            edges = (edge for row in self._rows for edge in row.values())
        values = [edge.get(attribute, 1) for edge in edges]
        types = set(map(type, values))
        if not all(issubclass(each, (int, float, numpy.integer, numpy.floating)) for each in types):
            raise UsageError(f"the edge attribute {attribute!r} has values that are not numbers")
        has_integers = any(issubclass(each, (int, numpy.integer)) for each in types)
        try:
            weights = numpy.array(values, numpy.float64)
        except OverflowError:
            weights = numpy.full(len(values), numpy.inf)
        if has_integers and (numpy.abs(weights) > EXACT).any() and weights.tolist() != values:
            raise UsageError(f"the edge attribute {attribute!r} has integers that f64 cannot hold")
        kind = int if types <= {int, bool} else float if types == {float} else None
        return weights[self._kept], kind


class BackendGraph:
    """A graph of networkx, and the graphs of GTS that were made of it.

    Arrays are read from the original graph when a function first needs them. The original graph refers to this object, until
    it changes. This object therefore refers to it weakly, so that both are freed at once.
    """

    __networkx_backend__ = "gts"

    def __init__(self, original):
        self._original = weakref.ref(original)
        self._forms, self._weights = {}, {}

    def __getstate__(self):
        return self.original

    def __setstate__(self, original):
        self.__init__(original)
        # There may be no other reference to the original graph.
        self._original = lambda: original

    @property
    def original(self):
        """The graph of networkx."""
        graph = self._original()
        if graph is None:
            raise ReferenceError("the graph of networkx from which this graph was made does not exist any more")
        return graph

    def is_directed(self):
        """Returns whether edges have a direction."""
        return self.original.is_directed()

    def is_multigraph(self):
        """Returns whether two nodes may have several edges."""
        return self.original.is_multigraph()

    def number_of_nodes(self):
        """Returns the number of nodes."""
        return len(self.original)

    def number_of_edges(self):
        """Returns the number of edges."""
        return self.original.number_of_edges()

    def __len__(self):
        return len(self.original)

    def __iter__(self):
        return iter(self.original)

    def __contains__(self, node):
        return node in self.original

    @cached_property
    def nodes(self):
        """The nodes, in the order of the original graph."""
        return list(self.original)

    @cached_property
    def index(self):
        """The position of each node in ``nodes``."""
        return {node: position for position, node in enumerate(self.nodes)}

    @cached_property
    def ends(self):
        """The ends of all edges."""
        return _Ends(self.original)

    @property
    def has_loops(self):
        """Whether an edge connects a node to itself."""
        return bool((self.ends.source == self.ends.target).any())

    def plain(self, *, undirected=False, simple=False):
        """Returns the graph without weights. ``undirected`` ignores directions, ``simple`` drops parallel edges."""
        undirected = undirected or not self.is_directed()
        simple = simple and self.is_multigraph()
        return self._form(("plain", undirected, simple), None, undirected=undirected, drop_duplicates=simple)

    def weighted(self, attribute):
        """Returns the graph with an attribute of edges as weights, and the type of the weights: see ``weights``. Without an
        attribute, every edge has weight 1. Weights must be finite and at least 0."""
        undirected = not self.is_directed()
        if attribute is None:
            return self._form("ones", None, undirected=undirected, weights="1"), int
        weights, kind = self.weights(attribute)
        if not (numpy.isfinite(weights) & (weights >= 0)).all():
            raise NotImplementedError("weights must be finite and at least 0")
        return self._form(("weights", attribute), weights, undirected=undirected, weights="f64"), kind

    def ordered(self, order):
        """Returns a graph in which the weight of each edge is its position in ``order``."""
        ranks = numpy.empty(len(order), numpy.uint32)
        ranks[order] = numpy.arange(len(order), dtype=numpy.uint32)
        return self._read(ranks, undirected=not self.is_directed(), weights="u32")

    def weights(self, attribute):
        """Returns the values of an attribute of edges as f64, and their type: int, float, or None for others."""
        if attribute not in self._weights:
            with refusals_left_to_networkx():
                self._weights[attribute] = self.ends.weights(attribute)
        return self._weights[attribute]

    def _form(self, key, values, **options):
        if key not in self._forms:
            self._forms[key] = self._read(values, **options)
        return self._forms[key]

    def _read(self, values, **options):
        with refusals_left_to_networkx():
            return Graph.from_numpy(self.ends.source, self.ends.target, values, vertices=len(self), **options)
