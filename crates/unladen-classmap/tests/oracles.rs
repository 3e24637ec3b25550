//! The scan of PHP files against those who should know: PHP's own scanner, and Composer's class map generator. Over the
//! PHP files of whole applications and libraries, and over the traps in `oracles/traps`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up fails")]

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use bstr::BString;
use unladen_classmap::php::{Kind, Scan, scan};

/// A declaration: what, which, and on which line.
type Declared = (String, BString, u64);

const TREES: [&str; 3] = ["/usr/share/mediawiki", "/usr/share/phpmyadmin", "/usr/share/php"];
/// Fewer files than these are not those trees.
const FEWEST: usize = 7000;

/// Where Composer differs in those trees, as the test tells it, and why: nowhere. The traps are where it does.
const KNOWN: &[(&str, &str)] = &[];
/// And in the traps.
const TRAPS: &[(&str, &str)] = &[
    (
        r#"/html.php: Composer ["Fake2", "A", "C"], scan ["A", "C"]"#,
        "it takes any `<?` for PHP, `<?xml` too, where PHP takes none without short_open_tag",
    ),
    (
        r#"/names.php: Composer ["A\\B", "C", "D\\Class\\Enum\\E", "D\\Class\\Enum\\as", "D\\Class\\Enum\\as", "D\\Class\\Enum\\as", "D\\Class\\Enum\\xor", "D\\Class\\Enum\\F", "O\\P"], scan ["A\\B", "C", "D\\Class\\Enum\\E", "D\\Class\\Enum\\F", "O\\P"]"#,
        "it takes methods and properties named like a keyword for declarations, of the word behind them",
    ),
    (
        r#"/texts.php: Composer ["A", "Fake", "Fake", "Fake", "E", "F", "Fake", "Fakenull"], scan ["A", "B", "C", "D", "E", "F", "G", "H", "I", "K", "L"]"#,
        "to it a string ends at the first quote, also at one within `{$…}`; backticks are no string, and `__halt_compiler` does not end the file",
    ),
];

fn here(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracles").join(name)
}

/// All PHP files below a folder, by their true paths.
fn add(folder: &Path, files: &mut BTreeSet<PathBuf>, seen: &mut BTreeSet<PathBuf>) {
    let folder = folder.canonicalize().unwrap_or_else(|error| {
        panic!("{}: {error}: it comes with packages that scripts/test installs: run that", folder.display())
    });
    if !seen.insert(folder.clone()) {
        return;
    }
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add(&path, files, seen);
        } else if path.is_file() && path.extension().is_some_and(|ending| ending == "php" || ending == "inc") {
            files.insert(path.canonicalize().unwrap());
        }
    }
}

fn trees() -> Vec<PathBuf> {
    let (mut files, mut seen) = (BTreeSet::new(), BTreeSet::new());
    for tree in TREES {
        add(Path::new(tree), &mut files, &mut seen);
    }
    assert!(
        files.len() >= FEWEST,
        "{} files, of at least {FEWEST}: run scripts/test, which installs their packages",
        files.len()
    );
    files.into_iter().collect()
}

fn traps() -> Vec<PathBuf> {
    let mut files = BTreeSet::new();
    add(&here("traps"), &mut files, &mut BTreeSet::new());
    files.into_iter().collect()
}

/// What a PHP script says about each of the files.
fn ask(script: &str, files: &[PathBuf]) -> Vec<Vec<serde_json::Value>> {
    let mut php = Command::new("php")
        .args(["-d", "memory_limit=-1", "-d", "short_open_tag=0", "-d", "display_errors=stderr"])
        .arg(here(script))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("php: {error}: it comes with php-cli, which scripts/test installs: run that"));
    let mut input = php.stdin.take().unwrap();
    let paths: Vec<u8> = files.iter().flat_map(|file| [file.as_os_str().as_encoded_bytes(), b"\0"].concat()).collect();
    let writer = thread::spawn(move || input.write_all(&paths));
    let output = php.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(
        output.status.success(),
        "{script} failed: if what is missing comes with php-composer-class-map-generator or another package, run scripts/test"
    );
    let said: Vec<_> = output.stdout.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).collect();
    assert_eq!(said.len(), files.len(), "{script} is to say one line a file");
    said.into_iter().map(|line| serde_json::from_slice(line).unwrap()).collect()
}

fn name(hexadecimal: &serde_json::Value) -> BString {
    let digits = hexadecimal.as_str().unwrap().as_bytes().chunks(2);
    digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect::<Vec<_>>().into()
}

fn scans(files: &[PathBuf]) -> Vec<Scan> {
    let half = files.len().div_ceil(2).max(1);
    thread::scope(|scope| {
        let threads: Vec<_> = files
            .chunks(half)
            .map(|files| scope.spawn(|| files.iter().map(|file| scan(&fs::read(file).unwrap())).collect::<Vec<_>>()))
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    })
}

fn as_php(files: &[PathBuf]) {
    let (said, scans) = thread::scope(|scope| {
        let said = scope.spawn(|| ask("tokens.php", files));
        let scans = scans(files);
        (said.join().unwrap(), scans)
    });
    let mut differences = Vec::new();
    let mut aliases = 0;
    for ((file, said), scan) in files.iter().zip(said).zip(scans) {
        aliases += scan.declarations.iter().filter(|found| found.kind == Kind::Alias).count();
        let said = said.iter().map(|declared| {
            (declared[0].as_str().unwrap().to_owned(), name(&declared[1]), declared[2].as_u64().unwrap())
        });
        let found = scan
            .declarations
            .iter()
            .map(|found| (found.kind.into_str().to_owned(), found.name.clone(), u64::from(found.line)));
        let (said, found): (Vec<Declared>, Vec<Declared>) = (said.collect(), found.collect());
        if said != found {
            differences.push(format!("{}\n  PHP  {said:?}\n  scan {found:?}", file.display()));
        }
        if let Some((line, what)) = scan.broken {
            differences.push(format!("{}:{line}: {what}", file.display()));
        }
    }
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
    // A script that says nothing at all would agree with a scan that finds nothing.
    assert!(aliases > 5, "{aliases} aliases");
}

fn as_composer(files: &[PathBuf], known: &[(&str, &str)]) {
    let (said, scans) = thread::scope(|scope| {
        let said = scope.spawn(|| ask("composer.php", files));
        let scans = scans(files);
        (said.join().unwrap(), scans)
    });
    let mut differences = Vec::new();
    for ((file, said), scan) in files.iter().zip(said).zip(scans) {
        // Composer does not look for aliases.
        let found = scan.declarations.into_iter().filter(|found| found.kind != Kind::Alias).map(|found| found.name);
        let (said, found): (Vec<_>, Vec<_>) = (said.iter().map(name).collect(), found.collect());
        if said != found {
            differences.push(format!("{}: Composer {said:?}, scan {found:?}", file.display()));
        }
    }
    let explained: Vec<_> =
        differences.iter().map(|found| known.iter().position(|(known, _)| found.ends_with(known))).collect();
    let unexplained: Vec<_> = differences
        .iter()
        .zip(&explained)
        .filter(|(_, known)| known.is_none())
        .map(|(found, _)| found.as_str())
        .collect();
    assert!(unexplained.is_empty(), "{} differences that are not known\n{}", unexplained.len(), unexplained.join("\n"));
    for (index, (known, why)) in known.iter().enumerate() {
        assert!(explained.contains(&Some(index)), "no longer so: {known}: {why}");
    }
}

#[test]
fn php_finds_the_same_in_whole_applications() {
    as_php(&trees());
}

#[test]
fn php_finds_the_same_in_traps() {
    as_php(&traps());
}

#[test]
fn composer_finds_the_same_in_whole_applications() {
    as_composer(&trees(), KNOWN);
}

#[test]
fn composer_finds_the_same_in_traps_but_for_those_that_it_falls_into() {
    as_composer(&traps(), TRAPS);
}
