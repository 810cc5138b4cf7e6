//! Questions for the revision: where they can be reached from, and how far away they are.
//!
//! Distances are computed once, over the lowered code. A way follows the jumps of a function, its
//! calls, and calls through pointers. A call through a pointer may run every function whose address
//! may come there ([`super::targets`]) and whose type fits. No way goes on behind the call of a
//! function that does not return. A distance is the length of a shortest way over calls and
//! returns, whatever its conditions (Ma, Khoo, Foster and Hicks, "Directed symbolic execution", SAS
//! 2011).

use super::{
    names::{ASKING, WHOLE_PROGRAM},
    targets::Targets,
};
use crate::{
    env::models,
    ir::{Call, Callee, Function, FunctionId, Inst, Module},
};

/// A length of a way: the least number of instructions that run on it.
pub type Distance = u32;

/// The distance of a place to which no way leads.
pub const FAR: Distance = Distance::MAX;

/// The length of one way followed by another: less than [`FAR`] if both ways exist.
pub(super) fn plus(a: Distance, b: Distance) -> Distance {
    if a == FAR || b == FAR { FAR } else { a.saturating_add(b).min(FAR - 1) }
}

/// A distance for every instruction, by function.
type Distances = Vec<Vec<Distance>>;

/// The distance from every place to a question for the revision.
#[derive(Debug)]
pub struct Asking {
    /// By function, the distance from its start.
    pub(super) functions: Vec<Distance>,
    /// By function and instruction, the distance to a question before the function's end.
    pub(super) places: Distances,
    /// By function and instruction, the distance to the function's return.
    pub(super) returning: Distances,
}

impl Asking {
    /// The distances in a program.
    pub fn of(module: &Module) -> Self {
        // No pointer points to the entry of a whole program, or to the functions that ask: these
        // are called by name.
        let is_ours = |name: &str| name == WHOLE_PROGRAM || ASKING.contains(&name);
        let targets = Targets::of(module, |function| !is_ours(&function.name));
        let to_return = |_: &Distances, _: u32, inst: &Inst| match inst {
            Inst::Return { .. } => 0,
            _ => FAR,
        };
        let returning = distances(module, to_return, |known, inst| through(module, known, inst));
        let to_question = |known: &Distances, caller: u32, inst: &Inst| match inst {
            Inst::Call(call) => to_call(module, known, &targets, caller, call),
            _ => FAR,
        };
        let places = distances(module, to_question, |_, inst| through(module, &returning, inst));
        let functions = (0..module.functions.len()).map(|id| from_start(module, &places, id));
        Self { functions: functions.collect(), places, returning }
    }

    /// Whether a function may ask for the revision.
    pub(super) fn may(&self, function: FunctionId) -> bool {
        self.functions.get(function.0 as usize).is_none_or(|distance| *distance != FAR)
    }
}

pub(super) fn at(distances: &Distances, function: FunctionId, pc: u32) -> Distance {
    distances[function.0 as usize].get(pc as usize).copied().unwrap_or(FAR)
}

/// The distance from each instruction of each function to something. `leads` says how far an
/// instruction by itself is from there, and `through` how far the instruction behind it is. Both
/// are asked again, with the distances known so far, until no distance gets shorter.
fn distances(
    module: &Module,
    leads: impl Fn(&Distances, u32, &Inst) -> Distance,
    through: impl Fn(&Distances, &Inst) -> Distance,
) -> Distances {
    let nothing = |function: &Function| vec![FAR; function.code.len()];
    let mut known: Distances = module.functions.iter().map(nothing).collect();
    loop {
        let mut changed = false;
        for (index, function) in (0u32..).zip(&module.functions) {
            let step = |inst: &Inst| {
                let on = if inst.ends_block() { FAR } else { through(&known, inst) };
                (leads(&known, index, inst), on)
            };
            let steps: Vec<_> = function.code.iter().map(step).collect();
            changed |= shorten(function, &steps, &mut known[index as usize]);
        }
        if !changed {
            return known;
        }
    }
}

/// Shortens the distances of one function's instructions. `steps` has two distances for each: where
/// it leads by itself, and to the instruction behind it. Returns whether any distance is shorter
/// now.
fn shorten(
    function: &Function,
    steps: &[(Distance, Distance)],
    distances: &mut [Distance],
) -> bool {
    for round in 0.. {
        let mut changed = false;
        for (pc, inst) in function.code.iter().enumerate().rev() {
            let (leads, through) = steps[pc];
            let next = distances.get(pc + 1).copied().unwrap_or(FAR);
            let mut least = leads.min(plus(through, next));
            inst.targets(|target| {
                least = least.min(plus(distances[target.0 as usize], 1));
            });
            changed |= least < distances[pc];
            distances[pc] = least.min(distances[pc]);
        }
        if !changed {
            return round > 0;
        }
    }
    unreachable!("distances do not get shorter for ever")
}

/// The distance from a function's first instruction; 0 for a function that is a question itself.
fn from_start(module: &Module, places: &Distances, id: usize) -> Distance {
    let is_question = || ASKING.contains(&module.functions[id].name.as_str());
    places[id].first().copied().unwrap_or_else(|| if is_question() { 0 } else { FAR })
}

/// The distance from an instruction that ends no block to the one behind it.
fn through(module: &Module, returning: &Distances, inst: &Inst) -> Distance {
    let Inst::Call(call) = inst else { return 1 };
    let Callee::Direct(id) = call.callee else { return 1 };
    match returning[id.0 as usize].first() {
        Some(distance) => plus(*distance, 1),
        None if models::ends(&module.functions[id.0 as usize].name) => FAR,
        None => 1,
    }
}

/// The distance from a call to a question in the function that it calls.
fn to_call(
    module: &Module,
    known: &Distances,
    targets: &Targets,
    caller: u32,
    call: &Call,
) -> Distance {
    let from = |id: FunctionId| plus(from_start(module, known, id.0 as usize), 1);
    match call.callee {
        Callee::Direct(id) => from(id),
        Callee::Indirect(callee) => {
            let called = targets.called(module, caller, callee);
            let known = called.filter(|id| (id.0 as usize) < module.functions.len());
            let fitting = known.filter(|id| fits(&module.functions[id.0 as usize], call));
            fitting.map(from).min().unwrap_or(FAR)
        }
    }
}

/// Whether a call through a pointer may run `function`. The interpreter runs a function with more
/// and wider arguments than it takes, too. `main`, whose address every program has, is run with
/// wider arguments only if these have 32 bits.
fn fits(function: &Function, call: &Call) -> bool {
    let is_main = function.name == "main";
    let widths = call.args.iter().map(|argument| argument.width);
    let mut pairs = function.params.iter().copied().zip(widths);
    function.params.len() <= call.args.len()
        && pairs
            .all(|(wanted, given)| wanted == given || wanted < given && (!is_main || given == 32))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::{
        compile::{Compilation, Toolchain},
        env::{libc::stdin::Stdin, models::Models},
        exec::{Callers, Frame, Program, Start, State},
        ir::lower,
        subject::{Revision, Times},
    };

    /// A program of two revisions, and its first state.
    pub fn begun(text: &str) -> (Program, State) {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("a.c"), text).unwrap();
        let compilation = Compilation {
            directory: directory.path().to_owned(),
            sources: vec!["a.c".into()],
            ..Compilation::default()
        };
        let bitcode = directory.path().join("a.bc");
        Toolchain::find().unwrap().bitcode(&compilation, &bitcode).unwrap();
        let program = Program::new(lower::load(&bitcode).unwrap(), &Models::default());
        let start = program.start(Start {
            entry: "main".into(),
            revisions: (0..2).map(Revision).collect(),
            args: Vec::new(),
            env: Vec::new(),
            stdin: Stdin::bytes(Vec::new()),
            files: Vec::new(),
            times: Times::default(),
        });
        let [state] = <[State; 1]>::try_from(start.unwrap()).unwrap();
        (program, state)
    }

    /// The distance from the start to a question, in programs with these bodies of `main`.
    fn of<const N: usize>(bodies: [&str; N]) -> [Distance; N] {
        bodies.map(|body| {
            let (program, state) = begun(&format!(
                "int psychic_rev(void);\n[[noreturn]] void exit(int);\nint n;\n\
                 static int asks(void) {{ return psychic_rev(); }}\n\
                 static int counts(int n) {{ return n ? counts(n - 1) : n; }}\n\
                 static int never(int n) {{ if (n) exit(n); return never(n); }}\n\
                 int (*through)(void) = asks;\n\
                 int main(void) {{ {body} }}\n"
            ));
            program.distance(&state)
        })
    }

    #[test]
    fn a_question_is_as_far_as_the_shortest_way() {
        let [here, called, later] = of([
            "return psychic_rev();",
            "return asks();",
            "n = 2; if (n) { n++; n++; n++; n++; } else n++; return asks();",
        ]);
        assert!(here < called && called < later, "{here} {called} {later}");
        let [through, behind] = of(["return through();", "return counts(3) + asks();"]);
        assert!(through != FAR && called < behind && behind != FAR, "{through} {behind}");
    }

    #[test]
    fn a_way_of_more_instructions_than_can_be_counted_is_one() {
        let doubling = (1..40).map(|k| {
            let before = k - 1;
            format!("static void f{k}(void) {{ f{before}(); f{before}(); }}\n")
        });
        let doubling: String = doubling.collect();
        let (program, state) = begun(&format!(
            "int psychic_rev(void);\nint n;\nstatic void f0(void) {{ n++; }}\n{doubling}\
             int main(void) {{ f39(); return psychic_rev(); }}\n"
        ));
        assert_eq!(program.distance(&state), FAR - 1);
    }

    #[test]
    fn a_question_may_come_after_returns() {
        let (program, mut state) = begun(
            "int psychic_rev(void);\nint n;\nstatic void quiet(void) { n++; }\n\
             static int asks(void) { quiet(); return psychic_rev(); }\n\
             int main(void) { int first = asks(); quiet(); return first; }\n",
        );
        let id = |name: &str| program.module.function(name).unwrap();
        let call = |within: &str, number: usize| {
            let code = &program.module.functions[id(within).0 as usize].code;
            let calls = |(_, inst): &(u32, &Inst)| matches!(inst, Inst::Call(_));
            (0..).zip(code).filter(calls).nth(number).unwrap().0
        };
        let mut at = |stack: &[(&str, u32)]| {
            let frame = |(name, pc): &(&str, u32)| Frame {
                function: id(name),
                pc: *pc,
                ..Frame::default()
            };
            let mut frames: Vec<Frame> = stack.iter().map(frame).collect();
            state.top = frames.pop().unwrap();
            state.callers = Callers::default();
            state.callers.extend(frames);
            program.distance(&state)
        };
        let first = [("main", call("main", 0)), ("asks", call("asks", 0)), ("quiet", 0)];
        assert_ne!(at(&first), FAR);
        assert_eq!(at(&[("main", call("main", 1)), ("quiet", 0)]), FAR);
        // Behind its question.
        assert_eq!(at(&[("main", call("main", 0)), ("asks", call("asks", 1) + 1)]), FAR);
    }

    #[test]
    fn no_question_is_reached_behind_what_does_not_return() {
        assert_eq!(
            of(["return n;", "exit(n); return asks();", "never(n); return asks();"]),
            [FAR; 3]
        );
        assert_ne!(of(["if (n) exit(n); return asks();"]), [FAR]);
    }
}
