//! Names of symbols as they are in the source.

/// The name of a symbol in the source: without what LLVM or uniting appends to tell symbols of one
/// name apart (`usage.12`, `usage.revision3`).
pub fn stem(name: &str) -> &str {
    name.split_once('.').map_or(name, |(stem, _)| stem)
}
