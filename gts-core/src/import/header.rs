//! Names of columns whose meaning is known.

pub(super) const SOURCE: [&str; 6] = ["source", "src", "from", "source_id", "from_id", "fromnodeid"];
pub(super) const TARGET: [&str; 7] = ["target", "dst", "dest", "to", "target_id", "to_id", "tonodeid"];
/// Two column names that are recognised only if the header contains both.
pub(super) const PAIR: [&str; 2] = ["u", "v"];
pub(super) const WEIGHT: [&str; 4] = ["weight", "value", "cost", "distance"];
/// Gephi's name for the column that contains `Directed` or `Undirected`.
pub(super) const TYPE: &str = "type";
/// The names of columns with vertex IDs and vertex names in a table of vertices.
pub(super) const VERTEX: [&str; 7] = ["id", "node", "nodeid", "node_id", "vertex", "vertexid", "vertex_id"];
pub(super) const LABEL: [&str; 4] = ["label", "name", "title", "nodelabel"];
/// The names of columns that number the records, as written by pandas and R.
const NUMBERING: [&str; 8] = ["id", "index", "key", "row", "rowid", "rownames", "rn", "x"];
/// Words that identify a column as a time if its name contains one of them.
const TIME: [&str; 18] = [
    "time",
    "timestamp",
    "timeset",
    "datetime",
    "date",
    "year",
    "month",
    "day",
    "hour",
    "minute",
    "second",
    "epoch",
    "created",
    "updated",
    "interval",
    "start",
    "end",
    "ts",
];

/// Returns whether a field may be a column name rather than a number.
pub(super) fn is_name(field: &str) -> bool {
    !field.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'))
}

/// Returns whether a column name is empty or names an ID or a time.
pub(super) fn is_id_or_time(name: &str) -> bool {
    let unnamed = name.is_empty() || name.starts_with("Unnamed:");
    // A word begins after a sign, or at a capital letter after a lower-case letter: `edge_id`, `createdAt`.
    let mut words = vec![String::new()];
    let mut last = ' ';
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && last.is_lowercase()) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        last = c;
    }
    words.retain(|word| !word.is_empty());
    let is_time = |word: &String| TIME.contains(&word.as_str());
    let ends = |word: &str| words.last().is_some_and(|last| last == word);
    let numbers = matches!(&words[..], [word] if NUMBERING.contains(&word.as_str()));
    unnamed || numbers || ends("id") || ends("ids") || (ends("at") && words.len() > 1) || words.iter().any(is_time)
}

/// Returns whether a name is that of a weight.
pub(super) fn is_weight_name(name: &str) -> bool {
    is_one_of(name, &WEIGHT)
}

/// Returns whether a field is one of some names, in any case.
pub(super) fn is_one_of(field: &str, names: &[&str]) -> bool {
    names.iter().any(|name| field.eq_ignore_ascii_case(name))
}

/// Returns the positions of the columns with vertices and labels, by the names of all columns. Without such names, returns
/// those of the first two columns.
pub(super) fn label_columns<'a>(columns: impl Iterator<Item = &'a str> + Clone) -> (usize, usize) {
    let named = |names: &[&str]| columns.clone().position(|column| is_one_of(column, names));
    named(&VERTEX).zip(named(&LABEL)).unwrap_or((0, 1))
}
