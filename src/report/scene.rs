//! Drawings: shapes in pixels, painted by plotters as SVG or PNG.
//!
//! Every edge is level or upright, so that both back ends draw it sharp. Text is measured and
//! painted with DejaVu, which the program carries along: no font of the system is needed. SVG
//! names only the generic families; DejaVu being wide, other fonts fit where it does.

use std::sync::OnceLock;

use ab_glyph::{Font as _, FontRef, PxScale, ScaleFont as _};
use plotters::{
    prelude::{BitMapBackend, DrawingBackend, RGBColor, SVGBackend, ShapeStyle},
    style::{
        Color as _, FontFamily, FontStyle, FontTransform, IntoFont as _, TextStyle, register_font,
        text_anchor::{HPos, Pos, VPos},
    },
};

use super::{PlotError, layout::Face};

/// A colour.
pub(super) type Colour = RGBColor;

pub(super) const INK: Colour = RGBColor(0x1f, 0x29, 0x33);
pub(super) const FAINT: Colour = RGBColor(0x6b, 0x77, 0x85);
pub(super) const WHITE: Colour = RGBColor(0xff, 0xff, 0xff);

/// Which end of a text its place is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Align {
    Left,
    Middle,
    Right,
}

#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// A filled rectangle.
    Fill { x: i32, y: i32, width: i32, height: i32, colour: Colour },
    /// A level or upright line, `width` pixels wide; dashed if asked.
    Line { from: (i32, i32), to: (i32, i32), width: i32, dashed: bool, colour: Colour },
    /// A text whose capitals are centred on `y`; read from below if `upright`.
    Text {
        x: i32,
        y: i32,
        text: String,
        face: Face,
        size: i32,
        align: Align,
        upright: bool,
        colour: Colour,
    },
}

/// A drawing.
#[derive(Debug, Default)]
pub(super) struct Scene {
    pub width: i32,
    pub height: i32,
    pub shapes: Vec<Shape>,
}

impl Scene {
    pub fn fill(&mut self, x: i32, y: i32, width: i32, height: i32, colour: Colour) {
        self.shapes.push(Shape::Fill { x, y, width, height, colour });
    }

    pub fn line(&mut self, from: (i32, i32), to: (i32, i32), width: i32, colour: Colour) {
        self.shapes.push(Shape::Line { from, to, width, dashed: false, colour });
    }

    /// A rectangle's border.
    pub fn frame(&mut self, at: (i32, i32), size: (i32, i32), dashed: bool, colour: Colour) {
        let ((x, y), (right, bottom)) = (at, (at.0 + size.0, at.1 + size.1));
        for (from, to) in [
            ((x, y), (right, y)),
            ((x, bottom), (right, bottom)),
            ((x, y), (x, bottom)),
            ((right, y), (right, bottom)),
        ] {
            self.shapes.push(Shape::Line { from, to, width: 1, dashed, colour });
        }
    }

    pub fn text(
        &mut self,
        (x, y): (i32, i32),
        text: &str,
        face: Face,
        size: i32,
        align: Align,
        colour: Colour,
    ) {
        let (text, upright) = (text.to_owned(), false);
        self.shapes.push(Shape::Text { x, y, text, face, size, align, upright, colour });
    }

    /// As SVG 1.1.
    pub fn svg(&self) -> Result<String, PlotError> {
        register_fonts()?;
        let mut svg = String::new();
        let size = (self.width.max(1) as u32, self.height.max(1) as u32);
        let mut backend = SVGBackend::with_string(&mut svg, size);
        // SVG's font size is the em; plotters divides by 1.24 to get there, and puts the baseline
        // of text anchored at the top 0.76 em below.
        self.paint(&mut backend, &Metrics { scale: 1, size_of_em: 1.24, baseline: 0.76 })?;
        drop(backend);
        Ok(svg)
    }

    /// As PNG, at three pixels for one where that is not too large to hold.
    pub fn png(&self) -> Result<Vec<u8>, PlotError> {
        const MOST_PIXELS: i64 = 60_000_000;
        register_fonts()?;
        let (width, height) = (self.width.max(1), self.height.max(1));
        let pixels = i64::from(width) * i64::from(height);
        let Some(scale) = (1..=3).rev().find(|scale| pixels * scale * scale <= MOST_PIXELS) else {
            return Err(PlotError::TooLarge { width, height });
        };
        let scale = scale as i32;
        let scratch = tempfile::tempdir().map_err(PlotError::Scratch)?;
        let path = scratch.path().join("drawing.png");
        let size = ((width * scale) as u32, (height * scale) as u32);
        let mut backend = BitMapBackend::new(&path, size);
        // The bitmap back end scales ascent and descent together to the size, and puts the
        // baseline half the size below the top.
        let size_of_em = em_height();
        self.paint(&mut backend, &Metrics { scale, size_of_em, baseline: size_of_em / 2.0 })?;
        drop(backend);
        std::fs::read(&path).map_err(PlotError::Scratch)
    }

    fn paint<B: DrawingBackend>(
        &self,
        backend: &mut B,
        metrics: &Metrics,
    ) -> Result<(), PlotError> {
        let failed =
            |error: &dyn std::fmt::Display| PlotError::Plotters { message: error.to_string() };
        let s = metrics.scale;
        let whole = ShapeStyle { color: WHITE.into(), filled: true, stroke_width: 0 };
        backend
            .draw_rect((0, 0), (self.width * s, self.height * s), &whole, true)
            .map_err(|error| failed(&error))?;
        for shape in &self.shapes {
            match shape {
                Shape::Fill { x, y, width, height, colour } => backend.draw_rect(
                    (x * s, y * s),
                    ((x + width) * s, (y + height) * s),
                    colour,
                    true,
                ),
                Shape::Line { from, to, width, dashed, colour } => {
                    let dash = if *dashed { Some(4) } else { None };
                    pieces(*from, *to, *width, dash).into_iter().try_for_each(|(a, b)| {
                        backend.draw_rect((a.0 * s, a.1 * s), (b.0 * s, b.1 * s), colour, true)
                    })
                }
                Shape::Text { x, y, text, face, size, align, upright, colour } => {
                    let (style, drop) = metrics.text_style(*face, *size, *align, *upright, *colour);
                    let at = if *upright { (x * s - drop, y * s) } else { (x * s, y * s - drop) };
                    // SVG would put a run of spaces together to one.
                    backend.draw_text(&text.replace(' ', "\u{a0}"), &style, at)
                }
            }
            .map_err(|error| failed(&error))?;
        }
        backend.present().map_err(|error| failed(&error))
    }
}

/// How a back end takes sizes and places of text.
struct Metrics {
    /// Pixels of the back end for one of the scene.
    scale: i32,
    /// Font size, as the back end has it, of text with an em of 1.
    size_of_em: f64,
    /// Distance of the baseline from the top of the text, in em.
    baseline: f64,
}

impl Metrics {
    /// The style, and how far above the middle of the capitals the text's top is.
    fn text_style(
        &self,
        face: Face,
        size: i32,
        align: Align,
        upright: bool,
        colour: Colour,
    ) -> (TextStyle<'static>, i32) {
        /// Height of capitals in DejaVu, in em.
        const CAPITALS: f64 = 0.729;
        let em = f64::from(size * self.scale);
        let (family, style) = family(face);
        let transform = if upright { FontTransform::Rotate270 } else { FontTransform::None };
        let font = (family, em * self.size_of_em, style).into_font().transform(transform);
        let h_pos = match align {
            Align::Left => HPos::Left,
            Align::Middle => HPos::Center,
            Align::Right => HPos::Right,
        };
        let drop = ((self.baseline - CAPITALS / 2.0) * em).round() as i32;
        let mut style = TextStyle::from(font);
        style.color = colour.to_backend_color();
        style.pos = Pos::new(h_pos, VPos::Top);
        (style, drop)
    }
}

/// The rectangles that make up a level or upright line.
fn pieces(
    from: (i32, i32),
    to: (i32, i32),
    width: i32,
    dash: Option<i32>,
) -> Vec<((i32, i32), (i32, i32))> {
    let level = from.1 == to.1;
    let (start, end, across) = if level {
        (from.0.min(to.0), from.0.max(to.0), from.1)
    } else {
        (from.1.min(to.1), from.1.max(to.1), from.0)
    };
    let side = across - width / 2;
    let length = dash.unwrap_or((end - start).max(1));
    let mut pieces = Vec::new();
    let mut at = start;
    while at < end {
        let stop = (at + length).min(end);
        pieces.push(if level {
            ((at, side), (stop, side + width))
        } else {
            ((side, at), (side + width, stop))
        });
        at = stop + dash.map_or(0, |dash| dash * 3 / 4);
    }
    pieces
}

fn family(face: Face) -> (FontFamily<'static>, FontStyle) {
    match face {
        Face::Bold => (FontFamily::SansSerif, FontStyle::Bold),
        Face::Plain | Face::Faint => (FontFamily::SansSerif, FontStyle::Normal),
        Face::Mono => (FontFamily::Monospace, FontStyle::Normal),
    }
}

fn file(face: Face) -> &'static [u8] {
    match face {
        Face::Bold => dejavu::sans::bold(),
        Face::Plain | Face::Faint => dejavu::sans::regular(),
        Face::Mono => dejavu::sans_mono::regular(),
    }
}

fn register_fonts() -> Result<(), PlotError> {
    static DONE: OnceLock<bool> = OnceLock::new();
    let done = DONE.get_or_init(|| {
        [Face::Bold, Face::Plain, Face::Mono].into_iter().all(|face| {
            let (family, style) = family(face);
            register_font(family.as_str(), style, file(face)).is_ok()
        })
    });
    if *done { Ok(()) } else { Err(PlotError::Font) }
}

fn font(face: Face) -> Option<&'static FontRef<'static>> {
    static FONTS: OnceLock<[Option<FontRef<'static>>; 3]> = OnceLock::new();
    let fonts = FONTS.get_or_init(|| {
        [Face::Bold, Face::Plain, Face::Mono].map(|face| FontRef::try_from_slice(file(face)).ok())
    });
    let index = match face {
        Face::Bold => 0,
        Face::Plain | Face::Faint => 1,
        Face::Mono => 2,
    };
    fonts[index].as_ref()
}

/// Ascent and descent together, in em.
fn em_height() -> f64 {
    font(Face::Plain).map_or(1.164, |font| {
        f64::from(font.height_unscaled() / font.units_per_em().unwrap_or(2048.0))
    })
}

/// Width of a text in pixels at an em of `size` pixels, rounded up.
pub(super) fn text_width(text: &str, face: Face, size: i32) -> i32 {
    let Some(font) = font(face) else { return text.chars().count() as i32 * size };
    let height = font.height_unscaled() / font.units_per_em().unwrap_or(2048.0);
    let scaled = font.as_scaled(PxScale::from(size as f32 * height));
    let advance = |c| scaled.h_advance(scaled.glyph_id(c));
    text.chars().map(advance).sum::<f32>().ceil() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fonts_are_carried_along() {
        register_fonts().unwrap();
        assert!(text_width("WWWW", Face::Plain, 10) > text_width("iiii", Face::Plain, 10));
        assert_eq!(text_width("WWWW", Face::Mono, 10), text_width("iiii", Face::Mono, 10));
        for c in "≡–…·▸".chars() {
            let font = font(Face::Plain).unwrap();
            assert_ne!(font.glyph_id(c).0, 0, "DejaVu has no {c}");
        }
    }

    #[test]
    fn dashes_end_where_the_line_ends() {
        let pieces = pieces((0, 5), (20, 5), 1, Some(4));
        assert_eq!(pieces, [((0, 5), (4, 6)), ((7, 5), (11, 6)), ((14, 5), (18, 6))]);
        assert_eq!(super::pieces((3, 9), (3, 1), 2, None), [((2, 1), (4, 9))]);
    }

    #[test]
    fn a_drawing_too_large_is_an_error() {
        let scene = Scene { width: 100_000, height: 100_000, shapes: Vec::new() };
        assert!(matches!(scene.png(), Err(PlotError::TooLarge { .. })));
    }
}
