//! Examples of the kernel language.

/// The attribute struct of examples that do not declare one.
const STRUCT: &str = "#[gts_attributes]
struct A {
    #[wa(init = UNREACHED, merge = min)]
    level: u32,
    #[wa(init = 0, merge = sum)]
    count: u32,
    #[edge(default = 1)]
    weight: u32,
    #[param(default = 3)]
    limit: u32,
    #[global(merge = sum)]
    total: u64,
}";

/// An example of the kernel language, as source text.
///
/// An example has one of these forms:
/// - Items that declare their own attribute struct, or use none. They are complete.
/// - Items with a kernel over the shared struct `A`. The text does not repeat this struct.
/// - Statements without an item. They are the body of `#[gts_kernel(vertex)] fn kernel(a: &mut A, v: Vertex)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example(&'static str);

impl Example {
    /// Creates an example from its text. Removes a leading line break.
    pub(crate) const fn new(text: &'static str) -> Self {
        match text.as_bytes() {
            [b'\n', ..] => Self(text.split_at(1).1),
            _ => Self(text),
        }
    }

    /// Returns the attribute struct of examples that do not declare one.
    pub const fn shared_struct() -> &'static str {
        STRUCT
    }

    /// Returns whether the example uses the shared struct.
    pub fn uses_shared_struct(self) -> bool {
        !self.has_items() || self.0.contains("&mut A,")
    }

    /// Returns the items of the example without the shared struct.
    pub fn items(self) -> String {
        if self.has_items() {
            return self.0.to_owned();
        }
        format!("#[gts_kernel(vertex)]\nfn kernel(a: &mut A, v: Vertex) {{\n{}}}", indented(self.0))
    }

    /// Returns the example as complete items. A correct example compiles after `use gts_graph::prelude::*;`.
    pub fn complete(self) -> String {
        match self.uses_shared_struct() {
            true => format!("{STRUCT}\n\n{}", self.items()),
            false => self.items(),
        }
    }

    fn has_items(self) -> bool {
        self.0.contains("#[gts_")
    }
}

/// Indents each line of `text` except empty ones, and ends each line with a newline.
pub fn indented(text: &str) -> String {
    text.lines().map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_is_completed_by_what_it_leaves_out() {
        let kernel = "#[gts_kernel(vertex)]\nfn kernel(a: &mut A, v: Vertex) {\n    activate(v);\n}";
        assert_eq!(Example::new("activate(v);").complete(), format!("{STRUCT}\n\n{kernel}"));
        assert_eq!(Example::new(kernel).complete(), format!("{STRUCT}\n\n{kernel}"));
        let constant = "#[gts_const]\nconst NEXT: u32 = 1;";
        assert_eq!(Example::new(constant).complete(), constant);
        assert_eq!(Example::new("\nactivate(v);"), Example::new("activate(v);"));
    }
}
