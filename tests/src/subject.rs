//! The principal type is [`Subject`]: a real application of `subjects/`, up for as long as it is held.

use std::collections::HashMap;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::binary::binary;

/// Brings a subject up in a state folder of its own and prints what there is to know of it, or why it is not up. When
/// its standard input ends, it takes the subject down and forgets all of it. The input ends with the test's process,
/// however that ends: Rust drops no statics, and nothing after SIGKILL.
const GUARD: &str = r#"
trap '' INT TERM HUP
UNLADEN_STATE=$(mktemp -d)
# One PHP worker, unless the test wants more: `--group-by pid` then tells the subject's processes from others of their name on
# the machine.
: "${UNLADEN_WORKERS:=1}"
export UNLADEN_STATE UNLADEN_WORKERS
chmod 755 "$UNLADEN_STATE"
log=$UNLADEN_STATE/up.log
if "$1" up >/dev/null 2>"$log"; then
    "$1" env
    echo "UNLADEN_STATE=$UNLADEN_STATE"
else
    cat "$log"
fi
exec >/dev/null
cat
"$1" down --purge
rm -rf "$UNLADEN_STATE"
"#;

/// It is up. Dropped, it goes down.
#[derive(Debug)]
pub struct Subject {
    run: PathBuf,
    env: HashMap<String, String>,
    guard: Child,
}

impl Subject {
    /// Brings `subjects/NAME` up, installing its packages where that is possible.
    ///
    /// # Panics
    /// With what it said, if it does not come up.
    pub fn up(name: &str) -> Self {
        Self::up_with(name, &[])
    }

    /// The same with variables that its script reads: `[("UNLADEN_LISTS", "30")]`.
    ///
    /// # Panics
    /// With what it said, if it does not come up.
    pub fn up_with(name: &str, variables: &[(&str, &str)]) -> Self {
        let run = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../subjects")).join(name).join("run");
        let mut guard = Command::new("bash")
            .args(["-c", GUARD, "bash"])
            .arg(&run)
            .env("UNLADEN", binary())
            .env("UNLADEN_STORE", "off")
            .envs(variables.iter().copied())
            // Ctrl-C is for the test; the guard then sees its end.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Were it ours, whoever reads our output would wait for the guard.
            .stderr(Stdio::null())
            .spawn()
            .expect("bash starts");
        let mut said = String::new();
        guard.stdout.take().expect("a pipe").read_to_string(&mut said).expect("the subject's script writes UTF-8");
        let env: HashMap<String, String> = said
            .lines()
            .filter_map(|line| line.split_once('='))
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect();
        let subject = Self { run, env, guard };
        assert!(subject.env.contains_key("UNLADEN_STATE"), "subject {name} does not come up:\n{said}");
        subject
    }

    /// Its script.
    pub fn script(&self) -> &Path {
        &self.run
    }

    /// What `run env` says of it.
    pub fn get(&self, key: &str) -> &str {
        self.env.get(key).unwrap_or_else(|| panic!("{} env has no {key}", self.run.display()))
    }

    /// The same of what not every subject has.
    pub fn find(&self, key: &str) -> Option<&str> {
        self.env.get(key).map(String::as_str)
    }

    /// The URL to measure.
    pub fn url(&self) -> &str {
        self.get("URL")
    }

    /// A path below one of its addresses.
    pub fn at(&self, key: &str, path: &str) -> String {
        format!("{}{path}", self.get(key))
    }

    /// Has its script do something else: `["fault", "n-plus-one", "on"]`, `["restart"]`. Returns what it prints.
    ///
    /// # Panics
    /// If it cannot.
    pub fn run<const N: usize>(&self, words: [&str; N]) -> String {
        let run = Command::new(&self.run)
            .args(words)
            .env("UNLADEN_STATE", self.get("UNLADEN_STATE"))
            .env("UNLADEN_WORKERS", "1")
            .env("UNLADEN", binary())
            .env("UNLADEN_STORE", "off")
            .output()
            .expect("the subject's script starts");
        let said = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{} {words:?}: {}\n{said}", self.run.display(), run.status);
        String::from_utf8(run.stdout).expect("the subject's script writes UTF-8")
    }

    /// The process of one of its servers, as `run status` tells it; of PHP-FPM, the master's.
    pub fn pid(&self, server: &str) -> u32 {
        let status = self.run(["status"]);
        let pid = status.lines().find_map(|line| line.strip_prefix(server)?.trim().parse().ok());
        pid.unwrap_or_else(|| panic!("no {server} in\n{status}"))
    }

    /// Stops its servers now; the rest goes when this is dropped.
    pub fn stop(&self) {
        let down = Command::new(&self.run)
            .arg("down")
            .env("UNLADEN_STATE", self.get("UNLADEN_STATE"))
            .stderr(Stdio::null())
            .status()
            .expect("the subject's script starts");
        assert!(down.success(), "the subject does not stop: {down}");
    }
}

impl Drop for Subject {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        let _ = self.guard.wait();
    }
}
