use std::{path::Path, sync::Arc};

use super::*;

#[test]
fn bad_patches_are_set_aside_with_file_and_line() {
    let original = "int f(int a)\n{\n\treturn a;\n}\n";
    let good = "--- a/x.c\n+++ b/x.c\n@@ -1,4 +1,4 @@\n int f(int a)\n {\n-\treturn a;\n+\treturn 1;\n }\n";
    let diffs = [
        good,
        "nothing like a diff\n",
        "",
        &good.replace("-\treturn a", "-\treturn b"),
        &good.replace("x.c", "y.c"),
        &good.replace("+\treturn 1;", "+\treturn 1"),
        &good.replace("+\treturn 1;", "+\treturn c;"),
        "--- /dev/null\n+++ b/new.c\n@@ -0,0 +1 @@\n+int x;\n",
    ];
    let (_dir, subject) = subject_of(&[("x.c", original)], &diffs);
    let meta = merge(&subject, &compiler()).unwrap();
    let reasons: Vec<_> = meta.revisions.iter().map(|r| r.reason.as_str()).collect();
    assert_eq!(reasons[..2], ["", ""]);
    assert_eq!(reasons[2], "002.diff:1: not a unified diff");
    assert_eq!(reasons[3], "003.diff:1: empty");
    assert_eq!(reasons[4], "004.diff:3: hunk 1 does not apply at x.c:3: expected `return b;`");
    assert_eq!(reasons[5], "005.diff:1: b/y.c is not a file of the subject");
    assert!(reasons[6].starts_with("x.c:3: `;` is missing (x.c:3:"), "{}", reasons[6]);
    assert!(reasons[7].starts_with("x.c:3:9: error: use of undeclared"), "{}", reasons[7]);
    assert_eq!((meta.revisions[8].status, reasons[8]), (Status::Own, "it adds new.c"));
    assert_eq!(meta.merged().to_string(), "0 1");
    assert_eq!(meta.revisions[2].status, Status::Rejected);
    assert_eq!(meta.patched(Revision(8), Path::new("new.c")), Some("int x;\n"));
    assert_eq!(meta.patched(Revision(2), Path::new("x.c")), None);
    assert_eq!(meta.patched(Revision(0), Path::new("x.c")), Some(original));
}

#[test]
fn the_original_has_to_compile_and_leave_our_names() {
    let (_dir, bad) = subject("int f(void) { return }\n", &["int f(void) { return 1; }\n"]);
    let error = merge(&bad, &compiler()).unwrap_err().to_string();
    assert!(error.contains("the original program does not compile: x.c:1:"), "{error}");
    let (_dir, taken) = subject("\nint psychic_at_1;\n", &["int psychic_at_1 = 1;\n"]);
    let error = merge(&taken, &compiler()).unwrap_err().to_string();
    assert!(error.contains("x.c:2: the name `psychic_at_1` is reserved"), "{error}");
}

#[test]
fn what_cannot_be_merged_says_why() {
    let entry = refused("int main(void) { return 0; }\n", "int main(int c) { return c; }\n");
    assert!(entry.ends_with("changes `main` at file scope, whose name must not change"), "{entry}");
    let printed = refused(
        "#include <assert.h>\n#define N 1\nvoid f(int a) { assert(a < N); }\n",
        "#include <assert.h>\n#define N 2\nvoid f(int a) { assert(a < N); }\n",
    );
    assert!(printed.contains("a macro makes a string out of a name"), "{printed}");
    let early = refused(
        "#define N 1\n#include <assert.h>\nint f(void) { return N; }\n",
        "#define N 2\n#include <assert.h>\nint f(void) { return N; }\n",
    );
    assert!(early.contains("headers included after it"), "{early}");
    let inside = refused(
        "int f(void) {\n#define N 1\n return N; }\n",
        "int f(void) {\n#define N 2\n return N; }\n",
    );
    assert!(inside.contains("a directive inside a function"), "{inside}");
    let kinds = |kinds: &str| {
        format!(
            "enum kind {{ {kinds}, KINDS }};\n_Static_assert(KINDS < 5, \"few\");\nint k = KINDS;\n"
        )
    };
    let asserted = refused(&kinds("A"), &kinds("A, B"));
    assert!(asserted.contains("x.c:2: adds `_Static_assert(KINDS < 5"), "{asserted}");
}

/// The functions of the file would go on using the header's name for the type.
#[test]
fn a_type_that_a_header_outside_names_too_stays() {
    let outside = TempDir::new().unwrap();
    fs::write(outside.path().join("api.h"), "typedef struct s S;\n").unwrap();
    let original = "#include \"api.h\"\nstruct s { int a, b; };\nint f(S *s) { return s->a; }\n";
    let (_dir, subject) = subject(original, &[&original.replace("a, b", "b, a")]);
    let mut compiler = compiler();
    compiler.flags.push(format!("-I{}", outside.path().display()));
    let error = own(&subject, &compiler);
    assert!(error.contains("changes `s` at file scope, which a header declares too"), "{error}");
}

#[test]
fn names_of_other_files_stay() {
    let files = [
        ("x.c", "int limit = 1;\nint f(void) { return limit; }\n"),
        ("y.c", "extern int limit;\nint g(void) { return limit; }\n"),
    ];
    let diff = "--- x.c\n+++ x.c\n@@ -1 +1 @@\n-int limit = 1;\n+int limit = 2;\n";
    let (_dir, subject) = subject_of(&files, &[diff]);
    let error = own(&subject, &compiler());
    assert!(error.contains("changes `limit` at file scope, which y.c uses too"), "{error}");
}

#[test]
fn a_patch_may_change_several_files() {
    let files = [
        ("x.c", "#include \"in.h\"\nint f(int a) { return twice(a); }\n"),
        ("sub/y.c", "int g(int a) { return a; }\n"),
        ("in.h", "#ifndef IN_H\n#define IN_H\nstatic int twice(int a) { return a; }\n#endif\n"),
    ];
    let diff = "diff --git a/sub/y.c b/sub/y.c\n--- a/sub/y.c\n+++ b/sub/y.c\n@@ -1 +1 @@\n\
                -int g(int a) { return a; }\n+int g(int a) { return 2; }\n\
                --- a/in.h\n+++ b/in.h\n@@ -3,1 +3,1 @@\n\
                -static int twice(int a) { return a; }\n+static int twice(int a) { return 2 * a; }\n";
    let (dir, subject) = subject_of(&files, &[diff]);
    let meta = merge(&subject, &compiler()).unwrap();
    let paths: Vec<_> = meta.files.iter().map(|f| f.path.to_str().unwrap()).collect();
    assert_eq!(paths, ["in.h", "sub/y.c"]);
    assert!(meta.files[1].text.contains("psychic_at_2()"));
    assert_eq!((meta.revisions[1].hunks, meta.revisions[1].arms), (2, 2));
    let out = dir.path().join("meta");
    meta.write(&out).unwrap();
    assert_eq!(fs::read_to_string(out.join("sub/y.c")).unwrap(), meta.files[1].text);
}

#[test]
fn a_patch_of_comments_is_the_original() {
    let (_dir, subject) =
        subject("int f(void) { return 1; }\n", &["int f(void) { /* one */ return 1; }\n"]);
    let meta = merge(&subject, &compiler()).unwrap();
    assert!(meta.files.is_empty());
    assert_eq!((meta.revisions[1].status, meta.revisions[1].arms), (Status::Merged, 0));
}

/// git's headers above the hunks count: a patch may change nothing but names.
#[test]
fn files_are_renamed_copied_added_and_taken_away() {
    let files = [("x.c", "int f(void) { return 1; }\n"), ("y.c", "int g(void) { return 1; }\n")];
    let diffs = [
        "diff --git a/y.c b/z.c\nsimilarity index 100%\nrename from y.c\nrename to z.c\n",
        "diff --git a/y.c b/z.c\nsimilarity index 90%\nrename from y.c\nrename to z.c\n\
         --- a/y.c\n+++ b/z.c\n@@ -1 +1 @@\n-int g(void) { return 1; }\n+int g(void) { return 2; }\n",
        "diff --git a/y.c b/y.c\ndeleted file mode 100644\n--- a/y.c\n+++ /dev/null\n\
         @@ -1 +0,0 @@\n-int g(void) { return 1; }\n",
        "diff --git a/new.h b/new.h\nnew file mode 100644\nindex 0000000..e69de29\n",
    ];
    let (_dir, subject) = subject_of(&files, &diffs);
    let all = candidates(&subject);
    let changes = |revision: u32| {
        let files = &all[&Revision(revision)].as_ref().unwrap().files;
        let text = |text: &Option<Arc<str>>| text.as_deref().unwrap_or("gone").to_owned();
        files.iter().map(|(path, new)| (path.display().to_string(), text(new))).collect::<Vec<_>>()
    };
    let of = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    let moved = |text| vec![of("y.c", "gone"), of("z.c", text)];
    assert_eq!(changes(1), moved("int g(void) { return 1; }\n"));
    assert_eq!(changes(2), moved("int g(void) { return 2; }\n"));
    assert_eq!(changes(3), [of("y.c", "gone")]);
    assert_eq!(changes(4), [of("new.h", "")]);
}

/// The program depends on what a C file or the build mentions.
#[test]
fn parts_without_hunks_do_not_set_a_patch_aside() {
    let original = "#include \"logo.inc\"\nint f(int a)\n{\n\treturn a;\n}\n";
    let text = "--- a/x.c\n+++ b/x.c\n@@ -3,3 +3,3 @@\n {\n-\treturn a;\n+\treturn 1;\n }\n";
    let mode = "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n";
    let binary = |name: &str| {
        format!(
            "diff --git a/{name} b/{name}\nindex 1111111..2222222 100644\n\
             Binary files a/{name} and b/{name} differ\n"
        )
    };
    let data = "diff --git a/new.png b/new.png\nnew file mode 100644\nindex 0000000..2222222\n\
                GIT binary patch\nliteral 4\nLc${NkU|;|M00aO5\n\nliteral 0\nHcmV?d00001\n\n";
    let renamed = "diff --git a/doc.txt b/notes.txt\nsimilarity index 100%\nrename from doc.txt\n\
                   rename to notes.txt\n";
    let diffs = [
        mode.to_owned(),
        [mode, text, &binary("pic.png"), data].concat(),
        [text, &binary("logo.inc")].concat(),
        [text, &binary("x.c")].concat(),
        [text, renamed].concat(),
        [text, &binary("none/there.gz")].concat(),
    ];
    let diffs: Vec<&str> = diffs.iter().map(String::as_str).collect();
    let files = [("x.c", original), ("logo.inc", ""), ("pic.png", ""), ("doc.txt", "text\n")];
    let (_dir, subject) = subject_of(&files, &diffs);
    let meta = merge(&subject, &compiler()).unwrap();
    let reasons: Vec<_> = meta.revisions.iter().map(|r| r.reason.as_str()).collect();
    assert_eq!(reasons[1], "the same as 0 original");
    let left_out = "without the binary file pic.png; without the binary file new.png";
    assert_eq!((meta.revisions[2].status, reasons[2]), (Status::Merged, left_out));
    assert!(reasons[2].split("; ").all(is_note));
    let refused = "a binary file cannot be patched";
    assert_eq!(reasons[3], format!("003.diff:8: x.c mentions logo.inc: {refused}"));
    assert_eq!(reasons[4], format!("004.diff:8: x.c is binary: {refused}"));
    assert_eq!(meta.revisions[5].status, Status::Own, "{}", reasons[5]);
    assert_eq!(meta.patched(Revision(5), Path::new("notes.txt")), Some("text\n"));
    assert!(reasons[6].contains("without the binary file none/there.gz"), "{}", reasons[6]);
}

/// A revision's names have suffixes in the meta program, and its lines are others.
#[test]
fn what_the_compiler_says_is_about_the_revisions_own_source() {
    let text = |kinds: u32| {
        format!(
            "#define KINDS {kinds}\nint table[KINDS];\nextern int table[3];\nint taken(int a)\n{{\n\
             \treturn table[a % KINDS];\n}}\nint main(void)\n{{\n\treturn taken(1) > 0;\n}}\n"
        )
    };
    let (_dir, subject) = subject(&text(3), &[&text(3).replace("int taken(", "long taken(")]);
    let meta = merge(&subject, &Picky).unwrap();
    let reason = &meta.revisions[1].reason;
    assert!(reason.ends_with("with it: x.c:4: `taken` is bad"), "{reason}");
}

/// Refuses a meta text with a suffix, at the line that has it.
struct Picky;

impl SyntaxCheck for Picky {
    fn check(&self, root: &Path, file: &Path) -> Result<(), String> {
        let text = fs::read_to_string(root.join(file)).unwrap();
        let is_meta = text.contains("#include \"psychic.h\"");
        let found = text.lines().position(|line| is_meta && line.contains("taken__psychic_"));
        match found {
            Some(line) => {
                Err(format!("{}:{}: `taken__psychic_1` is bad", file.display(), line + 1))
            }
            None => Ok(()),
        }
    }
}

#[test]
fn a_compiler_that_never_answers_ends_the_merge() {
    let text = "int main(void)\n{\n\treturn 0;\n}\n";
    let (_dir, subject) = subject(text, &[&text.replace('0', "1")]);
    let error = merge(&subject, &Gone).unwrap_err();
    assert!(matches!(&error, MergeError::Original(reason) if reason == "gone"), "{error}");
}

/// A compiler that fails for whole programs, as one does that was interrupted.
struct Gone;

impl SyntaxCheck for Gone {
    fn check(&self, _: &Path, _: &Path) -> Result<(), String> {
        Ok(())
    }

    fn check_program(&self, _: &Subject, _: &[(&Path, Option<&str>)]) -> Result<(), String> {
        Err("gone".to_owned())
    }
}
