//! Draws the decision tree as a picture, and writes it as TikZ.

use std::fmt::Write as _;

use super::{
    labels::Labels,
    layout::{BUS, Face, LABEL_PAD, LINE, PAD_X, Placed, TreeLayout, layout},
    repeated::REPEATED_NOTE,
    scene::{Align, Colour, FAINT, INK, Scene, WHITE, text_width},
    verdicts::{LeafKind, Verdicts},
};
use crate::tree::Tree;

const MARGIN: i32 = 12;
const TEXT: i32 = 11;
const EDGE: Colour = plotters::style::RGBColor(0x8a, 0x95, 0xa1);
const TEST: Colour = plotters::style::RGBColor(0xe9, 0xee, 0xf4);

/// The colours of a leaf's fill and border, and whether the border is dashed: it is unless full
/// equivalence is proved, so that the picture can be read without colours.
pub(super) fn leaf_colours(kind: LeafKind) -> (Colour, Colour, bool) {
    use plotters::style::RGBColor;
    match kind {
        LeafKind::Single => (WHITE, FAINT, false),
        LeafKind::Equivalent => (RGBColor(0xd9, 0xee, 0xe6), RGBColor(0x00, 0x9e, 0x73), false),
        LeafKind::UnlessFailing => (RGBColor(0xec, 0xf6, 0xf2), RGBColor(0x00, 0x9e, 0x73), true),
        LeafKind::Internal => (RGBColor(0xe3, 0xf1, 0xfa), RGBColor(0x00, 0x72, 0xb2), true),
        LeafKind::Open | LeafKind::CutOff => {
            (RGBColor(0xfd, 0xf0, 0xdb), RGBColor(0xd5, 0x5e, 0x00), true)
        }
    }
}

fn measure(text: &str, face: Face) -> i32 {
    text_width(text, face, TEXT)
}

/// Draws the decision tree.
pub fn draw_tree(tree: &Tree, labels: &Labels, verdicts: &Verdicts) -> Scene {
    let layout = layout(tree, labels, verdicts, &measure);
    let mut scene = Scene {
        width: layout.width + 2 * MARGIN,
        height: layout.height + 2 * MARGIN,
        shapes: Vec::new(),
    };
    for edge in &layout.edges {
        let (from, to) = (&layout.boxes[edge.from], &layout.boxes[edge.to]);
        let bus = MARGIN + from.x + from.width + BUS;
        let (start, end) = (MARGIN + from.middle(), MARGIN + to.middle());
        scene.line((MARGIN + from.x + from.width, start), (bus, start), 1, EDGE);
        scene.line((bus, start), (bus, end), 1, EDGE);
        scene.line((bus, end), (MARGIN + to.x, end), 1, EDGE);
    }
    for edge in &layout.edges {
        let (from, to) = (&layout.boxes[edge.from], &layout.boxes[edge.to]);
        let width = measure(&edge.label, Face::Mono);
        let (left, right) = (MARGIN + from.x + from.width + BUS, MARGIN + to.x);
        let middle = (left + right) / 2;
        let y = MARGIN + to.middle();
        let background = middle - width / 2 - LABEL_PAD;
        scene.fill(background, y - LINE / 2, width + 2 * LABEL_PAD, LINE, WHITE);
        scene.text((middle, y), &edge.label, Face::Mono, TEXT, Align::Middle, INK);
    }
    for placed in &layout.boxes {
        draw_box(&mut scene, placed);
    }
    legend(&mut scene, &layout);
    scene
}

fn draw_box(scene: &mut Scene, placed: &Placed) {
    let (x, y) = (MARGIN + placed.x, MARGIN + placed.y);
    let (fill, border, dashed) = placed.kind.map_or((TEST, FAINT, false), leaf_colours);
    scene.fill(x, y, placed.width, placed.height, fill);
    scene.frame((x, y), (placed.width, placed.height), dashed, border);
    let top = y + (placed.height - placed.lines.len() as i32 * LINE) / 2;
    for (row, line) in placed.lines.iter().enumerate() {
        let colour = if line.face == Face::Faint { FAINT } else { INK };
        let middle = top + row as i32 * LINE + LINE / 2;
        scene.text((x + PAD_X, middle), &line.text, line.face, TEXT, Align::Left, colour);
    }
}

/// Explains the mark of revisions and the kinds of leaves that occur, below the tree.
fn legend(scene: &mut Scene, layout: &TreeLayout) {
    const SWATCH: i32 = 22;
    if !layout.repeated.is_empty() {
        scene.height += 2 * LINE;
        let place = (MARGIN, scene.height - MARGIN - LINE / 2);
        scene.text(place, REPEATED_NOTE, Face::Plain, TEXT, Align::Left, FAINT);
        scene.width = scene.width.max(2 * MARGIN + measure(REPEATED_NOTE, Face::Plain));
    }
    let kinds = [
        LeafKind::Equivalent,
        LeafKind::UnlessFailing,
        LeafKind::Internal,
        LeafKind::Open,
        LeafKind::CutOff,
    ];
    let occurring = |kind: &LeafKind| layout.boxes.iter().any(|placed| placed.kind == Some(*kind));
    let kinds: Vec<LeafKind> = kinds.into_iter().filter(occurring).collect();
    if kinds.is_empty() {
        return;
    }
    scene.height += 2 * LINE;
    let (mut x, y) = (MARGIN, scene.height - MARGIN - LINE / 2);
    for kind in kinds {
        let (fill, border, dashed) = leaf_colours(kind);
        scene.fill(x, y - 6, SWATCH, 12, fill);
        scene.frame((x, y - 6), (SWATCH, 12), dashed, border);
        let text = kind.text().unwrap_or_default();
        scene.text((x + SWATCH + 6, y), text, Face::Plain, TEXT, Align::Left, FAINT);
        x += SWATCH + 6 + measure(text, Face::Plain) + 2 * LINE;
    }
    scene.width = scene.width.max(x);
}

/// Writes the decision tree as a LaTeX document of its own, drawn with TikZ. Its styles (`test`,
/// `leaf`, `equivalent`, `unless failing`, `internal`, `open`, `outcome`) are set at its top, where
/// they can be changed for a paper.
pub fn tikz(tree: &Tree, labels: &Labels, verdicts: &Verdicts) -> String {
    let layout = layout(tree, labels, verdicts, &measure);
    let mut out = String::from(TIKZ_BEGIN);
    for (index, placed) in layout.boxes.iter().enumerate() {
        let style = match placed.kind {
            None => "test",
            Some(LeafKind::Single) => "leaf",
            Some(LeafKind::Equivalent) => "leaf, equivalent",
            Some(LeafKind::UnlessFailing) => "leaf, unless failing",
            Some(LeafKind::Internal) => "leaf, internal",
            Some(LeafKind::Open | LeafKind::CutOff) => "leaf, open",
        };
        let lines = placed.lines.iter().map(|line| {
            let face = match line.face {
                Face::Bold => "\\bfseries ",
                Face::Mono => "\\ttfamily ",
                Face::Plain => "",
                Face::Faint => "\\color{black!60}",
            };
            format!("{{{face}{}}}", latex(&line.text))
        });
        let _ = writeln!(
            out,
            "  \\node[{style}] (n{index}) at ({}, {}) {{{}}};",
            placed.x,
            -placed.middle(),
            lines.collect::<Vec<_>>().join(" \\\\ ")
        );
    }
    for edge in &layout.edges {
        let (from, to) = (&layout.boxes[edge.from], &layout.boxes[edge.to]);
        let bus = from.x + from.width + BUS;
        let _ = writeln!(
            out,
            "  \\draw[edge] (n{}.east) -- ({bus}, {}) |- (n{}.west);\n  \\node[outcome] at ({}, \
             {}) {{{}}};",
            edge.from,
            -from.middle(),
            edge.to,
            i32::midpoint(bus, to.x),
            -to.middle(),
            latex(&edge.label)
        );
    }
    if !layout.repeated.is_empty() {
        let _ = writeln!(
            out,
            "  \\node[outcome, anchor=west] at (0, {}) {{\\sffamily {}}};",
            -layout.height - LINE,
            latex(REPEATED_NOTE)
        );
    }
    out.push_str("\\end{tikzpicture}\n\\end{document}\n");
    out
}

/// The beginning of the LaTeX document. It uses Latin Modern if that is installed; TeX's default
/// fonts also have every glyph that is needed.
const TIKZ_BEGIN: &str = r"\documentclass[tikz, border=4pt]{standalone}
\usepackage[utf8]{inputenc}
\IfFileExists{lmodern.sty}{\usepackage[T1]{fontenc}\usepackage{lmodern}}{}
\begin{document}
\definecolor{proved}{RGB}{0,158,115}
\definecolor{inside}{RGB}{0,114,178}
\definecolor{open}{RGB}{213,94,0}
\begin{tikzpicture}[
  x=0.75pt, y=0.75pt, font=\fontsize{8}{10}\selectfont\sffamily,
  every node/.style={anchor=west, align=left, inner xsep=5pt, inner ysep=3pt},
  test/.style={draw=black!50, fill=black!6},
  leaf/.style={draw=black!50},
  equivalent/.style={draw=proved, fill=proved!15},
  unless failing/.style={draw=proved, fill=proved!8, dashed},
  internal/.style={draw=inside, fill=inside!12, dashed},
  open/.style={draw=open, fill=open!12, dashed},
  edge/.style={draw=black!45},
  outcome/.style={anchor=center, align=center, fill=white, font=\fontsize{8}{10}\ttfamily,
    inner xsep=2pt, inner ysep=1pt},
]
";

/// Escapes a text for LaTeX. Beyond ASCII, only the signs that this module writes are sure to have
/// a glyph; others are written as their code points.
fn latex(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '|' => out.push_str("\\textbar{}"),
            // Write them by their places in the font, which are the same in all text encodings of
            // TeX.
            '"' | '\'' | '`' => {
                let _ = write!(out, "\\char{}{{}}", u32::from(c));
            }
            '{' | '}' | '$' | '&' | '#' | '_' | '%' => out.extend(['\\', c]),
            // The braces keep TeX from joining two of them to a dash or another sign.
            '-' | ',' | '?' | '!' => out.extend(['{', c, '}']),
            ' ' => out.push_str("\\ "),
            '≡' => out.push_str("$\\equiv$"),
            '·' => out.push_str("$\\cdot$"),
            '…' => out.push_str("\\ldots{}"),
            '–' => out.push_str("{--}"),
            c if c.is_ascii() => out.push(c),
            c => {
                let _ = write!(out, "U+{:04X}", u32::from(c));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::{fs, process::Command};

    use super::*;
    use crate::report::sample;

    #[test]
    fn the_picture_has_every_revision_and_every_outcome() {
        let sample = sample::seventeen();
        let svg =
            draw_tree(&sample.solution.tree, &sample.labels(), &sample.verdicts()).svg().unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        let labels = sample.labels();
        for leaf in sample.solution.tree.leaves() {
            for revision in leaf.iter() {
                let name = labels.revision(revision).replace(' ', "\u{a0}");
                assert!(svg.contains(&name), "{name}");
            }
        }
        let png = draw_tree(&sample.solution.tree, &labels, &sample.verdicts()).png().unwrap();
        assert!(png.starts_with(b"\x89PNG"));
    }

    #[test]
    fn a_revision_at_several_leaves_is_drawn_at_each() {
        let sample = sample::silent();
        let (tree, labels) = (&sample.solution.tree, sample.labels());
        let svg = draw_tree(tree, &labels, &sample.verdicts()).svg().unwrap();
        let text = tikz(tree, &labels, &sample.verdicts());
        for revision in tree.repeated().iter() {
            let leaves = tree.leaves().into_iter().filter(|leaf| leaf.contains(revision)).count();
            let name = labels.revision(revision) + " *";
            assert_eq!(svg.matches(&name.replace(' ', "\u{a0}")).count(), leaves, "{name}");
            assert_eq!(text.matches(&latex(&name)).count(), leaves, "{name}");
        }
        assert!(svg.contains(&REPEATED_NOTE.replace(' ', "\u{a0}")));
        assert!(text.contains(&latex(REPEATED_NOTE)));
    }

    #[test]
    fn latex_is_escaped() {
        assert_eq!(latex(r"a_b\ é--"), r"a\_b\textbackslash{}\ U+00E9{-}{-}");
        let sample = sample::seven();
        let text = tikz(&sample.solution.tree, &sample.labels(), &sample.verdicts());
        assert_eq!(text.matches("\\draw[edge]").count(), text.matches("\\node[outcome]").count());
        assert!(text.ends_with("\\end{document}\n"));
    }

    /// Runs where TeX is, which is too large to ask of everybody (Debian's `texlive-latex-extra`
    /// and `texlive-pictures`).
    #[test]
    fn latex_compiles_it() {
        let has = |file: &str| {
            let found = Command::new("kpsewhich").arg(file).output();
            found.is_ok_and(|output| output.status.success())
        };
        if !has("standalone.cls") || !has("tikz.sty") {
            eprintln!("not run: there is no LaTeX with standalone and TikZ");
            return;
        }
        let (kinds, gaps) = (sample::seventeen(), sample::silent());
        let odd: String = ('\u{1}'..='\u{ff}').chain("≡·…–→λ".chars()).collect();
        let mut names = kinds.labels();
        names.patches.values_mut().for_each(|name| name.push_str(&odd));
        for (sample, labels) in [(&kinds, names), (&gaps, gaps.labels())] {
            let scratch = tempfile::tempdir().unwrap();
            let text = tikz(&sample.solution.tree, &labels, &sample.verdicts());
            fs::write(scratch.path().join("tree.tex"), text).unwrap();
            let mut latex = Command::new("pdflatex");
            latex.args(["-halt-on-error", "-interaction=nonstopmode", "-no-shell-escape"]);
            let output = latex.arg("tree.tex").current_dir(scratch.path()).output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{said}");
            assert!(fs::read(scratch.path().join("tree.pdf")).unwrap().starts_with(b"%PDF"));
            assert!(!said.contains("Missing character"), "{said}");
        }
    }
}
