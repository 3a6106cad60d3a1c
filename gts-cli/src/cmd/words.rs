//! Explanations of words of the kernel language, as `gts explain` prints them.

use crate::report::Report;
use gts_graph::contract::language::{self, LanguageRow, RowExample};
use serde_json::{Value, json};

/// Returns the entries of the language reference for a word, or `None` if there are none.
pub(super) fn explained(word: &str) -> Option<Report> {
    let rows = language::find(word);
    if rows.is_empty() {
        return None;
    }
    let text: Vec<String> = rows.iter().map(|row| row.to_string()).collect();
    let entries: Value = rows.into_iter().map(entry).collect();
    Some(Report::new(text.join("\n"), json!({ "word": word, "entries": entries })))
}

fn entry(row: &LanguageRow) -> Value {
    let example = match row.example {
        RowExample::None => Value::Null,
        RowExample::Value(expression, value) => json!({ "expression": expression, "value": value }),
        RowExample::Fault(expression) => json!({ "fault": expression }),
        RowExample::Refused(text) => json!({ "refused": text }),
        RowExample::Vertex(text)
        | RowExample::Scan(text)
        | RowExample::Traverse(text)
        | RowExample::Gather(text)
        | RowExample::Intersect(text)
        | RowExample::Items(text)
        | RowExample::Host(text) => json!({ "text": text }),
    };
    json!({
        "kind": row.kind.name(),
        "name": row.name,
        "syntax": row.syntax,
        "meaning": row.meaning,
        "types": row.operands.list(),
        "where": row.allowed,
        "limits": row.refused,
        "gpu": row.gpu,
        "instead": row.instead,
        "example": example,
    })
}
