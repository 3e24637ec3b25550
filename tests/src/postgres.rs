//! The principal type is [`Postgres`]: a PostgreSQL server of a test's own.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::port::free_port;
use crate::wait;

/// A PostgreSQL server on 127.0.0.1, where passwords are asked for. It ends when this is dropped.
#[derive(Debug)]
pub struct Postgres {
    child: Child,
    port: u16,
    folder: TempDir,
}

impl Postgres {
    /// With a role `asker`, whose password is `right`, and a table `page` with a row.
    ///
    /// # Panics
    /// If Debian's package is missing (`scripts/test` installs it), the tests are not run as root, or it does not come
    /// up.
    pub fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        ended(Command::new("chown").arg("postgres").arg(folder.path()));
        let data = folder.path().join("data");
        ended(as_postgres("initdb").arg("-D").arg(&data).args(["--auth=trust", "--encoding=UTF8", "--no-sync"]));
        let access = "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n";
        std::fs::write(data.join("pg_hba.conf"), access).expect("a file of our own");
        let port = free_port();
        let mut command = as_postgres("postgres");
        command.arg("-D").arg(&data).arg("-k").arg(folder.path());
        command.args(["-h", "127.0.0.1", "-p", &port.to_string(), "-c", "fsync=off"]);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let postgres = Self { child: child.expect("setpriv"), port, folder };
        let answers = || postgres.psql("select 1").output().is_ok_and(|done| done.status.success());
        wait::until("PostgreSQL comes up", answers);
        ended(&mut postgres.psql(
            "create role asker login password 'right'; create table page (id int, ref text); \
             insert into page values (12, 'picnic'); grant select on page to asker",
        ));
        postgres
    }

    /// As `asker` with this password.
    pub fn url(&self, password: &str) -> String {
        format!("postgres://asker:{password}@127.0.0.1:{}/postgres", self.port)
    }

    fn psql(&self, sql: &str) -> Command {
        let mut psql = as_postgres("psql");
        psql.args(["-X", "-q", "-p", &self.port.to_string(), "-h"]).arg(self.folder.path());
        psql.args(["postgres", "-c", sql]);
        psql
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// It refuses to be root's.
fn as_postgres(program: &str) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--reuid", "postgres", "--regid", "postgres", "--clear-groups", "--pdeathsig", "KILL", "--"]);
    command.arg(programs().join(program)).current_dir("/");
    command
}

fn programs() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let newest = versions
        .map(|entry| entry.path())
        .max_by_key(|path| path.file_name().and_then(|name| name.to_str()).and_then(|name| name.parse::<u32>().ok()));
    newest.expect("PostgreSQL is missing: run scripts/test, which installs it").join(Path::new("bin"))
}

fn ended(command: &mut Command) {
    let done = command.output().expect("a command");
    assert!(done.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&done.stderr));
}
