//! Checks answers to a question.

use super::question::Question;
use super::subject::Subject;
use crate::compare;
use crate::data::{DataError, UNREACHED};
use gts_graph::algorithm::{Answer, Cells, Column, Scalar, Table, TableKind, Values, Verdict};
use gts_graph::contract::ScalarType;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// Maximum relative difference from f64 references computed with the same number of iterations.
const REFERENCE_F64: f64 = 1e-9;
/// Maximum relative difference from converged scores that a different method computed.
const CONVERGED: f64 = 1e-6;
/// Maximum relative differences from a correct answer up to which an answer needs no check of its own.
const SAME_F32: f64 = 1e-5;
const SAME_F64: f64 = 1e-10;

/// Judges all answers to one question.
pub(super) struct Judge<'a> {
    question: &'a Question,
    subject: &'a Subject,
    /// The first answers that passed the algorithm's check, one per run.
    right: Option<Vec<Answer>>,
    /// Number of ways whose answers are bit for bit equal to `right`.
    alike: usize,
    /// Time spent in checks.
    pub(super) checking: Duration,
    /// Number of ways whose answers were also compared with a reference.
    pub(super) referenced: usize,
}

impl<'a> Judge<'a> {
    pub(super) fn new(question: &'a Question, subject: &'a Subject) -> Self {
        Self { question, subject, right: None, alike: 0, checking: Duration::ZERO, referenced: 0 }
    }

    /// Judges the answers of one way, one per run: compares them with the reference, then with correct answers, or
    /// checks them.
    pub(super) fn hold(&mut self, answers: Vec<Answer>) -> Result<(), String> {
        self.referenced +=
            usize::from(reference(self.question, self.subject, &answers).map_err(|error| error.to_string())?);
        match &self.right {
            Some(right) if *right == answers => {
                self.alike += 1;
                return Ok(());
            }
            Some(_) if self.question.has_random_numbers() => return Err("other bits than those found right".to_owned()),
            Some(right) if right.iter().zip(&answers).all(|(right, answer)| same(right, answer)) => return Ok(()),
            _ => {}
        }
        let started = Instant::now();
        let checked = self.check(&answers);
        self.checking += started.elapsed();
        checked?;
        if self.right.is_none() {
            (self.right, self.alike) = (Some(answers), 1);
        }
        Ok(())
    }

    /// Applies the algorithm's own check to each answer.
    fn check(&self, answers: &[Answer]) -> Result<(), String> {
        let check = self.question.algorithm.check.ok_or("the algorithm has no check")?;
        let graph = self.subject.graph(self.question.view).map_err(|error| error.to_string())?;
        let arguments = self.question.arguments().map_err(|error| error.to_string())?;
        for (arguments, answer) in arguments.iter().zip(answers) {
            match check(&graph, arguments, answer).map_err(|error| error.to_string())? {
                Verdict::Agrees(_) => {}
                Verdict::Differs(why) => return Err(why),
            }
        }
        Ok(())
    }

    /// Returns a hash of the values of an answer with random numbers, and the number of ways with this answer.
    pub(super) fn fingerprint(&self) -> Option<String> {
        let right = self.right.as_ref().filter(|_| self.question.has_random_numbers())?;
        let mut text = String::new();
        for (name, values) in right.iter().flat_map(values_of_vertices) {
            let _ = write!(text, "{name}");
            (0..values.len()).for_each(|vertex| {
                let _ = write!(text, " {}", values.get(vertex));
            });
        }
        let hash: String = Sha256::digest(text).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        let (label, graph) = (self.question.label(), self.subject.name());
        Some(format!("{hash} in {} ways: {label} on {graph}", self.alike))
    }
}

/// Returns whether two answers are equal except for rounding.
fn same(a: &Answer, b: &Answer) -> bool {
    let (a, b) = (a.tables(), b.tables());
    let columns = |(a, b): (&Column<'_>, &Column<'_>)| {
        a.name == b.name
            && match (a.cells, b.cells) {
                (Cells::Values(a), Cells::Values(b)) => same_values(a, b),
                (a, b) => a == b,
            }
    };
    let tables = |(a, b): (&Table<'_>, &Table<'_>)| {
        (a.name, a.rows, a.columns.len()) == (b.name, b.rows, b.columns.len())
            && a.columns.iter().zip(&b.columns).all(columns)
    };
    a.len() == b.len() && a.iter().zip(&b).all(tables)
}

/// Returns the outputs with a value per vertex, by name.
fn values_of_vertices(answer: &Answer) -> impl Iterator<Item = (&str, &Values)> {
    let tables = answer.tables().into_iter().filter(|table| table.kind == TableKind::Vertices);
    tables.flat_map(|table| table.columns).filter_map(|column| match column.cells {
        Cells::Values(values) => Some((column.name, values)),
        _ => None,
    })
}

fn same_values(a: &Values, b: &Values) -> bool {
    match (reals(a), reals(b)) {
        (Some(a), Some(b)) => {
            compare::close(&b.0, &a.0, if a.1 == ScalarType::F32 { SAME_F32 } else { SAME_F64 }).is_ok()
        }
        _ => a == b,
    }
}

/// Returns the values in double precision and their type, or `None` if they are integers.
fn reals(values: &Values) -> Option<(Vec<f64>, ScalarType)> {
    let reals = match values {
        Values::F32(values) => values.iter().map(|&value| value.into()).collect(),
        Values::F64(values) => values.clone(),
        _ => return None,
    };
    Some((reals, values.scalar_type()))
}

/// Compares answers with the graph's reference. Returns whether a reference exists.
fn reference(question: &Question, subject: &Subject, answers: &[Answer]) -> Result<bool, DataError> {
    let (reference, plain) = (subject.reference(), subject.plain());
    let Some(answer) = answers.first() else { return Err("there is no answer".into()) };
    let own_weights = question.view.values.is_some_and(|values| subject.has_own(values));
    let key = match question.algorithm.name {
        "afforest" | "wcc" => "wcc",
        "k-core" => "kcore",
        "betweenness" if question.runs.len() > 1 => "bc",
        // The references count each edge once.
        "hits" | "pagerank" if question.view.values.is_some() => return Ok(false),
        "bfs" | "cdlp" | "lcc" | "pagerank" | "scc" => question.algorithm.name,
        "sssp" | "sssp-near-far" if own_weights => "sssp",
        "hits" if reference.has("hits_hub") => {
            for (output, key) in [("hub", "hits_hub"), ("authority", "hits_authority")] {
                let (mut scores, _) = answer.values(output).and_then(reals).ok_or("no scores")?;
                // GTS normalises scores to length 1, the reference to sum 1. Scores that should be zero consist of
                // rounding errors.
                let sum: f64 = scores.iter().sum();
                let settled = |score: f64| if score < f64::EPSILON { 0.0 } else { score };
                scores.iter_mut().for_each(|score| *score = settled(*score / sum));
                let expected = reference.values(key)?.into_iter().map(|(id, score)| (id, settled(score))).collect();
                compare::listed(plain, &scores, &expected, CONVERGED)?;
            }
            return Ok(true);
        }
        "spanning-forest" if own_weights && reference.has("minimum_spanning_forest") => {
            let found = [scalar(answer, "edges")?, scalar(answer, "weight")?];
            let fact = |fact| reference.number("minimum_spanning_forest", fact).ok_or("no such fact");
            compare::close(&found, &[fact("edges")?, fact("weight")?], compare::DISTANCE)?;
            return Ok(true);
        }
        "triangles" => {
            let expected = reference.count("triangles").ok_or("no count of triangles")?;
            compare::equal(&[scalar(answer, "triangles")?], &[expected as f64])?;
            return Ok(true);
        }
        _ => return Ok(false),
    };
    if !reference.has(key) {
        return Ok(false);
    }
    let (_, main) = values_of_vertices(answer).next().ok_or("no value for each vertex")?;
    match main {
        Values::U32(values) if key == "sssp" => {
            let unreached = |value: u32| if value == u32::MAX { f64::INFINITY } else { value.into() };
            let values: Vec<f64> = values.iter().map(|&value| unreached(value)).collect();
            compare::listed(plain, &values, &reference.values(key)?, 0.0)?;
        }
        Values::U32(values) => {
            let level = |value: u32| if key == "bfs" && value == u32::MAX { UNREACHED } else { value.into() };
            let values: Vec<u64> = values.iter().map(|&value| level(value)).collect();
            reference.check_integers(key, plain, &values)?;
        }
        Values::Vertex(values) => reference.check_integers(key, plain, values)?,
        _ => {
            let (mut sums, ty) = reals(main).ok_or("values of a type that no reference has")?;
            for (values, _) in answers[1..].iter().filter_map(|answer| reals(values_of_vertices(answer).next()?.1)) {
                sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
            }
            let tolerance = match (key, ty) {
                ("pagerank", ScalarType::F32) => compare::RANK_F32,
                (_, ScalarType::F32) => compare::DISTANCE,
                _ => REFERENCE_F64,
            };
            compare::listed(plain, &sums, &reference.values(key)?, tolerance)?;
        }
    }
    Ok(true)
}

fn scalar(answer: &Answer, name: &str) -> Result<f64, DataError> {
    match answer.value(name) {
        Some(Scalar::Unsigned(value)) => Ok(value as f64),
        Some(Scalar::Real(value)) => Ok(value),
        _ => Err(format!("no number `{name}`").into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::question::questions;
    use crate::data::Data;
    use gts_graph::Engine;

    /// Judges a changed answer before and after the right one, on the karate club. `change` changes the last value of
    /// the main output.
    fn judge_one_change(label: &str, change: fn(&mut Values)) -> Result<[Result<(), String>; 3], DataError> {
        let Some(data) = Data::locate() else { return Ok([Ok(()), Err(String::new()), Err(String::new())]) };
        gts_graph::algorithms::link();
        let entries = data.entries()?;
        let entry = entries.iter().find(|entry| entry.name == "karate").ok_or("no karate club")?;
        let subject = Subject::open(&data, entry, u64::MAX, u64::MAX)?.ok_or("it is small")?;
        let questions = questions(&subject);
        let question = questions.iter().find(|question| question.label() == label).ok_or("no such question")?;
        let (engine, graph) = (Engine::cpu()?, subject.graph(question.view)?);
        let right = question.algorithm.run(&engine, &graph, &question.arguments()?[0])?;
        let mut values = values_of_vertices(&right).next().ok_or("no values")?.1.clone();
        change(&mut values);
        let name = question.algorithm.outputs[0].name;
        let wrong = Answer::new().vertices(name, values);
        let wrong = right.scalars().fold(wrong, |answer, (name, value)| answer.scalar(name, value));
        // The first changed answer is judged by the reference or the check, the second by comparison with the right
        // answer.
        let alone = Judge::new(question, &subject).hold(vec![wrong.clone()]);
        let mut judge = Judge::new(question, &subject);
        Ok([judge.hold(vec![right]), alone, judge.hold(vec![wrong])])
    }

    #[test]
    fn one_wrong_value_is_found_whether_or_not_a_right_answer_is_known() -> Result<(), DataError> {
        let last_u32: fn(&mut Values) = |values| match values {
            Values::U32(values) => *values.last_mut().expect("there are vertices") += 1,
            other => panic!("another type: {other:?}"),
        };
        let last_f64: fn(&mut Values) = |values| match values {
            Values::F64(values) => *values.last_mut().expect("there are vertices") *= 1.0 + 1e-7,
            other => panic!("another type: {other:?}"),
        };
        let cases = [("bfs", last_u32), ("colouring", last_u32), ("pagerank, f64", last_f64), ("closeness", last_f64)];
        for (label, change) in cases {
            let [right, alone, after] = judge_one_change(label, change)?;
            assert_eq!(right, Ok(()), "{label}");
            assert!(alone.is_err() && after.is_err(), "{label}: {alone:?}, {after:?}");
        }
        Ok(())
    }
}
