//! Compares LDBC Graphalytics' six algorithms with its published outputs, on the CPU by push and by pull.

use gts_graph::prelude::*;
use gts_tests::data::{Data, DataError};
use gts_tests::graphalytics;
use std::num::NonZeroUsize;

/// Two examples of six, one graph of six and the same graph directed of two, and two kinds of unit tests of six.
const PUBLISHED: usize = 32;

#[test]
fn all_published_outputs_match() -> Result<(), DataError> {
    let Some(data) = Data::locate() else { return Ok(()) };
    let cpu = |more_threads, propagation| {
        let threads = NonZeroUsize::MIN.saturating_add(more_threads);
        Engine::builder().device(DeviceChoice::Cpu).threads(threads).propagation(propagation).build()
    };
    for engine in [cpu(2, Propagation::Push)?, cpu(0, Propagation::Pull)?] {
        let matches = graphalytics::matches(&data, &engine, "")?;
        assert_eq!(matches.len(), PUBLISHED);
        for found in matches {
            assert_eq!(found.outcome, Ok(()), "{} of {} vertices", found.file, found.vertices);
        }
    }
    Ok(())
}
