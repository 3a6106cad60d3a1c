//! Schedules the lanes of a block and executes their instructions.

use super::{Block, Launch, Ran, Registers, Seen, Warp, has_changed};
use crate::access::{Access, Bad, Operation, Reach, lanes, read, update, write};
use crate::fault::{self, Fault};
use crate::lanes::{ALWAYS, Column, LANES, Lanes, NEVER};
use crate::memory::Memory;
use crate::sync::{BlockReduction, exchange};
use crate::warp::{Action, Group, Instruction, State, Watch};
use std::sync::Arc;
use std::sync::atomic::{Ordering::SeqCst, fence};

/// Number of instructions after which another warp has its turn.
const TURN: u64 = 4096;
/// Number of backward jumps after which other lanes of the warp have a turn.
const JUMPS: u32 = 4096;

/// Reason to stop executing a group of lanes.
enum Stop {
    /// Another group or another warp may have its turn.
    Turn,
    /// Lanes have ended or are at a barrier, so the block must check its barrier.
    Barrier,
    Failed(Fault),
}

/// Runs a block for about `most` instructions.
pub(super) fn run(block: &mut Block, launch: &Launch, memory: &dyn Memory, most: u64) -> Ran {
    block.table = memory.table();
    let end = block.instructions + most;
    let mut idle = 0;
    while idle < block.count {
        let number = block.turn;
        if !block.warps[number].wake(&block.table) {
            block.turn = (block.turn + 1) % block.count;
            idle += 1;
            continue;
        }
        idle = 0;
        match run_warp(block, launch, memory, number) {
            Stop::Turn => block.turn = (block.turn + 1) % block.count,
            Stop::Barrier => match pass_barrier(block, launch) {
                Ok(()) => block.turn = (block.turn + 1) % block.count,
                Err(fault) => return Ran::Failed(fault),
            },
            Stop::Failed(fault) => return Ran::Failed(fault),
        }
        if block.instructions >= end {
            return Ran::Paused;
        }
    }
    if let Err(fault) = pass_barrier(block, launch) {
        return Ran::Failed(fault);
    }
    let groups = || block.warps[..block.count].iter().flat_map(|warp| &warp.groups);
    if groups().next().is_none() {
        return Ran::Ended;
    }
    if groups().any(|group| group.state == State::Ready) {
        return Ran::Paused;
    }
    if groups().any(|group| matches!(group.state, State::Parked(_))) {
        return Ran::Parked;
    }
    let why = match groups().any(|group| group.state == State::Together) {
        true => "lanes wait for others of their mask that do not come",
        false => "threads wait at a barrier that others do not reach",
    };
    Ran::Failed(block.stuck(launch, why))
}

impl Warp {
    /// Wakes lanes if a word that they wait for may have changed. Returns whether any lanes are ready.
    fn wake(&mut self, table: &crate::memory::Table) -> bool {
        let mut any = false;
        for group in &mut self.groups {
            if let State::Parked(watches) = &group.state
                && watches.iter().any(|watch| watch.address >> 60 != 0 || has_changed(table, watch))
            {
                group.state = State::Ready;
                self.seen.clear();
            }
            any |= group.state == State::Ready;
        }
        any
    }

    /// Takes the ready lanes at the lowest instruction, or at the highest one after [`JUMPS`] backward jumps. Lanes at
    /// the same instruction with the same return addresses join them.
    fn take(&mut self) -> Option<Group> {
        let ready = |group: &Group| group.state == State::Ready;
        if self.groups.len() == 1 {
            self.jumps = 0;
            return self.groups.pop_if(|group| ready(group));
        }
        let rotates = self.jumps >= JUMPS;
        if rotates {
            self.jumps = 0;
        }
        let order = |group: &(usize, &Group)| if rotates { u32::MAX - group.1.pc } else { group.1.pc };
        let groups = self.groups.iter().enumerate().filter(|(_, group)| ready(group));
        let (found, _) = groups.min_by_key(order)?;
        let mut taken = self.groups.swap_remove(found);
        self.groups.retain(|other| {
            let joins = other.pc == taken.pc
                && other.stack == taken.stack
                && matches!(other.state, State::Ready | State::Together);
            if joins {
                taken.mask |= other.mask;
            }
            !joins
        });
        Some(taken)
    }

    /// Returns the first instruction from `pc` on at which other lanes are ready or wait for lanes of their mask.
    fn next_of_others(&self, pc: u32) -> u32 {
        let goes = |group: &&Group| group.pc >= pc && matches!(group.state, State::Ready | State::Together);
        self.groups.iter().filter(goes).map(|group| group.pc).min().unwrap_or(u32::MAX)
    }

    /// Returns whether other lanes are ready at an instruction before `pc`.
    fn has_others_before(&self, pc: u32) -> bool {
        self.groups.iter().any(|group| group.pc < pc && group.state == State::Ready)
    }

    /// Clears the values that loads have read. Called when lanes have written memory or reached a barrier.
    fn forget_seen(&mut self) {
        if !self.seen.is_empty() {
            self.seen.clear();
        }
        self.repeated = 0;
        self.before = None;
    }

    /// Records the values that a load has read. Returns whether the lanes loop indefinitely until a word in memory
    /// changes: they read the same values, write nothing, and change no register.
    fn goes_round(&mut self, l: &Lanes<'_>, pc: u32, mask: u32, watches: Vec<Watch>) -> bool {
        match self.seen.iter_mut().find(|seen| seen.pc == pc) {
            Some(seen) if seen.mask == mask && seen.watches == watches => self.repeated += 1,
            Some(seen) => {
                *seen = Seen { pc, mask, watches };
                (self.repeated, self.before) = (0, None);
            }
            None => {
                self.seen.push(Seen { pc, mask, watches });
                (self.repeated, self.before) = (0, None);
            }
        }
        if self.repeated < self.seen.len() * self.patience {
            return false;
        }
        match &self.before {
            Some(before) if before.pc == pc => {
                let columns = before.columns.iter().zip(&*l.columns);
                let same = columns.into_iter().all(|(one, other)| lanes(mask).all(|lane| one[lane] == other[lane]))
                    && before.predicates.iter().zip(&*l.predicates).all(|(one, other)| (one ^ other) & mask == 0);
                self.before = None;
                self.repeated = 0;
                self.patience *= if same { 1 } else { 2 };
                same
            }
            Some(_) => false,
            None => {
                self.before = Some(Registers { pc, columns: l.columns.to_vec(), predicates: l.predicates.to_vec() });
                false
            }
        }
    }
}

/// Executes instructions of a warp's next group of lanes.
fn run_warp(block: &mut Block, launch: &Launch, memory: &dyn Memory, number: usize) -> Stop {
    let Some(mut group) = block.warps[number].take() else { return Stop::Turn };
    let code = &launch.program.code;
    let Block { warps, shared, shared_bytes, table, instructions, .. } = block;
    let warp = &mut warps[number];
    let mut local = std::mem::take(&mut warp.local);
    let mut reach = Reach {
        memory,
        table: Arc::clone(table),
        device: launch.device,
        shared,
        shared_bytes: *shared_bytes,
        local: &mut local,
        local_bytes: launch.kernel.local.next_multiple_of(8),
        parameters: &launch.parameters,
    };
    let end = *instructions + TURN;
    let mut others = warp.next_of_others(group.pc + 1);
    let others_exist = |warp: &Warp| !warp.groups.is_empty();
    let mut failed = None;
    let mut barrier = false;
    let (mut columns, mut predicates) = (std::mem::take(&mut warp.columns), std::mem::take(&mut warp.predicates));
    let mut l = Lanes { columns: &mut columns, predicates: &mut predicates, constants: &launch.program.constants };
    loop {
        if group.pc == others || *instructions >= end {
            break;
        }
        let i = &code[group.pc as usize];
        *instructions += 1;
        let mask = match i.guard {
            ALWAYS => group.mask,
            guard if i.inverted => group.mask & !l.predicate(guard),
            guard => group.mask & l.predicate(guard),
        };
        let mut next = group.pc + 1;
        match &i.action {
            Action::Compute(execute) => {
                if mask != 0 {
                    execute(&mut l, i, mask);
                }
            }
            Action::Branch(target) => {
                if mask == group.mask {
                    next = *target;
                    if others_exist(warp) {
                        warp.jumps += u32::from(next <= group.pc);
                        others = warp.next_of_others(next);
                        if warp.jumps >= JUMPS || warp.has_others_before(next) {
                            group.pc = next;
                            break;
                        }
                    }
                } else if mask != 0 {
                    let stays = group.mask & !mask;
                    let stack = group.stack.clone();
                    let (here, there) = (next, *target);
                    // The lanes at the earlier instruction run first.
                    let (first, second) =
                        if there < here { ((there, mask), (here, stays)) } else { ((here, stays), (there, mask)) };
                    warp.jumps += u32::from(there <= group.pc);
                    warp.groups.push(Group { mask: second.1, pc: second.0, stack, state: State::Ready });
                    group.mask = first.1;
                    next = first.0;
                    others = warp.next_of_others(next);
                    if warp.has_others_before(next) {
                        group.pc = next;
                        break;
                    }
                }
            }
            Action::BranchIndexed(targets) => {
                let index = *l.column(i.a);
                let mut left = mask;
                group.mask &= !mask;
                while left != 0 {
                    let at = index[left.trailing_zeros() as usize] as u32;
                    let alike =
                        lanes(left).filter(|&lane| index[lane] as u32 == at).fold(0, |bits, lane| bits | 1 << lane);
                    left &= !alike;
                    let pc = targets.get(at as usize).copied().unwrap_or(group.pc);
                    warp.groups.push(Group { mask: alike, pc, stack: group.stack.clone(), state: State::Ready });
                }
                group.pc = next;
                break;
            }
            Action::Load(access) => {
                if mask != 0 {
                    let base = if access.watched { *l.column(i.a) } else { [0; LANES] };
                    match load(&mut reach, &mut l, i, access, mask) {
                        Err((bad, lane)) => {
                            failed = Some((bad, lane));
                            break;
                        }
                        Ok(())
                            if access.watched
                                && warp.goes_round(&l, group.pc, group.mask, watched(&l, access, &base, mask)) =>
                        {
                            let all = warp.seen.iter().flat_map(|seen| seen.watches.iter().copied()).collect();
                            warp.repeated = 0;
                            group.state = State::Parked(all);
                            group.pc = next;
                            break;
                        }
                        Ok(()) => {}
                    }
                }
            }
            Action::Store(access) => {
                warp.forget_seen();
                if let Err(bad) = store(&mut reach, &l, i, access, mask) {
                    failed = Some(bad);
                    break;
                }
            }
            Action::Atomic(access) => {
                warp.forget_seen();
                if let Err(bad) = atomic(&mut reach, &mut l, i, access, mask) {
                    failed = Some(bad);
                    break;
                }
            }
            Action::Fence => fence(SeqCst),
            Action::Exchange(what) => {
                if mask != 0 {
                    let masks = l.column(i.m);
                    let wanted = masks[mask.trailing_zeros() as usize] as u32;
                    if let Some(lane) = lanes(mask).find(|&lane| masks[lane] as u32 >> lane & 1 == 0) {
                        let why = format!("lane {lane} is not in the mask {:#010x} that it names", masks[lane] as u32);
                        failed = Some((Err(why), lane));
                        break;
                    }
                    if wanted & !mask & warp.all != 0 {
                        // The group waits for lanes of its mask that are at other instructions.
                        group.state = State::Together;
                        break;
                    }
                    if let Err((lane, from)) = exchange(*what, &mut l, i, mask) {
                        let why =
                            format!("lane {lane} reads from lane {from}, which is not in the mask {wanted:#010x}");
                        failed = Some((Err(why), lane));
                        break;
                    }
                }
            }
            Action::Barrier(_) => {
                warp.forget_seen();
                group.state = State::AtBarrier;
                barrier = true;
                break;
            }
            Action::Call(target) => {
                group.stack.push(next);
                next = *target;
            }
            Action::Return => match group.stack.pop() {
                Some(back) => next = back,
                None => {
                    warp.ended |= group.mask;
                    group.mask = 0;
                    barrier = true;
                    break;
                }
            },
            Action::Exit => {
                warp.ended |= mask;
                group.mask &= !mask;
                barrier = true;
                if group.mask == 0 {
                    break;
                }
            }
            Action::Trap => {
                if mask != 0 {
                    failed = Some((Err("a trap".to_owned()), mask.trailing_zeros() as usize));
                    break;
                }
            }
            Action::Yield => {
                group.pc = next;
                break;
            }
            Action::Clock => {
                let now = *instructions;
                l.each(i.d, mask, |_| now);
            }
            Action::ActiveMask => l.each(i.d, mask, |_| u64::from(mask)),
        }
        group.pc = next;
    }
    *table = Arc::clone(&reach.table);
    (warp.columns, warp.predicates, warp.local) = (columns, predicates, local);
    let at = (group.mask, group.pc);
    if group.mask != 0 {
        warp.groups.push(group);
    }
    match failed {
        Some((bad, lane)) => Stop::Failed(describe(block, launch, number, at, bad, lane)),
        None if barrier => Stop::Barrier,
        None => Stop::Turn,
    }
}

type Failure = (Result<Bad, String>, usize);

fn describe(
    block: &Block,
    launch: &Launch,
    warp: usize,
    at: (u32, u32),
    bad: Result<Bad, String>,
    lane: usize,
) -> Fault {
    let alone = (1 << lane, at.1);
    match bad {
        Ok(Bad { code, address, why }) => {
            let mut fault = block.fault(launch, warp, alone, code, format!("the address {address:#x} {why}"));
            fault.address = (address >> 60 == 0).then_some(address);
            fault
        }
        Err(why) if why == "a trap" => block.fault(launch, warp, alone, fault::ILLEGAL_INSTRUCTION, why),
        Err(why) => block.fault(launch, warp, alone, fault::TIMEOUT, why),
    }
}

/// Returns the words that a load has read, with their values.
fn watched(l: &Lanes<'_>, access: &Access, base: &Column, mask: u32) -> Vec<Watch> {
    let bytes = access.ty.bytes();
    let cut = |value: u64| if bytes == 8 { value } else { value & ((1 << (8 * bytes)) - 1) };
    let watch = |lane: usize, number: usize| Watch {
        address: access.space.base() | base[lane].wrapping_add(access.offset + number as u64 * bytes),
        bytes: bytes as u32,
        value: cut(l.column(access.columns[number])[lane]),
    };
    let words = lanes(mask).flat_map(|lane| (0..access.columns.len()).map(move |number| (lane, number)));
    let mut watches: Vec<Watch> = words.map(|(lane, number)| watch(lane, number)).collect();
    watches.dedup();
    watches
}

fn load(reach: &mut Reach<'_>, l: &mut Lanes<'_>, i: &Instruction, access: &Access, mask: u32) -> Result<(), Failure> {
    let (bytes, base) = (access.ty.bytes(), *l.column(i.a));
    let whole = bytes * access.columns.len() as u64;
    let mut window = reach.window(access);
    if let &[column] = &access.columns[..] {
        let target = &mut l.columns[column as usize];
        for lane in lanes(mask) {
            let address = base[lane].wrapping_add(access.offset);
            let from = reach.place(access, lane, address, whole, &mut window).map_err(|bad| (Ok(bad), lane))?;
            // SAFETY: the allocation contains the bytes, which are aligned.
            target[lane] = access.ty.extend(unsafe { read(from, bytes, access.acquires) });
        }
        return Ok(());
    }
    for lane in lanes(mask) {
        let address = base[lane].wrapping_add(access.offset);
        let from = reach.place(access, lane, address, whole, &mut window).map_err(|bad| (Ok(bad), lane))?;
        for (number, &column) in access.columns.iter().enumerate() {
            // SAFETY: as above.
            let bits = unsafe { read(from.wrapping_add(number * bytes as usize), bytes, access.acquires) };
            l.columns[column as usize][lane] = access.ty.extend(bits);
        }
    }
    Ok(())
}

fn store(reach: &mut Reach<'_>, l: &Lanes<'_>, i: &Instruction, access: &Access, mask: u32) -> Result<(), Failure> {
    let (bytes, base) = (access.ty.bytes(), l.column(i.a));
    let whole = bytes * access.columns.len() as u64;
    let mut window = reach.window(access);
    for lane in lanes(mask) {
        let address = base[lane].wrapping_add(access.offset);
        let to = reach.place(access, lane, address, whole, &mut window).map_err(|bad| (Ok(bad), lane))?;
        for (number, &column) in access.columns.iter().enumerate() {
            let value = l.column(column)[lane];
            // SAFETY: as above.
            unsafe { write(to.wrapping_add(number * bytes as usize), bytes, value, access.releases) };
        }
    }
    Ok(())
}

fn atomic(
    reach: &mut Reach<'_>,
    l: &mut Lanes<'_>,
    i: &Instruction,
    access: &Access,
    mask: u32,
) -> Result<(), Failure> {
    debug_assert!(access.operation != Operation::None);
    for lane in lanes(mask) {
        let address = l.column(i.a)[lane].wrapping_add(access.offset);
        let at = reach.pointer(access, lane, address, access.ty.bytes()).map_err(|bad| (Ok(bad), lane))?;
        let (b, c) = (l.column(i.b)[lane], if i.c == NEVER { 0 } else { l.column(i.c)[lane] });
        // SAFETY: as above.
        let found = unsafe { update(at, access, b, c) };
        if access.returns {
            l.columns[i.d as usize][lane] = access.ty.extend(found);
        }
    }
    Ok(())
}

/// Releases the threads of a block if all of them are at the same barrier.
fn pass_barrier(block: &mut Block, launch: &Launch) -> Result<(), Fault> {
    let warps = &block.warps[..block.count];
    let mut at: Option<u32> = None;
    let mut differ = false;
    for warp in warps {
        let waiting = warp.groups.iter().filter(|group| group.state == State::AtBarrier);
        let mut mask = 0;
        for group in waiting {
            mask |= group.mask;
            differ |= *at.get_or_insert(group.pc) != group.pc;
        }
        if mask | warp.ended != warp.all {
            return Ok(());
        }
    }
    let Some(pc) = at else { return Ok(()) };
    if differ {
        return Err(block.stuck(launch, "threads are at two barriers at once"));
    }
    if warps.iter().any(|warp| warp.ended != 0) {
        return Err(block.stuck(launch, "threads wait at a barrier that others do not reach: they have ended"));
    }
    let i = &launch.program.code[pc as usize];
    let Action::Barrier(barrier) = &i.action else { return Ok(()) };
    let inverted = if i.extra == 1 { u32::MAX } else { 0 };
    let result = barrier.reduces.map(|reduction| {
        let holds = |warp: &Warp| (predicate(warp, i.p) ^ inverted) & warp.all;
        (
            reduction,
            match reduction {
                BlockReduction::And => u32::from(warps.iter().all(|warp| holds(warp) == warp.all)),
                BlockReduction::Or => u32::from(warps.iter().any(|warp| holds(warp) != 0)),
                BlockReduction::Count => warps.iter().map(|warp| holds(warp).count_ones()).sum(),
            },
        )
    });
    for warp in &mut block.warps[..block.count] {
        match result {
            Some((BlockReduction::Count, count)) => {
                warp.columns[i.d as usize].iter_mut().for_each(|target| *target = count.into());
            }
            Some((_, holds)) => warp.predicates[i.q as usize] = if holds == 1 { u32::MAX } else { 0 },
            None => {}
        }
        for group in &mut warp.groups {
            group.state = State::Ready;
            group.pc += 1;
        }
    }
    Ok(())
}

fn predicate(warp: &Warp, slot: u32) -> u32 {
    match slot {
        NEVER => 0,
        ALWAYS => u32::MAX,
        _ => warp.predicates[slot as usize],
    }
}
