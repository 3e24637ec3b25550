//! The oracle, and the comparison with it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use unladen_classmap::{Extensions, Map, Options, Project, reader_named};

/// Where Debian's package has it.
const INSTALLED: &str = "/usr/share/mediawiki";

/// Which extensions.
#[derive(Clone, Copy)]
pub(crate) enum Loaded<'a> {
    All,
    Nothing,
    Settings(&'a Path),
}

/// The installed MediaWiki.
pub(crate) fn installed() -> &'static Path {
    let root = Path::new(INSTALLED);
    let there = root.join("includes/registration/ExtensionProcessor.php").is_file();
    assert!(there, "{INSTALLED}: it comes with packages that scripts/test installs: run that");
    root
}

/// A copy of it.
pub(crate) fn copied() -> TempDir {
    let root = installed();
    let copy = tempfile::tempdir().unwrap();
    for part in ["autoload.php", "includes", "languages", "maintenance", "vendor", "skins"] {
        let status = Command::new("cp").arg("-r").arg(root.join(part)).arg(copy.path()).status().unwrap();
        assert!(status.success());
    }
    let status = Command::new("cp").arg("-rL").arg(root.join("extensions")).arg(copy.path()).status().unwrap();
    assert!(status.success());
    copy
}

/// What the reader comes to.
pub(crate) fn read(root: &Path, loaded: Loaded<'_>) -> Project {
    let options = Options {
        extensions: if matches!(loaded, Loaded::All) { Extensions::All } else { Extensions::Enabled },
        settings: match loaded {
            Loaded::All => None,
            Loaded::Nothing => Some(PathBuf::from("/nowhere/LocalSettings.php")),
            Loaded::Settings(file) => Some(file.to_owned()),
        },
        ..Options::default()
    };
    Project::read(root, reader_named("mediawiki").unwrap(), &options).unwrap()
}

/// Asks MediaWiki's own loaders for each class there is: how many they find. All of them have to be in the map, with
/// their files, and no others.
pub(crate) fn compare(root: &Path, loaded: Loaded<'_>) -> usize {
    let truth = oracle(root, loaded);
    let ours = files(&read(root, loaded).map);
    let mut wrong = Vec::new();
    for (class, file) in &truth {
        if file.as_ref() != ours.get(class) {
            wrong.push(format!("{class}: MediaWiki: {file:?}, map: {:?}", ours.get(class)));
        }
    }
    for (class, file) in ours.iter().filter(|(class, _)| !truth.contains_key(*class)) {
        wrong.push(format!("{class}: MediaWiki was not asked, map: {file:?}"));
    }
    let some = wrong.iter().take(30).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} differences:\n{some}", wrong.len());
    truth.values().flatten().count()
}

/// Each class in lower case, and its file without links.
fn files(map: &Map) -> BTreeMap<String, PathBuf> {
    let real = |path: &[u8]| Path::new(OsStr::from_bytes(path)).canonicalize().unwrap();
    map.entries.iter().map(|entry| (entry.class.to_string().to_ascii_lowercase(), real(&entry.path))).collect()
}

fn oracle(root: &Path, loaded: Loaded<'_>) -> BTreeMap<String, Option<PathBuf>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mediawiki/oracle.php");
    let mut php = Command::new("php");
    php.arg(script).arg(root);
    match loaded {
        Loaded::All => php.arg("all"),
        Loaded::Nothing => php.arg("none"),
        Loaded::Settings(file) => php.arg(file),
    };
    let output = php.output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    let mut truth: BTreeMap<String, Option<PathBuf>> = BTreeMap::new();
    for line in said.lines() {
        let (class, file): (String, Option<PathBuf>) = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
        // A class goes by several spellings, and lists know one of them.
        let known = truth.entry(class.to_ascii_lowercase()).or_default();
        *known = known.take().or(file);
    }
    truth
}
