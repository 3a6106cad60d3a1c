use gts_graph::prelude::*;

mod hidden {
    use gts_graph::prelude::*;

    #[gts_attributes(T = f32 | f64)]
    pub struct Account<T> {
        #[wa(init = 0.0, merge = sum)]
        pub seen: T,
        #[wa(init = 0.0, merge = sum)]
        secret: T,
        #[param]
        pub(super) factor: T,
    }

    pub mod inner {
        use super::Account;
        use gts_graph::prelude::*;

        /// Within the module: the attribute is there.
        #[gts_kernel(vertex)]
        pub fn open<T>(a: &mut Account<T>, v: Vertex) {
            a.secret[v] = a.seen[v];
        }
    }
}

#[gts_kernel(scan)]
fn leak<T>(a: &mut hidden::Account<T>, src: Vertex, dst: Vertex) {
    a.seen[dst] += a.factor * a.secret[src];
}

#[gts_kernel(vertex)]
fn leak_double(a: &mut hidden::Account<f64>, v: Vertex) {
    a.seen[v] = a.secret[v];
}

#[gts_kernel(gather)]
fn leak_around<T>(a: &mut hidden::Account<T>, v: Vertex) {
    let sum = v.neighbors().sum(|dst| a.secret[dst]);
    a.seen[v] = sum;
}

fn main() {}
