//! Names in CUDA C. The names that replace a user's names end with an underscore. No keyword or macro of C++ and CUDA
//! and no name in the runtime's text ends with an underscore, so names never collide.

use proc_macro2::Ident;
use std::collections::HashSet;

/// Returns the CUDA C name for a user's name, which may not be a valid identifier in C++.
pub(super) fn escaped(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let mut name: String = text.trim_start_matches("r#").chars().map(plain).collect();
    name.push('_');
    name
}

/// A generator of unique names in a scope.
#[derive(Clone, Debug, Default)]
pub(super) struct Namer {
    taken: HashSet<String>,
}

impl Namer {
    /// Creates a generator for a scope in which these names are already in use.
    pub(super) fn with<'a>(taken: impl IntoIterator<Item = &'a str>) -> Self {
        Self { taken: taken.into_iter().map(str::to_owned).collect() }
    }

    /// Returns a unique name for a user's identifier.
    pub(super) fn name(&mut self, ident: &Ident) -> String {
        self.text(&ident.to_string())
    }

    /// Returns a unique name for a user's name. If the name is already in use, appends a number.
    pub(super) fn text(&mut self, text: &str) -> String {
        let base = escaped(text);
        let mut name = base.clone();
        let mut count = 1;
        while !self.taken.insert(name.clone()) {
            count += 1;
            name = format!("{base}{count}_");
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::Namer;

    #[test]
    fn every_name_of_the_users_ends_with_an_underscore() {
        let mut namer = Namer::with(["bfs_"]);
        let named: Vec<String> =
            ["level", "level", "level_2", "float", "NULL", "r#final", "größe", "__global__", "_", "bfs"]
                .iter()
                .map(|name| namer.text(name))
                .collect();
        let expected =
            ["level_", "level_2_", "level_2_2_", "float_", "NULL_", "final_", "gr__e_", "__global___", "__", "bfs_2_"];
        assert_eq!(named, expected);
    }
}
