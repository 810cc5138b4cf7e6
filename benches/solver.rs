//! Times the solver chain on the comparison tree of sorting six symbolic 32-bit values. The tree
//! has 720 leaves and is walked depth first, with one query for each arm of each comparison.

use std::{hint::black_box, time::Duration};

use criterion::{Criterion, criterion_group, criterion_main};
use psychic::{
    expr::{ExprId, Exprs},
    solver::{Query, Solver, SolverConfig, Verdict, bitwuzla::Incremental, chain},
};

const VALUES: usize = 6;

struct Walk<'a> {
    exprs: &'a Exprs,
    solver: &'a mut dyn Solver,
    path: Vec<ExprId>,
    leaves: usize,
    queries: usize,
}

impl<'a> Walk<'a> {
    fn run(exprs: &'a Exprs, solver: &'a mut dyn Solver) -> (usize, usize) {
        let values = (0..VALUES).map(|i| exprs.input(&format!("v{i}"), 32)).collect();
        let mut walk = Self { exprs, solver, path: Vec::new(), leaves: 0, queries: 0 };
        walk.bubble(values, 0, VALUES - 1);
        (walk.leaves, walk.queries)
    }

    /// Bubble sort, whose later comparisons are often decided by earlier ones.
    fn bubble(&mut self, values: Vec<ExprId>, at: usize, end: usize) {
        if end == 0 {
            self.leaves += 1;
            return;
        }
        if at == end {
            return self.bubble(values, 0, end - 1);
        }
        let less = self.exprs.slt(values[at + 1], values[at]);
        for condition in [less, self.exprs.not(less)] {
            self.queries += 1;
            let query = Query { path_condition: &self.path, goals: &[condition], model: None };
            if !matches!(self.solver.check(self.exprs, query), Verdict::Sat(_)) {
                continue;
            }
            self.path.push(condition);
            let mut next = values.clone();
            if condition == less {
                next.swap(at, at + 1);
            }
            self.bubble(next, at + 1, end);
            self.path.pop();
        }
    }
}

fn sorting(criterion: &mut Criterion) {
    let config = SolverConfig { check_models: false, ..SolverConfig::default() };
    {
        let (exprs, mut solver) = (Exprs::new(), chain(&config));
        let (leaves, queries) = Walk::run(&exprs, &mut *solver);
        println!("{leaves} leaves, {queries} queries");
        for layer in solver.statistics() {
            println!("{layer:?}");
        }
    }
    let mut group = criterion.benchmark_group("sort six values");
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    group.bench_function("chain", |bencher| {
        bencher.iter(|| {
            let (exprs, mut solver) = (Exprs::new(), chain(&config));
            black_box(Walk::run(&exprs, &mut *solver))
        });
    });
    group.bench_function("back end alone", |bencher| {
        bencher.iter(|| {
            let (exprs, mut solver) = (Exprs::new(), Incremental::new(config.timeout));
            black_box(Walk::run(&exprs, &mut solver))
        });
    });
    group.finish();
}

criterion_group! {
    name = benches;
    // Plots need a font, which a build machine may lack.
    config = Criterion::default().without_plots();
    targets = sorting
}
criterion_main!(benches);
