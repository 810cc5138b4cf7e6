//! The storage of expressions. Every distinct node exists once, in an append-only list that is
//! read without a lock. Equal nodes are found through hash tables of ids, sharded by hash.

use std::{
    cell::Cell,
    collections::HashMap,
    num::NonZeroU32,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use hashbrown::HashTable;

use super::{Bv, ExprId, Mentions, Node, TableId, VariableId, VariableKind, node::WideId};

const SHARDS: usize = 64;

/// How many ids each thread remembers.
const RECENT_IDS: usize = 4096;

thread_local! {
    /// The last id that this thread saw for each value of the low bits of a hash. Most requests are
    /// for nodes that exist and were requested a moment ago; finding them here takes no lock.
    static RECENT: [Cell<Option<ExprId>>; RECENT_IDS] =
        const { [const { Cell::new(None) }; RECENT_IDS] };
}

/// A node, and facts about it that are stored so that no one needs to look at its operands.
pub(super) struct Entry {
    pub node: Node,
    pub width: u32,
    pub mentions: Mentions,
    /// The hash that [`super::Exprs::structural_hash`] returns.
    pub hash: u64,
    pub variables: OnceLock<Arc<[VariableId]>>,
}

pub(super) struct Variable {
    pub name: Box<str>,
    pub width: u32,
    pub kind: VariableKind,
}

pub(super) struct Table {
    pub elements: Box<[ExprId]>,
    pub mentions: Mentions,
    pub hash: u64,
}

#[derive(Default)]
pub(super) struct Arena {
    entries: boxcar::Vec<Entry>,
    ids: Shards<ExprId>,
    variables: boxcar::Vec<Variable>,
    names: Mutex<HashMap<Box<str>, (VariableId, ExprId)>>,
    tables: boxcar::Vec<Table>,
    table_ids: Shards<TableId>,
    wide: boxcar::Vec<Bv>,
    wide_ids: Shards<WideId>,
}

struct Shards<T>([Mutex<HashTable<T>>; SHARDS]);

impl<T> Default for Shards<T> {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Mutex::new(HashTable::new())))
    }
}

impl<T> Shards<T> {
    /// Locks the table for `hash`. A poisoned lock is harmless: the tables are consistent after
    /// every single operation, so a panic elsewhere leaves nothing half done.
    fn of(&self, hash: u64) -> MutexGuard<'_, HashTable<T>> {
        // The table itself uses the top bits and the bottom bits of the hash.
        let shard = (hash >> 32) as usize % SHARDS;
        self.0[shard].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One step of a 64-bit hash (the finaliser of Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014, as a combiner): the same on every run.
pub(super) fn mix(hash: u64, value: u64) -> u64 {
    let mut z = (hash ^ value).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn mix_bytes(hash: u64, bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(mix(hash, bytes.len() as u64), |hash, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mix(hash, u64::from_le_bytes(word))
    })
}

impl Arena {
    pub fn entry(&self, e: ExprId) -> &Entry {
        &self.entries[e.0.get() as usize - 1]
    }

    pub fn len(&self) -> usize {
        self.entries.count()
    }

    pub fn variable(&self, v: VariableId) -> &Variable {
        &self.variables[v.0 as usize]
    }

    pub fn table(&self, t: TableId) -> &Table {
        &self.tables[t.0 as usize]
    }

    pub fn wide(&self, w: WideId) -> &Bv {
        &self.wide[w.0 as usize]
    }

    /// The id of `node`; stores the node if it is new.
    pub fn intern(&self, node: Node, width: u32) -> ExprId {
        let hash = self.hash(node, width);
        let same = |entry: &Entry| entry.hash == hash && entry.width == width && entry.node == node;
        let recent = RECENT.with(|recent| recent[hash as usize % RECENT_IDS].get());
        // The remembered id may come from another arena, so the entry with this id in this arena is
        // compared.
        if let Some(id) = recent
            && self.entries.get(id.0.get() as usize - 1).is_some_and(same)
        {
            return id;
        }
        let id = self.intern_shared(node, width, hash);
        RECENT.with(|recent| recent[hash as usize % RECENT_IDS].set(Some(id)));
        id
    }

    fn intern_shared(&self, node: Node, width: u32, hash: u64) -> ExprId {
        let mut ids = self.ids.of(hash);
        let same = |id: &ExprId| {
            let entry = self.entry(*id);
            entry.hash == hash && entry.width == width && entry.node == node
        };
        if let Some(id) = ids.find(hash, same) {
            return *id;
        }
        let mentions = self.mentions(node, width);
        let entry = Entry { node, width, mentions, hash, variables: OnceLock::new() };
        let index = self.entries.push(entry);
        let id = u32::try_from(index + 1).ok().and_then(NonZeroU32::new).map(ExprId);
        let id = id.expect("fewer than 2^32 expressions");
        ids.insert_unique(hash, id, |id| self.entry(*id).hash);
        id
    }

    pub fn intern_constant(&self, value: &Bv) -> ExprId {
        if let (Some(narrow), true) = (value.to_u64(), value.width() <= 64) {
            return self.intern(Node::Constant(narrow), value.width());
        }
        let hash_of = |value: &Bv| mix_bytes(u64::from(value.width()), &value.to_le_bytes());
        let hash = hash_of(value);
        let mut ids = self.wide_ids.of(hash);
        let id = ids.find(hash, |id| self.wide(*id) == value).copied().unwrap_or_else(|| {
            let id = WideId(self.wide.push(value.clone()) as u32);
            ids.insert_unique(hash, id, |id| hash_of(self.wide(*id)));
            id
        });
        drop(ids);
        self.intern(Node::WideConstant(id), value.width())
    }

    pub fn intern_variable(&self, name: &str, width: u32, kind: VariableKind) -> ExprId {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((id, e)) = names.get(name) {
            let known = self.variable(*id);
            assert!(
                (known.width, known.kind) == (width, kind),
                "variable {name} is {:?} of {} bits, asked for as {kind:?} of {width}",
                known.kind,
                known.width
            );
            return *e;
        }
        assert!(width > 0, "variable {name} needs at least one bit");
        let variable = Variable { name: name.into(), width, kind };
        let id = VariableId(self.variables.push(variable) as u32);
        let e = self.intern(Node::Variable(id), width);
        names.insert(name.into(), (id, e));
        e
    }

    pub fn variable_named(&self, name: &str) -> Option<(VariableId, ExprId)> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner).get(name).copied()
    }

    /// # Panics
    /// If `elements` is empty or the elements differ in width.
    pub fn intern_table(&self, elements: &[ExprId]) -> TableId {
        let first = *elements.first().expect("a table has at least one element");
        let width = self.entry(first).width;
        let hash = elements.iter().fold(mix(0x7ab1e, elements.len() as u64), |hash, e| {
            assert_eq!(self.entry(*e).width, width, "elements of a table differ in width");
            mix(hash, self.entry(*e).hash)
        });
        let mut ids = self.table_ids.of(hash);
        if let Some(id) = ids.find(hash, |id| *self.table(*id).elements == *elements) {
            return *id;
        }
        let mentions =
            elements.iter().fold(Mentions::default(), |all, e| all.or(self.entry(*e).mentions));
        let table = Table { elements: elements.into(), mentions, hash };
        let id = TableId(self.tables.push(table) as u32);
        ids.insert_unique(hash, id, |id| self.table(*id).hash);
        id
    }

    fn hash(&self, node: Node, width: u32) -> u64 {
        let of = |e: ExprId| self.entry(e).hash;
        let start = |kind: u64| mix(kind, u64::from(width));
        match node {
            Node::Constant(value) => mix(start(1), value),
            Node::WideConstant(id) => mix_bytes(start(2), &self.wide(id).to_le_bytes()),
            Node::Variable(v) => {
                let variable = self.variable(v);
                mix_bytes(mix(start(3), variable.kind as u64), variable.name.as_bytes())
            }
            Node::Not(a) => mix(start(4), of(a)),
            Node::Neg(a) => mix(start(5), of(a)),
            Node::Binary(op, a, b) => mix(mix(start(0x100 + op as u64), of(a)), of(b)),
            Node::Ite(c, a, b) => mix(mix(mix(start(6), of(c)), of(a)), of(b)),
            Node::Extract { of: whole, low } => mix(mix(start(7), u64::from(low)), of(whole)),
            Node::Concat(a, b) => mix(mix(start(8), of(a)), of(b)),
            Node::Zext(a) => mix(start(9), of(a)),
            Node::Sext(a) => mix(start(10), of(a)),
            Node::Select(table, index) => mix(mix(start(11), self.table(table).hash), of(index)),
            Node::FloatUnary(op, rounding, a) => {
                mix(mix(start(0x200 + op as u64), rounding as u64), of(a))
            }
            Node::FloatBinary(op, rounding, a, b) => {
                mix(mix(mix(start(0x210 + op as u64), rounding as u64), of(a)), of(b))
            }
            Node::FloatMulAdd(rounding, operands) => operands
                .into_iter()
                .fold(mix(start(12), rounding as u64), |hash, e| mix(hash, of(e))),
            Node::FloatCompare(relation, a, b) => {
                mix(mix(start(0x220 + relation as u64), of(a)), of(b))
            }
        }
    }

    fn mentions(&self, node: Node, width: u32) -> Mentions {
        let of = |e: ExprId| self.entry(e).mentions;
        match node {
            Node::Constant(value) => Mentions::of_constant(width, value),
            Node::WideConstant(_) => Mentions::default(),
            Node::Variable(v) => Mentions::of(self.variable(v).kind),
            Node::Not(a)
            | Node::Neg(a)
            | Node::Zext(a)
            | Node::Sext(a)
            | Node::FloatUnary(_, _, a) => of(a),
            Node::Extract { of: whole, .. } => of(whole),
            Node::Binary(_, a, b)
            | Node::Concat(a, b)
            | Node::FloatBinary(_, _, a, b)
            | Node::FloatCompare(_, a, b) => of(a).or(of(b)),
            Node::FloatMulAdd(_, [a, b, c]) => of(a).or(of(b)).or(of(c)),
            Node::Ite(c, a, b) => of(c).or(of(a)).or(of(b)),
            Node::Select(table, index) => self.table(table).mentions.or(of(index)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Exprs;

    #[test]
    fn threads_that_make_the_same_terms_get_the_same_ids() {
        let exprs = Exprs::new();
        let build = || {
            let x = exprs.input("x", 32);
            (0..2000).map(|i| exprs.mul(exprs.add(x, exprs.constant(32, i)), x)).collect::<Vec<_>>()
        };
        let all = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(build)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
        // `x`, 2000 constants, 1999 sums (`x + 0` is `x`) and 2000 products.
        assert_eq!(exprs.len(), 1 + 2000 + 1999 + 2000);
    }
}
