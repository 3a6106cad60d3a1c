"""Weighted ranks against networkx and scipy, on graphs with loops, parallel edges, zero weights and dangling vertices.

    python weights.py references FILE       computes the references, with networkx and scipy
    python weights.py compare FILE DEVICE   compares GTS with them, in memory and streamed
"""

import pickle
import sys
import tempfile
from pathlib import Path

import gts_graph as gts
import numpy as np

GRAPHS = 20
ITERATIONS = 400
CLOSE = 1e-9


def graph_of(seed):
    """Returns the number of vertices, and the sources, targets and weights of the edges, of a random graph."""
    generator = np.random.default_rng(seed)
    vertices = int(generator.integers(5, 200))
    edges = int(generator.integers(2 * vertices, 6 * vertices))
    # The last tenth of the vertices has no edges out.
    source = generator.integers(0, vertices - vertices // 10, edges)
    target = generator.integers(0, vertices, edges)
    source[:3], target[:3] = 1, [1, 1, 2]
    weights = generator.integers(0, 5, edges) * generator.random(edges)
    weights[source == 3] = 0
    return vertices, source, target, weights


def references():
    """Returns for each graph the ranks, the ranks from vertex 0, hubs and authorities; None if HITS has several answers."""
    import networkx as nx
    import scipy.sparse

    found = []
    for seed in range(GRAPHS):
        vertices, source, target, weights = graph_of(seed)
        graph = nx.MultiDiGraph()
        graph.add_nodes_from(range(vertices))
        graph.add_weighted_edges_from(zip(source.tolist(), target.tolist(), weights.tolist()))
        by_networkx = [nx.pagerank(graph, personalization=start, tol=1e-14, max_iter=2000) for start in (None, {0: 1})]
        ranks, personal = ([ranks[vertex] for vertex in range(vertices)] for ranks in by_networkx)
        matrix = scipy.sparse.coo_array((weights, (source, target)), shape=(vertices, vertices)).toarray()
        for start, by_power in ((np.full(vertices, 1 / vertices), ranks), (np.eye(vertices)[0], personal)):
            sums = matrix.sum(axis=1)
            moves = np.where(sums[:, None] > 0, matrix / np.where(sums > 0, sums, 1)[:, None], start)
            direct = np.linalg.solve(np.eye(vertices) - 0.85 * moves.T, 0.15 * start)
            assert np.abs(direct - by_power).max() < CLOSE / 10
        left, values, right = np.linalg.svd(matrix)
        scores = None
        if values[1] < 0.95 * values[0]:
            hubs, authorities = np.abs(left[:, 0]), np.abs(right[0])
            hubs, authorities = hubs / hubs.sum(), authorities / authorities.sum()
            by_networkx = nx.hits(graph, tol=1e-14, max_iter=2000)
            for scores, expected in zip(by_networkx, (hubs, authorities)):
                assert np.abs(np.array([scores[vertex] for vertex in range(vertices)]) - expected).max() < CLOSE / 10
            scores = hubs, authorities
        found.append((np.array(ranks), np.array(personal), scores))
    return found


def compare(references, device, propagation="auto"):
    """Returns the largest differences of the ranks, the ranks from vertex 0, hubs and authorities."""
    worst = [0.0, 0.0, 0.0]
    for seed, (ranks, personal, scores) in enumerate(references):
        vertices, source, target, weights = graph_of(seed)
        graph = gts.Graph.from_numpy(source, target, weights, vertices=vertices, weights="f64", in_edges=True, page_size=4096)
        with tempfile.TemporaryDirectory() as folder:
            graph.save(Path(folder) / "a.gts")
            streamed = gts.Graph.open(Path(folder) / "a.gts", host_memory=64 << 10)
            for form in (graph, streamed):
                options = {"weighted": True, "iterations": ITERATIONS, "device": device, "propagation": propagation}
                found = gts.pagerank(form, precision="f64", **options)["rank"]
                worst[0] = max(worst[0], np.abs(found - ranks).max())
                found = gts.personalised_pagerank(form, source=0, **options)["rank"]
                worst[1] = max(worst[1], np.abs(found - personal).max())
                if scores is not None:
                    found = gts.hits(form, norm="sum", **options)
                    for name, expected in zip(("hub", "authority"), scores):
                        worst[2] = max(worst[2], np.abs(found[name] - expected).max())
    return worst


if __name__ == "__main__":
    path = Path(sys.argv[2])
    if sys.argv[1] == "references":
        path.write_bytes(pickle.dumps(references()))
    else:
        known = pickle.loads(path.read_bytes())
        for propagation in ("push", "pull"):
            worst = compare(known, sys.argv[3], propagation)
            compared = sum(scores is not None for _, _, scores in known)
            print(f"{sys.argv[3]}, {propagation}: {len(known)} graphs, HITS on {compared}, the largest differences are {worst}")
            assert max(worst) <= CLOSE
