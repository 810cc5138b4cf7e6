//! Tests every rule against the meaning of the unsimplified term.

mod forms;
mod machine;
mod properties;
