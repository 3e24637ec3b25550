//! The principal type is [`Valkey`]: a server of Valkey or Redis of a test's own.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

use crate::authority::Certificate;
use crate::port::free_address;
use crate::wait;

/// Either does; where both are there, Valkey.
const PROGRAMS: [&str; 2] = ["valkey-server", "redis-server"];

/// A server on 127.0.0.1 that wants a password and keeps nothing when it ends. It ends when this is dropped.
#[derive(Debug)]
pub struct Valkey {
    child: Child,
    address: SocketAddr,
    /// Where it speaks TLS, if it does.
    tls: Option<SocketAddr>,
    folder: TempDir,
}

// === impl Valkey ===

impl Valkey {
    /// What clients have to say.
    pub const PASSWORD: &str = "open-sesame";

    /// The program that is here.
    ///
    /// # Panics
    /// If neither is.
    pub fn program() -> &'static str {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let is_here = |program: &&str| std::env::split_paths(&path).any(|folder| folder.join(program).exists());
        PROGRAMS.into_iter().find(is_here).unwrap_or_else(|| {
            panic!("neither {} nor {} is here: run scripts/test, which installs one", PROGRAMS[0], PROGRAMS[1])
        })
    }

    /// Starts one.
    ///
    /// # Panics
    /// If Debian's package is missing (`scripts/test` installs it), or it does not come up.
    pub fn start() -> Self {
        let (address, folder) = (free_address(), tempfile::tempdir().expect("a temporary folder"));
        Self::in_folder(address, None, folder)
    }

    /// Starts one that speaks TLS besides, with this certificate.
    ///
    /// # Panics
    /// As [`Valkey::start`] does, and if it was built without TLS.
    pub fn start_with_tls(certificate: &Certificate) -> Self {
        let (address, tls) = (free_address(), free_address());
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("chain.pem"), &certificate.chain).expect("a file of our own");
        std::fs::write(folder.path().join("key.pem"), &certificate.key).expect("a file of our own");
        let valkey = Self::in_folder(address, Some(tls), folder);
        wait::until_ok("it listens for TLS", || TcpStream::connect(tls));
        valkey
    }

    fn in_folder(address: SocketAddr, tls: Option<SocketAddr>, folder: TempDir) -> Self {
        let child = spawn(address, tls, &folder);
        let valkey = Self { child, address, tls, folder };
        valkey.wait_until_it_answers();
        valkey
    }

    /// Where it speaks TLS.
    ///
    /// # Panics
    /// If it does not.
    pub fn tls_address(&self) -> SocketAddr {
        self.tls.expect("it was started without TLS")
    }

    /// Where it is.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// As `[fleet]` names it, at this address, which may be a relay's.
    pub fn url_at(address: SocketAddr) -> String {
        format!("valkey://:{}@{address}/0", Self::PASSWORD)
    }

    /// Ends it without a word.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Starts it again at the same address, where nobody is to be: it is empty.
    pub fn restart(&mut self) {
        self.kill();
        self.child = spawn(self.address, self.tls, &self.folder);
        self.wait_until_it_answers();
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        let _ = kill(Pid::from_raw(i32::try_from(self.child.id()).expect("a pid")), signal);
    }

    /// What it answers to a command, as it is typed; nothing if it does not.
    pub fn say(&self, command: &str) -> Option<String> {
        let mut stream = TcpStream::connect_timeout(&self.address, Duration::from_secs(2)).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(2))).ok()?;
        stream.write_all(format!("AUTH {}\r\n{command}\r\nQUIT\r\n", Self::PASSWORD).as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        answer.strip_prefix("+OK\r\n").map(|rest| rest.trim_end_matches("+OK\r\n").to_owned())
    }

    /// Removes all records from all streams, as a bound that is too small does.
    pub fn trim(&self) {
        self.say(
            "EVAL \"for _, key in ipairs(redis.call('keys', '*')) do if redis.call('type', key).ok == 'stream' then \
             redis.call('xtrim', key, 'maxlen', 0) end end\" 0",
        );
    }

    fn wait_until_it_answers(&self) {
        wait::until_ok("Valkey comes up", || match self.say("PING") {
            Some(answer) if answer.contains("PONG") => Ok(()),
            other => Err(format!("{other:?}")),
        });
    }
}

impl Drop for Valkey {
    fn drop(&mut self) {
        self.kill();
    }
}

fn spawn(address: SocketAddr, tls: Option<SocketAddr>, folder: &TempDir) -> Child {
    let port = address.port().to_string();
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--", Valkey::program(), "--bind", "127.0.0.1", "--port", &port]);
    command.args(["--save", "", "--appendonly", "no", "--requirepass", Valkey::PASSWORD, "--dir"]).arg(folder.path());
    if let Some(tls) = tls {
        let at = |name: &str| folder.path().join(name);
        command.args(["--tls-port", &tls.port().to_string(), "--tls-auth-clients", "no", "--tls-cert-file"]);
        command.arg(at("chain.pem")).arg("--tls-key-file").arg(at("key.pem"));
        command.arg("--tls-ca-cert-file").arg(at("chain.pem"));
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts")
}
