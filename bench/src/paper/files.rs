//! Writes the output files of a figure.

use super::figure::Figure;
use super::name::Name;
use super::{plots, tables};
use gts_graph::cli::program::{Failure, NewFile};
use std::path::Path;

/// The output files of a figure, not yet written.
pub(super) struct Files {
    table: NewFile,
    csv: NewFile,
    json: NewFile,
    plot: NewFile,
}

impl Files {
    /// Checks that the files can be written, before measurements begin.
    pub(super) fn new(folder: &Path, name: Name, replace: bool) -> Result<Self, Failure> {
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::unwritten(folder, error, "name another folder with --output"))?;
        let file = |extension: &str| NewFile::new(&folder.join(format!("{}.{extension}", name.text())), replace);
        Ok(Self { table: file("md")?, csv: file("csv")?, json: file("json")?, plot: file("svg")? })
    }

    /// Writes the figure to all files.
    pub(super) fn write(self, figure: &Figure) -> Result<(), Failure> {
        let plot = plots::svg(figure)?;
        self.table.write(|writer| writer.write_all(tables::markdown(figure).as_bytes()))?;
        self.csv.write(|writer| writer.write_all(tables::csv(figure).as_bytes()))?;
        self.json.write(|writer| writeln!(writer, "{:#}", tables::json(figure)))?;
        self.plot.write(|writer| writer.write_all(plot.as_bytes()))?;
        Ok(())
    }
}
