//! Counts lines of code in Rust and C++ by the same rule.
//!
//! A line counts unless it contains only blanks and comments. Each item of an algorithm file has one of these kinds:
//!
//! - *kernels*: items under a `#[gts_...]` attribute: attribute structs, kernels, and their functions and constants;
//! - *registration*: items that use a name from the registry (`REGISTRY` below), and imports of such names. These items
//!   define the algorithm's command line;
//! - *driver*: everything else except tests.

use std::ops::AddAssign;

/// Names that mark an item as part of the registration.
const REGISTRY: [&str; 10] = [
    "AlgorithmKind",
    "Arguments",
    "Answer",
    "Parameter",
    "Output",
    "Outline",
    "register",
    "ScalarType",
    "edge_kernel",
    "vertex_kernel",
];

/// Lines of an algorithm's file, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// Attribute structs and kernels.
    pub kernels: usize,
    /// Host code that runs the kernels.
    pub driver: usize,
    /// Flags, help text and outputs.
    pub registration: usize,
}

impl Lines {
    /// Returns the number of lines, excluding the registration.
    pub fn algorithm(&self) -> usize {
        self.kernels + self.driver
    }
}

impl AddAssign for Lines {
    fn add_assign(&mut self, other: Self) {
        self.kernels += other.kernels;
        self.driver += other.driver;
        self.registration += other.registration;
    }
}

/// Counts the lines of one of GTS's algorithm files.
pub fn of_algorithm(source: &str) -> Lines {
    let code = without_comments(source);
    let mut lines = Lines::default();
    for item in items(&code) {
        let count = code_lines(item);
        let names = |word: &&str| words(item).any(|found| found == *word);
        if item.contains("#[cfg(test)]") {
            continue;
        } else if item.contains("#[gts_") {
            lines.kernels += count;
        } else if REGISTRY.iter().any(names) {
            lines.registration += count;
        } else {
            lines.driver += count;
        }
    }
    lines
}

/// Counts the lines of a file, excluding the functions named in `without`.
pub fn of_file(source: &str, without: &[&str]) -> usize {
    let code = without_comments(source);
    let unwanted = |item: &&str| {
        let head = item.split(['{', ';']).next().unwrap_or_default();
        let name = head.split('(').next().and_then(|head| words(head).last());
        name.is_some_and(|name| head.contains('(') && without.contains(&name))
    };
    code_lines(&code) - items(&code).into_iter().filter(unwanted).map(code_lines).sum::<usize>()
}

fn code_lines(code: &str) -> usize {
    code.lines().filter(|line| !line.trim().is_empty()).count()
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty())
}

/// Splits code into items. An item ends with a semicolon or a closing brace at depth 0. A line that begins with `#` but
/// not with `#[`, such as a C++ preprocessor directive, is also an item.
fn items(code: &str) -> Vec<&str> {
    let (mut found, mut start, mut depth) = (Vec::new(), 0, 0u32);
    let mut plain = Plain::default();
    for (at, letter) in code.char_indices() {
        if !plain.holds(code, at, letter) {
            continue;
        }
        let directive =
            letter == '\n' && code[start..at].trim_start().starts_with('#') && !code[start..at].contains("#[");
        let ends = match letter {
            '(' | '[' | '{' => {
                depth += 1;
                false
            }
            ')' | ']' | '}' => {
                depth = depth.saturating_sub(1);
                // `use a::{b};` and `struct A {};` end at their semicolon, not at the brace.
                letter == '}' && depth == 0 && !code[at + 1..].trim_start().starts_with(';')
            }
            ';' => depth == 0,
            _ => directive && depth == 0,
        };
        if ends {
            found.push(&code[start..=at]);
            start = at + 1;
        }
    }
    found.push(&code[start..]);
    found
}

/// Returns the text without comments. Keeps line breaks inside comments.
fn without_comments(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    let mut plain = Plain::default();
    // Offset at which the current comment ends, or `None` outside comments.
    let mut until: Option<usize> = None;
    for (at, letter) in source.char_indices() {
        match until {
            Some(end) if at < end => {
                if letter == '\n' {
                    code.push(letter);
                }
                continue;
            }
            _ => until = None,
        }
        if plain.holds(source, at, letter) {
            let rest = &source[at..];
            let length = if rest.starts_with("//") {
                Some(rest.find('\n').unwrap_or(rest.len()))
            } else if rest.starts_with("/*") {
                Some(rest.find("*/").map_or(rest.len(), |end| end + 2))
            } else {
                None
            };
            if let Some(length) = length {
                until = Some(at + length);
                continue;
            }
        }
        code.push(letter);
    }
    code
}

/// Detects which characters are outside strings and character literals.
#[derive(Debug, Default)]
struct Plain {
    /// Offset at which the current literal ends.
    until: usize,
}

impl Plain {
    fn holds(&mut self, text: &str, at: usize, letter: char) -> bool {
        if at < self.until {
            return false;
        }
        let inside = &text[at + letter.len_utf8()..];
        let length = match letter {
            '"' => closing(inside, '"'),
            // A quote begins a character literal if it is followed by a backslash, or by one character and another
            // quote. Otherwise it begins a lifetime.
            '\'' => {
                let mut letters = inside.chars();
                let (first, second) = (letters.next(), letters.next());
                if first == Some('\\') || second == Some('\'') { closing(inside, '\'') } else { None }
            }
            _ => None,
        };
        if let Some(length) = length {
            self.until = at + 1 + length;
        }
        length.is_none()
    }
}

/// Returns the number of bytes after the opening quote, up to and including the closing quote.
fn closing(inside: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, letter) in inside.char_indices() {
        if escaped {
            escaped = false;
        } else if letter == '\\' {
            escaped = true;
        } else if letter == quote {
            return Some(at + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUST: &str = r#"
//! Head.
use gts_graph::algorithm::{
    Algorithm, Answer,
};
use gts_graph::prelude::*; // all of it

/// Of a vertex; not { a block.
#[gts_attributes]
pub struct Hops {
    /* as far
       as known */
    pub level: u32,
}

#[gts_kernel(traverse)]
fn expand(hops: &mut Hops, src: Vertex, dst: Vertex) {
    activate(dst);
}

pub fn hops<'a>(run: &'a mut Run<Hops>) -> Result<char> {
    run.traverse("// not a comment {")?;

    Ok('{')
}

fn run(arguments: &Arguments) {}

register! {
    Algorithm::new("hops")
}

#[cfg(test)]
mod tests {
    fn nothing() {}
}
"#;

    #[test]
    fn items_are_told_apart() {
        let lines = of_algorithm(RUST);
        // The struct and the kernel have 4 lines each. The driver has 4 lines and an import. The items of the
        // registration have 3, 1 and 3 lines.
        assert_eq!(lines, Lines { kernels: 8, driver: 5, registration: 7 });
        assert_eq!(lines.algorithm(), 13);
    }

    #[test]
    fn functions_can_be_left_out() {
        let source = "#include <a>\n// head\nnamespace n {\nint f() {\n  return '\"';\n}\n}\n\n\
                      bool AVerifier(int a,\n  int b) {\n  return a == b;\n}\nint main() { return 0; }\n";
        assert_eq!(of_file(source, &[]), 11);
        assert_eq!(of_file(source, &["AVerifier", "main"]), 6);
    }
}
