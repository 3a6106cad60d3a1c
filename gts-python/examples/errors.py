import gts_graph as gts

graph = gts.Graph.read("packages.parquet")
try:
    gts.bfs(graph, source="libc7")
except gts.Error as error:
    print(error)
    print(gts.explain(error.code)["title"])
