//! Servers of the tests' own, each in a folder of its own, which end with the test.
#![allow(dead_code, reason = "each test's binary uses some of it")]

#[allow(clippy::expect_used, clippy::panic, unreachable_pub, reason = "the end-to-end tests' own")]
#[path = "../../../../tests/src/port.rs"]
mod port;
pub(crate) mod postgres;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, LocalOptions};
use unladen_validator::{AskError, Question, Validator, ValidatorSettings, ValidatorSource};

pub(crate) use port::free_port;

/// A server that runs as its own user.
pub(crate) struct Server {
    pub(crate) folder: tempfile::TempDir,
    user: &'static str,
    command: Rc<dyn Fn() -> Command>,
    child: Option<Child>,
    up: Rc<dyn Fn() -> bool>,
}

impl Server {
    /// PostgreSQL on a Unix socket in the folder, and with TLS on a port. Everyone is let in, but `secret` only with
    /// the password `right`.
    pub(crate) fn postgres(port: u16) -> Self {
        let folder = folder("postgres");
        let bin = newest(Path::new("/usr/lib/postgresql")).join("bin");
        let data = folder.path().join("data");
        let mut initdb = as_user("postgres", &bin.join("initdb"));
        initdb.arg("-D").arg(&data).args([
            "--auth=trust",
            "--locale=C.UTF-8",
            "--encoding=UTF8",
            "--no-sync",
            "--username=postgres",
        ]);
        done(&mut initdb);
        std::fs::write(
            data.join("pg_hba.conf"),
            "local all secret scram-sha-256\nlocal all all trust\nhostssl all all 127.0.0.1/32 trust\n",
        )
        .unwrap();
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        std::fs::write(folder.path().join("server.pem"), made.cert.pem()).unwrap();
        std::fs::write(folder.path().join("server.key"), made.signing_key.serialize_pem()).unwrap();
        done(Command::new("chown").arg("postgres").arg(folder.path().join("server.key")));
        done(Command::new("chmod").arg("600").arg(folder.path().join("server.key")));
        let path = folder.path().to_owned();
        let command = move || {
            let mut command = as_user("postgres", &bin.join("postgres"));
            command.arg("-D").arg(&data).arg("-k").arg(&path).current_dir(&path).args([
                "-p",
                &port.to_string(),
                "-h",
                "127.0.0.1",
            ]);
            for setting in
                ["fsync=off", "shared_buffers=16MB", "max_connections=30", "ssl=on", "log_min_messages=warning"]
            {
                command.args(["-c", setting]);
            }
            command.arg("-c").arg(format!("ssl_cert_file={}/server.pem", path.display()));
            command.arg("-c").arg(format!("ssl_key_file={}/server.key", path.display()));
            command
        };
        let path = folder.path().to_owned();
        let up = move || {
            let mut ready = Command::new("pg_isready");
            ready.arg("-q").arg("-h").arg(&path).args(["-p", &port.to_string()]).status().unwrap().success()
        };
        Self::start(folder, "postgres", command, up)
    }

    /// MariaDB on a Unix socket in the folder.
    pub(crate) fn mariadb() -> Self {
        let folder = folder("mysql");
        let data = folder.path().join("data");
        let mut install = Command::new("mariadb-install-db");
        install.args(["--no-defaults", "--user=mysql", "--auth-root-authentication-method=socket", "--skip-test-db"]);
        done(install.arg(format!("--datadir={}", data.display())));
        let socket = folder.path().join("socket");
        let command = move || {
            let mut command = as_user("mysql", Path::new("/usr/sbin/mariadbd"));
            command.args([
                "--no-defaults",
                "--skip-networking",
                "--innodb-buffer-pool-size=8M",
                "--innodb-log-file-size=4M",
            ]);
            command.arg(format!("--datadir={}", data.display())).arg(format!("--socket={}", socket.display()));
            command
        };
        let socket = folder.path().join("socket");
        let up = move || {
            let mut ping = Command::new("mariadb-admin");
            ping.arg("--no-defaults").arg("-S").arg(&socket).arg("ping").stdout(Stdio::null()).stderr(Stdio::null());
            ping.status().unwrap().success()
        };
        Self::start(folder, "mysql", command, up)
    }

    fn start(
        folder: tempfile::TempDir,
        user: &'static str,
        command: impl Fn() -> Command + 'static,
        up: impl Fn() -> bool + 'static,
    ) -> Self {
        let mut server = Self { folder, user, command: Rc::new(command), child: None, up: Rc::new(up) };
        server.begin();
        server
    }

    pub(crate) fn begin(&mut self) {
        let log = std::fs::File::options().create(true).append(true).open(self.folder.path().join("log")).unwrap();
        self.child = Some((self.command)().stdout(Stdio::null()).stderr(log).spawn().unwrap());
        let begun = Instant::now();
        while !(self.up)() {
            let late = begun.elapsed() > Duration::from_secs(30);
            assert!(
                !late,
                "{} does not come up: {}",
                self.user,
                std::fs::read_to_string(self.folder.path().join("log")).unwrap()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Ends it at once, with its children.
    pub(crate) fn end(&mut self) {
        if let Some(mut child) = self.child.take() {
            // PostgreSQL's immediate shutdown, which no client can hold up; MariaDB ends by it, too.
            signal("CONT", &[child.id()]);
            signal("QUIT", &[child.id()]);
            let begun = Instant::now();
            while child.try_wait().unwrap().is_none() {
                if begun.elapsed() > Duration::from_secs(5) {
                    child.kill().unwrap();
                }
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }

    /// Its process and those that it started.
    pub(crate) fn processes(&self) -> Vec<u32> {
        let master = self.child.as_ref().unwrap().id();
        let children = std::fs::read_to_string(format!("/proc/{master}/task/{master}/children")).unwrap();
        children.split_whitespace().map(|id| id.parse().unwrap()).chain([master]).collect()
    }

    /// What its log has said so far.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

pub(crate) fn signal(name: &str, processes: &[u32]) {
    let mut kill = Command::new("kill");
    done(kill.arg(format!("-{name}")).args(processes.iter().map(ToString::to_string)));
}

pub(crate) fn done(command: &mut Command) -> String {
    let done = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}: run scripts/test, which installs the servers"));
    assert!(done.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

/// A program as this user, where we may choose. It is killed with the test.
fn as_user(user: &str, program: &Path) -> Command {
    assert!(program.exists(), "{} is missing: run scripts/test, which installs the servers", program.display());
    let mut command = Command::new("setpriv");
    command.args(["--reuid", user, "--regid", user, "--clear-groups", "--pdeathsig", "KILL", "--"]).arg(program);
    command
}

/// A folder that the servers' user can write in.
fn folder(user: &str) -> tempfile::TempDir {
    let root = done(Command::new("id").arg("-u")).trim() == "0";
    assert!(root, "the tests run servers as {user}: run them as root");
    let folder = tempfile::tempdir().unwrap();
    done(Command::new("chown").arg(user).arg(folder.path()));
    folder
}

fn newest(folder: &Path) -> PathBuf {
    let entries = std::fs::read_dir(folder)
        .unwrap_or_else(|_| panic!("PostgreSQL is missing: run scripts/test, which installs it"));
    let mut versions: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    versions.sort_by_key(|path| path.file_name().and_then(|name| name.to_str()?.parse::<u32>().ok()));
    versions.pop().unwrap()
}

pub(crate) fn settings(source: ValidatorSource, timeout: Duration) -> ValidatorSettings {
    ValidatorSettings {
        path: "/{a}/{b}".to_owned(),
        source,
        timeout,
        connections: 2,
        stale: None,
        listen: None,
        shared: None,
    }
}

pub(crate) fn validator(source: ValidatorSource, timeout: Duration) -> Arc<Validator> {
    Arc::new(Validator::new(settings(source, timeout), 1).unwrap())
}

pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    Builder::new_current_thread().enable_all().build_local(LocalOptions::default()).unwrap().block_on(future)
}

/// The answer as text.
pub(crate) async fn ask(validator: &Arc<Validator>, a: &str) -> Result<Option<String>, AskError> {
    let question = Question { parameters: vec![a.to_owned(), "b".to_owned()] };
    validator.ask(0, question).await.map(|version| version.map(|version| String::from_utf8(version.into()).unwrap()))
}
