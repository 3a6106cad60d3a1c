//! Compares instruction forms with values computed by hand. A kernel applies one instruction to rows of operands, one
//! row per lane.

mod common;

use common::{Buffer, run};

/// Applies an instruction to `%a`, `%b` and `%c` of each row, and checks `%d`. `bits` contains the widths of the source
/// and target registers.
fn apply(instruction: &str, bits: [u32; 2], rows: &[([u64; 3], u64)]) {
    let [from, to] = bits;
    let ptx = format!(
        ".version 9.0
.target sm_90
.address_size 64
.visible .entry form(.param .u64 memory)
{{
.reg .pred %p, %q;
.reg .b{from} %a, %b, %c;
.reg .b{to} %d;
.reg .b32 %t;
.reg .b64 %m, %o;
ld.param.u64 %m, [memory];
mov.u32 %t, %tid.x;
mul.wide.u32 %o, %t, 32;
add.s64 %m, %m, %o;
ld.global.u{from} %a, [%m];
ld.global.u{from} %b, [%m+8];
ld.global.u{from} %c, [%m+16];
{instruction}
st.global.u{to} [%m+24], %d;
ret;
}}"
    );
    let words: Vec<u64> = rows.iter().flat_map(|(operands, _)| [operands[0], operands[1], operands[2], 0]).collect();
    let memory = Buffer::of(&words);
    run(&ptx, "form", 1, rows.len() as u32, &[&memory]).unwrap();
    for (row, (operands, expected)) in memory.words().chunks(4).zip(rows) {
        assert_eq!(row[3], *expected, "{instruction} of {operands:x?}: {:#x}, not {expected:#x}", row[3]);
    }
}

/// Applies an instruction whose operands all have 32 bits.
fn apply32(instruction: &str, rows: &[([u64; 3], u64)]) {
    apply(instruction, [32, 32], rows);
}

fn f(value: f32) -> u64 {
    value.to_bits().into()
}

const NAN: u64 = 0x7FFF_FFFF;

#[test]
fn integers_wrap() {
    apply32("add.s32 %d, %a, %b;", &[([0xFFFF_FFFF, 2, 0], 1), ([0x7FFF_FFFF, 1, 0], 0x8000_0000)]);
    apply32("sub.s32 %d, %a, %b;", &[([0, 1, 0], 0xFFFF_FFFF)]);
    apply32("mul.lo.s32 %d, %a, %b;", &[([0x1_0001, 0x1_0001, 0], 0x2_0001)]);
    apply32("mul.hi.u32 %d, %a, %b;", &[([0xFFFF_FFFF, 0xFFFF_FFFF, 0], 0xFFFF_FFFE)]);
    apply32("mad.lo.s32 %d, %a, %b, %c;", &[([3, 5, 0xFFFF_FFFF], 14)]);
    apply32("neg.s32 %d, %a;", &[([1, 0, 0], 0xFFFF_FFFF), ([0x8000_0000, 0, 0], 0x8000_0000)]);
    apply32("abs.s32 %d, %a;", &[([0xFFFF_FFFF, 0, 0], 1)]);
    apply32("min.s32 %d, %a, %b;", &[([0xFFFF_FFFF, 1, 0], 0xFFFF_FFFF)]);
    apply32("min.u32 %d, %a, %b;", &[([0xFFFF_FFFF, 1, 0], 1)]);
    apply32("div.s32 %d, %a, %b;", &[([0xFFFF_FFF9, 2, 0], 0xFFFF_FFFD)]);
    apply32("rem.s32 %d, %a, %b;", &[([0xFFFF_FFF9, 2, 0], 0xFFFF_FFFF)]);
    apply("mul.wide.u32 %d, %a, %b;", [32, 64], &[([0xFFFF_FFFF, 2, 0], 0x1_FFFF_FFFE)]);
    apply("mul.wide.s32 %d, %a, %b;", [32, 64], &[([0xFFFF_FFFF, 2, 0], u64::MAX - 1)]);
    apply("mul.hi.u64 %d, %a, %b;", [64, 64], &[([u64::MAX, u64::MAX, 0], u64::MAX - 1)]);
    apply("mul.hi.s64 %d, %a, %b;", [64, 64], &[([u64::MAX, 2, 0], u64::MAX)]);
}

#[test]
fn carries_reach_the_next_word() {
    apply32("add.cc.u32 %d, %a, %b;\naddc.u32 %d, %c, 0;", &[([0xFFFF_FFFF, 1, 7], 8), ([1, 1, 7], 7)]);
    apply32("sub.cc.u32 %d, %a, %b;\nsubc.u32 %d, %c, 0;", &[([0, 1, 7], 6), ([1, 1, 7], 7)]);
    apply32(
        "mad.lo.cc.u32 %d, %a, %b, %c;\nmadc.hi.u32 %d, %a, %b, 0;",
        &[([0xFFFF_FFFF, 2, 2], 2), ([0xFFFF_FFFF, 2, 0], 1)],
    );
}

#[test]
fn shifts_by_the_width_and_more_leave_nothing_or_the_sign() {
    apply32("shl.b32 %d, %a, %b;", &[([1, 31, 0], 0x8000_0000), ([1, 32, 0], 0), ([1, 0xFFFF_FFFF, 0], 0)]);
    apply32("shr.u32 %d, %a, %b;", &[([0x8000_0000, 31, 0], 1), ([0x8000_0000, 32, 0], 0)]);
    apply32("shr.s32 %d, %a, %b;", &[([0x8000_0000, 31, 0], 0xFFFF_FFFF), ([0x8000_0000, 99, 0], 0xFFFF_FFFF)]);
    apply32("shf.l.wrap.b32 %d, %a, %b, %c;", &[([0x8000_0000, 1, 1], 3), ([0x8000_0000, 1, 32], 1)]);
    apply32("shf.r.wrap.b32 %d, %a, %b, %c;", &[([2, 1, 1], 0x8000_0001)]);
    apply32("shf.l.clamp.b32 %d, %a, %b, %c;", &[([7, 1, 32], 7), ([7, 1, 40], 7)]);
}

#[test]
fn bits_are_counted_found_and_moved() {
    apply32("popc.b32 %d, %a;", &[([0xF0F0, 0, 0], 8), ([0, 0, 0], 0)]);
    apply32("clz.b32 %d, %a;", &[([0, 0, 0], 32), ([1, 0, 0], 31)]);
    apply("clz.b64 %d, %a;", [64, 32], &[([0, 0, 0], 64), ([1, 0, 0], 63)]);
    apply32("brev.b32 %d, %a;", &[([1, 0, 0], 0x8000_0000)]);
    apply32("bfind.u32 %d, %a;", &[([0, 0, 0], 0xFFFF_FFFF), ([0x10, 0, 0], 4)]);
    apply32("bfind.shiftamt.u32 %d, %a;", &[([0, 0, 0], 0xFFFF_FFFF), ([0x10, 0, 0], 27)]);
    apply32(
        "prmt.b32 %d, %a, %b, %c;",
        &[([0x3322_1180, 0x7766_5544, 0x7410], 0x7744_1180), ([0x80, 0, 0x8888], 0xFFFF_FFFF)],
    );
    apply32("bfe.u32 %d, %a, %b, %c;", &[([0xABCD, 4, 8], 0xBC), ([0xABCD, 4, 0], 0), ([0xABCD, 32, 8], 0)]);
    apply32("bfe.s32 %d, %a, %b, %c;", &[([0xABCD, 4, 8], 0xFFFF_FFBC)]);
    apply32("bfi.b32 %d, %a, %b, %c, 8;", &[([0xFF, 0x1234_5678, 8], 0x1234_FF78)]);
    apply32("lop3.b32 %d, %a, %b, %c, 0x96;", &[([0xF0, 0xCC, 0xAA], 0x96)]);
}

#[test]
fn numbers_of_32_bits_round_once_and_have_one_nan() {
    let (inf, tiny) = (f(f32::INFINITY), f(f32::from_bits(1)));
    apply32(
        "add.rn.f32 %d, %a, %b;",
        &[([f(1.0), f(f32::EPSILON / 2.0), 0], f(1.0)), ([inf, f(f32::NEG_INFINITY), 0], NAN)],
    );
    apply32("mul.rn.f32 %d, %a, %b;", &[([tiny, f(0.5), 0], 0), ([inf, 0, 0], NAN), ([f(-1.0), 0, 0], 0x8000_0000)]);
    apply32("div.rn.f32 %d, %a, %b;", &[([f(1.0), f(3.0), 0], 0x3EAA_AAAB), ([f(1.0), 0, 0], inf), ([0, 0, 0], NAN)]);
    // The exact product is 1 + 2^-22 + 2^-46. Rounding it before the addition would lose the last term.
    apply32(
        "fma.rn.f32 %d, %a, %b, %c;",
        &[([0x3F80_0001, 0x3F80_0001, f(-1.0)], f(2_f32.powi(-22) + 2_f32.powi(-46)))],
    );
    apply32(
        "sqrt.rn.f32 %d, %a;",
        &[([f(2.0), 0, 0], 0x3FB5_04F3), ([f(-1.0), 0, 0], NAN), ([0x8000_0000, 0, 0], 0x8000_0000)],
    );
    apply32(
        "min.f32 %d, %a, %b;",
        &[([0, 0x8000_0000, 0], 0x8000_0000), ([NAN, f(1.0), 0], f(1.0)), ([NAN, NAN, 0], NAN)],
    );
    apply32("max.f32 %d, %a, %b;", &[([0, 0x8000_0000, 0], 0), ([f(1.0), NAN, 0], f(1.0)), ([inf, f(2.0), 0], inf)]);
    apply32("neg.f32 %d, %a;", &[([0, 0, 0], 0x8000_0000)]);
    apply32("abs.f32 %d, %a;", &[([f(-2.5), 0, 0], f(2.5))]);
}

#[test]
fn conversions_round_as_they_say_and_saturate() {
    apply32(
        "cvt.rzi.s32.f32 %d, %a;",
        &[([f(-1.9), 0, 0], 0xFFFF_FFFF), ([NAN, 0, 0], 0), ([f(3e9), 0, 0], 0x7FFF_FFFF)],
    );
    apply32("cvt.rzi.u32.f32 %d, %a;", &[([f(-1.9), 0, 0], 0), ([f(5e9), 0, 0], 0xFFFF_FFFF)]);
    apply32("cvt.rni.s32.f32 %d, %a;", &[([f(2.5), 0, 0], 2), ([f(3.5), 0, 0], 4)]);
    apply32(
        "cvt.rn.f32.u32 %d, %a;",
        &[([0xFFFF_FFFF, 0, 0], f(4_294_967_296.0)), ([0x0100_0001, 0, 0], f(16_777_216.0))],
    );
    apply32("cvt.rn.f32.s32 %d, %a;", &[([0xFFFF_FFFF, 0, 0], f(-1.0))]);
    apply32("cvt.rz.f32.u32 %d, %a;", &[([0xFFFF_FFFF, 0, 0], 0x4F7F_FFFF)]);
    apply("cvt.rn.f32.f64 %d, %a;", [64, 32], &[([1e300_f64.to_bits(), 0, 0], f(f32::INFINITY))]);
    apply("cvt.f64.f32 %d, %a;", [32, 64], &[([f(0.1), 0, 0], f64::from(0.1_f32).to_bits())]);
    apply("cvt.s64.s32 %d, %a;", [32, 64], &[([0xFFFF_FFFE, 0, 0], u64::MAX - 1)]);
    apply("cvt.u64.u32 %d, %a;", [32, 64], &[([0xFFFF_FFFE, 0, 0], 0xFFFF_FFFE)]);
    apply("cvt.u32.u64 %d, %a;", [64, 32], &[([0x1_2345_6789, 0, 0], 0x2345_6789)]);
    apply32("cvt.s32.s8 %d, %a;", &[([0x1_80, 0, 0], 0xFFFF_FF80)]);
    apply32("cvt.sat.u8.s32 %d, %a;", &[([0xFFFF_FFFF, 0, 0], 0), ([300, 0, 0], 255)]);
    apply(
        "cvt.rzi.u64.f64 %d, %a;",
        [64, 64],
        &[([2e19_f64.to_bits(), 0, 0], u64::MAX), ([f64::NAN.to_bits(), 0, 0], 0)],
    );
}

#[test]
fn comparisons_know_signs_and_nan() {
    let chosen = |compare: &str| format!("{compare} %p, %a, %b;\nselp.b32 %d, 1, 0, %p;");
    apply32(&chosen("setp.lt.s32"), &[([0xFFFF_FFFF, 0, 0], 1), ([0, 0, 0], 0)]);
    apply32(&chosen("setp.lt.u32"), &[([0xFFFF_FFFF, 0, 0], 0)]);
    apply32(&chosen("setp.eq.f32"), &[([0, 0x8000_0000, 0], 1), ([NAN, NAN, 0], 0)]);
    apply32(&chosen("setp.ne.f32"), &[([NAN, f(1.0), 0], 0), ([f(1.0), f(2.0), 0], 1)]);
    apply32(&chosen("setp.neu.f32"), &[([NAN, NAN, 0], 1), ([f(1.0), f(1.0), 0], 0)]);
    apply32(&chosen("setp.ltu.f32"), &[([NAN, f(1.0), 0], 1), ([f(2.0), f(1.0), 0], 0)]);
    apply32(&chosen("setp.nan.f32"), &[([NAN, f(1.0), 0], 1), ([f(2.0), f(1.0), 0], 0)]);
    let both = "setp.lt.s32 %q, %b, %c;\nsetp.lt.and.s32 %p, %a, %b, %q;\nselp.b32 %d, 1, 0, %p;";
    apply32(both, &[([1, 2, 3], 1), ([1, 2, 2], 0), ([2, 2, 3], 0)]);
}

#[test]
fn a_form_that_is_not_known_names_its_line() {
    let text = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<2>;\nfly.b32 %r0, %r1;\nret;\n}";
    let error = gts_emulator_ptx::Program::load(text).unwrap_err().to_string();
    assert_eq!(error, "PTX line 7: the emulator does not know this form: fly.b32 %r0, %r1;");
}
