//! The contents of every object number: a tree of pages that states share until they write.

use triomphe::Arc;

use super::{
    object::{Object, Segment},
    page::{BITS, Page, Slot, WIDTH},
    spare::Spare,
};

const RETURNED: Slot = Slot::Dead(Segment::Stack);

/// Slots by index, from 0 on. A clone shares all pages; a write copies the pages on the way to its
/// slot.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots {
    root: Arc<Page>,
    /// Number of levels of pages above the lowest.
    height: u32,
}

fn within(index: u32, level: u32) -> usize {
    (index >> (BITS * level)) as usize % WIDTH
}

impl Slots {
    #[inline(always)]
    pub fn get(&self, index: u32) -> &Slot {
        const NEVER: &Slot = &Slot::Never;
        if self.is_outside(index) {
            return NEVER;
        }
        let mut page = &*self.root;
        for level in (1..=self.height).rev() {
            match &page[within(index, level)] {
                Slot::Page(below) => page = below,
                all => return all,
            }
        }
        &page[within(index, 0)]
    }

    /// The slot at an index, to be written. Makes the pages on the way to it.
    #[inline]
    pub fn get_mut(&mut self, index: u32, spare: &mut Spare) -> &mut Slot {
        while self.is_outside(index) {
            let root = spare.page(&Slot::Never);
            let below = std::mem::replace(&mut self.root, root);
            Arc::make_mut(&mut self.root)[0] = Slot::Page(below);
            self.height += 1;
        }
        let mut page = Arc::make_mut(&mut self.root);
        for level in (1..=self.height).rev() {
            let slot = &mut page[within(index, level)];
            if !matches!(slot, Slot::Page(_)) {
                *slot = Slot::Page(spare.page(slot));
            }
            let Slot::Page(below) = slot else { unreachable!("made just above") };
            page = Arc::make_mut(below);
        }
        &mut page[within(index, 0)]
    }

    /// The slot at an index, to be written; `None` if no page has it yet.
    #[inline(always)]
    pub fn get_known_mut(&mut self, index: u32) -> Option<&mut Slot> {
        if self.is_outside(index) {
            return None;
        }
        let mut page = Arc::make_mut(&mut self.root);
        for level in (1..=self.height).rev() {
            match &mut page[within(index, level)] {
                Slot::Page(below) => page = Arc::make_mut(below),
                _ => return None,
            }
        }
        Some(&mut page[within(index, 0)])
    }

    /// Marks the object at an index as dead, and keeps its storage for later.
    pub fn kill(&mut self, index: u32, segment: Segment, spare: &mut Spare) {
        if !self.is_outside(index) {
            kill(&mut self.root, index, self.height, segment, spare);
        }
    }

    /// Whether all slots below `count` are the same as in `earlier` and no other slot holds an
    /// object. `earlier` has no objects from `count` on.
    pub fn same(&self, earlier: &Self, count: u32) -> bool {
        let mut old = earlier.clone();
        while old.height < self.height {
            let mut root = Arc::new(Page::default());
            Arc::make_mut(&mut root)[0] = Slot::Page(old.root);
            old = Self { root, height: old.height + 1 };
        }
        (0..WIDTH as u32).all(|slot| {
            let first = slot << (BITS * self.height);
            let (new, old) = (&self.root[slot as usize], &old.root[slot as usize]);
            same(new, old, first, self.height, count)
        })
    }

    /// Adds to `found` the indices below `count` at which live objects differ from those of
    /// `other`. Returns false if anything else differs, or there is a live object from `count` on.
    pub fn differences(&self, other: &Self, count: u32, found: &mut Vec<u32>) -> bool {
        let mut other = other.clone();
        while other.height < self.height {
            let mut root = Arc::new(Page::default());
            Arc::make_mut(&mut root)[0] = Slot::Page(other.root);
            other = Self { root, height: other.height + 1 };
        }
        other.height == self.height
            && (0..WIDTH as u32).all(|slot| {
                let first = slot << (BITS * self.height);
                let slots = [&self.root[slot as usize], &other.root[slot as usize]];
                differences(slots, first, self.height, count, found)
            })
    }

    /// Whether any live object satisfies a condition.
    pub fn any_live(&self, is: &dyn Fn(&Object) -> bool) -> bool {
        any_live(&self.root, is)
    }

    #[inline(always)]
    fn is_outside(&self, index: u32) -> bool {
        index >> (BITS * (self.height + 1)) != 0
    }
}

/// Marks the slot at an index below a page as dead. Returns whether the page now holds nothing but
/// objects of returned frames. The slot with that page then says so itself.
fn kill(page: &mut Arc<Page>, index: u32, level: u32, segment: Segment, spare: &mut Spare) -> bool {
    let page = Arc::make_mut(page);
    let slot = &mut page[within(index, level)];
    if level == 0 {
        spare.keep(std::mem::replace(slot, Slot::Dead(segment)));
    } else if let Slot::Page(below) = slot {
        if !kill(below, index, level - 1, segment, spare) {
            return false;
        }
        spare.keep(std::mem::replace(slot, RETURNED));
    }
    page.iter().all(|slot| matches!(slot, Slot::Dead(Segment::Stack)))
}

/// [`Slots::same`] for two slots at a level that stand for the slots from `first` on.
fn same(new: &Slot, old: &Slot, first: u32, level: u32, count: u32) -> bool {
    if let (Slot::Page(a), Slot::Page(b)) = (new, old)
        && Arc::ptr_eq(a, b)
    {
        return true;
    }
    if level == 0 {
        return if first < count { new == old } else { !matches!(new, Slot::Live(_)) };
    }
    if !matches!((new, old), (Slot::Page(_), _) | (_, Slot::Page(_))) {
        return first >= count || new == old;
    }
    (0..WIDTH).all(|at| {
        let first = first + ((at as u32) << (BITS * (level - 1)));
        same(below(new, at), below(old, at), first, level - 1, count)
    })
}

fn any_live(page: &Page, is: &dyn Fn(&Object) -> bool) -> bool {
    page.iter().any(|slot| match slot {
        Slot::Live(object) => is(object),
        Slot::Page(below) => any_live(below, is),
        Slot::Never | Slot::Dead(_) | Slot::External => false,
    })
}

/// [`Slots::differences`] for two slots at a level that stand for the slots from `first` on.
fn differences(
    slots: [&Slot; 2],
    first: u32,
    level: u32,
    count: u32,
    found: &mut Vec<u32>,
) -> bool {
    if let [Slot::Page(a), Slot::Page(b)] = slots
        && Arc::ptr_eq(a, b)
    {
        return true;
    }
    if level == 0 || !slots.iter().any(|slot| matches!(slot, Slot::Page(_))) {
        return match slots {
            [Slot::Live(a), Slot::Live(b)] if first < count => {
                if !Arc::ptr_eq(a, b) {
                    found.push(first);
                }
                true
            }
            [new, _] if first >= count => !matches!(new, Slot::Live(_)),
            [a, b] => a == b,
        };
    }
    (0..WIDTH).all(|at| {
        let first = first + ((at as u32) << (BITS * (level - 1)));
        let slots = [below(slots[0], at), below(slots[1], at)];
        differences(slots, first, level - 1, count, found)
    })
}

/// The slot at a place of the page that a slot holds or stands for.
fn below(slot: &Slot, at: usize) -> &Slot {
    match slot {
        Slot::Page(page) => &page[at],
        all => all,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    /// A change of the slot at an index, or a clone of all slots.
    #[derive(Clone, Debug)]
    enum Step {
        Place(u32),
        Kill(u32),
        Clone,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        // The indices are close together, so that whole pages die, and span three levels of pages.
        let index = prop_oneof![0..40u32, 1000..1070u32, 40_000..40_010u32];
        let step = prop_oneof![
            6 => index.clone().prop_map(Step::Place),
            6 => index.prop_map(Step::Kill),
            1 => Just(Step::Clone),
        ];
        proptest::collection::vec(step, 0..300)
    }

    fn object(number: usize) -> Object {
        Object::filled(Segment::Stack, vec![number as u8; 3])
    }

    proptest! {
        #[test]
        fn slots_are_a_map_from_numbers(steps in steps()) {
            let (mut slots, mut spare) = (Slots::default(), Spare::default());
            let mut model: HashMap<u32, Slot> = HashMap::new();
            let mut clones = Vec::new();
            for (number, step) in steps.into_iter().enumerate() {
                match step {
                    Step::Place(index) => {
                        let slot = Slot::Live(Arc::new(object(number)));
                        *slots.get_mut(index, &mut spare) = slot.clone();
                        model.insert(index, slot);
                    }
                    Step::Kill(index) => {
                        if matches!(model.get(&index), Some(Slot::Live(_))) {
                            slots.kill(index, Segment::Stack, &mut spare);
                            model.insert(index, RETURNED);
                        }
                    }
                    Step::Clone => clones.push((slots.clone(), model.clone())),
                }
            }
            clones.push((slots.clone(), model.clone()));
            for (slots, model) in &clones {
                for (index, slot) in model {
                    prop_assert_eq!(slots.get(*index), slot);
                }
                prop_assert_eq!(slots.get(u32::MAX), &Slot::Never);
            }
            for (earlier, then) in &clones {
                let now = |index| model.get(&index).cloned().unwrap_or_default();
                let same = |count: u32| (0..40_010).all(|index| match now(index) {
                    slot if index < count => {
                        slot == then.get(&index).cloned().unwrap_or_default()
                    }
                    slot => !matches!(slot, Slot::Live(_)),
                });
                let unused = then.keys().max().map_or(0, |last| last + 1);
                for count in [unused, unused + 1, unused + 50, 40_010] {
                    prop_assert_eq!(slots.same(earlier, count), same(count));
                }
            }
        }

        #[test]
        fn what_is_used_again_was_never_written(sizes in proptest::collection::vec(0..300usize, 1..40)) {
            let (mut slots, mut spare) = (Slots::default(), Spare::default());
            for (index, size) in sizes.into_iter().enumerate() {
                let local = spare.local(size, 8);
                prop_assert_eq!(&*local, &Object::uninitialised(Segment::Stack, size).aligned(8));
                *slots.get_mut(0, &mut spare) = Slot::Live(local);
                if let Slot::Live(local) = slots.get_known_mut(0).expect("placed just now") {
                    let exprs = crate::expr::Exprs::new();
                    let bytes = vec![index as u8; size];
                    Arc::make_mut(local).write(&exprs, 0, &bytes);
                }
                slots.kill(0, Segment::Stack, &mut spare);
            }
        }
    }
}
