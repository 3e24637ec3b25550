//! What making the map of a whole tree takes, from the start of a process to its end.

use super::made::Made;
use super::maker::{self, Maker};
use super::measure::Took;
use super::project::Project;
use crate::figures::{Series, print, three};
use crate::{Options, Result};

/// How many times a peer's time ours is to be: Composer's, and vivacity's where that has no cache.
const AIMS: [(&str, f64); 2] = [("composer", 10.0), ("vivacity", 3.0)];

/// What may explain a difference.
const TWICE: &str = "where two files of one tree declare a class, Composer and vivacity take the one that the disk happens to list \
                     first, another on another disk; ours is the first by name";

/// The figures of one maker.
#[derive(Clone, Default)]
struct Figures {
    wall_ms: Series,
    peak_mib: Series,
}

pub(super) fn run(project: &Project, options: &Options) -> Result<()> {
    let makers = maker::all()?;
    let mut figures = vec![Figures::default(); makers.len()];
    let mut ours: Option<Vec<u8>> = None;
    let rounds = options.rounds_or(15);
    // The first round has nobody wait for the disk in the others, and counts for nothing.
    for round in 0..=rounds {
        for (maker, figures) in makers.iter().zip(&mut figures) {
            let Took { wall_ms, peak_mib } = maker.make(project)?;
            if round > 0 {
                figures.wall_ms.push(wall_ms);
                figures.peak_mib.push(peak_mib);
            }
            if maker.is_ours() {
                let text = maker.text(project)?;
                if ours.get_or_insert_with(|| text.clone()) != &text {
                    return Err(format!("{} wrote another map than in the run before", maker.name).into());
                }
            }
        }
    }
    let first = &figures[0];
    let rows: Vec<Vec<String>> = makers
        .iter()
        .zip(&figures)
        .map(|(maker, figures)| {
            let name = maker.name.clone();
            let ratio = figures.wall_ms.over(&first.wall_ms).to_string();
            vec![name, figures.wall_ms.to_string(), ratio, figures.peak_mib.to_string()]
        })
        .collect();
    println!("{} PHP files, in the page cache; {rounds} rounds", project.php_files()?);
    print(&["the map of a tree", "wall, ms", "ratio", "peak memory, MiB"], &rows);
    for (name, aim) in AIMS {
        // The first of its name has no cache.
        if let Some(at) = makers.iter().position(|maker| maker.name.starts_with(name)) {
            let ratio = figures[at].wall_ms.over(&first.wall_ms).median();
            let met = if ratio >= aim { "met" } else { "MISSED" };
            println!("aim: {} times as quick as {name}: {} ({met})", three(aim), three(ratio));
            if name == "vivacity" {
                let memory = first.peak_mib.over(&figures[at].peak_mib).median();
                let met = if memory <= 1.0 { "met" } else { "MISSED" };
                println!("aim: no more memory than {name}: {} of it ({met})", three(memory));
            }
        }
    }
    println!("ours: {} bytes, the same after each of {} runs", ours.map_or(0, |text| text.len()), 2 * (rounds + 1));
    agreement(project, &makers)
}

/// That all have made the same map, or what is different.
fn agreement(project: &Project, makers: &[Maker]) -> Result<()> {
    let mut made = Vec::new();
    for maker in makers {
        maker.make(project)?;
        made.push(maker.made(project)?);
    }
    for (maker, theirs) in makers.iter().zip(&made).skip(1) {
        let classes = theirs.0.len();
        match made[0].against(theirs) {
            None => println!("{}: the same {classes} classes in the same files{}", maker.name, exception(theirs)),
            Some(differences) => {
                println!("{}: ours against its map: {differences}", maker.name);
                println!("  ({TWICE})");
            }
        }
    }
    Ok(())
}

/// The one class on which makers differ, and need not agree.
fn exception(made: &Made) -> String {
    match made.without_file().as_slice() {
        [] => String::new(),
        missing => format!(", but for what it maps to a file that is not there: {}", missing.join(", ")),
    }
}
