//! Projects a meta text onto one revision.
//!
//! This checks the whole merge. It knows nothing of edits, versions or syntax trees, only the
//! emitted text and the few forms that psychic adds to a program. It reads the choosers in that
//! text, takes the arms that they choose, and compares tokens.

use std::collections::HashMap;

use crate::subject::Revision;

use super::{
    source::Source,
    token::{self, Token, TokenKind},
};

/// A meta text, read once for all revisions.
pub(super) struct Projection<'a> {
    meta: &'a str,
    tokens: Vec<Token>,
    /// The text of each token.
    words: Vec<&'a str>,
    /// The text of each token without the suffix of a revision.
    names: Vec<&'a str>,
    /// Index of the first token after the choosers.
    begin: usize,
    /// For each site, the arm of each revision that does not take the original's.
    choices: HashMap<&'a str, HashMap<&'a str, &'a str>>,
}

impl<'a> Projection<'a> {
    /// Reads a meta text and its choosers.
    ///
    /// # Errors
    /// The include line or a chooser at the start is malformed.
    pub(super) fn new(meta: &'a str) -> Result<Self, String> {
        let tokens: Vec<Token> = token::lex(meta)
            .into_iter()
            .filter(|t| t.kind != TokenKind::Comment || t.text(meta).starts_with(MARK))
            .collect();
        let words: Vec<&str> = tokens.iter().map(|token| token.text(meta)).collect();
        let name = |word: &&'a str| word.rsplit_once(SUFFIX).map_or(*word, |(name, _)| name);
        let names = words.iter().map(name).collect();
        let mut new = Self { meta, tokens, words, names, begin: 0, choices: HashMap::new() };
        let mut reader = new.projector(Revision::ORIGINAL);
        let choices = reader.choosers()?;
        (new.begin, new.choices) = (reader.at, choices);
        Ok(new)
    }

    fn projector(&self, revision: Revision) -> Projector<'_, 'a> {
        let out = Vec::with_capacity(self.words.len());
        Projector { of: self, at: self.begin, revision: revision.to_string(), out }
    }

    /// The indices of the text's tokens for a revision.
    ///
    /// # Errors
    /// Something in the text looks like a form that psychic adds, but is malformed.
    fn tokens_of(&self, revision: Revision) -> Result<Vec<usize>, String> {
        let mut projector = self.projector(revision);
        projector.copy(self.words.len())?;
        Ok(projector.out)
    }

    /// Checks that the projection of the text onto a revision is `patched`.
    ///
    /// # Errors
    /// It is not: says where the token sequences first differ.
    pub(super) fn check(&self, revision: Revision, patched: &Source) -> Result<(), String> {
        let projected = self.tokens_of(revision)?;
        let mut expected = 0..patched.length();
        for word in projected.into_iter().map(|index| self.names[index]) {
            match expected.next() {
                Some(token) if patched.token(token) == word => {}
                Some(token) => {
                    let (line, text) = (patched.line(token), patched.token(token));
                    return Err(format!("line {line} has `{text}`, the meta program `{word}`"));
                }
                None => return Err(format!("the meta program has a further `{word}`")),
            }
        }
        match expected.next() {
            None => Ok(()),
            Some(token) => {
                let (line, text) = (patched.line(token), patched.token(token));
                Err(format!("line {line}: the meta program lacks `{text}`"))
            }
        }
    }
}

/// For each line of a meta text, the line in a revision's text of the revision's first token on
/// that line or after it. Lines are from 1, and the first entry is that of line 1. `None` if the
/// revision's text is not the projection of the meta text.
pub fn lines(meta: &str, revision: Revision, text: &str) -> Option<Vec<u32>> {
    if meta == text {
        return Some((1..).take(text.lines().count()).collect());
    }
    let projection = Projection::new(meta).ok()?;
    let source = Source::new(text);
    projection.check(revision, &source).ok()?;
    let own = projection.tokens_of(revision).ok()?;
    let mut own =
        own.into_iter().map(|index| projection.tokens[index].start).enumerate().peekable();
    let mut begin = 0;
    let mut known = Lines { text, offset: 0, line: 1 };
    let lines = meta.split_inclusive('\n').map(|line| {
        while own.next_if(|(_, start)| *start < begin).is_some() {}
        begin += line.len();
        let at = own.peek().map_or(text.len(), |(token, _)| source.start(*token));
        known.of(at)
    });
    Some(lines.collect())
}

/// The lines of places in a text, which are asked for in ascending order.
struct Lines<'t> {
    text: &'t str,
    offset: usize,
    line: u32,
}

impl Lines<'_> {
    /// The line of a byte offset.
    fn of(&mut self, offset: usize) -> u32 {
        let passed = &self.text.as_bytes()[self.offset..offset];
        self.line += passed.iter().filter(|byte| **byte == b'\n').count() as u32;
        self.offset = offset;
        self.line
    }
}

/// Start of the comments that mark items of some revisions only.
const MARK: &str = "/* psychic: ";
/// Separates a name that was renamed for a revision from the number of that revision.
pub(super) const SUFFIX: &str = "__psychic_";

/// Whether a token would be mistaken for one that psychic adds.
pub(super) fn is_reserved(token: &Token, text: &str) -> bool {
    match token.kind {
        TokenKind::Comment => text.starts_with(MARK),
        TokenKind::Identifier => text.starts_with("psychic_at_") || text.contains(SUFFIX),
        _ => false,
    }
}

struct Projector<'p, 'a> {
    of: &'p Projection<'a>,
    at: usize,
    /// Its number, as written in the text.
    revision: String,
    /// Indices of tokens.
    out: Vec<usize>,
}

impl<'a> Projector<'_, 'a> {
    fn word(&self, ahead: usize) -> &'a str {
        self.of.words.get(self.at + ahead).copied().unwrap_or_default()
    }

    fn expect(&mut self, words: &[&str]) -> Result<(), String> {
        for word in words {
            if self.word(0) != *word {
                let start = self.of.tokens.get(self.at).map_or(self.of.meta.len(), |t| t.start);
                let line = token::line_of(self.of.meta, start);
                let found = self.word(0);
                return Err(format!("meta program, line {line}: `{found}` instead of `{word}`"));
            }
            self.at += 1;
        }
        Ok(())
    }

    fn next(&mut self) -> &'a str {
        let word = self.word(0);
        self.at += 1;
        word
    }

    /// Reads the include line and the `psychic_at_K` functions at the start.
    fn choosers(&mut self) -> Result<HashMap<&'a str, HashMap<&'a str, &'a str>>, String> {
        let mut choices = HashMap::new();
        if self.word(0) != "#" || self.word(2) != "\"psychic.h\"" {
            return Ok(choices);
        }
        self.expect(&["#", "include", "\"psychic.h\"", "\n"])?;
        let is_chooser = |p: &Self| p.word(0) == "static" && p.word(3).starts_with("psychic_at_");
        while is_chooser(self) {
            self.expect(&["static", "inline", "int"])?;
            let site = self.next();
            self.expect(&[
                "(",
                "void",
                ")",
                "{",
                "switch",
                "(",
                "psychic_rev",
                "(",
                ")",
                ")",
                "{",
            ])?;
            let mut arms = HashMap::new();
            while self.word(0) == "case" {
                let mut revisions = Vec::new();
                while self.word(0) == "case" {
                    self.at += 1;
                    revisions.push(self.next());
                    self.expect(&[":"])?;
                }
                self.expect(&["return"])?;
                let arm = self.next();
                self.expect(&[";"])?;
                for revision in revisions {
                    if arms.insert(revision, arm).is_some() {
                        return Err(format!("{site} has revision {revision} twice"));
                    }
                }
            }
            self.expect(&["default", ":", "return", "0", ";", "}", "}"])?;
            choices.insert(site, arms);
        }
        Ok(choices)
    }

    /// Copies tokens up to index `end`, choosing arms on the way.
    fn copy(&mut self, end: usize) -> Result<(), String> {
        while self.at < end {
            let word = self.word(0);
            if word.starts_with(MARK) {
                self.marked()?;
            } else if word == "if" && self.word(1) == "(" && self.is_site(2) {
                self.statement()?;
            } else if word == "(" && self.is_site(1) {
                self.expression()?;
            } else if word == "+" && self.word(1) == "(" && self.is_site(2) {
                self.at += 1;
                self.expression()?;
            } else if word.starts_with("psychic_at_") {
                return Err(format!("`{word}` where no meta branch can be"));
            } else {
                self.out.push(self.at);
                self.at += 1;
            }
        }
        Ok(())
    }

    fn is_site(&self, ahead: usize) -> bool {
        self.word(ahead).starts_with("psychic_at_")
    }

    /// Reads `psychic_at_K() == R` or `psychic_at_K() < R`, and says whether that holds for this
    /// revision.
    fn arm(&mut self) -> Result<bool, String> {
        let site = self.next();
        self.expect(&["(", ")"])?;
        let (relation, arm) = (self.next(), self.next());
        let Some(arms) = self.of.choices.get(site) else {
            return Err(format!("{site} is not defined"));
        };
        let own = arms.get(&*self.revision).copied().unwrap_or("0");
        match (relation, own.parse::<u32>(), arm.parse::<u32>()) {
            ("==", Ok(own), Ok(arm)) => Ok(own == arm),
            ("<", Ok(own), Ok(arm)) => Ok(own < arm),
            _ => Err(format!("`{site}() {relation} {arm}` is no question for an arm")),
        }
    }

    /// Steps over a pair of brackets, copying their content if `take`.
    fn bracket(&mut self, open: &str, close: &str, take: bool) -> Result<(), String> {
        self.expect(&[open])?;
        self.inside(open, close, take)
    }

    /// Steps over what follows an opening bracket up to the closing one, copying the content if
    /// `take`.
    fn inside(&mut self, open: &str, close: &str, take: bool) -> Result<(), String> {
        let mut depth = 1;
        let mut end = self.at;
        while depth > 0 {
            let Some(word) = self.of.words.get(end) else {
                return Err(format!("`{open}` is not closed"));
            };
            depth += usize::from(*word == open);
            depth -= usize::from(*word == close);
            end += 1;
        }
        if take {
            self.copy(end - 1)?;
        }
        self.at = end - 1;
        self.expect(&[close])
    }

    fn statement(&mut self) -> Result<(), String> {
        let mut taken = false;
        loop {
            if self.word(0) == "if" {
                self.expect(&["if", "("])?;
                let ours = self.arm()? && !taken;
                self.expect(&[")"])?;
                self.block(ours)?;
                taken |= ours;
                // An `else` after an arm belongs to the meta branch: one that stands directly under
                // an `if` of the program has an `else` of its own.
                if self.word(0) != "else" {
                    return Ok(());
                }
                self.at += 1;
            } else {
                return self.block(!taken);
            }
        }
    }

    /// Steps over `{ statements }`, copying the statements if `take`, but not the declaration of
    /// local labels that psychic puts first.
    fn block(&mut self, take: bool) -> Result<(), String> {
        self.expect(&["{"])?;
        if take && self.word(0) == "__label__" {
            while self.next() != ";" {
                if self.at >= self.of.words.len() {
                    return Err("`__label__` without end".into());
                }
            }
        }
        self.inside("{", "}", take)
    }

    fn expression(&mut self) -> Result<(), String> {
        self.expect(&["("])?;
        let mut taken = false;
        while self.is_site(0) {
            let ours = self.arm()? && !taken;
            self.expect(&["?"])?;
            self.operand(ours)?;
            self.expect(&[":"])?;
            taken |= ours;
        }
        self.operand(!taken)?;
        self.expect(&[")"])
    }

    /// Steps over `!!(expression)`, `(void)(expression)` or `(__typeof__(variable))(expression)`,
    /// copying the expression if `take`. It may also be the choice between half of the arms.
    fn operand(&mut self, take: bool) -> Result<(), String> {
        if self.word(0) == "(" && self.is_site(1) {
            return if take { self.expression() } else { self.bracket("(", ")", false) };
        }
        if self.word(1) == "__typeof__" {
            self.expect(&["(", "__typeof__", "("])?;
            self.at += 1;
            self.expect(&[")", ")"])?;
            return self.bracket("(", ")", take);
        }
        if self.word(1) == "void" && self.word(2) == ")" {
            self.expect(&["(", "void", ")"])?;
            return self.bracket("(", ")", take);
        }
        self.expect(&["!", "!"])?;
        self.bracket("(", ")", take)
    }

    /// Steps over `/* psychic: only R... */ items /* psychic: end */`, or `not` instead of `only`,
    /// copying the items if this revision has them.
    fn marked(&mut self) -> Result<(), String> {
        let mark = self.next();
        let text = mark[MARK.len()..].trim_end_matches("*/").trim();
        let (word, revisions) = text.split_once(' ').unwrap_or((text, ""));
        let listed = revisions.split(' ').any(|r| r == self.revision);
        let take = match word {
            "only" => listed,
            "not" => !listed,
            _ => return Err(format!("`{mark}` without a start")),
        };
        let mut depth = 1;
        let mut end = self.at;
        while depth > 0 {
            let Some(token) = self.of.tokens.get(end) else {
                return Err(format!("`{mark}` has no end"));
            };
            if token.kind == TokenKind::Comment {
                let ends = self.of.words[end][MARK.len()..].starts_with("end");
                depth = if ends { depth - 1 } else { depth + 1 };
            }
            end += 1;
        }
        if take {
            self.copy(end - 1)?;
        }
        self.at = end;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const META: &str = "#include \"psychic.h\"
static inline int psychic_at_1(void) {
    switch (psychic_rev()) {
    case 1: case 3: return 1;
    case 2: return 2;
    default: return 0;
    }
}
static inline int psychic_at_2(void) {
    switch (psychic_rev()) {
    case 4: return 4;
    default: return 0;
    }
}
/* psychic: only 1 */ int a; /* psychic: end */
int f(int x) {
    if (psychic_at_1() == 1) { /* 1 3 */
        __label__ out; out: ;
    } else if (psychic_at_1() == 2) {
    } else {
        x = y;
        if (+(psychic_at_2() == 4 ? !!(x) : !!(x - 1))) {}
    }
}
";

    fn check(meta: &str, revision: u32, patched: &str) -> Result<(), String> {
        Projection::new(meta)?.check(Revision(revision), &Source::new(patched))
    }

    #[test]
    fn chooses_by_the_choosers_in_the_text() {
        check(META, 0, "int f(int x) { x = y; if (x - 1) {} }").unwrap();
        check(META, 1, "int a; int f(int x) { out: ; }").unwrap();
        check(META, 2, "int f(int x) { }").unwrap();
        check(META, 3, "int f(int x) { out: ; }").unwrap();
        check(META, 4, "int f(int x) { x = y; if (x) {} }").unwrap();
    }

    #[test]
    fn every_difference_is_seen() {
        let error = |patched: &str| check(META, 2, patched).unwrap_err();
        assert!(error("int f(int x) { } x").contains("lacks `x`"));
        assert!(error("int f(int x) {").contains("a further `}`"));
        assert!(error("int f(int\ny) { }").contains("line 2 has `y`, the meta program `x`"));
        let wrong = META.replace("== 4 ?", "== 4 &&");
        assert!(check(&wrong, 0, "").unwrap_err().contains("instead of `?`"));
        let twice = META.replace("case 2:", "case 1:");
        assert!(check(&twice, 0, "").unwrap_err().contains("twice"));
        let undefined = META.replace("psychic_at_2()", "psychic_at_3()");
        assert!(check(&undefined, 0, "").unwrap_err().contains("not defined"));
    }
}
