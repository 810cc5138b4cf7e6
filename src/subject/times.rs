//! When a whole program starts, and how long before that its files were last changed.

use std::{collections::BTreeMap, ops::RangeInclusive};

use serde::{Deserialize, Serialize};

use super::{
    config::{SecondsConfig, SubjectConfig},
    fault::Fault,
    files::GivenFile,
};

/// The time at which a program starts unless its subject says otherwise, in seconds since 1970.
const START: u64 = 1_700_000_000;

/// When a whole program starts, and how old its files are then. A range of one number is a known
/// value; the others are input.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Times {
    /// The time of the start, in seconds since 1970: the input object `clock`.
    pub clock: RangeInclusive<u64>,
    /// How many seconds before the start a file was last changed, by path: the input object
    /// `PATH-age`. Files that are not listed were changed at the start.
    pub ages: BTreeMap<String, RangeInclusive<u64>>,
}

impl Default for Times {
    fn default() -> Self {
        Self { clock: START..=START, ages: BTreeMap::new() }
    }
}

impl Times {
    /// The name of the input object that says when the program starts.
    pub const CLOCK: &str = "clock";

    /// The name of the input object that says how old a file is.
    pub fn age_of(path: &str) -> String {
        format!("{path}-age")
    }

    /// Whether an input object says when the program starts, or how old a file is.
    pub fn is_object(name: &str) -> bool {
        name == Self::CLOCK || name.ends_with("-age")
    }

    /// The times that a subject gives. `given` are the files with known content.
    pub(super) fn of(config: &SubjectConfig, given: &[GivenFile]) -> Result<Self, Fault> {
        let inputs = &config.inputs;
        let mut times = Self::default();
        let asked = [("clock", inputs.clock.is_some()), ("ages", !inputs.ages.is_empty())];
        if let Some((key, _)) = asked.iter().find(|(_, asked)| *asked)
            && !config.build.is_whole()
        {
            let message = format!("only a program that is run whole (build.whole) has {key}");
            return Err(Fault { key, message });
        }
        if let Some(clock) = &inputs.clock {
            times.clock = range("clock", "clock", clock, START)?;
        }
        for (path, age) in &inputs.ages {
            let is_given = given.iter().any(|file| file.path == *path);
            if !is_given && !inputs.sym_files.contains_key(path) {
                let message = format!(
                    "ages has {path:?}, which the program does not find: add it to inputs.files or \
                     inputs.sym_files"
                );
                return Err(Fault { key: "ages", message });
            }
            times.ages.insert(path.clone(), range("ages", path, age, 0)?);
        }
        Ok(times)
    }

    /// The input objects, each with the numbers that it may hold.
    pub fn objects(&self) -> impl Iterator<Item = (String, &RangeInclusive<u64>)> {
        let ages = self.ages.iter().map(|(path, age)| (Self::age_of(path), age));
        let all = std::iter::once((Self::CLOCK.to_owned(), &self.clock)).chain(ages);
        all.filter(|(_, range)| range.start() != range.end())
    }

    /// These times with the values of the input objects. Where there is no object of eight bytes,
    /// it is the smallest number.
    pub fn with<'a>(&self, object: impl Fn(&str) -> Option<&'a [u8]>) -> Self {
        let value = |name: &str, range: &RangeInclusive<u64>| {
            let is_known = range.start() == range.end();
            let found = object(name).filter(|_| !is_known).and_then(|bytes| bytes.try_into().ok());
            let value = found.map_or(*range.start(), u64::from_le_bytes);
            value..=value
        };
        let age = |(path, age): (&String, _)| (path.clone(), value(&Self::age_of(path), age));
        Self { clock: value(Self::CLOCK, &self.clock), ages: self.ages.iter().map(age).collect() }
    }
}

fn range(
    key: &'static str,
    name: &str,
    config: &SecondsConfig,
    least: u64,
) -> Result<RangeInclusive<u64>, Fault> {
    let fault = |what: String| Fault { key, message: format!("{name}: {what}") };
    let of = |number: i64| {
        u64::try_from(number).map_err(|_| fault(format!("{number} is negative; use 0 or more")))
    };
    match *config {
        SecondsConfig { value: Some(value), min: None, max: None } => Ok(of(value)?..=of(value)?),
        SecondsConfig { value: None, min, max: Some(max) } => {
            let (min, max) = (min.map_or(Ok(least), of)?, of(max)?);
            match min <= max {
                true => Ok(min..=max),
                false if config.min.is_none() => Err(fault(format!(
                    "max = {max} is less than {min}, the smallest unless min = N"
                ))),
                false => Err(fault(format!("min = {min} is greater than max = {max}"))),
            }
        }
        _ => Err(fault("give max = N, with or without min = N, or else value = N".to_owned())),
    }
}
