//! Tests every rule against the meaning of the term as it was written.

mod forms;
mod machine;
mod properties;
