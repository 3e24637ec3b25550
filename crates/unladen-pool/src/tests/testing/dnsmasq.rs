//! The principal type is [`Dnsmasq`]: a DNS server on a port of its own.

use std::fs::{self, File};
use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, Uid, User};
use tempfile::TempDir;

/// dnsmasq, that knows the names of one hosts file and asks nobody else: below `example` it denies other names,
/// elsewhere it refuses. Answers live for a second. Ends with this.
pub(crate) struct Dnsmasq {
    process: Child,
    folder: Arc<TempDir>,
    pub(crate) address: SocketAddr,
}

// === impl Dnsmasq ===

impl Dnsmasq {
    pub(crate) fn start(hosts: &str) -> Self {
        Self::start_with(hosts, &[])
    }

    /// With further options.
    pub(crate) fn start_with(hosts: &str, options: &[&str]) -> Self {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        fs::write(folder.path().join("hosts"), hosts).unwrap();
        // Between finding a free port and listening there, another may take it.
        for _ in 0..5 {
            let address = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
            let process = run(folder.path(), address, options);
            let mut server = Self { process, folder: folder.clone(), address };
            while server.process.try_wait().unwrap().is_none() {
                if server.has_started() {
                    return server;
                }
            }
        }
        panic!("dnsmasq does not start: {}", log(folder.path()));
    }

    /// Other names from now on.
    pub(crate) fn set(&self, hosts: &str) {
        fs::write(self.folder.path().join("hosts"), hosts).unwrap();
        let read = self.reads();
        kill(Pid::from_raw(self.process.id().try_into().unwrap()), Signal::SIGHUP).unwrap();
        while self.reads() == read {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// It says so once it listens.
    fn has_started(&self) -> bool {
        std::thread::sleep(Duration::from_millis(10));
        log(self.folder.path()).contains("started, version")
    }

    fn reads(&self) -> usize {
        log(self.folder.path()).matches("hosts - ").count()
    }

    /// How often this was asked for, `A` or `AAAA`, over UDP or TCP.
    pub(crate) fn asked(&self, kind: &str, name: &str) -> usize {
        log(self.folder.path()).matches(&format!("query[{kind}] {name} ")).count()
    }

    /// No longer answers.
    pub(crate) fn stop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Answers again, at the same address.
    pub(crate) fn restart(&mut self) {
        self.process = run(self.folder.path(), self.address, &[]);
        while !self.has_started() {
            assert!(self.process.try_wait().unwrap().is_none(), "{}", log(self.folder.path()));
        }
    }
}

impl Drop for Dnsmasq {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn run(folder: &Path, address: SocketAddr, options: &[&str]) -> Child {
    let binary = ["/usr/sbin/dnsmasq", "/usr/bin/dnsmasq", "/usr/local/sbin/dnsmasq"].map(Path::new);
    let binary = binary.into_iter().find(|place| place.exists());
    // As whom we are, else it becomes a user that cannot read the folder.
    let user = User::from_uid(Uid::effective()).unwrap().unwrap().name;
    Command::new(binary.expect("dnsmasq is not installed: apt-get install dnsmasq-base"))
        .args(["--keep-in-foreground", "--conf-file=/dev/null", "--pid-file=", "--no-resolv", "--no-hosts"])
        .args(["--listen-address=127.0.0.1", "--bind-interfaces", "--local=/example/", "--local-ttl=1"])
        .args(["--log-queries", "--log-facility=-"])
        .arg(format!("--port={}", address.port()))
        .arg(format!("--addn-hosts={}", folder.join("hosts").display()))
        .arg(format!("--user={user}"))
        .args(options)
        .stdin(Stdio::null())
        .stderr(File::create(folder.join("log")).unwrap())
        .spawn()
        .unwrap()
}

fn log(folder: &Path) -> String {
    fs::read_to_string(folder.join("log")).unwrap_or_default()
}
