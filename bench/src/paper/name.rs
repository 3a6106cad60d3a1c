//! Names of the papers and of their figures.

use super::figure::Figure;
use super::machine::Machine;
use super::{Bench, gts, neighbours, totem, wolfpath};
use clap::ValueEnum;
use gts_graph::cli::program::Failure;

/// Papers whose figures can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Paper {
    /// GTS, SIGMOD 2016: pages that stream to GPUs
    Gts,
    /// TOTEM, PACT 2012: a graph that the CPU and GPUs share
    Totem,
    /// WolfPath, IJPP 2019: steps without the host, and edges by layers
    Wolfpath,
    /// Neighbour iteration, Euro-Par Workshops 2015: strategies by graph, and the choice of one
    Neighbours,
}

/// Figures that can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Name {
    /// GTS, Figure 10: time by the number of streams, 1 to 32
    Streams,
    /// GTS, Figure 9: Strategy-P beside Strategy-S, by where the graph lies, on 1, 2 and 4 GPUs
    Strategies,
    /// GTS, Figure 11: time and hit rate by the size of the cache, of 25 to 100 % of the graph
    Cache,
    /// GTS, Figure 14: time by the edges of a vertex, 4 to 32, and by technique
    Density,
    /// GTS, section 7.5: time an edge as graphs grow
    Growth,
    /// TOTEM, Figure 3: the speed that its model predicts, by the bytes of a boundary edge
    Model,
    /// TOTEM, Figure 6: boundary edges and messages, by the number of vertices
    Boundary,
    /// TOTEM, Figure 7: speed by the CPU's share of the edges, measured and predicted
    Shares,
    /// TOTEM, Figure 8: where the time goes, by the CPU's share of the edges
    Breakdown,
    /// TOTEM, Figure 9: speed by the number of vertices, measured and predicted
    Sparsity,
    /// TOTEM, Figure 10: computation and communication in the sparsest graph, measured and predicted
    Phases,
    /// TOTEM, Figure 11: the same as Figure 7 with a second GPU
    SecondGpu,
    /// TOTEM, section 4.2: boundary edges and messages, by the CPU's share and what it is given
    Placement,
    /// WolfPath, Tables 2 and 3: time of steps where the host is asked after each, after some, or never
    Asking,
    /// WolfPath, Table 5: rounds, times and wrong vertices of its list of edges by layers, and of other ways
    Layers,
    /// WolfPath, Figure 9: time with and without layers and several streams
    Optimisations,
    /// Neighbour iteration, Figure 1: time of each strategy over that of the worst, by graph
    Iteration,
    /// Neighbour iteration, Figure 2: what sorting by degree changes, by strategy and graph
    Sorted,
    /// The strategy that is chosen beside the best one, by graph and algorithm
    Choice,
}

impl Name {
    /// Returns the figure's name on the command line, also used as the name of its files.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Streams => "streams",
            Self::Strategies => "strategies",
            Self::Cache => "cache",
            Self::Density => "density",
            Self::Growth => "growth",
            Self::Model => "model",
            Self::Boundary => "boundary",
            Self::Shares => "shares",
            Self::Breakdown => "breakdown",
            Self::Sparsity => "sparsity",
            Self::Phases => "phases",
            Self::SecondGpu => "second-gpu",
            Self::Placement => "placement",
            Self::Asking => "asking",
            Self::Layers => "layers",
            Self::Optimisations => "optimisations",
            Self::Iteration => "iteration",
            Self::Sorted => "sorted",
            Self::Choice => "choice",
        }
    }

    /// Returns the paper that contains the figure.
    pub(super) fn paper(self) -> Paper {
        match self {
            Self::Streams | Self::Strategies | Self::Cache | Self::Density | Self::Growth => Paper::Gts,
            Self::Model
            | Self::Boundary
            | Self::Placement
            | Self::Shares
            | Self::Breakdown
            | Self::Sparsity
            | Self::Phases
            | Self::SecondGpu => Paper::Totem,
            Self::Asking | Self::Layers | Self::Optimisations => Paper::Wolfpath,
            Self::Iteration | Self::Sorted | Self::Choice => Paper::Neighbours,
        }
    }

    /// Returns whether the figure accepts graphs given by the user.
    pub(super) fn takes_graphs(self) -> bool {
        matches!(self.paper(), Paper::Wolfpath | Paper::Neighbours)
    }

    /// Returns the figure's requirement that the machine does not meet, or `None` if the figure can be measured.
    pub(super) fn lacks(self, machine: &Machine) -> Option<&'static str> {
        match self {
            Self::Streams | Self::Shares | Self::Breakdown | Self::Sparsity | Self::Phases | Self::Asking
                if !machine.has_gpus() =>
            {
                Some("a GPU")
            }
            Self::Strategies | Self::SecondGpu if machine.devices.get() < 2 => Some("two GPUs or more"),
            _ => None,
        }
    }

    pub(super) fn measure(self, bench: &Bench) -> Result<Figure, Failure> {
        match self {
            Self::Streams => gts::streams::measure(bench),
            Self::Strategies => gts::strategies::measure(bench),
            Self::Cache => gts::cache::measure(bench),
            Self::Density => gts::density::measure(bench),
            Self::Growth => gts::growth::measure(bench),
            Self::Model => totem::model::measure(bench),
            Self::Boundary => totem::boundary::measure(bench),
            Self::Shares => totem::shares::speed(bench),
            Self::Breakdown => totem::shares::breakdown(bench),
            Self::Sparsity => totem::sparsity::speed(bench),
            Self::Phases => totem::sparsity::phases(bench),
            Self::SecondGpu => totem::shares::second_gpu(bench),
            Self::Placement => totem::placement::measure(bench),
            Self::Asking => wolfpath::asking::measure(bench),
            Self::Layers => wolfpath::layers::measure(bench),
            Self::Optimisations => wolfpath::optimisations::measure(bench),
            Self::Iteration => neighbours::iteration::measure(bench),
            Self::Sorted => neighbours::sorted::measure(bench),
            Self::Choice => neighbours::choice::measure(bench),
        }
    }
}

/// Returns the named figures, or all figures of a paper if none is named.
pub(super) fn asked_for(paper: Option<Paper>, named: &[Name]) -> Result<Vec<Name>, Failure> {
    if named.is_empty() {
        let paper = paper.unwrap_or(Paper::Gts);
        return Ok(Name::value_variants().iter().copied().filter(|name| name.paper() == paper).collect());
    }
    match named.iter().find(|name| paper.is_some_and(|paper| name.paper() != paper)) {
        Some(other) => Err(Failure::usage(
            format!("--figure {}: it is of another paper than --paper says", other.text()),
            "leave out --paper, or see `gts-bench paper --help`",
        )),
        None => Ok(named.to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_the_names_of_their_options() {
        for name in Name::value_variants() {
            assert_eq!(name.to_possible_value().map(|value| value.get_name().to_owned()).as_deref(), Some(name.text()));
        }
    }

    #[test]
    fn figures_are_those_named_or_all_of_a_paper() {
        let of = |paper, named: &[Name]| asked_for(paper, named).map_err(|_| ());
        let gts = of(None, &[]).unwrap();
        assert_eq!(of(Some(Paper::Gts), &[]), Ok(gts.clone()));
        assert!(gts.contains(&Name::Streams) && gts.iter().all(|name| name.paper() == Paper::Gts));
        let totem = of(Some(Paper::Totem), &[]).unwrap();
        let [wolfpath, neighbours] = [Paper::Wolfpath, Paper::Neighbours].map(|paper| of(Some(paper), &[]).unwrap());
        assert_eq!(gts.len() + totem.len() + wolfpath.len() + neighbours.len(), Name::value_variants().len());
        assert_eq!(of(None, &[Name::Model, Name::Cache]), Ok(vec![Name::Model, Name::Cache]));
        assert_eq!(of(Some(Paper::Totem), &[Name::Model]), Ok(vec![Name::Model]));
        assert_eq!(of(Some(Paper::Gts), &[Name::Model]), Err(()));
    }
}
