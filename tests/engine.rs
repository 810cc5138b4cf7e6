//! Compares the interpreter with native runs: what it predicts about a program is what the program
//! does, on every path and for every input of the path.

#[path = "engine/csmith.rs"]
mod csmith;
#[path = "engine/generated.rs"]
mod generated;
#[path = "engine/generator.rs"]
mod generator;
#[path = "engine/machine.rs"]
mod machine;
#[path = "engine/paths.rs"]
mod paths;
#[path = "engine/scanning.rs"]
mod scanning;
#[path = "engine/silent.rs"]
mod silent;
#[path = "engine/slices.rs"]
mod slices;
