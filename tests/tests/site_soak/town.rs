//! The principal type is [`Town`]: `unladen serve` with several sites, restarted again and again behind sockets that
//! stay open, as systemd keeps them.

use std::net::{SocketAddr, TcpListener};
use std::ops::Deref;
use std::os::fd::OwnedFd;
use std::process::Stdio;
use std::sync::Arc;

use nix::sys::signal::Signal;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use unladen_tests::pebble::Settings;
use unladen_tests::{Pebble, PhpFpm, Succession, Wire, binary, wait};

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

/// `unladen serve` with several sites, restarted again and again.
pub struct Town {
    serve: Succession,
    https: TcpListener,
    http: TcpListener,
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
        let town = Self { serve: Succession::new(), https, http, client: Arc::new(client), pebble, fpm };
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
        self.write(&text);
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
        self.wait_until_said("is in force", before + 1);
        let asked = format!("GET /files/1.txt HTTP/1.1\r\nHost: {GUEST}\r\n\r\n");
        let status = if has_guest { 200 } else { 421 };
        // Each thread follows when it comes to it.
        wait::until("the site has come, or gone", || Wire::tcp(self.http()).ask(asked.clone()).status == status);
    }

    /// Has another process take over, and waits until the one before has ended.
    pub fn hand_over(&self) {
        let old = self.process();
        self.serve.hand_over();
        self.wait_until_gone(old);
    }

    /// Starts it, with the sockets that were open all the time.
    pub fn start_again(&self) {
        let handle = |listener: &TcpListener| OwnedFd::from(listener.try_clone().expect("a descriptor"));
        let mut command = self.command(binary(), Some(AS_SYSTEMD));
        command.stdin(Stdio::from(handle(&self.https))).stdout(Stdio::from(handle(&self.http)));
        self.serve.start(command);
        self.wait_until_it_serves();
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

impl Deref for Town {
    type Target = Succession;

    fn deref(&self) -> &Succession {
        &self.serve
    }
}
