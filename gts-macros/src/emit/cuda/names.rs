//! Names in the CUDA C: the user's, but where C++ or CUDA or a sibling has taken one.

use proc_macro2::Ident;
use std::collections::HashSet;

/// Words that C++ and CUDA keep for themselves, and names of ours that stand in every scope.
const RESERVED: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "blockDim",
    "blockIdx",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char8_t",
    "char16_t",
    "char32_t",
    "class",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "co_await",
    "co_return",
    "co_yield",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "f32",
    "f64",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "gridDim",
    "gts",
    "half",
    "i32",
    "i64",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "threadIdx",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "u8",
    "u16",
    "u32",
    "u64",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "warpSize",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
];

/// Gives each name of a scope once.
#[derive(Clone, Debug, Default)]
pub(super) struct Namer {
    taken: HashSet<String>,
}

impl Namer {
    /// A scope in which these names are taken already.
    pub(super) fn with<'a>(taken: impl IntoIterator<Item = &'a str>) -> Self {
        Self { taken: taken.into_iter().map(str::to_owned).collect() }
    }

    /// The name for an identifier of the user's.
    pub(super) fn name(&mut self, ident: &Ident) -> String {
        self.text(&ident.to_string())
    }

    /// The name for a text that may not be an identifier.
    pub(super) fn text(&mut self, text: &str) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let mut base: String = text.trim_start_matches("r#").chars().map(plain).collect();
        let ours = ["gts_", "GTS_", "__"].iter().any(|prefix| base.starts_with(prefix));
        if ours || base.is_empty() {
            base.insert_str(0, "user_");
        }
        let mut name = base.clone();
        let mut count = 1;
        while RESERVED.contains(&name.as_str()) || !self.taken.insert(name.clone()) {
            count += 1;
            name = format!("{base}_{count}");
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::Namer;

    #[test]
    fn the_users_names_survive_where_they_can() {
        let mut namer = Namer::with(["bfs"]);
        let named: Vec<String> = ["level", "level", "float", "r#final", "größe", "gts_x", "bfs"]
            .iter()
            .map(|name| namer.text(name))
            .collect();
        assert_eq!(named, ["level", "level_2", "float_2", "final", "gr__e", "user_gts_x", "bfs_2"]);
    }
}
