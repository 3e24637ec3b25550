//! The store of runs: what a list, a filter and one more run take in a large store, beside a small one.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use unladen_store::{Filter, Location, Mode, NewRun, Position, RunId, Store, open};

use crate::figures::{Series, print, three};
use crate::scratch::ScratchFolder;
use crate::{Bench, Options, Result};

pub(crate) const BENCH: Bench =
    Bench { name: "store", about: "the store of runs: lists, filters and one more run, in SQLite", run };

/// The stores that take turns.
const SIZES: [usize; 2] = [1_000, 100_000];

/// Runs that are made in one transaction.
const TOGETHER: usize = 1_000;

/// So many URLs take turns.
const TARGETS: usize = 200;

/// The document of a run of `weigh` with some hundred weights has so many bytes.
const DOCUMENT: usize = 12_000;

/// A list's first page takes at most so long.
const PAGE_MS: f64 = 50.0;

/// Something that is done to a store.
struct Action {
    name: &'static str,
    act: fn(&mut Kept) -> Result<()>,
}

/// A store with what the actions need to know of it.
struct Kept {
    store: Box<dyn Store>,
    location: Location,
    runs: usize,
    middle: Position,
    id: RunId,
}

const ACTIONS: &[Action] = &[
    Action { name: "open it, for the number of runs", act: again },
    Action { name: "the first page", act: |kept| page(kept, Filter::default(), 100) },
    Action {
        name: "a page in the middle",
        act: |kept| page(kept, Filter { before: Some(kept.middle), ..Filter::default() }, 100),
    },
    Action { name: "count all", act: |kept| count(kept, Filter::default(), kept.runs) },
    Action {
        name: "a target's first page",
        act: |kept| page(kept, Filter { target: Some("/page/7/".into()), ..Filter::default() }, kept.runs / TARGETS),
    },
    Action {
        name: "a target that is not there",
        act: |kept| page(kept, Filter { target: Some("/nowhere".into()), ..Filter::default() }, 0),
    },
    Action {
        name: "exactly a target's",
        act: |kept| page(kept, Filter { exact_target: Some(target(7)), ..Filter::default() }, kept.runs / TARGETS),
    },
    Action {
        name: "a label of every run",
        act: |kept| page(kept, Filter { labels: label("branch", "main"), ..Filter::default() }, 100),
    },
    Action {
        name: "a label of one run",
        act: |kept| page(kept, Filter { labels: label("build", "17"), ..Filter::default() }, 1),
    },
    Action { name: "a commit's", act: |kept| page(kept, Filter { commit: Some(commit(5)), ..Filter::default() }, 10) },
    Action {
        name: "verb, target and label",
        act: |kept| {
            let filter = Filter {
                verb: Some("weigh".into()),
                target: Some("/page/7/".into()),
                labels: label("branch", "main"),
                ..Filter::default()
            };
            page(kept, filter, kept.runs / TARGETS)
        },
    },
    Action {
        name: "a run with its document",
        act: |kept| same(kept.store.run(kept.id)?.document.len() > DOCUMENT, "a document is short"),
    },
    Action {
        name: "keep one more, and remove it",
        act: |kept| {
            let id = kept.store.keep(&one(kept.runs))?;
            same(kept.store.remove(&[id])? == 1, "a run was not kept")
        },
    },
];

fn run(options: &Options) -> Result<()> {
    let folder = ScratchFolder::new()?;
    let mut stores = Vec::new();
    for runs in SIZES {
        let begun = Instant::now();
        let path = folder.path(&format!("{runs}.sqlite"));
        let kept = fill(&path, runs)?;
        let (seconds, bytes) = (begun.elapsed().as_secs_f64(), size(&path)?);
        println!(
            "  {runs} runs: made in {} s, {} a second; {} MiB, {} KiB a run of {} KiB",
            three(seconds),
            three(runs as f64 / seconds),
            bytes >> 20,
            three(bytes as f64 / runs as f64 / 1024.0),
            three(DOCUMENT as f64 / 1024.0),
        );
        stores.push(kept);
    }
    let mut figures = vec![[Series::default(), Series::default()]; ACTIONS.len()];
    for _ in 0..options.rounds_or(21) {
        for (action, series) in ACTIONS.iter().zip(&mut figures) {
            for (kept, series) in stores.iter_mut().zip(series) {
                let begun = Instant::now();
                (action.act)(kept)?;
                series.push(begun.elapsed().as_secs_f64() * 1e3);
            }
        }
    }
    let rows: Vec<Vec<String>> = ACTIONS
        .iter()
        .zip(&figures)
        .map(|(action, [small, large])| {
            vec![action.name.to_owned(), small.to_string(), large.to_string(), large.over(small).to_string()]
        })
        .collect();
    println!();
    print(&["ms", "of 1,000 runs", "of 100,000 runs", "ratio"], &rows);
    let slow = ACTIONS.iter().zip(&figures).filter(|(_, [_, large])| large.median() > PAGE_MS);
    let slow: Vec<&str> = slow.map(|(action, _)| action.name).collect();
    let verdict = if slow.is_empty() { "met".to_owned() } else { format!("missed by: {}", slow.join(", ")) };
    println!("\n  aim: at most {PAGE_MS} ms each with 100,000 runs: {verdict}");
    Ok(())
}

fn fill(path: &Path, runs: usize) -> Result<Kept> {
    let location = Location::Sqlite(path.to_owned());
    let mut store = open(&location, Mode::ReadWrite)?;
    let mut ids = Vec::new();
    for first in (0..runs).step_by(TOGETHER) {
        let some: Vec<NewRun> = (first..runs.min(first + TOGETHER)).map(one).collect();
        ids.extend(store.keep_all(&some)?);
    }
    let id = ids[runs / 2];
    let middle = store.run(id)?.summary.position();
    Ok(Kept { store, location, runs, middle, id })
}

/// What a store takes on the disk, its log of changes with it.
fn size(path: &Path) -> Result<u64> {
    let log = path.with_extension("sqlite-wal");
    Ok(path.metadata()?.len() + log.metadata().map_or(0, |log| log.len()))
}

/// The run of this number: one of several URLs, ten of a commit.
fn one(number: usize) -> NewRun {
    let mut labels = label("branch", "main");
    labels.insert("build".to_owned(), number.to_string());
    NewRun {
        verb: if number % 10 == 3 { "load" } else { "weigh" }.to_owned(),
        target: target(number % TARGETS),
        time_ns: 1_790_000_000_000_000_000 + i64::try_from(number).unwrap_or(0) * 60_000_000_000,
        host: format!("runner-{}", number % 4),
        version: "0.1.0".to_owned(),
        ended: "done".to_owned(),
        commit: Some(commit(number / 10)),
        dirty: false,
        labels,
        document: document(number),
        evidence: None,
    }
}

fn target(number: usize) -> String {
    format!("https://wiki.example/page/{number}/index.php?title=Main_Page&action=view")
}

/// Forty digits that begin differently, as those of git do.
fn commit(number: usize) -> String {
    let mixed = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    format!("{mixed:016x}{mixed:016x}{number:08x}")
}

fn label(key: &str, value: &str) -> BTreeMap<String, String> {
    BTreeMap::from([(key.to_owned(), value.to_owned())])
}

/// A result with weights that differ from run to run.
fn document(number: usize) -> String {
    let mut state = number as u64;
    let mut digits = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 40
    };
    let mut weights = String::new();
    while weights.len() < DOCUMENT {
        let (value, low, high) = (digits(), digits(), digits());
        weights.push_str(&format!(
            "{{\"group\": \"www-data php-fpm8.2\", \"counter\": \"cpu\", \"unit\": \"ns\", \"per_request\": {value}.25, \
             \"low\": {low}.5, \"high\": {high}.75, \"follows\": true}},"
        ));
    }
    let weights = weights.trim_end_matches(',');
    format!("{{\"schema\": \"unladen.weigh/1\", \"weights\": [{weights}]}}")
}

fn page(kept: &mut Kept, filter: Filter, expected: usize) -> Result<()> {
    let page = kept.store.list(&filter)?;
    same(page.len() == expected.min(filter.limit as usize), "a page has another length")
}

fn count(kept: &mut Kept, filter: Filter, expected: usize) -> Result<()> {
    same(kept.store.count(&filter)? == expected as u64, "a count is another")
}

fn again(kept: &mut Kept) -> Result<()> {
    let mut store = open(&kept.location, Mode::ReadOnly)?;
    same(store.count(&Filter::default())? == kept.runs as u64, "a count is another")
}

/// What would be quick because it is wrong ends the bench.
fn same(is_so: bool, otherwise: &str) -> Result<()> {
    if is_so { Ok(()) } else { Err(otherwise.into()) }
}
