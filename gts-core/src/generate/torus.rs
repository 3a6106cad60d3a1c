//! Generates tori: grids with any number of dimensions and joined ends.

use std::fmt;
use std::sync::Arc;

/// Maximum number of dimensions of a torus. Each side has at least two vertices, so more dimensions would exceed the
/// maximum number of vertices.
const MOST_DIMENSIONS: usize = 40;

/// The sides of a torus, each with at least two vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TorusSides(Arc<[u64]>);

impl TorusSides {
    /// Parses side lengths separated by `x`. `16^5` stands for five sides of 16. The error contains the invalid part of
    /// the text.
    pub(super) fn parse(text: &str) -> Result<Self, &str> {
        let mut sides = Vec::new();
        for part in text.split('x') {
            let (side, times) = part.split_once('^').unwrap_or((part, "1"));
            let side = side.parse::<u64>().ok().filter(|side| *side >= 2).ok_or(part)?;
            let room = MOST_DIMENSIONS - sides.len();
            let times = times.parse().ok().filter(|times| (1..=room).contains(times)).ok_or(part)?;
            sides.extend(std::iter::repeat_n(side, times));
        }
        Ok(Self(sides.into()))
    }

    /// Returns the number of dimensions.
    pub(crate) fn dimensions(&self) -> u64 {
        self.0.len() as u64
    }

    /// Returns the number of vertices, or `u64::MAX` on overflow.
    pub(crate) fn vertices(&self) -> u64 {
        self.0.iter().fold(1, |product: u64, &side| product.saturating_mul(side))
    }

    /// Returns the number of hops from a vertex to the farthest vertex.
    pub(crate) fn radius(&self) -> u64 {
        self.0.iter().map(|side| side / 2).sum()
    }

    /// Returns the number of vertices at each distance from a given vertex.
    ///
    /// Along one side, there are two vertices at each distance above 0, except that there is only one at half the
    /// length of an even side. Distances along several sides add up.
    pub(crate) fn at_distances(&self) -> Vec<f64> {
        let mut all = vec![1.0];
        for side in self.0.iter() {
            let half = (side / 2) as usize;
            let along = |hops: usize| if hops == 0 || 2 * hops as u64 == *side { 1.0 } else { 2.0 };
            let mut next = vec![0.0; all.len() + half];
            for (before, vertices) in all.iter().enumerate() {
                (0..=half).for_each(|hops| next[before + hops] += vertices * along(hops));
            }
            all = next;
        }
        all
    }

    /// Writes the ends of consecutive edges, beginning with edge `first`. Each edge joins a vertex with the next vertex
    /// along a side; the first vertex of a side follows the last. Edges are ordered by side, the last side first.
    /// Consecutive vertex numbers run along the last side.
    pub(super) fn edges(&self, first: u64, src: &mut [u64], dst: &mut [u64]) {
        let vertices = self.vertices();
        let (mut edge, mut stride) = (0, 1);
        for &side in self.0.iter().rev() {
            let begin = first.max(edge);
            let end = (first + src.len() as u64).min(edge + vertices);
            for number in begin..end {
                let from = number - edge;
                let to = if from / stride % side + 1 < side { from + stride } else { from - (side - 1) * stride };
                let place = (number - first) as usize;
                (src[place], dst[place]) = (from, to);
            }
            edge += vertices;
            stride *= side;
        }
    }
}

impl fmt::Display for TorusSides {
    /// Writes the text that [`TorusSides::parse`] reads. Consecutive equal sides are written as a power.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, run) in self.0.chunk_by(|one, other| one == other).enumerate() {
            let joint = if index > 0 { "x" } else { "" };
            match run.len() {
                1 => write!(f, "{joint}{}", run[0]),
                times => write!(f, "{joint}{}^{times}", run[0]),
            }?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sides(text: &str) -> TorusSides {
        TorusSides::parse(text).unwrap()
    }

    #[test]
    fn sides_are_written_as_they_are_read() {
        for (text, written) in
            [("5", "5"), ("3x4", "3x4"), ("16x16x16", "16^3"), ("16^5", "16^5"), ("2^2x3x2", "2^2x3x2")]
        {
            assert_eq!(sides(text).to_string(), written);
            assert_eq!(sides(written), sides(text));
        }
        let bad =
            [("", ""), ("1x5", "1"), ("4x", ""), ("4^0", "4^0"), ("2^41", "2^41"), ("2^40x2", "2"), ("3^2^2", "3^2^2")];
        for (text, part) in bad {
            assert_eq!(TorusSides::parse(text), Err(part), "{text}");
        }
    }

    #[test]
    fn vertices_at_each_distance_are_counted() {
        assert_eq!(sides("5").at_distances(), [1.0, 2.0, 2.0]);
        assert_eq!(sides("6").at_distances(), [1.0, 2.0, 2.0, 1.0]);
        // The torus is a cube.
        assert_eq!(sides("2^3").at_distances(), [1.0, 3.0, 3.0, 1.0]);
        for text in ["3x4", "16^3", "7x2^3"] {
            let sides = sides(text);
            assert_eq!(sides.at_distances().iter().sum::<f64>(), sides.vertices() as f64);
            assert_eq!(sides.at_distances().len() as u64, sides.radius() + 1);
        }
    }
}
