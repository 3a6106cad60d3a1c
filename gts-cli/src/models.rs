//! Predictions of models for the ways of iterating over neighbours, for readers and for programs: our model, which
//! chooses; that of Verstraaten et al. as printed; and equations 1 and 2 of GTS.

use crate::constants::Constants;
use crate::report::{Align, facts, table};
use crate::units;
use gts_graph::contract::{KernelKind, Technique};
use gts_graph::core::cost::neighbors::printed::{AccessSeconds, Accesses, Implementation};
use gts_graph::core::cost::neighbors::{Choice, Equation, PassShape, Terms, choose, equation, has_techniques};
use gts_graph::core::cost::{AlgorithmShape, KernelShape, MemoryPlan, RunConfiguration};
use gts_graph::core::graph::GraphShape;
use serde_json::{Value, json};

/// Bytes of a value of the paper's PageRank.
const RANK: u64 = 4;

/// Predictions of all models.
pub(crate) struct Models {
    kernels: Vec<KernelPrediction>,
    printed: Printed,
    equation: Option<Equation>,
}

/// Predictions of our model for a kernel.
struct KernelPrediction {
    name: String,
    /// Whether passes pull, and the choice for them; pushes first.
    ways: Vec<(bool, Choice)>,
    asked: Option<Technique>,
}

/// Predictions of the paper's models for the graph.
struct Printed {
    each: AccessSeconds,
    rows: Vec<(Implementation, Accesses, f64)>,
}

impl Models {
    /// Evaluates all models for a plan.
    pub(crate) fn new(
        graph: &GraphShape,
        algorithm: &AlgorithmShape,
        constants: &Constants,
        configuration: &RunConfiguration,
        memory: &MemoryPlan,
    ) -> Self {
        let processor = &constants.processor;
        let ways = |kernel: &KernelShape| {
            let way = |pulls| Some((pulls, choose(&PassShape::of(graph, kernel, pulls)?, processor)));
            [false, true].into_iter().filter_map(way).collect::<Vec<_>>()
        };
        let walks = algorithm.kernels().filter(|kernel| matches!(kernel.kind, KernelKind::Scan | KernelKind::Traverse));
        let walks = walks.filter(|_| has_techniques(processor.kind));
        let kernels = walks.map(|kernel| KernelPrediction {
            name: kernel.name.clone(),
            ways: ways(kernel),
            asked: configuration.technique,
        });
        let each = processor.accesses.each(RANK * graph.vertices);
        let row = |implementation: Implementation| {
            let accesses = implementation.iteration(graph.vertices as f64, graph.edges as f64);
            (implementation, accesses, accesses.seconds(&each))
        };
        Self {
            kernels: kernels.collect(),
            printed: Printed { each, rows: Implementation::ALL.map(row).to_vec() },
            equation: equation(graph, algorithm, processor, configuration, memory),
        }
    }

    /// Formats the predictions for readers.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for kernel in &self.kernels {
            text.push_str(&kernel.text());
            text.push('\n');
        }
        if self.kernels.is_empty() {
            text.push_str("no techniques to choose from: no kernel walks edges, or the CPU runs them\n\n");
        }
        text.push_str(&self.printed.text());
        if let Some(equation) = &self.equation {
            text.push('\n');
            text.push_str(&equation_text(equation));
        }
        text
    }

    /// Returns the predictions for programs.
    pub(crate) fn json(&self) -> Value {
        json!({
            "kernels": self.kernels.iter().map(KernelPrediction::json).collect::<Vec<_>>(),
            "printed": self.printed.json(),
            "equation": self.equation.as_ref().map(equation_json),
        })
    }
}

impl KernelPrediction {
    fn text(&self) -> String {
        let heads = [
            ("strategy", Align::Left),
            ("in order", Align::Right),
            ("sectors", Align::Right),
            ("cached", Align::Right),
            ("lane-steps", Align::Right),
            ("memory", Align::Right),
            ("own caches", Align::Right),
            ("waits", Align::Right),
            ("instructions", Align::Right),
            ("contention", Align::Right),
            ("longest list", Align::Right),
            ("time", Align::Right),
        ];
        let rows: Vec<_> = self.all().map(|(pulls, technique, terms)| row(pulls, technique, terms)).collect();
        let mut text = format!("{}: a pass over all edges, by our model\n{}", self.name, table(&heads, &rows));
        let chosen = self.ways.iter().map(|(pulls, choice)| ("chosen", self.reason(*pulls, choice)));
        text.push_str(&facts(&chosen.collect::<Vec<_>>()));
        text
    }

    fn all(&self) -> impl Iterator<Item = (bool, Technique, &Terms)> {
        self.ways
            .iter()
            .flat_map(|(pulls, choice)| choice.ranked.iter().map(|(technique, terms)| (*pulls, *technique, terms)))
    }

    /// Explains the technique of passes that push, or pull.
    fn reason(&self, pulls: bool, choice: &Choice) -> String {
        let way = way(pulls);
        if let Some(asked) = self.asked {
            return format!("{way}: {asked}, as asked for");
        }
        let is_chosen = |(technique, _): &&(Technique, Terms)| *technique == choice.technique;
        let Some((_, chosen)) = choice.ranked.iter().find(is_chosen) else { return String::new() };
        let next = choice.ranked.iter().find(|other| !is_chosen(other)).map_or(String::new(), |(next, terms)| {
            let more = 100.0 * (terms.seconds() / chosen.seconds().max(f64::MIN_POSITIVE) - 1.0);
            match more {
                ..-0.05 => format!("; {next} would take {:.1} % less, which is too little to count", -more),
                0.05.. => format!("; {next} would take {more:.1} % longer, for {}", terms.bound()),
                _ => format!("; {next} takes as long"),
            }
        });
        format!(
            "{way}: {}, which takes {} for {}{next}",
            choice.technique,
            units::seconds(chosen.seconds()),
            chosen.bound()
        )
    }

    fn json(&self) -> Value {
        let strategy = |(pulls, technique, terms): (bool, Technique, &Terms)| {
            json!({
                "propagation": way(pulls),
                "technique": technique.name(),
                "bytes": terms.bytes,
                "sectors": terms.sectors,
                "cached": terms.cached,
                "lane_steps": terms.imbalance,
                "memory": terms.memory,
                "own_caches": terms.own_caches,
                "waits": terms.waits,
                "instructions": terms.instructions,
                "contention": terms.contention,
                "longest_list": terms.tail,
                "seconds": terms.seconds(),
                "bound": terms.bound(),
            })
        };
        let chosen = |(pulls, choice): &(bool, Choice)| {
            let technique = self.asked.unwrap_or(choice.technique);
            json!({ "propagation": way(*pulls), "technique": technique.name(), "why": self.reason(*pulls, choice) })
        };
        json!({
            "kernel": self.name,
            "strategies": self.all().map(strategy).collect::<Vec<_>>(),
            "chosen": self.ways.iter().map(chosen).collect::<Vec<_>>(),
        })
    }
}

const fn way(pulls: bool) -> &'static str {
    if pulls { "pull" } else { "push" }
}

fn row(pulls: bool, technique: Technique, terms: &Terms) -> Vec<String> {
    vec![
        format!("{} {technique}", way(pulls)),
        units::bytes(terms.bytes as u64),
        units::count(terms.sectors as u64),
        format!("{:.0} %", 100.0 * terms.cached),
        format!("{:.2}", terms.imbalance),
        units::seconds(terms.memory),
        units::seconds(terms.own_caches),
        units::seconds(terms.waits),
        units::seconds(terms.instructions),
        units::seconds(terms.contention),
        units::seconds(terms.tail),
        units::seconds(terms.seconds()),
    ]
}

impl Printed {
    fn text(&self) -> String {
        let heads = [
            ("model", Align::Left),
            ("reads", Align::Right),
            ("writes", Align::Right),
            ("atomic additions", Align::Right),
            ("an iteration", Align::Right),
        ];
        let rows = self.rows.iter().map(|(implementation, accesses, seconds)| {
            vec![
                implementation.name().to_owned(),
                units::count(accesses.reads as u64),
                units::count(accesses.writes as u64),
                units::count(accesses.atomics as u64),
                units::seconds(*seconds),
            ]
        });
        let AccessSeconds { read, write, atomic } = self.each;
        format!(
            "PageRank by the models of Verstraaten et al., T_read {:.4} ns, T_write {:.4} ns, T_atom {:.4} ns\n{}",
            1e9 * read,
            1e9 * write,
            1e9 * atomic,
            table(&heads, &rows.collect::<Vec<_>>())
        )
    }

    fn json(&self) -> Value {
        let row = |(implementation, accesses, seconds): &(Implementation, Accesses, f64)| {
            json!({
                "model": implementation.name(),
                "reads": accesses.reads,
                "writes": accesses.writes,
                "atomics": accesses.atomics,
                "seconds": seconds,
            })
        };
        let AccessSeconds { read, write, atomic } = self.each;
        json!({
            "t_read": read,
            "t_write": write,
            "t_atom": atomic,
            "models": self.rows.iter().map(row).collect::<Vec<_>>(),
        })
    }
}

/// Formats the terms of an equation in their units.
fn equation_text(equation: &Equation) -> String {
    let value = |name: &str, value: f64| match name {
        "c1" | "c2" => units::rate(value),
        _ if name.starts_with("t_") => units::seconds(value),
        _ if name.starts_with('|') => units::bytes(value as u64),
        "d_skew" | "r_hit" => format!("{value:.3}"),
        _ => units::count(value as u64),
    };
    let terms: Vec<_> = equation.terms.iter().map(|(name, term)| format!("{name} {}", value(name, *term))).collect();
    format!(
        "equation {} of GTS, for a {}: {} ({})\n",
        equation.number,
        equation.of,
        units::seconds(equation.seconds),
        terms.join(", ")
    )
}

fn equation_json(equation: &Equation) -> Value {
    let terms: serde_json::Map<_, _> =
        equation.terms.iter().map(|(name, term)| ((*name).to_owned(), json!(term))).collect();
    json!({ "number": equation.number, "of": equation.of, "terms": terms, "seconds": equation.seconds })
}
