//! How far states are from the next question for the revision.

use super::{
    asking::{Distance, FAR, at, plus},
    program::Program,
    state::State,
};

impl Program {
    /// The distance from a state to the next question for the revision, which may come after
    /// returns. `FAR` if none comes before the program's end. What runs at exit is not looked at.
    pub fn distance(&self, state: &State) -> Distance {
        let asking = self.asking();
        let callers = state.callers.iter().map(|frame| (frame.function, frame.pc.wrapping_add(1)));
        let frames = std::iter::once((state.top.function, state.top.pc)).chain(callers);
        let (mut nearest, mut way) = (FAR, 0);
        for (function, pc) in frames {
            nearest = nearest.min(plus(at(&asking.places, function, pc), way));
            way = plus(at(&asking.returning, function, pc), way);
            if way >= nearest {
                break;
            }
        }
        nearest
    }
}
