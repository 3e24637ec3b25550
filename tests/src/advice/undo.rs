//! The principal type is [`Undo`]: what puts everything back that a fix has changed.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A process of its own, which is told what will be changed, and puts it back when its standard input ends. That ends
/// with the test's process, however that ends: Rust drops nothing after Ctrl-C.
const GUARD: &str = r#"
trap '' INT TERM HUP
kept=$(mktemp -d)
undo=()
# What was not there, and the folders that were made for it.
forget() {
    local folder=$1
    rm -f -- "$1"
    while folder=$(dirname -- "$folder") && [ "$folder" != "$2" ]; do rmdir -- "$folder" || break; done
}
there() {
    local folder=$1
    while [ ! -d "$folder" ]; do folder=$(dirname -- "$folder"); done
    printf '%s' "$folder"
}
while IFS=' ' read -r what of; do
    case $what in
        keep)
            copy=$kept/${#undo[@]}
            if [ -e "$of" ]; then
                cp -a -- "$of" "$copy"
                undo+=("cp -a -- $(printf '%q %q' "$copy" "$of")")
            else
                undo+=("forget $(printf '%q %q' "$of" "$(there "$of")")")
            fi
            ;;
        run) undo+=("$of") ;;
    esac
    echo
done
exec >/dev/null 2>&1
for ((at = ${#undo[@]} - 1; at >= 0; at--)); do eval "${undo[at]}"; done
rm -rf "$kept"
"#;

/// It waits. Dropped, all is put back, the latest first.
#[derive(Debug)]
pub struct Undo {
    guard: Child,
    told: Option<ChildStdin>,
    done: BufReader<ChildStdout>,
}

// === impl Undo ===

impl Undo {
    /// With this `PATH`, by which its commands reach the subject's servers.
    ///
    /// # Panics
    /// If there is no bash.
    pub fn new(path: &str) -> Self {
        let mut guard = Command::new("bash")
            .args(["-c", GUARD])
            .env("PATH", path)
            // Ctrl-C is for the test.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("bash starts");
        let (told, done) = (guard.stdin.take(), guard.stdout.take().expect("a pipe"));
        Self { guard, told, done: BufReader::new(done) }
    }

    /// A file that is going to be changed, or made. Of a link, what it leads to.
    ///
    /// # Panics
    /// If nobody takes note of it.
    pub fn keep(&mut self, path: &Path) {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        self.tell(&format!("keep {}", path.display()));
    }

    /// A command, in one line.
    ///
    /// # Panics
    /// Likewise.
    pub fn run(&mut self, command: &str) {
        self.tell(&format!("run {command}"));
    }

    /// Told, and taken note of.
    fn tell(&mut self, line: &str) {
        let told = self.told.as_mut().expect("it is told until it is dropped");
        writeln!(told, "{line}").expect("it listens");
        let mut answer = String::new();
        self.done.read_line(&mut answer).expect("it answers");
        assert_eq!(answer, "\n", "{line}");
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        drop(self.told.take());
        let _ = self.guard.wait();
    }
}
