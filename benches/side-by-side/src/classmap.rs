//! The class map of `unladen classmap`: what making it takes, beside who else makes one; how soon a change is in it;
//! and which file checks it takes off a page.

mod made;
mod maker;
mod making;
mod measure;
mod pages;
mod project;
mod strace;
mod watching;

use crate::{Bench, Options, Result};

pub(crate) use measure::measure;

pub(crate) const BENCH: Bench =
    Bench { name: "classmap", about: "making PHP class maps, keeping them up to date, and what they take off", run };

fn run(options: &Options) -> Result<()> {
    match project::Project::copied()? {
        Some(project) => {
            making::run(&project, options)?;
            println!();
            watching::run(&project)?;
        }
        None => println!("  (nothing is made, without a tree to make it of)"),
    }
    println!();
    pages::run()
}
