//! The storage of what is dead, for what comes next: a call in a loop need not allocate.

use triomphe::Arc;

use super::{
    Object,
    slots::{Page, Slot},
};

/// Objects up to this size are kept, by powers of two, and at least the first one.
const SMALLEST: u32 = 5;
const LARGEST: u32 = 16;
/// Bytes of the objects of one power of two that are kept.
const KEPT: usize = 1 << 20;
/// Pages that are kept.
const PAGES: usize = 1024;

/// Storage that nothing uses, one worker's.
#[derive(Debug, Default)]
pub struct Spare {
    pages: Vec<Arc<Page>>,
    /// Objects of the stack by the power of two that they have room for.
    objects: [Vec<Arc<Object>>; (LARGEST - SMALLEST + 1) as usize],
}

impl Spare {
    /// A local variable that was never written.
    pub(super) fn local(&mut self, size: usize, alignment: u32) -> Arc<Object> {
        let power = size.next_power_of_two().trailing_zeros().max(SMALLEST);
        let known = self.objects.get_mut((power - SMALLEST) as usize).and_then(Vec::pop);
        match known {
            Some(mut object) => {
                let unique = Arc::get_mut(&mut object).expect("nothing else uses a spare object");
                unique.make_local(size, alignment);
                object
            }
            None => {
                let room = if power <= LARGEST { 1 << power } else { size };
                let mut object = Object::with_room(room);
                object.make_local(size, alignment);
                Arc::new(object)
            }
        }
    }

    /// A page all of whose slots are that.
    pub(super) fn page(&mut self, slot: &Slot) -> Arc<Page> {
        match self.pages.pop() {
            Some(mut page) => {
                Arc::get_mut(&mut page).expect("nothing else uses a spare page").fill(slot.clone());
                page
            }
            None => Arc::new(std::array::from_fn(|_| slot.clone())),
        }
    }

    /// Keeps what stood in a slot, unless another state still uses it.
    pub(super) fn keep(&mut self, slot: Slot) {
        match slot {
            Slot::Page(page) if page.is_unique() && self.pages.len() < PAGES => {
                self.pages.push(page);
            }
            Slot::Live(object) if object.is_unique() => {
                let Some(power) = object.room().checked_ilog2() else { return };
                let class = power.checked_sub(SMALLEST).map(|class| class as usize);
                if let Some(kept) = class.and_then(|class| self.objects.get_mut(class))
                    && kept.len() << power < KEPT
                {
                    kept.push(object);
                }
            }
            _ => {}
        }
    }
}
