//! Errors of stores, imports, builds, generators and patterns.

macro_rules! graphs {
    ([$next:ident $($later:ident)*] $($rows:tt)*) => { $next! { [$($later)*] $($rows)*

    2001 StoreAccess "A store that cannot be read or written"
        "The system refused to open, read or write a file of the store. The message has the system's reason.";
    2002 NotAStore "A path that is no store"
        "There is no store at this path. Import a graph with `gts import FILE STORE`, or give the directory of a \
         store.";
    2003 UnfinishedStore "The remains of an interrupted build"
        "A build that was killed left this directory. Remove it, or run `gts clean`, and build again.";
    2004 MovedStore "A store that was moved aside"
        "A build renamed the old store to replace it, and was killed before the new one was in place. `gts clean` \
         renames the old one back.";
    2005 BusyStore "A store that is being replaced"
        "Other programs replaced the store during every attempt to open it. Try again when they have ended.";
    2006 ExistingStore "A store that exists already"
        "A store is not replaced unless `--force` or the option `replace` says so.";
    2007 NotReplaced "A path that is not replaced"
        "Only a store is replaced, and what is at this path is none, or contains files that are not a store's. Move \
         them elsewhere, or choose another name.";
    2008 NamelessStore "A path without the name of a store"
        "The path ends with a folder such as `..`. Add the name of the store.";
    2009 OldStoreLeft "An old store that could not be removed"
        "The new store is in place and complete, but the system refused to remove the old one. Remove it.";
    2010 StoreVersion "A store of another version"
        "The store was written by another version of GTS. Build it again from its input, or use a newer version.";
    2011 DamagedManifest "A manifest that is damaged"
        "A line of the store's manifest is malformed, or contradicts the graph. The store was changed after it was \
         written: build it again, or fetch it again.";
    2012 StoreFileSize "A file of a store with the wrong size"
        "A file is shorter or longer than the manifest states, for instance because a copy was cut short. Fetch the \
         store again, or build it again.";
    2013 StoreChecksum "A checksum that does not match"
        "Bytes of the store have changed since they were written. Fetch the store again, or build it again, and check \
         the disk.";
    2014 DamagedPage "A page that contradicts its place"
        "A page has the right checksum, but its header, slots or record IDs do not fit the graph. The store was \
         written by a faulty or foreign program: build it again.";
    2015 DamagedTable "A table that contradicts the pages"
        "A table of vertices, pages, original IDs or degrees does not fit the pages. The store was written by a \
         faulty or foreign program: build it again.";
    2016 UnlikeSides "In-edges that are not the reversed out-edges"
        "A store with both directions lists each edge twice, and this edge is in one direction only. Build the store \
         again.";
    2017 StorePageSize "Pages that are too small for a store"
        "The graph was built in memory with pages that a store does not support. Build it with a larger page size.";
    2018 PageRequest "Pages that do not exist, or do not fit the buffer"
        "A program requested pages beyond the end of the store, or with a buffer that is too small for them.";
    2019 StoreBudget "A memory limit that is too small for the store"
        "The tables of the store and two pages must fit in the memory that may be used. Allow at least the amount in \
         the message.";
    2020 StripeFolder "A folder in which no stripe can be made"
        "A stripe of the store cannot be created in this folder. The message states the reason; name another folder.";
    2021 LostStripe "A stripe that cannot be opened"
        "The pages of the store are spread over several folders, and one of them is not where the manifest says. \
         Bring it back, or build the store again.";
    2022 StalledRead "A read that does not end"
        "No read of pages has ended within the stall limit. Check the disk, or allow a longer limit.";
    2023 StoppedRead "Reading that was stopped"
        "The program stopped waiting for pages, usually because of another error, which is reported too.";
    2101 ImportAccess "A file that cannot be read"
        "The system refused to open or read a file. The message has the system's reason.";
    2102 CompressedFile "A compressed file that is damaged"
        "The file is cut short or damaged. Fetch it or compress it again.";
    2103 MalformedText "Text that does not follow the format"
        "The message names the file, line and column, what the format requires there, and what the file has.";
    2104 UnfitColumns "Columns or options that do not fit the file"
        "The columns of an edge could not be determined, or an option does not match the file, such as weights of a \
         file without a third column.";
    2105 HeaderCount "A header that does not fit its file"
        "The header declares more or fewer items than the file holds, for instance because a download was cut short.";
    2106 OneSidedEdge "An edge that is listed at one end only"
        "A METIS file lists each edge at both of its vertices, with the same weight.";
    2107 UnsupportedFile "A kind of file that cannot be imported"
        "The file has a type, or a variant of its format, that GTS does not read. The advice names a way around it.";
    2108 LongLine "A line that is too long"
        "Lines have a limit, so that a wrong file does not fill the memory. Check that it is the right file.";
    2109 UnknownFormat "A file of an unknown format"
        "Neither the name nor the first lines of the file fit a known format. Name the format with `--format`.";
    2110 TextEncoding "Text that is no UTF-8"
        "The file has bytes that are no UTF-8. Convert it, for instance with `iconv -f latin1 -t utf-8`.";
    2111 UnknownColumns "Unknown names of columns"
        "The columns of a table are given as `source=A,target=B`, perhaps with `weight=C`, each by its name or by its \
         number from 1.";
    2201 PageSize "An invalid page size"
        "A page size is a power of two within the limits that the message names, so that pages are aligned on disk \
         and in device memory.";
    2202 RecordWidth "An invalid width of record IDs"
        "A record ID consists of a page number and a slot number of 1 to 4 bytes each, written as `2,2` or `3,3`.";
    2203 EdgeValueType "A type that edges cannot carry"
        "Edges carry u32, i32, f32, u64 or f64.";
    2204 UndeclaredVertex "An edge of a vertex that was not declared"
        "The input lists its vertices, and an edge names another one. Declare the vertex, or leave the edge out.";
    2205 DeclaredIds "Declared vertices that are out of order or range"
        "Vertices are declared with ascending original IDs of at most 64 bits.";
    2206 NotSymmetric "Edges that come one way only"
        "The input was declared to hold each edge in both directions, and it does not. Import it as directed, or \
         correct it.";
    2207 TooManyVertices "Too many vertices"
        "Dense vertex numbers have 32 bits. Build a part of the graph.";
    2208 TooManyEdges "Too many edges of one vertex"
        "The list of a vertex has more edges than a run of pages can hold. Drop duplicates, or split the vertex.";
    2209 TooManyPages "Too many pages for the record IDs"
        "Record IDs of this width cannot number all pages. Choose larger pages or wider record IDs.";
    2210 NoValues "Values of edges that have none"
        "A type of edge values was requested, and the input has no values.";
    2211 UnfitValue "A value that does not fit its type"
        "The value of an edge cannot be represented in the requested type. Choose another type.";
    2212 UnevenBatch "Columns of a batch that differ in length"
        "A stream of edges delivered a batch with different numbers of sources, targets or values. Correct the \
         stream.";
    2213 BuildBudget "A memory limit that is too small for the build"
        "The vertices of the graph must fit in the memory that the build may use, also when its edges are sorted on \
         disk.";
    2214 LayersRoot "An order by layers from a vertex that does not exist"
        "The order `layers:ID` searches from a vertex of the graph, given by its original ID.";
    2215 TooManyLayers "An order by layers of a graph that has too many"
        "The search for layers found more layers than the order supports, as in a long chain. Choose another order.";
    2216 LayersOnDisk "An order by layers of a graph that does not fit in memory"
        "The search for layers needs all edges in memory. Allow more memory, or choose another order.";
    2217 UnknownOrder "An unknown order of vertices"
        "The vertices of a graph are numbered in one of the orders that the message names.";
    2301 UnknownGenerator "An unknown generator"
        "A generated graph is named as `GENERATOR:SIZE`, such as `rmat:20`. The message lists the generators.";
    2302 GeneratorSize "A generator without a size"
        "The name of a generator is followed by a colon and the size of the graph.";
    2303 GeneratorText "A malformed description of a generated graph"
        "The message names the part that is malformed, and what is expected there.";
    2304 GeneratorOption "An option that the generator does not take"
        "Options follow the size as `name=value`, each once. The message lists those of this generator.";
    2305 GeneratedTooLarge "A generated graph that is too large"
        "A graph has fewer than 2^32 vertices, and at most 2^48 edges are generated.";
    2401 PatternLine "A line that belongs to no pattern"
        "A line of a pattern is an edge, two numbers, or a label: `v`, a number and the label.";
    2402 EmptyPattern "A pattern without vertices"
        "A pattern has at least one edge, such as `0 1`.";
    2403 PatternLoop "A pattern with an edge from a vertex to itself"
        "Matches are found in graphs without such edges, so the pattern cannot have one.";
    2404 LargePattern "A pattern that is too large"
        "A pattern has at most 32 vertices. Search for a part of it.";
    2405 SplitPattern "A pattern of several parts"
        "The vertices of a pattern are connected. Search for each part by itself.";
    2406 SecondLabel "A pattern vertex with two labels"
        "A vertex of a pattern has one label at most.";
    } };
}
