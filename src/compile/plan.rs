//! Remembers which commands clang's driver would run, so that it is asked only once. For small
//! programs, starting it takes as long as compiling them.

use std::{env, fs, path::Path, process::Command};

use super::{
    Toolchain,
    stamp::hash,
    toolchain::{command, words},
};

/// Environment variables that the driver obeys, beside those that [`command`] sets.
const VARIABLES: [&str; 6] = [
    "PATH",
    "LIBRARY_PATH",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
    "CCC_OVERRIDE_OPTIONS",
    "CLANG_CONFIG_FILE_SYSTEM_DIR",
];
/// The name of the file in a kept directory.
const FILE: &str = "plan.json";

/// The commands that the driver would run, in order, each a program with its arguments.
pub(super) type Plan = Vec<Vec<String>>;

impl Toolchain {
    /// The commands that a driver would run, or `None` if it refuses. With a cache, it is asked
    /// only if it has never been asked about the same command line, apart from `places`. These are
    /// paths in the command line that have no influence on the compilation.
    pub(super) fn plan(&self, driver: &mut Command, places: &[&Path]) -> Option<Plan> {
        let directory = driver.get_current_dir().map(Path::to_owned);
        let directory = directory.or_else(|| env::current_dir().ok()).unwrap_or_default();
        let places = Places::new(places.iter().copied().chain([self.include(), &directory]));
        let variables = VARIABLES.map(|name| env::var(name).unwrap_or_default());
        let arguments = driver.get_args().map(|word| places.hide(&word.to_string_lossy()));
        let about = ["plan".to_owned(), self.identity().to_owned()];
        let key = hash(about.into_iter().chain(variables).chain(arguments));
        let ask = |driver: &mut Command| {
            let said = self.run(driver.arg("-###")).ok()?;
            let lines = String::from_utf8_lossy(&said.stderr).into_owned();
            let plan: Plan = lines.lines().map(words).filter(|words| is_command(words)).collect();
            Some(plan)
        };
        let each = |plan: Plan, change: &dyn Fn(&str) -> String| -> Plan {
            plan.iter().map(|words| words.iter().map(|word| change(word)).collect()).collect()
        };
        if let Some(plan) = self.read_plan(&key) {
            return Some(each(plan, &|word| places.show(word)));
        }
        let plan = ask(driver).filter(|plan| !plan.is_empty())?;
        let hidden = each(plan.clone(), &|word| places.hide(word));
        // If it cannot be kept, the next run asks again.
        _ = self.kept(&key, |directory| {
            let text = serde_json::to_vec(&hidden).expect("lists of words");
            let file = directory.join(FILE);
            fs::write(&file, text).map_err(super::BuildError::io(&file))
        });
        Some(plan)
    }

    /// A plan that was kept, if the programs and libraries that it names still exist.
    fn read_plan(&self, key: &str) -> Option<Plan> {
        let text = fs::read(self.kept_in(key)?.join(FILE)).ok()?;
        let plan: Plan = serde_json::from_slice(&text).ok()?;
        let is_library = |word: &&String| {
            word.starts_with('/') && [".o", ".a", ".so"].iter().any(|end| word.ends_with(end))
        };
        let libraries = plan.iter().flatten().filter(is_library);
        let mut needed = plan.iter().filter_map(|words| words.first()).chain(libraries);
        let is_whole = !plan.is_empty() && plan.iter().all(|words| !words.is_empty());
        (is_whole && needed.all(|file| Path::new(file).exists())).then_some(plan)
    }
}

/// Whether a line of the driver's output calls a program.
fn is_command(words: &[String]) -> bool {
    words.first().is_some_and(|program| Path::new(program).is_absolute())
}

/// A command of a plan, ready to run.
pub(super) fn as_planned(words: &[String]) -> Command {
    let mut command = command(Path::new(&words[0]));
    command.args(&words[1..]);
    command
}

/// Paths that change from run to run, with the placeholder of each in a kept plan.
struct Places(Vec<(String, String)>);

impl Places {
    fn new<'p>(places: impl Iterator<Item = &'p Path>) -> Self {
        let names = places.map(|place| place.display().to_string()).enumerate();
        let names = names.map(|(number, name)| (name, format!("\u{1}{number}\u{1}")));
        let mut names: Vec<_> = names.filter(|(name, _)| !name.is_empty()).collect();
        // Longest first, as one path may be the beginning of another.
        names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        Self(names)
    }

    fn hide(&self, word: &str) -> String {
        self.0.iter().fold(word.to_owned(), |word, (name, sign)| word.replace(name, sign))
    }

    fn show(&self, word: &str) -> String {
        self.0.iter().fold(word.to_owned(), |word, (name, sign)| word.replace(sign, name))
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn compile(clang: &Toolchain, place: &Path) -> (Command, PathBuf) {
        let source = place.join("a.c");
        fs::write(&source, "int main(void) { return 0; }\n").unwrap();
        let mut driver = command(clang.program());
        driver.current_dir(place).arg("-c").arg(&source);
        (driver, source)
    }

    #[test]
    fn a_kept_plan_is_that_of_the_driver_at_another_place() {
        let scratch = tempfile::tempdir().unwrap();
        let clang = Toolchain::find().unwrap().keeping(scratch.path().join("cache"));
        let places = ["one", "other"].map(|name| scratch.path().join(name));
        let mut plans = Vec::new();
        for place in &places {
            fs::create_dir(place).unwrap();
            let (mut driver, source) = compile(&clang, place);
            plans.push(clang.plan(&mut driver, &[&source]).unwrap());
            let (mut driver, _) = compile(&clang, place);
            let asked = Toolchain::find().unwrap().plan(&mut driver, &[]).unwrap();
            assert_eq!(plans.last(), Some(&asked));
        }
        assert_ne!(plans[0], plans[1]);
        assert_eq!(fs::read_dir(scratch.path().join("cache")).unwrap().count(), 1);
        // Other flags are another plan.
        let (mut driver, source) = compile(&clang, &places[0]);
        driver.arg("-O2");
        assert_ne!(clang.plan(&mut driver, &[&source]).unwrap(), plans[0]);
    }

    #[test]
    fn what_is_gone_is_asked_for_again() {
        let scratch = tempfile::tempdir().unwrap();
        let cache = scratch.path().join("cache");
        let clang = Toolchain::find().unwrap().keeping(cache.clone());
        let (mut driver, source) = compile(&clang, scratch.path());
        let plan = clang.plan(&mut driver, &[&source]).unwrap();
        let file = fs::read_dir(cache).unwrap().next().unwrap().unwrap().path().join(FILE);
        for damaged in ["[[\"/no/such/compiler\",\"-cc1\"]]", "[[", "[]", "[[]]"] {
            fs::write(&file, damaged).unwrap();
            let (mut driver, source) = compile(&clang, scratch.path());
            assert_eq!(clang.plan(&mut driver, &[&source]), Some(plan.clone()), "{damaged}");
        }
    }
}
