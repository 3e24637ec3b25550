//! `unladen prove` that is killed between any two of the system calls by which it switches: what it has changed can
//! always be put back.
//!
//! Long: a run is begun anew for each of its calls.

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Stdio};

use nix::unistd::Uid;
use unladen_tests::{Done, Lab, SHORT_LOAD, Server};

/// Where strace writes, and where a run keeps its way back.
const TRACE: &str = "trace";
const JOURNAL: &str = ".experiment.toml.undo";

/// Calls that change files, or begin processes that do. Writing is left out: what is written to a new file means
/// nothing before the file is renamed, linked or synchronised.
const CHANGES: &str = "rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,mkdir,mkdirat,rmdir,\
                       chmod,fchmod,fchmodat,chown,fchown,fchownat,ftruncate,fsync,fdatasync,execve";
/// How many calls of one name are tried: a run soon repeats what it has done before, and its end is tried by restoring.
const CALLS: usize = 8;

/// A file, a patch, a file that is not there, a link and a command.
fn lab(server: &Server) -> Lab {
    let lab = Lab::new();
    lab.write("app.ini", "cache = 1\n");
    lab.write("code.txt", "one\ntwo\nthree\n");
    lab.write("elsewhere.ini", "elsewhere = 1\n");
    std::os::unix::fs::symlink("elsewhere.ini", lab.path("link.ini")).unwrap();
    lab.write("state", "off\n");
    lab.write("fix.patch", "--- a/code.txt\n+++ b/code.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n");
    let url = server.url("/");
    lab.write(
        "experiment.toml",
        &format!(
            r#"url = "{url}"
{SHORT_LOAD}
[[knob]]
name = "everything"
on = [
  {{ file = "app.ini", text = "cache = 0\n" }},
  {{ file = "new.ini", text = "new = 1\n" }},
  {{ file = "link.ini", text = "elsewhere = 0\n" }},
  {{ patch = "fix.patch", dir = "." }},
  {{ command = "echo on >state" }},
]
off = [{{ command = "echo off >state" }}]
"#
        ),
    );
    lab
}

/// All there is, by name: a file's text, or where a link leads.
fn contents(lab: &Lab) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = std::fs::read_dir(lab.folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.ends_with(TRACE) && !path.ends_with(JOURNAL))
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let text = match std::fs::read_link(&path) {
                Ok(to) => format!("-> {}", to.display()),
                Err(_) if path.is_dir() => "a folder".to_owned(),
                Err(_) => std::fs::read_to_string(&path).unwrap(),
            };
            (name, text)
        })
        .collect();
    all.sort();
    all
}

/// A run, traced.
fn traced(lab: &Lab, options: &[&str]) -> Done {
    let trace = lab.path(TRACE);
    let strace =
        ["strace", "-f", "-qq", "-o", trace.to_str().expect("its path is text"), "-e", &format!("trace={CHANGES}")];
    let done = lab.prove().args(["--no-weights"]).through(strace).through(options).run();
    // Another program than strace would have ended otherwise.
    assert!(done.code.is_none() || trace.exists(), "{done}");
    done
}

/// The calls of a run, each with how many of its name there were before it.
fn calls(lab: &Lab) -> BTreeSet<(String, usize)> {
    traced(lab, &[]).succeeded();
    let mut seen = BTreeMap::<String, usize>::new();
    let text = lab.read(TRACE);
    let names = text.lines().filter_map(|line| line.split_once(' ')?.1.trim_start().split_once('('));
    let calls = names.filter(|(name, _)| CHANGES.split(',').any(|change| change == *name)).map(|(name, _)| {
        let count = seen.entry(name.to_owned()).or_default();
        *count += 1;
        (name.to_owned(), *count)
    });
    calls.filter(|(_, count)| *count <= CALLS).collect()
}

#[test]
fn what_a_run_switched_is_put_back_after_a_kill_between_any_two_of_its_calls() {
    let may_trace = Command::new("strace").args(["-o", "/dev/null", "true"]).stderr(Stdio::null()).status();
    if !may_trace.is_ok_and(|status| status.success()) {
        assert!(!Uid::effective().is_root(), "root may trace: scripts/test installs strace");
        println!("SKIPPED: kills between calls: no process can be traced here");
        return;
    }
    let server = Server::good();
    let calls = calls(&lab(&server));
    assert!(calls.len() > 20, "{calls:?}");
    let (mut killed, mut switched) = (0, 0);
    for (name, count) in &calls {
        let lab = lab(&server);
        let before = contents(&lab);
        let done = traced(&lab, &["-e", &format!("inject={name}:signal=SIGKILL:when={count}")]);
        killed += usize::from(done.code.is_none());
        switched += usize::from(contents(&lab) != before);
        lab.restore().run().succeeded();
        assert_eq!(contents(&lab), before, "killed at {name} {count}: {done}");
        assert!(!lab.has_journal(), "killed at {name} {count}: {done}");
    }
    println!("{} calls, {killed} runs killed, {switched} left something switched", calls.len());
    // Of a command that was killed, the run itself puts everything back.
    assert!(killed > calls.len() / 2 && switched > 5, "{killed} of {} killed, {switched} switched", calls.len());
}
