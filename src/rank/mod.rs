//! Chooses among the revisions: by a person's answers to the questions of a tree, and by scores.
//!
//! ```
//! use psychic::{
//!     rank::{Answer, Walk},
//!     results::{Clustering, TestId},
//!     subject::{Revision, RevisionSet},
//!     tree::{Options, minimal},
//! };
//!
//! let outcomes = [(Revision(0), "6"), (Revision(1), "error"), (Revision(2), "6")];
//! let clusterings = [Clustering::new(TestId(1), outcomes)];
//! let all: RevisionSet = (0..3).map(Revision).collect();
//! let tree = minimal(&all, &clusterings, &Options::default())?.tree;
//!
//! let mut walk = Walk::new(&tree, &clusterings);
//! walk.answer(Answer::Outcome(Revision(0)))?;
//! assert!(walk.question().is_none());
//! assert_eq!(walk.possible().to_string(), "0 2");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answers;
mod ranking;
mod walk;

pub use answers::{AnswersError, read_answers, write_answers};
pub use ranking::{Criterion, Evidence, Share, Weights, ranking};
pub use walk::{Answer, AnswerError, Answered, Question, Walk};
