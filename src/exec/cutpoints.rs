//! Cutpoints of runs in lockstep ([`super::lockstep`]): where rounds of a loop are summed up.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, atomic::Ordering},
};

use super::{
    executor::Executor,
    lockstep::{FORGOTTEN, UNSURE, held, too_much},
    state::{Cutpoint, Passed, State, Visit},
    widening::{Bound, Cell, Widening},
};
use crate::{
    env::Stop,
    expr::{ExprId, Exprs, VariableId},
    ir::{FunctionId, address},
    memory::{Byte, Value},
    subject::{RevisionSet, config::Uninitialised},
};

/// The most rounds of a loop that are run one by one, as long as they decide nothing about the
/// input.
const UNROLLED: u32 = 1 << 12;
/// The most rounds of a loop that get a further cutpoint because they have written something for
/// the first time.
const PEELED: usize = 2;
/// The most guesses at a cutpoint. Each extends the one before.
const GUESSES: u32 = 24;
/// The most cutpoints on the way of a state.
const CUTPOINTS: usize = 24;

impl Cutpoint {
    /// Whether the cutpoint is at this instruction of a function with this number of callers.
    fn is_at(&self, place: (FunctionId, u32, usize)) -> bool {
        let State { top, callers, .. } = &self.base;
        (top.function, top.pc, callers.len()) == place
    }
}

impl Cell {
    /// What the cell holds; `None` if a part of it was never written, or it is not `width` bits
    /// wide.
    fn value(self, exprs: &Exprs, state: &State, width: u32) -> Option<ExprId> {
        match self {
            Self::Register(register) => {
                let value = *state.top.values.get(register)?;
                value.expr(exprs, width).filter(|e| exprs.width(*e) == width)
            }
            Self::Word(_, size) if 8 * size != width => None,
            Self::Word(address, size) => {
                let object = state.memory.object(address).ok()?;
                let first = address::offset(address) as usize;
                object.written(exprs, first..first + size as usize)
            }
        }
    }
}

impl Executor<'_> {
    /// Whether the state has just waited for others where it is. True once for each wait.
    pub(super) fn arrives(&mut self) -> bool {
        let lockstep = self.state.lockstep.as_mut();
        lockstep.is_some_and(|lockstep| std::mem::take(&mut lockstep.arrives))
    }

    /// To be called where control comes to an instruction. Returns whether the state need not go
    /// on: a cutpoint covers it, or nothing depends on it any more. Where rounds are to be summed
    /// up, the state goes on from the cutpoint with less known.
    pub(super) fn is_covered(&mut self) -> Result<bool, Stop> {
        if self.is_outdated() {
            return Err(Stop::Impossible);
        }
        if self.is_left_alone() {
            return Ok(true);
        }
        let covered = self.come_to_cutpoint();
        if covered.is_err()
            && let Some(lockstep) = &self.state.lockstep
        {
            held(&lockstep.alike).part_all(&self.state.revisions);
        }
        covered
    }

    fn come_to_cutpoint(&mut self) -> Result<bool, Stop> {
        let State { top, .. } = &self.state;
        if !self.program.flows.of(&self.program.module, top.function).is_head(top.pc) {
            return Ok(false);
        }
        let State { top, callers, path_condition: path, lockstep: Some(lockstep), .. } =
            &mut self.state
        else {
            return Ok(false);
        };
        let depth = callers.len();
        let place = (top.function, top.pc, depth);
        // Visits and cutpoints in functions that have returned are over.
        lockstep.visits.retain(|visit| visit.place.2 <= depth);
        lockstep.cutpoints.retain(|Passed { cutpoint, .. }| {
            let before = &cutpoint.base.callers;
            before.len() < depth || before.len() == depth && before.same(callers)
        });
        let conditions = path.len();
        let visit = lockstep.visits.iter_mut().find(|visit| visit.place == place);
        match visit {
            None => lockstep.visits.push(Visit { place, conditions, count: 0 }),
            Some(visit) if visit.conditions == conditions && visit.count < UNROLLED => {
                visit.count += 1;
                return Ok(false);
            }
            Some(visit) => visit.conditions = conditions,
        }
        if !self.state.apart.is_empty() {
            let groups = self.state.effects().into_iter().map(|(set, _)| ((), set)).collect();
            return self.part_here(groups);
        }
        let Some(lockstep) = &self.state.lockstep else { return Ok(false) };
        let known =
            lockstep.cutpoints.iter().map(|passed| &passed.cutpoint).rev().find(|cutpoint| {
                let base = &cutpoint.base;
                cutpoint.is_at(place)
                    && self.state.path_condition.starts_with(&base.path_condition)
                    && self.state.revisions.is_subset(&base.revisions)
                    && self.state.exit == base.exit
                    && self.state.jumps == base.jumps
                    && self.state.top.locals == base.top.locals
                    && self.state.top.variadic == base.top.variadic
                    && self.state.world.goes_on_from(&base.world)
            });
        let count = lockstep.cutpoints.iter().filter(|passed| passed.cutpoint.is_at(place)).count();
        let begins = |cutpoint: &Arc<Cutpoint>| count > PEELED || !self.has_begun_since(cutpoint);
        let Some(cutpoint) = known.cloned().filter(begins) else {
            if lockstep.cutpoints.len() >= CUTPOINTS || self.foresees() {
                return Err(too_much());
            }
            let mut base = self.state.clone();
            base.joins.clear();
            base.lockstep.iter_mut().for_each(|own| own.unsure.clear());
            let cutpoint = Arc::new(Cutpoint { base, widening: Mutex::default() });
            let passed = Passed { cutpoint, guess: None };
            self.state.lockstep.iter_mut().for_each(|own| own.cutpoints.push(passed.clone()));
            return Ok(false);
        };
        self.widen(&cutpoint)
    }

    /// Whether the path says something about the next read. A cutpoint would then say the same
    /// about the next read of each round.
    fn foresees(&self) -> bool {
        let exprs = &self.program.exprs;
        let names = self.state.world.stdin.of_next_read();
        let is_next = |variable: &VariableId| {
            names.iter().any(|name| *name == exprs.variable_name(*variable))
        };
        self.state.path_condition.iter().any(|known| exprs.variables(*known).iter().any(is_next))
    }

    /// Whether something has been written for the first time since a cutpoint. The round that did
    /// so is then not summed up with others: nobody would know whether it was written.
    fn has_begun_since(&self, cutpoint: &Cutpoint) -> bool {
        let exprs = &self.program.exprs;
        let is_written = |cell: Cell, state: &State| {
            let value = self.width_of(cell).ok().and_then(|width| cell.value(exprs, state, width));
            value.is_some_and(|e| !exprs.mentions(e).uninitialised())
        };
        let changed = self.changed_since(&cutpoint.base).unwrap_or_default();
        let begins =
            |cell: &Cell| is_written(*cell, &self.state) && !is_written(*cell, &cutpoint.base);
        changed.iter().any(begins)
    }

    fn widen(&mut self, cutpoint: &Arc<Cutpoint>) -> Result<bool, Stop> {
        let Some(changed) = self.changed_since(&cutpoint.base) else { return Err(too_much()) };
        let mut all = held(&cutpoint.widening);
        let revisions = &self.state.revisions;
        let wider = || all.iter().find(|(set, _)| revisions.is_subset(set)).map(|(_, last)| last);
        let mut widening = all.get(revisions).or_else(wider).cloned().unwrap_or_default();
        let exprs = &self.program.exprs;
        let mut grows = widening.guesses == 0;
        widening.has_base |= grows;
        let cells: BTreeSet<Cell> = widening.cells.keys().copied().chain(changed).collect();
        for cell in cells {
            let width = self.width_of(cell)?;
            let now = cell.value(exprs, &self.state, width);
            if let Some(now) = now
                && exprs.mentions(now).revision()
            {
                let all_of_them = self.alternatives(now);
                let groups = self.without_equal(all_of_them, |this, known, e| {
                    this.certainly(this.program.exprs.eq(known, e), true)
                });
                if groups.len() > 1 {
                    drop(all);
                    return self.part_here(groups);
                }
            }
            let before = cell.value(exprs, &cutpoint.base, width);
            widening.has_base &= before.is_none_or(|e| !exprs.mentions(e).revision());
            if [now, before].into_iter().flatten().any(|e| exprs.mentions(e).address()) {
                // A forgotten value has to be what it is natively, and a number made of an address
                // need not be.
                return Err(too_much());
            }
            self.object_of_both(cell, &cutpoint.base)?;
            let is_unsure = [now, before].iter().any(|value| {
                value.is_none_or(|e| self.is_unsure(e) || exprs.mentions(e).uninitialised())
            });
            match widening.cells.get_mut(&cell) {
                Some(known) => {
                    grows |= is_unsure && !*known;
                    *known |= is_unsure;
                }
                None => {
                    grows = true;
                    widening.cells.insert(cell, is_unsure);
                    if let (Some(now), Some(before)) = (now, before) {
                        widening.bounds.extend(Bound::all(exprs, cell, before, now));
                    }
                }
            }
        }
        let mut kept = Vec::new();
        for bound in std::mem::take(&mut widening.bounds) {
            let now = bound.cell.value(exprs, &self.state, exprs.width(bound.value));
            let holds = now.is_some_and(|now| self.certainly(bound.holds(exprs, now), true));
            if holds { kept.push(bound) } else { grows = true }
        }
        widening.bounds = kept;
        if !grows {
            return Ok(true);
        }
        widening.guesses += 1;
        if widening.guesses > GUESSES {
            return Err(too_much());
        }
        all.insert(self.state.revisions.clone(), widening.clone());
        drop(all);
        self.go_on_from(cutpoint, &widening)
    }

    /// Goes on from a cutpoint, with nothing known about what later rounds change.
    fn go_on_from(&mut self, cutpoint: &Arc<Cutpoint>, widening: &Widening) -> Result<bool, Stop> {
        let exprs = &self.program.exprs;
        let mut state = cutpoint.base.clone();
        state.keep(self.state.revisions.clone());
        state.lineage = self.state.lineage.clone();
        state.instructions = self.state.instructions;
        state.run_from = self.state.top.pc;
        let mut own = state.lockstep.take().unwrap_or_default();
        let mut values = BTreeMap::new();
        for (cell, is_unsure) in &widening.cells {
            let width = self.width_of(*cell)?;
            let number = own.forgotten.fetch_add(1, Ordering::Relaxed);
            if *is_unsure && self.program.uninitialised != Uninitialised::Zero {
                // Its use would have to end the path, or leave it in doubt.
                return Err(too_much());
            }
            let begins = if *is_unsure { UNSURE } else { FORGOTTEN };
            let mut value = exprs.input(&format!("{begins}{number}:{width}"), width);
            if let Some(object) = self.object_of_both(*cell, &cutpoint.base)? {
                value = exprs.add(exprs.constant(64, object), value);
            }
            values.insert(*cell, value);
            match *cell {
                Cell::Register(register) => {
                    state.top.values[register] = Value::from_expr(exprs, value);
                }
                Cell::Word(address, size) => {
                    let Ok(object) = state.memory.object_mut(address) else {
                        return Err(too_much());
                    };
                    let first = address::offset(address) as usize;
                    for index in 0..size as usize {
                        let byte = exprs.extract(value, 8 * index as u32, 8);
                        object.set_byte(exprs, first + index, Byte::of(exprs, byte));
                    }
                }
            }
        }
        let mut model = (*state.model).clone();
        for bound in &widening.bounds {
            let value = values[&bound.cell];
            state.path_condition.push(bound.holds(exprs, value));
            let known = exprs.as_variable(value).zip(exprs.as_bv(bound.value));
            model.0.extend(known);
        }
        state.model = Arc::new(model);
        let guess = Some((self.state.revisions.clone(), widening.guesses));
        own.cutpoints.push(Passed { cutpoint: cutpoint.clone(), guess });
        let place = (state.top.function, state.top.pc, state.callers.len());
        own.visits.retain(|visit| visit.place != place);
        // The next visit counts as one with new conditions in any case.
        own.visits.push(Visit { place, conditions: usize::MAX, count: UNROLLED });
        state.lockstep = Some(own);
        self.state = state;
        Ok(false)
    }

    /// The cells that have changed since `base`, an earlier state of this one. `None` if there are
    /// other objects, or if a large object was written.
    fn changed_since(&self, base: &State) -> Option<Vec<Cell>> {
        let (now, exprs) = (&self.state, &self.program.exprs);
        let words = now.memory.changed_words(exprs, &base.memory)?;
        let flow = self.program.flows.of(&self.program.module, now.top.function);
        let live = flow.live(now.top.pc);
        let registers = (0..now.top.values.len())
            .filter(|register| live.contains(*register))
            .filter(|register| now.top.values[*register] != base.top.values[*register]);
        let words = words.into_iter().map(|(address, size)| Cell::Word(address, size));
        Some(words.chain(registers.map(Cell::Register)).collect())
    }

    fn width_of(&self, cell: Cell) -> Result<u32, Stop> {
        match cell {
            Cell::Word(_, size) => Ok(8 * size),
            Cell::Register(register) => {
                let flow = self.program.flows.of(&self.program.module, self.state.top.function);
                flow.width(self.state.top.pc, register).ok_or_else(too_much)
            }
        }
    }

    /// The address of the one object that a cell points into, both now and at the cutpoint. `None`
    /// if the cell is no pointer. Gives up on any other pointer, as the widened one stays in one
    /// object.
    fn object_of_both(&self, cell: Cell, base: &State) -> Result<Option<u64>, Stop> {
        let exprs = &self.program.exprs;
        let addresses = |state: &State| {
            let value = cell.value(exprs, state, 64);
            let value = value.map(|e| Value::from_expr(exprs, e));
            value.map(|value| state.memory.addresses_in(exprs, value)).unwrap_or_default()
        };
        let (now, before) = (addresses(&self.state), addresses(base));
        match (now.first(), before.first()) {
            (None, None) => Ok(None),
            (Some(_), Some(address)) if now.share_object(&before) => {
                let number = address::nearest_object(address);
                let is_object = (address::FIRST_OBJECT..address::END_OF_OBJECTS).contains(&number);
                if is_object { Ok(Some(address::object_address(number))) } else { Err(too_much()) }
            }
            _ => Err(too_much()),
        }
    }

    /// Splits the revisions of a state at the head of a loop. Each group then comes to the head
    /// anew.
    fn part_here<K>(&mut self, groups: Vec<(K, RevisionSet)>) -> Result<bool, Stop> {
        if let Some(lockstep) = &mut self.state.lockstep {
            lockstep.arrives = true;
            lockstep.visits.iter_mut().for_each(|visit| visit.conditions = usize::MAX);
        }
        self.part(groups);
        self.arrives();
        self.is_covered()
    }
}
