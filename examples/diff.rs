//! Tells the patches of a subject apart: `cargo run --release --example diff patches/smallest`.

use std::{env, error::Error, path::Path};

use psychic::{
    results::Verdict,
    session::{Event, Options, Session},
    subject::Subject,
};

fn main() -> Result<(), Box<dyn Error>> {
    // A helper process confines native runs; it is this executable, started a second time.
    psychic::replay::sandbox_helper();
    let directory = env::args().nth(1).ok_or("usage: diff SUBJECT [RESULTS]")?;
    let subject = Subject::load(Path::new(&directory))?;
    let mut tell = |event: Event<'_>| {
        if let Event::SetAside(row) = event {
            eprintln!("{} is set aside: {}", row.patch, row.reason);
        }
    };
    let findings = Session::new(subject, Options::default())?.diff(&mut tell)?;
    for pair in findings.pairs() {
        match (pair.verdict, pair.test) {
            (Verdict::Distinguished, Some(test)) => {
                println!("{} and {} differ on test {test}: {}", pair.a, pair.b, pair.output);
            }
            (Verdict::Unknown, _) => println!("{} and {}: {}", pair.a, pair.b, pair.reason),
            _ => println!("{} and {}: {}", pair.a, pair.b, pair.verdict),
        }
    }
    println!("{} questions tell apart all that differ", findings.tree().height());
    if let Some(results) = env::args().nth(2) {
        findings.write(Path::new(&results))?;
    }
    Ok(())
}
