//! Which file checks a page of MediaWiki makes, with and without the map.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::made::Made;
use super::maker::printed;
use crate::Result;
use crate::figures::{print, three};
use crate::processes::Processes;
use crate::program::{has, unladen};
use crate::scratch::ScratchFolder;
use crate::subject::Subject;

/// Requests that are looked at in each state.
const REQUESTS: usize = 20;

/// Requests before that: opcache holds all of the page's code then, and MediaWiki's caches its data.
const WARMING: usize = 5;

/// The states of the subject, and whether a map is to answer there.
const STATES: [(&str, bool); 4] = [("before", false), ("before+map", true), ("shipped", false), ("shipped+map", true)];

/// How often PHP asks whether the sources it holds have changed: not in our time. It is no question of an autoloader,
/// and comes in some requests and not in others.
const SETTINGS: &str = "opcache.revalidate_freq = 3600\n";

/// The calls that ask whether a file is there, and of what kind it is.
const CALLS: &str = "trace=stat,lstat,newfstatat,statx,access,faccessat,faccessat2,readlink,readlinkat";

/// A process asks the kernel about a path.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Check {
    path: String,
    there: bool,
}

/// The checks of one state; all of them are of paths that end in `.php`.
struct Counts {
    all: usize,
    missing: usize,
    of_mapped: usize,
    /// One of the latter.
    example: Option<String>,
}

pub(super) fn run() -> Result<()> {
    if !has("strace") {
        return Ok(());
    }
    let ours = unladen()?;
    let variables = [("UNLADEN", ours.clone()), ("UNLADEN_WORKERS", "1".into()), ("UNLADEN_CLASSMAP", "before".into())];
    let variables = variables.map(|(name, value)| (name.to_owned(), value));
    let wiki = Subject::up_with("mediawiki", variables.to_vec())?;
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
        // Long paths are to be whole.
        let options = ["-s", "4096", "-e", CALLS];
        let work = || (0..REQUESTS).try_for_each(|_| get(&wiki.url));
        let (log, ()) = Processes(wiki.processes()?).traced(&options, &scratch.path("strace"), work)?;
        let checks: Vec<Check> = log.lines().filter_map(check).collect();
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
    let mut command = Command::new(unladen);
    command.args(["classmap", "--emit", "json", "--settings"]).arg(state.join("LocalSettings.php")).arg(&tree);
    Ok(Made::of_json(&printed(&mut command)?, &tree)?.0.values().map(|path| real(Path::new(path))).collect())
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// `PID newfstatat(AT_FDCWD, "/path", {…}, 0) = 0`
fn check(line: &str) -> Option<Check> {
    let (call, result) = line.rsplit_once(" = ")?;
    let path = call.split('"').nth(1).filter(|path| !path.is_empty())?;
    Some(Check { path: path.to_owned(), there: !result.starts_with('-') })
}

/// Requests a page, and looks that it is answered.
fn get(url: &str) -> Result<()> {
    printed(Command::new("curl").args(["-sf", "-m", "60", url])).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_strace_are_understood() {
        let there = r#"71 newfstatat(AT_FDCWD, "/a/B.php", {st_mode=S_IFREG|0644, st_size=5, ...}, 0) = 0"#;
        assert_eq!(check(there), Some(Check { path: "/a/B.php".into(), there: true }));
        let missing = r#"71 access("/a/C.php", F_OK) = -1 ENOENT (No such file or directory)"#;
        assert_eq!(check(missing), Some(Check { path: "/a/C.php".into(), there: false }));
        // Of an open file, and what strace says of itself.
        assert_eq!(check(r#"71 newfstatat(5, "", {st_mode=S_IFSOCK|0777, ...}, AT_EMPTY_PATH) = 0"#), None);
        assert_eq!(check("71 +++ exited with 0 +++"), None);
    }
}
