//! Paints drawings as PDF (ISO 32000-1), on one page of their size. The glyphs of DejaVu that a
//! drawing uses are embedded, and its texts can be searched and copied.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use ab_glyph::{Font as _, GlyphId};
use flate2::{Compression, write::ZlibEncoder};
use pdf_writer::{
    Content, Filter, Finish, Name, Pdf, Rect, Ref, Str,
    types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap},
};
use subsetter::GlyphRemapper;

use super::{
    error::PlotError,
    layout::Face,
    scene::{Align, CAPITALS, Colour, Scene, Shape, Text, WHITE, failed, file, font, pieces},
};

/// Points (1/72 inch) of a pixel (1/96 inch).
const POINTS: f32 = 0.75;
/// The largest width or height of a page, in points, that readers have to know.
const MOST_POINTS: f32 = 14_400.0;
/// The encoding of texts: each glyph by its number, in two bytes.
const IDENTITY: Name<'static> = Name(b"Identity-H");
/// The meaning of the numbers of glyphs: they have none outside the document.
const SYSTEM: SystemInfo<'static> =
    SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

impl Scene {
    /// Paints the drawing as PDF. Its pixels are 1/96 inch large, or smaller if the page would be
    /// too large.
    ///
    /// # Errors
    /// See [`PlotError`].
    pub fn pdf(&self) -> Result<Vec<u8>, PlotError> {
        let (width, height) = (self.width.max(1) as f32, self.height.max(1) as f32);
        let scale = POINTS.min(MOST_POINTS / width.max(height));
        let fonts = Fonts::of(self)?;
        let mut content = Content::new();
        // From here on, units are pixels, and y grows downwards.
        content.transform([scale, 0.0, 0.0, -scale, 0.0, height * scale]);
        fill(&mut content, (0, 0), (self.width, self.height), WHITE);
        for shape in &self.shapes {
            match shape {
                Shape::Fill { x, y, width, height, colour } => {
                    fill(&mut content, (*x, *y), (x + width, y + height), *colour);
                }
                Shape::Line { from, to, width, dashed, colour } => {
                    for (a, b) in pieces(*from, *to, *width, dashed.then_some(4)) {
                        fill(&mut content, a, b, *colour);
                    }
                }
                Shape::Text(text) => fonts.show(&mut content, text)?,
            }
        }
        let size = Rect::new(0.0, 0.0, width * scale, height * scale);
        fonts.document(size, &packed(&content.finish())?)
    }
}

fn fill(content: &mut Content, from: (i32, i32), to: (i32, i32), colour: Colour) {
    let (width, height) = (to.0 - from.0, to.1 - from.1);
    colour_of(content, colour);
    content.rect(from.0 as f32, from.1 as f32, width as f32, height as f32).fill_nonzero();
}

fn colour_of(content: &mut Content, colour: Colour) {
    let [red, green, blue] = [colour.0, colour.1, colour.2].map(|part: u8| f32::from(part) / 255.0);
    content.set_fill_rgb(red, green, blue);
}

fn packed(bytes: &[u8]) -> Result<Vec<u8>, PlotError> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let packed: io::Result<Vec<u8>> = encoder.write_all(bytes).and_then(|()| encoder.finish());
    packed.map_err(failed)
}

/// The fonts of a document, by the faces that have them.
#[derive(Default)]
struct Fonts(BTreeMap<Face, Used>);

/// The face that has the font of `face`: faces that differ only in colour have one font.
fn with_font(face: Face) -> Face {
    match face {
        Face::Faint => Face::Plain,
        face => face,
    }
}

/// A font, and the glyphs of it that a document shows.
struct Used {
    face: Face,
    name: String,
    characters: BTreeMap<char, GlyphId>,
    /// The numbers of the glyphs in the document.
    glyphs: GlyphRemapper,
}

impl Fonts {
    /// The fonts of the texts of a drawing.
    fn of(scene: &Scene) -> Result<Self, PlotError> {
        let mut fonts = Self::default();
        for shape in &scene.shapes {
            let Shape::Text(text) = shape else { continue };
            let number = fonts.0.len();
            let used = fonts.0.entry(with_font(text.face)).or_insert_with(|| Used {
                face: text.face,
                name: format!("F{number}"),
                characters: BTreeMap::new(),
                glyphs: GlyphRemapper::new(),
            });
            let font = font(text.face)?;
            for c in text.text.chars() {
                let glyph = *used.characters.entry(c).or_insert_with(|| font.glyph_id(c));
                used.glyphs.remap(glyph.0);
            }
        }
        Ok(fonts)
    }

    fn show(&self, content: &mut Content, text: &Text) -> Result<(), PlotError> {
        let Some(used) = self.0.get(&with_font(text.face)) else { return Ok(()) };
        let font = font(text.face)?;
        let size = text.size as f32;
        let mut encoded = Vec::new();
        let mut width = 0.0;
        for c in text.text.chars() {
            let glyph = font.glyph_id(c);
            let number = used.glyphs.get(glyph.0).unwrap_or_default();
            encoded.extend(number.to_be_bytes());
            width += advance(font, glyph) * size;
        }
        let start = match text.align {
            Align::Left => 0.0,
            Align::Middle => -width / 2.0,
            Align::Right => -width,
        };
        let (x, y, baseline) = (text.x as f32, text.y as f32, CAPITALS * size / 2.0);
        colour_of(content, text.colour);
        content.begin_text().set_font(Name(used.name.as_bytes()), size);
        content.set_text_matrix(if text.upright {
            [0.0, -1.0, -1.0, 0.0, x + baseline, y - start]
        } else {
            [1.0, 0.0, 0.0, -1.0, x + start, y + baseline]
        });
        content.show(Str(&encoded)).end_text();
        Ok(())
    }

    /// A document with one page of `size` and this packed `content`.
    fn document(&self, size: Rect, content: &[u8]) -> Result<Vec<u8>, PlotError> {
        let mut pdf = Pdf::new();
        let mut free = Ref::new(1);
        let [catalog, pages, page, stream] = std::array::from_fn(|_| free.bump());
        pdf.catalog(catalog).pages(pages);
        pdf.pages(pages).kids([page]).count(1);
        let fonts: Vec<(&Used, Ref)> = self.0.values().map(|used| (used, free.bump())).collect();
        let mut entry = pdf.page(page);
        entry.parent(pages).media_box(size).contents(stream);
        let mut resources = entry.resources();
        let mut dictionary = resources.fonts();
        for (used, font) in &fonts {
            dictionary.pair(Name(used.name.as_bytes()), *font);
        }
        dictionary.finish();
        resources.finish();
        entry.finish();
        pdf.stream(stream, content).filter(Filter::FlateDecode);
        for (used, font) in fonts {
            used.embed(&mut pdf, font, &mut free)?;
        }
        Ok(pdf.finish())
    }
}

impl Used {
    /// Writes the font, and all that belongs to it, to a document.
    fn embed(&self, pdf: &mut Pdf, place: Ref, free: &mut Ref) -> Result<(), PlotError> {
        let font = font(self.face)?;
        let [cid, descriptor, map, data] = std::array::from_fn(|_| free.bump());
        let name = format!("PSYCHC+DejaVu-{}", self.name);
        let name = Name(name.as_bytes());
        pdf.type0_font(place)
            .base_font(name)
            .encoding_predefined(IDENTITY)
            .descendant_font(cid)
            .to_unicode(map);
        let mut entry = pdf.cid_font(cid);
        entry.subtype(CidFontType::Type2).base_font(name).system_info(SYSTEM);
        entry.font_descriptor(descriptor).cid_to_gid_map_predefined(Name(b"Identity"));
        let widths =
            self.glyphs.remapped_gids().map(|glyph| advance(font, GlyphId(glyph)) * 1000.0);
        entry.widths().consecutive(0, widths);
        entry.finish();
        let em = font.units_per_em().unwrap_or(2048.0);
        let (ascent, descent) =
            (font.ascent_unscaled() / em * 1000.0, font.descent_unscaled() / em * 1000.0);
        pdf.font_descriptor(descriptor)
            .name(name)
            .flags(FontFlags::SYMBOLIC)
            .bbox(Rect::new(-1000.0, descent, 2000.0, ascent))
            .italic_angle(0.0)
            .ascent(ascent)
            .descent(descent)
            .cap_height(CAPITALS * 1000.0)
            .stem_v(if self.face == Face::Bold { 160.0 } else { 90.0 })
            .font_file2(data);
        let mut unicode = UnicodeCmap::new(Name(b"Psychic"), SYSTEM);
        for (c, glyph) in &self.characters {
            unicode.pair(self.glyphs.get(glyph.0).unwrap_or_default(), *c);
        }
        pdf.stream(map, &packed(&unicode.finish())?).filter(Filter::FlateDecode);
        let subset = subsetter::subset(file(self.face), 0, &self.glyphs).map_err(failed)?;
        let packed = packed(&subset)?;
        let mut stream = pdf.stream(data, &packed);
        stream.filter(Filter::FlateDecode).pair(Name(b"Length1"), subset.len() as i32);
        Ok(())
    }
}

/// The width of a glyph, as a part of the em.
fn advance(font: &impl ab_glyph::Font, glyph: GlyphId) -> f32 {
    font.h_advance_unscaled(glyph) / font.units_per_em().unwrap_or(2048.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::scene::INK;

    #[test]
    fn only_glyphs_that_are_shown_are_embedded() {
        let mut scene = Scene { width: 100, height: 40, shapes: Vec::new() };
        let empty = scene.pdf().unwrap();
        assert!(empty.starts_with(b"%PDF-") && empty.len() < 1000, "{}", empty.len());
        scene.text((5, 20), "a ≡ a", Face::Plain, 11, Align::Left, INK);
        scene.text((5, 30), "a", Face::Faint, 11, Align::Left, INK);
        let pdf = scene.pdf().unwrap();
        let fonts = |pdf: &[u8]| pdf.windows(10).filter(|part| *part == b"/FontFile2").count();
        assert_eq!(fonts(&pdf), 1);
        assert!(pdf.len() < 20_000, "{}", pdf.len());
        scene.text((5, 30), "a", Face::Mono, 11, Align::Left, INK);
        assert_eq!(fonts(&scene.pdf().unwrap()), 2);
    }
}
