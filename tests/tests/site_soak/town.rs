//! The principal type is [`Town`]: `unladen serve` with several sites, restarted again and again behind sockets that
//! stay open, as systemd keeps them.

use std::cell::{Cell, RefCell};
use std::fs;
use std::fs::OpenOptions;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use tempfile::TempDir;
use unladen_tests::pebble::Settings;
use unladen_tests::{Pebble, PhpFpm, Wire, binary, wait, wait_until_it_takes_signals};

use crate::visitors::ask_once;

/// Pages of each site that are kept.
pub const PAGES: u64 = 60;
/// Sites of PHP by TLS, one of files by TLS, and one of PHP by plain HTTP.
pub const SECURE: [&str; 2] = ["shop.example", "blog.example"];
pub const FILES: &str = "files.example";
pub const PLAIN: &str = "plain.example";
/// One that comes and goes with reloads.
const GUEST: &str = "guest.example";

/// systemd's part of it, as sd_listen_fds(3) has it: descriptors from 3 on, and whose they are.
const AS_SYSTEMD: &str = "exec 3<&0 4<&1 0</dev/null 1>/dev/null; LISTEN_FDS=2 LISTEN_PID=$$ exec \"$@\"";

/// What runs in PHP: a page by its number, which may be kept or not, and a form that is told back.
const PAGE: &str = r#"<?php
$host = $_SERVER['SERVER_NAME'];
$text = $_SERVER['REQUEST_METHOD'] === 'POST'
    ? "$host form " . file_get_contents('php://input')
    : "$host page " . $_GET['n'] . str_repeat(' and so on', 100);
header('Content-Length: ' . strlen($text));
header('Cache-Control: ' . (isset($_GET['own']) ? 'no-store' : 'max-age=3600'));
echo $text;
"#;

/// `unladen serve` with several sites, restarted again and again. What is left of it is killed when this is dropped.
pub struct Town {
    folder: TempDir,
    https: TcpListener,
    http: TcpListener,
    child: RefCell<Option<Child>>,
    /// The process that serves now, if it is not the child.
    successor: Cell<Option<Pid>>,
    client: Arc<ClientConfig>,
    pebble: Pebble,
    fpm: PhpFpm,
}

// === impl Town ===

impl Town {
    /// Up when each site has its certificate.
    pub fn start() -> Self {
        let (https, http) = (listener(), listener());
        let port = |listener: &TcpListener| listener.local_addr().expect("its address").port();
        let pebble = Pebble::start(Settings::new(port(&http), port(&https)));
        let fpm = PhpFpm::start(4, "");
        fpm.page("page.php", PAGE);
        for number in 0..PAGES {
            fpm.page(&format!("files/{number}.txt"), &file(number));
        }
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(pebble.root().as_bytes()).expect("PEM")).expect("an authority");
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let client = builder.expect("versions").with_root_certificates(roots).with_no_client_auth();
        let (folder, client) = (tempfile::tempdir().expect("a temporary folder"), Arc::new(client));
        let (child, successor) = (RefCell::default(), Cell::default());
        let town = Self { folder, https, http, child, successor, client, pebble, fpm };
        town.configure(false);
        town.start_again();
        for host in SECURE.into_iter().chain([FILES]) {
            let path = if host == FILES { "/files/1.txt" } else { "/page.php?n=1&own" };
            wait::until_ok(&format!("{host} has its certificate"), || {
                ask_once(town.https(), Some(&town.client), host, path)
                    .map_err(|error| format!("{error}\n{}\n{}", town.said(), town.pebble.log()))
            });
        }
        town
    }

    /// With the site that comes and goes, or without it.
    fn configure(&self, has_guest: bool) {
        let (https, http) = (self.https(), self.http());
        let acme = format!(
            "acme = {{ directory = \"{}\", ca = \"{}\", state = \"DIR/acme\", email = \"a@b.example\" }}",
            self.pebble.directory(),
            self.pebble.ca().display()
        );
        let root = self.fpm.root();
        let php = format!("php = \"{}\"\nroot = \"{}\"", self.fpm.socket().display(), root.display());
        let mut text = "threads = 2\ndrain = \"5s\"\n[admin]\nlisten = \"unix:DIR/admin.sock\"\n".to_owned();
        let mut site = |host: &str, lines: &str| {
            text += &format!("[[site]]\nname = \"{host}\"\nhosts = [\"{host}\"]\n{lines}\n");
        };
        for host in SECURE {
            let snapshot = format!("snapshot.file = \"DIR/{host}.snapshot\"");
            site(host, &format!("listen = \"{https}\"\nredirect = \"{http}\"\n{acme}\n{php}\n{snapshot}"));
        }
        site(FILES, &format!("listen = \"{https}\"\nredirect = \"{http}\"\n{acme}\nroot = \"{}\"", root.display()));
        site(PLAIN, &format!("listen = \"{http}\"\n{php}\nsnapshot.file = \"DIR/{PLAIN}.snapshot\""));
        if has_guest {
            site(GUEST, &format!("listen = \"{http}\"\nroot = \"{}\"", root.display()));
        }
        let text = text.replace("DIR", &self.folder.path().display().to_string());
        // Put in its place whole: a half of it would be refused, and said so.
        fs::write(self.path("new"), text).expect("a file can be written");
        fs::rename(self.path("new"), self.path("unladen.toml")).expect("a file can be moved");
    }

    /// Has all that is kept in memory.
    pub fn warm(&self) {
        for number in 0..PAGES {
            for host in SECURE.into_iter().chain([PLAIN]) {
                let (address, client) = self.way(host);
                ask_once(address, client.as_ref(), host, &page(number)).expect("it is answered");
            }
        }
    }

    /// Another configuration: a site comes to an address that others are at, or goes.
    pub fn reload(&self, has_guest: bool) {
        let before = self.said().matches("is in force").count();
        self.configure(has_guest);
        self.signal(Signal::SIGHUP);
        wait::until_ok("it is in force", || self.or_said(self.said().matches("is in force").count() > before));
        let asked = format!("GET /files/1.txt HTTP/1.1\r\nHost: {GUEST}\r\n\r\n");
        let status = if has_guest { 200 } else { 421 };
        // Each thread follows when it comes to it.
        wait::until("the site has come, or gone", || Wire::tcp(self.http()).ask(asked.clone()).status == status);
    }

    /// Has another process take over.
    pub fn hand_over(&self) {
        let before = self.said().matches("has taken over").count();
        let old = self.process();
        self.signal(Signal::SIGUSR2);
        wait::until_ok("another one takes over", || {
            self.or_said(self.said().matches("has taken over").count() > before)
        });
        let of =
            |line: &str| line.strip_prefix("unladen: process ")?.split(' ').next()?.parse().ok().map(Pid::from_raw);
        let said = self.said();
        self.successor.set(said.lines().filter(|line| line.contains("has taken over")).filter_map(of).next_back());
        wait::until_ok("the old one ends", || {
            if let Some(child) = &mut *self.child.borrow_mut() {
                let _ = child.try_wait();
            }
            self.or_said(is_gone(old))
        });
    }

    /// Asks it to stop, and waits until it has.
    pub fn stop(&self) {
        let process = self.process();
        self.signal(Signal::SIGTERM);
        wait::until_ok("it ends", || {
            if let Some(child) = &mut *self.child.borrow_mut() {
                let _ = child.try_wait();
            }
            self.or_said(is_gone(process))
        });
    }

    /// Starts it, with the sockets that were open all the time.
    pub fn start_again(&self) {
        let said = OpenOptions::new().create(true).append(true).open(self.path("said")).expect("a file can be made");
        let handle = |listener: &TcpListener| OwnedFd::from(listener.try_clone().expect("a descriptor"));
        let mut command = Command::new("sh");
        command.args(["-c", AS_SYSTEMD, "sh"]).arg(binary()).arg("serve").arg(self.path("unladen.toml"));
        command.stdin(Stdio::from(handle(&self.https))).stdout(Stdio::from(handle(&self.http))).stderr(said);
        let child = command.spawn().expect("it starts");
        let process = Pid::from_raw(i32::try_from(child.id()).expect("a process id"));
        *self.child.borrow_mut() = Some(child);
        self.successor.set(None);
        wait_until_it_takes_signals(process);
    }

    /// Stops it; and what it has said is as it should be.
    pub fn end(self) {
        self.stop();
        let said = self.said();
        for bad in ["panicked at", "is not used", "is refused", "no new certificate", "does not serve"] {
            assert!(!said.contains(bad), "{bad}: {said}");
        }
        // Neither reloads nor other processes ask for what is there.
        assert_eq!(said.matches("ordering a certificate").count(), SECURE.len() + 1, "{said}");
    }

    pub fn https(&self) -> SocketAddr {
        self.https.local_addr().expect("its address")
    }

    pub fn http(&self) -> SocketAddr {
        self.http.local_addr().expect("its address")
    }

    /// Where a host is asked, and by whom its certificate is checked.
    pub fn way(&self, host: &str) -> (SocketAddr, Option<Arc<ClientConfig>>) {
        if host == PLAIN { (self.http(), None) } else { (self.https(), Some(self.client.clone())) }
    }

    /// What all of its processes have said.
    pub fn said(&self) -> String {
        fs::read_to_string(self.path("said")).expect("it is text")
    }

    fn or_said(&self, is_so: bool) -> Result<(), String> {
        if is_so { Ok(()) } else { Err(self.said()) }
    }

    /// The process that serves.
    fn process(&self) -> Pid {
        let child = self.child.borrow();
        let own = || child.as_ref().and_then(|child| i32::try_from(child.id()).ok()).map(Pid::from_raw);
        self.successor.get().or_else(own).expect("it runs")
    }

    fn signal(&self, signal: Signal) {
        kill(self.process(), signal).unwrap_or_else(|error| panic!("it has ended already: {error}\n{}", self.said()));
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// The path of a page that is kept.
pub fn page(number: u64) -> String {
    format!("/page.php?n={number}")
}

/// What is in a file.
pub fn file(number: u64) -> String {
    format!("file {number}\n").repeat(200)
}

fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").expect("a port")
}

/// Ended, and perhaps nobody has waited for it.
fn is_gone(process: Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    kill(process, None).is_err() || stat.rsplit(") ").next().is_none_or(|rest| rest.starts_with(['Z', 'X']))
}

impl Drop for Town {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.borrow_mut().take() {
            let _ = child.kill();
            let _ = child.wait();
        }
        let ours = self.path("unladen.toml").display().to_string();
        if let Some(successor) = self.successor.get() {
            // A process id may be another's by now.
            let line = fs::read(format!("/proc/{successor}/cmdline")).unwrap_or_default();
            if String::from_utf8_lossy(&line).contains(&ours) {
                let _ = kill(successor, Signal::SIGKILL);
            }
        }
    }
}
