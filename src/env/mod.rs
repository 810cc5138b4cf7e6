//! The program's world: what the C library and the operating system do for it, symbolically.
//!
//! A function that the program declares but does not define is looked up in the registry of models
//! ([`models::Models`]). A call of a function without a model ends the path as incomplete.
//!
//! - [`world`]: what a state knows of the world outside its memory;
//! - [`machine`]: what a model may do to the state that calls it;
//! - [`call`] and [`models`]: the type of models, and their registry;
//! - [`libc`] and [`kernel`]: the models of the C library and of system calls;
//! - [`halt`]: how a state ends.

pub mod call;
pub mod halt;
pub mod kernel;
pub mod libc;
pub mod machine;
pub mod models;
pub mod world;

pub use halt::{Check, Halt, Incomplete};
pub use machine::{Machine, Stop, offset};
pub use world::{Approximation, Argument, Effects, InputObject, NamedOutput, World};
