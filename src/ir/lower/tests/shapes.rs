use super::*;
#[test]
fn smoke() {
    let m = c("int max(int a, int b) { int r; if (a > b) r = a; else r = b; return r; } int sum(int *p, int n){int s=0; for(int i=0;i<n;i++) s+=p[i]; return s;}", &["-O0"]);
    println!("{m}");
    let m = c("int max(int a, int b) { int r; if (a > b) r = a; else r = b; return r; } int sum(int *p, int n){int s=0; for(int i=0;i<n;i++) s+=p[i]; return s;}", &["-O1"]);
    println!("{m}");
}
