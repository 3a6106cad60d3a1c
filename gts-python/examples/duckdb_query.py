import duckdb
import gts_graph as gts

edges = duckdb.sql(
    "select source, target from 'packages.parquet' where source like 'lib%'"
)
components = gts.wcc(gts.Graph.from_arrow(edges))
print(
    duckdb.sql(
        """
        select component, count(*) as packages
        from components group by component order by packages desc limit 3
        """
    )
)
