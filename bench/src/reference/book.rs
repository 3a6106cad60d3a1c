//! The book's language reference: one page per group of row kinds.

use super::GeneratedFile;
use super::text::{cell, code, own_clauses, preamble, sentence, short_example, table, title};
use gts_contract::language::{LanguageKind, LanguageRow, SHARED_STRUCT, rows_of};

/// A page: its file name, title, first paragraph, and the kinds of rows that it lists.
struct Page {
    file: &'static str,
    title: &'static str,
    intro: &'static str,
    kinds: &'static [LanguageKind],
}

const PAGES: [Page; 6] = [
    Page {
        file: "language",
        title: "Language reference",
        intro: "A kernel is a Rust function in a part of Rust that GTS translates into native code and CUDA C. This \
             page states what a body means; the next pages list what a body may contain. `gts explain WORD` prints an \
             entry in a terminal, and a test compiles and runs each example.",
        kinds: &[LanguageKind::Rule],
    },
    Page {
        file: "kernels",
        title: "Kernels",
        intro: "A kernel is the body of a loop that the device runs. Its first parameter is its attribute struct, by \
             `&mut`; the others are the vertices and the edge for which the body runs.",
        kinds: &[LanguageKind::Item, LanguageKind::Kernel, LanguageKind::KernelSetting, LanguageKind::Reduction],
    },
    Page {
        file: "attributes",
        title: "Attributes",
        intro: "The fields of an attribute struct are the memory of an algorithm. Each field has one kind.",
        kinds: &[LanguageKind::Field, LanguageKind::FieldSetting, LanguageKind::Merge, LanguageKind::Type],
    },
    Page {
        file: "bodies",
        title: "Bodies",
        intro: "A body consists of the statements and expressions below. They mean what they mean in Rust.",
        kinds: &[
            LanguageKind::Statement,
            LanguageKind::Operator,
            LanguageKind::Value,
            LanguageKind::Function,
            LanguageKind::Random,
            LanguageKind::VertexMethod,
            LanguageKind::EdgeMethod,
            LanguageKind::Method,
            LanguageKind::Update,
        ],
    },
    Page {
        file: "accesses",
        title: "Accesses to attributes",
        intro: "Many threads run a body at the same time. The rules below keep its results independent of their \
             order, and let the planner divide the work. A kernel that breaks one does not compile.",
        kinds: &[LanguageKind::Access, LanguageKind::Guard, LanguageKind::Class],
    },
    Page {
        file: "lacking",
        title: "What kernels lack",
        intro: "Some words and forms of Rust have no meaning in a kernel. The error of each gives this help.",
        kinds: &[LanguageKind::Lacking, LanguageKind::LackingMethod],
    },
];

/// Generates all pages.
pub(super) fn pages() -> Vec<GeneratedFile> {
    PAGES.iter().map(|page| (format!("book/src/reference/{}.md", page.file), text(page))).collect()
}

fn text(page: &Page) -> String {
    let mut text = format!(
        "<!-- Written by `gts-bench reference` from gts-contract/src/language. -->\n\n# {}\n\n{}\n",
        page.title, page.intro
    );
    if page.file == PAGES[0].file {
        text.push_str(&contents());
    }
    for kind in page.kinds {
        text.push_str(&format!("\n## {}\n{}", title(*kind), preamble(*kind)));
        if in_table(*kind) {
            text.push_str(&format!("\n{}", table_of(*kind)));
        } else {
            rows_of(*kind).for_each(|row| text.push_str(&section(row)));
        }
    }
    if page.file == PAGES[0].file {
        text.push_str(&shared_struct());
    }
    text
}

/// Returns a list of links to the other pages. The list is part of the first page.
fn contents() -> String {
    let mut text = "\n".to_owned();
    for page in &PAGES[1..] {
        let kinds: Vec<_> = page.kinds.iter().map(|kind| title(*kind).to_lowercase()).collect();
        text.push_str(&format!("- [{}]({}.md): {}\n", page.title, page.file, kinds.join(", ")));
    }
    text
}

/// Returns the section that shows the struct shared by the examples.
fn shared_struct() -> String {
    let intro = "An example without a `fn` is the body of a kernel. Its parameters are `a: &mut Shared` and, as the text \
                 requires, `v: Vertex`, or `src: Vertex, dst: Vertex, e: Edge`, or `u: Vertex, v: Vertex, w: Vertex`. \
                 `Shared` is this struct:";
    format!("\n## The struct of the examples\n\n{intro}\n\n```rust,ignore\n{SHARED_STRUCT}```\n")
}

/// Returns whether the rows of this kind are short enough for a table. All other rows become sections.
const fn in_table(kind: LanguageKind) -> bool {
    use LanguageKind::{Function, Lacking, LackingMethod, Merge, Method, Operator, Type, Value};
    matches!(kind, Function | Lacking | LackingMethod | Merge | Method | Operator | Type | Value)
}

fn table_of(kind: LanguageKind) -> String {
    match kind {
        LanguageKind::Lacking => {
            let row =
                |row: &LanguageRow| vec![code(row.syntax), cell(&sentence(row.meaning)), cell(&sentence(row.instead))];
            table(&["written", "error", "instead"], rows_of(kind).map(row))
        }
        LanguageKind::LackingMethod => {
            let row = |row: &LanguageRow| {
                vec![code(row.syntax), row.operands.list().to_owned(), cell(&sentence(row.instead))]
            };
            table(&["written", "of", "instead"], rows_of(kind).map(row))
        }
        _ => table(&["written", "of", "meaning", "example"], rows_of(kind).map(line)),
    }
}

/// Returns the table cells of a row.
fn line(row: &LanguageRow) -> Vec<String> {
    let mut meaning = cell(row.meaning);
    for (head, text) in own_clauses(row).into_iter().filter(|(head, _)| *head != "Types") {
        meaning.push_str(&format!(" *{head}*: {}", cell(&text)));
    }
    vec![code(row.syntax), row.operands.list().to_owned(), meaning, short_example(row)]
}

/// Returns the heading of a row. Names that occur in source code are formatted as code.
fn heading(row: &LanguageRow) -> String {
    let is_code = row.syntax.contains(row.name) && !matches!(row.kind, LanguageKind::Rule | LanguageKind::Class);
    if is_code { format!("`{}`", row.name) } else { sentence(row.name).trim_end_matches('.').to_owned() }
}

fn section(row: &LanguageRow) -> String {
    let mut text = format!("\n### {}\n", heading(row));
    if !matches!(row.kind, LanguageKind::Rule | LanguageKind::Class) {
        text.push_str(&format!("\n```rust,ignore\n{}\n```\n", row.syntax));
    }
    text.push_str(&format!("\n{}\n", row.meaning));
    let clauses = own_clauses(row);
    if !clauses.is_empty() {
        text.push('\n');
    }
    for (head, clause) in clauses {
        text.push_str(&format!("- *{head}*: {clause}\n"));
    }
    if let Some(example) = row.example.code() {
        text.push_str(&format!("\n```rust,ignore\n{}\n```\n", example.trim_end()));
    }
    text
}
