//! Lines of code per algorithm, in GTS, in Gunrock and in the GAP benchmark suite.

use super::{Align, markdown};
use crate::code_size::{Lines, of_algorithm};
use gts_graph::algorithm;
use std::error::Error;
use std::path::Path;

/// Version of Gunrock whose lines were counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// The current version, commit 01f125c: the algorithm's header.
    Gunrock2,
    /// The previous version, commit 386d044: problem, enactor and functor, without parameter parsing (`_app.cu`).
    Gunrock1,
    /// Version 0.5.1, commit 0c9a96d: the same files as for `Gunrock1`.
    Gunrock05,
}

impl Origin {
    const fn mark(self) -> &'static str {
        match self {
            Self::Gunrock2 => "",
            Self::Gunrock1 => " (1)",
            Self::Gunrock05 => " (0.5)",
        }
    }
}

/// Lines of code in Gunrock, by the algorithm's name in GTS.
const GUNROCK: [(&str, usize, Origin); 18] = [
    ("afforest", 814 + 284 + 369, Origin::Gunrock1),
    ("betweenness", 221, Origin::Gunrock2),
    ("bfs", 123, Origin::Gunrock2),
    ("cdlp", 393 + 246, Origin::Gunrock1),
    ("colouring", 137, Origin::Gunrock2),
    ("hits", 178, Origin::Gunrock2),
    ("k-core", 170, Origin::Gunrock2),
    ("lcc", 196 + 140, Origin::Gunrock1),
    ("pagerank", 160, Origin::Gunrock2),
    ("personalised-pagerank", 161, Origin::Gunrock2),
    ("random-walks", 305 + 223, Origin::Gunrock1),
    ("salsa", 270 + 95 + 260, Origin::Gunrock05),
    ("spanning-forest", 219, Origin::Gunrock2),
    ("sssp", 142, Origin::Gunrock2),
    ("sssp-near-far", 717 + 74 + 378, Origin::Gunrock05),
    ("triangles", 137, Origin::Gunrock2),
    ("wcc", 814 + 284 + 369, Origin::Gunrock1),
    ("who-to-follow", 368 + 103 + 232, Origin::Gunrock05),
];

/// Lines of code in the GAP benchmark suite, commit b5e3e19: the algorithm's file without verifier, statistics and
/// `main`.
const GAP: [(&str, usize); 7] = [
    ("afforest", 98),
    ("betweenness", 113),
    ("bfs", 139),
    ("pagerank", 38),
    ("sssp-near-far", 100),
    ("triangles", 56),
    ("wcc", 46),
];

/// Shared modules that algorithms' kernels or drivers use. All lines of a module count for each algorithm that uses it.
const SHARED: [(&str, &[&str]); 12] = [
    ("afforest", &["components"]),
    ("betweenness", &["source"]),
    ("closeness", &["searches"]),
    ("colouring", &["priority", "requirements"]),
    ("eccentricity", &["searches"]),
    ("k-core", &["requirements"]),
    ("k-truss", &["requirements"]),
    ("mis", &["priority", "requirements"]),
    ("scc", &["components"]),
    ("spanning-forest", &["components", "requirements"]),
    ("sssp-near-far", &["sssp"]),
    ("wcc", &["components"]),
];

/// Lines of an algorithm in GTS and in its peers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// Name of the algorithm.
    pub name: &'static str,
    /// Lines in GTS, including those of shared modules.
    pub ours: Lines,
    /// Lines in Gunrock, and the version.
    gunrock: Option<(usize, Origin)>,
    /// Lines in the GAP benchmark suite.
    gap: Option<usize>,
}

impl Size {
    /// Returns the ratio of lines in GTS, excluding the registration, to lines in Gunrock.
    pub fn share_of_gunrock(&self) -> Option<f64> {
        self.gunrock.map(|(lines, _)| self.ours.algorithm() as f64 / lines as f64)
    }

    /// Returns whether the lines are from Gunrock's current version.
    pub fn beside_present_gunrock(&self) -> bool {
        self.gunrock.is_some_and(|(_, origin)| origin == Origin::Gunrock2)
    }
}

/// Counts the lines of every GTS algorithm.
///
/// # Errors
///
/// Fails if a source file cannot be read.
pub fn sizes() -> Result<Vec<Size>, Box<dyn Error>> {
    algorithm::all().into_iter().map(|algorithm| size_of(algorithm.name)).collect()
}

fn size_of(name: &'static str) -> Result<Size, Box<dyn Error>> {
    let shared = SHARED.iter().find(|(algorithm, _)| *algorithm == name).map_or(&[][..], |(_, modules)| modules);
    // A keyword cannot be a module's name.
    let own = if name == "match" { "matching".to_owned() } else { name.replace('-', "_") };
    let mut ours = Lines::default();
    for module in [own.as_str()].iter().chain(shared) {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../gts-algorithms/src/{module}.rs"));
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        ours += of_algorithm(&text);
    }
    Ok(Size {
        name,
        ours,
        gunrock: GUNROCK.iter().find(|peer| peer.0 == name).map(|&(_, lines, origin)| (lines, origin)),
        gap: GAP.iter().find(|peer| peer.0 == name).map(|&(_, lines)| lines),
    })
}

/// Returns the median, over these algorithms, of the ratio of lines in GTS to lines in Gunrock.
pub fn median_share<'a>(sizes: impl Iterator<Item = &'a Size>) -> f64 {
    let mut shares: Vec<f64> = sizes.filter_map(Size::share_of_gunrock).collect();
    shares.sort_by(f64::total_cmp);
    match shares.len() {
        0 => f64::NAN,
        count => (shares[(count - 1) / 2] + shares[count / 2]) / 2.0,
    }
}

/// Returns the table of algorithms with their lines in GTS and in the peers, and the medians.
///
/// # Errors
///
/// Fails if a source file cannot be read.
pub fn size() -> Result<String, Box<dyn Error>> {
    let heads = [
        ("algorithm", Align::Left),
        ("kernels", Align::Right),
        ("driver", Align::Right),
        ("both", Align::Right),
        ("registration", Align::Right),
        ("Gunrock", Align::Right),
        ("share", Align::Right),
        ("GAP suite", Align::Right),
    ];
    let sizes = sizes()?;
    let row = |size: &Size| {
        let Lines { kernels, driver, registration } = size.ours;
        let mut row = vec![format!("`{}`", size.name)];
        row.extend([kernels, driver, size.ours.algorithm(), registration].map(|lines| lines.to_string()));
        row.push(size.gunrock.map_or(String::new(), |(lines, origin)| format!("{lines}{}", origin.mark())));
        row.push(size.share_of_gunrock().map_or(String::new(), |share| format!("{share:.2}")));
        row.push(size.gap.map_or(String::new(), |lines| lines.to_string()));
        row
    };
    let table = markdown(&heads, &sizes.iter().map(row).collect::<Vec<_>>());
    let present = || sizes.iter().filter(|size| size.beside_present_gunrock());
    let medians = format!(
        "Median share: {:.2} over all {} algorithms that a version of Gunrock has, {:.2} over the {} of its present \
         version.\n",
        median_share(sizes.iter()),
        sizes.iter().filter(|size| size.gunrock.is_some()).count(),
        median_share(present()),
        present().count(),
    );
    Ok(format!("{table}\n{medians}"))
}
