//! `gts explain`: prints the entries of the language reference for a word.

use crate::error::Failure;
use crate::nearest::nearest;
use crate::report::Report;
use gts_runtime::contract::language::{self, LanguageRow, RowExample};
use serde_json::{Value, json};

/// What `gts explain` takes.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// A word of the kernel language, or one that kernels lack: `fetch_min`, `wa`, `'<<'`, `match`
    word: String,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<Report, Failure> {
    let rows = language::find(&arguments.word);
    if rows.is_empty() {
        return Err(unknown(&arguments.word));
    }
    let text: Vec<String> = rows.iter().map(|row| row.to_string()).collect();
    Ok(Report::new(
        text.join("\n"),
        json!({ "word": arguments.word, "entries": rows.into_iter().map(entry).collect::<Value>() }),
    ))
}

fn unknown(word: &str) -> Failure {
    let next = match nearest(word, &language::words()) {
        Some(near) => format!("did you mean `gts explain {near}`?"),
        None => "the language reference of the book lists all words".to_owned(),
    };
    Failure::usage(format!("the kernel language has no entry `{word}`"), next)
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
