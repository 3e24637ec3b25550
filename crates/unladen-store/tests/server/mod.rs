//! The principal type is [`Server`]: a PostgreSQL server of a test's own, which ends with the test.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

#[allow(clippy::expect_used, clippy::panic, unreachable_pub, reason = "the end-to-end tests' own")]
#[path = "../../../../tests/src/port.rs"]
mod port;

/// A server with TLS on 127.0.0.1. Roles are let in there, and `secret` only with the password `right`.
pub(crate) struct Server {
    pub(crate) folder: TempDir,
    pub(crate) port: u16,
    child: Option<Child>,
}

// === impl Server ===

impl Server {
    pub(crate) fn start() -> Self {
        assert_eq!(
            done(Command::new("id").arg("-u")).trim(),
            "0",
            "the server is another user's: run the test as root"
        );
        let folder = tempfile::tempdir().unwrap();
        done(Command::new("chown").arg("postgres").arg(folder.path()));
        let data = folder.path().join("data");
        let locale = ["--auth=trust", "--locale=C.UTF-8", "--encoding=UTF8", "--no-sync", "--username=postgres"];
        done(program("initdb").arg("-D").arg(&data).args(locale));
        let access =
            "local all all trust\nhost all secret 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n";
        std::fs::write(data.join("pg_hba.conf"), access).unwrap();
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        std::fs::write(folder.path().join("server.pem"), made.cert.pem()).unwrap();
        std::fs::write(folder.path().join("server.key"), made.signing_key.serialize_pem()).unwrap();
        done(Command::new("chown").arg("postgres").arg(folder.path().join("server.key")));
        done(Command::new("chmod").arg("600").arg(folder.path().join("server.key")));
        let port = port::free_port();
        let mut server = Self { folder, port, child: None };
        server.begin();
        server.sql("postgres", "create role secret login createdb password 'right'");
        server
    }

    pub(crate) fn begin(&mut self) {
        let path = self.folder.path();
        let mut command = program("postgres");
        command.arg("-D").arg(path.join("data")).arg("-k").arg(path).args(["-h", "127.0.0.1", "-p"]);
        command.arg(self.port.to_string());
        for setting in ["fsync=off", "shared_buffers=16MB", "max_connections=30", "ssl=on"] {
            command.args(["-c", setting]);
        }
        command.arg("-c").arg(format!("ssl_cert_file={}/server.pem", path.display()));
        command.arg("-c").arg(format!("ssl_key_file={}/server.key", path.display()));
        let log = std::fs::File::options().create(true).append(true).open(path.join("log")).unwrap();
        self.child = Some(command.stdout(Stdio::null()).stderr(log).spawn().unwrap());
        let begun = Instant::now();
        while !self.psql("postgres", "select 1").output().unwrap().status.success() {
            assert!(begun.elapsed() < Duration::from_secs(30), "the server does not come up: {}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Ends it at once, as a crash does.
    pub(crate) fn end(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        done(Command::new("kill").args(["-QUIT", &child.id().to_string()]));
        let begun = Instant::now();
        while child.try_wait().unwrap().is_none() {
            if begun.elapsed() > Duration::from_secs(5) {
                child.kill().unwrap();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap()
    }

    /// Makes a database, and returns its URL.
    pub(crate) fn database(&self, name: &str) -> String {
        self.sql("postgres", &format!("create database {name}"));
        self.url("postgres", name)
    }

    pub(crate) fn url(&self, user: &str, database: &str) -> String {
        format!("postgres://{user}@127.0.0.1:{}/{database}", self.port)
    }

    pub(crate) fn sql(&self, database: &str, sql: &str) -> String {
        done(&mut self.psql(database, sql))
    }

    pub(crate) fn psql(&self, database: &str, sql: &str) -> Command {
        let mut psql = program("psql");
        psql.args(["-X", "-q", "-t", "-A", "-U", "postgres", "-v", "ON_ERROR_STOP=1", "-h"]).arg(self.folder.path());
        psql.args(["-p", &self.port.to_string(), database, "-c", sql]);
        psql
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

/// One of the server's programs, as its user: it refuses to be root's. It is killed with the test.
fn program(name: &str) -> Command {
    let path = programs().join(name);
    assert!(path.exists(), "{} is missing: run scripts/test, which installs it", path.display());
    let mut command = Command::new("setpriv");
    command.args(["--reuid", "postgres", "--regid", "postgres", "--clear-groups", "--pdeathsig", "KILL", "--"]);
    command.arg(path).current_dir("/");
    command
}

fn programs() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let newest = versions
        .map(|entry| entry.path())
        .max_by_key(|path| path.file_name().and_then(|name| name.to_str()).and_then(|name| name.parse::<u32>().ok()));
    newest.expect("PostgreSQL is missing: run scripts/test, which installs it").join(Path::new("bin"))
}

fn done(command: &mut Command) -> String {
    let done = command.output().unwrap();
    assert!(done.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}
