//! Determines which columns of a table contain the ends and the weight of an edge.

use super::class::ColumnClass;
use super::header::{LABEL, PAIR, SOURCE, TARGET, TYPE, VERTEX, WEIGHT, is_id_or_time, is_name, is_one_of};
use super::key_kind::{is_like_a_number, kind_of};
use super::opening::{Sizes, may_list_neighbours};
use super::scan::Signs;
use super::value::is_number;
use super::{ImportError, ImportOptions, Weights};
use crate::advice::{Advice, Explain};
use crate::graph::{KeyKind, uuid};
use gts_contract::language::Code;
use std::fmt::{self, Display};
use std::path::Path;
use std::str::FromStr;

/// Maximum number of column names in a note.
const NAMED: usize = 8;

/// A column of a table, selected by the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// A column selected by its name in the header.
    Name(String),
    /// A column selected by its number, counted from 1.
    Number(usize),
}

impl Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Number(number) => write!(f, "{number}"),
        }
    }
}

impl From<&str> for Column {
    fn from(text: &str) -> Self {
        text.parse().map_or_else(|_| Self::Name(text.into()), Self::Number)
    }
}

/// The columns of a table that contain an edge. The text form is `source=A,target=B` or `source=A,target=B,weight=C`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// The column that contains sources.
    pub source: Column,
    /// The column that contains targets.
    pub target: Column,
    /// The column that contains weights, if any.
    pub weight: Option<Column>,
}

impl Display for Columns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "source={},target={}", self.source, self.target)?;
        self.weight.as_ref().map_or(Ok(()), |weight| write!(f, ",weight={weight}"))
    }
}

/// The error for a text that does not describe columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected source=A,target=B or source=A,target=B,weight=C, each column by its name or by its number from 1")]
pub struct UnknownColumns;

impl Explain for UnknownColumns {
    fn code(&self) -> Code {
        Code::UnknownColumns
    }

    fn advice(&self) -> Option<Advice> {
        None
    }
}

impl FromStr for Columns {
    type Err = UnknownColumns;

    fn from_str(text: &str) -> Result<Self, UnknownColumns> {
        let (mut source, mut target, mut weight) = (None, None, None);
        for part in text.split(',') {
            let (role, column) = part.split_once('=').ok_or(UnknownColumns)?;
            let place = match role.trim() {
                "source" => &mut source,
                "target" => &mut target,
                "weight" => &mut weight,
                _ => return Err(UnknownColumns),
            };
            let column = column.trim();
            if column.is_empty() || place.replace(Column::from(column)).is_some() {
                return Err(UnknownColumns);
            }
        }
        Ok(Self { source: source.ok_or(UnknownColumns)?, target: target.ok_or(UnknownColumns)?, weight })
    }
}

/// The columns that contain an edge's ends and weight, counted from 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) source: usize,
    pub(super) target: usize,
    /// The column that contains weights, even if weights are not read.
    pub(super) weight: Option<usize>,
    /// The number of fields per record.
    pub(super) fields: usize,
}

/// Possible interpretations of a table without a header, other than as edges.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Guess {
    /// The sizes of the graph if the first record may contain them.
    pub(super) sizes: Option<Sizes>,
    /// Whether each record may list a vertex and its neighbours.
    pub(super) lists: bool,
}

/// The reason why the columns cannot be determined: the problem and the advice.
pub(super) struct Refusal {
    problem: String,
    advice: String,
}

impl Refusal {
    /// Returns the error for a table without lines.
    pub(super) fn of_table(self, path: &Path) -> ImportError {
        ImportError::UnfitTable { path: path.into(), problem: self.problem, advice: self.advice }
    }

    pub(super) fn error(self, path: &Path, line: u64) -> ImportError {
        ImportError::Misfit { path: path.into(), line, problem: self.problem, advice: self.advice }
    }
}

/// The beginning of a table: its first two records.
pub(super) struct Head {
    /// The fields of the first record.
    pub(super) first: Vec<String>,
    /// The fields of the second record; empty if they are unknown.
    pub(super) second: Vec<String>,
    /// Whether the first record may be a header.
    pub(super) may_be_header: bool,
}

impl Head {
    /// Creates the beginning of a table whose columns have names and types. Examples of the types stand for the second
    /// record.
    pub(super) fn typed(columns: impl Iterator<Item = (String, ColumnClass)>) -> Self {
        let example = |class| match class {
            ColumnClass::Unsigned | ColumnClass::Signed => "1",
            ColumnClass::Real => "0.5",
            ColumnClass::Text | ColumnClass::Uuid | ColumnClass::Other => "text",
        };
        let (first, second) = columns.map(|(name, class)| (name, example(class).to_owned())).unzip();
        Self { first, second, may_be_header: true }
    }

    /// Returns the columns as messages show them. Returns an empty text if there is no record.
    pub(super) fn shown_columns(&self, header: bool) -> String {
        match header {
            true => format!("the columns {}", shown(&self.first)),
            false => columns_without_names(self.first.len()),
        }
    }

    /// Returns whether the first record is a header.
    pub(super) fn is_header(&self, options: &ImportOptions) -> bool {
        if let Some(header) = options.header {
            return header && self.may_be_header;
        }
        let ends = match &options.columns {
            Some(Columns { source: Column::Number(source), target: Column::Number(target), weight })
                if !matches!(weight, Some(Column::Name(_))) =>
            {
                [*source, *target].map(|number| self.first.get(number.wrapping_sub(1)))
            }
            Some(_) => return self.may_be_header,
            None => [self.first.first(), self.first.get(1)],
        };
        self.may_be_header
            && ends.iter().all(|field| field.is_some_and(|field| is_name(field) && uuid(field.as_bytes()).is_none()))
            && ends.iter().flatten().any(|field| !field.is_empty())
    }

    /// Returns the type of keys: the chosen one, or that of the first edge.
    pub(super) fn keys(&self, options: &ImportOptions, layout: Layout, header: bool) -> KeyKind {
        let record = if header { &self.second } else { &self.first };
        let end = |column: usize| record.get(column).map_or("", String::as_str);
        options.keys.unwrap_or_else(|| kind_of([end(layout.source), end(layout.target)]))
    }

    /// Fails if the first record may be a header as well as an edge between names: unknown names above other names.
    pub(super) fn check_header(&self, options: &ImportOptions) -> Result<(), Refusal> {
        let by_name =
            |columns: &Columns| matches!((&columns.source, &columns.target), (Column::Name(_), Column::Name(_)));
        let is_stated = options.header.is_some() || options.columns.as_ref().is_some_and(by_name);
        let is_known =
            |field: &String| is_one_of(field, &SOURCE) || is_one_of(field, &TARGET) || is_one_of(field, &PAIR);
        let is_name = |field: &String| !is_like_a_number(field) && uuid(field.as_bytes()).is_none();
        // If any text is a key, numbers below the first record do not make it a header.
        let any_text = options.keys == Some(KeyKind::Text);
        let names = self.second.len() > 1 && (any_text || self.second[..2].iter().all(is_name));
        if is_stated || !self.is_header(options) || !names || self.first.iter().any(is_known) {
            return Ok(());
        }
        let problem = format!("the first record, {}, may be a header or an edge", shown(&self.first));
        let advice = "say which: `--header yes`, with --columns if its names do not tell the ends, or `--header no`";
        Err(Refusal { problem, advice: advice.into() })
    }

    /// Fails if the first record of a list is prose: it has other names than those of columns, and another number of fields
    /// than the next record.
    pub(super) fn check_prose(&self, options: &ImportOptions, line: u64) -> Result<(), Refusal> {
        let is_known = |field: &String| is_one_of(field, &SOURCE) || is_one_of(field, &TARGET);
        let is_stated = options.header.is_some() || options.columns.is_some();
        let differs = !self.second.is_empty() && self.second.len() != self.first.len();
        if is_stated || !differs || !self.is_header(options) || self.first.iter().any(is_known) {
            return Ok(());
        }
        let problem = format!("the first record, {}, is no edge", quoted(&self.first.join(" ")));
        Err(Refusal { problem, advice: format!("leave it out: `--skip {line}`") })
    }

    /// Returns the column that declares whether each record is undirected. Returns `None` if there is no such column,
    /// or if the options determine the direction of all records.
    pub(super) fn type_column(&self, layout: Layout, options: &ImportOptions) -> Option<usize> {
        let found = self.positions(|field| field.eq_ignore_ascii_case(TYPE));
        let Layout { source, target, weight, .. } = layout;
        match found[..] {
            [one] if self.is_header(options) && options.directed.is_none() => {
                Some(one).filter(|one| ![Some(source), Some(target), weight].contains(&Some(*one)))
            }
            _ => None,
        }
    }

    /// Returns whether the first record after the header is undirected; `None` if the record does not declare a
    /// direction.
    pub(super) fn undirected(&self, column: usize) -> Option<bool> {
        let word = self.second.get(column)?;
        let known = ["directed", "undirected"].iter().position(|known| word.eq_ignore_ascii_case(known))?;
        Some(known == 1)
    }

    /// Determines the columns. Also returns a note about columns that are not read.
    pub(super) fn layout(&self, options: &ImportOptions) -> Result<(Layout, Option<String>), Refusal> {
        let fields = self.first.len();
        let header = self.is_header(options);
        let layout = match &options.columns {
            Some(columns) => self.chosen(columns, header)?,
            None if header => self.named()?,
            None if fields == 1 => {
                return Err(Refusal {
                    problem: "the first record has 1 field, and an edge takes 2".into(),
                    advice: "check the format and the delimiter: columns are apart by commas, semicolons or tabs in \
                             csv, by blanks or tabs in edges"
                        .into(),
                });
            }
            None => Layout { source: 0, target: 1, weight: (fields > 2).then_some(2), fields: fields.max(2) },
        };
        if fields > 0 && matches!(options.weights, Weights::As(_)) && layout.weight.is_none() {
            return Err(self.without_weight(layout, header));
        }
        Ok((layout, self.note(layout, header, options)))
    }

    /// Guesses whether a table without a header contains data other than edges. `text` begins with the first record, on
    /// line `line`. Fails if the first record is not an edge but the next record may be one.
    pub(super) fn guess(
        &self,
        options: &ImportOptions,
        (line, text): (u64, &[u8]),
        comments: Signs,
        delimiter: impl Fn(u8) -> bool,
    ) -> Result<Guess, Refusal> {
        if self.is_header(options) || options.columns.is_some() {
            return Ok(Guess::default());
        }
        let named = options.keys.is_some_and(|keys| keys != KeyKind::Number);
        let is_header =
            self.first.len() > 1 && is_one_of(&self.first[0], &SOURCE) && is_one_of(&self.first[1], &TARGET);
        if is_header && options.header.is_none() {
            let problem = format!("the first record, {}, is a header", quoted(&self.first.join(" ")));
            return Err(Refusal { problem, advice: format!("leave it out: `--skip {line}`") });
        }
        let is_no_edge = self.first.len() == 1 || (!named && self.first.iter().all(|field| is_name(field)));
        if is_no_edge && self.second.len() > 1 && !self.second.iter().all(|field| is_name(field)) {
            let problem = match self.first.len() {
                1 => "the first record has 1 field, and an edge takes 2".into(),
                _ => format!("the first record, {}, is no edge", quoted(&self.first.join(" "))),
            };
            return Err(Refusal { problem, advice: format!("leave it out: `--skip {line}`") });
        }
        let sizes = Sizes::of(&self.first, line);
        if let Some((problem, advice)) = sizes.and_then(|sizes| sizes.refusal(&self.first, &self.second)) {
            return Err(Refusal { problem, advice });
        }
        let guessed = self.first.len() == 3 && !matches!(options.weights, Weights::As(_));
        Ok(Guess { sizes, lists: guessed && may_list_neighbours(text, comments, delimiter) })
    }

    /// Returns the layout for columns selected by the user.
    fn chosen(&self, columns: &Columns, header: bool) -> Result<Layout, Refusal> {
        let fields = self.first.len();
        let find = |column: &Column| {
            let refusal = |problem: String| {
                let advice = match header {
                    true => format!("the header is {}", shown(&self.first)),
                    false => "give the numbers of columns, from 1".into(),
                };
                Refusal { problem, advice }
            };
            let name = match column {
                Column::Number(number @ 1..) if *number <= fields || fields == 0 => return Ok(number - 1),
                Column::Number(number) => {
                    return Err(refusal(format!("there is no column {number}: the first record has {fields} fields")));
                }
                Column::Name(name) if !header => {
                    return Err(refusal(format!("there is no column `{name}`: this file has no header")));
                }
                Column::Name(name) => name,
            };
            let mut found = self.positions(|field| field == name);
            if found.is_empty() {
                found = self.positions(|field| field.eq_ignore_ascii_case(name));
            }
            match found[..] {
                [one] => Ok(one),
                [] => Err(refusal(format!("there is no column `{name}`"))),
                [first, second, ..] => Err(Refusal {
                    problem: format!("columns {} and {} both have the name `{name}`", first + 1, second + 1),
                    advice: "give the number of the column".into(),
                }),
            }
        };
        let (source, target) = (find(&columns.source)?, find(&columns.target)?);
        let weight = columns.weight.as_ref().map(find).transpose()?;
        if source == target || [Some(source), Some(target)].contains(&weight) {
            return Err(Refusal {
                problem: format!("--columns {columns} names a column twice"),
                advice: "give each part of an edge a column of its own".into(),
            });
        }
        Ok(Layout { source, target, weight, fields })
    }

    /// Returns the layout for columns that the header identifies.
    fn named(&self) -> Result<Layout, Refusal> {
        let fields = self.first.len();
        let [mut sources, mut targets, weights] =
            [&SOURCE[..], &TARGET[..], &WEIGHT[..]].map(|names| self.positions(|field| is_one_of(field, names)));
        let [u, v] = PAIR.map(|name| self.positions(|field| field.eq_ignore_ascii_case(name)));
        if !u.is_empty() && !v.is_empty() {
            sources.extend(u);
            targets.extend(v);
        }
        let has = |names: &[&str]| self.first.iter().any(|field| is_one_of(field, names));
        let (source, target) = match (&sources[..], &targets[..]) {
            (&[source], &[target]) => (source, target),
            ([], []) if has(&VERTEX) && has(&LABEL) => {
                let advice = match &self.second[..] {
                    [_, _] if self.second.iter().all(|field| is_id(field.as_bytes())) => {
                        let columns = self.suggested(None, None, None);
                        format!("name the table of edges; `--columns {columns}` reads this one as edges")
                    }
                    _ => "name the table of edges".into(),
                };
                let problem = format!("the header {} is that of a table of vertices", shown(&self.first));
                return Err(Refusal { problem, advice });
            }
            ([], []) if fields == 2 && weights.is_empty() => (0, 1),
            _ => {
                let what = if sources.len() > 1 || targets.len() > 1 {
                    "names an end twice"
                } else {
                    "does not name both ends of an edge"
                };
                let one = |found: &[usize]| if let &[one] = found { Some(one) } else { None };
                let columns = self.suggested(one(&sources), one(&targets), weights.first().copied());
                return Err(Refusal {
                    problem: format!("the header {} {what}", shown(&self.first)),
                    advice: format!("say which columns to read, such as `--columns {columns}`"),
                });
            }
        };
        Ok(Layout { source, target, weight: weights.first().copied(), fields })
    }

    fn without_weight(&self, layout: Layout, header: bool) -> Refusal {
        let ones = "give `--weights 1`, which gives every edge weight 1";
        let problem = match header {
            true => format!("the header {} names no weight column", shown(&self.first)),
            false => "there is no weight column".into(),
        };
        let [source, target] = [layout.source, layout.target].map(|column| self.name(column, header));
        let problem = format!("{problem}: {source} and {target} are read as the ends of edges");
        let unread = self.unread(layout);
        let holds_numbers = |column: &&usize| self.holds(**column, is_number);
        let weight = self.likely_weight(&unread, header).or(unread.iter().find(holds_numbers).copied());
        let advice = match weight.or(unread.first().copied()) {
            Some(weight) => {
                format!("name the weight column, such as `--columns {}`, or {ones}", self.with(layout, weight, header))
            }
            None => format!("leave --weights out, or {ones}"),
        };
        Refusal { problem, advice }
    }

    /// Returns the name of a column if the table has a header, otherwise its number.
    fn name(&self, column: usize, header: bool) -> String {
        match self.first.get(column) {
            Some(name) if header && !name.is_empty() => quoted(name),
            _ => format!("column {}", column + 1),
        }
    }

    /// Returns the note about columns that are not read. If no column is read as the weight, the note proposes one of
    /// them.
    fn note(&self, layout: Layout, header: bool, options: &ImportOptions) -> Option<String> {
        let states_type = self.type_column(layout, options).filter(|&column| self.undirected(column).is_some());
        let mut unread = self.unread(layout);
        unread.retain(|&column| Some(column) != states_type);
        let mut names: Vec<_> = unread.iter().take(NAMED).map(|&column| self.name(column, header)).collect();
        if unread.len() > NAMED {
            names.push(format!("{} more columns", unread.len() - NAMED));
        }
        let last = names.pop()?;
        let said = match names.is_empty() {
            true => format!("{last} is not read"),
            false => format!("{} and {last} are not read", names.join(", ")),
        };
        let wanted = layout.weight.is_none() && options.weights != Weights::Ignore;
        Some(match self.likely_weight(&unread, header).filter(|_| wanted) {
            Some(weight) => {
                let columns = self.with(layout, weight, header);
                format!("{said}: `--columns {columns}` reads {} as the weight", self.name(weight, header))
            }
            None => said,
        })
    }

    /// Returns the first column that is likely to be the weight: it contains numbers, and its name is neither empty nor
    /// that of an ID or a time.
    fn likely_weight(&self, columns: &[usize], header: bool) -> Option<usize> {
        let named = |column: usize| !header || !is_id_or_time(&self.first[column]);
        columns.iter().copied().find(|&column| named(column) && self.holds(column, is_number))
    }

    /// Returns the columns of a layout with `weight` as the weight column.
    fn with(&self, layout: Layout, weight: usize, header: bool) -> Columns {
        let label = |column| if header { self.label(column) } else { Column::Number(column + 1) };
        Columns { source: label(layout.source), target: label(layout.target), weight: Some(label(weight)) }
    }

    fn unread(&self, Layout { source, target, weight, .. }: Layout) -> Vec<usize> {
        (0..self.first.len()).filter(|&column| column != source && column != target && Some(column) != weight).collect()
    }

    /// Returns the columns that the user most likely intends: the known columns, completed by the first other columns
    /// that fit.
    fn suggested(&self, source: Option<usize>, target: Option<usize>, weight: Option<usize>) -> Columns {
        // If there are only two columns, they are the ends, independent of their names.
        let weight = weight.filter(|_| self.first.len() > 2);
        let mut taken: Vec<usize> = [source, target, weight].into_iter().flatten().collect();
        let mut next = |known: Option<usize>, fits: fn(&[u8]) -> bool| {
            let free = |column: &usize| !taken.contains(column);
            let mut columns = (0..self.first.len()).filter(free);
            let column = known
                .or_else(|| columns.clone().find(|&column| self.holds(column, fits)).or_else(|| columns.next()))?;
            taken.push(column);
            Some(self.label(column))
        };
        let [source, target] = [next(source, is_id), next(target, is_id)].map(|end| end.unwrap_or(Column::Number(1)));
        let is_end = |column: usize| is_one_of(&self.first[column], &SOURCE) || is_one_of(&self.first[column], &TARGET);
        let mut rest = (0..self.first.len()).filter(|&column| !taken.contains(&column) && !is_end(column));
        let weight = weight.or_else(|| rest.find(|&column| self.holds(column, is_number)));
        Columns { source, target, weight: weight.map(|column| self.label(column)) }
    }

    /// Returns whether the second record has a field of the given kind in this column. Returns `true` if there is no
    /// second record.
    fn holds(&self, column: usize, kind: fn(&[u8]) -> bool) -> bool {
        self.second.is_empty() || self.second.get(column).is_some_and(|field| kind(field.as_bytes()))
    }

    /// Returns a reference to a column: by name if the name is unique and needs no quotes, and otherwise by number.
    fn label(&self, column: usize) -> Column {
        let name = &self.first[column];
        let plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
        let unique = self.positions(|field| field.eq_ignore_ascii_case(name)).len() == 1;
        match Column::from(name.as_str()) {
            by_name @ Column::Name(_) if plain && unique && !name.is_empty() => by_name,
            _ => Column::Number(column + 1),
        }
    }

    fn positions(&self, is: impl Fn(&str) -> bool) -> Vec<usize> {
        (0..self.first.len()).filter(|&column| is(&self.first[column])).collect()
    }
}

fn is_id(field: &[u8]) -> bool {
    !field.is_empty() && field.iter().all(u8::is_ascii_digit)
}

/// Returns the description of columns without names; empty if there are none.
pub(super) fn columns_without_names(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => "1 column without a name".into(),
        _ => format!("{count} columns without names"),
    }
}

/// Returns the names in a header, in backquotes.
fn shown(names: &[String]) -> String {
    quoted(&names.join(","))
}

fn quoted(text: &str) -> String {
    super::scan::quoted(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_a_text() {
        for text in ["source=a,target=b", "source=1,target=2,weight=3", "source=from node,target=2"] {
            assert_eq!(text.parse::<Columns>().unwrap().to_string(), text);
        }
        let swapped: Columns = "weight=w, target=2, source=a".parse().unwrap();
        assert_eq!(swapped.to_string(), "source=a,target=2,weight=w");
        for text in ["", "a,b", "source=a", "source=a,target=", "source=a,source=b,target=c", "source=a,target=b,x=c"] {
            assert_eq!(text.parse::<Columns>(), Err(UnknownColumns), "{text}");
        }
    }
}
