//! Generates kernels of random integer expressions, and plain Rust functions of the same text, for the test
//! `expressions`. `GTS_EXPRESSIONS` sets the number of expressions.

use std::fmt::Write;
use std::path::PathBuf;

/// The number of expressions per kernel.
const PER_KERNEL: usize = 200;
/// The types, with the names of two locals of each.
const TYPES: [&str; 6] = ["u8", "u16", "u32", "u64", "i32", "i64"];

fn main() {
    println!("cargo::rerun-if-env-changed=GTS_EXPRESSIONS");
    println!("cargo::rerun-if-changed=build.rs");
    let count = std::env::var("GTS_EXPRESSIONS").map_or(1000, |count| count.parse().expect("a number of expressions"));
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").expect("Cargo sets OUT_DIR"));
    std::fs::write(folder.join("expressions.rs"), file(count)).expect("Cargo's folder can be written to");
}

/// Returns the generated source.
fn file(count: usize) -> String {
    let mut source = Source { state: 1 };
    let mut text = String::from("/// Two values of each type.\n#[gts_attributes]\npub struct Inputs {\n");
    for ty in TYPES {
        let _ = writeln!(text, "    #[wa(init = 0, merge = any)]\n    pub a_{ty}: {ty},");
        let _ = writeln!(text, "    #[wa(init = 0, merge = any)]\n    pub b_{ty}: {ty},");
    }
    text.push_str("    #[wa(init = 0, merge = any)]\n    pub out: u64,\n    #[wa(init = false, merge = any)]\n");
    text.push_str("    pub skip: bool,\n    #[param]\n    pub which: u32,\n}\n\n");
    text.push_str("/// The values of one vertex.\n#[derive(Clone, Copy, Debug)]\npub struct Values {\n");
    for ty in TYPES {
        let _ = writeln!(text, "    pub a_{ty}: {ty},\n    pub b_{ty}: {ty},");
    }
    text.push_str("}\n\n");
    let expressions: Vec<String> = (0..count).map(|_| source.expression()).collect();
    let kernels: Vec<&[String]> = expressions.chunks(PER_KERNEL).collect();
    for (number, expressions) in kernels.iter().enumerate() {
        let _ = writeln!(text, "#[gts_kernel(vertex)]\nfn kernel_{number}(i: &mut Inputs, v: Vertex) {{");
        text.push_str("    if i.skip[v] {\n        return;\n    }\n");
        for ty in TYPES {
            let _ = writeln!(text, "    let a_{ty} = i.a_{ty}[v];\n    let b_{ty} = i.b_{ty}[v];");
        }
        let first = text.lines().count() + 1;
        for (which, expression) in expressions.iter().enumerate() {
            let _ = writeln!(text, "    if i.which == {which} {{ i.out[v] = ({expression}) as u64; }}");
        }
        let _ = writeln!(text, "}}\n\nfn reference_{number}(which: u32, i: &Values) -> u64 {{");
        for ty in TYPES {
            let _ = writeln!(text, "    let a_{ty} = i.a_{ty};\n    let b_{ty} = i.b_{ty};");
        }
        text.push_str("    match which {\n");
        for (which, expression) in expressions.iter().enumerate() {
            let _ = writeln!(text, "        {which} => ({expression}) as u64,");
        }
        let _ = writeln!(text, "        _ => unreachable!(),\n    }}\n}}\n\nconst LINE_{number}: u32 = {first};\n");
    }
    text.push_str("/// The kernels: the number of expressions, the line of the first one, the kernel's pass, and its reference.\n");
    text.push_str("pub const KERNELS: &[Generated] = &[\n");
    for (number, expressions) in kernels.iter().enumerate() {
        let _ = writeln!(
            text,
            "    Generated {{ count: {}, line: LINE_{number}, pass: |run| run.apply(kernel_{number}), reference: reference_{number} }},",
            expressions.len()
        );
    }
    text.push_str("];\n");
    text
}

/// The source of random choices (SplitMix64).
struct Source {
    state: u64,
}

impl Source {
    fn below(&mut self, bound: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.state ^ self.state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ x >> 31) % bound as u64) as usize
    }

    fn choose<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }

    /// Returns an expression that is cast to `u64` afterwards.
    fn expression(&mut self) -> String {
        let ty = self.choose(&TYPES);
        let depth = 1 + self.below(4);
        self.of(ty, depth)
    }

    fn leaf(&mut self, ty: &str) -> String {
        if self.below(3) > 0 {
            return format!("{}_{ty}", self.choose(&["a", "b"]));
        }
        let literal = self.literal(ty, false);
        if literal.starts_with('-') { format!("({literal})") } else { literal }
    }

    fn literal(&mut self, ty: &str, is_divisor: bool) -> String {
        let (signed, bits) = (ty.starts_with('i'), ty[1..].parse::<u32>().expect("types end with their width"));
        let largest = if signed { (1u128 << (bits - 1)) - 1 } else { (1u128 << bits) - 1 };
        let value = [1, 2, 3, 7, 31, 100, largest, largest - 1, largest / 2][self.below(9)];
        let sign = if signed && self.below(3) == 0 { "-" } else { "" };
        if !is_divisor && self.below(6) == 0 { format!("0{ty}") } else { format!("{sign}{value}{ty}") }
    }

    /// Returns an expression of a type, with parentheses.
    fn of(&mut self, ty: &str, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(ty);
        }
        let signed = ty.starts_with('i');
        let left = self.of(ty, depth - 1);
        match self.below(16) {
            0..5 => {
                let op = self.choose(&["+", "-", "*"]);
                format!("({left} {op} {})", self.of(ty, depth - 1))
            }
            5 => format!("({left} {} {})", self.choose(&["&", "|", "^"]), self.of(ty, depth - 1)),
            6 | 7 => {
                let divisor = if self.below(2) == 0 { self.of(ty, depth - 1) } else { self.literal(ty, true) };
                // A literal zero does not compile.
                let divisor = if divisor.starts_with('0') { self.literal(ty, true) } else { divisor };
                let divisor = if divisor.starts_with('-') { format!("({divisor})") } else { divisor };
                format!("({left} {} {divisor})", self.choose(&["/", "%"]))
            }
            8 | 9 => {
                let by = self.choose(&["u32", "u8", "i32", "u64"]);
                let amount = self.of(by, depth - 1);
                // A literal amount beyond the width does not compile.
                let amount = if self.below(3) == 0 {
                    format!("({amount} + a_{by})")
                } else {
                    format!("(({amount} | a_{by}) & 31{by})")
                };
                format!("({left} {} {amount})", self.choose(&["<<", ">>"]))
            }
            10 if signed => format!("(-({left} + a_{ty}))"),
            10 => format!("(!{left})"),
            11 if signed => format!("({left}.min(b_{ty})).abs()"),
            11 => format!("(({left}).count_ones() as {ty})"),
            12 => {
                let method = self.choose(&[
                    "wrapping_add",
                    "wrapping_sub",
                    "wrapping_mul",
                    "saturating_add",
                    "saturating_sub",
                    "saturating_mul",
                    "min",
                    "max",
                ]);
                format!("(a_{ty}.{method}({left}))")
            }
            13 => {
                let (of, op) = (self.choose(&TYPES), self.choose(&["<", "<=", ">", ">=", "==", "!="]));
                let (one, other) = (self.of(of, depth - 1), self.of(of, depth - 1));
                format!("(if {one} {op} {other} {{ {left} }} else {{ {} }})", self.of(ty, depth - 1))
            }
            _ => {
                let from = self.choose(&TYPES);
                format!("({} as {ty})", self.of(from, depth - 1))
            }
        }
    }
}
