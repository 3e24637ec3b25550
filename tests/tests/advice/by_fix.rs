//! [`fixed`]: `unladen fix N` itself on the real server: the fix is applied, proved, kept or put back, and undone; no
//! byte of the settings differs then.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use unladen_tests::Call;
use unladen_tests::advice::{Fix, Ground};

use crate::people::People;

/// Far above what a proof of six seconds takes, with its restarts.
const LIMIT: Duration = Duration::from_secs(600);
/// Folders of a subject that are its data, logs and caches, and no settings.
const NOT_SETTINGS: [&str; 12] =
    ["log", "tmp", "daemon", "sessions", "socket", "ground", "cache", "data", "images", "uploads", "spool", "map"];

/// Whether `unladen fix` can apply it: its experiment switches something here.
pub(crate) fn can(fix: &Fix) -> bool {
    fix.check_again.contains("[[knob]]") && !fix.check_again.contains("\n  { url = ")
}

/// Of a run of `unladen weigh` that found this alone.
///
/// # Errors
/// With what differs, or what it said if it ended otherwise than kept (0) or put back (8).
pub(crate) fn fixed(ground: &Ground, people: &People, run: &Value) -> Result<(), String> {
    let home = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = home.path().join("run.json");
    // The machine's folders of settings are the subject's own here.
    std::fs::write(&file, ground.with_folders(&run.to_string())).map_err(|error| error.to_string())?;
    let call = |args: &[&str]| {
        let call = Call::new(args).env("PATH", ground.programs()).within(LIMIT);
        call.env("UNLADEN_STORE", home.path().join("runs.sqlite")).env("XDG_STATE_HOME", home.path())
    };
    let imported = call(&["runs", "import"]).args([&file]).run();
    if imported.code != Some(0) {
        return Err(format!("the run was not imported: {imported}"));
    }
    let before = settings(ground);
    let headers = people.request.iter().filter(|word| word.contains(": ")).flat_map(|header| ["-H", header]);
    let done = call(&["fix", "1", "--yes", "--prove", "6s"]).args(headers).run();
    match done.code {
        Some(0) => {
            people.pages_answer(ground.site())?;
            let undone = call(&["fix", "undo", "1"]).run();
            if undone.code != Some(0) {
                return Err(format!("it was not undone: {undone}"));
            }
        }
        Some(8) => {}
        _ => return Err(done.to_string()),
    }
    let after = settings(ground);
    let names = before.keys().chain(after.keys());
    let differs = names.filter(|name| before.get(*name) != after.get(*name)).map(|name| name.display().to_string());
    let differs: Vec<String> = differs.collect();
    people.pages_answer(ground.site())?;
    if differs.is_empty() { Ok(()) } else { Err(format!("left behind: {}", differs.join(", "))) }
}

/// All files of the subject that are no data, with their content.
fn settings(ground: &Ground) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![PathBuf::from(ground.subject().get("STATE"))];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            let is_data = |path: &Path| {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                NOT_SETTINGS.contains(&name.as_str()) || name.starts_with("postgres-") || name.starts_with("mariadb-")
            };
            match path.symlink_metadata() {
                Ok(metadata) if metadata.is_dir() && !is_data(&path) => folders.push(path),
                Ok(metadata) if metadata.is_file() && metadata.len() < 1 << 20 => {
                    let content = std::fs::read(&path).unwrap_or_default();
                    all.insert(path, content);
                }
                _ => {}
            }
        }
    }
    all
}
