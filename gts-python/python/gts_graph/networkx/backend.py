"""The functions of networkx that GTS computes, with the arguments, errors and results of networkx."""

import inspect
import math
from numbers import Real

import networkx as nx  # type: ignore[import-untyped]
import numpy

from .. import _gts
from .._core import run
from .._errors import Error
from . import FUNCTIONS
from ._graph import EXACT, BackendGraph, refusals_left_to_networkx

# The fewest edges for which GTS was faster than networkx, conversion included: random graphs of mean degree 8, two cores.
FEWEST_EDGES = {
    **dict.fromkeys(("betweenness_centrality", "closeness_centrality", "eccentricity", "diameter", "radius"), 500),
    **dict.fromkeys(("clustering", "average_clustering", "transitivity"), 500),
    **dict.fromkeys(("pagerank", "triangles"), 5_000),
    **dict.fromkeys(("core_number", "minimum_spanning_edges"), 20_000),
    **dict.fromkeys(("strongly_connected_components", "single_source_dijkstra_path_length", "k_truss"), 50_000),
    "hits": 100_000,
    "descendants": 200_000,
}
# The same for graphs that were converted before. Components and searches from a node take networkx less than a conversion.
FEWEST_EDGES_IF_CONVERTED = {
    "single_source_dijkstra_path_length": 2_000,
    "strongly_connected_components": 5_000,
    **dict.fromkeys(("connected_components", "number_connected_components", "is_connected"), 10_000),
    **dict.fromkeys(("weakly_connected_components", "single_source_shortest_path_length", "descendants"), 10_000),
}
# networkx visits only the nodes near the given ones.
NEVER_FASTER = ("has_path", "ego_graph")

_LOOPS = (
    "Input graph has self loops which is not permitted; "
    "Consider using G.remove_edges_from(nx.selfloop_edges(G))."
)


def convert_from_nx(graph, **_):
    """Returns a graph of networkx as a graph of the backend."""
    return graph if isinstance(graph, BackendGraph) else BackendGraph(graph)


def convert_to_nx(result, *, name=None):
    """Returns a result as networkx expects it."""
    return result.original if isinstance(result, BackendGraph) else result


def can_run(name, args, kwargs):
    """Returns whether GTS computes a call by the conventions of networkx, or the reason why not."""
    if name not in FUNCTIONS:
        return f"GTS has no function {name}"
    try:
        _gts.check_process()
    except Error as error:
        return error.message
    try:
        bound = inspect.signature(globals()[name]).bind(*args, **kwargs)
        bound.apply_defaults()
        reasons = (rule(**bound.arguments) for rule in _RULES.get(name, ()))
        return next((reason for reason in reasons if reason), True)
    except Exception as error:
        # networkx raises its own exception for arguments of a wrong type.
        return f"unusual arguments: {error}"


def should_run(name, args, kwargs):
    """Returns whether GTS is likely to be faster than networkx, or the reason why not."""
    if name in NEVER_FASTER:
        return "networkx visits only a part of the graph"
    graph = args[0] if args else kwargs["G"]
    fewest = FEWEST_EDGES.get(name, math.inf)
    if isinstance(graph, BackendGraph) or graph.__networkx_cache__.get("backends", {}).get("gts"):
        fewest = min(fewest, FEWEST_EDGES_IF_CONVERTED.get(name, math.inf))
    if graph.number_of_edges() >= fewest:
        return True
    if fewest == math.inf:
        return "networkx is faster than a conversion"
    return f"networkx is faster on graphs with fewer than {fewest:,} edges"


def _answer(algorithm, graph, **options):
    """Runs an algorithm. networkx computes what GTS refuses."""
    with refusals_left_to_networkx():
        return run(algorithm, graph, **options)


def _by_node(G, values):
    """Returns values as a dictionary by node."""
    return dict(zip(G.nodes, values.tolist()))


def _by_distance(G, distances, reached):
    """Returns the distances of the nodes that are reached, nearest first."""
    positions = numpy.flatnonzero(reached)
    distances = distances[positions]
    order = numpy.argsort(distances, kind="stable")
    return dict(zip(map(G.nodes.__getitem__, positions[order].tolist()), distances[order].tolist()))


# Importance


def pagerank(
    G, alpha=0.85, personalization=None, max_iter=100, tol=1.0e-6, nstart=None, weight="weight", dangling=None
):
    """Returns the PageRank of each node. Without ``personalization``, GTS does the iterations that networkx does. With it, GTS
    starts elsewhere, and iterates until the result is more exact than that of networkx."""
    if len(G) == 0:
        return {}
    if max_iter < 1:
        raise nx.PowerIterationFailedConvergence(max_iter)
    # networkx stops if the change is less than the tolerance, and GTS if it is no more.
    tolerance = math.nextafter(len(G) * tol, 0.0)
    options = {"damping": alpha, "weighted": True}
    graph, _ = G.weighted(weight)
    if personalization is None:
        answer = _answer("pagerank", graph, precision="f64", iterations=max_iter, tolerance=tolerance, **options)
        if answer.scalars["change"] > tolerance:
            raise nx.PowerIterationFailedConvergence(max_iter)
        return _by_node(G, answer["rank"])
    (source,) = _sources(G, personalization)
    # The change does not fall below the rounding of ranks, whose sum is 1.
    tolerance = min(tolerance, max(1e-4 * tolerance, 1e-14))
    # An iteration multiplies the change, at most 2, by alpha or less.
    iterations = 2 + math.ceil(math.log(tolerance / 2) / math.log(alpha)) if alpha else 2
    options |= {"source": G.index[source], "iterations": iterations, "tolerance": tolerance}
    answer = _answer("personalised-pagerank", graph, **options)
    if answer.scalars["change"] > tolerance:
        raise NotImplementedError("the ranks converge too slowly")
    return _by_node(G, answer["rank"])


def _sources(G, personalization):
    return [node for node, share in personalization.items() if share and node in G]


def hits(G, max_iter=100, tol=1.0e-8, nstart=None, normalized=True):
    """Returns the hub and authority scores of each node, more exact than ``tol`` by four digits."""
    if len(G) == 0:
        return {}, {}
    if max_iter <= 0:
        raise nx.PowerIterationFailedConvergence(max_iter)
    graph, _ = G.weighted("weight")
    for iterations in (50, 200, 800, 3200):
        answer = _answer("hits", graph, iterations=iterations, norm="sum", weighted=True)
        change = _change_of_hits(G, answer["hub"], answer["authority"])
        if change <= max(1e-4 * tol, 1e-14):
            return _by_node(G, answer["hub"]), _by_node(G, answer["authority"])
    raise NotImplementedError("the scores converge too slowly")


def _change_of_hits(G, hubs, authorities):
    """Returns the change of all authorities in another iteration."""
    weights, _ = G.weights("weight")
    source, target = G.ends.source, G.ends.target
    gathered = numpy.bincount(target, weights * hubs[source], len(G))
    if not G.is_directed():
        gathered += numpy.bincount(source, weights * hubs[target] * (source != target), len(G))
    total = gathered.sum()
    return numpy.abs(gathered / total - authorities).sum() if total > 0 else math.inf


def betweenness_centrality(G, k=None, normalized=True, weight=None, endpoints=False, seed=None):
    """Returns the betweenness of each node, with every node as a source."""
    if len(G) == 0:
        return {}
    sums, pairs = _answer("betweenness", G.plain(simple=True))["centrality"], (len(G) - 1) * (len(G) - 2)
    # Scaled as networkx does it, so that sums of integers give the same bits.
    if normalized:
        return _by_node(G, sums * (1 / pairs) if pairs > 0 else sums)
    return _by_node(G, sums if G.is_directed() else sums * 0.5)


def closeness_centrality(G, u=None, distance=None, wf_improved=True):
    """Returns the closeness of each node, or of the node ``u``, by the paths that lead to it."""
    if u is None:
        return _by_node(G, _answer("closeness", G.plain(), direction="in")["closeness"]) if len(G) else {}
    _check_source(G, u)
    position = G.index[u]
    return float(_answer("closeness", G.plain(), direction="in", source=position)["closeness"][position])


# Triangles and cores


def clustering(G, nodes=None, weight=None):
    """Returns the clustering coefficient of each node, or of some nodes."""
    values = _answer("lcc", G.plain())["coefficient"].tolist() if len(G) else []
    return _of_nodes(G, nodes, [value or 0 for value in values])


def average_clustering(G, nodes=None, weight=None, count_zeros=True):
    """Returns the mean clustering coefficient of all or some nodes."""
    values = clustering(G, nodes).values()
    if not count_zeros:
        values = [value for value in values if value]
    return sum(values) / len(values)


def transitivity(G):
    """Returns the share of pairs of neighbours that are neighbours of each other."""
    if len(G) == 0:
        return 0
    triangles = _answer("triangles", G.plain()).scalars["triangles"]
    proper = G.ends.source != G.ends.target
    degrees = sum(numpy.bincount(end[proper], minlength=len(G)) for end in (G.ends.source, G.ends.target))
    return 6 * triangles / int((degrees * (degrees - 1)).sum()) if triangles else 0


def triangles(G, nodes=None):
    """Returns the number of triangles that contain each node, or some nodes."""
    counts = _answer("triangles", G.plain(), per_vertex=True)["count"].tolist() if len(G) else []
    return _of_nodes(G, nodes, counts)


def _of_nodes(G, nodes, values):
    """Returns the value of a node, or those of some nodes by node."""
    if nodes in G:
        return values[G.index[nodes]]
    return {node: values[G.index[node]] for node in G.original.nbunch_iter(nodes)}


def core_number(G):
    """Returns the core number of each node, by the edges in either direction."""
    if G.has_loops:
        raise nx.NetworkXNotImplemented(_LOOPS)
    return _by_node(G, _answer("k-core", G.plain(undirected=True))["core"]) if len(G) else {}


def k_truss(G, k):
    """Returns the k-truss, a graph of networkx with the attributes of ``G``."""
    if G.has_loops:
        raise nx.NetworkXNotImplemented(_LOOPS)
    graph = G.original.copy()
    if len(G):
        answer = _answer("k-truss", G.plain(), k=max(k, 2))
        truss = answer.tables["subgraph"]
        numbers = truss["source"].astype(numpy.int64) * len(G) + truss["target"].astype(numpy.int64)
        source, target = G.ends.source, G.ends.target
        dropped = ~numpy.isin(source * len(G) + target, numbers)
        graph.remove_edges_from(zip(_names(G, source[dropped]), _names(G, target[dropped])))
        graph.remove_nodes_from(list(_names(G, numpy.flatnonzero(answer["degree"] == 0))))
    return graph


def _names(G, positions):
    return map(G.nodes.__getitem__, positions.tolist())


# Components


def connected_components(G):
    """Returns an iterator of the nodes of each connected component, in the order of their first nodes."""
    return _components(G, G.original, "wcc")


def number_connected_components(G):
    """Returns the number of connected components."""
    return _answer("wcc", G.plain()).scalars["components"] if len(G) else 0


def is_connected(G):
    """Returns whether paths connect all nodes."""
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return number_connected_components(G) == 1


def weakly_connected_components(G):
    """Returns an iterator of the nodes of each weakly connected component, in the order of their first nodes."""
    return _components(G, G.original, "wcc")


def strongly_connected_components(G):
    """Returns an iterator of the nodes of each strongly connected component, after the components that it leads to."""
    return _strong_components(G, G.original)


def _strong_components(G, original):
    components = list(_components(G, original, "scc"))
    numbers = numpy.empty(len(G), numpy.int64)
    for number, nodes in enumerate(components):
        numbers[[G.index[node] for node in nodes]] = number
    source, target = numbers[G.ends.source], numbers[G.ends.target]
    crossing = numpy.flatnonzero(source != target)
    arcs = crossing[numpy.argsort(source[crossing], kind="stable")]
    followers = target[arcs].tolist()
    ends = numpy.cumsum(numpy.bincount(source[arcs], minlength=len(components))).tolist()
    position, is_seen = [0, *ends], bytearray(len(components))
    # Depth first, from the first node on, as networkx visits nodes.
    for root in range(len(components)):
        stack = [] if is_seen[root] else [root]
        is_seen[root] = 1
        while stack:
            number = stack[-1]
            if position[number] == ends[number]:
                yield components[stack.pop()]
                continue
            follower = followers[position[number]]
            position[number] += 1
            if not is_seen[follower]:
                is_seen[follower] = 1
                stack.append(follower)


def _components(G, original, algorithm):
    """Yields the nodes of each component. The reference to ``original`` keeps it alive until then."""
    if len(G) == 0:
        return
    labels = _answer(algorithm, G.plain())["component"]
    order = numpy.argsort(labels, kind="stable")
    starts = numpy.flatnonzero(numpy.diff(labels[order])) + 1
    names = list(_names(G, order))
    for first, last in zip([0, *starts.tolist()], [*starts.tolist(), len(names)]):
        yield set(names[first:last])


# Distances


def eccentricity(G, v=None, sp=None, weight=None):
    """Returns the eccentricity of each node, of some nodes, or of the node ``v``."""
    if v is None:
        return _by_node(G, _eccentricities(G)["eccentricity"]) if len(G) else {}
    found = {}
    for node in G.original.nbunch_iter(v):
        scalars = _answer("bfs", G.plain(), source=G.index[node]).scalars
        if scalars["reached"] != len(G):
            raise _infinite(G)
        found[node] = scalars["depth"]
    return found[v] if v in G else found


def _eccentricities(G):
    """Returns the answer of ``eccentricity`` for all nodes, which must reach each other."""
    if _answer("scc" if G.is_directed() else "wcc", G.plain()).scalars["components"] != 1:
        raise _infinite(G)
    return _answer("eccentricity", G.plain())


def _infinite(G):
    if G.is_directed():
        return nx.NetworkXError("Found infinite path length because the digraph is not strongly connected")
    return nx.NetworkXError("Found infinite path length because the graph is not connected")


def diameter(G, e=None, usebounds=False, weight=None):
    """Returns the largest eccentricity."""
    return _eccentricities(G).scalars["largest"] if len(G) else max(())


def radius(G, e=None, usebounds=False, weight=None):
    """Returns the smallest eccentricity."""
    return _eccentricities(G).scalars["smallest"] if len(G) else min(())


def _check_source(G, source):
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} is not in G")


def _levels(G, source, cutoff=None, undirected=False):
    """Returns the hops from a node to the nodes that it reaches within ``cutoff`` hops, nearest first."""
    options = {"source": G.index[source]}
    if cutoff is None or cutoff >= len(G):
        algorithm = "bfs"
    else:
        algorithm = "k-hop"
        options["hops"] = math.ceil(max(cutoff, 0))
    levels = _answer(algorithm, G.plain(undirected=undirected), **options)["level"]
    return _by_distance(G, numpy.ma.getdata(levels), ~numpy.ma.getmaskarray(levels))


def _distances(G, source, cutoff, weight):
    """Returns the distances from a node to the nodes that it reaches within ``cutoff``: the node, then the nearest first."""
    hash(source)
    if source not in G:
        raise nx.NodeNotFound(f"Node {source} not found in graph")
    graph, kind = G.weighted(weight)
    if kind is None:
        raise NotImplementedError("weights of types that are mixed or not those of Python")
    position = G.index[source]
    distances = _answer("sssp", graph, source=position)["distance"]
    reached = ~numpy.ma.getmaskarray(distances)
    distances = numpy.ma.getdata(distances)
    if kind is int:
        if distances[reached].max() >= EXACT:
            raise NotImplementedError("a distance is an integer that f64 cannot hold")
        distances = numpy.where(reached, distances, 0).astype(numpy.int64)
    if cutoff is not None:
        reached &= distances <= cutoff
        reached[position] = True
    return {source: 0} | _by_distance(G, distances, reached) | {source: 0}


def single_source_shortest_path_length(G, source, cutoff=None):
    """Returns the hops from a node to the nodes that it reaches, nearest first."""
    _check_source(G, source)
    return _levels(G, source, cutoff)


def single_source_dijkstra_path_length(G, source, cutoff=None, weight="weight"):
    """Returns the distances from a node to the nodes that it reaches, nearest first."""
    return _distances(G, source, cutoff, weight)


def has_path(G, source, target):
    """Returns whether a path leads from a node to another."""
    _check_source(G, source)
    if target not in G:
        raise nx.NodeNotFound(f"Target {target} is not in G")
    answer = _answer("st-connectivity", G.plain(), source=G.index[source], target=G.index[target])
    return answer.scalars["connected"]


def descendants(G, source):
    """Returns the nodes that a node reaches, without itself."""
    if source not in G:
        G.original.neighbors(source)
    return set(_levels(G, source)) - {source}


def ego_graph(G, n, radius=1, center=True, undirected=False, distance=None):
    """Returns the graph of the nodes around a node, a graph of networkx with the attributes of ``G``."""
    if distance is None:
        _check_source(G, n)
        near = _levels(G, n, radius, undirected)
    else:
        near = _distances(G, n, radius, distance)
    graph = G.original.subgraph(near).copy()
    if not center:
        graph.remove_node(n)
    return graph


def minimum_spanning_edges(G, algorithm="kruskal", weight="weight", keys=True, data=True, ignore_nan=False):
    """Returns an iterator of the edges of a minimum spanning forest, lightest first.

    GTS gets the places of edges in the order in which Kruskal's algorithm visits them. It therefore chooses the edges that
    networkx chooses, whatever the weights are.
    """
    if len(G) == 0:
        return iter(())
    weights, _ = G.weights(weight)
    if numpy.isnan(weights).any():
        raise NotImplementedError("NaN as a weight")
    order = numpy.argsort(weights, kind="stable")
    ranks = numpy.sort(_answer("spanning-forest", G.ordered(order)).tables["forest"]["weight"])
    chosen = order[ranks]
    edges = zip(_names(G, G.ends.source[chosen]), _names(G, G.ends.target[chosen]))
    original = G.original
    return ((u, v, original[u][v]) for u, v in edges) if data else edges


# Rules of `can_run`: each gets the arguments by name, and returns a reason or None.


def _only(name, value):
    """Returns the rule that an argument has its default."""
    def rule(**arguments):
        given = arguments[name]
        return None if given is value or (isinstance(given, str) and given == value) else f"{name} is not {value!r}"

    return rule


def _no_function(name):
    return lambda **arguments: f"{name} is a function" if callable(arguments[name]) else None


def _no_multigraph(G, **_):
    return "a multigraph" if G.is_multigraph() else None


def _no_directed(G, **_):
    return "a directed graph" if G.is_directed() else None


def _pagerank_converges(G, alpha, personalization, max_iter, tol, **_):
    if not (isinstance(max_iter, int) and 0 <= alpha <= 1 and tol > 0):
        return "an unusual alpha, max_iter or tol"
    if personalization is None or len(G) == 0 or max_iter < 1:
        return None
    sources = _sources(G, personalization)
    if alpha == 1 or len(sources) != 1 or personalization[sources[0]] < 0:
        return "personalization of several nodes, or with alpha=1"
    # A bound on the last change of any iteration.
    return None if 2 * alpha ** (max_iter - 1) < len(G) * tol else "networkx might not converge"


def _has_scores(G, max_iter, **_):
    if len(G) == 1 or (len(G) and not G.number_of_edges()):
        return "a graph without scores"
    return "max_iter below 100" if 0 < max_iter < 100 else None


def _every_source(G, k, **_):
    return None if k is None or k == len(G) else "the nodes of a sample"


def _integer_k(k, **_):
    return None if isinstance(k, int) else "k is not an integer"


def _two_nodes(source, target, **_):
    return "all sources or all targets" if source is None or target is None else None


def _number(name):
    def rule(**arguments):
        value = arguments[name]
        return None if value is None or (isinstance(value, Real) and value == value) else f"{name}={value!r}"

    return rule


def _one_distance(G, undirected, distance, **_):
    if undirected and distance is not None and G.is_directed():
        return "undirected distances in a directed graph"
    return None


_RULES = {
    "pagerank": (_only("nstart", None), _only("dangling", None), _no_function("weight"), _pagerank_converges),
    "hits": (_only("nstart", None), _only("normalized", True), _has_scores),
    "betweenness_centrality": (_only("weight", None), _only("endpoints", False), _every_source),
    "closeness_centrality": (_only("distance", None), _only("wf_improved", True)),
    "clustering": (_no_directed, _no_multigraph, _only("weight", None)),
    "average_clustering": (_no_directed, _no_multigraph, _only("weight", None)),
    "transitivity": (_no_directed, _no_multigraph),
    "triangles": (_no_multigraph,),
    "k_truss": (_integer_k,),
    "eccentricity": (_only("sp", None), _only("weight", None)),
    "diameter": (_only("e", None), _only("usebounds", False), _only("weight", None)),
    "radius": (_only("e", None), _only("usebounds", False), _only("weight", None)),
    "minimum_spanning_edges": (_no_multigraph, _only("algorithm", "kruskal")),
    "single_source_shortest_path_length": (_number("cutoff"),),
    "single_source_dijkstra_path_length": (_number("cutoff"), _no_function("weight")),
    "has_path": (_two_nodes,),
    "ego_graph": (_number("radius"), _no_function("distance"), _one_distance),
}
