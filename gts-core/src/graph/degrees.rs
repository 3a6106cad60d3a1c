//! Groups vertices by degree.

use crate::parallel::*;

/// A class of vertices with similar degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DegreeClass {
    /// The number of vertices in the class.
    pub vertices: f64,
    /// The mean out-degree.
    pub out_degree: f64,
    /// The mean in-degree.
    pub in_degree: f64,
    /// The distribution of degrees around the mean.
    pub spread: DegreeSpread,
}

impl DegreeClass {
    /// Returns an estimate of the class's largest in-degree.
    pub(crate) fn most(&self) -> f64 {
        match self.spread {
            DegreeSpread::Even => self.in_degree.ceil(),
            // The expected maximum of `vertices` draws from a normal distribution exceeds the mean by about this
            // amount.
            DegreeSpread::Poisson => {
                let deviations = (2.0 * self.vertices.max(1.0).ln()).sqrt();
                (self.in_degree + deviations * self.in_degree.sqrt()).ceil()
            }
        }
    }
}

/// The distribution of the degrees within a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DegreeSpread {
    /// Every vertex has about the mean degree.
    Even,
    /// Edges are distributed at random: the variance equals the mean.
    Poisson,
}

/// The number of vertices per task.
const PIECE: usize = 1 << 16;

/// Divides the vertices into classes. Within a class, both in-degrees and out-degrees differ by less than a factor of
/// two.
pub(super) fn classes_of(out_degrees: &[u32], in_degrees: &[u32]) -> Vec<DegreeClass> {
    /// The number of degree ranges: 0, 1, 2..3, 4..7 and so on.
    const SIDES: usize = 33;
    #[derive(Clone, Copy, Default)]
    struct Sum {
        vertices: u64,
        outgoing: u64,
        incoming: u64,
    }
    let class = |degree: u32| (u32::BITS - degree.leading_zeros()) as usize;
    let none = || vec![Sum::default(); SIDES * SIDES];
    let pieces = out_degrees.par_chunks(PIECE).zip(in_degrees.par_chunks(PIECE));
    let add = |mut sums: Vec<Sum>, (out_degrees, in_degrees): (&[u32], &[u32])| {
        for (&outgoing, &incoming) in out_degrees.iter().zip(in_degrees) {
            let sum = &mut sums[class(outgoing) * SIDES + class(incoming)];
            sum.vertices += 1;
            sum.outgoing += u64::from(outgoing);
            sum.incoming += u64::from(incoming);
        }
        sums
    };
    let join = |mut sums: Vec<Sum>, others: Vec<Sum>| {
        for (sum, other) in sums.iter_mut().zip(others) {
            sum.vertices += other.vertices;
            sum.outgoing += other.outgoing;
            sum.incoming += other.incoming;
        }
        sums
    };
    let filled = pieces.fold(none, add, join).into_iter().filter(|sum| sum.vertices > 0);
    filled
        .map(|sum| DegreeClass {
            vertices: sum.vertices as f64,
            out_degree: sum.outgoing as f64 / sum.vertices as f64,
            in_degree: sum.incoming as f64 / sum.vertices as f64,
            spread: DegreeSpread::Even,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_of_a_class_differ_by_less_than_two() {
        let classes = classes_of(&[0, 1, 2, 3, 4, 7, 8], &[0; 7]);
        let degrees: Vec<_> = classes.iter().map(|class| (class.vertices, class.out_degree)).collect();
        assert_eq!(degrees, [(1.0, 0.0), (1.0, 1.0), (2.0, 2.5), (2.0, 5.5), (1.0, 8.0)]);
    }
}
