//! The principal type is [`Program`]: one test program, as cargo has built it.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::kind::Kind;
use crate::mark::Mark;

/// One test program.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    /// Of the package.
    pub(crate) package: String,
    /// Of the target: `serve_h2`.
    pub(crate) name: String,
    /// As `cargo test` names it: `unittests src/lib.rs`, `tests/serve_h2/main.rs`.
    pub(crate) title: String,
    pub(crate) executable: PathBuf,
    /// The package's folder, in which it runs.
    pub(crate) folder: PathBuf,
    pub(crate) kind: Kind,
    /// Whether it takes so long that it is to begin early.
    pub(crate) is_long: bool,
    /// Whether its tests wait, and more of them than usual can run at a time.
    pub(crate) waits: bool,
    /// The `unladen` that end-to-end tests call.
    pub(crate) unladen: PathBuf,
}

impl Program {
    /// Its name, where several packages have one of the same.
    pub(crate) fn full_name(&self) -> String {
        format!("{} {}", self.package, self.title)
    }
}

/// The programs that cargo's messages name, in their order of names. Those of the end-to-end tests are last: the others
/// compute, as do the doc-tests beside them, and are soon over.
pub(crate) fn read(messages: &str) -> Result<Vec<Program>, String> {
    let artifacts: Vec<Value> = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["reason"] == "compiler-artifact" && message["executable"].is_string())
        .collect();
    let unladen = artifacts
        .iter()
        .find(|artifact| artifact["target"]["name"] == "unladen" && artifact["profile"]["test"] == false)
        .and_then(|artifact| artifact["executable"].as_str())
        .ok_or("cargo has built no unladen")?;
    let mut programs = Vec::new();
    for artifact in artifacts.iter().filter(|artifact| artifact["profile"]["test"] == true) {
        programs.push(program(artifact, unladen).ok_or_else(|| format!("not understood: {artifact}"))?);
    }
    let is_end_to_end = |program: &Program| program.package == "unladen-tests";
    programs.sort_by_key(|program| (is_end_to_end(program), program.package.clone(), program.name.clone()));
    Ok(programs)
}

fn program(artifact: &Value, unladen: &str) -> Option<Program> {
    let folder = Path::new(artifact["manifest_path"].as_str()?).parent()?;
    let source = Path::new(artifact["target"]["src_path"].as_str()?);
    let relative = source.strip_prefix(folder).unwrap_or(source).display();
    let is_test = artifact["target"]["kind"][0] == "test";
    let text = std::fs::read_to_string(source).unwrap_or_default();
    Some(Program {
        package: package(artifact["package_id"].as_str()?, folder),
        name: artifact["target"]["name"].as_str()?.to_owned(),
        title: if is_test { relative.to_string() } else { format!("unittests {relative}") },
        executable: artifact["executable"].as_str()?.into(),
        folder: folder.to_owned(),
        kind: Kind::of(&text),
        is_long: Mark::Long.is_in(&text),
        waits: Mark::Waits.is_in(&text),
        unladen: unladen.into(),
    })
}

/// `path+file:///…/tests#unladen-tests@0.1.0`, where the folder's name is the package's `#0.1.0`.
fn package(id: &str, folder: &Path) -> String {
    let end = id.rsplit_once('#').map_or(id, |(_, end)| end);
    match end.split_once('@') {
        Some((name, _)) => name.to_owned(),
        None => folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests;
