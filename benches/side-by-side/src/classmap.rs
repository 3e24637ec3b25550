//! The class map of `unladen classmap`: what making it takes, beside who else makes one, and which file checks it takes
//! off a page.

mod made;
mod maker;
mod pages;

use self::made::Made;
use self::maker::{Maker, Project};
use crate::figures::{Series, print, three};
use crate::{Bench, Options, Result};

pub(crate) use self::maker::measure;

pub(crate) const BENCH: Bench = Bench { name: "classmap", about: "making PHP class maps, and what they take off", run };

/// How many times a peer's time ours is to be: Composer's, and vivacity's where that has no cache.
const AIMS: [(&str, f64); 2] = [("composer", 10.0), ("vivacity", 3.0)];

/// What may explain a difference.
const TWICE: &str = "where two files of one tree declare a class, Composer and vivacity take the one that the disk happens to list \
                     first, another on another disk; ours is the first by name";

fn run(options: &Options) -> Result<()> {
    match Project::copied()? {
        Some(project) => making(&project, options)?,
        None => println!("  (nothing is made, without a tree to make it of)"),
    }
    println!();
    pages::run()
}

/// What making the map of a whole tree takes, from the start of a process to its end.
fn making(project: &Project, options: &Options) -> Result<()> {
    let makers = maker::all()?;
    let mut wall_ms = vec![Series::default(); makers.len()];
    let mut peak_mib = wall_ms.clone();
    let mut ours: Option<Vec<u8>> = None;
    let rounds = options.rounds_or(15);
    // The first round has nobody wait for the disk in the others, and counts for nothing.
    for round in 0..=rounds {
        for (index, maker) in makers.iter().enumerate() {
            let [wall, peak] = maker.make(project)?;
            if round > 0 {
                wall_ms[index].push(wall);
                peak_mib[index].push(peak);
            }
            if maker.is_ours {
                let text = std::fs::read(maker.map(project))?;
                if ours.get_or_insert_with(|| text.clone()) != &text {
                    return Err(format!("{} wrote another map than in the run before", maker.name).into());
                }
            }
        }
    }
    let row = |(index, maker): (usize, &Maker)| {
        let ratio = wall_ms[index].over(&wall_ms[0]).to_string();
        vec![maker.name.clone(), wall_ms[index].to_string(), ratio, peak_mib[index].to_string()]
    };
    let rows: Vec<Vec<String>> = makers.iter().enumerate().map(row).collect();
    println!("{} PHP files, in the page cache; {rounds} rounds", project.php_files()?);
    print(&["the map of a tree", "wall, ms", "ratio", "peak memory, MiB"], &rows);
    for (name, aim) in AIMS {
        // The first of its name has no cache.
        let Some(at) = makers.iter().position(|maker| maker.name.starts_with(name)) else { continue };
        let word = |met: bool| if met { "met" } else { "MISSED" };
        let ratio = wall_ms[at].over(&wall_ms[0]).median();
        println!("aim: {} times as quick as {name}: {} ({})", three(aim), three(ratio), word(ratio >= aim));
        if name == "vivacity" {
            let memory = peak_mib[0].over(&peak_mib[at]).median();
            println!("aim: no more memory than {name}: {} of it ({})", three(memory), word(memory <= 1.0));
        }
    }
    println!("ours: {} bytes, the same after each of {} runs", ours.map_or(0, |text| text.len()), 2 * (rounds + 1));
    agreement(project, &makers)
}

/// That all have made the same map, or what is different.
fn agreement(project: &Project, makers: &[Maker]) -> Result<()> {
    let mut first = Made::default();
    for (index, maker) in makers.iter().enumerate() {
        maker.make(project)?;
        let made = maker.made(project)?;
        if index == 0 {
            first = made;
            continue;
        }
        match first.against(&made) {
            None => println!("{}: the same {} classes in the same files{}", maker.name, made.0.len(), made.exception()),
            Some(differences) => {
                println!("{}: ours against its map: {differences}", maker.name);
                println!("  ({TWICE})");
            }
        }
    }
    Ok(())
}
