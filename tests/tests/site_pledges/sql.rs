//! The principal type is [`Sql`]: a session of the database, in which a commit is known to be done.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use unladen_tests::Subject;

/// A session of the database, as its owner.
pub(crate) struct Sql {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

// === impl Sql ===

impl Sql {
    pub(crate) fn of(pledges: &Subject) -> Self {
        let socket = pledges.get("DATABASE_SOCKET");
        let owner = std::fs::metadata(socket).expect("the socket's folder");
        let mut command = Command::new(pledges.get("PSQL"));
        command.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", socket, "-d", pledges.get("DATABASE")]);
        if nix::unistd::geteuid().is_root() {
            command.uid(owner.uid()).gid(owner.gid());
        }
        let mut child = command
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("psql starts");
        let (to, from) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        Self { child, to, from: BufReader::new(from) }
    }

    /// Runs a statement, and returns what it prints when it is committed.
    #[track_caller]
    pub(crate) fn run(&mut self, statement: &str) -> String {
        writeln!(self.to, "{statement};\n\\echo done").expect("psql reads");
        let mut said = String::new();
        loop {
            let start = said.len();
            let read = self.from.read_line(&mut said).expect("psql writes text");
            assert!(read > 0, "psql ended: {statement}\n{said}");
            if said[start..].trim_end() == "done" {
                said.truncate(start);
                return said;
            }
        }
    }

    /// Signs a pledge, and returns when that is committed.
    #[track_caller]
    pub(crate) fn sign(&mut self, pledge: &str, name: &str) {
        self.run(&format!(
            "insert into signer (pledge_id, name) select id, '{name}' from pledge where lower(ref) = '{pledge}'"
        ));
    }
}

impl Drop for Sql {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
