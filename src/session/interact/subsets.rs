//! The subsets of a patch's changes, as patches of their own.

use std::{collections::BTreeSet, fmt::Write as _};

use super::exact::Subset;
use crate::{
    merge::{self, Candidate, Piece},
    subject::Subject,
};

/// The greatest number of changes for which all subsets are revisions.
pub(super) const MOST_CHANGES: usize = 10;
/// The greatest number of subsets if there are more changes than that.
pub(super) const MOST_SUBSETS: usize = 1 << MOST_CHANGES;
/// The longest name of a subset that lists its changes.
const LONGEST_NAME: usize = 80;

/// The set of all changes.
pub(super) fn all(changes: usize) -> Subset {
    Subset::MAX >> (Subset::BITS as usize - changes)
}

/// The changes in a subset.
pub(super) fn members(subset: Subset) -> impl Iterator<Item = usize> {
    (0..Subset::BITS as usize).filter(move |index| subset >> index & 1 == 1)
}

/// The set of some changes.
pub(super) fn set(changes: impl IntoIterator<Item = usize>) -> Subset {
    changes.into_iter().fold(0, |set, index| set | 1 << index)
}

/// The subsets that are revisions, without the empty one. If there are few changes, these are all
/// subsets. Otherwise they are the set of all changes, the sets that lack one, and further sets up
/// to a bound, the smallest first. The changes of a further set lie on one way of the change
/// sequence graph. `after` says which changes may run after each; a change that the graph does not
/// have may be on any way.
pub(super) fn chosen(
    changes: usize,
    after: &[BTreeSet<usize>],
    is_placed: impl Fn(usize) -> bool,
) -> Vec<Subset> {
    let full = all(changes);
    if changes <= MOST_CHANGES {
        return (1..=full).collect();
    }
    let goes_with = |a: usize, b: usize| {
        !is_placed(a) || !is_placed(b) || after[a].contains(&b) || after[b].contains(&a)
    };
    let nearly = (0..changes).map(|index| full & !(1 << index));
    let mut chosen: BTreeSet<(u32, Subset)> =
        nearly.chain([full]).map(|subset| (subset.count_ones(), subset)).collect();
    let mut last: Vec<Subset> = vec![0];
    while !last.is_empty() {
        let mut next = Vec::new();
        for subset in last {
            let first = members(subset).last().map_or(0, |last| last + 1);
            for index in first..changes {
                if members(subset).all(|member| goes_with(member, index)) {
                    next.push(subset | 1 << index);
                }
            }
        }
        for subset in &next {
            if chosen.len() + 1 >= MOST_SUBSETS {
                break;
            }
            chosen.insert((subset.count_ones(), *subset));
        }
        last = if chosen.len() + 1 >= MOST_SUBSETS { Vec::new() } else { next };
    }
    chosen.into_iter().map(|(_, subset)| subset).collect()
}

/// The name of a subset: its changes, with `+` between, or those that it lacks.
pub(super) fn name(subset: Subset, names: &[String]) -> String {
    let plain = |text: &str| text.replace(['/', ':'], "_");
    let list = |subset: Subset, sign: &str| {
        let names: Vec<String> = members(subset).map(|index| plain(&names[index])).collect();
        names.join(sign)
    };
    let name = list(subset, "+");
    if name.len() <= LONGEST_NAME {
        return name;
    }
    let lacks = format!("all without {}", list(all(names.len()) & !subset, "+"));
    match lacks.len() <= LONGEST_NAME {
        true => lacks.trim_end_matches(" without ").to_owned(),
        false => format!("subset {subset:x}"),
    }
}

/// The diff of a subset, as [`merge::decode`] makes it.
///
/// # Errors
/// A file of the original cannot be read.
pub(super) fn diff(
    subject: &Subject,
    candidate: &Candidate,
    pieces: &[Piece],
    subset: Subset,
) -> Result<String, String> {
    let files = merge::part(subject, candidate, pieces, |index| subset >> index & 1 == 1)?;
    let part = Candidate { files, ..Candidate::default() };
    let mut text = String::new();
    for (path, diff) in merge::difference(subject, &part) {
        let name = path.display().to_string();
        let there = |is_there: bool, side: &str| match is_there {
            true => format!("{side}/{name}"),
            false => "/dev/null".to_owned(),
        };
        let old = there(subject.root.join(&path).is_file(), "a");
        let new = there(part.files[&path].is_some(), "b");
        let hunks = diff.find("@@ ").map_or("", |at| &diff[at..]);
        _ = write!(text, "--- {old}\n+++ {new}\n{hunks}");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_changes_have_all_their_subsets() {
        let chosen = chosen(3, &[], |_| true);
        assert_eq!(chosen, [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(super::chosen(10, &[], |_| true).len(), 1023);
    }

    #[test]
    fn of_many_changes_those_on_one_way_are_subsets() {
        // Two ways of six changes each.
        let way = |index: usize| index / 6 * 6..(index / 6 + 1) * 6;
        let after: Vec<BTreeSet<usize>> =
            (0..12).map(|index| (index + 1..way(index).end).collect()).collect();
        let chosen = chosen(12, &after, |_| true);
        assert_eq!(chosen.len(), 63 + 63 + 12 + 1);
        let is_on_one_way = |subset: &Subset| {
            *subset & 0b11_1111 == 0 || *subset >> 6 == 0 || subset.count_ones() > 10
        };
        assert!(chosen.iter().all(is_on_one_way));
        let all: Vec<BTreeSet<usize>> = (0..30).map(|index| (index + 1..30).collect()).collect();
        let chosen = super::chosen(30, &all, |_| true);
        assert_eq!(chosen.len(), MOST_SUBSETS - 1);
        assert_eq!(chosen.last(), Some(&super::all(30)));
    }

    #[test]
    fn names_list_changes() {
        let names: Vec<String> = (0..60).map(|line| format!("a/b.c:{line}")).collect();
        assert_eq!(name(0b101, &names), "a_b.c_0+a_b.c_2");
        assert_eq!(name(all(60), &names), "all");
        assert_eq!(name(all(60) & !2, &names), "all without a_b.c_1");
    }
}
