//! The principal type is [`Session`]: a session of a database, in which a transaction can stay open.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A session of a database, by its own client. It ends with this.
pub(crate) struct Session {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    mark: &'static str,
}

// === impl Session ===

impl Session {
    /// `mark` has the client print `done` in a line.
    pub(crate) fn new(client: &mut Command, mark: &'static str) -> Self {
        let mut child = client
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap_or_else(|error| panic!("{client:?}: {error}: run scripts/test, which installs the servers"));
        let (to, from) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        Self { child, to, from: BufReader::new(from), mark }
    }

    /// Runs statements, and returns what they print when they are done.
    #[track_caller]
    pub(crate) fn run(&mut self, statements: &str) -> String {
        writeln!(self.to, "{statements};\n{}", self.mark).expect("the client reads");
        let mut said = String::new();
        loop {
            let start = said.len();
            let read = self.from.read_line(&mut said).expect("the client writes text");
            assert!(read > 0, "the client ended: {statements}\n{said}");
            if said[start..].trim_end() == "done" {
                said.truncate(start);
                return said.trim_end().to_owned();
            }
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
