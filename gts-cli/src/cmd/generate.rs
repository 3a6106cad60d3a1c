//! `gts generate`: writes a generated graph to a store.

use super::import;
use crate::error::Failure;
use crate::load;
use crate::options::BuildArgs;
use crate::report::Report;
use gts_graph::core::read::GraphSource;
use gts_graph::core::store::SaveOptions;
use std::path::PathBuf;
use std::time::Instant;

/// What `gts generate` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = after_help())]
pub(crate) struct Arguments {
    /// What to generate, such as rmat:20 or grid:1000x1000,weights=u32
    #[arg(value_name = "GENERATOR")]
    generator: String,
    /// The store to make
    #[arg(value_name = "STORE")]
    store: PathBuf,
    /// Replace what is there
    #[arg(long)]
    force: bool,
    /// Spread the pages over directories, best on several disks: once for each of them
    #[arg(long, value_name = "DIR")]
    stripe: Vec<PathBuf>,
    #[command(flatten)]
    build: BuildArgs,
}

fn after_help() -> String {
    let names = gts_graph::core::generate::NAMES.map(|(name, shape)| format!("{name}:{shape}")).join(", ");
    format!(
        "Generators: {names}.\nOptions follow after commas: edge-factor=16 and seed=1 (rmat, uniform), weights=TYPE.\n\
         The same text makes the same graph on every machine."
    )
}

pub(crate) fn execute(arguments: &Arguments) -> Result<Report, Failure> {
    import::refuse_existing(&arguments.store, arguments.force)?;
    let begun = Instant::now();
    let Arguments { generator, store, force, stripe, build } = arguments;
    let save = SaveOptions { replace: *force, stripes: stripe.clone() };
    let summary = load::build_store(GraphSource::Generator(generator.clone()), build, store, &save)?;
    Ok(import::report(&summary, store, begun))
}
