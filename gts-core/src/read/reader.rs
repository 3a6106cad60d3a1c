//! The builder that reads a graph.

use super::{GraphSource, Needs, WeightChoice};
use crate::build::{BuildOptions, OrderChoice, ProgressFn};
use crate::graph::KeyKind;
use crate::import::{Columns, Delimiter, Format};
use crate::page::{EdgeValue, IdWidth};
use crate::store::OpenOptions;
use std::ffi::{OsStr, OsString};
use std::time::Duration;

/// Reads a graph by name, with options. Created by [`Graph::reader`](crate::graph::Graph::reader) or from a
/// [`GraphSource`].
///
/// A store is finished: an option that would change its graph is an error. Options that describe a file, such as
/// [`columns`](Self::columns), are errors for a generator.
///
/// ```
/// use gts_core::graph::Graph;
///
/// let path = std::env::temp_dir().join(format!("gts-reader-{}.csv", std::process::id()));
/// std::fs::write(&path, "from,to,km\n1,2,0.5\n2,3,1.5\n")?;
/// let reader = Graph::reader(&path).columns("source=from,target=to,weight=km".parse()?);
/// let graph = reader.weights::<f32>().undirected(true).read()?;
/// assert_eq!((graph.num_vertices(), graph.num_undirected_edges()), (3, Some(2)));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a reader does nothing until `read` is called"]
pub struct GraphReader {
    pub(super) names: GraphNames,
    pub(super) build: BuildOptions,
    pub(super) format: Option<Format>,
    pub(super) columns: Option<Columns>,
    pub(super) weights: Option<WeightChoice>,
    pub(super) keys: Option<KeyKind>,
    pub(super) header: Option<bool>,
    pub(super) delimiter: Option<Delimiter>,
    pub(super) decimal_comma: bool,
    pub(super) comment: Option<String>,
    pub(super) skip: u64,
    pub(super) directed: bool,
    pub(super) bipartite: bool,
    pub(super) needs: Option<Needs>,
    pub(super) opening: OpenOptions,
    /// The given options that change a graph: the flag and the method of each.
    pub(super) given: Vec<(&'static str, &'static str)>,
}

/// The names of a graph's files, or its source if that is known.
#[derive(Clone, Debug)]
pub(super) enum GraphNames {
    Texts(Vec<OsString>),
    Source(GraphSource),
}

impl From<GraphSource> for GraphReader {
    fn from(source: GraphSource) -> Self {
        Self::of(GraphNames::Source(source))
    }
}

impl GraphReader {
    pub(super) fn new(name: &OsStr) -> Self {
        Self::of(GraphNames::Texts(vec![name.to_owned()]))
    }

    fn of(names: GraphNames) -> Self {
        Self {
            names,
            build: BuildOptions::default(),
            format: None,
            columns: None,
            weights: None,
            keys: None,
            header: None,
            delimiter: None,
            decimal_comma: false,
            comment: None,
            skip: 0,
            directed: false,
            bipartite: false,
            needs: None,
            opening: OpenOptions::default(),
            given: Vec::new(),
        }
    }

    /// Records whether an option is set.
    fn give(mut self, flag: &'static str, method: &'static str, is_given: bool) -> Self {
        self.given.retain(|(other, _)| *other != flag);
        if is_given {
            self.given.push((flag, method));
        }
        self
    }

    /// Sets the bytes per page: see [`BuildOptions::page_size`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// let graph = Graph::reader("rmat:6").page_size(4096).read()?;
    /// assert_eq!(graph.out_topology().format().page_size(), 4096);
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
    pub fn page_size(mut self, bytes: u32) -> Self {
        self.build.page_size = Some(bytes);
        self.give("--page-size", "page_size", true)
    }

    /// Sets the width of record IDs. The default depends on the graph's size.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// # use gts_core::page::IdWidth;
    /// let width = IdWidth::new(2, 2)?;
    /// let graph = Graph::reader("rmat:6").width(width).read()?;
    /// assert_eq!(graph.out_topology().format().width(), width);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn width(mut self, width: IdWidth) -> Self {
        self.build.width = Some(width);
        self.give("--record-ids", "width", true)
    }

    /// Sets the order of the vertices. The default is ascending original IDs.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::{Graph, VertexOrder};
    /// let graph = Graph::reader("rmat:6").order(VertexOrder::Degree).read()?;
    /// assert!(graph.heads().is_some());
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
    pub fn order(mut self, order: impl Into<OrderChoice>) -> Self {
        self.build.order = order.into();
        self.give("--order", "order", true)
    }

    /// Adds a file, a folder of files or a pattern of names, whose edges belong to the same graph. All files must have
    /// the same columns. Their order does not matter.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// # let path = |name| std::env::temp_dir().join(format!("gts-and-{name}-{}.txt", std::process::id()));
    /// # let (first, second) = (path("first"), path("second"));
    /// # std::fs::write(&first, "1 2\n").expect("a file");
    /// # std::fs::write(&second, "2 3\n").expect("a file");
    /// let graph = Graph::reader(&first).and(&second).read()?;
    /// assert_eq!(graph.num_edges(), 2);
    /// # [first, second].map(|path| std::fs::remove_file(path).expect("a file"));
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
    pub fn and(mut self, name: impl AsRef<OsStr>) -> Self {
        match &mut self.names {
            GraphNames::Texts(names) => names.push(name.as_ref().to_owned()),
            GraphNames::Source(GraphSource::Files(files)) => files.push(name.as_ref().into()),
            GraphNames::Source(source) => {
                self.names = GraphNames::Texts(vec![source.to_string().into(), name.as_ref().to_owned()]);
            }
        }
        self
    }

    /// Sets the format of a file. By default, the format follows from the name and the contents.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// # use gts_core::import::Format;
    /// # let path = std::env::temp_dir().join(format!("gts-format-{}", std::process::id()));
    /// # std::fs::write(&path, "1;2\n").expect("a file");
    /// let graph = Graph::reader(&path).format(Format::Csv).read()?;
    /// assert_eq!(graph.num_edges(), 1);
    /// # std::fs::remove_file(&path).expect("a file");
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
    pub fn format(mut self, format: Format) -> Self {
        self.format = Some(format);
        self.give("--format", "format", true)
    }

    /// Sets the columns of the ends and the weight in CSV files, edge lists, Graphalytics files and typed tables. By
    /// default, columns are chosen by the header or by position.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// # let path = std::env::temp_dir().join(format!("gts-columns-{}.txt", std::process::id()));
    /// # std::fs::write(&path, "7 1 2\n").expect("a file");
    /// let graph = Graph::reader(&path).columns("source=2,target=3".parse()?).read()?;
    /// assert!(graph.ids().ascending().eq([1, 2]));
    /// # std::fs::remove_file(&path).expect("a file");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn columns(mut self, columns: Columns) -> Self {
        self.columns = Some(columns);
        self.give("--columns", "columns", true)
    }

    /// Sets the type of the keys in edge lists, CSV files and typed tables. By default, the first edge or the type of the
    /// columns determines it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::{Graph, KeyKind};
    /// # let path = std::env::temp_dir().join(format!("gts-keys-{}.txt", std::process::id()));
    /// # std::fs::write(&path, "007 7\n").expect("a file");
    /// let graph = Graph::reader(&path).keys(KeyKind::Text).read()?;
    /// assert_eq!(graph.num_vertices(), 2);
    /// assert!(graph.vertex("007").is_ok());
    /// # std::fs::remove_file(&path).expect("a file");
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
    pub fn keys(mut self, kind: KeyKind) -> Self {
        self.keys = Some(kind);
        self.give("--keys", "keys", true)
    }

    /// Sets whether the first record of a CSV file or an edge list is a header. By default, a record of column names above
    /// numbers is one.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// # let path = std::env::temp_dir().join(format!("gts-header-{}.csv", std::process::id()));
    /// # std::fs::write(&path, "alice,bob\nbob,carol\n").expect("a file");
    /// let graph = Graph::reader(&path).header(false).read()?;
    /// assert_eq!(graph.num_edges(), 2);
    /// # std::fs::remove_file(&path).expect("a file");
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
    pub fn header(mut self, present: bool) -> Self {
        self.header = Some(present);
        self.give("--header", "header", true)
    }

    /// Sets the delimiter of the fields of a table. By default, the first record determines it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// use gts_core::import::Delimiter;
    ///
    /// # let path = std::env::temp_dir().join(format!("gts-delimiter-{}.txt", std::process::id()));
    /// # std::fs::write(&path, "1|2\n2|3\n").expect("a file");
    /// let graph = Graph::reader(&path).delimiter(Delimiter::Sign(b'|')).read()?;
    /// assert_eq!(graph.num_edges(), 2);
    /// # std::fs::remove_file(&path).expect("a file");
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
    pub fn delimiter(mut self, delimiter: Delimiter) -> Self {
        self.delimiter = Some(delimiter);
        self.give("--delimiter", "delimiter", true)
    }

    /// Sets whether the weights of a table have a decimal comma in place of a point.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// # let path = std::env::temp_dir().join(format!("gts-decimal-comma-{}.txt", std::process::id()));
    /// # std::fs::write(&path, "1;2;0,5\n").expect("a file");
    /// let graph = Graph::reader(&path).decimal_comma(true).read()?;
    /// assert_eq!(graph.value_extremes::<f32>().transpose()?, Some([0.5, 0.5]));
    /// # std::fs::remove_file(&path).expect("a file");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn decimal_comma(mut self, wanted: bool) -> Self {
        self.decimal_comma = wanted;
        self.give("--decimal-comma", "decimal_comma", wanted)
    }

    /// Sets the signs that begin a comment in a table. By default, these are `#` in CSV files, and `#` and `%` in edge
    /// lists.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// # let path = std::env::temp_dir().join(format!("gts-comment-{}.txt", std::process::id()));
    /// # std::fs::write(&path, "! an export\n1 2\n").expect("a file");
    /// let graph = Graph::reader(&path).comment("!").read()?;
    /// assert_eq!(graph.num_edges(), 1);
    /// # std::fs::remove_file(&path).expect("a file");
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
    pub fn comment(mut self, signs: impl Into<String>) -> Self {
        self.comment = Some(signs.into());
        self.give("--comment", "comment", true)
    }

    /// Sets the type of the weights. A file without weights is then an error, and a generator draws weights of this
    /// type. With `()`, weights are not read. By default, a file's weights have the narrowest type that preserves them.
    ///
    /// # Examples
    ///
    /// ```
    /// use gts_core::graph::Graph;
    ///
    /// let graph = Graph::reader("chain:3").weights::<f64>().read()?;
    /// assert!(graph.weighted_edges::<f64>().is_some());
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
    pub fn weights<V: EdgeValue>(self) -> Self {
        self.choose_weights(V::SCALAR.map_or(WeightChoice::None, WeightChoice::Type))
    }

    /// Sets the weights as [`weights`](Self::weights) does, for a type known only at run time. Can also set every weight
    /// to 1.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// use gts_core::read::WeightChoice;
    ///
    /// let graph = Graph::reader("rmat:6").choose_weights(WeightChoice::One).read()?;
    /// assert_eq!(graph.value_extremes::<u32>().transpose()?, Some([1.0, 1.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn choose_weights(mut self, choice: impl Into<WeightChoice>) -> Self {
        self.weights = Some(choice.into());
        self.give("--weights", "weights", true)
    }

    /// Sets the number of lines to skip at the beginning of a file. Comments in these lines still determine whether an
    /// edge list is undirected.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// # let path = std::env::temp_dir().join(format!("gts-skip-{}.txt", std::process::id()));
    /// # std::fs::write(&path, "3 2\n1 2\n2 3\n").expect("a file");
    /// let graph = Graph::reader(&path).skip(1).read()?;
    /// assert_eq!(graph.num_edges(), 2);
    /// # std::fs::remove_file(&path).expect("a file");
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
    pub fn skip(mut self, lines: u64) -> Self {
        self.skip = lines;
        self.give("--skip", "skip", lines > 0)
    }

    /// Sets whether each edge is read as one arc, even if an edge list or a table declares its edges undirected.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// # let path = std::env::temp_dir().join(format!("gts-directed-{}.txt", std::process::id()));
    /// # std::fs::write(&path, "# Undirected graph\n1 2\n2 3\n").expect("a file");
    /// let graph = Graph::reader(&path).directed(true).read()?;
    /// assert_eq!(graph.num_edges(), 2);
    /// # std::fs::remove_file(&path).expect("a file");
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
    pub fn directed(mut self, wanted: bool) -> Self {
        self.directed = wanted;
        self.give("--directed", "directed", wanted)
    }

    /// Sets whether the left and the right ends of edges are different vertices, even if their keys are equal.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::{Graph, Key};
    /// # let path = std::env::temp_dir().join(format!("gts-bipartite-{}.txt", std::process::id()));
    /// # std::fs::write(&path, "1 1\n1 2\n").expect("a file");
    /// let graph = Graph::reader(&path).bipartite(true).read()?;
    /// assert_eq!(graph.num_vertices(), 3);
    /// assert!(graph.vertex(Key::Right(Box::new(2.into()))).is_ok());
    /// # std::fs::remove_file(&path).expect("a file");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bipartite(mut self, wanted: bool) -> Self {
        self.bipartite = wanted;
        self.give("--bipartite", "bipartite", wanted)
    }

    /// Sets whether each edge represents both directions.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// let graph = Graph::reader("rmat:6").undirected(true).read()?;
    /// assert!(graph.properties().symmetric);
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
    pub fn undirected(mut self, wanted: bool) -> Self {
        self.build.undirected = wanted;
        self.give("--undirected", "undirected", wanted)
    }

    /// Sets whether to add missing reverse edges. Of duplicate edges, only one is kept.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// let graph = Graph::reader("rmat:6").symmetrise(true).read()?;
    /// assert!(graph.properties().symmetric);
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
    pub fn symmetrise(mut self, wanted: bool) -> Self {
        self.build.symmetrise = wanted;
        self.give("--symmetrise", "symmetrise", wanted)
    }

    /// Sets whether to store in-edges in addition to out-edges.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// let graph = Graph::reader("rmat:6").in_edges(true).read()?;
    /// assert!(graph.topology(gts_contract::Side::In).is_some());
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
    pub fn in_edges(mut self, wanted: bool) -> Self {
        self.build.in_edges = wanted;
        self.give("--in-edges", "in_edges", wanted)
    }

    /// Sets whether to drop edges from a vertex to itself.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// let graph = Graph::reader("rmat:6").drop_self_loops(true).read()?;
    /// assert!(graph.edges().flatten().all(|(src, dst)| src != dst));
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
    pub fn drop_self_loops(mut self, wanted: bool) -> Self {
        self.build.drop_self_loops = wanted;
        self.give("--drop-self-loops", "drop_self_loops", wanted)
    }

    /// Sets whether to drop duplicate edges. Of several edges between the same vertices, the one with the smallest
    /// value is kept.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// let graph = Graph::reader("rmat:6").drop_duplicates(true).read()?;
    /// assert!(graph.num_edges() < 16 << 6);
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
    pub fn drop_duplicates(mut self, wanted: bool) -> Self {
        self.build.drop_duplicates = wanted;
        self.give("--drop-duplicates", "drop_duplicates", wanted)
    }

    /// Sets the memory limit of a build in bytes. By default, there is no limit.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// let graph = Graph::reader("rmat:6").memory(64 << 20).read()?;
    /// assert_eq!(graph.num_vertices(), 64);
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
    pub fn memory(mut self, bytes: u64) -> Self {
        self.build.memory = Some(bytes);
        self.give("--memory", "memory", true)
    }

    /// Sets the properties that an algorithm requires. A build adds them: the in-edges, the reverse edges, and weights
    /// of an accepted type. Weights that the algorithm does not use are left out, with a note.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// use gts_contract::ScalarType;
    /// use gts_core::read::Needs;
    ///
    /// let needs = Needs { weights: &[ScalarType::F32], in_edges: true, symmetric: false };
    /// let graph = Graph::reader("rmat:6").needs(needs).read()?;
    /// assert_eq!(graph.value_type(), Some(ScalarType::F32));
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
    pub fn needs(mut self, needs: Needs) -> Self {
        self.needs = Some(needs);
        self
    }

    /// Sets the limit of host memory for the tables and pages of a store, in bytes: see [`OpenOptions::host_memory`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// # let store = std::env::temp_dir().join(format!("gts-host-memory-{}.gts", std::process::id()));
    /// # Graph::read("rmat:6")?.save(&store)?;
    /// let graph = Graph::reader(&store).host_memory(64 << 20).read()?;
    /// assert!(graph.is_resident());
    /// # gts_core::store::remove(&gts_core::store::io::FileSystem, &store)?;
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
    pub fn host_memory(mut self, bytes: u64) -> Self {
        self.opening.host_memory = Some(bytes);
        self
    }

    /// Sets the maximum time without a completed read of a store's pages: see [`OpenOptions::stall_limit`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// # let store = std::env::temp_dir().join(format!("gts-stall-limit-{}.gts", std::process::id()));
    /// # Graph::read("rmat:6")?.save(&store)?;
    /// use std::time::Duration;
    ///
    /// let graph = Graph::reader(&store).stall_limit(Duration::from_secs(10)).read()?;
    /// assert_eq!(graph.num_vertices(), 64);
    /// # gts_core::store::remove(&gts_core::store::io::FileSystem, &store)?;
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
    pub fn stall_limit(mut self, limit: Duration) -> Self {
        self.opening.stall_limit = Some(limit);
        self
    }

    /// Sets all options for opening a store.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// # let store = std::env::temp_dir().join(format!("gts-opening-{}.gts", std::process::id()));
    /// # Graph::read("rmat:6")?.save(&store)?;
    /// use gts_core::store::OpenOptions;
    ///
    /// let options = OpenOptions { host_memory: Some(64 << 20), ..OpenOptions::default() };
    /// let graph = Graph::reader(&store).opening(options).read()?;
    /// assert_eq!(graph.num_vertices(), 64);
    /// # gts_core::store::remove(&gts_core::store::io::FileSystem, &store)?;
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
    pub fn opening(mut self, options: OpenOptions) -> Self {
        self.opening = options;
        self
    }

    /// Sets all options of a build.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// use gts_core::build::BuildOptions;
    ///
    /// let options = BuildOptions { in_edges: true, ..BuildOptions::default() };
    /// let graph = Graph::reader("rmat:6").options(options).read()?;
    /// assert!(graph.topology(gts_contract::Side::In).is_some());
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
    pub fn options(mut self, options: BuildOptions) -> Self {
        self.build = options;
        self.give("BuildOptions", "options", true)
    }

    /// Sets a callback that receives the progress of a build, or of opening a store.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// # use std::sync::Arc;
    /// let graph = Graph::reader("rmat:6").progress(Arc::new(|progress| println!("{progress:?}"))).read()?;
    /// assert_eq!(graph.num_vertices(), 64);
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
    pub fn progress(mut self, progress: ProgressFn) -> Self {
        self.build.progress = Some(progress);
        self
    }
}
