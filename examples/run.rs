use psychic::{exec::*, env::stdin::Stdin, solver::*, expr::*, subject::*};
struct No; impl Solver for No { fn check(&mut self,_:&Exprs,_:Query<'_>)->Verdict{panic!("solver")} fn statistics(&self)->Vec<LayerStatistics>{vec![]} }
fn main(){ let p=std::env::args().nth(1).unwrap(); let m=psychic::ir::lower::load(p.as_ref()).unwrap();
 let program=Program::new(m); let s=program.start(Start{entry:"main".into(),revisions:[Revision(0)].into_iter().collect(),args:vec![Argument::Text(b"p".to_vec())],stdin:Stdin::bytes(vec![])}).unwrap();
 let t=std::time::Instant::now();
 let h=Executor::run(&program,Limits{instructions:u64::MAX,concretisations:64},&mut No,s,Quantum{instructions:u64::MAX,forks:u64::MAX,deadline:None});
 for x in &h.halted { println!("{} at {:?}; {} instr; stdout={:?}", x.halt, x.place, x.instructions, String::from_utf8_lossy(&x.world.stdout.as_bytes().unwrap_or_default())); }
 let e=t.elapsed().as_secs_f64(); println!("{} instructions {:.3}s {:.1} M/s", h.instructions, e, h.instructions as f64/e/1e6);
}
