//! The principal type is [`Postgres`]: a PostgreSQL server of a test's own.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

use crate::authority::Certificate;
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
        let postgres = Self { child: spawn(&folder, port), port, folder };
        postgres.wait_until_it_answers();
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

    /// Where it is.
    pub fn address(&self) -> SocketAddr {
        SocketAddr::from((Ipv4Addr::LOCALHOST, self.port))
    }

    /// Has it do something as its owner.
    ///
    /// # Panics
    /// With what it says, if it does not.
    pub fn sql(&self, sql: &str) {
        ended(&mut self.psql(sql));
    }

    /// From now on it speaks TLS with this certificate, and lets nobody in over TCP without.
    ///
    /// # Panics
    /// If it does not take it.
    pub fn speak_tls(&self, certificate: &Certificate) {
        let at = |name: &str| self.folder.path().join(name);
        for (name, text) in [("chain.pem", &certificate.chain), ("key.pem", &certificate.key)] {
            std::fs::write(at(name), text).expect("a file of our own");
            ended(Command::new("chown").arg("postgres").arg(at(name)));
            ended(Command::new("chmod").arg("600").arg(at(name)));
        }
        let access = "local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n";
        std::fs::write(at("data/pg_hba.conf"), access).expect("a file of our own");
        self.sql(&format!("alter system set ssl_cert_file = '{}'", at("chain.pem").display()));
        self.sql(&format!("alter system set ssl_key_file = '{}'", at("key.pem").display()));
        self.sql("alter system set ssl = on");
        self.sql("select pg_reload_conf()");
        let is_on = || {
            let shown = self.psql("select 'it is ' || current_setting('ssl')").output();
            shown.is_ok_and(|done| String::from_utf8_lossy(&done.stdout).contains("it is on"))
        };
        wait::until("PostgreSQL speaks TLS", is_on);
    }

    /// Sends the server and what it has started a signal.
    pub fn signal(&self, signal: Signal) {
        let server = self.child.id();
        let children = std::fs::read_to_string(format!("/proc/{server}/task/{server}/children")).unwrap_or_default();
        let children = children.split_whitespace().filter_map(|child| child.parse::<i32>().ok());
        for process in children.chain(i32::try_from(server)) {
            let _ = kill(Pid::from_raw(process), signal);
        }
    }

    /// Ends it as a crash does, and starts it again after so long.
    pub fn restart(&mut self, pause: Duration) {
        // What it calls an immediate shutdown: nothing is written any more, and nothing of it is left.
        let _ = kill(Pid::from_raw(i32::try_from(self.child.id()).expect("a pid")), Signal::SIGQUIT);
        let _ = self.child.wait();
        std::thread::sleep(pause);
        self.child = spawn(&self.folder, self.port);
        self.wait_until_it_answers();
    }

    /// From now on it is a standby, of nobody.
    ///
    /// # Panics
    /// If it does not come up as one.
    pub fn become_standby(&mut self) {
        let signal = self.folder.path().join("data/standby.signal");
        std::fs::write(&signal, "").expect("a file of our own");
        ended(Command::new("chown").arg("postgres").arg(&signal));
        self.restart(Duration::ZERO);
        self.sql("do $$ begin assert pg_is_in_recovery(); end $$");
    }

    fn wait_until_it_answers(&self) {
        let answers = || self.psql("select 1").output().is_ok_and(|done| done.status.success());
        wait::until("PostgreSQL comes up", answers);
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

fn spawn(folder: &TempDir, port: u16) -> Child {
    let mut command = as_postgres("postgres");
    command.arg("-D").arg(folder.path().join("data")).arg("-k").arg(folder.path());
    command.args(["-h", "127.0.0.1", "-p", &port.to_string(), "-c", "fsync=off"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("setpriv")
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
