//! The entry points of kernel programs, in a table with the properties of each entry point.
//!
//! A macro generates a kernel's code for a single vertex or edge. The program of a launch ends with the entry points
//! that the launch requires, and contains no other entry points.

use super::arguments::slots;
use super::matching::SearchArguments;
use super::steps::{ClaimArguments, StepArguments};
use gts_contract::{AttributeKind, EdgeLayout, KernelDescriptor, KernelKind, StepLoop, Technique};
use gts_device::kernel::SEARCH;
use std::sync::LazyLock;

/// An entry point of a kernel's program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entry {
    /// Walks small pages with the given technique.
    SmallPages(Technique),
    /// Walks small pages that stay in host memory. Reads only the lists of active vertices.
    InPlace,
    /// Walks large pages. All threads share the list of a page's single vertex, regardless of the technique.
    LargePages,
    /// Walks an edge list, which contains the edges of small and large pages.
    EdgeList(EdgeLayout),
    /// Computes the value that each vertex passes to its edges in a pulling scan.
    HandOut,
    /// Walks small pages of the opposite topology with the given technique. The vertices of these pages pull.
    PullSmallPages(Technique),
    /// Walks large pages of the opposite topology. The vertices of these pages pull.
    PullLargePages,
    /// Runs the steps of a traversal in order, without involving the host.
    Steps,
    /// Claims the vertices that are settled before the first step, so that steps skip these vertices.
    Claim,
    /// Runs the steps of a traversal, and claims each vertex that a step reaches.
    ClaimingSteps,
    /// Visits every vertex.
    AllVertices,
    /// Visits every active vertex.
    ActiveVertices,
    /// Walks small and large pages, and intersects the lists of both ends of each edge.
    Intersection,
    /// Counts the matches of a pattern.
    CountMatches,
    /// Lists the matches of a pattern.
    ListMatches,
}

/// The form of an entry point. The form determines the fixed parts of the entry point's program. Entry points can share
/// a program if their forms require the same macro ([`EntryForm::define`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryForm {
    Push,
    EdgeList,
    Pull,
    Steps,
    Claims,
    Vertices,
    Intersection,
    Search,
}

impl EntryForm {
    /// Returns the macro that a program of this form defines, or `None` if the form needs no macro.
    pub(super) fn define(self) -> Option<&'static str> {
        match self {
            Self::Pull => Some("GTS_PULLS"),
            Self::Steps => Some("GTS_STEPS"),
            Self::Claims => Some("GTS_CLAIMS"),
            Self::Push | Self::EdgeList | Self::Vertices | Self::Intersection | Self::Search => None,
        }
    }
}

/// The loops over small pages for each technique that walks pages: the loop that pushes, then the loop that pulls.
const TECHNIQUES: [(Technique, &str, &str); 9] = {
    use gts_contract::VirtualWarp::{W2, W4, W8, W16, W32, W64};
    [
        (Technique::Vertex, "gts_by_vertex<1>", "gts_pull_by_vertex<1>"),
        (Technique::Edge(W2), "gts_by_vertex<2>", "gts_pull_by_vertex<2>"),
        (Technique::Edge(W4), "gts_by_vertex<4>", "gts_pull_by_vertex<4>"),
        (Technique::Edge(W8), "gts_by_vertex<8>", "gts_pull_by_vertex<8>"),
        (Technique::Edge(W16), "gts_by_vertex<16>", "gts_pull_by_vertex<16>"),
        (Technique::Edge(W32), "gts_by_vertex<32>", "gts_pull_by_vertex<32>"),
        (Technique::Edge(W64), "gts_by_vertex<64>", "gts_pull_by_vertex<64>"),
        (Technique::Balanced, "gts_balanced", "gts_pull_balanced"),
        (Technique::Hybrid, "gts_hybrid", "gts_pull_hybrid"),
    ]
};

/// The loop over edge lists for each layout.
const LISTS: [(EdgeLayout, &str); 2] = [(EdgeLayout::Arrays, "gts_edge_arrays"), (EdgeLayout::Pairs, "gts_edge_pairs")];

/// The launch bounds of an entry point, and the type and size of its additional argument, if any.
type LaunchBounds = (&'static str, Option<(&'static str, usize)>);

const PLAIN: LaunchBounds = ("GTS_BLOCK", None);
const STEPS: LaunchBounds = ("GTS_STEPS_THREADS", Some(("gts_steps", size_of::<StepArguments>())));
const CLAIM: LaunchBounds = ("GTS_BLOCK", Some(("gts_claims", size_of::<ClaimArguments>())));
const SEARCHING: LaunchBounds = ("GTS_BLOCK, GTS_SEARCH_BLOCKS", None);
const CLAIMING: LaunchBounds = ("GTS_CLAIMING_THREADS", Some(("gts_claims", size_of::<ClaimArguments>())));

/// A row of the table: the properties of an entry point.
struct EntryRow {
    entry: Entry,
    /// The entry point's name on the command line.
    name: String,
    /// The suffix of the entry point's symbol in a program.
    suffix: String,
    form: EntryForm,
    /// Returns whether a kernel has the entry point.
    needs: fn(&KernelDescriptor) -> bool,
    launch: LaunchBounds,
    /// The device function that the entry point runs.
    function: String,
}

impl EntryRow {
    fn new(
        entry: Entry,
        names: (&str, &str),
        form: EntryForm,
        needs: fn(&KernelDescriptor) -> bool,
        function: &str,
    ) -> Self {
        let (name, suffix) = (names.0.to_owned(), names.1.to_owned());
        Self { entry, name, suffix, form, needs, launch: PLAIN, function: function.to_owned() }
    }

    fn launched(self, launch: LaunchBounds) -> Self {
        Self { launch, ..self }
    }
}

fn has_edges(kernel: &KernelDescriptor) -> bool {
    matches!(kernel.kind, KernelKind::Scan | KernelKind::Traverse)
}

fn traverses(kernel: &KernelDescriptor) -> bool {
    kernel.kind == KernelKind::Traverse
}

fn pulls(kernel: &KernelDescriptor) -> bool {
    kernel.facts.pulls
}

fn hands_out(kernel: &KernelDescriptor) -> bool {
    pulls(kernel) && kernel.facts.handed_bytes > 0
}

fn loops(kernel: &KernelDescriptor) -> bool {
    kernel.facts.step_loop != StepLoop::No
}

fn claims(kernel: &KernelDescriptor) -> bool {
    kernel.facts.step_loop == StepLoop::Claiming
}

fn of_vertices(kernel: &KernelDescriptor) -> bool {
    kernel.kind == KernelKind::Vertex
}

fn intersects(kernel: &KernelDescriptor) -> bool {
    kernel.kind == KernelKind::Intersect && !searches(kernel)
}

/// Returns whether `kernel` is the runtime's own search kernel, which follows lists from vertex to vertex instead of
/// walking pages.
fn searches(kernel: &KernelDescriptor) -> bool {
    std::ptr::eq(kernel, &SEARCH)
}

/// Returns the table of entry points. Rows of the same form are adjacent.
fn rows() -> &'static [EntryRow] {
    static ROWS: LazyLock<Vec<EntryRow>> = LazyLock::new(table);
    &ROWS
}

fn table() -> Vec<EntryRow> {
    use EntryForm::{Claims, Intersection, Pull, Push, Search, Vertices};
    let small = TECHNIQUES.iter().map(|&(technique, push, _)| {
        let names = (&*format!("small-page/{technique}"), &*format!("small_{technique}"));
        EntryRow::new(Entry::SmallPages(technique), names, Push, has_edges, &format!("gts_pages<{push}>"))
    });
    let lists = LISTS.iter().map(|&(layout, list)| {
        let name = Technique::EdgeList(layout).name();
        let names = (name, &*name.replace('-', "_"));
        EntryRow::new(Entry::EdgeList(layout), names, EntryForm::EdgeList, has_edges, &format!("gts_listed<{list}>"))
    });
    let pull = TECHNIQUES.iter().map(|&(technique, _, pull)| {
        let names = (&*format!("pull-small-page/{technique}"), &*format!("pull_{technique}"));
        EntryRow::new(Entry::PullSmallPages(technique), names, Pull, pulls, &format!("gts_pages<{pull}>"))
    });
    let row = EntryRow::new;
    small
        .chain([
            row(Entry::InPlace, ("in-place", "small_in_place"), Push, traverses, "gts_pages<gts_in_place>"),
            row(Entry::LargePages, ("large-page", "large"), Push, has_edges, "gts_pages<gts_whole_page>"),
        ])
        .chain(lists)
        .chain([row(Entry::HandOut, ("hand-out", "hand_out"), Pull, hands_out, "gts_hand_out")])
        .chain(pull)
        .chain([
            row(
                Entry::PullLargePages,
                ("pull-large-page", "pull_large"),
                Pull,
                pulls,
                "gts_pages<gts_pull_whole_page>",
            ),
            row(Entry::Steps, ("steps", "steps"), EntryForm::Steps, loops, "gts_run_steps").launched(STEPS),
            row(Entry::Claim, ("claim", "claim"), Claims, claims, "gts_claim_settled").launched(CLAIM),
            row(Entry::ClaimingSteps, ("claiming-steps", "claiming_steps"), Claims, claims, "gts_run_claiming_steps")
                .launched(CLAIMING),
            row(Entry::AllVertices, ("all-vertices", "all"), Vertices, of_vertices, "gts_vertices<false>"),
            row(Entry::ActiveVertices, ("active-vertices", "active"), Vertices, of_vertices, "gts_vertices<true>"),
            row(Entry::Intersection, ("intersect", "intersect"), Intersection, intersects, "gts_pages<gts_intersect>"),
            row(Entry::CountMatches, ("count-matches", "count"), Search, searches, "gts_search_all<false>")
                .launched(SEARCHING),
            row(Entry::ListMatches, ("list-matches", "list"), Search, searches, "gts_search_all<true>")
                .launched(SEARCHING),
        ])
        .collect()
}

impl Entry {
    /// Returns every entry point of a kernel. Entry points that can share a program are adjacent.
    pub fn of(kernel: &KernelDescriptor) -> Vec<Self> {
        rows().iter().filter(|row| (row.needs)(kernel)).map(|row| row.entry).collect()
    }

    /// Returns the entry points of a kernel, grouped by program.
    pub fn programs(kernel: &KernelDescriptor) -> Vec<Vec<Self>> {
        let share = |a: &Self, b: &Self| a.form().define() == b.form().define();
        Self::of(kernel).chunk_by(share).map(<[Self]>::to_vec).collect()
    }

    fn row(self) -> &'static EntryRow {
        let found = rows().iter().find(|row| row.entry == self);
        found.unwrap_or_else(|| unreachable!("{self:?} has a row"))
    }

    pub(super) fn form(self) -> EntryForm {
        self.row().form
    }

    /// Returns whether the entry point runs in passes that pull.
    pub fn pulls(self) -> bool {
        self.form() == EntryForm::Pull
    }

    /// Returns the name on the command line, such as `small-page/balanced`.
    pub fn name(self) -> &'static str {
        &self.row().name
    }

    /// Returns the sizes of the entry point's parameters in bytes.
    pub(super) fn parameters(self, kernel: &KernelDescriptor) -> Vec<usize> {
        let EntryRow { form, launch: (_, own), .. } = self.row();
        if *form == EntryForm::Search {
            return vec![size_of::<SearchArguments>()];
        }
        std::iter::once(8 * slots(kernel)).chain(own.map(|(_, bytes)| bytes)).collect()
    }

    /// Returns the entry point's symbol in a kernel's program. The kernel's name in the symbol ends with an underscore,
    /// like all user-defined names in a program.
    pub fn symbol(self, kernel: &KernelDescriptor) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let name: String = kernel.name.chars().map(plain).collect();
        format!("{name}__{}", self.row().suffix)
    }

    /// Returns the CUDA C source of the entry point.
    pub fn text(self, kernel: &KernelDescriptor) -> String {
        let (symbol, EntryRow { form, launch: (threads, own), function, .. }) = (self.symbol(kernel), self.row());
        let finish = if adds_to_globals(kernel) { "    body.finish();\n" } else { "" };
        let (parameters, body) = match own {
            _ if *form == EntryForm::Search => {
                ("const __grid_constant__ gts_search_arguments args".to_owned(), format!("    {function}(args);\n"))
            }
            None => (
                "const __grid_constant__ gts_arguments args".to_owned(),
                format!("    gts_body body(args);\n    {function}(args.gts, body);\n{finish}"),
            ),
            // The loop changes the step and the sets of active vertices in a copy of the arguments.
            Some((argument, _)) => (
                format!("const __grid_constant__ gts_arguments args, const __grid_constant__ {argument} gts_loop"),
                format!(
                    "    gts_arguments gts_now = args;\n    gts_body body(gts_now);\n    \
                     {function}(gts_now.gts, gts_loop, body);\n{finish}"
                ),
            ),
        };
        format!("extern \"C\" __global__ void __launch_bounds__({threads})\n{symbol}({parameters}) {{\n{body}}}\n")
    }
}

/// Returns whether the kernel updates a scalar global. If so, each thread merges its contribution into the global
/// before the thread exits.
fn adds_to_globals(kernel: &KernelDescriptor) -> bool {
    kernel.facts.uses.iter().any(|used| {
        let attribute = &kernel.schema.attributes[used.attribute];
        matches!(attribute.kind, AttributeKind::Global { .. }) && !attribute.ty.array
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_entry_point_has_names_of_its_own() {
        let (rows, unique) =
            (rows(), |of: fn(&EntryRow) -> &String| rows().iter().map(of).cloned().collect::<BTreeSet<_>>());
        assert_eq!(unique(|row| &row.name).len(), rows.len());
        assert_eq!(unique(|row| &row.suffix).len(), rows.len());
    }

    #[test]
    fn every_technique_has_a_loop() {
        let listed: Vec<_> = TECHNIQUES.iter().map(|row| row.0).collect();
        assert_eq!(listed, Technique::of_pages().collect::<Vec<_>>());
        assert_eq!(LISTS.map(|row| row.0), EdgeLayout::ALL);
    }
}
