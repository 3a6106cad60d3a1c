//! Tests lanes that diverge and reconverge, wait for each other, or cause faults.

mod common;

use common::{Buffer, run};

/// Runs a kernel with one parameter. Register `%i` contains the thread number, and `%at` the address of the thread's
/// word.
fn kernel(body: &str, functions: &str, blocks: u32, threads: u32, words: usize) -> Result<Vec<u64>, String> {
    let ptx = format!(
        ".version 9.0
.target sm_90
.address_size 64
{functions}
.visible .entry k(.param .u64 memory)
{{
.reg .pred %p<9>;
.reg .b32 %r<20>, %i;
.reg .b64 %rd<20>, %at, %m;
ld.param.u64 %m, [memory];
mov.u32 %i, %tid.x;
mul.wide.u32 %at, %i, 8;
add.s64 %at, %at, %m;
{body}
ret;
}}"
    );
    let memory = Buffer::of(&vec![0; words]);
    run(&ptx, "k", blocks, threads, &[&memory]).map_err(|fault| fault.to_string())?;
    Ok(memory.words())
}

#[test]
fn nested_branches_meet_again() {
    let body = "
mov.u32 %r1, 0;
and.b32 %r2, %i, 1;
setp.eq.s32 %p1, %r2, 0;
@%p1 bra $even;
and.b32 %r2, %i, 2;
setp.eq.s32 %p2, %r2, 0;
@%p2 bra $one;
add.s32 %r1, %r1, 3;
bra.uni $odd;
$one:
add.s32 %r1, %r1, 1;
$odd:
add.s32 %r1, %r1, 10;
bra.uni $all;
$even:
add.s32 %r1, %r1, 100;
$all:
activemask.b32 %r3;
mov.b64 %rd1, {%r1, %r3};
st.global.u64 [%at], %rd1;";
    let words = kernel(body, "", 1, 32, 32).unwrap();
    for (lane, word) in words.iter().enumerate() {
        let value = [100, 11, 100, 13][lane % 4];
        assert_eq!((*word as u32, (word >> 32) as u32), (value, u32::MAX), "lane {lane}");
    }
}

#[test]
fn loops_end_at_different_times() {
    let body = "
mov.u32 %r1, 0;
mov.u32 %r2, 0;
$loop:
add.s32 %r2, %r2, %r1;
add.s32 %r1, %r1, 1;
setp.le.u32 %p1, %r1, %i;
@%p1 bra $loop;
vote.sync.ballot.b32 %r3, %p1, -1;
add.s32 %r2, %r2, %r3;
cvt.u64.u32 %rd1, %r2;
st.global.u64 [%at], %rd1;";
    let words = kernel(body, "", 1, 32, 32).unwrap();
    assert!(words.iter().enumerate().all(|(lane, &word)| word == (lane * (lane + 1) / 2) as u64), "{words:?}");
}

#[test]
fn a_function_is_called_within_a_branch() {
    let double = "
.func (.param .b32 result) twice(.param .b32 value)
{
.reg .b32 %r<3>;
ld.param.u32 %r1, [value];
add.s32 %r2, %r1, %r1;
st.param.b32 [result], %r2;
ret;
}";
    let body = "
mov.u32 %r1, %i;
setp.lt.u32 %p1, %i, 8;
@%p1 bra $end;
{
.param .b32 given;
.param .b32 got;
st.param.b32 [given], %r1;
call.uni (got), twice, (given);
ld.param.b32 %r1, [got];
}
$end:
cvt.u64.u32 %rd1, %r1;
st.global.u64 [%at], %rd1;";
    let words = kernel(body, double, 1, 32, 32).unwrap();
    assert!(words.iter().enumerate().all(|(lane, &word)| word == if lane < 8 { lane } else { 2 * lane } as u64));
}

#[test]
fn halves_of_a_warp_vote_and_shuffle_apart() {
    let body = "
setp.lt.u32 %p1, %i, 16;
@!%p1 bra $high;
setp.ge.u32 %p2, %i, 12;
vote.sync.ballot.b32 %r1, %p2, 0xffff;
shfl.sync.down.b32 %r2, %i, 1, 31, 0xffff;
bra.uni $end;
$high:
setp.ge.u32 %p2, %i, 30;
vote.sync.ballot.b32 %r1, %p2, 0xffff0000;
shfl.sync.idx.b32 %r2, %i, 20, 31, 0xffff0000;
$end:
mov.b64 %rd1, {%r1, %r2};
st.global.u64 [%at], %rd1;";
    // The active lane 15 reads from the inactive lane 16.
    let error = kernel(body, "", 1, 32, 32).unwrap_err();
    assert!(error.contains("lane 15 reads from lane 16, which is not in the mask 0x0000ffff"), "{error}");
    let words = kernel(&body.replace("down.b32 %r2, %i, 1, 31", "down.b32 %r2, %i, 1, 0x100f"), "", 1, 32, 32).unwrap();
    for (lane, word) in words.iter().enumerate() {
        let low = (0xF000, if lane == 15 { 15 } else { lane as u32 + 1 });
        let expected = if lane < 16 { low } else { (0xC000_0000, 20) };
        assert_eq!((*word as u32, (word >> 32) as u32), expected, "lane {lane}");
    }
}

/// Thread 0 of block 0 waits for a word that `writer` writes.
const WAITS: &str = "
mov.u32 %r5, %ctaid.x;
shl.b32 %r6, %r5, 5;
add.s32 %r6, %r6, %i;
setp.ne.u32 %p1, %r6, 0;
@%p1 bra $other;
$spin:
ld.acquire.gpu.u64 %rd2, [%m+8];
setp.eq.s64 %p2, %rd2, 0;
@%p2 bra $spin;
st.global.u64 [%m], %rd2;
bra.uni $end;
$other:
setp.ne.u32 %p3, %r6, WRITER;
@%p3 bra $end;
mov.b64 %rd3, 7;
st.release.gpu.u64 [%m+8], %rd3;
$end:";

#[test]
fn a_lane_waits_for_another_of_its_warp() {
    assert_eq!(kernel(&WAITS.replace("WRITER", "5"), "", 1, 32, 2).unwrap(), [7, 7]);
}

#[test]
fn a_block_waits_for_another() {
    assert_eq!(kernel(&WAITS.replace("WRITER", "32"), "", 2, 32, 2).unwrap(), [7, 7]);
}

#[test]
fn a_barrier_counts_all_threads() {
    let body = "
and.b32 %r1, %i, 1;
setp.eq.s32 %p1, %r1, 1;
bar.red.popc.u32 %r2, 0, %p1;
cvt.u64.u32 %rd1, %r2;
st.global.u64 [%at], %rd1;";
    assert_eq!(kernel(body, "", 1, 100, 100).unwrap(), [50; 100]);
}

#[test]
fn what_threads_must_not_do_is_reported() {
    for (body, why) in [
        ("setp.lt.u32 %p1, %i, 40;\n@%p1 bra $end;\nbar.sync 0;\n$end:", "others do not reach"),
        (
            "setp.lt.u32 %p1, %i, 40;\n@%p1 bra $b;\nbar.sync 0;\nbra.uni $end;\n$b:\nbar.sync 0;\n$end:",
            "two barriers at once",
        ),
        ("vote.sync.ballot.b32 %r1, %p1, 0xffff;", "lane 16 is not in the mask 0x0000ffff"),
        ("setp.lt.u32 %p1, %i, 40;\n@%p1 bra $end;\nbar.warp.sync -1;\n$end:", "do not come"),
        ("st.global.u64 [%at+8], %rd1;", "is in no allocation"),
        ("st.global.u32 [%at+2], %r1;", "is not aligned"),
        ("ld.local.u32 %r1, [%m];", "outside of the thread's own memory"),
    ] {
        let error = kernel(body, "", 1, 64, 64).unwrap_err();
        assert!(error.contains(why) && error.contains("PTX line"), "{why}: {error}");
    }
}

#[test]
fn memory_is_reached_to_its_last_byte() {
    assert!(kernel("st.global.u8 [%m+511], %r1;", "", 1, 1, 64).is_ok());
    assert!(kernel("st.global.u8 [%m+512], %r1;", "", 1, 1, 64).unwrap_err().contains("in no allocation"));
}
