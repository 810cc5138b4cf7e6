use super::*;

/// A function around statements.
fn f(statements: &str) -> String {
    format!("int g(int);\nint f(int a, int b)\n{{\n{statements}\n\treturn a;\n}}\n")
}

/// The merged statements when patches turn `original` into each of `patched`.
fn sites(original: &str, patched: &[&str]) -> String {
    let patched: Vec<_> = patched.iter().map(|p| f(p)).collect();
    let meta = merged(&f(original), &patched.iter().map(String::as_str).collect::<Vec<_>>());
    let text = body(&meta);
    let text = text.strip_prefix("int g(int); int f(int a, int b) { ").unwrap_or(&text).to_owned();
    text.strip_suffix(" return a; }").unwrap_or(&text).to_owned()
}

#[test]
fn conditions_are_expressions() {
    assert_eq!(
        sites("if (a < b) a = b;", &["if (a <= b) a = b;"]),
        "if (+(psychic_at_1() == 1 /* revisions 1 */ ? !!(a <= b) : !!(a < b))) a = b;"
    );
    assert_eq!(
        sites("while (a) a--;", &["while (b) a--;"]),
        "while (+(psychic_at_1() == 1 /* revisions 1 */ ? !!(b) : !!(a))) a--;"
    );
    assert_eq!(
        sites("for (; a < 1; a++) g(a);", &["for (; a < 2; a += 2) g(a);"]),
        "for (; +(psychic_at_1() == 1 /* revisions 1 */ ? !!(a < 2) : !!(a < 1)); \
         (psychic_at_2() == 1 /* revisions 1 */ ? (void)(a += 2) : (void)(a++))) g(a);"
    );
    assert_eq!(
        sites("do a--; while (a > 0);", &["do a--; while (a > 1);"]),
        "do a--; while (+(psychic_at_1() == 1 /* revisions 1 */ ? !!(a > 1) : !!(a > 0)));"
    );
}

#[test]
fn operands_of_logic_are_sites_of_their_own() {
    assert_eq!(
        sites("if (g(a) && !(a < b)) a = b;", &["if (g(a) && !(a > b)) a = b;"]),
        "if (g(a) && !(+(psychic_at_1() == 1 /* revisions 1 */ ? !!(a > b) : !!(a < b)))) \
         a = b;"
    );
    assert_eq!(
        sites("a = g(b) && a;", &["a = g(b) && b;"]),
        "a = g(b) && +(psychic_at_1() == 1 /* revisions 1 */ ? !!(b) : !!(a));"
    );
    // The arms would be converted to a common type.
    assert!(sites("a = b ? 1 : 2;", &["a = b ? 1u : 2;"]).starts_with("if (psychic_at_1()"));
    // `g` could be a macro that makes a string of its argument.
    assert!(sites("g(a && b);", &["g(a && a);"]).starts_with("if (psychic_at_1()"));
}

#[test]
fn equal_arms_are_one() {
    let patched = ["if (a > 1) a = 1;", "if (a > 2) a = 1;", "if (a  >  1) /* same */ a = 1;"];
    assert_eq!(
        sites("if (a > 0) a = 1;", &patched),
        "if (+(psychic_at_1() == 1 /* revisions 1 3 */ ? !!(a > 1) : \
         psychic_at_1() == 2 /* revisions 2 */ ? !!(a > 2) : !!(a > 0))) a = 1;"
    );
    let meta = merged(&f("a = 0;"), &[&f("a = 1;"), &f("a = 2;"), &f("a = 1;")]);
    let chooser = "static inline int psychic_at_1(void) {\n\tswitch (psychic_rev()) {\n\t\
                   case 1: case 3: return 1;\n\tcase 2: return 2;\n\tdefault: return 0;\n\t}\n}\n";
    assert!(meta.files[0].text.starts_with(&format!("#include \"psychic.h\"\n\n{chooser}")));
    assert_eq!(meta.revisions.iter().map(|r| r.arms).collect::<Vec<_>>(), [0, 1, 1, 1]);
    assert_eq!(meta.revisions.iter().map(|r| r.hunks).collect::<Vec<_>>(), [0, 1, 1, 1]);
}

#[test]
fn runs_of_statements() {
    assert_eq!(
        sites("a = 1; b = 2; g(a);", &["a = 1; b = 3; g(a);", "a = 1; g(a);"]),
        "a = 1; if (psychic_at_1() == 1) { /* revisions 1 */ b = 3; } \
         else if (psychic_at_1() == 2) { /* revisions 2 */ } \
         else { /* original */ b = 2; } g(a);"
    );
    assert_eq!(
        sites("g(a);", &["if (a) return 7; g(a);", "g(a); b = 1;"]),
        "if (psychic_at_1() == 1) { /* revisions 1 */ if (a) return 7; } g(a); \
         if (psychic_at_2() == 2) { /* revisions 2 */ b = 1; }"
    );
}

#[test]
fn a_single_statement_needs_no_braces() {
    assert_eq!(
        sites("if (a) g(1); else g(2);", &["if (a) g(3); else g(2);"]),
        "if (a) if (psychic_at_1() == 1) { /* revisions 1 */ g(3); } \
         else { /* original */ g(1); } else g(2);"
    );
}

#[test]
fn initial_values_of_scalars_are_expressions() {
    assert_eq!(
        sites("{ g(1); int m = a, *n = &b; g(m); }", &["{ g(1); int m = b, *n = &b; g(m); }"]),
        "{ g(1); int m = (psychic_at_1() == 1 /* revisions 1 */ ? (__typeof__(m))(b) : \
         (__typeof__(m))(a)), *n = &b; g(m); }"
    );
    let pointer = sites("{ char *s = 0; g(*s); }", &["{ char *s = (char *)&a; g(*s); }"]);
    assert!(pointer.contains("char *s = (psychic_at_1()"), "{pointer}");
    let array = sites("{ char s[] = \"a\"; g(*s); }", &["{ char s[] = \"bc\"; g(*s); }"]);
    assert!(array.contains("char s[] = \"bc\";"), "{array}");
}

#[test]
fn a_declaration_takes_the_rest_of_its_block() {
    assert_eq!(
        sites("{ g(1); int m = a; g(m); }", &["{ g(1); long m = a; g(m); }"]),
        "{ g(1); if (psychic_at_1() == 1) { /* revisions 1 */ long m = a; g(m); } \
         else { /* original */ int m = a; g(m); } }"
    );
    let inserted =
        sites("{ g(a); g(b); }", &["{ int m = b; g(a); g(m); }", "{ g(a); b++; g(b); }"]);
    assert_eq!(
        inserted,
        "{ if (psychic_at_1() == 1) { /* revisions 1 */ int m = b; g(a); g(m); } \
         else { /* original */ g(a); if (psychic_at_2() == 2) { /* revisions 2 */ b++; } g(b); } }"
    );
    let logic = sites("{ int m = a && b; g(m); }", &["{ int m = a && a; g(m); }"]);
    assert!(logic.contains("int m = a && +(psychic_at_1()"), "{logic}");
    let fixed = sites("{ static int m = 1 && 2; g(m); }", &["{ static int m = 1 && 0; g(m); }"]);
    assert!(fixed.contains("static int m = 1 && 0;"), "{fixed}");
}

#[test]
fn a_coarse_patch_leaves_fine_ones_fine() {
    assert_eq!(
        sites("g(1); if (a) { g(2); g(3); }", &["g(1);", "g(1); if (a) { g(2); g(4); }"]),
        "g(1); if (psychic_at_1() == 1) { /* revisions 1 */ } else { /* original */ \
         if (a) { g(2); if (psychic_at_2() == 2) { /* revisions 2 */ g(4); } \
         else { /* original */ g(3); } } }"
    );
}

#[test]
fn overlapping_runs_are_joined() {
    assert_eq!(
        sites("g(1); g(2); g(3);", &["g(8); g(3);", "g(1); g(9);"]),
        "if (psychic_at_1() == 1) { /* revisions 1 */ g(8); g(3); } \
         else if (psychic_at_1() == 2) { /* revisions 2 */ g(1); g(9); } \
         else { /* original */ g(1); g(2); g(3); }"
    );
}

#[test]
fn cases_stay_in_their_switch() {
    let switch = "switch (a) { case 1: g(1); break; default: g(2); }";
    let inside = sites(switch, &["switch (a) { case 1: g(3); break; default: g(2); }"]);
    assert!(inside.starts_with("switch (a) { case 1: if (psychic_at_1() == 1)"), "{inside}");
    let new = sites(switch, &["switch (a) { case 1: g(1); break; case 2: g(3); default: g(2); }"]);
    assert!(new.starts_with("if (psychic_at_1() == 1) { /* revisions 1 */ switch (a)"), "{new}");
    let value = sites(switch, &["switch (a) { case 3: g(1); break; default: g(2); }"]);
    assert!(
        value.starts_with("if (psychic_at_1() == 1) { /* revisions 1 */ switch (a)"),
        "{value}"
    );
}

#[test]
fn labels_belong_to_their_arm() {
    let inside = sites("out: g(1);", &["out: g(2);"]);
    assert!(inside.starts_with("out: if (psychic_at_1() == 1)"), "{inside}");
    let away = sites("if (a) goto out; g(1); out: g(2);", &["if (a) return 1; g(1); g(2);"]);
    assert!(
        away.starts_with("if (psychic_at_1() == 1) { /* revisions 1 */ if (a) return"),
        "{away}"
    );
    assert!(away.contains("else { /* original */ __label__ out; if (a) goto out;"), "{away}");
    let both = sites(
        "if (a) goto out; g(1); out: g(2);",
        &["int m = b; if (a) goto out; g(1); out: g(m);", "if (a) goto out; g(1); out: g(3);"],
    );
    assert!(both.starts_with("if (psychic_at_1() == 1) { /* revisions 1 */ __label__ out; int m"));
    assert!(both.contains("out: if (psychic_at_2() == 2) { /* revisions 2 */ g(3); }"), "{both}");
}

#[test]
fn conditional_compilation_keeps_its_lines() {
    let with = |x: &str| format!("#ifdef A\n\tg(1);\n#else\n\tg({x});\n#endif\n\tg(a);");
    let text = sites(&with("2"), &[&with("3")]);
    assert!(text.starts_with("#ifdef A g(1); #else if (psychic_at_1() == 1)"), "{text}");
    let around = sites(&with("2"), &["g(a);"]);
    assert!(around.contains("#endif } g(a);"), "{around}");
}

#[test]
fn macros_that_may_declare_take_the_rest_of_the_block() {
    let head = "#define DECLARE(x) int x = 1\n";
    let text = |n: u8| format!("{head}{}", f(&format!("{{ DECLARE(m); g({n}); g(m); }}")));
    let other = format!("{head}{}", f("{ DECLARE(k); int m = k; g(1); g(m); }"));
    let text = body(&merged(&text(1), &[&other]));
    assert!(text.contains("/* original */ DECLARE(m); g(1); g(m); }"), "{text}");
}

#[test]
fn file_scope() {
    let original = "int f(int a) { return a; }\n";
    let patched = "#include <limits.h>\nstatic int help(int a) { return a < INT_MAX; }\n\
                   int f(int a) { return help(a); }\n";
    let text = body(&merged(original, &[patched]));
    assert!(text.contains("/* psychic: only 1 */ #include <limits.h> static int help"), "{text}");
    assert!(text.contains("int f(int a) { if (psychic_at_1() == 1)"), "{text}");

    let original = "static int unused(void) { return 1; }\nint f(int a) { return a; }\n";
    let text = body(&merged(original, &["int f(int a) { return a; }\n"]));
    assert!(text.starts_with("/* psychic: not 1 */ static int unused"), "{text}");
}

#[test]
fn names_that_are_taken_get_a_suffix() {
    let original = "#define LIMIT 10\nstatic int low = 1;\nint f(int a) { return a < LIMIT; }\n\
                    int g(int a) { return a > low; }\n";
    let one = original.replace("10", "20");
    let two = original.replace("low = 1", "low = 2");
    let three = one.replace("a < L", "a <= L");
    let text = body(&merged(original, &[&one, &two, &three]));
    assert!(text.contains("/* psychic: only 1 3 */ #define LIMIT__psychic_1 20"), "{text}");
    assert!(text.contains("/* psychic: only 2 */ static int low__psychic_2 = 2;"), "{text}");
    assert!(text.contains("return a <= LIMIT__psychic_1;"), "{text}");
    assert!(text.contains("return a > low__psychic_2;"), "{text}");
}

#[test]
fn a_changed_type_clones_what_depends_on_it() {
    let original = "struct s { int a; };\nstatic int get(struct s *s) { return s->a; }\n\
                    int f(int a) { struct s s = { a }; return get(&s); }\n";
    let patched = original.replace("int a; }", "long a; }");
    let text = body(&merged(original, &[&patched]));
    assert!(text.contains("struct s__psychic_1 { long a; };"), "{text}");
    assert!(text.contains("get__psychic_1(struct s__psychic_1 *s)"), "{text}");
    assert!(text.contains("return get__psychic_1(&s);"), "{text}");
}

#[test]
fn two_patches_add_different_functions_of_one_name() {
    let original = "int f(int a) { return a; }\n";
    let one = "static int h(int a) { return a + 1; }\nint f(int a) { return h(a); }\n";
    let two = "static int h(int a) { return a + 2; }\nint f(int a) { return h(a); }\n";
    let text = body(&merged(original, &[one, two, one]));
    assert!(text.contains("h__psychic_1(int a) { return a + 1; }"), "{text}");
    assert!(text.contains("h__psychic_2(int a) { return a + 2; }"), "{text}");
    assert!(text.contains("/* revisions 1 3 */ return h__psychic_1(a);"), "{text}");
}

#[test]
fn a_function_may_be_added_behind_the_last_one() {
    let original = "#ifndef F\n#define F 2\n#endif\nint f(int n)\n{\n\treturn n * F;\n}\n";
    let meta = merged(original, &[&format!("{original}int half(int n) {{ return n / 2; }}\n")]);
    let only = "/* psychic: only 1 */ int half(int n) { return n / 2; } /* psychic: end */";
    assert!(body(&meta).ends_with(only), "{}", body(&meta));
}
