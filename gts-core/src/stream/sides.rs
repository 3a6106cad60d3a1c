//! Streams whose sources and targets are in two name spaces.

use super::{Declared, DeclaredVertices, EdgeBatch, EdgeStream, ImportError};
use crate::graph::{Key, KeyKind, RIGHT_OFFSET, left_number, signed_of_number};
use crate::parallel::*;
use std::path::{Path, PathBuf};

/// The number of edges per task.
const PIECE: usize = 1 << 15;

/// Wraps a stream so that its sources are left vertices and its targets are right vertices, even if their keys are equal.
/// `path` is for errors.
pub(crate) fn with_sides(stream: Box<dyn EdgeStream>, path: &Path) -> Box<dyn EdgeStream> {
    let declared = stream.declared();
    let change = match declared.vertices {
        _ if declared.keys.is_bytes() || declared.rows.is_some() => SideNumbering::None,
        DeclaredVertices::Range { count, .. } => SideNumbering::Shift(count),
        _ => SideNumbering::Mark { is_signed: declared.keys == KeyKind::Signed },
    };
    Box::new(SidedStream { stream, path: path.into(), change })
}

/// A stream of left and right ends.
struct SidedStream {
    stream: Box<dyn EdgeStream>,
    path: PathBuf,
    change: SideNumbering,
}

/// How the numbers of right ends are made to differ from those of left ends.
#[derive(Clone, Copy)]
enum SideNumbering {
    /// The numbers differ already, or ends are names.
    None,
    /// This number is added to right ends.
    Shift(u64),
    /// The highest bit of right ends is set.
    Mark { is_signed: bool },
}

impl EdgeStream for SidedStream {
    fn next(&mut self, batch: &mut EdgeBatch) -> Result<bool, ImportError> {
        let more = self.stream.next(batch)?;
        match self.change {
            SideNumbering::None => {}
            SideNumbering::Shift(count) => {
                batch.dst.par_iter_mut().with_min_len(PIECE).for_each(|dst| *dst = dst.saturating_add(count));
            }
            SideNumbering::Mark { is_signed } => {
                // A line of an adjacency list begins with a left vertex, which may have no edges.
                for (ends, side) in [(&mut batch.src, 0), (&mut batch.vertices, 0), (&mut batch.dst, RIGHT_OFFSET)] {
                    let mark = |ends: &mut [u64]| {
                        ends.iter_mut().try_for_each(|end| {
                            *end = left_number(is_signed, *end).ok_or(*end)? | side;
                            Ok(())
                        })
                    };
                    ends.par_chunks_mut(PIECE).try_for_each(mark).map_err(|end| self.refuse(is_signed, end))?;
                }
            }
        }
        Ok(more)
    }

    fn declared(&self) -> Declared {
        let declared = self.stream.declared();
        match (self.change, &declared.vertices) {
            (SideNumbering::None, _) => Declared { right: Some(declared.rows.unwrap_or(RIGHT_OFFSET)), ..declared },
            (SideNumbering::Shift(left), &DeclaredVertices::Range { first, count }) => {
                let vertices = DeclaredVertices::Range { first, count: count.saturating_mul(2) };
                Declared { vertices, rows: Some(left), right: Some(left), ..declared }
            }
            _ => Declared { right: Some(RIGHT_OFFSET), ..declared },
        }
    }

    fn progress(&self) -> (u64, Option<u64>) {
        self.stream.progress()
    }

    fn notes(&self) -> Vec<String> {
        self.stream.notes()
    }
}

impl SidedStream {
    /// Returns the error for a number that is too large.
    fn refuse(&self, is_signed: bool, number: u64) -> ImportError {
        let key = if is_signed { Key::Signed(signed_of_number(number)) } else { Key::Number(number) };
        let most = if is_signed { "from -2^62 to 2^62" } else { "below 2^63" };
        ImportError::UnfitTable {
            path: self.path.clone(),
            problem: format!("the key {key} is too large for two name spaces, whose numbers are {most}"),
            advice: "read all keys as names: `--keys text`".into(),
        }
    }
}
