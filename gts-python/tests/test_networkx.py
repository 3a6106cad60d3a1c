"""The backend of networkx answers as networkx itself does."""

import pickle
import random

import pytest

nx = pytest.importorskip("networkx")

pytestmark = pytest.mark.filterwarnings("ignore:.*cache")

COUNT = 30


def graphs(kind, count=8, loops=True):
    """Yields random graphs with isolated nodes, weights, and nodes of several types."""
    for seed in range(count):
        draw = random.Random(seed)
        nodes = [position if position % 3 else f"v{position}" if position % 2 else (position, "v") for position in range(14)]
        draw.shuffle(nodes)
        graph = kind(name="random")
        graph.add_nodes_from(nodes, colour="red")
        for _ in range(draw.randrange(5, 45)):
            u, v = draw.choice(nodes[:-2]), draw.choice(nodes[:-1])
            if loops or u != v:
                graph.add_edge(u, v, weight=draw.randrange(1, 9) / 4, length=draw.randrange(6))
        yield graph


def close(found, expected):
    assert list(found) == list(expected)
    assert all(type(value) is float for value in found.values())
    assert found == pytest.approx(expected, abs=1e-9)


def same(found, expected):
    """The same values and types of values, in any order."""
    assert found == expected
    if isinstance(found, dict):
        assert {node: type(value) for node, value in found.items()} == {node: type(value) for node, value in expected.items()}
    else:
        assert type(found) is type(expected)


def outcome(function, *args, **kwargs):
    """Returns the result of a call, or the type and text of its error."""
    try:
        result = function(*args, **kwargs)
        return list(result) if hasattr(result, "__next__") else result
    except (nx.NetworkXException, ValueError, TypeError, ZeroDivisionError) as error:
        return type(error), str(error)


def sorted_names(nodes):
    return sorted(map(str, nodes))


BOTH = pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
ALL = pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])


@ALL
def test_betweenness(kind):
    for graph in graphs(kind, 8 if kind in (nx.MultiGraph, nx.MultiDiGraph) else COUNT):
        for normalized in (True, False) if graph.number_of_edges() % 2 else (True,):
            close(
                nx.betweenness_centrality(graph, normalized=normalized, backend="gts"),
                nx.betweenness_centrality(graph, normalized=normalized),
            )


@BOTH
def test_closeness(kind):
    for graph in graphs(kind, COUNT):
        expected = nx.closeness_centrality(graph)
        close(nx.closeness_centrality(graph, backend="gts"), expected)
        node = next(iter(graph))
        assert nx.closeness_centrality(graph, node, backend="gts") == pytest.approx(expected[node])


@BOTH
def test_hits(kind):
    numpy = pytest.importorskip("numpy")
    count = 0
    for graph in graphs(kind, 3 * COUNT):
        first, second = numpy.linalg.svd(nx.to_numpy_array(graph), compute_uv=False)[:2]
        if count < COUNT and second < 0.9 * first:
            count += 1
            for found, expected in zip(nx.hits(graph, backend="gts"), nx.hits(graph, tol=1e-14)):
                close(found, expected)
    assert count == COUNT


@ALL
def test_pagerank(kind):
    for graph in graphs(kind):
        for weight in ("weight", None):
            # The defaults stop early: the iterations must be those of networkx.
            close(nx.pagerank(graph, weight=weight, backend="gts"), nx.pagerank(graph, weight=weight))
            options = {"weight": weight, "tol": 1e-13, "max_iter": 1000, "personalization": {next(iter(graph)): 2}}
            close(nx.pagerank(graph, **options, backend="gts"), nx.pagerank(graph, **options))


def test_pagerank_fails_to_converge_as_networkx_does():
    graph = next(graphs(nx.DiGraph))
    for max_iter in range(0, 12):
        expected = outcome(nx.pagerank, graph, max_iter=max_iter)
        found = outcome(nx.pagerank, graph, max_iter=max_iter, backend="gts")
        assert found == (pytest.approx(expected) if isinstance(expected, dict) else expected)


def test_triangles():
    for graph in graphs(nx.Graph, COUNT):
        some = list(graph)[3:8] + ["missing"]
        for function in (nx.triangles, nx.clustering):
            for nodes in (None, some, some[0]):
                same(function(graph, nodes, backend="gts"), function(graph, nodes))
        for function in (nx.transitivity, nx.average_clustering):
            assert function(graph, backend="gts") == pytest.approx(function(graph))
        assert outcome(nx.average_clustering, graph, count_zeros=False, backend="gts") == outcome(
            nx.average_clustering, graph, count_zeros=False
        )


@BOTH
def test_cores(kind):
    for graph in graphs(kind, loops=False):
        found = nx.core_number(graph, backend="gts")
        same(found, nx.core_number(graph))
        assert list(found) == list(graph)


def test_trusses():
    for graph in graphs(nx.Graph, loops=False):
        for k in (1, 2, 3, 4):
            found, expected = nx.k_truss(graph, k, backend="gts"), nx.k_truss(graph, k)
            assert found.graph == expected.graph and found._node == expected._node and found._adj == expected._adj


@ALL
def test_components(kind):
    for graph in graphs(kind):
        if graph.is_directed():
            expected = list(nx.weakly_connected_components(graph))
            assert list(nx.weakly_connected_components(graph, backend="gts")) == expected
            found = list(nx.strongly_connected_components(graph, backend="gts"))
            assert sorted(map(sorted_names, found)) == sorted(map(sorted_names, nx.strongly_connected_components(graph)))
            place = {node: number for number, part in enumerate(found) for node in part}
            assert all(place[target] <= place[source] for source, target in graph.edges())
        else:
            expected = list(nx.connected_components(graph))
            assert list(nx.connected_components(graph, backend="gts")) == expected
            assert nx.number_connected_components(graph, backend="gts") == len(expected)
            assert nx.is_connected(graph, backend="gts") == (len(expected) == 1)


@ALL
def test_distances(kind):
    for graph in graphs(kind):
        nodes = list(graph)
        for source in nodes[:2]:
            for cutoff in (None, 0, 1.5):
                expected = nx.single_source_shortest_path_length(graph, source, cutoff)
                same(nx.single_source_shortest_path_length(graph, source, cutoff, backend="gts"), expected)
                for weight in ("weight", "length", None):
                    expected = nx.single_source_dijkstra_path_length(graph, source, cutoff, weight)
                    found = nx.single_source_dijkstra_path_length(graph, source, cutoff, weight, backend="gts")
                    same(found, expected)
                    assert list(found.values()) == sorted(found.values())
            same(nx.descendants(graph, source, backend="gts"), nx.descendants(graph, source))
            for target in nodes[:4]:
                same(nx.has_path(graph, source, target, backend="gts"), nx.has_path(graph, source, target))


@BOTH
def test_eccentricities(kind):
    for graph in graphs(kind):
        component = max((nx.strongly_connected_components if graph.is_directed() else nx.connected_components)(graph), key=len)
        node = next(iter(component))
        for part in (graph, graph.subgraph(component).copy()):
            for v in (None, node, list(component)[:3]):
                same(outcome(nx.eccentricity, part, v, backend="gts"), outcome(nx.eccentricity, part, v))
            for function in (nx.diameter, nx.radius):
                same(outcome(function, part, backend="gts"), outcome(function, part))


def test_spanning_edges():
    for graph in graphs(nx.Graph):
        for weight in ("weight", "length", "missing"):
            for data in (True, False):
                found = list(nx.minimum_spanning_edges(graph, weight=weight, data=data, backend="gts"))
                assert found == list(nx.minimum_spanning_edges(graph, weight=weight, data=data))


@ALL
def test_ego_graphs(kind):
    for graph in graphs(kind, 10):
        node = next(iter(graph))
        for options in ({}, {"radius": 2}, {"center": False}, {"undirected": True}, {"radius": 1.5, "distance": "weight"}):
            found, expected = nx.ego_graph(graph, node, **options, backend="gts"), nx.ego_graph(graph, node, **options)
            assert found._node == expected._node and found._adj == expected._adj and found.graph == expected.graph


ONE_GRAPH = (
    "pagerank hits betweenness_centrality closeness_centrality clustering average_clustering transitivity triangles "
    "core_number connected_components number_connected_components is_connected weakly_connected_components "
    "strongly_connected_components eccentricity diameter radius minimum_spanning_edges"
).split()


@pytest.mark.parametrize("name", ONE_GRAPH)
@ALL
def test_unusual_graphs_give_the_results_and_errors_of_networkx(name, kind):
    alone, loop, negative = kind(), kind(), kind([("a", "b", {"weight": -1}), ("b", "c", {"weight": 2})])
    alone.add_node("a")
    loop.add_edge("a", "a")
    function = getattr(nx, name)
    for graph in (kind(), alone, loop, negative):
        expected = outcome(function, graph)
        try:
            found = outcome(function, graph, backend="gts")
        except NotImplementedError:
            continue
        if isinstance(expected, dict) and name == "pagerank":
            expected = pytest.approx(expected)
        assert found == expected


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("closeness_centrality", ["x"]), ("eccentricity", ["x"]), ("eccentricity", [7]), ("triangles", ["x"]),
        ("triangles", [7]), ("clustering", [[[]]]), ("single_source_shortest_path_length", ["x"]),
        ("single_source_dijkstra_path_length", ["x"]), ("single_source_dijkstra_path_length", [[]]), ("has_path", ["x", 0]),
        ("has_path", [0, "x"]), ("descendants", ["x"]), ("ego_graph", ["x"]),
    ],
)
def test_missing_nodes_give_the_errors_of_networkx(name, arguments):
    graph = nx.path_graph(4)
    assert outcome(getattr(nx, name), graph, *arguments, backend="gts") == outcome(getattr(nx, name), graph, *arguments)


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("pagerank", {"nstart": {0: 1}}), ("pagerank", {"dangling": {0: 1}}), ("pagerank", {"personalization": {0: 1, 1: 2}}),
        ("hits", {"normalized": False}), ("betweenness_centrality", {"k": 2}), ("betweenness_centrality", {"weight": "weight"}),
        ("closeness_centrality", {"distance": "weight"}), ("clustering", {"weight": "weight"}), ("eccentricity", {"weight": "weight"}),
        ("diameter", {"usebounds": True}), ("minimum_spanning_edges", {"algorithm": "prim"}),
        ("single_source_dijkstra_path_length", {"source": 0, "weight": lambda u, v, data: 1}),
    ],
)
def test_calls_of_other_conventions_are_refused(name, arguments):
    graph = nx.cycle_graph(5)
    with pytest.raises(NotImplementedError):
        getattr(nx, name)(graph, **arguments, backend="gts")


@pytest.mark.parametrize("weight", [-1, float("nan"), float("inf"), "1", None, 2**60 + 1, [1]])
def test_weights_that_gts_cannot_hold_are_refused(weight):
    graph = nx.cycle_graph(5)
    graph.add_edge(0, 1, weight=weight)
    with pytest.raises(NotImplementedError):
        nx.single_source_dijkstra_path_length(graph, 0, backend="gts")


@ALL
def test_views(kind):
    for graph in graphs(kind):
        edges = list(graph.edges(keys=True) if graph.is_multigraph() else graph.edges)[::2]
        for view in (graph.edge_subgraph(edges), graph.subgraph(list(graph)[:9])):
            source = next(iter(view))
            same(nx.descendants(view, source, backend="gts"), nx.descendants(view, source))
            same(
                nx.single_source_dijkstra_path_length(view, source, backend="gts"),
                nx.single_source_dijkstra_path_length(view, source),
            )


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("betweenness_centrality", {"endpoints": "SERIES"}), ("betweenness_centrality", {"weight": "SERIES"}),
        ("pagerank", {"nstart": "SERIES"}), ("pagerank", {"alpha": 0, "max_iter": 0, "personalization": {0: 1}}),
        ("pagerank", {"personalization": "SERIES"}), ("pagerank", {"alpha": "x"}), ("pagerank", {"unknown": 1}),
        ("ego_graph", {"n": 0, "radius": float("-inf")}), ("diameter", {"e": "SERIES"}), ("k_truss", {}),
    ],
)
def test_can_run_returns_a_reason(name, arguments):
    import numpy
    from gts_graph.networkx import backend

    arguments = {key: numpy.array([1, 2]) if value == "SERIES" else value for key, value in arguments.items()}
    assert backend.can_run(name, (nx.cycle_graph(5),), arguments) is not None


def test_an_infinite_cutoff():
    graph = nx.path_graph(5)
    for cutoff in (float("inf"), float("-inf"), -3, 10**400):
        expected = outcome(nx.single_source_shortest_path_length, graph, 1, cutoff)
        assert outcome(nx.single_source_shortest_path_length, graph, 1, cutoff, backend="gts") == expected


@pytest.mark.parametrize("kind", ["float32", "int32", "int64", "float64", "uint64"])
def test_weights_of_numpy(kind):
    import numpy

    graph = nx.cycle_graph(6)
    for number, edge in enumerate(graph.edges):
        graph.edges[edge]["weight"] = getattr(numpy, kind)(number + 1)
    assert nx.pagerank(graph, backend="gts") == pytest.approx(nx.pagerank(graph))
    assert list(nx.minimum_spanning_edges(graph, backend="gts")) == list(nx.minimum_spanning_edges(graph))
    with pytest.raises(NotImplementedError):
        nx.single_source_dijkstra_path_length(graph, 0, backend="gts")


def test_mixed_and_large_weights_are_refused():
    mixed, large = nx.path_graph(3), nx.path_graph(3)
    mixed.edges[0, 1]["weight"] = 0.5
    large.edges[0, 1]["weight"] = 2**63
    for graph in (mixed, large):
        with pytest.raises(NotImplementedError):
            nx.single_source_dijkstra_path_length(graph, 0, backend="gts")
    large.edges[0, 1]["weight"] = 2**70 + 1
    with pytest.raises(NotImplementedError):
        nx.single_source_dijkstra_path_length(large, 0, backend="gts")


def test_the_source_is_first():
    graph = nx.Graph()
    graph.add_nodes_from("cba")
    graph.add_edge("a", "c", weight=0)
    graph.add_edge("a", "b", weight=1)
    found = nx.single_source_dijkstra_path_length(graph, "a", backend="gts")
    assert list(found.items()) == list(nx.single_source_dijkstra_path_length(graph, "a").items())


def test_personalised_ranks_are_more_exact_than_those_of_networkx():
    for graph in graphs(nx.DiGraph):
        start = {next(iter(graph)): 1}
        exact = nx.pagerank(graph, personalization=start, tol=1e-15, max_iter=10_000)
        found = nx.pagerank(graph, personalization=start, backend="gts")
        expected = nx.pagerank(graph, personalization=start)
        error = lambda ranks: sum(abs(ranks[node] - exact[node]) for node in graph)
        assert error(found) <= max(error(expected), 1e-13)


def test_a_refused_conversion_is_left_to_networkx(monkeypatch):
    import gts_graph as gts
    from gts_graph.networkx import _graph

    def refuse(*args, **kwargs):
        raise gts.UsageError("no")

    graph = nx.cycle_graph(5)
    monkeypatch.setattr(_graph.Graph, "from_numpy", refuse)
    for call in (nx.triangles, nx.is_connected, nx.pagerank):
        with pytest.raises(NotImplementedError):
            call(graph, backend="gts")
    with pytest.raises(NotImplementedError):
        list(nx.minimum_spanning_edges(graph, backend="gts"))


def test_a_defect_is_not_left_to_networkx(monkeypatch):
    import gts_graph as gts
    from gts_graph.networkx import backend

    def fail(*args, **kwargs):
        raise gts.Error("a defect")

    monkeypatch.setattr(backend, "run", fail)
    with pytest.raises(gts.Error):
        nx.triangles(nx.cycle_graph(5), backend="gts")


def test_graphs_are_freed_at_once():
    import gc
    import weakref

    gc.disable()
    try:
        graph = nx.cycle_graph(5)
        nx.triangles(graph, backend="gts")
        (converted,) = graph.__networkx_cache__["backends"]["gts"].values()
        freed = weakref.ref(converted)
        del converted, graph
        assert freed() is None
    finally:
        gc.enable()
    for function in (nx.connected_components, nx.minimum_spanning_edges):
        assert len(list(function(nx.path_graph(4), backend="gts"))) == len(list(function(nx.path_graph(4))))
    assert len(list(nx.strongly_connected_components(nx.DiGraph([(0, 1), (1, 0)]), backend="gts"))) == 1


def test_conversions_are_kept_until_the_graph_changes():
    graph = nx.cycle_graph(5)
    assert nx.is_connected(graph, backend="gts")
    kept = graph.__networkx_cache__["backends"]["gts"]
    (first,) = kept.values()
    nx.triangles(graph, backend="gts")
    assert list(kept.values()) == [first]
    assert nx.is_connected(pickle.loads(pickle.dumps(graph)), backend="gts")
    graph.add_node(9)
    assert not nx.is_connected(graph, backend="gts")


def test_small_graphs_are_left_to_networkx():
    from gts_graph.networkx import backend

    assert isinstance(backend.should_run("pagerank", (nx.path_graph(4),), {}), str)
    graph = nx.path_graph(4)
    assert isinstance(backend.should_run("pagerank", (backend.convert_from_nx(graph),), {}), str)
    assert backend.should_run("pagerank", (), {"G": nx.path_graph(50_001)}) is True
    assert isinstance(backend.should_run("has_path", (nx.path_graph(50_001), 0, 1), {}), str)


def test_components_are_left_to_networkx_until_the_graph_is_converted():
    from gts_graph.networkx import backend

    graph = nx.path_graph(10_001)
    assert isinstance(backend.should_run("is_connected", (graph,), {}), str)
    nx.pagerank(graph, backend="gts")
    assert backend.should_run("is_connected", (graph,), {}) is True


def test_components_of_graphs_without_cycles_are_in_the_order_of_networkx():
    for graph in graphs(nx.DiGraph, COUNT):
        order = {node: position for position, node in enumerate(graph)}
        graph.remove_edges_from([(u, v) for u, v in graph.edges if order[u] >= order[v]])
        graph = nx.relabel_nodes(graph, dict(zip(graph, random.Random(7).sample(list(graph), len(graph)))))
        expected = list(nx.strongly_connected_components(graph))
        assert list(nx.strongly_connected_components(graph, backend="gts")) == expected


def test_betweenness_of_small_graphs_has_the_bits_of_networkx():
    graph = nx.path_graph(10)
    assert nx.betweenness_centrality(graph, backend="gts") == nx.betweenness_centrality(graph)


def test_documentation_of_networkx_names_the_backend():
    assert "gts :" in nx.pagerank.__doc__
