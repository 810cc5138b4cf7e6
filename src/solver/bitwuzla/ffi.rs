//! The only place that calls Bitwuzla's C API (version 0.8).
#![allow(unsafe_code, reason = "a C library")]

use std::{
    ffi::{CStr, CString, c_void},
    time::{Duration, Instant},
};

use bitwuzla_sys as sys;
use nix::time::{ClockId, clock_gettime};
use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use crate::{
    expr::{Bv, Rounding},
    interrupt::Interrupt,
};

/// A term of one [`Instance`]; it has no meaning for any other.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Term(sys::BitwuzlaTerm);

impl Term {
    /// The number of the term; terms are numbered in the order in which they are made.
    pub fn number(self) -> usize {
        // SAFETY: the term is alive, see `Instance`; the hash of a term is its number.
        unsafe { sys::bitwuzla_term_hash(self.0) }
    }
}

/// An operator, under Bitwuzla's name.
pub(super) type TermKind = sys::BitwuzlaKind;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Answer {
    Sat,
    Unsat,
    Unknown,
}

/// A solver with a separate term manager. Terms live as long as the instance.
///
/// The instance that uses a term has made it, with the sort that the operator requires. So no call
/// below can fail. (Bitwuzla answers misuse by ending the process with a message, not with
/// undefined behaviour.)
pub(super) struct Instance {
    manager: *mut sys::BitwuzlaTermManager,
    options: *mut sys::BitwuzlaOptions,
    solver: *mut sys::Bitwuzla,
    /// When the running query must end. It is boxed because Bitwuzla holds a pointer to it.
    end: Box<End>,
    sorts: FxHashMap<u32, sys::BitwuzlaSort>,
}

/// When a query ends without an answer.
struct End {
    deadline: Option<Instant>,
    /// The earliest moment at which the limit can be used up, and the total processor time of the
    /// thread at which it is.
    limit: Option<(Instant, Duration)>,
    interrupt: Interrupt,
}

// SAFETY: a term manager and what belongs to it share no state with other managers. Bitwuzla keeps
// buffers per thread; the results in them are copied before the call returns. Nothing here is
// `Sync`.
unsafe impl Send for Instance {}

impl Instance {
    /// A solver whose queries end when `interrupt` is set.
    pub fn new(interrupt: Interrupt) -> Self {
        let mut end = Box::new(End { deadline: None, limit: None, interrupt });
        // SAFETY: the constructors only require valid pointers, which the calls before them have
        // just returned. The heap cell of `end` lives until `drop` has deleted the solver.
        unsafe {
            let manager = sys::bitwuzla_term_manager_new();
            let options = sys::bitwuzla_options_new();
            sys::bitwuzla_set_option(options, sys::BITWUZLA_OPT_PRODUCE_MODELS, 1);
            // Normalising sums can take arbitrarily long, and does not check for a deadline.
            sys::bitwuzla_set_option(options, sys::BITWUZLA_OPT_PP_NORMALIZE, 0);
            let solver = sys::bitwuzla_new(manager, options);
            let state: *mut End = &mut *end;
            sys::bitwuzla_set_termination_callback(solver, Some(is_over), state.cast());
            Self { manager, options, solver, end, sorts: FxHashMap::default() }
        }
    }

    fn sort(&mut self, width: u32) -> sys::BitwuzlaSort {
        // SAFETY: the manager is alive and the width is at least 1.
        *self
            .sorts
            .entry(width)
            .or_insert_with(|| unsafe { sys::bitwuzla_mk_bv_sort(self.manager, u64::from(width)) })
    }

    pub fn truth_value(&mut self, value: bool) -> Term {
        // SAFETY: the manager is alive.
        Term(unsafe {
            if value {
                sys::bitwuzla_mk_true(self.manager)
            } else {
                sys::bitwuzla_mk_false(self.manager)
            }
        })
    }

    pub fn constant(&mut self, value: &Bv) -> Term {
        let sort = self.sort(value.width());
        // SAFETY: the value fits in the sort's width; the string outlives the call.
        Term(unsafe {
            match value.to_u64() {
                Some(narrow) => sys::bitwuzla_mk_bv_value_uint64(self.manager, sort, narrow),
                None => {
                    let digits = CString::new(value.to_biguint().to_str_radix(16))
                        .expect("digits hold no zero byte");
                    sys::bitwuzla_mk_bv_value(self.manager, sort, digits.as_ptr(), 16)
                }
            }
        })
    }

    pub fn variable(&mut self, name: &str, width: u32) -> Term {
        let sort = self.sort(width);
        let symbol = CString::new(name.replace('\0', "_")).expect("zero bytes are replaced");
        // SAFETY: the string outlives the call, which copies it.
        Term(unsafe { sys::bitwuzla_mk_const(self.manager, sort, symbol.as_ptr()) })
    }

    pub fn term1(&mut self, kind: TermKind, a: Term) -> Term {
        // SAFETY: see `Instance`.
        Term(unsafe { sys::bitwuzla_mk_term1(self.manager, kind, a.0) })
    }

    pub fn term2(&mut self, kind: TermKind, a: Term, b: Term) -> Term {
        // SAFETY: see `Instance`.
        Term(unsafe { sys::bitwuzla_mk_term2(self.manager, kind, a.0, b.0) })
    }

    pub fn ite(&mut self, c: Term, a: Term, b: Term) -> Term {
        let kind = sys::BITWUZLA_KIND_ITE;
        // SAFETY: see `Instance`.
        Term(unsafe { sys::bitwuzla_mk_term3(self.manager, kind, c.0, a.0, b.0) })
    }

    pub fn extract(&mut self, a: Term, low: u32, width: u32) -> Term {
        let (high, low) = (u64::from(low + width - 1), u64::from(low));
        let kind = sys::BITWUZLA_KIND_BV_EXTRACT;
        // SAFETY: see `Instance`.
        Term(unsafe { sys::bitwuzla_mk_term1_indexed2(self.manager, kind, a.0, high, low) })
    }

    /// Applies the extension `kind`, which adds `by` bits.
    pub fn extend(&mut self, kind: TermKind, a: Term, by: u32) -> Term {
        // SAFETY: see `Instance`.
        Term(unsafe { sys::bitwuzla_mk_term1_indexed1(self.manager, kind, a.0, u64::from(by)) })
    }

    pub fn rounding(&mut self, rounding: Rounding) -> Term {
        let mode = match rounding {
            Rounding::NearestEven => sys::BITWUZLA_RM_RNE,
            Rounding::NearestAway => sys::BITWUZLA_RM_RNA,
            Rounding::Zero => sys::BITWUZLA_RM_RTZ,
            Rounding::Up => sys::BITWUZLA_RM_RTP,
            Rounding::Down => sys::BITWUZLA_RM_RTN,
        };
        // SAFETY: the manager is alive.
        Term(unsafe { sys::bitwuzla_mk_rm_value(self.manager, mode) })
    }

    pub fn term(&mut self, kind: TermKind, operands: &[Term]) -> Term {
        let mut terms: Vec<_> = operands.iter().map(|term| term.0).collect();
        // SAFETY: see `Instance`; the array has the length given and is copied.
        Term(unsafe {
            sys::bitwuzla_mk_term(self.manager, kind, terms.len() as u32, terms.as_mut_ptr())
        })
    }

    pub fn indexed(&mut self, kind: TermKind, operands: &[Term], indices: &[u64]) -> Term {
        let mut terms: Vec<_> = operands.iter().map(|term| term.0).collect();
        // SAFETY: see `Instance`; the arrays have the lengths given and are copied.
        Term(unsafe {
            sys::bitwuzla_mk_term_indexed(
                self.manager,
                kind,
                terms.len() as u32,
                terms.as_mut_ptr(),
                indices.len() as u32,
                indices.as_ptr(),
            )
        })
    }

    pub fn push(&mut self) {
        // SAFETY: the solver is alive.
        unsafe { sys::bitwuzla_push(self.solver, 1) }
    }

    /// Pops `levels` levels, which must be at most as many as were pushed.
    pub fn pop(&mut self, levels: usize) {
        if levels > 0 {
            // SAFETY: the solver is alive.
            unsafe { sys::bitwuzla_pop(self.solver, levels as u64) }
        }
    }

    pub fn assert(&mut self, truth: Term) {
        // SAFETY: see `Instance`.
        unsafe { sys::bitwuzla_assert(self.solver, truth.0) }
    }

    /// Decides the assertions together with `assumptions`. It gives up at `deadline`, or once this
    /// thread has used `limit` of processor time, which does not depend on how busy the machine is.
    pub fn check(
        &mut self,
        assumptions: &[Term],
        deadline: Option<Instant>,
        limit: Option<Duration>,
    ) -> Answer {
        self.end.deadline = deadline;
        self.end.limit = limit
            .and_then(|limit| Some((Instant::now().checked_add(limit)?, processor_time() + limit)));
        let mut terms: Vec<_> = assumptions.iter().map(|term| term.0).collect();
        // SAFETY: the array has the length given; Bitwuzla copies it.
        let answer = unsafe {
            sys::bitwuzla_check_sat_assuming(self.solver, terms.len() as u32, terms.as_mut_ptr())
        };
        (self.end.deadline, self.end.limit) = (None, None);
        match answer {
            sys::BITWUZLA_SAT => Answer::Sat,
            sys::BITWUZLA_UNSAT => Answer::Unsat,
            _ => Answer::Unknown,
        }
    }

    /// The value of a bit-vector term after [`Answer::Sat`].
    pub fn value(&mut self, term: Term, width: u32) -> Bv {
        // SAFETY: the last answer was Sat. The string is the thread's buffer; it is valid until the
        // next call, and is read here.
        let digits = unsafe {
            let value = sys::bitwuzla_get_value(self.solver, term.0);
            let text = CStr::from_ptr(sys::bitwuzla_term_value_get_str_fmt(value, 2));
            let digits = BigUint::parse_bytes(text.to_bytes(), 2);
            sys::bitwuzla_term_release(value);
            digits
        };
        Bv::from_biguint(width, digits.expect("a value is written in binary digits"))
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: all three are alive and deleted once; the solver is deleted before what it uses.
        unsafe {
            sys::bitwuzla_delete(self.solver);
            sys::bitwuzla_options_delete(self.options);
            sys::bitwuzla_term_manager_delete(self.manager);
        }
    }
}

/// Bitwuzla calls this from time to time to learn whether it must give up.
unsafe extern "C" fn is_over(end: *mut c_void) -> i32 {
    // SAFETY: the pointer is the one that `Instance::new` registered. It is alive, and written only
    // between queries.
    let end = unsafe { &*end.cast::<End>() };
    let late = |at| Instant::now() >= at;
    let spent = |(at, time)| late(at) && processor_time() >= time;
    i32::from(
        end.deadline.is_some_and(late) || end.limit.is_some_and(spent) || end.interrupt.is_set(),
    )
}

/// The processor time that this thread has used so far.
pub fn processor_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}
