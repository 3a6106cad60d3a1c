//! The CPU and GPUs on one graph: the options, the choice of the CPU's share, and its description.

use crate::constants::Constants;
use crate::error::Failure;
use crate::forecast::{self, Predicted};
use crate::report::{Align, facts, table, tell};
use crate::units;
use gts_graph::algorithm::{Algorithm, Arguments};
use gts_graph::core::advice::{Reader, explain_within};
use gts_graph::core::cost::hybrid::{Adjustment, Forecast, Model, Platform, Seconds, Sharing, WORTH_SHARING};
use gts_graph::core::cost::{
    AlgorithmShape, Need, ProcessorConstants, ProcessorKind, RunConfiguration, Shortfall, Strategy, predict,
};
use gts_graph::core::graph::GraphShape;
use gts_graph::device::hybrid::{check_alpha, threads_beside};
use gts_graph::prelude::{Graph, Hybrid, Placement, Propagation};
use gts_graph::{DeviceChoice, EngineBuilder};
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::sync::Arc;

/// Placements of the CPU's pages, by name.
pub const PLACEMENTS: [(&str, Placement); 3] =
    [("random", Placement::Random), ("high", Placement::High), ("low", Placement::Low)];

/// How the CPU shares the work of GPUs.
#[derive(clap::Args, Clone, Copy, Debug)]
#[command(next_help_heading = "GPU")]
pub(crate) struct HybridArgs {
    /// The CPU's share of the edges with --device cpu+cuda: a fraction from 0 to 1, or auto, which takes the share that the
    /// model predicts to be fastest and may take 0. A run that scans all edges several times then adjusts it once, after two
    /// passes; auto if not given
    #[arg(long, value_name = "FRACTION", value_parser = alpha, allow_negative_numbers = true)]
    alpha: Option<Alpha>,
    /// Which pages the CPU gets of them: random, high (those with the most edges a vertex) or low (those with the fewest);
    /// random if not given
    #[arg(long, value_name = "PLACE", value_parser = place)]
    place: Option<Placement>,
}

/// A share of the edges.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Alpha {
    /// The share that the model chooses.
    Auto,
    /// This share.
    Fraction(f64),
}

fn alpha(text: &str) -> Result<Alpha, String> {
    if text == "auto" {
        return Ok(Alpha::Auto);
    }
    let fraction = text.parse().map_err(|_| "expected a fraction from 0 to 1, or auto")?;
    check_alpha(fraction).map_err(|error| explain_within(&error, Reader::CommandLine))?;
    Ok(Alpha::Fraction(fraction))
}

fn place(text: &str) -> Result<Placement, String> {
    let found = PLACEMENTS.into_iter().find(|(name, _)| *name == text);
    found.map(|(_, placement)| placement).ok_or_else(|| "expected random, high or low".to_owned())
}

/// Returns the name of a placement.
pub fn place_name(placement: Placement) -> &'static str {
    PLACEMENTS.into_iter().find(|(_, known)| *known == placement).map_or("even", |(name, _)| name)
}

impl HybridArgs {
    /// Returns the requested sharing; `None` unless the device is a hybrid one.
    pub(crate) fn asked(
        self,
        device: DeviceChoice,
        strategy: Option<Strategy>,
    ) -> Result<Option<AskedSharing>, Failure> {
        let given = self.alpha.is_some() || self.place.is_some();
        device.check_sharing(given, strategy).map_err(|error| Failure::usage_of(&error))?;
        let alpha = match self.alpha {
            Some(Alpha::Fraction(fraction)) => Some(fraction),
            Some(Alpha::Auto) | None => None,
        };
        let asked = AskedSharing { device, alpha, placement: self.place.unwrap_or(Placement::Random) };
        Ok(matches!(device, DeviceChoice::Hybrid(_)).then_some(asked))
    }
}

/// The requested sharing of a graph between the CPU and GPUs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AskedSharing {
    device: DeviceChoice,
    /// `None` if the model chooses.
    alpha: Option<f64>,
    placement: Placement,
}

/// Properties of a run that are available before it begins.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    /// The algorithm.
    pub algorithm: &'static Algorithm,
    /// Its parameters.
    pub parameters: &'a Arguments,
    /// The graph that it runs on.
    pub graph: &'a Graph,
    /// The direction in which values move along edges.
    pub propagation: Propagation,
    /// Set-up of the GPUs.
    pub configuration: &'a RunConfiguration,
    /// Threads of the CPU, if specified.
    pub threads: Option<NonZeroUsize>,
}

/// Creates the model of runs that the CPU and GPUs share. `threads` is the number of threads that run the CPU's
/// kernels.
pub fn model(
    graph: &GraphShape,
    algorithm: &AlgorithmShape,
    gpu: &Constants,
    cpu: &ProcessorConstants,
    configuration: &RunConfiguration,
    threads: Option<NonZeroUsize>,
) -> Result<Model, Shortfall> {
    let platform = Platform { host: &gpu.host, cpu, gpu: &gpu.processor };
    let threads = threads.unwrap_or_else(|| threads_beside(configuration.devices as usize));
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let sharing = Sharing { cores: (threads.get() as f64 / cores.get() as f64).min(1.0) };
    Model::of(graph, algorithm, platform, configuration, &sharing)
}

impl AskedSharing {
    /// Returns whether the choice of the share requires the graph.
    pub fn is_auto(&self) -> bool {
        self.alpha.is_none()
    }

    /// Returns the engine's options with this share of the CPU.
    fn with(&self, alpha: f64) -> Hybrid {
        Hybrid { alpha: Some(alpha), placement: self.placement }
    }

    /// Returns how an engine shares the edges if it need not choose. Without an alpha the GPUs have all edges.
    pub fn shares(&self) -> EngineSharing {
        EngineSharing { hybrid: self.with(self.alpha.unwrap_or(0.0)), model: None }
    }

    /// Decides the CPU's share of a run. Reports the reason on standard error if the share is 0 for lack of
    /// measurements.
    pub fn decide(self, work: &Work<'_>) -> Result<Decided, Failure> {
        let measured = self.measured(work)?;
        let chosen = measured.as_ref().ok().map(|measured| measured.model.choose());
        let hybrid = self.with(self.alpha.or(chosen.map(|chosen| chosen.alpha)).unwrap_or(0.0));
        if let (true, Err(why)) = (self.is_auto(), &measured) {
            tell(format_args!("alpha 0: {why}"));
        }
        let gpus = usize::try_from(work.configuration.devices).ok().and_then(NonZeroUsize::new);
        let (of_gpus, of_cpu) = hybrid.edges(work.graph, gpus.unwrap_or(NonZeroUsize::MIN))?;
        let chosen = chosen.filter(|_| self.is_auto());
        Ok(Decided { hybrid, asked: !self.is_auto(), chosen, of_gpus, of_cpu, measured: measured.ok() })
    }

    /// Returns the model of a run on this machine, or the reason why there is none, with the remedy.
    fn measured(&self, work: &Work<'_>) -> Result<Result<MeasuredModel, String>, Failure> {
        let Work { algorithm, parameters, graph, .. } = *work;
        let gpu = Constants::of(self.device, work.configuration.devices)?;
        let cpu = gpu.cpu()?;
        if !(gpu.processor.measured && cpu.measured) {
            let why = "this machine was not measured, so the best share of its CPU is not known";
            return Ok(Err(format!("{why}; measure with `gts devices --measure`, or give --alpha")));
        }
        let Some(outline) = algorithm.outline else {
            return Ok(Err(format!("`{}` does not tell what it does before it runs; give --alpha", algorithm.name)));
        };
        let shape = GraphShape::of(graph);
        let algorithm = outline(parameters, &graph.into())?.shape(algorithm, &shape);
        let configuration = RunConfiguration {
            stored: !graph.is_resident(),
            pull_share: forecast::pull_share(ProcessorKind::Cuda, work.propagation),
            ..work.configuration.clone()
        };
        let found = predict(&shape, &algorithm, &gpu.host, &gpu.processor, &configuration).and_then(|alone| {
            let model = model(&shape, &algorithm, &gpu, &cpu, &configuration, work.threads)?;
            Ok(MeasuredModel { model: Arc::new(model), setup: alone.setup, attributes: alone.attributes })
        });
        Ok(found.map_err(|shortfall| explain_within(&shortfall, Reader::CommandLine)))
    }
}

/// Prediction of the model for a run, from rates measured on this machine.
struct MeasuredModel {
    model: Arc<Model>,
    /// Seconds before the first pass.
    setup: f64,
    /// Seconds for the attributes.
    attributes: f64,
}

/// The sharing of a graph between the CPU and GPUs of an engine.
#[derive(Clone, Debug)]
pub struct EngineSharing {
    hybrid: Hybrid,
    /// The model that chooses and adjusts the CPU's share, if it may.
    model: Option<Arc<Model>>,
}

impl EngineSharing {
    /// Applies this sharing to an engine.
    pub fn apply(self, builder: EngineBuilder) -> EngineBuilder {
        match self.model {
            Some(model) => builder.hybrid(Hybrid { alpha: None, ..self.hybrid }).sharing_model(model),
            None => builder.hybrid(self.hybrid),
        }
    }
}

/// The decided sharing of a run.
pub struct Decided {
    hybrid: Hybrid,
    /// Whether the user specified the share.
    asked: bool,
    /// The model's choice.
    chosen: Option<Forecast>,
    of_gpus: u64,
    of_cpu: u64,
    measured: Option<MeasuredModel>,
}

impl Decided {
    fn alpha(&self) -> f64 {
        self.hybrid.alpha.unwrap_or(0.0)
    }

    /// Returns the decided sharing for an engine.
    pub fn shares(&self) -> EngineSharing {
        let model = self.measured.as_ref().filter(|_| !self.asked).map(|measured| Arc::clone(&measured.model));
        EngineSharing { hybrid: self.hybrid, model }
    }

    /// Returns whether the CPU gets no edges.
    pub(crate) fn is_gpus_alone(&self) -> bool {
        self.alpha() == 0.0
    }

    /// Returns the prediction for the run; `None` unless both sides have edges and measured constants.
    pub(crate) fn predicted(&self) -> Option<Predicted> {
        let MeasuredModel { model, setup, attributes } = self.measured.as_ref()?;
        let both = self.of_cpu > 0 && self.of_gpus > 0;
        let passes = setup + model.seconds(self.alpha()).total;
        let bound = self.chosen.map(|chosen| chosen.bound.name());
        both.then(|| Predicted::new(passes, passes + attributes, bound))
    }

    /// Describes the shares for readers, with the adjustment after the first passes.
    pub(crate) fn text(&self, adjustment: Option<&Adjustment>) -> String {
        let how = match (self.asked, &self.chosen) {
            (true, _) => "asked".to_owned(),
            (false, Some(chosen)) => format!("chosen, {}", chosen_text(chosen)),
            (false, None) => "nothing is known of a better one".to_owned(),
        };
        let edges = match (self.of_gpus, self.of_cpu) {
            (_, 0) => "the GPU has all edges".to_owned(),
            (0, _) => "the CPU has all edges".to_owned(),
            (gpus, cpu) => format!(
                "placed {}, {} edges on the CPU, {} on the GPU",
                place_name(self.hybrid.placement),
                units::count(cpu),
                units::count(gpus)
            ),
        };
        let adjusted = adjustment.map(|adjustment| format!("; {}", adjustment_text(adjustment)));
        format!("alpha {} ({how}): {edges}{}", fraction(self.alpha()), adjusted.unwrap_or_default())
    }

    /// Returns the sharing for programs.
    pub(crate) fn json(&self, adjustment: Option<&Adjustment>) -> Value {
        json!({
            "alpha": self.alpha(),
            "placement": place_name(self.hybrid.placement),
            "asked": self.asked,
            "edges": { "cpu": self.of_cpu, "gpu": self.of_gpus },
            "chosen": self.chosen.as_ref().map(chosen_json),
            "adjustment": adjustment.map(|adjustment| json!({
                "after_passes": Model::ADJUSTED_AFTER,
                "from": adjustment.from,
                "to": adjustment.to,
                "speedup": adjustment.speedup,
                "kept": adjustment.is_kept(),
            })),
        })
    }
}

/// Describes the adjustment of a run after its first passes.
fn adjustment_text(adjustment: &Adjustment) -> String {
    let after = format!("after {} passes", Model::ADJUSTED_AFTER);
    match adjustment.is_kept() {
        true => format!("kept {after}: no other share gains enough"),
        false => {
            let Adjustment { to, speedup, .. } = *adjustment;
            format!("adjusted to {} {after}, {speedup:.2} x predicted for those to come", fraction(to))
        }
    }
}

/// The plan of a run on the CPU and GPUs.
pub(crate) struct PlannedSharing {
    asked: AskedSharing,
    model: Model,
    chosen: Forecast,
    /// Whether both the CPU and the GPUs were measured.
    measured: bool,
}

impl PlannedSharing {
    /// Plans the requested sharing. `threads` is the number of threads of the CPU, if specified.
    pub(crate) fn new(
        asked: AskedSharing,
        graph: &GraphShape,
        algorithm: &AlgorithmShape,
        gpu: &Constants,
        configuration: &RunConfiguration,
        threads: Option<NonZeroUsize>,
    ) -> Result<Self, Failure> {
        let cpu = gpu.cpu()?;
        let model = model(graph, algorithm, gpu, &cpu, configuration, threads)?;
        let chosen = model.choose();
        Ok(Self { asked, model, chosen, measured: gpu.processor.measured && cpu.measured })
    }

    fn alpha(&self) -> f64 {
        self.asked.alpha.unwrap_or(self.chosen.alpha)
    }

    /// Returns whether a run may adjust the share.
    fn is_adjusted(&self) -> bool {
        self.asked.is_auto() && self.alpha() > 0.0 && self.alpha() < 1.0 && self.model.is_adjusted()
    }

    /// Returns the host memory required for the CPU, in addition to that for GPUs.
    pub(crate) fn host_needs(&self) -> &[Need] {
        if self.alpha() > 0.0 { self.model.host_needs() } else { &[] }
    }

    /// Returns the shares to list, with their labels.
    fn shares(&self) -> Vec<(f64, &'static str)> {
        let mut shares = vec![(0.0, "GPU alone"), (1.0, "CPU alone")];
        shares.extend((!self.chosen.is_gpu_alone()).then_some((self.chosen.alpha, "chosen")));
        shares.extend(self.asked.alpha.map(|alpha| (alpha, "asked")));
        shares.sort_by(|one, other| one.0.total_cmp(&other.0));
        shares
    }

    fn seconds(&self, alpha: f64) -> Seconds {
        self.model.seconds(alpha)
    }

    fn speedup(&self, alpha: f64) -> f64 {
        self.chosen.gpu_alone / self.seconds(alpha).total.max(f64::MIN_POSITIVE)
    }

    /// Formats the plan for readers.
    pub(crate) fn text(&self) -> String {
        let heads = ["alpha", "", "time", "CPU", "GPU", "messages", "over the GPU"];
        let heads = heads.map(|head| (head, if head.is_empty() { Align::Left } else { Align::Right }));
        let row = |(alpha, why): (f64, &str)| {
            let Seconds { cpu, gpu, messages, total, .. } = self.seconds(alpha);
            let times = [total, cpu, gpu, messages].map(units::seconds);
            let [total, cpu, gpu, messages] = times;
            vec![fraction(alpha), why.to_owned(), total, cpu, gpu, messages, format!("{:.2} x", self.speedup(alpha))]
        };
        let rows: Vec<_> = self.shares().into_iter().map(row).collect();
        let mut lines = vec![(
            "alpha",
            format!(
                "{}{}: {}",
                fraction(self.alpha()),
                if self.alpha() > 0.0 {
                    format!(", placed {}", place_name(self.asked.placement))
                } else {
                    String::new()
                },
                match self.asked.alpha {
                    None => chosen_text(&self.chosen),
                    Some(alpha) => format!(
                        "{:.2} x the GPU alone; auto takes {}, {}",
                        self.speedup(alpha),
                        fraction(self.chosen.alpha),
                        chosen_text(&self.chosen)
                    ),
                }
            ),
        )];
        if self.model.most() < self.alpha() {
            lines.push(("at most", format!("alpha {}: pages on disk stay with the GPU", fraction(self.model.most()))));
        }
        if self.is_adjusted() {
            let what = "once, where that gains; the GPU alone may get all edges";
            lines.push(("adjusted", format!("after {} passes, {what}", Model::ADJUSTED_AFTER)));
        }
        if !self.measured && self.asked.is_auto() {
            let what = "figures of this machine; a run takes alpha 0 until `gts devices --measure` has measured them";
            lines.push(("assumed", what.to_owned()));
        }
        format!("{}\n{}", table(&heads, &rows), facts(&lines))
    }

    /// Returns the plan for programs.
    pub(crate) fn json(&self) -> Value {
        let at = |(alpha, why): (f64, &str)| {
            let seconds = self.seconds(alpha);
            json!({
                "alpha": alpha,
                "what": why,
                "seconds": {
                    "cpu": seconds.cpu,
                    "gpu": seconds.gpu,
                    "messages": seconds.messages,
                    "total": seconds.total,
                },
                "speedup": self.speedup(alpha),
            })
        };
        json!({
            "alpha": self.alpha(),
            "placement": place_name(self.asked.placement),
            "asked": !self.asked.is_auto(),
            "measured": self.measured,
            "at_most": self.model.most(),
            "adjusted_after_passes": self.is_adjusted().then_some(Model::ADJUSTED_AFTER),
            "shares": self.shares().into_iter().map(at).collect::<Vec<_>>(),
            "chosen": chosen_json(&self.chosen),
        })
    }
}

/// Describes the model's prediction for the share that it has chosen.
fn chosen_text(chosen: &Forecast) -> String {
    match chosen.against {
        Some(against) if chosen.is_gpu_alone() => {
            format!("no share gains {:.0} %, most against it: {}", 100.0 * (WORTH_SHARING - 1.0), against.name())
        }
        _ => format!("{:.2} x the GPU alone predicted, bound by {}", chosen.speedup(), chosen.bound.name()),
    }
}

fn chosen_json(chosen: &Forecast) -> Value {
    json!({
        "alpha": chosen.alpha,
        "speedup": chosen.speedup(),
        "bound": chosen.bound.name(),
        "against": chosen.against.map(|bound| bound.name()),
        "seconds": { "total": chosen.seconds.total, "gpu_alone": chosen.gpu_alone, "cpu_alone": chosen.cpu_alone },
    })
}

/// Formats a share with its significant digits.
fn fraction(alpha: f64) -> String {
    format!("{}", (alpha * 1e3).round() / 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(
        device: DeviceChoice,
        alpha: Option<Alpha>,
        place: Option<Placement>,
    ) -> Result<Option<AskedSharing>, Failure> {
        HybridArgs { alpha, place }.asked(device, None)
    }

    #[test]
    fn alpha_is_a_fraction_or_auto() {
        assert_eq!(alpha("auto"), Ok(Alpha::Auto));
        assert_eq!(alpha("0.25"), Ok(Alpha::Fraction(0.25)));
        for text in ["-0.1", "1.01", "NaN", "inf", "half", ""] {
            let error = alpha(text).expect_err(text);
            assert!(error.contains("from 0 to 1"), "{text}: {error}");
        }
    }

    #[test]
    fn places_are_those_of_the_paper() {
        for (name, placement) in PLACEMENTS {
            assert_eq!((place(name), place_name(placement)), (Ok(placement), name));
        }
        assert!(place("even").is_err());
    }

    #[test]
    fn a_summary_tells_the_share_and_the_edges_of_either_side() {
        let decided = |alpha, asked, of_gpus, of_cpu| {
            let hybrid = Hybrid { alpha: Some(alpha), placement: Placement::High };
            Decided { hybrid, asked, chosen: None, of_gpus, of_cpu, measured: None }
        };
        let both = decided(0.25, true, 900, 300);
        assert_eq!(both.text(None), "alpha 0.25 (asked): placed high, 300 edges on the CPU, 900 on the GPU");
        let json = both.json(None);
        assert_eq!(
            (&json["alpha"], &json["placement"], &json["adjustment"]),
            (&json!(0.25), &json!("high"), &json!(null))
        );
        let mut adjustment = Adjustment { from: 0.25, to: 0.1, speedup: 1.205 };
        let told = both.text(Some(&adjustment));
        assert!(
            told.ends_with("900 on the GPU; adjusted to 0.1 after 2 passes, 1.21 x predicted for those to come"),
            "{told}"
        );
        assert_eq!(both.json(Some(&adjustment))["adjustment"]["to"], json!(0.1));
        adjustment.to = adjustment.from;
        let told = both.text(Some(&adjustment));
        assert!(told.ends_with("; kept after 2 passes: no other share gains enough"), "{told}");
        assert_eq!(both.json(Some(&adjustment))["adjustment"]["kept"], json!(true));
        let none = decided(0.0, false, 1200, 0);
        assert_eq!(none.text(None), "alpha 0 (nothing is known of a better one): the GPU has all edges");
        assert_eq!((none.json(None)["edges"]["cpu"].clone(), none.predicted()), (json!(0), None));
    }

    #[test]
    fn shares_are_for_hybrid_devices_alone() {
        let half = Some(Alpha::Fraction(0.5));
        assert_eq!(asked(DeviceChoice::Cuda(0), None, None).unwrap(), None);
        for (alpha, place) in [(half, None), (Some(Alpha::Auto), None), (None, Some(Placement::High))] {
            let error = asked(DeviceChoice::Cpu, alpha, place).expect_err("no hybrid device");
            assert!(matches!(error, Failure::Usage { next: Some(_), .. }), "{error}");
        }
        let found = asked(DeviceChoice::Hybrid(0), None, None).unwrap().expect("a hybrid device");
        assert!(found.is_auto() && found.shares().hybrid.placement == Placement::Random);
        let found = asked(DeviceChoice::Hybrid(0), half, None).unwrap().expect("a hybrid device");
        assert_eq!(found.shares().hybrid.alpha, Some(0.5));
    }
}
