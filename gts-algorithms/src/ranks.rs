//! Options and results of iterations that compute ranks.

/// Options of the iteration.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Probability to follow an edge; usually 0.85.
    pub damping: f64,
    /// Number of iterations, or their maximum if there is a tolerance.
    pub iterations: u64,
    /// Sum of the changes of all ranks at which to stop; usually 1e-6. With it, ranks start in proportion to
    /// in-degrees.
    pub tolerance: Option<f64>,
}

/// Ranks, and facts of the iteration.
#[derive(Clone, Debug)]
pub struct Ranks<T> {
    /// The rank of every vertex, in the order of the original IDs.
    pub ranks: Vec<T>,
    /// The number of iterations.
    pub iterations: u64,
    /// Sum of the changes in the last iteration, if there is a tolerance.
    pub change: Option<f64>,
}
