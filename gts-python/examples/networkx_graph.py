import networkx as nx

graph = nx.karate_club_graph()
ranks = nx.pagerank(graph, weight=None, backend="gts")
print(sorted(ranks, key=ranks.get, reverse=True)[:3])
