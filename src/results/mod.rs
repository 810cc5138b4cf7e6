//! The layout of a results directory: its files, and what their columns mean.
//!
//! Every file is whole at any moment: it is written under another name and then renamed, so that an
//! interrupted run leaves what it had found before. The tables are CSV as in RFC 4180, in UTF-8,
//! with a header row and `\n` line ends. Columns are read by their names in the header, so that
//! files of other tools can be read, too; their additional columns are ignored.
//!
//! ```
//! use psychic::results::{ClusterRow, ResultsDir, TestId};
//! use psychic::subject::Revision;
//!
//! let scratch = tempfile::tempdir()?;
//! let results = ResultsDir::create(scratch.path().join("smallest"))?;
//! let row = ClusterRow { test: TestId(1), revision: Revision(2), cluster: Revision(0) };
//! results.write(&[row.clone()])?;
//! assert_eq!(results.read::<ClusterRow>()?, [row]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cell;
mod claim;
mod clustering;
mod directory;
mod earlier;
mod error;
mod id;
mod rows;
mod table;
mod unfinished;
mod words;
mod write;

pub use cell::{Cell, Fraction};
pub use claim::lock;
pub use clustering::{Clustering, clusterings, read_clusterings};
pub use directory::{ResultsDir, UNFINISHED};
pub use earlier::ktest_files;
pub use error::{MARK, ResultsError};
pub use id::{StateId, TestId};
pub use rows::{
    ChangeRow, ClusterRow, CriticalRow, CsgRow, DistanceRow, DivergenceRow, InteractionRow,
    LabelRow, OutcomeRow, PairRow, RangeRow, RankingRow, RevisionRow, SequenceRow, ShareRow,
    StateRow, StatsRow, SubsetRow, SummaryRow, TestRow,
};
pub use table::{Table, read_table, write_table};
pub use words::{Code, Ended, FoundBy, Introduced, NodeKind, Phase, Shown, Status, Verdict};
pub use write::{write_named, write_whole};
