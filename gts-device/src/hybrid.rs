//! The CPU and GPUs combined into one device, as in TOTEM. Every processor has a replica of the updatable attributes,
//! and the CPU walks a share of the edges.

use crate::error::{Error, Result};
use crate::{PageShares, Placement};
use gts_core::advice::Advice;
use gts_core::graph::Graph;
use std::num::NonZeroUsize;

/// The sum of all weights before rounding. Alpha's resolution is 1 / `PARTS`.
const PARTS: f64 = 1e6;

/// Settings for the division of a graph's edges between the CPU and the GPUs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hybrid {
    /// The CPU's share of the edges, from 0 to 1. If unset, the engine's cost model chooses the share. If there is no
    /// model, the GPUs walk all edges.
    pub alpha: Option<f64>,
    /// The rule that selects the CPU's pages.
    pub placement: Placement,
}

impl Default for Hybrid {
    fn default() -> Self {
        Self { alpha: None, placement: Placement::Random }
    }
}

/// The processors that have edges to walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sides {
    /// Only the GPUs.
    Gpus,
    /// Only the CPU.
    Cpu,
    /// The GPUs and the CPU. Contains each GPU's weight, followed by the CPU's weight.
    Both(Vec<u32>),
}

impl Hybrid {
    /// Returns the processors that have edges to walk if `gpus` GPUs are used.
    ///
    /// # Errors
    ///
    /// Alpha is out of range: see [`check_alpha`].
    pub fn sides(&self, gpus: usize) -> Result<Sides> {
        let alpha = self.alpha.unwrap_or(0.0);
        check_alpha(alpha)?;
        let weights = weights(alpha, &vec![1; gpus.min(PageShares::MOST)], &[1]);
        Ok(match weights.split_last() {
            Some((0, _)) | None => Sides::Gpus,
            Some((_, of_gpus)) if of_gpus.iter().all(|&weight| weight == 0) => Sides::Cpu,
            Some(_) => Sides::Both(weights),
        })
    }

    /// Returns the number of out-edges that the GPUs walk, and the number that the CPU walks.
    ///
    /// # Errors
    ///
    /// Alpha is out of range: see [`check_alpha`].
    pub fn edges(&self, graph: &Graph, gpus: NonZeroUsize) -> Result<(u64, u64)> {
        let topology = graph.out_topology();
        let of_cpu = match self.sides(gpus.get())? {
            Sides::Gpus => 0,
            Sides::Cpu => topology.num_edges(),
            Sides::Both(weights) => {
                let shares = PageShares::weighted(graph, &weights, self.placement);
                shares.each().last().map_or(0, |share| share.num_edges(topology))
            }
        };
        Ok((topology.num_edges() - of_cpu, of_cpu))
    }
}

/// Returns weights that assign the fraction `alpha` of the edges to the followers together. The proportions within each
/// of the two groups do not change.
pub fn weights(alpha: f64, leaders: &[u32], followers: &[u32]) -> Vec<u32> {
    let scaled = |share: f64, side: &[u32]| -> Vec<u32> {
        let all: f64 = side.iter().copied().map(f64::from).sum();
        side.iter().map(|&weight| (share * PARTS * f64::from(weight) / all).round() as u32).collect()
    };
    [scaled(1.0 - alpha, leaders), scaled(alpha, followers)].concat()
}

/// Checks that alpha is a fraction from 0 to 1.
///
/// # Errors
///
/// Alpha is below 0, above 1, or NaN.
pub fn check_alpha(alpha: f64) -> Result<()> {
    if (0.0..=1.0).contains(&alpha) {
        return Ok(());
    }
    Err(Error::argument_with_advice(
        format_args!("alpha {alpha}"),
        "the CPU's share of the edges is a fraction from 0 to 1",
        Advice::new("give --alpha such a fraction, or auto", "give such a fraction, or none"),
    ))
}

/// Returns the number of CPU threads for a run that also uses `gpus` GPUs. One core per GPU is reserved to feed the
/// GPU.
pub fn threads_beside(gpus: usize) -> NonZeroUsize {
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    NonZeroUsize::new(cores.saturating_sub(gpus)).unwrap_or(NonZeroUsize::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sides(alpha: impl Into<Option<f64>>, gpus: usize) -> Result<Sides> {
        Hybrid { alpha: alpha.into(), ..Hybrid::default() }.sides(gpus)
    }

    #[test]
    fn the_cpu_gets_its_fraction_and_the_gpus_the_rest_evenly() {
        assert_eq!(sides(0.25, 1).unwrap(), Sides::Both(vec![750_000, 250_000]));
        assert_eq!(sides(0.25, 3).unwrap(), Sides::Both(vec![250_000, 250_000, 250_000, 250_000]));
        assert_eq!(weights(0.25, &[1, 2], &[3, 1]), [250_000, 500_000, 187_500, 62_500]);
        // `sides` caps the number of GPUs at the maximum number of shares. An excessive number is an error only when
        // the device is created.
        assert!(matches!(sides(0.5, usize::MAX).unwrap(), Sides::Both(_)));
    }

    #[test]
    fn at_either_end_one_side_has_all() {
        for alpha in [None, Some(0.0), Some(1e-9)] {
            assert_eq!(sides(alpha, 2).unwrap(), Sides::Gpus);
        }
        for alpha in [1.0, 1.0 - 1e-9] {
            assert_eq!(sides(alpha, 2).unwrap(), Sides::Cpu);
        }
    }

    #[test]
    fn what_is_no_fraction_is_refused() {
        for alpha in [-0.1, 1.5, f64::NAN, f64::INFINITY] {
            let error = sides(alpha, 1).expect_err("no fraction");
            assert!(matches!(error, Error::Argument { next: Some(_), .. }), "{error}");
        }
    }

    #[test]
    fn the_edges_of_both_sides_are_those_of_the_graph() {
        let graph = Graph::builder().edges((0..2000u64).map(|v| (v, v * 7 % 500))).page_size(256).build().unwrap();
        let all = graph.num_edges();
        for (alpha, least, most) in [(0.0, 0, 0), (0.5, all / 3, 2 * all / 3), (1.0, all, all)] {
            let hybrid = Hybrid { alpha: Some(alpha), ..Hybrid::default() };
            let (gpus, cpu) = hybrid.edges(&graph, NonZeroUsize::MIN).unwrap();
            assert_eq!(gpus + cpu, all);
            assert!((least..=most).contains(&cpu), "alpha {alpha}: {cpu} of {all}");
        }
    }

    #[test]
    fn the_cpu_has_a_thread_whatever_it_feeds() {
        assert_eq!(threads_beside(usize::MAX), NonZeroUsize::MIN);
        assert!(threads_beside(1) <= threads_beside(0));
    }
}
