//! Errors of stores, imports, builds, generators and patterns.

macro_rules! graphs {
    ([$next:ident $($later:ident)*] $($rows:tt)*) => { $next! { [$($later)*] $($rows)*

    2001 StoreAccess: Unread "A store that cannot be read"
        "The system refused to open or read a file of the store. The message contains the system's reason.";
    2002 NotAStore: Absent "A path that is not a store"
        "There is no store at this path. Import a graph with `gts import FILE STORE`, or name the directory of a \
         store.";
    2003 UnfinishedStore: Input "The remains of an interrupted build"
        "A build that was killed left this directory. Remove it, or run `gts clean`, and build again.";
    2004 MovedStore: Absent "A store that was moved aside"
        "A build renamed the old store in order to replace it, and was killed before the new store was in place. Run \
         `gts clean` to rename the old store back.";
    2005 BusyStore "A store that is being replaced"
        "Other programs replaced the store during every attempt to open it. Try again when these programs have \
         finished.";
    2006 ExistingStore: Unwritten "A store that exists already"
        "A build replaces an existing store only if `--force` or the option `replace` is set.";
    2007 NotReplaced: Unwritten "A path that cannot be replaced"
        "A build replaces only stores. The path is not a store, or contains files that do not belong to one. Move the \
         files elsewhere, or choose another name.";
    2008 NamelessStore: Usage "A path without the name of a store"
        "The path does not end with a name, for instance because it ends with `..`. Add the name of the store.";
    2009 OldStoreLeft: Unwritten "An old store that could not be removed"
        "The new store is in place and complete, but the system refused to remove the old one. Remove the old store \
         yourself.";
    2010 StoreVersion: Input "A store of another version"
        "This program does not support the format version of the store. Build the store again from its input, or use a \
         newer version of GTS.";
    2011 DamagedManifest: Input "A manifest that is damaged"
        "A line of the store's manifest is malformed, or contradicts the graph. The store was changed after it was \
         written. Build it again, or fetch it again.";
    2012 StoreFileSize: Input "A store file of the wrong size"
        "A file is shorter or longer than the manifest states, for instance because a copy was cut short. Fetch the \
         store again, or build it again.";
    2013 StoreChecksum: Input "A checksum that does not match"
        "Bytes of the store have changed since they were written. Fetch the store again, or build it again. Check the \
         disk.";
    2014 DamagedPage: Input "A page with an invalid structure"
        "The checksum of the page is correct, but its header, slots or record IDs do not fit the graph. A faulty or \
         foreign program wrote the store: build it again.";
    2015 DamagedTable: Input "A table that is malformed or contradicts the pages"
        "A table of vertices, pages, original IDs or degrees is malformed, or does not match the pages. A faulty or \
         foreign program wrote the store: build it again.";
    2016 UnlikeSides: Input "In-edges that are not the reversed out-edges"
        "A store with both directions contains each edge twice, as an out-edge and as an in-edge. The message names a \
         vertex for which the two do not match. Build the store again.";
    2017 StorePageSize: Usage "Pages that are too small for a store"
        "The graph was built in memory with pages that are smaller than a store supports. Build it with a larger page \
         size.";
    2018 PageRequest "Pages that do not exist, or do not fit the buffer"
        "A program requested pages beyond the end of the store, or passed a buffer that is too small for the pages.";
    2019 StoreBudget: Memory "A memory limit that is too small for the store"
        "The tables of the store and two pages must fit in the host memory that is allowed. Allow at least the amount \
         in the message.";
    2020 StripeFolder: Unwritten "A folder in which a stripe cannot be created"
        "A stripe contains a part of the store's pages, and it cannot be created in this folder. The message states \
         the reason. Name another folder.";
    2021 LostStripe: Absent "A stripe that cannot be opened"
        "The pages of the store are spread over several folders, and one part cannot be opened at the path in the \
         manifest. Move it back to this path, or build the store again.";
    2022 StalledRead: Unread "A read that does not finish"
        "No read of pages has finished within the stall limit. Check the disk, or allow a longer limit.";
    2023 StoppedRead "A read that was stopped"
        "The program stopped waiting for pages, usually because of another error, which is reported too.";
    2024 UnwritableStore: Unwritten "A store that cannot be written"
        "The system refused to create, write or rename a file of the store. The message contains the system's reason. No \
         incomplete store is left.";
    2101 ImportAccess: Unread "A file that cannot be read"
        "The system refused to open or read a file. The message contains the system's reason.";
    2102 CompressedFile: Input "A compressed file that is damaged"
        "The file is truncated or damaged. Fetch it or compress it again.";
    2103 MalformedText: Input "Text that does not follow the format"
        "The message names the file, the line and the column. It states what the format requires there and what the \
         file contains.";
    2104 UnfitColumns: Input "Columns or options that do not fit the file"
        "The columns of an edge could not be determined, or an option does not match the file. For instance, weights \
         were requested from a file without a third column.";
    2105 HeaderCount: Input "A header that does not match its file"
        "The header declares more or fewer items than the file contains, for instance because a download was cut \
         short.";
    2106 OneSidedEdge: Input "An edge that only one of its vertices lists"
        "A METIS file must list each edge at both of its vertices, with the same weight.";
    2107 UnsupportedFile: Input "A kind of file that cannot be imported"
        "GTS does not support this type of file, or this variant of the format. The advice names an alternative.";
    2108 LongLine: Input "A line that is too long"
        "The length of a line is limited, so that a file of the wrong kind does not exhaust the memory. Check that it \
         is the right file.";
    2109 UnknownFormat: Input "A file of an unknown format"
        "Neither the name nor the first lines of the file match a known format. Name the format with `--format`.";
    2110 TextEncoding: Input "Text that is not UTF-8"
        "The file contains bytes that are not valid UTF-8. Convert it, for instance with `iconv -f latin1 -t utf-8`.";
    2111 UnknownColumns: Usage "A malformed description of columns"
        "The columns of a table are written as `source=A,target=B` or `source=A,target=B,weight=C`. Each column is \
         given by its name, or by its number from 1.";
    2112 MissingFile: Absent "A file or store that does not exist"
        "There is nothing at the path in the message. Check the spelling, and the folder in which the command runs.";
    2113 TableCell: Input "A cell that is neither a key nor a weight"
        "A row of a Parquet or Arrow file has no value in a column that edges need, or a value that they cannot have. The \
         message names the file and the row, counted from 1.";
    2114 DamagedColumns: Input "A Parquet or Arrow file that is damaged"
        "The file is truncated or damaged, or its header contradicts its contents. Fetch it or write it again.";
    2115 UnlikeFiles: Input "Files that do not make one graph"
        "All files of a graph have the same columns and declare the same. The message names a file that differs from the \
         first one, and both properties.";
    2116 NoFiles: Absent "A folder or pattern without files"
        "A folder that is not a store must contain graph files, and a pattern such as `part-*` must match the name of at \
         least one. Hidden files and `_SUCCESS` do not count.";
    2201 PageSize: Usage "An invalid page size"
        "A page size is a power of two, so that pages are aligned on disk and in device memory. The message names the \
         smallest and the largest page size.";
    2202 RecordWidth: Usage "An invalid width of record IDs"
        "A record ID consists of a page number and a slot number, each 1 to 4 bytes wide. The two widths are written \
         as `2,2` or `3,3`.";
    2203 EdgeValueType: Usage "An unsupported type of edge values"
        "Edge values are of type u32, i32, f32, u64 or f64.";
    2204 UndeclaredVertex: Input "An edge of a vertex that was not declared"
        "The input declares its vertices, and an edge names a vertex that was not declared. Declare the vertex, or \
         leave the edge out.";
    2205 DeclaredIds: Input "Declared vertices that are out of order or range"
        "An input declares its vertices by original IDs of at most 64 bits, in ascending order.";
    2206 NotSymmetric: Input "Edges in one direction only"
        "The input was declared to contain each edge in both directions, but it does not. Import the input as \
         directed, or correct it.";
    2207 TooManyVertices: Input "Too many vertices"
        "Dense vertex numbers have 32 bits. Build a part of the graph.";
    2208 TooManyEdges: Input "Too many edges at one vertex"
        "A vertex has at most 2^32 - 1 edges. Drop duplicates, or split the vertex.";
    2209 TooManyPages: Usage "Too many pages for the record IDs"
        "Record IDs of this width cannot number all pages. Choose larger pages or wider record IDs.";
    2210 NoValues: Input "Edge values requested from an input without values"
        "A type of edge values was requested, but the edges of the input have no values.";
    2211 UnfitValue: Input "A value that does not fit its type"
        "The value of an edge cannot be represented in the requested type. Choose another type.";
    2212 UnevenBatch "Columns of a batch that differ in length"
        "A stream of edges delivered a batch with different numbers of sources, targets or values. Correct the \
         stream.";
    2213 BuildBudget: Memory "A memory limit that is too small for the build"
        "The vertices of the graph must fit in the memory that the build may use, even if the build sorts the edges on \
         disk.";
    2214 LayersRoot: Absent "An order by layers from a vertex that does not exist"
        "For the order `layers:ID`, a search starts at the vertex with the original ID `ID`. The graph has no such \
         vertex.";
    2215 TooManyLayers: Input "Too many layers for an order by layers"
        "The search for layers found more layers than the order supports, as in a long chain. Choose another order.";
    2216 LayersOnDisk: Memory "An order by layers of a graph that does not fit in memory"
        "The search for layers needs all edges in memory. Allow more memory, or choose another order.";
    2217 UnknownOrder: Usage "An unknown order of vertices"
        "The message lists the orders in which the vertices of a graph can be numbered.";
    2301 UnknownGenerator: Usage "An unknown generator"
        "A generated graph is written as `GENERATOR:SIZE`, such as `rmat:20`. The advice lists the generators.";
    2302 GeneratorSize: Usage "A generator without a size"
        "A colon and the size of the graph follow the name of a generator.";
    2303 GeneratorText: Usage "A malformed description of a generated graph"
        "The message names the malformed part and states what is expected there.";
    2304 GeneratorOption: Usage "An unknown or repeated option of a generator"
        "Options follow the size as `name=value`, each at most once. If the option is unknown, the advice lists the \
         options of this generator.";
    2305 GeneratedTooLarge: Usage "A generated graph that is too large"
        "A graph has fewer than 2^32 vertices, and a generated graph has at most 2^48 edges.";
    2401 PatternLine: Input "A malformed line of a pattern"
        "Each line of a pattern is an edge or a label. An edge is written as two numbers, and a label as `v`, a number \
         and the label.";
    2402 EmptyPattern: Input "A pattern without vertices"
        "A pattern has at least one vertex. Write one edge per line, such as `0 1`.";
    2403 PatternLoop: Input "A pattern with an edge from a vertex to itself"
        "The search ignores edges from a vertex to itself, so a pattern cannot have one.";
    2404 LargePattern: Input "A pattern that is too large"
        "A pattern has at most 32 vertices. Search for a part of it.";
    2405 SplitPattern: Input "A pattern that is not connected"
        "The vertices of a pattern must be connected. Search for each part separately.";
    2406 SecondLabel: Input "A pattern vertex with two labels"
        "A vertex of a pattern has at most one label.";
    } };
}
