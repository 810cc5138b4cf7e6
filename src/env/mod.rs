//! The program's world: what a libc and an operating system do for it, symbolically.
//!
//! A function that the program declares but does not define is looked up in the registry
//! of models ([`models::Models`]); one that has no model ends the path as incomplete.

pub mod call;
pub mod halt;
pub mod kernel;
pub mod libc;
pub mod machine;
pub mod models;
pub mod world;

pub use halt::{Check, Halt, Incomplete};
pub use machine::{Machine, Stop, expr_of, offset};
pub use world::{Approximation, Argument, Effects, InputObject, NamedOutput, World};
