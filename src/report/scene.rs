//! Drawings: shapes in pixels, which plotters paints as SVG or PNG, and `pdf` as PDF.
//!
//! Every line is horizontal or vertical, so that both back ends draw it sharply. Text is measured
//! and painted with DejaVu, which is built into the program: no font of the system is needed. SVG
//! names only the generic font families; as DejaVu is wide, other fonts fit wherever it does.

use std::sync::OnceLock;

use ab_glyph::{Font as _, FontRef, PxScale, ScaleFont as _, point};
use plotters::{
    prelude::{BitMapBackend, DrawingBackend, RGBColor, SVGBackend, ShapeStyle},
    style::{
        Color as _, FontFamily, FontStyle, FontTransform, IntoFont as _, TextStyle,
        text_anchor::{HPos, Pos, VPos},
    },
};

use super::{error::PlotError, layout::Face};

/// A colour.
pub(super) type Colour = RGBColor;

pub(super) const INK: Colour = RGBColor(0x1f, 0x29, 0x33);
pub(super) const FAINT: Colour = RGBColor(0x6b, 0x77, 0x85);
pub(super) const WHITE: Colour = RGBColor(0xff, 0xff, 0xff);

/// The part of a text that its place refers to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Align {
    Left,
    Middle,
    Right,
}

/// A text whose capitals are centred on `y`, or if `upright`, on `x`; an upright text reads from
/// bottom to top.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub x: i32,
    pub y: i32,
    pub text: String,
    pub face: Face,
    /// Size of the em, in pixels.
    pub size: i32,
    pub align: Align,
    pub upright: bool,
    pub colour: Colour,
}

#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// A filled rectangle.
    Fill {
        x: i32,
        y: i32,
        width: i32,
        height: i32,
        colour: Colour,
    },
    /// A horizontal or vertical line, `width` pixels wide.
    Line {
        from: (i32, i32),
        to: (i32, i32),
        width: i32,
        dashed: bool,
        colour: Colour,
    },
    Text(Text),
}

/// A drawing.
#[derive(Debug, Default)]
pub struct Scene {
    pub(super) width: i32,
    pub(super) height: i32,
    pub(super) shapes: Vec<Shape>,
}

impl Scene {
    pub(super) fn fill(&mut self, x: i32, y: i32, width: i32, height: i32, colour: Colour) {
        self.shapes.push(Shape::Fill { x, y, width, height, colour });
    }

    pub(super) fn line(&mut self, from: (i32, i32), to: (i32, i32), width: i32, colour: Colour) {
        self.shapes.push(Shape::Line { from, to, width, dashed: false, colour });
    }

    /// Adds the border of a rectangle.
    pub(super) fn frame(&mut self, at: (i32, i32), size: (i32, i32), dashed: bool, colour: Colour) {
        let ((x, y), (right, bottom)) = (at, (at.0 + size.0, at.1 + size.1));
        for (from, to) in [
            ((x, y), (right, y)),
            ((x, bottom), (right + 1, bottom)),
            ((x, y), (x, bottom)),
            ((right, y), (right, bottom)),
        ] {
            self.shapes.push(Shape::Line { from, to, width: 1, dashed, colour });
        }
    }

    pub(super) fn text(
        &mut self,
        (x, y): (i32, i32),
        text: &str,
        face: Face,
        size: i32,
        align: Align,
        colour: Colour,
    ) {
        let (text, upright) = (text.to_owned(), false);
        self.shapes.push(Shape::Text(Text { x, y, text, face, size, align, upright, colour }));
    }

    /// Paints the drawing as SVG 1.1.
    ///
    /// # Errors
    /// See [`PlotError`].
    pub fn svg(&self) -> Result<String, PlotError> {
        let mut svg = String::new();
        let size = (self.width.max(1) as u32, self.height.max(1) as u32);
        let mut backend = SVGBackend::with_string(&mut svg, size);
        let white = ShapeStyle { color: WHITE.into(), filled: true, stroke_width: 0 };
        backend.draw_rect((0, 0), (self.width, self.height), &white, true).map_err(failed)?;
        self.paint(&mut backend, 1, svg_text)?;
        drop(backend);
        Ok(svg)
    }

    /// Paints the drawing as PNG, at twice its size (300 dpi on the width of a page) unless it
    /// would then have more pixels than a page.
    ///
    /// # Errors
    /// [`PlotError::TooLarge`] if it has too many even at its own size; see [`PlotError`] for
    /// others.
    pub fn png(&self) -> Result<Vec<u8>, PlotError> {
        const MOST_PIXELS: i64 = 60_000_000;
        // A page of A4 at 300 dpi.
        const PAGE: i64 = 2480 * 3508;
        let (width, height) = (self.width.max(1), self.height.max(1));
        let pixels = i64::from(width) * i64::from(height);
        if pixels > MOST_PIXELS {
            return Err(PlotError::TooLarge { width, height });
        }
        let scale = if 4 * pixels <= PAGE { 2 } else { 1 };
        let size = ((width * scale) as u32, (height * scale) as u32);
        let mut rgb = vec![u8::MAX; pixels as usize * (scale * scale * 3) as usize];
        let mut backend = BitMapBackend::with_buffer(&mut rgb, size);
        self.paint(&mut backend, scale, |backend, text| bitmap_text(backend, text, scale))?;
        drop(backend);
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, size.0, size.1);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_compression(png::Compression::Fast);
        // Most rows of pixels equal the row above.
        encoder.set_filter(png::Filter::Up);
        let mut writer = encoder.write_header().map_err(failed)?;
        writer.write_image_data(&rgb).map_err(failed)?;
        writer.finish().map_err(failed)?;
        Ok(file)
    }

    fn paint<B: DrawingBackend>(
        &self,
        backend: &mut B,
        scale: i32,
        draw_text: impl Fn(&mut B, &Text) -> Result<(), PlotError>,
    ) -> Result<(), PlotError> {
        let s = scale;
        for shape in &self.shapes {
            match shape {
                Shape::Fill { x, y, width, height, colour } => {
                    let (right, bottom) = (x + width, y + height);
                    backend
                        .draw_rect((x * s, y * s), (right * s, bottom * s), colour, true)
                        .map_err(failed)?;
                }
                Shape::Line { from, to, width, dashed, colour } => {
                    let dash = if *dashed { Some(4) } else { None };
                    for (a, b) in pieces(*from, *to, *width, dash) {
                        backend
                            .draw_rect((a.0 * s, a.1 * s), (b.0 * s, b.1 * s), colour, true)
                            .map_err(failed)?;
                    }
                }
                Shape::Text(text) => draw_text(backend, text)?,
            }
        }
        backend.present().map_err(failed)
    }
}

pub(super) fn failed(error: impl std::fmt::Display) -> PlotError {
    PlotError::Drawing { message: error.to_string() }
}

/// Height of capitals in DejaVu, as a part of the em.
pub(super) const CAPITALS: f32 = 0.729;

fn svg_text(backend: &mut SVGBackend<'_>, text: &Text) -> Result<(), PlotError> {
    // plotters divides the size by this to get the em, and puts the baseline of text anchored at
    // its top 0.76 em lower.
    const SIZE_OF_EM: f64 = 1.24;
    const BASELINE: f32 = 0.76;
    let (family, style) = family(text.face);
    let transform = if text.upright { FontTransform::Rotate270 } else { FontTransform::None };
    let size = f64::from(text.size) * SIZE_OF_EM;
    let mut style = TextStyle::from((family, size, style).into_font().transform(transform));
    style.color = text.colour.to_backend_color();
    let h_pos = match text.align {
        Align::Left => HPos::Left,
        Align::Middle => HPos::Center,
        Align::Right => HPos::Right,
    };
    style.pos = Pos::new(h_pos, VPos::Top);
    let rise = ((BASELINE - CAPITALS / 2.0) * text.size as f32).round() as i32;
    let at = if text.upright { (text.x - rise, text.y) } else { (text.x, text.y - rise) };
    // Runs of plain spaces would be collapsed to one.
    backend.draw_text(&text.text.replace(' ', "\u{a0}"), &style, at).map_err(failed)
}

/// Draws a text glyph by glyph, because plotters 0.3 ignores the space to the left of a glyph (its
/// bearing).
fn bitmap_text(backend: &mut BitMapBackend<'_>, text: &Text, scale: i32) -> Result<(), PlotError> {
    let font = font(text.face)?;
    let em = (text.size * scale) as f32;
    let scaled = font.as_scaled(PxScale::from(em * height_in_em(font)));
    let width: f32 = text.text.chars().map(|c| scaled.h_advance(scaled.glyph_id(c))).sum();
    let start = match text.align {
        Align::Left => 0.0,
        Align::Middle => -width / 2.0,
        Align::Right => -width,
    };
    let (x, y) = ((text.x * scale) as f32, (text.y * scale) as f32);
    let baseline = (CAPITALS * em / 2.0).round();
    let mut along = start;
    for c in text.text.chars() {
        let id = scaled.glyph_id(c);
        let advance = scaled.h_advance(id);
        let mut pixels = Vec::new();
        if let Some(outline) =
            font.outline_glyph(id.with_scale_and_position(scaled.scale(), point(along, baseline)))
        {
            let corner = outline.px_bounds().min;
            outline.draw(|right, down, cover| {
                let (right, down) = (corner.x + right as f32, corner.y + down as f32);
                let at = if text.upright { (x + down, y - right) } else { (x + right, y + down) };
                pixels.push(((at.0.round() as i32, at.1.round() as i32), cover));
            });
        }
        for (at, cover) in pixels {
            let mut colour = text.colour.to_backend_color();
            colour.alpha = f64::from(cover.clamp(0.0, 1.0));
            backend.draw_pixel(at, colour).map_err(failed)?;
        }
        along += advance;
    }
    Ok(())
}

/// The rectangles that make up a horizontal or vertical line.
pub(super) fn pieces(
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

pub(super) fn file(face: Face) -> &'static [u8] {
    match face {
        Face::Bold => dejavu::sans::bold(),
        Face::Plain | Face::Faint => dejavu::sans::regular(),
        Face::Mono => dejavu::sans_mono::regular(),
    }
}

pub(super) fn font(face: Face) -> Result<&'static FontRef<'static>, PlotError> {
    static FONTS: OnceLock<[Option<FontRef<'static>>; 3]> = OnceLock::new();
    let fonts = FONTS.get_or_init(|| {
        [Face::Bold, Face::Plain, Face::Mono].map(|face| FontRef::try_from_slice(file(face)).ok())
    });
    let index = match face {
        Face::Bold => 0,
        Face::Plain | Face::Faint => 1,
        Face::Mono => 2,
    };
    fonts[index].as_ref().ok_or(PlotError::Font)
}

/// Ascent and descent together, as a multiple of the em: ab_glyph calls this the size of a font.
fn height_in_em(font: &FontRef<'_>) -> f32 {
    font.height_unscaled() / font.units_per_em().unwrap_or(2048.0)
}

/// Width of a text in pixels at an em of `size` pixels, rounded up.
pub(super) fn text_width(text: &str, face: Face, size: i32) -> i32 {
    // Without its font, no picture will be drawn, so any width will do.
    let Ok(font) = font(face) else { return text.chars().count() as i32 * size };
    let scaled = font.as_scaled(PxScale::from(size as f32 * height_in_em(font)));
    let advance = |c| scaled.h_advance(scaled.glyph_id(c));
    text.chars().map(advance).sum::<f32>().ceil() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fonts_are_carried_along() {
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
