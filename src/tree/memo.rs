//! Results that all workers of a search share.

use std::{
    hash::{BuildHasher, BuildHasherDefault, Hash},
    sync::{Mutex, MutexGuard, PoisonError},
};

use rustc_hash::FxHasher;

use super::problem::Map;

/// More shards than workers, so that workers seldom wait for each other.
const SHARDS: usize = 64;

/// A map from subproblems to what is known about them.
pub(super) struct Memo<K, V> {
    shards: Vec<Mutex<Map<K, V>>>,
    hasher: BuildHasherDefault<FxHasher>,
}

impl<K: Eq + Hash, V: Clone> Memo<K, V> {
    pub fn new() -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Self { shards, hasher: BuildHasherDefault::default() }
    }

    pub fn get(&self, key: &K) -> Option<V> {
        self.shard(key).get(key).cloned()
    }

    /// Changes the entry of a key, which is `nothing` at first.
    pub fn update(&self, key: K, nothing: V, change: impl FnOnce(&mut V)) {
        change(self.shard(&key).entry(key).or_insert(nothing));
    }

    fn shard(&self, key: &K) -> MutexGuard<'_, Map<K, V>> {
        // The low bits choose the bucket within the shard.
        let hash = self.hasher.hash_one(key) >> 32;
        // Every change is a single assignment: a worker that panicked left nothing half done.
        self.shards[hash as usize % SHARDS].lock().unwrap_or_else(PoisonError::into_inner)
    }
}
