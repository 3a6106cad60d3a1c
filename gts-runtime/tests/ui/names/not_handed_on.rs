use gts_graph::prelude::*;

#[gts_attributes(T = f32 | u32)]
pub struct Values<T> {
    #[wa(init = UNREACHED, merge = min)]
    pub least: T,
    #[wa(init = 0, merge = sum)]
    pub sum: u32,
}

pub struct Plain<T> {
    pub sum: T,
}

mod other {
    pub fn half(x: u32) -> u32 {
        x / 2
    }
}

fn double(x: u32) -> u32 {
    x * 2
}

const STEP: u32 = 3;

#[gts_kernel(scan)]
fn generic<T>(v: &mut Values<T>, src: Vertex, dst: Vertex) {
    v.sum[dst] += double(STEP) + other::half(2);
}

#[gts_kernel(gather)]
fn gathered(values: &mut Values<f32>, v: Vertex) {
    let sum = v.neighbors().sum(|dst| double(values.sum[dst]));
    values.sum[v] = sum;
}

#[gts_kernel(priority)]
fn ranked<T>(values: &mut Values<T>, v: Vertex) -> T {
    let sum = double(values.sum[v]);
    values.least[v]
}

#[gts_kernel(traverse)]
fn plain<T>(p: &mut Plain<T>, src: Vertex, dst: Vertex) {
    activate(dst);
}

#[gts_kernel(traverse)]
fn right(v: &mut Values<f32>, src: Vertex, dst: Vertex) {
    activate(dst);
}

#[gts_kernel(vertex)]
fn unknown(values: &mut Values<f32>, v: Vertex) {
    values.sum[v] = tripled(3);
}

#[gts_fn]
fn helper(x: u32) -> u32 {
    double(x)
}

fn host(run: &mut Run<Values<f32>>) -> Result<()> {
    run.scan(generic)?;
    run.gather(gathered)?;
    run.traverse_near(right, ranked, 2.0)?;
    run.apply(unknown)
}

fn main() {}
