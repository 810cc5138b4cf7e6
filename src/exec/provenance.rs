//! Addresses that are used as numbers.
//!
//! Objects have other addresses here than in a native run, so a number that was an address is not
//! the one that the program would see. Such a number becomes a variable of its own. Where the
//! number decides something, or is shown, the path goes on with the address that the object has
//! here, and is marked: nothing may be proved of it. What C defines (arithmetic within an object,
//! equality) stays exact. So does what depends only on functions whose native addresses are known
//! ([`Program::native_addresses`](super::Program::native_addresses)).

use rustc_hash::FxHashMap;

use super::Executor;
use crate::{
    env::Approximation,
    expr::{BinaryOp as Op, ExprId, Node, Substitution, VariableId, VariableKind},
    ir::{
        BinaryOp, Predicate,
        address::{OF_NOTHING, function_at, nearest_object, object_address, offset},
    },
    memory::{Addresses, Value},
    solver::Query,
};

/// The prefix of the names of variables that stand for addresses.
const PREFIX: &str = "address.";
/// Functions of the C library that compare the addresses of two objects to decide at which end to
/// begin.
const COPIES: [&str; 1] = ["memmove"];
/// How far apart objects are in the first layout that is tried instead of the one here.
const DISTANCE: u64 = 0x12_3457_0000;
/// The depth in sums and choices to which addresses are replaced. Anything deeper is taken for an
/// offset from [`OF_NOTHING`].
const DEEPEST: u32 = 1024;
/// The most objects of one condition. If there are more, the query does not say that they do not
/// overlap.
const MOST_APART: usize = 24;
/// The lowest address at which programs are loaded (System V ABI, AMD64 supplement, 3.3.3;
/// executables that are not position-independent begin here, all else is further up). `compile`
/// passes it to linkers that begin lower.
const LOWEST: u64 = 1 << 22;
/// The end of what is mapped for programs (48-bit addresses; the upper half is the kernel's).
const END: u64 = 1 << 47;

impl Executor<'_> {
    /// Whether one of two concrete 64-bit operands may be an address.
    #[inline(always)]
    pub(super) fn may_be_addresses(&self, a: u64, b: u64) -> bool {
        let memory = &self.state.memory;
        memory.may_be_address(a) || memory.may_be_address(b)
    }

    /// Whether comparing two concrete 64-bit numbers may compare addresses in a way that is not
    /// plainly exact. Equality with anything but an address is exact, and so is every comparison
    /// within an object.
    #[inline(always)]
    pub(super) fn may_compare_addresses(&self, predicate: Predicate, a: u64, b: u64) -> bool {
        let memory = &self.state.memory;
        match (memory.may_be_address(a), memory.may_be_address(b)) {
            (false, false) => false,
            (true, true) => nearest_object(a) != nearest_object(b),
            _ => !is_equality(predicate),
        }
    }

    fn addresses_in(&self, value: Value) -> Addresses {
        self.state.memory.addresses_in(&self.program.exprs, value)
    }

    /// Whether a value is made of an address, or of a variable in place of one.
    pub(super) fn is_on_address(&self, value: Value) -> bool {
        self.addresses_in(value).first().is_some() || self.is_number(value)
    }

    /// Whether a value has variables in place of addresses.
    fn is_number(&self, value: Value) -> bool {
        matches!(value, Value::Expr(e) if self.program.exprs.mentions(e).address())
    }

    /// `value` as a number of `width` bits. An address becomes a term over a variable, as more
    /// matters than the object that it points to.
    pub(super) fn number(&mut self, width: u32, value: Value) -> Value {
        match self.low_bits(64, value) {
            Some(number) if width > 64 => {
                let number = self.expr(number, 64);
                Value::Expr(self.program.exprs.zext(number, width))
            }
            Some(number) if width == 64 => number,
            _ => value,
        }
    }

    /// The low `width` bits of a value that has addresses in it, with a variable for the start of
    /// each object. The difference of two numbers of one object does not mention the variable.
    /// `None` if the value has no addresses, or if the path is marked and no native address is
    /// known.
    pub(super) fn low_bits(&self, width: u32, value: Value) -> Option<Value> {
        let addresses = self.addresses_in(value);
        let is_wanted = || addresses.all.iter().any(|address| self.is_known(*address));
        let first = addresses.first().filter(|_| is_wanted() || !self.is_marked())?;
        let exprs = &self.program.exprs;
        let value = match value {
            Value::Expr(e) if addresses.share_object(&addresses) => {
                let start = start_of(first);
                exprs.add(self.start_number(width, start), self.distance(width, e, start))
            }
            Value::Expr(e) => self.with_addresses(e, width, &|address| self.bits(width, address)),
            _ => self.bits(width, first),
        };
        Some(Value::from_expr(exprs, value))
    }

    /// The low bits of the distance of an address from the start of its object.
    fn distance(&self, width: u32, address: ExprId, start: u64) -> ExprId {
        let exprs = &self.program.exprs;
        let by = |address: u64| exprs.constant(width, address.wrapping_sub(start));
        self.with_addresses(address, width, &by)
    }

    /// The low `width` bits of `e`, with what `by` gives in place of the addresses in it.
    fn with_addresses(&self, e: ExprId, width: u32, by: &dyn Fn(u64) -> ExprId) -> ExprId {
        Replacement { executor: self, width, by, known: FxHashMap::default() }.of(e, DEEPEST)
    }

    /// The low bits of a number that was an address.
    fn bits(&self, width: u32, address: u64) -> ExprId {
        let exprs = &self.program.exprs;
        let start = start_of(address);
        let distance = exprs.constant(width, address.wrapping_sub(start));
        exprs.add(self.start_number(width, start), distance)
    }

    /// The low bits of the start of an object as a number. They are those of a variable, unless the
    /// path is marked and the object's native address is unknown.
    fn start_number(&self, width: u32, start: u64) -> ExprId {
        match self.is_marked() && !self.is_known(start) {
            true => self.program.exprs.constant(width, start),
            false => self.start_bits(width, start),
        }
    }

    /// The low bits of the variable that stands for the start of an object. The lowest bits of a
    /// part are zero where the alignment says so. The whole variable is left as it is, so that it
    /// cancels out.
    fn start_bits(&self, width: u32, start: u64) -> ExprId {
        let exprs = &self.program.exprs;
        let name = format!("{PREFIX}{start:016x}");
        let variable = exprs.variable(&name, 64, VariableKind::Address);
        let start = match self.alignment(start).trailing_zeros() {
            0 => variable,
            _ if width == 64 => variable,
            known => {
                let high = exprs.extract(variable, known, 64 - known);
                exprs.concat(high, exprs.constant(known, 0))
            }
        };
        exprs.extract(start, 0, width)
    }

    /// `expr` with the native addresses of what it mentions or, where these are unknown, the
    /// addresses here. In the latter case the path is marked. There are two exceptions: any other
    /// addresses give the same value, or a copying function of the C library runs, which may go
    /// another way but comes to the same result.
    pub(super) fn as_if_known(&mut self, expr: ExprId) -> ExprId {
        let expr = self.with_variables(expr, &|address| self.native_address(address));
        if !self.program.exprs.mentions(expr).address() {
            return expr;
        }
        let known = self.with_variables(expr, &Some);
        let function = &self.program.module.functions[self.state.top.function.0 as usize];
        let copies = function.library && COPIES.contains(&function.name.as_str());
        if !copies && !self.is_marked() && self.differs(expr, known) {
            let place = self.place().map(|place| {
                let file = &self.program.module.files[place.file.0 as usize];
                format!("{file}:{}", place.line)
            });
            self.state.world.approximate(Approximation::AddressAsNumber(place));
        }
        known
    }

    /// Whether something on this path depended on an address. Addresses that are unknown natively
    /// then need no variables any more.
    fn is_marked(&self) -> bool {
        let mut approximations = self.state.world.approximations.iter();
        approximations.any(|what| matches!(what, Approximation::AddressAsNumber(_)))
    }

    /// Whether `expr` may be anything but `known` on this path, wherever objects are natively.
    fn differs(&mut self, expr: ExprId, known: ExprId) -> bool {
        let exprs = &self.program.exprs;
        let constant = |value| exprs.constant(64, value);
        let addresses = exprs.variables(expr).iter().filter(|v| self.address_of(**v).is_some());
        let addresses: Vec<_> = addresses.copied().collect();
        let elsewhere = (1..)
            .zip(&addresses)
            .map(|(number, variable)| (*variable, constant(LOWEST + number * DISTANCE)));
        let other = Substitution::of(exprs, elsewhere).apply(exprs, expr);
        let model = &self.state.model;
        if exprs.evaluate(other, model) != exprs.evaluate(known, model) {
            return true;
        }
        let starts: Vec<(ExprId, u64)> = addresses
            .iter()
            .map(|variable| {
                let address = self.address_of(*variable).expect("chosen above");
                (exprs.variable_expr(*variable), address)
            })
            .collect();
        let mut goals: Vec<ExprId> = starts
            .iter()
            .map(|(start, address)| {
                let distance = exprs.sub(*start, constant(LOWEST));
                let low = exprs.and(*start, constant(self.alignment(*address) - 1));
                let is_aligned = exprs.eq(low, constant(0));
                exprs.and(exprs.ult(distance, constant(END - LOWEST)), is_aligned)
            })
            .collect();
        let few = starts.iter().enumerate().filter(|_| starts.len() <= MOST_APART);
        for (index, (a, x)) in few {
            let others = starts[index + 1..].iter();
            goals.extend(others.filter_map(|(b, y)| self.do_not_overlap((*a, *x), (*b, *y))));
        }
        goals.push(exprs.ne(expr, known));
        let query = Query {
            path_condition: &self.state.path_condition,
            goals: &goals,
            model: Some(&self.state.model),
        };
        !self.solver.check(exprs, query).is_unsat()
    }

    /// The condition that two objects do not overlap. Each is given by the expression for its start
    /// and by its address here. `None` if they may overlap: one is dead, or both are constant, as a
    /// linker may merge those.
    fn do_not_overlap(&self, a: (ExprId, u64), b: (ExprId, u64)) -> Option<ExprId> {
        let exprs = &self.program.exprs;
        let of = |(_, address)| self.state.memory.object(start_of(address)).ok();
        let (x, y) = (of(a)?, of(b)?);
        let behind = |start, size| exprs.add(start, exprs.constant(64, size));
        let before = exprs.ule(behind(a.0, x.size()), b.0);
        let after = exprs.ule(behind(b.0, y.size()), a.0);
        (!x.constant || !y.constant).then(|| exprs.or(before, after))
    }

    /// The operands of arithmetic that may be on addresses. Variables replace the addresses unless
    /// the result is the same in a native run.
    pub(super) fn operands(&mut self, op: BinaryOp, a: Value, b: Value) -> (Value, Value) {
        let (x, y) = (self.addresses_in(a), self.addresses_in(b));
        let are_exact = |addresses: &Addresses, value, number| {
            addresses.all.iter().all(|at| self.is_exact(op, *at, value, number))
        };
        let exact = match (x.all.is_empty(), y.all.is_empty()) {
            (true, true) => true,
            (false, false) if op == BinaryOp::Sub && x.share_object(&y) => {
                // The difference is a number: nothing in it looks like an address any more.
                let start = start_of(x.all[0]);
                let distance = |value| match value {
                    Value::Expr(e) => {
                        Value::from_expr(&self.program.exprs, self.distance(64, e, start))
                    }
                    Value::Int(address) => Value::Int(address.wrapping_sub(start)),
                    Value::Undefined => Value::Undefined,
                };
                return (distance(a), distance(b));
            }
            (false, false) => false,
            (false, true) => are_exact(&x, a, b) && self.stays_address(op, a, b),
            (true, false) => {
                let swappable =
                    matches!(op, BinaryOp::Add | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor);
                swappable && are_exact(&y, b, a) && self.stays_address(op, b, a)
            }
        };
        if exact { (a, b) } else { (self.number(64, a), self.number(64, b)) }
    }

    /// Whether the sum or difference of an address and a number is visibly an address of the same
    /// object. Far from the object, nothing would show that any more. True for all other
    /// operations.
    fn stays_address(&self, op: BinaryOp, address: Value, number: Value) -> bool {
        let exprs = &self.program.exprs;
        let stays = |address: Value| {
            let (Some(a), Some(b)) = (address.expr(exprs, 64), number.expr(exprs, 64)) else {
                return true;
            };
            let sum = match op {
                BinaryOp::Add => exprs.add(a, b),
                BinaryOp::Sub => exprs.sub(a, b),
                _ => return true,
            };
            self.stays_with(address, Value::from_expr(exprs, sum))
        };
        stays(address) || self.only_addresses(address).is_some_and(stays)
    }

    /// Whether `sum`, which was computed from `address`, is visibly made of addresses of the same
    /// objects, and of nothing else.
    pub(super) fn stays_with(&self, address: Value, sum: Value) -> bool {
        let (before, after) = (self.addresses_in(address), self.addresses_in(sum));
        let are_there = before.all.iter().all(|at| {
            let start = start_of(*at);
            after.all.iter().any(|other| start_of(*other) == start)
        });
        are_there && !after.others
    }

    /// A value that may be an address or something else (null, say), with an address in place of
    /// everything else. `None` if it is always an address, or never one.
    pub(super) fn only_addresses(&self, value: Value) -> Option<Value> {
        let Value::Expr(e) = value else { return None };
        let found = self.addresses_in(value);
        let first = found.first().filter(|_| found.others || found.null)?;
        let exprs = &self.program.exprs;
        let known = FxHashMap::default();
        let only = OnlyAddresses { executor: self, first: exprs.constant(64, first), known }
            .of(e, DEEPEST);
        Some(Value::from_expr(exprs, only))
    }

    /// Whether an operation on an address and a number is exact: the number is a distance, or is
    /// about low bits that the alignment fixes. With a symbolic offset, the result must have only
    /// those low bits: the rest would not look like an address.
    fn is_exact(&self, op: BinaryOp, address: u64, value: Value, number: Value) -> bool {
        let Value::Int(number) = number else {
            return !self.is_number(number) && matches!(op, BinaryOp::Add | BinaryOp::Sub);
        };
        let (alignment, is_known) = (self.alignment(address), value.as_int().is_some());
        match op {
            BinaryOp::Add | BinaryOp::Sub => true,
            BinaryOp::And => number < alignment || (is_known && !number < alignment),
            BinaryOp::Or | BinaryOp::Xor => is_known && number < alignment,
            BinaryOp::Urem => number.is_power_of_two() && number <= alignment,
            _ => false,
        }
    }

    /// The alignment that a native run certainly gives the object that an address belongs to.
    fn alignment(&self, address: u64) -> u64 {
        self.state.memory.object(start_of(address)).map_or(1, |object| u64::from(object.alignment))
    }

    /// The operands of a comparison that may be on addresses. Variables replace the addresses
    /// unless the result is the same in a native run.
    pub(super) fn compared_operands(
        &mut self,
        predicate: Predicate,
        a: Value,
        b: Value,
    ) -> (Value, Value) {
        let (x, y) = (self.addresses_in(a), self.addresses_in(b));
        let exact = match (x.all.is_empty(), y.all.is_empty()) {
            (true, true) => true,
            (false, false) => {
                let apart =
                    |x| y.all.iter().all(|y| start_of(x) == start_of(*y) || self.are_apart(x, *y));
                x.meet(&y)
                    || is_equality(predicate)
                        && !x.others
                        && !y.others
                        && x.all.iter().all(|x| apart(*x))
            }
            // Null comes before all objects; a number from the input may be anything.
            (false, true) => b == Value::Int(0) || is_equality(predicate) && b.as_int().is_some(),
            (true, false) => a == Value::Int(0) || is_equality(predicate) && a.as_int().is_some(),
        };
        if exact { (a, b) } else { (self.number(64, a), self.number(64, b)) }
    }

    /// Whether two addresses certainly differ in a native run: each is that of a function, or lies
    /// in a living object and not at its end. Two constants must also differ in content, as a
    /// linker may merge equal ones.
    fn are_apart(&self, x: u64, y: u64) -> bool {
        let rest = |address| {
            let object = self.state.memory.object(address).ok()?;
            let (start, size) = (offset(address), object.size());
            (start < size).then(|| (object.constant, object.concrete_from(start as usize)))
        };
        match (rest(x), rest(y)) {
            (Some((true, a)), Some((true, b))) => a.zip(b).any(|(a, b)| a != b),
            (a, b) => {
                let is_apart = |found: bool, address| found || function_at(address).is_some();
                is_apart(a.is_some(), x) && is_apart(b.is_some(), y)
            }
        }
    }

    /// The address that an expression equals although a variable replaced it in between, as in a
    /// list whose links are the exclusive or of two addresses. Otherwise `expr` itself.
    pub(super) fn unhidden(&self, expr: ExprId) -> ExprId {
        let exprs = &self.program.exprs;
        if !exprs.mentions(expr).address() {
            return expr;
        }
        let variables = exprs.variables(expr);
        let addresses = variables.iter().filter_map(|variable| self.address_of(*variable));
        let same = |start| {
            let distance = exprs.sub(expr, self.start_bits(64, start));
            let is_plain = !exprs.mentions(distance).address();
            is_plain.then(|| exprs.add(distance, exprs.constant(64, start)))
        };
        addresses.filter_map(same).next().unwrap_or(expr)
    }

    /// The address that a variable stands for.
    fn address_of(&self, variable: VariableId) -> Option<u64> {
        let exprs = &self.program.exprs;
        (exprs.variable_kind(variable) == VariableKind::Address).then(|| {
            let digits = exprs.variable_name(variable).trim_start_matches(PREFIX);
            u64::from_str_radix(digits, 16).expect("as `variable` named it")
        })
    }

    /// `expr` with what `by` gives for addresses in place of the variables that stand for them.
    fn with_variables(&self, expr: ExprId, by: &dyn Fn(u64) -> Option<u64>) -> ExprId {
        let exprs = &self.program.exprs;
        let variables = exprs.variables(expr).iter();
        let addresses = variables.filter_map(|variable| {
            Some((*variable, exprs.constant(64, by(self.address_of(*variable)?)?)))
        });
        Substitution::of(exprs, addresses).apply(exprs, expr)
    }

    /// The native address of the function whose address here is `address`, if it is known.
    fn native_address(&self, address: u64) -> Option<u64> {
        self.program.native_addresses.get(&function_at(address)?).copied()
    }

    fn is_known(&self, address: u64) -> bool {
        self.native_address(address).is_some()
    }
}

/// Replaces the addresses in terms.
struct Replacement<'a, 'p> {
    executor: &'a Executor<'p>,
    /// The width of the results, in bits.
    width: u32,
    /// What stands for an address.
    by: &'a dyn Fn(u64) -> ExprId,
    /// What stands for the terms that were met: they may share much.
    known: FxHashMap<ExprId, ExprId>,
}

impl Replacement<'_, '_> {
    /// What stands for `e`.
    fn of(&mut self, e: ExprId, depth: u32) -> ExprId {
        let exprs = &self.executor.program.exprs;
        let low = |e| exprs.extract(e, 0, self.width);
        let is_plain = !exprs.mentions(e).large();
        if is_plain && (self.width == 64 || depth == 0) {
            return low(e);
        }
        let Some(depth) = depth.checked_sub(1) else {
            let base = exprs.constant(self.width, OF_NOTHING);
            return exprs.add((self.by)(OF_NOTHING), exprs.sub(low(e), base));
        };
        if let Some(known) = self.known.get(&e) {
            return *known;
        }
        let replaced = match exprs.node(e) {
            Node::Binary(Op::Add, a, b) => exprs.add(self.of(a, depth), self.of(b, depth)),
            Node::Neg(a) if is_plain => exprs.neg(self.of(a, depth)),
            _ if is_plain => low(e),
            Node::Constant(address) if self.executor.is_on_address(Value::Int(address)) => {
                (self.by)(address)
            }
            Node::Ite(c, a, b) => exprs.ite(c, self.of(a, depth), self.of(b, depth)),
            Node::Select(table, index) => {
                let elements = exprs.table_elements(table).iter();
                let elements: Vec<_> = elements.map(|element| self.of(*element, depth)).collect();
                exprs.select(exprs.table(&elements), index)
            }
            _ => low(e),
        };
        self.known.insert(e, replaced);
        replaced
    }
}

/// Replaces everything that is no address in the arms of choices.
struct OnlyAddresses<'a, 'p> {
    executor: &'a Executor<'p>,
    /// The address that replaces it.
    first: ExprId,
    /// By term, what it became.
    known: FxHashMap<ExprId, ExprId>,
}

impl OnlyAddresses<'_, '_> {
    /// `e` with an address in place of everything that is none. What lies deeper than `depth` is
    /// left.
    fn of(&mut self, e: ExprId, depth: u32) -> ExprId {
        let exprs = &self.executor.program.exprs;
        let is_address = |e: ExprId| self.executor.is_address(Value::from_expr(exprs, e));
        if !is_address(e) {
            return self.first;
        }
        let Some(depth) = depth.checked_sub(1) else { return e };
        if let Some(known) = self.known.get(&e) {
            return *known;
        }
        let only = match exprs.node(e) {
            Node::Binary(Op::Add, a, b) if is_address(a) => exprs.add(self.of(a, depth), b),
            Node::Binary(Op::Add, a, b) => exprs.add(a, self.of(b, depth)),
            Node::Ite(c, a, b) => exprs.ite(c, self.of(a, depth), self.of(b, depth)),
            Node::Select(table, index) => {
                let elements = exprs.table_elements(table).iter();
                let elements: Vec<_> = elements.map(|element| self.of(*element, depth)).collect();
                exprs.select(exprs.table(&elements), index)
            }
            _ => e,
        };
        self.known.insert(e, only);
        only
    }
}

/// The start of the object that an address belongs to; the address itself if it is a function's.
fn start_of(address: u64) -> u64 {
    if function_at(address).is_some() { address } else { object_address(nearest_object(address)) }
}

fn is_equality(predicate: Predicate) -> bool {
    matches!(predicate, Predicate::Eq | Predicate::Ne)
}
