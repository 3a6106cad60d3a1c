//! The known name that is nearest to a mistyped one.

/// Returns the known name that is nearest to a mistyped one: the one with the fewest letters changed, left out, added
/// or swapped, otherwise the first that begins with it. `None` if no name is near.
pub(crate) fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let typed: Vec<char> = name.to_lowercase().chars().take(64).collect();
    let most = typed.len().max(3) / 3;
    let close = known.iter().map(|&known| (distance(&typed, &known.chars().collect::<Vec<_>>()), known));
    let close = close.filter(|(distance, _)| *distance <= most).min_by_key(|(distance, _)| *distance);
    let begins =
        |known: &&str| typed.len() >= 3 && known.chars().zip(&typed).filter(|(a, b)| a == *b).count() == typed.len();
    close.map(|(_, known)| known).or_else(|| known.iter().copied().find(begins))
}

/// Counts the letters changed, left out, added or swapped with their neighbour.
fn distance(one: &[char], other: &[char]) -> usize {
    let mut before = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for i in 1..=one.len() {
        let mut row = vec![i];
        for j in 1..=other.len() {
            let changed = last[j - 1] + usize::from(one[i - 1] != other[j - 1]);
            let mut least = changed.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[other.len()]
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
