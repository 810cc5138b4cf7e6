//! The shape of lowered code.

use super::*;
use crate::ir::{BinaryOp, OperandKind, Pc, Predicate};

fn count(function: &Function, test: impl Fn(&Inst) -> bool) -> usize {
    function.code.iter().filter(|inst| test(inst)).count()
}

fn is_move(inst: &Inst) -> bool {
    matches!(inst, Inst::Move { .. })
}

#[test]
fn unoptimised_loops_run_in_registers() {
    let module = c(
        "int sum(int *p, int n) {
           int s = 0;
           for (int i = 0; i < n; i++)
             s += p[i];
           return s;
         }",
        &["-O0"],
    );
    insta::assert_snapshot!(module);
}

#[test]
fn an_uninitialised_variable_is_marked_and_copied_at_its_read() {
    let module = c(
        "int maybe(int c) {
           int x, y = 3;
           if (c)
             x = 1;
           return x + x + y;
         }",
        &["-O0"],
    );
    insta::assert_snapshot!(module);
    let code = &function(&module, "maybe").code;
    assert_eq!(code.iter().filter(|inst| matches!(inst, Inst::Undefine { .. })).count(), 1);
}

#[test]
fn variables_that_escape_stay_in_memory() {
    let module = c(
        "void use(int *); int escaping(void) { int x = 1, y = 2; volatile int z = 3; use(&x);
           return x + y + z; }
         int narrow(void) { int x = 5; return *(short *)&x; }",
        &["-O0"],
    );
    let is_alloca = |inst: &Inst| matches!(inst, Inst::Alloca { .. });
    assert_eq!(count(function(&module, "escaping"), is_alloca), 2);
    assert_eq!(count(function(&module, "narrow"), is_alloca), 1);
}

#[test]
fn a_swap_of_phis_goes_through_a_temporary() {
    let module = ll("
define i32 @swap(i32 %n, i32 %x, i32 %y) {
entry:
  br label %loop
loop:
  %a = phi i32 [ %x, %entry ], [ %b, %loop ]
  %b = phi i32 [ %y, %entry ], [ %a, %loop ]
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %loop, label %done
done:
  ret i32 %a
}");
    insta::assert_snapshot!(function(&module, "swap"));
}

#[test]
fn critical_edges_are_split() {
    let module = ll("
define i32 @edge(i32 %c, i32 %x) {
entry:
  %p = icmp eq i32 %c, 0
  br i1 %p, label %join, label %other
other:
  switch i32 %c, label %end [ i32 1, label %join
                              i32 2, label %join
                              i32 3, label %end ]
join:
  %v = phi i32 [ 10, %entry ], [ %x, %other ], [ %x, %other ]
  ret i32 %v
end:
  ret i32 7
}");
    let edge = function(&module, "edge");
    insta::assert_snapshot!(edge);
    assert_eq!(count(edge, is_move), 2);
}

#[test]
fn wide_switches_become_comparisons() {
    let module = ll("
define i32 @wide(i65 %x) {
  switch i65 %x, label %other [ i65 0, label %zero ]
zero:
  ret i32 0
other:
  ret i32 1
}");
    let wide = function(&module, "wide");
    assert_eq!(count(wide, |inst| matches!(inst, Inst::Switch(_))), 0);
    assert_eq!(
        count(wide, |inst| {
            matches!(inst, Inst::CompareBranch { predicate: Predicate::Eq, width: 65, .. })
        }),
        1
    );
}

#[test]
fn structs_return_as_scalars() {
    let module = c(
        "struct two { long a; double b; };
         struct two make(long x) { struct two t = {x, 2.5}; return t; }
         double use(void) { return make(3).b; }",
        &["-O0"],
    );
    assert_eq!(function(&module, "make").returns, [64, 64]);
    insta::assert_snapshot!(function(&module, "use"));
}

#[test]
fn addresses_are_folded() {
    let module = c(
        "struct node { int tag; struct { char c; long values[4]; } in[3]; } node;
         long get(struct node *n, int i, unsigned char j) { return n->in[i].values[j + 1]; }
         long *fixed(void) { return &node.in[2].values[1]; }",
        &["-O0"],
    );
    let get = function(&module, "get");
    insta::assert_snapshot!(get);
    let fixed = function(&module, "fixed");
    let node = crate::ir::address::global_address(module.global("node").expect("the variable"));
    let Inst::Return { values } = &fixed.code[0] else { panic!("{fixed}") };
    let OperandKind::Constant(index) = values[0].kind() else { panic!("{fixed}") };
    // 8 bytes for the tag, two elements of 40 bytes, 8 bytes for the character, and one value.
    assert_eq!(fixed.constant(index), Some(&crate::ir::Constant::Int(node + 8 + 2 * 40 + 8 + 8)));
}

#[test]
fn initialisers_hold_addresses() {
    let module = c(
        "int f(void); int numbers[4] = {1, -2};
         struct { char c; int *p; int (*q)(void); double d; } data = {'x', &numbers[1] + 1, f, 1.5};
         extern int elsewhere[3]; int *far = elsewhere; extern int weak __attribute__((weak));
         int *nowhere = &weak; long double wide = 1.0L; const char text[] = \"hi\";",
        &["-O0"],
    );
    let bytes = |name: &str| {
        let id = module.global(name).unwrap_or_else(|| panic!("a variable {name}"));
        &module.globals[id.0 as usize].bytes
    };
    let address = |name: &str| {
        crate::ir::address::global_address(module.global(name).expect("a variable")).to_le_bytes()
    };
    assert_eq!(bytes("numbers")[..8], [1, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff]);
    let data = bytes("data");
    let second = (u64::from_le_bytes(address("numbers")) + 8).to_le_bytes();
    assert_eq!((data.len(), data[0], &data[8..16]), (32, b'x', &second[..]));
    let f = crate::ir::address::function_address(module.function("f").expect("a function"));
    assert_eq!(data[16..24], f.to_le_bytes());
    assert_eq!(data[24..32], 1.5_f64.to_le_bytes());
    assert_eq!(bytes("far")[..], address("elsewhere"));
    assert_eq!(bytes("nowhere")[..], [0; 8], "nobody defines it");
    assert_eq!(bytes("wide")[..10], [0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x3f]);
    assert_eq!(bytes("text")[..], *b"hi\0");
    let elsewhere = &module.globals[module.global("elsewhere").expect("declared").0 as usize];
    assert!(elsewhere.external && elsewhere.bytes.len() == 12);
    let text = &module.globals[module.global("text").expect("defined").0 as usize];
    assert!(text.constant && !text.external);
}

#[test]
fn variadic_calls_tell_floats_apart() {
    let module = c(
        "int printf(const char *, ...);
         struct big { long v[4]; } big;
         void show(int i, float f, char c) { printf(\"%d %f %c\", i, f, c, big); }",
        &["-O0"],
    );
    let show = function(&module, "show");
    let call = show.code.iter().find_map(|inst| match inst {
        Inst::Call(call) => Some(call),
        _ => None,
    });
    let args: Vec<_> = call
        .expect("a call")
        .args
        .iter()
        .map(|argument| (argument.width, argument.float, argument.byval))
        .collect();
    assert_eq!(
        args,
        [
            (64, false, None),
            (32, false, None),
            (64, true, None),
            (32, false, None),
            (64, false, Some(32))
        ]
    );
    assert!(function(&module, "printf").variadic);
}

#[test]
fn places_name_the_file_and_line_as_compiled() {
    let module = c("\n\nint f(int x) {\n  x++;\n  return x;\n}\n", &["-O0"]);
    let f = function(&module, "f");
    let place = f.place.expect("debug information");
    assert_eq!((module.files[place.file.0 as usize].as_str(), place.line), ("test.c", 3));
    let lines: Vec<u32> = f.places.iter().map(|place| place.line).collect();
    assert_eq!(lines, [4, 5]);
    assert!(*f.counts.last().unwrap() > f.code.len() as u32);
}

#[test]
fn without_debug_information_places_are_unknown() {
    let module = ll("source_filename = \"old.c\"\ndefine i32 @f() {\n  ret i32 1\n}\n");
    let f = function(&module, "f");
    assert_eq!((f.place, f.places[0].line), (None, 0));
    assert_eq!(module.files, ["old.c"]);
}

#[test]
fn what_is_not_supported_ends_only_its_path() {
    let module = c(
        "__bf16 half(__bf16 x) { return -x; }
         int cpu(int x) { if (x) asm(\"cpuid\" : : : \"eax\"); return 1; }",
        &["-O0"],
    );
    let gaps = gaps(&module);
    assert_eq!(
        gaps,
        ["fpext: arithmetic in bfloat", "call: inline assembly \"cpuid\""],
        "{module}"
    );
    assert_eq!(count(function(&module, "cpu"), |inst| matches!(inst, Inst::Return { .. })), 1);
}

#[test]
fn endless_loops_and_unreachable_blocks() {
    let module = c("void f(void) { for (;;) ; }", &["-O0"]);
    assert_eq!(function(&module, "f").code, [Inst::Jump { target: Pc(0) }]);
    let module = ll("
define void @g() {
  unreachable
dead:
  %x = add i32 1, %x
  br label %dead
}");
    assert_eq!(function(&module, "g").code, [Inst::Unreachable]);
}

#[test]
fn floats_and_classes() {
    let module = c(
        "double f(double a, float b, int n) { return -a * b + n / 2.0 - __builtin_fabs(b); }
         int nan(double x) { return __builtin_isnan(x) + __builtin_isinf(x); }
         int cut(double x) { return x < 3 ? (int)x : (unsigned)x; }",
        &["-O0"],
    );
    assert_eq!(gaps(&module), [""; 0]);
    insta::assert_snapshot!(function(&module, "f"));
    let f = function(&module, "f");
    assert_eq!(count(f, |inst| matches!(inst, Inst::Binary { op: BinaryOp::And, .. })), 1);
}

#[test]
fn verify_finds_faults() {
    let mut module = c("int f(int x) { int y; if (x) y = 1; return y; }", &["-O0"]);
    let code = &mut module.functions[0].code;
    code.retain(|inst| !matches!(inst, Inst::Undefine { .. }));
    module.functions[0].places.pop();
    module.functions[0].counts.pop();
    for inst in &mut module.functions[0].code {
        inst.targets_mut(|target| target.0 -= 1);
    }
    let error = verify(&module).expect_err("a read before a write");
    assert!(error.fault.contains("before it is written"), "{error}");

    let mut module = c("int f(int x) { return x; }", &["-O0"]);
    module.functions[0].params = vec![64];
    let error = verify(&module).expect_err("another width");
    assert!(error.fault.contains("32 bits"), "{error}");
    module.functions[0].registers = 0;
    assert!(verify(&module).is_err());
}

#[test]
fn mathematics_is_called_by_name() {
    let module = c(
        "double floor(double); float f(float x) { return __builtin_ceilf(x); }
         double g(double x) { return floor(x) + __builtin_floor(x); }",
        &["-O0", "-fno-math-errno"],
    );
    assert_eq!(gaps(&module), [""; 0]);
    insta::assert_snapshot!(module);
}

#[test]
fn constructors_run_in_order() {
    let module = c(
        "__attribute__((constructor(300))) void late(void) {}
         __attribute__((constructor(200))) void early(void) {}",
        &["-O0"],
    );
    let names: Vec<&str> = module
        .constructors
        .iter()
        .map(|id| module.functions[id.0 as usize].name.as_str())
        .collect();
    assert_eq!(names, ["early", "late"]);
}

#[test]
fn wide_numbers_keep_all_bits() {
    let module = c("__int128 f(__int128 x) { return x * (((__int128)7 << 100) + 1); }", &["-O0"]);
    assert_eq!(gaps(&module), [""; 0]);
    let f = function(&module, "f");
    assert!(count(f, |inst| matches!(inst, Inst::Binary { width: 128, .. })) > 0);
    assert!(
        f.constants
            .contains(&crate::ir::Constant::Wide(crate::expr::Bv::from_u128(128, (7 << 100) + 1)))
    );
}

#[test]
fn a_table_of_relative_addresses_holds_addresses() {
    let program = |table: &str| {
        ll(&format!(
            "{table}\n@a = internal constant i32 1\n@b = internal constant i32 2\n\
             declare ptr @llvm.load.relative.i64(ptr, i64)\n\
             define ptr @f(i64 %i) {{\n\
             \x20 %p = call ptr @llvm.load.relative.i64(ptr @t, i64 %i)\n  ret ptr %p\n}}\n"
        ))
    };
    let element = |name: &str| {
        format!(
            "i32 trunc (i64 sub (i64 ptrtoint (ptr @{name} to i64), i64 ptrtoint (ptr @t to i64)) \
             to i32)"
        )
    };
    let both = format!("[2 x i32] [{}, {}]", element("a"), element("b"));
    let known = program(&format!("@t = private unnamed_addr constant {both}"));
    assert!(gaps(&known).is_empty());
    let table = known.globals.iter().find(|global| global.name == "t").expect("it is there");
    assert_eq!((table.bytes.len(), table.external), (16, false));
    let elsewhere = program("@t = external constant [2 x i32]");
    assert_eq!(
        gaps(&elsewhere),
        ["call: a relative address outside a table of relative addresses"]
    );
}

/// A branch that compilers make from an inlined question belongs to the line that asks.
#[test]
fn inlined_questions_have_the_line_that_asks() {
    let text = "int psychic_rev(void);\nint next(void);\n\
                static inline int psychic_at_1(void) {\n\tswitch (psychic_rev()) {\n\
                \tcase 1: case 4: return 1;\n\tcase 2: return 2;\n\tdefault: return 0;\n\t}\n}\n\
                int main(void) {\n\tint n = next();\n\tif (psychic_at_1() == 1) {\n\t\tn = n * 2;\n\
                \t} else if (psychic_at_1() == 2) {\n\t\tn = n / 3;\n\t}\n\treturn n;\n}\n";
    for level in ["-O1", "-O2"] {
        let module = c(text, &[level]);
        let lines: Vec<u32> =
            function(&module, "main").places.iter().map(|place| place.line).collect();
        assert!(
            lines.contains(&12) && lines.iter().all(|line| *line == 0 || *line >= 10),
            "{lines:?}"
        );
    }
}
