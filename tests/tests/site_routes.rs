//! Hosts and routes of `unladen serve`: which site answers for a name, which certificate it shows, which route takes a
//! request, whom it lets in, and that a reload which changes all of it loses no request.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use nix::sys::signal::Signal;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use unladen_tests::site::{app, free, page};
use unladen_tests::{Authority, Call, Serve, Upstream, Wire, wait};

/// Far above what any wait of the tests takes.
const LIMIT: Duration = Duration::from_secs(40);
/// `ann` with `secret`, of bcrypt at its lowest cost.
const USERS: &str = "ann:$2y$04$TquQqtaDOzff4ys/lAOnTeJZFqOz4qiW4RhqVxb8CFamY77hdBkJ6\n";

/// An application that says its name and what it was asked for.
fn named(name: &'static str) -> Upstream {
    app(move |request| {
        let (target, host) = (&request.target, request.field("host").unwrap_or("none"));
        let more = ["authorization", "x-added", "cookie"];
        let more = more.iter().filter_map(|field| Some(format!(" {field}={}", request.field(field)?)));
        let lines = "Cache-Control: max-age=60\r\nServer: app\r\nX-App: 1\r\n";
        page(lines, &format!("{name} {target} {host}{}", more.collect::<String>()))
    })
}

/// `unladen serve` with these tables; `ADDRESS` stands for an address of its own.
fn serve(tables: &str) -> (Serve, SocketAddr) {
    let address = free();
    let config = format!(
        "threads = 2\n[admin]\nlisten = \"unix:DIR/admin.sock\"\n{}",
        tables.replace("ADDRESS", &address.to_string())
    );
    let serve = Serve::start(&config);
    wait::until("it listens", || TcpStream::connect(address).is_ok());
    (serve, address)
}

/// What a GET for this host and path is answered, on a connection of its own.
fn get(address: SocketAddr, host: &str, path: &str) -> unladen_tests::Answer {
    ask(address, "GET", host, path, "")
}

fn ask(address: SocketAddr, method: &str, host: &str, path: &str, lines: &str) -> unladen_tests::Answer {
    Wire::tcp(address).ask(format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{lines}\r\n"))
}

fn table(name: &str, hosts: &str, app: &Upstream, more: &str) -> String {
    let url = app.url();
    format!("[[site]]\nname = \"{name}\"\n{hosts}listen = \"ADDRESS\"\nupstream = \"{url}\"\n{more}\n")
}

#[test]
fn a_name_leads_to_its_site() {
    let (one, other) = (named("one"), named("other"));
    let tables = table("one", "hosts = [\"one.example\", \"*.wild.example\"]\n", &one, "")
        + &table("other", "hosts = [\"other.example\", \"x.wild.example\"]\n", &other, "cache = false\n");
    let (serve, address) = serve(&tables);
    for (host, name) in [
        ("one.example", "one"),
        ("ONE.Example:8080", "one"),
        ("one.example.", "one"),
        ("a.b.wild.example", "one"),
        ("x.wild.example", "other"),
        ("other.example", "other"),
    ] {
        let answer = get(address, host, "/").is(200).text();
        assert!(answer.starts_with(&format!("{name} / ")), "{host}: {answer}");
    }
    for host in ["wild.example", "none.example", "one.example.evil"] {
        let answer = get(address, host, "/");
        assert_eq!(answer.status, 421, "{host}: {answer:?}");
        assert_eq!(answer.field("x-unladen-reason"), Some("misdirected"));
    }
    // Each counts by itself, also where they share an address.
    let metrics = Wire::unix(&serve.path("admin.sock")).get("/metrics").is(200).text();
    for name in ["one", "other"] {
        assert!(metrics.lines().any(|line| line.contains(&format!("upstream=\"{name}\""))), "{name}: {metrics}");
    }
    serve.stop();
}

#[test]
fn a_default_takes_the_rest_and_one_connection_several_sites() {
    let (one, rest) = (named("one"), named("rest"));
    let tables = table("one", "hosts = \"one.example\"\n", &one, "") + &table("rest", "", &rest, "");
    let (serve, address) = serve(&tables);
    let mut wire = Wire::tcp(address);
    for (host, name) in [("one.example", "one"), ("two.example", "rest"), ("one.example", "one")] {
        let answer = wire.ask(format!("GET /x HTTP/1.1\r\nHost: {host}\r\n\r\n")).is(200).text();
        assert!(answer.starts_with(name), "{host}: {answer}");
    }
    serve.stop();
}

const ROUTES: &str = "
[[site.route]]
name = \"api\"
path = \"/api/\"
upstream = \"API\"
set = { x-frame-options = \"DENY\" }
remove = [\"x-app\"]
request = { set = { x-added = \"1\" }, remove = [\"cookie\"] }
[[site.route]]
name = \"admin\"
path = \"/admin\"
access = { auth = \"DIR/users\", realm = \"back\" }
[[site.route]]
name = \"closed\"
path = \"/closed\"
access = { allow = [\"192.0.2.0/24\"] }
[[site.route]]
name = \"scripts\"
suffix = \".php\"
status = 403
set = { x-why = \"scripts\" }
[[site.route]]
name = \"old\"
path = \"/old\"
redirect = \"https://new.example{uri}\"
status = 302
[[site.route]]
name = \"upload\"
path = \"/upload\"
method = \"POST\"
body = 10
[[site.route]]
name = \"fresh\"
path = \"/fresh\"
cache = false
[[site.route]]
name = \"edited\"
path = \"/edited\"
set = { x-edited = \"yes\" }
remove = [\"server\", \"cache-status\"]
";

/// A site with these routes in front of an application, and of another one.
struct Routed {
    serve: Serve,
    address: SocketAddr,
    _apps: [Upstream; 2],
}

impl Routed {
    fn start() -> Self {
        let (own, api) = (named("own"), named("api"));
        let address = free();
        let url = own.url();
        let tables = ROUTES.replace("API", &api.url());
        let site = format!("[[site]]\nname = \"shop\"\nlisten = \"{address}\"\nupstream = \"{url}\"\n{tables}");
        let script = format!("printf '%s' '{USERS}' > DIR/users; chmod 600 DIR/users; exec \"$@\"");
        let serve = Serve::start_through(&script, &format!("[admin]\nlisten = \"unix:DIR/admin.sock\"\n{site}"));
        wait::until("it listens", || TcpStream::connect(address).is_ok());
        Self { serve, address, _apps: [own, api] }
    }

    fn get(&self, path: &str) -> unladen_tests::Answer {
        get(self.address, "shop.example", path)
    }

    fn get_with(&self, path: &str, lines: &str) -> unladen_tests::Answer {
        ask(self.address, "GET", "shop.example", path, lines)
    }
}

#[test]
fn the_first_route_that_fits_answers() {
    let site = Routed::start();
    let api = site.get_with("/api/x?y", "Cookie: a=1\r\n").is(200);
    assert_eq!(api.field("x-frame-options"), Some("DENY"));
    assert_eq!((api.field("x-app"), api.field("server")), (None, Some("app")));
    assert_eq!(api.text(), "api /api/x?y shop.example x-added=1");
    assert!(site.get("/apix").is(200).text().starts_with("own "));
    let refused = site.get("/uploads/x.PHP/y");
    assert_eq!((refused.status, refused.field("x-why")), (403, Some("scripts")));
    let old = site.get("/old/a?b=c");
    assert_eq!((old.status, old.field("location")), (302, Some("https://new.example/old/a?b=c")));
    let metrics = Wire::unix(&site.serve.path("admin.sock")).get("/metrics").is(200).text();
    assert!(metrics.contains("upstream=\"shop/api\""), "{metrics}");
    site.serve.stop();
}

#[test]
fn fields_are_edited_on_all_answers() {
    let site = Routed::start();
    // Asked, from memory, a condition, and our own.
    for (lines, status) in [("", 200), ("", 200), ("If-None-Match: *\r\n", 304)] {
        let answer = site.get_with("/edited/a", lines);
        assert_eq!(answer.status, status, "{answer:?}");
        assert_eq!(answer.field("x-edited"), Some("yes"), "{answer:?}");
        assert_eq!((answer.field("server"), answer.field("cache-status")), (None, None), "{answer:?}");
    }
    let own = site.get_with("/edited/none", "Cache-Control: only-if-cached\r\n");
    assert_eq!((own.status, own.field("x-edited")), (504, Some("yes")), "{own:?}");
    // Elsewhere all is as it was.
    assert_eq!(site.get("/plain").is(200).field("x-edited"), None);
    // What is not to be kept is asked for each time, and says so.
    for _ in 0..2 {
        site.get("/fresh/a").is_asked(200);
    }
    site.get("/kept").is_asked(200);
    site.get("/kept").is_hit(200);
    site.serve.stop();
}

#[test]
fn a_body_is_bounded_by_its_route() {
    let site = Routed::start();
    let post = |path: &str, length: usize| {
        let body = "x".repeat(length);
        let head = format!("POST {path} HTTP/1.1\r\nHost: shop.example\r\nContent-Length: {length}\r\n\r\n");
        Wire::tcp(site.address).ask(head + &body)
    };
    assert_eq!(post("/upload", 10).status, 200);
    assert_eq!(post("/upload", 11).status, 413);
    assert_eq!(post("/elsewhere", 11).status, 200);
    site.serve.stop();
}

/// What guards a path guards it in all spellings, and lets in who may.
#[test]
fn a_guard_is_not_got_round() {
    let site = Routed::start();
    let ann = "Authorization: Basic YW5uOnNlY3JldA==\r\n";
    let wrong = "Authorization: Basic YW5uOnNlY3JldDI=\r\n";
    for path in [
        "/admin",
        "/admin/",
        "/admin/x",
        "/%61dmin",
        "//admin",
        "/x/../admin",
        "/admin;x",
        "/admin%2Fx",
        "/./admin",
        "/%2e/admin",
        "/admin%00",
        "/a/%2e%2e/admin",
        "/\\admin",
        "//x/admin",
        "/admin?x",
    ] {
        let answer = site.get(path);
        assert!(matches!(answer.status, 400 | 401), "{path}: {answer:?}");
        let answer = site.get_with(path, wrong);
        assert!(matches!(answer.status, 400 | 401), "{path}: {answer:?}");
    }
    let asked = site.get("/admin");
    assert_eq!(asked.field("www-authenticate"), Some("Basic realm=\"back\", charset=\"UTF-8\""));
    assert_eq!(asked.field("x-unladen-reason"), Some("unauthorized"));
    // Twice: tried, and known. It is never kept for others.
    for _ in 0..2 {
        let answer = site.get_with("/admin/page", ann).is_asked(200);
        assert!(answer.text().starts_with("own /admin/page"));
    }
    assert_eq!(site.get("/admin/page").status, 401);
    let closed = site.get("/closed/x");
    assert_eq!((closed.status, closed.field("x-unladen-reason")), (403, Some("access_forbidden")));
    site.serve.stop();
}

type Tls = StreamOwned<ClientConnection, TcpStream>;

/// A connection by TLS that names this host.
fn tls(authority: &Authority, address: SocketAddr, name: &str) -> std::io::Result<Tls> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(authority.pem().as_bytes()).expect("PEM")).expect("an authority");
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().expect("versions");
    let config = builder.with_root_certificates(roots).with_no_client_auth();
    let name = ServerName::try_from(name.to_owned()).expect("a name");
    let connection = ClientConnection::new(Arc::new(config), name).expect("a client");
    let socket = TcpStream::connect(address)?;
    socket.set_read_timeout(Some(LIMIT))?;
    let mut stream = StreamOwned::new(connection, socket);
    while stream.conn.is_handshaking() {
        stream.conn.complete_io(&mut stream.sock)?;
    }
    Ok(stream)
}

/// A GET for this host as the connection's last: all of the answer.
fn last(mut stream: Tls, host: &str) -> String {
    let request = format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut answer = Vec::new();
    // It may end without a farewell.
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn each_site_shows_its_own_certificate() {
    let authority = Authority::new();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().display().to_string();
    for name in ["one.example", "two.example", "three.example"] {
        let certificate = authority.certificate(name);
        std::fs::write(folder.path().join(format!("{name}.pem")), &certificate.chain).expect("a file");
        std::fs::write(folder.path().join(format!("{name}.key")), &certificate.key).expect("a file");
    }
    let of = |name: &str| format!("{{ cert = \"{path}/{name}.pem\", key = \"{path}/{name}.key\" }}");
    let (one, two) = (named("one"), named("two"));
    let plain = free();
    let shared = format!("redirect = \"{plain}\"\nhttp2 = false\n");
    let tables = table("one", "hosts = \"one.example\"\n", &one, &format!("tls = {}\n{shared}", of("one.example")))
        + &table(
            "two",
            "hosts = [\"two.example\", \"three.example\"]\n",
            &two,
            &format!("tls = [{}, {}]\n{shared}", of("two.example"), of("three.example")),
        );
    let (serve, address) = serve(&tables);
    for (name, site) in [("one.example", "one"), ("two.example", "two"), ("three.example", "two")] {
        let stream = tls(&authority, address, name).expect("its certificate is the name's");
        let answer = last(stream, name);
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains(&format!("{site} / {name}")), "{name}: {answer}");
    }
    // Another name of the same site is, another site's is not, and so is none that is not here.
    let both = |name: &str, host: &str| last(tls(&authority, address, name).expect("a connection"), host);
    assert!(both("two.example", "three.example").starts_with("HTTP/1.1 200"));
    assert!(both("one.example", "two.example").starts_with("HTTP/1.1 421"));
    assert!(both("one.example", "four.example").starts_with("HTTP/1.1 421"));
    // Who names none that is here gets the first certificate, which is not for that name.
    assert!(tls(&authority, address, "four.example").is_err());
    for host in ["one.example", "two.example"] {
        let answer = get(plain, host, "/a?b");
        let port = address.port();
        assert_eq!(answer.field("location"), Some(&*format!("https://{host}:{port}/a?b")), "{answer:?}");
    }
    assert_eq!(get(plain, "four.example", "/").status, 421);
    serve.stop();
}

/// Hosts and routes come and go, and each request is answered by what was there when it came, or by what is now.
#[test]
fn reloads_under_load_lose_nothing() {
    let (one, two) = (named("one"), named("two"));
    let own = |name: &str, hosts: &str, app: &Upstream, more: &str| table(name, hosts, app, more);
    let first = own("one", "hosts = [\"one.example\"]\n", &one, "")
        + &own("two", "default = true\nhosts = [\"two.example\"]\n", &two, "");
    let route = format!("[[site.route]]\nname = \"x\"\npath = \"/x\"\nupstream = \"{}\"\n", two.url());
    let second = own("one", "hosts = [\"one.example\", \"*.one.example\"]\n", &one, &route)
        + &own("rest", "", &two, "cache = false\n");
    let (serve, address) = serve(&first);
    let file = serve.path("unladen.toml");
    let folder = file.parent().expect("a folder").display().to_string();
    let write = |tables: &str| {
        let text = format!(
            "threads = 2\n[admin]\nlisten = \"unix:{folder}/admin.sock\"\n{}",
            tables.replace("ADDRESS", &address.to_string())
        );
        let new = serve.path("new.toml");
        std::fs::write(&new, text).expect("a file");
        std::fs::rename(&new, &file).expect("a file");
        serve.running().signal(Signal::SIGHUP);
    };
    let (is_over, asked) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for (host, names) in
            [("one.example", &["one", "two"][..]), ("two.example", &["two"]), ("none.example", &["two"])]
        {
            let (is_over, asked) = (&is_over, &asked);
            scope.spawn(move || {
                let mut wire = Wire::tcp(address);
                while !is_over.load(Ordering::Relaxed) {
                    for path in ["/", "/x"] {
                        let answer = wire.ask(format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
                        assert_eq!(answer.status, 200, "{host}{path}: {answer:?}");
                        let text = answer.text();
                        assert!(names.iter().any(|name| text.starts_with(name)), "{host}{path}: {text}");
                        asked.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        for round in 0..20 {
            let before = asked.load(Ordering::Relaxed);
            write(if round % 2 == 0 { &second } else { &first });
            wait::until("requests go on", || asked.load(Ordering::Relaxed) > before + 20);
        }
        is_over.store(true, Ordering::Relaxed);
    });
    serve.stop();
}

/// What a configuration comes to for a URL: which site, which route, and why.
#[test]
fn a_url_is_explained_with_its_host_and_route() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("unladen.toml");
    let text = "
[[site]]
name = \"shop\"
hosts = [\"shop.example\"]
listen = \"127.0.0.1:8080\"
upstream = \"http://127.0.0.1:1\"
[[site.route]]
name = \"api\"
path = \"/api\"
upstream = \"http://127.0.0.1:2\"
[[site.route]]
name = \"gone\"
suffix = \".php\"
status = 410
[[site]]
name = \"wiki\"
hosts = [\"*.wiki.example\"]
listen = \"127.0.0.1:8080\"
upstream = \"http://127.0.0.1:3\"
";
    std::fs::write(&file, text).expect("a file");
    let check =
        |url: &str| Call::new(["serve".as_ref(), file.as_os_str(), "--check".as_ref(), "--url".as_ref(), url.as_ref()]);
    check("http://shop.example:8080/api/x").run().succeeded().shows(["`shop`", "route", "`api`", "line 7"]);
    check("http://shop.example:8080/a.php").run().succeeded().shows(["`gone`", "410"]);
    check("http://a.wiki.example:8080/").run().succeeded().shows(["`wiki`", "*.wiki.example"]);
    let document = check("http://shop.example:8080/%61pi").args(["--json"]).run().succeeded().stdout;
    let document: serde_json::Value = serde_json::from_str(&document).expect("JSON");
    let text = document.to_string();
    assert!(text.contains("\"api\""), "{text}");
    check("http://nobody.example:8080/").run().ended_with(2).says(["nobody.example"]);
}
