//! How many arguments a program takes, judged by the body of its `main`.

use std::fmt;

/// The number of arguments that most programs need, for a `main` that does not say.
const MOST: usize = 2;
/// The greatest number of arguments that `psychic init` writes.
const LIMIT: usize = 32;

/// The least and the greatest number of arguments.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Count {
    least: usize,
    most: usize,
}

impl Count {
    /// `None` if the body does not look at its arguments. The numbers with which it compares `argc`
    /// and by which it asks for elements of `argv` say how many there may be. If the program wants
    /// more than a few, there are that many or one less: with fewer, it would always do the same.
    pub(super) fn of(body: &str) -> Option<Self> {
        if !body.contains("argv") && !body.contains("getopt") {
            return None;
        }
        let compared = numbers_behind(body, "argc", |rest| {
            let rest = rest.trim_start();
            let is_comparison = ["<", ">", "==", "!="].iter().any(|sign| rest.starts_with(sign));
            is_comparison.then(|| rest.trim_start_matches(['<', '>', '=', '!']))
        });
        let asked = numbers_behind(body, "argv", |rest| rest.trim_start().strip_prefix('['));
        let wanted = compared.iter().map(|count| count.saturating_sub(1));
        let most = wanted.clone().chain(asked).filter(|most| *most <= LIMIT).max().unwrap_or(0);
        let least = match wanted.min() {
            Some(least) if most > MOST => least.min(most).saturating_sub(1),
            _ => 0,
        };
        Some(Self { least, most: most.max(MOST) })
    }

    pub(super) fn in_words(self) -> String {
        match (self.least, self.most) {
            (0, 2) => "up to two".to_owned(),
            (0, most) => format!("up to {most}"),
            (least, most) => format!("{least} to {most}"),
        }
    }
}

/// The count as `subject.toml` has it.
impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "count = [{}, {}]", self.least, self.most)
    }
}

/// The numbers behind each occurrence of `word` and what `operator` takes off.
fn numbers_behind<'b>(
    body: &'b str,
    word: &str,
    operator: impl Fn(&'b str) -> Option<&'b str>,
) -> Vec<usize> {
    let number = |rest: &'b str| {
        let rest = operator(rest)?.trim_start();
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        rest[..end].parse().ok()
    };
    body.split(word).skip(1).filter_map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::Count;

    #[test]
    fn main_says_how_many_arguments_there_are() {
        let of = |body| Count::of(body).map(|count| (count.least, count.most));
        assert_eq!(of("return 0;"), None);
        assert_eq!(of("puts(argc > 1 ? argv[1] : \"\");"), Some((0, 2)));
        assert_eq!(of("for (i = 1; i < argc; i++) puts(argv[i]);"), Some((0, 2)));
        assert_eq!(
            of("if (argc < 13) exit(1); a = atoi(argv[1]); b = atoi(argv[12]);"),
            Some((11, 12))
        );
        assert_eq!(of("if (argc != 4) return 1; f(argv);"), Some((2, 3)));
        assert_eq!(of("if (argc < 2) return 1; if (argc == 5) f(argv [4]);"), Some((0, 4)));
        assert_eq!(of("f(argv[1], argv[2], argv[3]);"), Some((0, 3)));
        assert_eq!(of("if (argc > 1000) f(argv[1]);"), Some((0, 2)));
    }
}
