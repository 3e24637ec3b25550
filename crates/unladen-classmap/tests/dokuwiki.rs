//! DokuWiki's own loaders against the map, for every class of the real tree (Debian's package `dokuwiki`).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use unladen_classmap::{Extensions, Options, Project, reader_for};

const ROOT: &str = "/usr/share/dokuwiki";

/// Asks DokuWiki's loaders for each class, and tells in which file PHP then has it.
const ASK: &str = r#"
define('DOKU_INC', $argv[1] . '/');
define('NOSESSION', true);
error_reporting(0);
require DOKU_INC . 'inc/init.php';
while (ob_get_level()) { ob_end_clean(); }
foreach (json_decode(stream_get_contents(STDIN)) as $name) {
    // A process each: some cannot be loaded, by an error that nobody can catch, as what they extend is not installed or has changed.
    $child = pcntl_fork();
    if ($child === 0) {
        ini_set('display_errors', '0');
        ob_start();
        spl_autoload_call($name);
        if (class_exists($name, false) || interface_exists($name, false) || trait_exists($name, false)) {
            fwrite(STDOUT, json_encode([$name, (new ReflectionClass($name))->getFileName()]) . "\n");
        }
        // Without what is to be done at the end of a page.
        posix_kill(getmypid(), 9);
    }
    pcntl_waitpid($child, $status);
}
posix_kill(getmypid(), 9);
"#;

fn read(extensions: Extensions) -> Project {
    let root = Path::new(ROOT);
    assert!(root.is_dir(), "{ROOT} is not there: scripts/need dokuwiki installs it");
    let options = Options { extensions, ..Options::default() };
    let reader = reader_for(root, &options).expect("a reader");
    assert_eq!(reader.name(), "dokuwiki");
    Project::read(root, reader, &options).expect("a DokuWiki")
}

fn ask(names: &[&str]) -> BTreeMap<String, String> {
    let mut child = Command::new("php")
        .args(["-d", "memory_limit=512M", "-r", ASK, "--", ROOT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    serde_json::to_writer(child.stdin.take().unwrap(), names).unwrap();
    let done = child.wait_with_output().unwrap();
    let lines = done.stdout.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"["));
    let pair = |line: &[u8]| -> (String, String) {
        serde_json::from_slice(line).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(line)))
    };
    lines.map(pair).collect()
}

fn real(path: &str) -> String {
    Path::new(path).canonicalize().map_or_else(|_| path.to_owned(), |path| path.display().to_string())
}

/// Each class of the map is where DokuWiki finds it; how many there are.
fn compare(extensions: Extensions) -> usize {
    let project = read(extensions);
    let ours: BTreeMap<String, String> =
        project.map.entries.iter().map(|entry| (entry.class.to_string(), real(&entry.path.to_string()))).collect();
    let theirs = ask(&ours.keys().map(String::as_str).collect::<Vec<_>>());
    let differences: Vec<_> = theirs
        .iter()
        .filter(|(name, file)| real(file) != ours[*name])
        .map(|(name, file)| format!("{name}: {file}, not {}", ours[name]))
        .collect();
    assert!(differences.is_empty(), "{differences:#?}");
    // Some extend what is not installed, or what only newer PHP has; most load.
    assert!(theirs.len() * 10 > ours.len() * 8, "{} of {} load", theirs.len(), ours.len());
    ours.len()
}

#[test]
fn every_class_of_the_installed_dokuwiki_is_where_its_own_loader_finds_it() {
    let core = compare(Extensions::Enabled);
    assert!(core > 200, "{core}");
    let all = compare(Extensions::All);
    assert!(all > core + 40, "{core} {all}");
}

#[test]
fn its_own_list_and_namespaces_leave_out_what_is_no_class_of_theirs() {
    let project = read(Extensions::Enabled);
    let has = |name: &str| project.map.entries.iter().any(|entry| entry.class == name);
    assert!(
        has("Diff") && has("dokuwiki\\Input\\Input") && has("splitbrain\\phpcli\\CLI") && has("Doku_Renderer_xhtml")
    );
    assert!(!has("syntax_plugin_info") && !has("dokuwiki\\plugin\\extension\\ExtensionApiResponse"));
}
