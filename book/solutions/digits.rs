//! Solution: the number of decimal digits of each vertex's degree.

use gts_graph::prelude::*;

/// The base of the digits.
#[gts_const]
const BASE: u64 = 10;

/// Returns the number of digits of a number; 1 for 0.
#[gts_fn]
fn digits(number: u64) -> u32 {
    let mut left = number / BASE;
    let mut count = 1;
    while left > 0 {
        left /= BASE;
        count += 1;
    }
    count
}

/// Digits of degrees.
#[gts_attributes]
pub struct Digits {
    /// Digits of the out-degree.
    #[wa(init = 0, merge = any)]
    pub digits: u32,
}

#[gts_kernel(vertex)]
fn measure(d: &mut Digits, v: Vertex) {
    d.digits[v] = digits(v.out_degree());
}

#[test]
fn digits_are_those_of_the_text() -> Result<(), Box<dyn std::error::Error>> {
    let edges = [(0, 9u64), (1, 10), (2, 123)].map(|(src, degree)| (0..degree).map(move |dst| (src, dst)));
    let graph = Graph::from_edges(edges.into_iter().flatten())?;
    let mut run = Engine::cpu()?.start::<Digits>(&graph)?;
    run.apply(measure)?;
    let found = run.take_dense(Digits::DIGITS)?;
    for v in graph.ids().in_original_order() {
        let degree = graph.out_degree(v);
        assert_eq!(found[v.index()] as usize, degree.to_string().len());
        assert_eq!(digits(degree), found[v.index()]);
    }
    Ok(())
}
