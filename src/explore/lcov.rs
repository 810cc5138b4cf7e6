//! Coverage in the format of lcov's tracefiles (`geninfo(1)`), which `genhtml` and editors read.

use std::{collections::BTreeMap, fmt::Write};

use super::CoveredFile;

/// The tracefile of these files, given by name. Counts are 1 for what was covered and 0 for what
/// was not.
pub fn lcov(files: &BTreeMap<String, CoveredFile>) -> String {
    let mut text = String::from("TN:\n");
    for (name, file) in files {
        write_file(&mut text, name, file).expect("a string takes everything");
    }
    text
}

fn write_file(text: &mut String, name: &str, file: &CoveredFile) -> std::fmt::Result {
    writeln!(text, "SF:{name}")?;
    for (line, function) in file.functions.keys() {
        writeln!(text, "FN:{line},{function}")?;
    }
    for ((_, function), entered) in &file.functions {
        writeln!(text, "FNDA:{},{function}", u8::from(*entered))?;
    }
    let share = file.function_share();
    writeln!(text, "FNF:{}\nFNH:{}", share.all, share.covered)?;
    for (line, branches) in &file.branches {
        for (number, branch) in branches.iter().enumerate() {
            for (way, taken) in branch.ways.iter().enumerate() {
                let taken = match branch.run {
                    true => u8::from(*taken).to_string(),
                    false => "-".into(),
                };
                writeln!(text, "BRDA:{line},{number},{way},{taken}")?;
            }
        }
    }
    let share = file.branch_share();
    writeln!(text, "BRF:{}\nBRH:{}", share.all, share.covered)?;
    for (line, run) in &file.lines {
        writeln!(text, "DA:{line},{}", u8::from(*run))?;
    }
    let share = file.line_share();
    writeln!(text, "LF:{}\nLH:{}\nend_of_record", share.all, share.covered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::CoveredBranch;

    #[test]
    fn a_branch_that_never_ran_is_told_from_a_way_not_taken() {
        let mut file = CoveredFile::default();
        file.functions.insert((1, "f".into()), true);
        file.lines = BTreeMap::from([(2, true), (3, false)]);
        let branch = |run, ways| vec![CoveredBranch { run, ways }];
        file.branches = BTreeMap::from([
            (2, branch(true, vec![true, false])),
            (3, branch(false, vec![false, false])),
        ]);
        let expected = "TN:\nSF:a.c\nFN:1,f\nFNDA:1,f\nFNF:1\nFNH:1\n\
            BRDA:2,0,0,1\nBRDA:2,0,1,0\nBRDA:3,0,0,-\nBRDA:3,0,1,-\nBRF:4\nBRH:1\n\
            DA:2,1\nDA:3,0\nLF:2\nLH:1\nend_of_record\n";
        assert_eq!(lcov(&BTreeMap::from([("a.c".into(), file)])), expected);
    }
}
