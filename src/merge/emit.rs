//! Writes the meta text of a file from the edits of all its versions.
//!
//! Overlapping edits of different versions are joined into one site. An edit inside another one
//! becomes a meta branch in the last arm of the other's site, the arm of the original. So a coarse
//! patch does not make the fine ones coarse. Text outside sites is copied from the original byte by
//! byte.

use std::{cmp::Reverse, collections::BTreeSet, fmt::Write};

use crate::subject::{Revision, RevisionSet};

use super::{
    change::{ChangeKind, Edit},
    legal,
    source::{Source, Tokens, same},
};

/// A patched text of a file and the revisions that have it.
pub(super) struct Version {
    pub(super) revisions: RevisionSet,
    pub(super) source: Source,
    /// Disjoint, in the order of the text.
    pub(super) edits: Vec<Edit>,
}

impl Version {
    /// The smallest revision that has this version, by which it is known.
    pub(super) fn name(&self) -> Revision {
        self.revisions.first().unwrap_or_default()
    }
}

/// A meta branch: its number, and the revision sets of its arms without the original's.
pub(super) struct Site {
    pub(super) number: usize,
    pub(super) arms: Vec<RevisionSet>,
}

/// Versions whose edits cannot share a site unless they are whole function bodies.
pub(super) struct Conflict {
    pub(super) revisions: RevisionSet,
}

/// The meta text of a file and its sites, which are numbered from `first_site`.
pub(super) fn emit(
    original: &Source,
    versions: &[Version],
    first_site: usize,
) -> Result<(String, Vec<Site>), Conflict> {
    let mut emitter = Emitter { original, versions, next: first_site, sites: Vec::new() };
    let everything = Region {
        tokens: 0..original.length(),
        bytes: 0..original.text.len(),
        edges: Edges { start: true, end: true },
    };
    let live: Vec<usize> = (0..versions.len()).collect();
    let mut body = String::new();
    emitter.region(&mut body, everything, &live)?;
    let mut sites = emitter.sites;
    sites.sort_by_key(|s| s.number);
    let mut text = String::new();
    if !sites.is_empty() {
        text.push_str("#include \"psychic.h\"\n\n");
        sites.iter().for_each(|site| text.push_str(&chooser(site)));
        text.push('\n');
    }
    Ok((text + &body, sites))
}

/// The function `psychic_at_K` of a site: a single `switch`, so that one fork separates all arms.
fn chooser(site: &Site) -> String {
    let mut text = format!(
        "static inline int psychic_at_{}(void) {{\n\tswitch (psychic_rev()) {{\n",
        site.number
    );
    for arm in &site.arms {
        let cases: Vec<_> = arm.iter().map(|r| format!("case {r}:")).collect();
        _ = writeln!(text, "\t{} return {};", cases.join(" "), name(arm));
    }
    text + "\tdefault: return 0;\n\t}\n}\n"
}

fn name(arm: &RevisionSet) -> Revision {
    arm.first().unwrap_or_default()
}

/// The most arms that are asked for one after the other.
const CHAIN: usize = 8;

/// The two halves of many arms, so that every revision has a short way to its arm. The arms are in
/// the order of their names, and the original, which is 0, goes with the first half.
fn halves(arms: &[Arm]) -> Option<[&[Arm]; 2]> {
    (arms.len() > CHAIN).then(|| arms.split_at(arms.len() / 2).into())
}

/// Whether insertions at the edges of a region belong to it.
#[derive(Clone, Copy)]
struct Edges {
    start: bool,
    end: bool,
}

struct Region {
    tokens: Tokens,
    bytes: std::ops::Range<usize>,
    edges: Edges,
}

impl Region {
    fn contains(&self, edit: &Edit) -> bool {
        let (from, tokens) = (&edit.from, &self.tokens);
        from.start >= tokens.start
            && from.end <= tokens.end
            && (!from.is_empty()
                || (from.start > tokens.start || self.edges.start)
                    && (from.end < tokens.end || self.edges.end && edit.to_end))
    }
}

/// An edit and the index of its version.
#[derive(Clone, Copy)]
struct Owned<'a> {
    version: usize,
    edit: &'a Edit,
}

/// Edits that overlap.
struct Cluster<'a> {
    hull: Tokens,
    to_end: bool,
    edits: Vec<Owned<'a>>,
}

struct Arm {
    revisions: RevisionSet,
    version: usize,
    tokens: Tokens,
}

struct Emitter<'a> {
    original: &'a Source,
    versions: &'a [Version],
    next: usize,
    sites: Vec<Site>,
}

impl<'a> Emitter<'a> {
    /// Writes a region of the original with the sites of the `live` versions in it; returns the
    /// labels of the original that these sites make local to their arms.
    fn region(
        &mut self,
        out: &mut String,
        region: Region,
        live: &[usize],
    ) -> Result<BTreeSet<String>, Conflict> {
        let mut owned = BTreeSet::new();
        let mut cursor = region.bytes.start;
        for cluster in self.clusters(&region, live) {
            let bytes = if cluster.hull.is_empty() {
                let at = self.original.start(cluster.hull.start).min(region.bytes.end);
                at..at
            } else {
                self.original.bytes(&cluster.hull)
            };
            out.push_str(&self.original.text[cursor..bytes.start]);
            cursor = bytes.end;
            owned.extend(self.cluster(out, &cluster, bytes, live)?);
        }
        out.push_str(&self.original.text[cursor..region.bytes.end]);
        Ok(owned)
    }

    fn clusters(&self, region: &Region, live: &[usize]) -> Vec<Cluster<'a>> {
        let versions = self.versions;
        let mut edits: Vec<Owned<'a>> = live
            .iter()
            .flat_map(|&version| {
                versions[version].edits.iter().map(move |edit| Owned { version, edit })
            })
            .filter(|o| region.contains(o.edit))
            .collect();
        edits.sort_by_key(|o| {
            let from = &o.edit.from;
            (from.start, !from.is_empty(), Reverse(from.end), o.version)
        });
        let mut clusters: Vec<Cluster<'a>> = Vec::new();
        for owned in edits {
            let Owned { edit, .. } = owned;
            if let Some(last) = clusters.last_mut()
                && last.takes(edit)
            {
                if edit.from.end > last.hull.end {
                    (last.hull.end, last.to_end) = (edit.from.end, edit.to_end);
                } else if edit.from.end == last.hull.end {
                    last.to_end |= edit.to_end;
                }
                last.edits.push(owned);
                continue;
            }
            let (hull, to_end) = (edit.from.clone(), edit.to_end);
            clusters.push(Cluster { hull, to_end, edits: vec![owned] });
        }
        clusters
    }

    fn cluster(
        &mut self,
        out: &mut String,
        cluster: &Cluster,
        bytes: std::ops::Range<usize>,
        live: &[usize],
    ) -> Result<BTreeSet<String>, Conflict> {
        let arms = self.arms(cluster)?;
        let kind = cluster.outermost().first().map_or(ChangeKind::Run, |o| o.edit.kind);
        let inside: Vec<usize> = live
            .iter()
            .copied()
            .filter(|version| arms.iter().all(|a| !self.has(a, *version)))
            .collect();
        let region = Region {
            tokens: cluster.hull.clone(),
            bytes,
            edges: Edges { start: false, end: cluster.to_end },
        };
        match kind {
            ChangeKind::Added => self.added(out, cluster, &arms),
            ChangeKind::Removed => {
                let revisions: RevisionSet = arms.iter().flat_map(|a| a.revisions.iter()).collect();
                _ = writeln!(out, "/* psychic: not {revisions} */");
                let owned = self.region(out, region, &inside)?;
                out.push_str("\n/* psychic: end */\n");
                return Ok(owned);
            }
            ChangeKind::Truth | ChangeKind::Discarded | ChangeKind::Initial => {
                let number = self.site(&arms);
                // A variable's scope begins before its initial value, behind `name =`.
                let variable = |start: usize| self.original.token(start - 2);
                let open = match kind {
                    // Compilers see through `!`, so that `a && b` forks as it would on its own.
                    ChangeKind::Truth => "!!(".to_owned(),
                    ChangeKind::Discarded => "(void)(".to_owned(),
                    _ => format!("(__typeof__({}))(", variable(cluster.hull.start)),
                };
                // They do not see through `+`: all arms give one value, which one branch tests.
                out.push_str(if kind == ChangeKind::Truth { "+(" } else { "(" });
                let mut text = open.clone();
                let owned = self.region(&mut text, region, &inside)?;
                text.push(')');
                self.choice(out, number, &arms, Some(&text), &open);
                out.push(')');
                return Ok(owned);
            }
            ChangeKind::Run => return self.run(out, cluster, &arms, region, &inside),
        }
        Ok(BTreeSet::new())
    }

    fn run(
        &mut self,
        out: &mut String,
        cluster: &Cluster,
        arms: &[Arm],
        region: Region,
        inside: &[usize],
    ) -> Result<BTreeSet<String>, Conflict> {
        let number = self.site(arms);
        let original = self.original;
        let indent = original.indent(cluster.hull.start).to_owned();
        if cluster.hull.is_empty() {
            self.branches(out, number, arms, Some(""), &indent);
            _ = write!(out, "\n{indent}");
            return Ok(BTreeSet::new());
        }
        let labels = legal::labels(original, &cluster.hull);
        let ends_directive =
            region.bytes.end > 0 && original.text[..region.bytes.end].ends_with('\n');
        let mut text = String::new();
        let mut owned = self.region(&mut text, region, inside)?;
        let mut otherwise = String::from(" else { /* original */\n");
        declare_labels(&mut otherwise, labels.iter().copied().filter(|l| !owned.contains(*l)));
        _ = write!(otherwise, "{indent}{text}\n{indent}}}");
        self.branches(out, number, arms, Some(&otherwise), &indent);
        if ends_directive {
            out.push('\n');
        }
        owned.extend(labels.into_iter().map(str::to_owned));
        Ok(owned)
    }

    /// Writes the expressions of a site's arms; the revision chooses one of them. `original` is
    /// what the original has, in the brackets that begin with `open`; `None` if the original does
    /// not come here.
    fn choice(
        &self,
        out: &mut String,
        number: usize,
        arms: &[Arm],
        original: Option<&str>,
        open: &str,
    ) {
        if let Some([low, high]) = halves(arms) {
            let least = name(&high[0].revisions);
            _ = write!(out, "psychic_at_{number}() < {least} ? (");
            self.choice(out, number, low, original, open);
            out.push_str(") : (");
            self.choice(out, number, high, None, open);
            out.push(')');
            return;
        }
        let asked = arms.len() - usize::from(original.is_none());
        for (index, arm) in arms.iter().enumerate() {
            let text = self.versions[arm.version].source.slice(&arm.tokens);
            let revisions = &arm.revisions;
            if index < asked {
                _ = write!(out, "psychic_at_{number}() == {} ", name(revisions));
                _ = write!(out, "/* revisions {revisions} */ ? {open}{text}) : ");
            } else {
                _ = write!(out, "/* revisions {revisions} */ {open}{text})");
            }
        }
        out.push_str(original.unwrap_or_default());
    }

    /// Writes the statements of a site's arms; the revision chooses one of them. `otherwise` is the
    /// `else` of the original, perhaps empty; `None` if the original does not come here.
    fn branches(
        &self,
        out: &mut String,
        number: usize,
        arms: &[Arm],
        otherwise: Option<&str>,
        indent: &str,
    ) {
        if let Some([low, high]) = halves(arms) {
            let least = name(&high[0].revisions);
            _ = write!(out, "if (psychic_at_{number}() < {least}) {{\n{indent}");
            self.branches(out, number, low, otherwise, indent);
            _ = write!(out, "\n{indent}}} else {{\n{indent}");
            self.branches(out, number, high, None, indent);
            _ = write!(out, "\n{indent}}}");
            return;
        }
        let asked = arms.len() - usize::from(otherwise.is_none());
        for (index, arm) in arms.iter().enumerate() {
            let (revisions, source) = (&arm.revisions, &self.versions[arm.version].source);
            out.push_str(if index == 0 { "" } else { " else " });
            if index < asked {
                _ = write!(out, "if (psychic_at_{number}() == {}) ", name(revisions));
            }
            _ = writeln!(out, "{{ /* revisions {revisions} */");
            declare_labels(out, legal::labels(source, &arm.tokens).into_iter());
            if !arm.tokens.is_empty() {
                out.push_str(source.indent(arm.tokens.start));
                out.push_str(source.slice(&arm.tokens));
                out.push('\n');
            }
            _ = write!(out, "{indent}}}");
        }
        out.push_str(otherwise.unwrap_or_default());
    }

    /// Writes file-scope items that only some revisions have, and that are harmless to the others.
    fn added(&self, out: &mut String, cluster: &Cluster, arms: &[Arm]) {
        for arm in arms {
            let text = self.versions[arm.version].source.slice(&arm.tokens).trim_end();
            let revisions = &arm.revisions;
            _ = write!(out, "/* psychic: only {revisions} */\n{text}\n/* psychic: end */\n");
        }
        out.push_str(self.original.indent(cluster.hull.start));
    }

    fn site(&mut self, arms: &[Arm]) -> usize {
        let number = self.next;
        self.next += 1;
        let arms = arms.iter().map(|a| a.revisions.clone()).collect();
        self.sites.push(Site { number, arms });
        number
    }

    /// The arms of a cluster: one for each distinct text of the versions whose edits are not inside
    /// another's.
    fn arms(&self, cluster: &Cluster) -> Result<Vec<Arm>, Conflict> {
        let mut outermost = cluster.outermost();
        outermost.dedup_by_key(|o| o.version);
        let mut arms: Vec<Arm> = Vec::new();
        for Owned { version, edit } in outermost {
            let owner = &self.versions[version];
            let tokens = if edit.from == cluster.hull {
                edit.to.clone()
            } else {
                let tokens = owner.counterpart(&cluster.hull, cluster.to_end);
                let closed = legal::labels_are_closed(self.original, &cluster.hull, &edit.body)
                    && legal::labels_are_closed(&owner.source, &tokens, &edit.patched_body);
                if !closed {
                    let all = cluster.edits.iter().map(|o| self.versions[o.version].name());
                    return Err(Conflict { revisions: all.collect() });
                }
                tokens
            };
            let equal = arms.iter_mut().find(|a| {
                same(&self.versions[a.version].source, &a.tokens, &owner.source, &tokens)
            });
            match equal {
                Some(arm) => arm.revisions = arm.revisions.union(&owner.revisions),
                None => arms.push(Arm { revisions: owner.revisions.clone(), version, tokens }),
            }
        }
        arms.sort_by_key(|a| a.revisions.first());
        Ok(arms)
    }

    fn has(&self, arm: &Arm, version: usize) -> bool {
        !arm.revisions.is_disjoint(&self.versions[version].revisions)
    }
}

impl Version {
    /// The tokens of this version that correspond to a range of the original; the ends of the
    /// range must not be inside edits.
    fn counterpart(&self, range: &Tokens, to_end: bool) -> Tokens {
        let shift = |token: usize, insertions: bool| {
            self.edits
                .iter()
                .take_while(|e| e.from.end <= token)
                .filter(|e| e.from.end < token || !e.from.is_empty() || insertions)
                .fold(token as isize, |at, e| at + e.to.len() as isize - e.from.len() as isize)
                as usize
        };
        shift(range.start, true)..shift(range.end, to_end)
    }
}

impl<'a> Cluster<'a> {
    fn takes(&self, edit: &Edit) -> bool {
        if self.hull.is_empty() {
            return edit.from == self.hull;
        }
        edit.from.start < self.hull.end
            || edit.from.is_empty()
                && edit.from.start == self.hull.end
                && self.to_end
                && edit.to_end
    }

    /// The edits that cover the whole hull; if there are none, those that are inside no other.
    fn outermost(&self) -> Vec<Owned<'a>> {
        let whole: Vec<_> =
            self.edits.iter().copied().filter(|o| o.edit.from == self.hull).collect();
        if !whole.is_empty() {
            return whole;
        }
        let inside = |a: &Edit, b: &Edit| {
            b.from != a.from && b.from.start <= a.from.start && a.from.end <= b.from.end
        };
        let is_outermost = |o: &Owned| self.edits.iter().all(|other| !inside(o.edit, other.edit));
        self.edits.iter().copied().filter(is_outermost).collect()
    }
}

fn declare_labels<'l>(out: &mut String, labels: impl Iterator<Item = &'l str>) {
    let labels: Vec<_> = labels.collect();
    if !labels.is_empty() {
        _ = writeln!(out, "__label__ {};", labels.join(", "));
    }
}
