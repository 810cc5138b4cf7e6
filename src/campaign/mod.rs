//! Many subjects, each compared by a process of its own: a subject that takes all memory, or makes
//! the program fail, costs the others nothing.
//!
//! A campaign has a directory with a table of all its subjects ([`CampaignRow`]), and a page and a
//! picture over all of them. The directory also has the results of each subject (`subjects/NAME/`)
//! and what its process said (`logs/NAME.log`). A thread of the campaign, or a task of a Slurm job
//! array, runs a subject and writes its row (`rows/NAME.csv`). The table is made of the rows
//! whenever a subject is done. A campaign that was interrupted goes on with the subjects that have
//! no row yet, or have changed since.

mod comparison;
mod digest;
mod directory;
mod list;
mod local;
mod median;
mod names;
mod page;
mod queue;
mod row;
mod run;
mod slurm;
mod task;
mod verdicts;
mod watch;

pub use comparison::{Change, Comparison, Side, compare};
pub use directory::{CampaignDir, CampaignError};
pub use list::{Campaign, ListError, Member};
pub use median::median;
pub use names::Names;
pub use page::page;
pub use queue::{SlurmError, slurm_is_here};
pub use row::CampaignRow;
pub use run::{Event, Machine, Options, run};
pub use slurm::{Slurm, run_task};
pub use verdicts::{Kind, PairChange};
