//! The known name that is nearest to a mistyped one.

/// Returns the known name that is nearest to a mistyped one: the one with the fewest letters changed, left out, added
/// or swapped, otherwise the first that begins with it. `None` if no name is near.
pub(crate) fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let typed: String = name.to_lowercase().chars().take(64).collect();
    let letters = typed.chars().count();
    let close = known.iter().map(|&known| (strsim::osa_distance(&typed, known), known));
    let close = close.filter(|(distance, _)| *distance <= letters.max(3) / 3).min_by_key(|(distance, _)| *distance);
    let begins = |known: &&str| letters >= 3 && known.starts_with(&typed);
    close.map(|(_, known)| known).or_else(|| known.iter().copied().find(begins))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistyped_names_are_recognised() {
        let known = ["bfs", "cdlp", "pagerank", "run", "sssp", "triangles"];
        for (typed, meant) in [
            ("bsf", Some("bfs")),
            ("BFS", Some("bfs")),
            ("rnu", Some("run")),
            ("page-rank", Some("pagerank")),
            ("pagernak", Some("pagerank")),
            ("tri", Some("triangles")),
            ("frobnicate", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, &known), meant, "{typed}");
        }
    }
}
