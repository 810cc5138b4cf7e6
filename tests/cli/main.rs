//! Drives the `psychic` command as people would, including hostile ones.

mod bad_input;
mod campaign;
mod candidates;
mod choosing;
mod errors;
mod explain;
mod explore;
mod git;
mod given;
mod help;
mod init;
mod interrupt;
mod judged;
mod loose;
mod notes;
mod oracle;
mod packages;
mod queries;
mod repeatable;
mod scripts;
mod sharing;
mod stages;
mod support;
mod tutorial;
mod verdicts;
mod whole;
