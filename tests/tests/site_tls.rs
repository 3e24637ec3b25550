//! TLS of `unladen serve` in front of an application: which certificate and which protocol a client gets, what of a
//! session lasts, and what happens when certificates change.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use nix::sys::signal::Signal;
use rustls::client::Resumption;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, HandshakeKind, ProtocolVersion, RootCertStore, StreamOwned, version};
use unladen_tests::site::{app, page};
use unladen_tests::{Authority, Certificate, Site, Upstream, wait};

/// Far above what any wait of the tests takes.
const LIMIT: Duration = Duration::from_secs(40);

type Tls = StreamOwned<ClientConnection, TcpStream>;

/// How a client connects.
struct Client {
    config: Arc<ClientConfig>,
}

impl Client {
    fn new(authority: &Authority) -> Self {
        Self::with(authority, &[&version::TLS13, &version::TLS12], &[b"http/1.1"])
    }

    fn with(authority: &Authority, versions: &[&'static rustls::SupportedProtocolVersion], alpn: &[&[u8]]) -> Self {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(authority.pem().as_bytes()).expect("PEM")).expect("an authority");
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(provider).with_protocol_versions(versions).expect("versions");
        let mut config = builder.with_root_certificates(roots).with_no_client_auth();
        config.alpn_protocols = alpn.iter().map(|name| name.to_vec()).collect();
        config.resumption = Resumption::in_memory_sessions(16);
        Self { config: Arc::new(config) }
    }

    /// A connection whose handshake is over. The error: why there is none.
    fn connect(&self, site: &Site, name: &str) -> std::io::Result<Tls> {
        let name = ServerName::try_from(name.to_owned()).expect("a name");
        let connection = ClientConnection::new(Arc::clone(&self.config), name).expect("a client");
        let socket = TcpStream::connect(site.address())?;
        socket.set_read_timeout(Some(LIMIT))?;
        let mut stream = StreamOwned::new(connection, socket);
        while stream.conn.is_handshaking() {
            stream.conn.complete_io(&mut stream.sock)?;
        }
        Ok(stream)
    }
}

/// GET of `/`: head and body.
fn get(stream: &mut Tls) -> String {
    stream.write_all(b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n").expect("it reads");
    let mut answer = Vec::new();
    let mut bytes = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&answer);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length: usize = head
                .to_lowercase()
                .split("content-length: ")
                .nth(1)
                .and_then(|rest| rest.lines().next()?.parse().ok())
                .expect("a length");
            if body.len() >= length {
                return text.into_owned();
            }
        }
        let count = stream.read(&mut bytes).expect("an answer");
        assert!(count > 0, "it ends: {answer:?}");
        answer.extend_from_slice(&bytes[..count]);
    }
}

/// The number of the certificate that was shown, as its authority gave it: two of the same name differ.
fn shown(stream: &Tls) -> Vec<u8> {
    stream.conn.peer_certificates().and_then(<[_]>::first).expect("a certificate").to_vec()
}

/// A folder with certificates, and a site that has them.
struct Secured {
    site: Site,
    folder: tempfile::TempDir,
    _app: Upstream,
}

fn write(folder: &tempfile::TempDir, name: &str, certificate: &Certificate) {
    // As those do who write certificates: the new ones are there at once.
    for (end, text) in [("key", &certificate.key), ("pem", &certificate.chain)] {
        let new = folder.path().join("new");
        std::fs::write(&new, text).expect("a file");
        std::fs::rename(new, folder.path().join(format!("{name}.{end}"))).expect("a file");
    }
}

impl Secured {
    /// With certificates for these names.
    fn start(authority: &Authority, names: &[&str], settings: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().display().to_string();
        let mut listed = Vec::new();
        for (number, name) in names.iter().enumerate() {
            write(&folder, &number.to_string(), &authority.certificate(name));
            listed.push(format!("{{ cert = \"{path}/{number}.pem\", key = \"{path}/{number}.key\" }}"));
        }
        let app = app(|request| {
            let scheme = request.field("x-forwarded-proto").unwrap_or("none");
            page("Cache-Control: no-store\r\n", &format!("{scheme} {}", request.field("host").unwrap_or("none")))
        });
        let site = Site::of(&app, &format!("tls = [{}]\n{settings}", listed.join(", ")));
        Self { site, folder, _app: app }
    }

    fn reload(&self) {
        self.site.serve().running().signal(Signal::SIGHUP);
    }
}

#[test]
fn both_versions_and_both_protocols_are_spoken() {
    let authority = Authority::new();
    let secured = Secured::start(&authority, &["a.example"], "hsts = true");
    for (only, spoken) in [(&version::TLS12, ProtocolVersion::TLSv1_2), (&version::TLS13, ProtocolVersion::TLSv1_3)] {
        for (alpn, chosen) in [
            (&[&b"h2"[..], b"http/1.1"][..], Some(&b"h2"[..])),
            (&[b"http/1.1", b"h2"], Some(b"h2")),
            (&[b"http/1.1"], Some(b"http/1.1")),
            (&[], None),
        ] {
            let mut stream = Client::with(&authority, &[only], alpn).connect(&secured.site, "a.example").expect("TLS");
            assert_eq!(stream.conn.protocol_version(), Some(spoken));
            assert_eq!(stream.conn.alpn_protocol(), chosen, "{alpn:?}");
            if chosen != Some(b"h2") {
                let answer = get(&mut stream);
                assert!(answer.ends_with("\r\n\r\nhttps a.example"), "{answer}");
                assert!(answer.contains("strict-transport-security: max-age=31536000\r\n"), "{answer}");
            }
        }
        let nothing = Client::with(&authority, &[only], &[b"spdy/1"]).connect(&secured.site, "a.example");
        assert!(nothing.is_err(), "a protocol that nobody speaks");
    }
    secured.site.stop();

    let secured = Secured::start(&authority, &["a.example"], "tls12 = false\nhttp2 = false");
    assert!(Client::with(&authority, &[&version::TLS12], &[]).connect(&secured.site, "a.example").is_err());
    let client = Client::with(&authority, &[&version::TLS13], &[b"h2", b"http/1.1"]);
    let mut stream = client.connect(&secured.site, "a.example").expect("TLS");
    assert_eq!(stream.conn.alpn_protocol(), Some(&b"http/1.1"[..]));
    assert!(!get(&mut stream).contains("strict-transport-security"));
    secured.site.stop();
}

#[test]
fn a_client_gets_the_certificate_for_the_name_that_it_asks_for() {
    let authority = Authority::new();
    let secured = Secured::start(&authority, &["a.example", "b.example", "*.c.example"], "");
    let client = Client::new(&authority);
    for name in ["a.example", "b.example", "x.c.example", "A.EXAMPLE"] {
        // Whether it is for that name, the client verifies.
        assert!(get(&mut client.connect(&secured.site, name).expect(name)).contains("https"), "{name}");
    }
    for name in ["other.example", "c.example", "x.y.c.example", "127.0.0.1"] {
        assert!(client.connect(&secured.site, name).is_err(), "{name}");
    }
    secured.site.stop();
}

#[test]
fn sessions_go_on_also_after_a_reload_with_a_new_certificate() {
    let authority = Authority::new();
    for only in [&version::TLS12, &version::TLS13] {
        let secured = Secured::start(&authority, &["a.example"], "");
        let client = Client::with(&authority, &[only], &[b"http/1.1"]);
        let mut first = client.connect(&secured.site, "a.example").expect("TLS");
        get(&mut first);
        assert_eq!(first.conn.handshake_kind(), Some(HandshakeKind::Full));
        let old = shown(&first);
        let mut second = client.connect(&secured.site, "a.example").expect("TLS");
        get(&mut second);
        assert_eq!(second.conn.handshake_kind(), Some(HandshakeKind::Resumed), "{only:?}");

        write(&secured.folder, "0", &authority.certificate("a.example"));
        secured.reload();
        wait::until("the new certificate is shown", || {
            let mut fresh = Client::with(&authority, &[only], &[]).connect(&secured.site, "a.example").expect("TLS");
            let is_new = shown(&fresh) != old;
            if is_new {
                get(&mut fresh);
            }
            is_new
        });
        // Who was connected still is, and who was here before comes back by its ticket.
        get(&mut first);
        get(&mut second);
        let mut third = client.connect(&secured.site, "a.example").expect("TLS");
        get(&mut third);
        assert_eq!(third.conn.handshake_kind(), Some(HandshakeKind::Resumed), "{only:?}");
        secured.site.stop();
    }
}

#[test]
fn certificates_that_change_are_read_again_and_bad_ones_are_not_taken() {
    let authority = Authority::new();
    let secured = Secured::start(&authority, &["a.example"], "");
    let client = || Client::new(&authority).connect(&secured.site, "a.example").expect("TLS");
    let mut kept = client();
    let old = shown(&kept);
    // A key that is another's, and what is no certificate.
    std::fs::write(secured.folder.path().join("0.key"), authority.certificate("a.example").key).expect("a file");
    secured.reload();
    std::fs::write(secured.folder.path().join("0.pem"), "no certificate").expect("a file");
    secured.reload();
    for _ in 0..20 {
        assert_eq!(shown(&client()), old);
        get(&mut kept);
        std::thread::sleep(Duration::from_millis(10));
    }
    // Nobody says that they have changed: it is seen.
    write(&secured.folder, "0", &authority.certificate("a.example"));
    wait::until("the new certificate is shown", || {
        get(&mut kept);
        shown(&client()) != old
    });
    get(&mut kept);
    secured.site.stop();
}

#[test]
fn who_says_nothing_or_no_tls_is_rid_of_and_holds_up_nobody() {
    let authority = Authority::new();
    let secured = Secured::start(&authority, &["a.example"], "client.head_timeout = \"300ms\"");
    let silent: Vec<_> = (0..50).map(|_| TcpStream::connect(secured.site.address()).expect("it listens")).collect();
    let mut slow = TcpStream::connect(secured.site.address()).expect("it listens");
    slow.write_all(b"\x16\x03\x01\x02\x00\x01").expect("it reads");
    get(&mut Client::new(&authority).connect(&secured.site, "a.example").expect("TLS"));
    for mut stream in silent.into_iter().chain([slow]) {
        stream.set_read_timeout(Some(LIMIT)).expect("an option");
        let mut rest = Vec::new();
        // Closed or reset: but not left open.
        let ended = stream.read_to_end(&mut rest).map_err(|error| error.kind());
        assert!(!matches!(ended, Err(std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut)), "{ended:?}");
    }
    for plain in
        [&b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"[..], b"\0\0\0\0\0\0\0\0\0\0", b"SSH-2.0-x\r\n", &[0x80; 70_000]]
    {
        let mut stream = TcpStream::connect(secured.site.address()).expect("it listens");
        stream.set_read_timeout(Some(LIMIT)).expect("an option");
        let _ = stream.write_all(plain);
        let mut rest = Vec::new();
        let ended = stream.read_to_end(&mut rest).map_err(|error| error.kind());
        assert!(!matches!(ended, Err(std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut)), "{ended:?}");
        assert!(!String::from_utf8_lossy(&rest).contains("200 OK"), "{rest:?}");
    }
    get(&mut Client::new(&authority).connect(&secured.site, "a.example").expect("TLS"));
    secured.site.stop();
}

#[test]
fn who_comes_by_http_is_sent_on_to_https() {
    let authority = Authority::new();
    let redirect = unladen_tests::site::free();
    let secured = Secured::start(&authority, &["a.example"], &format!("redirect = \"{redirect}\""));
    let port = secured.site.address().port();
    for (request, status, location) in [
        ("GET /a?b HTTP/1.1\r\nHost: a.example\r\n", 301, "https://a.example:PORT/a?b"),
        ("GET / HTTP/1.1\r\nHost: a.example:80\r\n", 301, "https://a.example:PORT/"),
        ("HEAD / HTTP/1.1\r\nHost: a.example\r\n", 301, "https://a.example:PORT/"),
        ("POST /a HTTP/1.1\r\nHost: a.example\r\nContent-Length: 0\r\n", 308, "https://a.example:PORT/a"),
        ("GET //evil.example/ HTTP/1.1\r\nHost: a.example\r\n", 301, "https://a.example:PORT//evil.example/"),
    ] {
        let mut wire = unladen_tests::Wire::tcp(redirect);
        wire.send(format!("{request}\r\n"));
        let answer = wire.next(request.starts_with("HEAD"));
        let location = location.replace("PORT", &port.to_string());
        assert_eq!((answer.status, answer.field("location")), (status, Some(location.as_str())), "{request}");
        assert_eq!(answer.field("strict-transport-security"), None);
    }
    secured.site.stop();
}

/// PURGE is taken there too: by the same rule of who asks.
#[test]
fn a_purge_where_clients_are_sent_on_to_https_counts_for_whom_it_asks() {
    let authority = Authority::new();
    let redirect = unladen_tests::site::free();
    let settings = format!(
        "redirect = \"{redirect}\"\ntrusted.proxies = [\"127.0.0.1\"]\n[site.cache]\npurge = [\"127.0.0.0/8\"]"
    );
    let secured = Secured::start(&authority, &["a.example"], &settings);
    for (lines, status) in [("X-Forwarded-For: 8.8.8.8\r\n", 403), ("X-Forwarded-For: 127.0.0.9\r\n", 200), ("", 200)] {
        let answer =
            unladen_tests::Wire::tcp(redirect).ask(format!("PURGE / HTTP/1.1\r\nHost: a.example\r\n{lines}\r\n"));
        assert_eq!(answer.status, status, "{lines}");
    }
    secured.site.stop();
}
