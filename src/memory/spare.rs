//! Storage of dead objects and pages, kept for new ones: a call in a loop need not allocate.

use triomphe::Arc;

use super::{
    contents::MOST_WHOLE,
    object::{Object, Segment},
    page::{Page, Slot},
};

/// Objects are kept by the power of two of their size, unless their bytes are in pieces. These are
/// the smallest and the largest exponents.
const SMALLEST: u32 = 5;
const LARGEST: u32 = MOST_WHOLE.ilog2();
/// Most bytes to keep in objects of one power of two.
const KEPT: usize = 1 << 20;
/// Most pages to keep.
const PAGES: usize = 1024;

/// Storage of one worker that nothing uses.
#[derive(Debug, Default)]
pub struct Spare {
    pages: Vec<Arc<Page>>,
    /// Local variables by the power of two of the bytes for which they have room, from `SMALLEST`
    /// on.
    objects: [Vec<Arc<Object>>; (LARGEST - SMALLEST + 1) as usize],
}

impl Spare {
    /// A local variable that was never written.
    pub(super) fn local(&mut self, size: usize, alignment: u32) -> Arc<Object> {
        if size > MOST_WHOLE {
            return Arc::new(Object::uninitialised(Segment::Stack, size).aligned(alignment));
        }
        let power = size.next_power_of_two().trailing_zeros().max(SMALLEST);
        match self.objects[(power - SMALLEST) as usize].pop() {
            Some(mut object) => {
                let unique = Arc::get_mut(&mut object).expect("nothing else uses a spare object");
                unique.make_local(size, alignment);
                object
            }
            None => {
                let mut object = Object::with_room(1 << power);
                object.make_local(size, alignment);
                Arc::new(object)
            }
        }
    }

    /// A page with `slot` in all its slots.
    pub(super) fn page(&mut self, slot: &Slot) -> Arc<Page> {
        match self.pages.pop() {
            Some(mut page) => {
                Arc::get_mut(&mut page).expect("nothing else uses a spare page").fill(slot.clone());
                page
            }
            None => Arc::new(std::array::from_fn(|_| slot.clone())),
        }
    }

    /// Keeps the contents of a slot, unless another state still uses them.
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
