//! [`run`]: `unladen serve` with sites of all kinds, under all kinds of clients at a time, while its configuration is
//! read again, pages are purged, and applications fail.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use unladen_tests::h2::H2Client;
use unladen_tests::site::{free, get, page};
use unladen_tests::{Authority, Call, Ending, PhpFpm, Succession, Upstream, Wire, binary, h2};

use crate::gauge::Gauge;

/// Between two requests of a client: it is a load that a small machine bears beside the tests.
const PAUSE: Duration = Duration::from_millis(2);
/// From one reload to the next, and from one purge to the next.
const TURN: Duration = Duration::from_millis(900);
/// Names of the sites, each at the Unix socket of its name.
const PLAIN: &str = "plain";
const PHP: &str = "php";
const FILES: &str = "files";
const FRAIL: &str = "frail";
/// In the place of a status: the kept connection had ended before, and the request goes out again.
const AGAIN: u16 = 1;
/// How often what came, by the kind of client and the status; 0 is an answer that did not come whole.
type Counts = BTreeMap<(&'static str, u16), u64>;

/// Runs it so long; `is_long`: memory is to be flat.
pub fn run(time: Duration, is_long: bool) {
    let town = Town::start();
    let gauge = Gauge::start(town.serve.process());
    let end = Instant::now() + time;
    let clients = town.clients(end);
    let mut turns = 0;
    while Instant::now() < end {
        sleep(TURN);
        turns += 1;
        match turns % 3 {
            0 => town.purge(),
            1 => town.reload(turns),
            _ => town.breaks.store(turns % 4 == 0, Ordering::SeqCst),
        }
    }
    let mut counts = Counts::new();
    for client in clients {
        for (key, count) in client.join().expect("a client gets what it expects, or counts it") {
            *counts.entry(key).or_default() += count;
        }
    }
    let readings = gauge.stop();
    eprintln!("{}", readings.told("serve"));
    eprintln!("{turns} turns of reloads, purges and faults; answers by client and status: {counts:?}");
    let said = town.serve.said();
    assert!(!said.contains("panicked at"), "{said}");
    // A fault is whatever was asked of the frail application: it may be gone, or hang up in an answer.
    let wrong: Vec<_> =
        counts.iter().filter(|((who, status), _)| *who != FRAIL && ![200, AGAIN].contains(status)).collect();
    assert!(wrong.is_empty(), "{wrong:?}\n{said}");
    for who in [PLAIN, "misses", PHP, FILES, "tls", "h2", "forms"] {
        assert!(counts.contains_key(&(who, 200)), "{who} has no answers: {counts:?}");
    }
    let failed = counts.iter().filter(|((who, status), _)| *who == FRAIL && *status >= 500);
    assert!(failed.count() > 0, "no fault was seen: {counts:?}");
    if is_long {
        readings.are_flat("serve");
    }
    town.serve.stop();
}

/// `unladen serve`, and what stands behind it.
struct Town {
    serve: Succession,
    secure: SocketAddr,
    client: Arc<ClientConfig>,
    good: Upstream,
    frail: Upstream,
    breaks: Arc<AtomicBool>,
    fpm: PhpFpm,
}

impl Town {
    fn start() -> Self {
        let breaks = Arc::new(AtomicBool::new(false));
        let fpm = PhpFpm::start(2, "");
        fpm.page("index.php", "<?php header('Cache-Control: no-store'); echo str_repeat('php ', 500);");
        for number in 0..20 {
            fpm.page(&format!("files/{number}.txt"), &"a line of a file\n".repeat(64 * (1 + number)));
        }
        let authority = Authority::new();
        let certificate = authority.certificate("test");
        let serve = Succession::new();
        std::fs::write(serve.path("site.pem"), certificate.chain).expect("a file");
        std::fs::write(serve.path("site.key"), certificate.key).expect("a file");
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(authority.pem().as_bytes()).expect("PEM")).expect("an authority");
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let client = builder.expect("versions").with_root_certificates(roots).with_no_client_auth();
        let frail = frail(Arc::clone(&breaks));
        let town = Self { serve, secure: free(), client: Arc::new(client), good: good(), frail, breaks, fpm };
        town.configure(0);
        town.serve.start(town.serve.command(binary(), None));
        town.serve.wait_until_it_serves();
        town
    }

    /// Each time with another setting, so that there is something to do.
    fn configure(&self, turn: usize) {
        let mut text = "threads = 2\n[admin]\nlisten = \"unix:DIR/admin.sock\"\n".to_owned();
        let mut site = |name: &str, lines: &str| {
            text += &format!("[[site]]\nname = \"{name}\"\nlisten = [\"unix:DIR/{name}.sock\"]\n{lines}\n");
        };
        let memory = if turn.is_multiple_of(2) { 8 } else { 9 };
        let cache = format!("[site.cache]\nmemory = \"{memory}MiB\"");
        site(PLAIN, &format!("upstream = \"{}\"\n{cache}", self.good.url()));
        site(
            FRAIL,
            &format!(
                "upstream = \"{}\"\ntimeouts.first_byte = \"2s\"\n[site.cache]\nmemory = \"1MiB\"",
                self.frail.url()
            ),
        );
        site(PHP, &self.fpm.site(""));
        site(FILES, &format!("root = \"{}\"", self.fpm.root().display()));
        text += &format!(
            "[[site]]\nname = \"tls\"\nlisten = \"{}\"\ntls = {{ cert = \"DIR/site.pem\", key = \"DIR/site.key\" }}\n\
             upstream = \"{}\"\n[site.cache]\nmemory = \"1MiB\"\n",
            self.secure,
            self.good.url()
        );
        self.serve.write(&text);
    }

    fn reload(&self, turn: usize) {
        let before = self.serve.said().matches("is in force").count();
        self.configure(turn);
        self.serve.signal(Signal::SIGHUP);
        self.serve.wait_until_said("is in force", before + 1);
    }

    fn purge(&self) {
        let admin = format!("unix:{}", self.serve.path("admin.sock").display());
        Call::new(["purge", "--admin", &admin, "--all"]).run().succeeded();
    }

    fn socket(&self, name: &str) -> PathBuf {
        self.serve.path(&format!("{name}.sock"))
    }

    fn clients(&self, end: Instant) -> Vec<JoinHandle<Counts>> {
        let new = Arc::new(AtomicUsize::new(0));
        let by_number = |name: &'static str, site: &str, path: fn(usize) -> String| {
            let socket = self.socket(site);
            spawn(move || keeps_asking(name, &socket, end, |number| get(&path(number), "")))
        };
        let forms = self.socket(PLAIN);
        let leaving = [self.socket(PLAIN), self.socket(PHP), self.socket(FRAIL)];
        let streams = self.socket(PLAIN);
        let (secure, client) = (self.secure, Arc::clone(&self.client));
        let misses = self.socket(PLAIN);
        vec![
            by_number(PLAIN, PLAIN, |number| format!("/page/{}", number % 40)),
            by_number(PHP, PHP, |number| format!("/index.php?n={number}")),
            by_number(FILES, FILES, |number| format!("/files/{}.txt", number % 20)),
            by_number(FRAIL, FRAIL, |number| format!("/{}?n={number}", ["ok", "half", "none", "slow"][number % 4])),
            spawn(move || {
                keeps_asking("misses", &misses, end, |_| {
                    get(&format!("/new/{}", new.fetch_add(1, Ordering::Relaxed)), "")
                })
            }),
            spawn(move || {
                keeps_asking("forms", &forms, end, |number| {
                    let body = "x".repeat(number % 5000);
                    format!("POST /form HTTP/1.1\r\nHost: test\r\nContent-Length: {}\r\n\r\n{body}", body.len())
                })
            }),
            spawn(move || over_tls(secure, &client, end)),
            spawn(move || over_h2(&streams, end)),
            spawn(move || leave_early(&leaving, end)),
        ]
    }
}

/// Pages that are kept, and what forms are answered with.
fn good() -> Upstream {
    Upstream::forgetful(|peer| {
        while let Some(request) = peer.request() {
            let lines =
                if request.method == "POST" { "Cache-Control: no-store\r\n" } else { "Cache-Control: max-age=60\r\n" };
            if !peer.send(page(lines, &request.target.repeat(200))) {
                return;
            }
        }
    })
}

/// Hangs up in answers, before them, and answers late; and at times it is gone.
fn frail(breaks: Arc<AtomicBool>) -> Upstream {
    Upstream::forgetful(move |peer| {
        while let Some(request) = peer.request() {
            if breaks.load(Ordering::SeqCst) {
                return;
            }
            let what = request.target.split('?').next().unwrap_or_default();
            let goes_on = match what {
                "/half" => {
                    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nhalf");
                    false
                }
                "/none" => false,
                "/slow" => {
                    sleep(Duration::from_millis(60));
                    peer.send(page("Cache-Control: no-store\r\n", "slow"))
                }
                _ => peer.send(page("Cache-Control: no-store\r\n", "ok")),
            };
            if !goes_on {
                return;
            }
        }
    })
}

/// One connection after the other, each with some requests.
fn keeps_asking(name: &'static str, socket: &Path, end: Instant, request: impl Fn(usize) -> String) -> Counts {
    let mut counts = Counts::new();
    let mut number = 0;
    while Instant::now() < end {
        let mut wire = Wire::unix(socket);
        for on_this in 0..50 {
            let sent = wire.try_send(request(number));
            let Some(mut answer) = sent.ok().and_then(|()| wire.try_head()) else {
                // A kept connection may end between two requests (RFC 9112, section 9.3.1), as it does where a reload
                // changes its site; a new one may not.
                let what = if on_this == 0 { 0 } else { AGAIN };
                *counts.entry((name, what)).or_default() += 1;
                break;
            };
            wire.body(&mut answer);
            number += 1;
            let is_whole = answer.ending == Ending::Whole;
            *counts.entry((name, if is_whole { answer.status } else { 0 })).or_default() += 1;
            sleep(PAUSE);
            let closes = answer.field("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
            if !is_whole || closes || Instant::now() >= end {
                break;
            }
        }
    }
    counts
}

/// A handshake for each request.
fn over_tls(address: SocketAddr, client: &Arc<ClientConfig>, end: Instant) -> Counts {
    use std::io::{Read as _, Write as _};
    let mut counts = Counts::new();
    while Instant::now() < end {
        let socket = TcpStream::connect(address).expect("it listens");
        let name = ServerName::try_from("test").expect("a name");
        let connection = ClientConnection::new(Arc::clone(client), name).expect("a client");
        let mut stream = StreamOwned::new(connection, socket);
        let mut bytes = Vec::new();
        let request = b"GET /page/1 HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n";
        stream.write_all(request).expect("it reads");
        // How the connection ends is not looked at: the answer says its length.
        let done = stream.read_to_end(&mut bytes);
        let is_good = bytes.starts_with(b"HTTP/1.1 200 ") && bytes.ends_with(&b"/page/1".repeat(200));
        assert!(is_good, "{done:?}: {}", String::from_utf8_lossy(&bytes));
        *counts.entry(("tls", 200)).or_default() += 1;
        sleep(4 * PAUSE);
    }
    counts
}

/// Requests of one connection at a time, some of which it gives up.
fn over_h2(socket: &Path, end: Instant) -> Counts {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut counts = Counts::new();
        let mut number = 0;
        while Instant::now() < end {
            let client = H2Client::unix(socket).await;
            for _ in 0..30 {
                number += 1;
                // What is asked for and then not awaited is a stream that is reset.
                if number % 10 == 0 {
                    drop(client.send(h2::request("GET", &format!("/h2/{number}")), true).await);
                }
                let Some(answer) = client.try_get(&format!("/page/{}", number % 40)).await else { break };
                *counts.entry(("h2", answer.head.status.as_u16())).or_default() += 1;
                tokio::time::sleep(PAUSE).await;
            }
            client.end();
        }
        counts
    })
}

/// Asks, and goes: before the request is whole, before there is an answer, or in it.
fn leave_early(sockets: &[PathBuf], end: Instant) -> Counts {
    let mut number = 0;
    while Instant::now() < end {
        let mut wire = Wire::unix(&sockets[number % sockets.len()]);
        let request = get(&format!("/slow?left={number}"), "");
        let sent = if number.is_multiple_of(3) { &request[..request.len() / 2] } else { request.as_str() };
        if wire.try_send(sent).is_ok() && number.is_multiple_of(2) {
            sleep(PAUSE);
        }
        number += 1;
        drop(wire);
        sleep(PAUSE);
    }
    Counts::new()
}
