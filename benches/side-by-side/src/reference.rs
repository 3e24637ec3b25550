//! How repeatable the pieces of reference work are, and what neighbours do to them and to an application.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use unladen_machine::{ReferenceKind, ReferenceWork};

use crate::figures::{Series, print, three};
use crate::{Bench, Options, Result, figures};

pub(crate) const BENCH: Bench =
    Bench { name: "reference", about: "reference work: how repeatable it is, and what neighbours do to it", run };

/// Pieces of each kind in one round.
const PIECES: usize = 40;
/// Between two pieces.
const PAUSE: Duration = Duration::from_millis(2);
/// What a neighbour goes through again and again: more than any cache of its own.
const NEIGHBOURS_WORDS: usize = 8 * 1024 * 1024;

/// What else the machine does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Neighbours {
    None,
    Arithmetic,
    Memory,
}

const SITUATIONS: [(&str, Neighbours); 3] = [
    ("alone", Neighbours::None),
    ("arithmetic on all other processors", Neighbours::Arithmetic),
    ("memory on all other processors", Neighbours::Memory),
];

/// The kinds of pieces, and the application after them.
const ROWS: usize = ReferenceKind::ALL.len() + 1;

fn run(options: &Options) -> Result<()> {
    let mut work = ReferenceWork::new(1)?;
    let mut medians: Vec<Vec<Series>> = vec![vec![Series::default(); ROWS]; SITUATIONS.len()];
    let mut spread = vec![Series::default(); ROWS];
    for _ in 0..options.rounds_or(11) {
        for ((_, neighbours), medians) in SITUATIONS.iter().zip(&mut medians) {
            let load = Load::start(*neighbours);
            let times = round(&mut work)?;
            drop(load);
            for ((times, median), spread) in times.into_iter().zip(medians).zip(&mut spread) {
                median.push(quantile(&times, 0.5));
                if *neighbours == Neighbours::None {
                    spread.push((quantile(&times, 0.75) / quantile(&times, 0.25) - 1.0) * 100.0);
                }
            }
        }
    }
    let Some(alone) = medians.first() else { return Ok(()) };
    let names = ReferenceKind::ALL.map(|kind| kind.into_str()).into_iter().chain(["an application"]);
    let rows: Vec<Vec<String>> = names
        .enumerate()
        .map(|(row, name)| {
            let mut cells = vec![name.to_owned(), alone[row].to_string(), three(spread[row].median())];
            cells.extend(medians[1..].iter().map(|situation| situation[row].over(&alone[row]).to_string()));
            cells
        })
        .collect();
    println!("\nCPU time of a piece; medians of {PIECES} pieces a round; ratios to the same round alone");
    print(&["", "alone, µs", "middle half, %", SITUATIONS[1].0, SITUATIONS[2].0], &rows);
    println!("\nThe application in all rounds and situations, as a part of the median");
    let application: Vec<f64> = medians.iter().flat_map(|rows| rows[ROWS - 1].values().to_vec()).collect();
    let yardstick = geometric_means(&medians);
    let in_units: Vec<f64> = application.iter().zip(&yardstick).map(|(time, unit)| time / unit).collect();
    let rows = [("in ns", application), ("in units of the reference", in_units)];
    print(&["", "middle half", "all"], &rows.map(|(name, values)| spread_row(name, &values)));
    Ok(())
}

/// Of the kinds of pieces, by situation and round.
fn geometric_means(medians: &[Vec<Series>]) -> Vec<f64> {
    let of_situation = |rows: &Vec<Series>| -> Vec<f64> {
        let kinds = &rows[..ROWS - 1];
        let of_round = |round: usize| {
            let logarithms = kinds.iter().filter_map(|kind| kind.values().get(round)).map(|time| time.ln());
            (logarithms.sum::<f64>() / kinds.len() as f64).exp()
        };
        (0..kinds[0].values().len()).map(of_round).collect()
    };
    medians.iter().flat_map(of_situation).collect()
}

fn spread_row(name: &str, values: &[f64]) -> Vec<String> {
    let part = |share: f64| format!("{:.3}", quantile(values, share) / quantile(values, 0.5));
    vec![name.to_owned(), format!("{} … {}", part(0.25), part(0.75)), format!("{} … {}", part(0.0), part(1.0))]
}

/// CPU times in µs, by row.
fn round(work: &mut ReferenceWork) -> Result<Vec<Vec<f64>>> {
    let mut times = vec![Vec::new(); ROWS];
    for _ in 0..PIECES {
        for _ in ReferenceKind::ALL {
            std::thread::sleep(PAUSE);
            let sample = work.run_one()?;
            let row = ReferenceKind::ALL.iter().position(|kind| *kind == sample.kind).ok_or("a kind without a row")?;
            times[row].push(sample.cpu_ns as f64 / 1e3);
        }
        std::thread::sleep(PAUSE);
        let before = thread_us()?;
        application();
        times[ROWS - 1].push(thread_us()? - before);
    }
    Ok(times)
}

/// What scripts of web pages do: texts are put together, looked up, and freed.
fn application() {
    let mut index: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for number in 0..2_000_u64 {
        let key = format!("user:{}", number.wrapping_mul(2_654_435_761) % 500);
        index.entry(key).or_default().push(format!("<li class=\"row\">{number}</li>"));
    }
    let mut page = String::new();
    for (user, rows) in &index {
        // Writing to a String does not fail.
        let _ = write!(page, "<ul id=\"{user}\">{}</ul>", rows.concat());
    }
    black_box(page.replace("row", "column"));
}

fn thread_us() -> Result<f64> {
    let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)?;
    Ok(time.tv_sec() as f64 * 1e6 + time.tv_nsec() as f64 / 1e3)
}

fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    figures::quantile(&sorted, share).unwrap_or(f64::NAN)
}

/// Threads that keep all processors but one busy, until this is dropped.
struct Load {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Load {
    fn start(neighbours: Neighbours) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let count = if neighbours == Neighbours::None { 0 } else { (processors - 1).max(1) };
        let stop = Arc::new(AtomicBool::new(false));
        let thread = |_| {
            let stop = stop.clone();
            std::thread::spawn(move || be_a_neighbour(neighbours, &stop))
        };
        Self { threads: (0..count).map(thread).collect(), stop }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // One that panicked has stopped as well.
            let _ = thread.join();
        }
    }
}

fn be_a_neighbour(neighbours: Neighbours, stop: &AtomicBool) {
    let words = if neighbours == Neighbours::Memory { NEIGHBOURS_WORDS } else { 512 };
    let mut buffer = vec![1_u64; words];
    while !stop.load(Ordering::Relaxed) {
        for chunk in buffer.chunks_mut(64 * 1024) {
            chunk.iter_mut().for_each(|word| *word = word.wrapping_mul(3));
            if stop.load(Ordering::Relaxed) {
                break;
            }
        }
        black_box(&mut buffer);
    }
}
