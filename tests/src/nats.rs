//! The principal type is [`Nats`]: a NATS server of a test's own.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

use crate::authority::Certificate;
use crate::port::free_address;
use crate::wait;

/// A NATS server with JetStream on 127.0.0.1, which wants a password. It ends when this is dropped.
#[derive(Debug)]
pub struct Nats {
    child: Child,
    address: SocketAddr,
    folder: TempDir,
}

// === impl Nats ===

impl Nats {
    /// Starts one.
    ///
    /// # Panics
    /// If Debian's package is missing (`scripts/test` installs it), or it does not come up.
    pub fn start() -> Self {
        Self::in_folder(tempfile::tempdir().expect("a temporary folder"))
    }

    /// The same, which speaks TLS alone with this certificate. `wants`: the authorities (PEM) of the certificate that each
    /// client has to show; none: it asks for none.
    ///
    /// # Panics
    /// As [`Self::start`].
    pub fn start_with_tls(certificate: &Certificate, wants: Option<&str>) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file of our own");
        file("chain.pem", &certificate.chain);
        file("key.pem", &certificate.key);
        if let Some(authorities) = wants {
            file("authorities.pem", authorities);
        }
        Self::in_folder(folder)
    }

    /// The same, with these users in place of the one that there is, as a server's `authorization` has them.
    ///
    /// # Panics
    /// As [`Self::start`].
    pub fn start_with_users(users: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let config = format!("authorization {{ users: [ {users} ] }}\n");
        std::fs::write(folder.path().join("users.conf"), config).expect("a file of our own");
        Self::in_folder(folder)
    }

    fn in_folder(folder: TempDir) -> Self {
        let address = free_address();
        let nats = Self { child: spawn(address, &folder), address, folder };
        nats.wait_until_it_answers();
        nats
    }

    /// As `[fleet]` names it.
    pub fn url(&self) -> String {
        Self::url_at(self.address)
    }

    /// Where it is.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// As `[fleet]` names it, at this address, which may be a relay's.
    pub fn url_at(address: SocketAddr) -> String {
        format!("nats://unladen:open-sesame@{address}")
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        let _ = kill(Pid::from_raw(i32::try_from(self.child.id()).expect("a pid")), signal);
    }

    /// Ends it without a word and starts it again, with what it has on disk or with nothing.
    pub fn restart(&mut self, is_empty: bool) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if is_empty {
            std::fs::remove_dir_all(self.folder.path().join("jetstream")).expect("its own folder");
        }
        self.child = spawn(self.address, &self.folder);
        self.wait_until_it_answers();
    }

    /// Asks its API for something, without a body.
    ///
    /// # Panics
    /// If it does not do it.
    pub fn ask(&self, subject: &str) {
        let answer = self.try_ask(subject).expect("an answer");
        assert!(answer.contains("\"success\":true"), "{subject}: {answer}");
    }

    /// The same, of which there may be nothing there: its answer; none: it does not.
    pub fn try_ask(&self, subject: &str) -> Option<String> {
        let mut stream = TcpStream::connect(self.address).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(10))).ok()?;
        let who = r#"{"verbose":false,"pedantic":false,"user":"unladen","pass":"open-sesame"}"#;
        let command = format!("CONNECT {who}\r\nSUB answers 1\r\nPUB {subject} answers 0\r\n\r\n");
        stream.write_all(command.as_bytes()).ok()?;
        BufReader::new(stream).lines().map_while(Result::ok).find(|line| line.starts_with('{'))
    }

    fn wait_until_it_answers(&self) {
        wait::until_ok("NATS comes up", || TcpStream::connect(self.address));
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(address: SocketAddr, folder: &TempDir) -> Child {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--", "nats-server", "-a", "127.0.0.1", "-p", &address.port().to_string()]);
    command.args(["-js", "-sd"]).arg(folder.path());
    let at = |name: &str| folder.path().join(name);
    if at("users.conf").exists() {
        command.arg("-c").arg(at("users.conf"));
    } else {
        command.args(["--user", "unladen", "--pass", "open-sesame"]);
    }
    if at("chain.pem").exists() {
        command.arg("--tls").arg("--tlscert").arg(at("chain.pem")).arg("--tlskey").arg(at("key.pem"));
    }
    if at("authorities.pem").exists() {
        command.arg("--tlsverify").arg("--tlscacert").arg(at("authorities.pem"));
    }
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    child.expect("nats-server is missing: run scripts/test, which installs it")
}
