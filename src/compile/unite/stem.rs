//! Names of symbols as they are in the source.

/// The name that a symbol has in the source: without what LLVM or uniting appends to tell apart
/// symbols with the same name (`usage.12`, `usage.revision3`).
pub fn stem(name: &str) -> &str {
    name.split_once('.').map_or(name, |(stem, _)| stem)
}
