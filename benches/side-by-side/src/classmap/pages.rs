//! Which file checks a page of MediaWiki makes, with and without the map.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::made::Made;
use super::strace::{Check, checks, get};
use crate::figures::{print, three};
use crate::scratch::ScratchFolder;
use crate::subject::Subject;
use crate::{Result, peers, unladen};

/// Requests that are looked at in each state.
const REQUESTS: usize = 20;

/// Requests before that: opcache holds all of the page's code then, and MediaWiki's caches its data.
const WARMING: usize = 5;

/// The states of the subject, and whether a map is to answer there.
const STATES: [(&str, bool); 4] = [("before", false), ("before+map", true), ("shipped", false), ("shipped+map", true)];

/// How often PHP asks whether the sources it holds have changed: not in our time. It is no question of an autoloader,
/// and comes in some requests and not in others.
const SETTINGS: &str = "opcache.revalidate_freq = 3600\n";

/// The checks of one state; all of them are of paths that end in `.php`.
struct Counts {
    all: usize,
    missing: usize,
    of_mapped: usize,
    /// One of the latter.
    example: Option<String>,
}

pub(super) fn run() -> Result<()> {
    if !peers::has("strace") {
        return Ok(());
    }
    let ours = unladen::built()?;
    let variables =
        vec![("UNLADEN", ours.clone()), ("UNLADEN_WORKERS", "1".into()), ("UNLADEN_CLASSMAP", "before".into())];
    let wiki = Subject::up_with("mediawiki", variables)?;
    let state = wiki.state()?;
    let scratch = ScratchFolder::new()?;
    fs::write(state.join("php.d/bench.ini"), SETTINGS)?;
    let mut rows = Vec::new();
    let mut asked = None;
    for (word, mapped) in STATES {
        fs::write(state.join("classmap"), format!("{word}\n"))?;
        wiki.run("restart")?;
        let files = files(&ours, &state, word)?;
        for _ in 0..WARMING {
            get(&wiki.url)?;
        }
        let checks = checks(&wiki.processes()?, &scratch.path("strace"), || {
            (0..REQUESTS).try_for_each(|_| get(&wiki.url).map(drop))
        })?;
        let counts = count(&checks, &files);
        let each = |count: usize| three(count as f64 / REQUESTS as f64);
        rows.push(vec![word.to_owned(), each(counts.all), each(counts.missing), each(counts.of_mapped)]);
        if let Some(example) = counts.example.filter(|_| mapped) {
            asked.get_or_insert(format!("{word}: files of mapped classes are checked, as {example}"));
        }
    }
    println!(
        "{REQUESTS} requests of MediaWiki's main page, as strace -f saw its servers; checks of paths that end in .php"
    );
    print(&["a request", "checks", "of files that are not there", "of files of mapped classes"], &rows);
    asked.map_or(Ok(()), |asked| Err(asked.into()))
}

fn count(checks: &[Check], files: &BTreeSet<PathBuf>) -> Counts {
    let of_php: Vec<&Check> = checks.iter().filter(|check| check.path.ends_with(".php")).collect();
    let of_mapped: Vec<&&Check> = of_php.iter().filter(|check| files.contains(&real(Path::new(&check.path)))).collect();
    Counts {
        all: of_php.len(),
        missing: of_php.iter().filter(|check| !check.there).count(),
        of_mapped: of_mapped.len(),
        example: of_mapped.first().map(|check| check.path.clone()),
    }
}

/// The files of a state's map, by their real paths: the tree has links.
fn files(unladen: &Path, state: &Path, word: &str) -> Result<BTreeSet<PathBuf>> {
    let tree = if word.starts_with("before") { state.join("before") } else { "/usr/share/mediawiki".into() };
    let output = Command::new(unladen)
        .args(["classmap", "--emit", "json", "--settings"])
        .arg(state.join("LocalSettings.php"))
        .arg(&tree)
        .stdin(Stdio::null())
        .output()?;
    if !output.status.success() {
        return Err(format!("unladen classmap: {}", String::from_utf8_lossy(&output.stderr).trim()).into());
    }
    Ok(Made::of_json(&output.stdout, &tree)?.0.values().map(|path| real(Path::new(path))).collect())
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
