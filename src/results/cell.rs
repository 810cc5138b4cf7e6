//! Writes and reads the value of one cell of a CSV file.

use super::id::{StateId, TestId};
use crate::subject::{Revision, RevisionSet};

/// A value that a cell can hold.
pub trait Cell: Sized {
    /// The text of the cell.
    fn write(&self) -> String;

    /// The value that the text of a cell stands for.
    ///
    /// # Errors
    /// What was expected, in words that can follow "is not".
    fn read(text: &str) -> Result<Self, String>;
}

macro_rules! whole_numbers {
    ($($type:ty),*) => {$(
        impl Cell for $type {
            fn write(&self) -> String {
                self.to_string()
            }

            fn read(text: &str) -> Result<Self, String> {
                text.trim().parse().map_err(|_| {
                    format!("a whole number from {} to {}", <$type>::MIN, <$type>::MAX)
                })
            }
        }
    )*};
}

whole_numbers!(u32, u64, i32, i64);

macro_rules! ids {
    ($($type:ident: $what:literal),*) => {$(
        impl Cell for $type {
            fn write(&self) -> String {
                self.to_string()
            }

            fn read(text: &str) -> Result<Self, String> {
                text.trim().parse().map($type).map_err(|_| format!("the number of a {}", $what))
            }
        }
    )*};
}

ids!(TestId: "test", StateId: "state");

impl Cell for Revision {
    fn write(&self) -> String {
        self.to_string()
    }

    fn read(text: &str) -> Result<Self, String> {
        let expected = |_| format!("the number of a revision, at most {}", Self::MOST);
        text.trim().parse().map_err(expected)
    }
}

impl Cell for String {
    fn write(&self) -> String {
        self.clone()
    }

    fn read(text: &str) -> Result<Self, String> {
        Ok(text.into())
    }
}

impl Cell for bool {
    fn write(&self) -> String {
        self.to_string()
    }

    fn read(text: &str) -> Result<Self, String> {
        match text.trim() {
            "true" | "True" | "TRUE" | "1" => Ok(true),
            "false" | "False" | "FALSE" | "0" => Ok(false),
            _ => Err("true or false".into()),
        }
    }
}

impl Cell for f64 {
    /// The number with three digits after the point, as all such columns are seconds.
    fn write(&self) -> String {
        format!("{self:.3}")
    }

    fn read(text: &str) -> Result<Self, String> {
        match text.trim().parse() {
            Ok(number) if f64::is_finite(number) => Ok(number),
            _ => Err("a number such as 12.5".into()),
        }
    }
}

/// A part of a whole, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, serde::Deserialize, serde::Serialize)]
#[serde(transparent)]
pub struct Fraction(pub f64);

impl Cell for Fraction {
    /// The number with six digits after the point.
    fn write(&self) -> String {
        format!("{:.6}", self.0)
    }

    fn read(text: &str) -> Result<Self, String> {
        match text.trim().parse() {
            Ok(number) if (0.0..=1.0).contains(&number) => Ok(Self(number)),
            _ => Err("a number from 0 to 1".into()),
        }
    }
}

impl<T: Cell> Cell for Option<T> {
    fn write(&self) -> String {
        self.as_ref().map(T::write).unwrap_or_default()
    }

    fn read(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Ok(None);
        }
        T::read(text).map(Some).map_err(|expected| format!("{expected}, or nothing"))
    }
}

impl Cell for RevisionSet {
    fn write(&self) -> String {
        self.to_string()
    }

    fn read(text: &str) -> Result<Self, String> {
        text.split_whitespace()
            .map(str::parse::<Revision>)
            .collect::<Result<_, _>>()
            .map_err(|_| "numbers of revisions with spaces between".into())
    }
}

impl Cell for Vec<String> {
    /// The texts with `; ` between them. A `;` inside a text becomes a comma, so that the cell
    /// reads back as the same number of texts.
    fn write(&self) -> String {
        self.iter().map(|text| text.replace(';', ",")).collect::<Vec<_>>().join("; ")
    }

    fn read(text: &str) -> Result<Self, String> {
        Ok(text.split(';').map(|part| part.trim().to_owned()).filter(|t| !t.is_empty()).collect())
    }
}
