//! Finds the smallest decision tree over clusterings made elsewhere: `cargo run --example tree`.

use std::error::Error;

use psychic::{
    report::{Labels, TextStyle, Verdicts, terminal},
    results::{Clustering, TestId},
    subject::{Revision, RevisionSet},
    tree::{Options, minimal},
};

fn main() -> Result<(), Box<dyn Error>> {
    // What each of six patches prints on four tests.
    let printed = [
        (1, ["1", "1", "1", "2", "2", "2"]),
        (2, ["7", "7", "8", "7", "7", "8"]),
        (3, ["0", "5", "5", "5", "5", "5"]),
        (4, ["x", "x", "x", "y", "z", "z"]),
    ];
    let clusterings: Vec<Clustering> = printed
        .into_iter()
        .map(|(test, shown)| Clustering::new(TestId(test), (1..).map(Revision).zip(shown)))
        .collect();
    let patches: RevisionSet = (1..=6).map(Revision).collect();
    let solution = minimal(&patches, &clusterings, &Options::default())?;
    let style = TextStyle::default();
    print!("{}", terminal(&solution.tree, &Labels::default(), &Verdicts::default(), style));
    println!(
        "height {}, {}",
        solution.height,
        match solution.optimal() {
            true => "and no tree is lower".to_owned(),
            false => format!("at least {}", solution.lower_bound),
        }
    );
    Ok(())
}
