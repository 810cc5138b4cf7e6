//! Candidates that are no diffs: files, directories, LLVM modules, and a meta program written by
//! hand.

use std::{fs, process::Command};

use psychic::results::{PairRow, RevisionRow, Status, Verdict};

use crate::support::{Scratch, names, refused, run, table};

/// Runs `psychic diff`; returns the verdicts by pair.
#[track_caller]
fn verdicts(scratch: &Scratch) -> Vec<(u32, u32, Verdict)> {
    let ran = run(&mut scratch.stage("diff"));
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.code, Some(0), "{said}");
    assert!(!said.contains("contradicts"), "{said}");
    let pairs: Vec<PairRow> = table(&scratch.path("out"));
    pairs.into_iter().map(|pair| (pair.a.0, pair.b.0, pair.verdict)).collect()
}

const THE_LAST_DIFFERS: [(u32, u32, Verdict); 3] =
    [(0, 1, Verdict::Equivalent), (0, 2, Verdict::Distinguished), (1, 2, Verdict::Distinguished)];

#[test]
fn whole_files_replace_the_source_and_the_first_is_the_original() {
    let program = |least: &str| {
        format!(
            "#include <stdio.h>\nint main(void)\n{{\n\tint a, b;\n\
             \tscanf(\"%d %d\", &a, &b);\n\tprintf(\"%d\\n\", {least});\n\treturn 0;\n}}\n"
        )
    };
    let scratch = Scratch::new()
        .file("subject.toml", "name = \"samples\"\ncandidates = [\"*.c\"]\n")
        .file("1.c", &program("a < b ? a : b"))
        .file("2.c", &program("b <= a ? b : a"))
        .file("3.c", &program("a < b ? b : a"))
        .file("4.c", "int main(void)\n{\n\treturn 0\n");
    assert_eq!(verdicts(&scratch), THE_LAST_DIFFERS);
    let rows: Vec<RevisionRow> = table(&scratch.path("out"));
    assert_eq!(rows[3].status, Status::Rejected);
    assert!(rows[1].patch == "2.c" && rows[3].reason.contains("1.c:1:"), "{rows:?}");
    let report = fs::read_to_string(scratch.path("out/report.html")).expect("written");
    assert!(report.contains("b &lt;= a ? b : a"), "the report shows what 2.c changes");
}

/// Nothing is written beside the sources, and nothing there is removed, not even in subdirectories.
#[test]
fn a_subject_is_only_read() {
    let program = |result: u32| format!("int main(void)\n{{\n\treturn {result};\n}}\n");
    let scratch = Scratch::new()
        .file("subject.toml", "name = \"samples\"\ncandidates = [\"inner/*.c\"]\n")
        .file("inner/1.bc", "of the user")
        .file("inner/1.o", "too");
    let scratch = (1..4).fold(scratch, |scratch, number| {
        scratch.file(&format!("inner/{number}.c"), &program(number / 3))
    });
    let before = names(&scratch.path("inner"));
    assert_eq!(verdicts(&scratch), THE_LAST_DIFFERS);
    assert_eq!(names(&scratch.path("inner")), before);
    let kept = fs::read_to_string(scratch.path("inner/1.bc"));
    assert_eq!(kept.expect("the user's file"), "of the user");
}

#[test]
fn a_source_may_be_among_the_candidates() {
    let program = |condition: &str| format!("int f(int a)\n{{\n\treturn {condition};\n}}\n");
    let subject = "name = \"x\"\nentry = \"f\"\nsources = [\"a.c\"]\ncandidates = [\"*.c\"]\n";
    let scratch = Scratch::new()
        .file("subject.toml", subject)
        .file("a.c", &program("a > 3"))
        .file("b.c", &program("a >= 3"));
    let apart = Verdict::Distinguished;
    let expected = [(0, 1, Verdict::Equivalent), (0, 2, apart), (1, 2, apart)];
    assert_eq!(verdicts(&scratch), expected);
}

#[test]
fn a_directory_is_the_whole_source_tree() {
    let main = include_str!("programs/a_directory_is_the_whole_source_tree.c");
    let scratch = Scratch::new()
        .file(
            "subject.toml",
            "name = \"trees\"\nsources = [\"main.c\", \"seen.c\"]\ncandidates = [\"[123]\"]\n\
             [build]\ndirectory = \"original\"\n",
        )
        .file("original/main.c", main)
        .file("original/limit.h", "#define LIMIT 10\n")
        .file("original/seen.c", "int seen(int x) { return x; }\n")
        // The function has moved to another file.
        .file("1/main.c", main)
        .file("1/limit.h", "#define LIMIT 10\n")
        .file("1/parts/other.c", "int seen(int x) { return 0 + x; }\n")
        .file("2/main.c", main)
        .file("2/limit.h", "#define LIMIT 11\n")
        .file("2/seen.c", "int seen(int x) { return x; }\n")
        // This tree lacks the header, and does not get the original's.
        .file("3/main.c", main)
        .file("3/seen.c", "int seen(int x) { return x; }\n");
    assert_eq!(verdicts(&scratch), THE_LAST_DIFFERS);
    let rows: Vec<RevisionRow> = table(&scratch.path("out"));
    assert!(rows[3].reason.contains("limit.h"), "{}", rows[3].reason);
}

#[test]
fn a_meta_program_may_be_written_by_hand() {
    let scratch = Scratch::new()
        .file("subject.toml", "name = \"hand\"\nsources = [\"m.c\"]\nrevisions = 2\n")
        .file("m.c", include_str!("programs/a_meta_program_may_be_written_by_hand.c"));
    assert_eq!(verdicts(&scratch), THE_LAST_DIFFERS);
}

/// Compiles sources of another language to LLVM modules, as text that LLVM 19 can read.
#[track_caller]
fn modules(scratch: Scratch, compiler: &[&str], sources: [(&str, String); 3]) -> Scratch {
    sources.into_iter().fold(scratch, |scratch, (name, text)| {
        let scratch = scratch.file(name, &text);
        let module = scratch.path(name).with_extension("ll");
        let mut command = Command::new(compiler[0]);
        command.args(&compiler[1..]).arg(scratch.path(name)).arg("-o").arg(&module);
        let made = command.output().expect("the compiler runs");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        // A later LLVM writes attributes that LLVM 19 does not know; none of them is needed.
        let text = fs::read_to_string(&module).expect("written");
        let words = ["captures(none)", "captures(address, read_provenance)", "dead_on_return"];
        let words = words.iter().chain(&["nocreateundeforpoison", "samesign"]);
        let text = words.fold(text, |text, word| text.replace(&format!(" {word}"), ""));
        fs::write(&module, text).expect("written");
        scratch
    })
}

#[test]
fn modules_of_cpp_are_compared() {
    let program = |least: &str, size: &str| {
        format!(
            "#include <cstdio>\n\
             struct Shape {{ virtual int area() const = 0; virtual ~Shape() {{}} }};\n\
             struct Square : Shape {{ int area() const override {{ return 4; }} }};\n\
             struct Line : Shape {{ int area() const override {{ return 0; }} }};\n\
             template <class T> T least(T a, T b) {{ return {least}; }}\n\
             static int made;\nstruct Count {{ Count() {{ made = 1; }} }} count;\n\
             int main() {{\n\tint a = 0, b = 0;\n\tscanf(\"%d %d\", &a, &b);\n\
             \tShape *shape = {size} ? static_cast<Shape *>(new Square) : new Line;\n\
             \tint area = shape->area();\n\tdelete shape;\n\
             \tstd::printf(\"%d %d\\n\", least(a, b), area + made);\n\treturn 0;\n}}\n"
        )
    };
    let scratch = Scratch::new().file(
        "subject.toml",
        "name = \"cpp\"\ncandidates = [\"*.ll\"]\n[build]\nflags = [\"-lstdc++\"]\n",
    );
    let clang = ["clang++-19", "-O1", "-fno-exceptions", "-fno-rtti", "-emit-llvm", "-S"];
    let sources = [
        ("1.cpp", program("b < a ? b : a", "a > 3")),
        ("2.cpp", program("a < b ? a : b", "a > 3")),
        ("3.cpp", program("b < a ? b : a", "a >= 3")),
    ];
    assert_eq!(verdicts(&modules(scratch, &clang, sources)), THE_LAST_DIFFERS);
}

#[test]
fn modules_of_rust_are_compared() {
    let program = |least: &str, count: &str| {
        format!(
            "#![no_std]\n#![no_main]\nuse core::ffi::{{c_char, c_int}};\n\
             extern \"C\" {{\n    fn scanf(format: *const c_char, ...) -> c_int;\n    \
             fn printf(format: *const c_char, ...) -> c_int;\n    fn abort() -> !;\n}}\n\
             #[panic_handler]\n\
             fn panic(_: &core::panic::PanicInfo) -> ! {{ unsafe {{ abort() }} }}\n\
             struct Least(i32);\n\
             impl Least {{ fn of(self, other: i32) -> i32 {{ {least} }} }}\n\
             #[no_mangle]\npub extern \"C\" fn main() -> c_int {{\n    \
             let (mut a, mut b) = (0, 0);\n    let table = [3u8, 1, 4, 1, 5];\n    unsafe {{\n\
             if scanf(c\"%d %d\".as_ptr(), &mut a as *mut c_int, &mut b as *mut c_int) != 2 \
             {{ return 1; }}\n\
             let digit = match table.get((a as u32 % {count}) as usize) {{ \
             Some(digit) => *digit, None => 9 }};\n\
             printf(c\"%d %d\\n\".as_ptr(), Least(a).of(b), digit as c_int);\n    }}\n    0\n}}\n"
        )
    };
    let scratch = Scratch::new().file("subject.toml", "name = \"rust\"\ncandidates = [\"*.ll\"]\n");
    let options = "--edition=2021 --crate-type=staticlib -Clto=fat -Cpanic=abort -Copt-level=0 \
                   -Cdebug-assertions=off -Ccodegen-units=1 --emit=llvm-ir";
    let rustc: Vec<&str> = std::iter::once("rustc").chain(options.split_whitespace()).collect();
    let least = "if other < self.0 { other } else { self.0 }";
    let sources = [
        ("1.rs", program(least, "6")),
        ("2.rs", program("self.0.min(other)", "6")),
        ("3.rs", program(least, "5")),
    ];
    assert_eq!(verdicts(&modules(scratch, &rustc, sources)), THE_LAST_DIFFERS);
}

/// LLVM's reader crashes on it.
#[test]
fn a_damaged_module_is_set_aside() {
    let original = "define i32 @main() {\n  ret i32 0\n}\n";
    let scratch = Scratch::new()
        .file(
            "subject.toml",
            "name = \"x\"\nsources = [\"m.ll\"]\ncandidates = [\"*.bc\", \"n.ll\"]\n",
        )
        .file("m.ll", original)
        .file("n.ll", &original.replace("i32 0", "i32 1"));
    let damaged = include_bytes!("programs/damaged.bc");
    fs::write(scratch.path("damaged.bc"), damaged).expect("written");
    fs::write(scratch.path("like-it.bc"), damaged).expect("written");
    let ran = run(&mut scratch.stage("diff"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.stderr.matches("damaged.bc is damaged").count(), 2, "{}", ran.stderr);
    let pairs: Vec<PairRow> = table(&scratch.out());
    let verdicts: Vec<Verdict> = pairs.iter().map(|pair| pair.verdict).collect();
    assert_eq!(verdicts, [Verdict::Distinguished]);
    // LLVM ends the process on what is broken beside debug information.
    let broken = "define i32 @main() {\n  ret i32 %x\nnext:\n  %x = add i32 1, 2\n  br label %next\n}\n\
                  !llvm.module.flags = !{!0}\n!0 = !{i32 2, !\"Debug Info Version\", i32 3}\n";
    let scratch = scratch.file("m.ll", broken);
    assert!(refused(&mut scratch.stage("diff")).contains("m.ll is damaged"));
}

#[test]
fn forms_that_do_not_go_together_are_refused() {
    let toml = |rest: &str| format!("name = \"x\"\n{rest}\n");
    let message = |rest: &str| {
        let scratch = Scratch::new()
            .file("subject.toml", &toml(rest))
            .file("a.c", "int main(void) { return 0; }\n")
            .file("b.c", "int main(void) { return 1; }\n")
            .file("m.ll", "no module");
        refused(&mut scratch.stage("diff"))
    };
    assert!(message("candidates = [\"a.c\"]").contains("is the original, alone"));
    assert!(message("candidates = [\"x*.c\"]").contains("no file matches \"x*.c\""));
    assert!(message("sources = [\"a.c\"]\ncandidates = [\"*.ll\"]").contains("sources are C"));
    let mixed = message("sources = [\"m.ll\"]\ncandidates = [\"b.c\"]");
    assert!(mixed.contains("the sources are bitcode modules"), "{mixed}");
    let meta = message("sources = [\"a.c\"]\nrevisions = 2\ncandidates = [\"b.c\"]");
    assert!(meta.contains("a meta program written by hand has no patches"), "{meta}");
    let broken = message("sources = [\"m.ll\"]\ncandidates = [\"m.l?\"]");
    assert!(broken.contains("m.ll"), "{broken}");
}
