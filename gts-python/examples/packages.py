import gts_graph as gts
import polars as pl

graph = gts.Graph.read("packages.parquet")
ranks = gts.pagerank(graph).to_polars()
print(ranks.top_k(10, by="rank"))
