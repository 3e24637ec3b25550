//! Ways to agents of this machine, good and bad.

use std::fs;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::NamedTempFile;
use unladen_tests::{Call, Document, binary};

/// Runs a command, and passes on what it says; late, slowly, or otherwise than it was said.
const RELAY: &str = include_str!("relay.py");

/// The program of [`RELAY`], for `python3`.
pub(crate) fn relay() -> NamedTempFile {
    script(RELAY)
}

/// A file with this program.
pub(crate) fn script(program: &str) -> NamedTempFile {
    let file = NamedTempFile::new().unwrap();
    fs::write(file.path(), program).unwrap();
    file
}

/// A way to an agent of this program, whose processes can be told by the mark.
pub(crate) fn way(through: &str, mark: &str) -> String {
    let folder = binary().parent().expect("the program is in a folder").display();
    let path = std::env::var("PATH").unwrap_or_default();
    format!("{through} env UNLADEN_TEST_AGENT={mark} PATH='{folder}:{path}'")
}

/// Tells the processes of one test from those of others.
pub(crate) fn mark(test: &str) -> String {
    format!("{test}-{}", std::process::id())
}

/// `unladen load` from hosts a and b.
pub(crate) fn from(a: &str, b: &str) -> Call {
    Call::load(["--no-copy", "--from", &format!("a={a}"), "--from", &format!("b={b}")])
}

/// Signals the agent with this mark.
pub(crate) fn signal(mark: &str, signal: Signal) {
    let wanted = format!("UNLADEN_TEST_AGENT={mark}");
    let pids = fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_marked = |pid: &i32| {
        let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environ.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
    };
    let found: Vec<i32> = pids.filter(is_marked).collect();
    assert!(!found.is_empty(), "no process has the mark {mark}");
    for pid in found {
        kill(Pid::from_raw(pid), signal).unwrap();
    }
}

/// What the document says of a host.
pub(crate) fn agent<'a>(document: &'a Document, name: &str) -> &'a serde_json::Value {
    document
        .list("agents")
        .iter()
        .find(|agent| agent["name"] == name)
        .unwrap_or_else(|| panic!("no {name}: {document}"))
}
