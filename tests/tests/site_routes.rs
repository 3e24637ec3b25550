//! Hosts and routes of `unladen serve`: which site answers for a name, which certificate it shows, which route takes a
//! request, whom it lets in, and that a reload which changes all of it loses no request.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use nix::sys::signal::Signal;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use unladen_tests::frames::{Frame, Http2, kind};
use unladen_tests::site::{app, free, page};
use unladen_tests::{Authority, Call, PhpFpm, Serve, Site, Upstream, Wire, wait};

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

/// What is said of heads by the first site of an address was said for all.
#[test]
fn each_site_of_an_address_takes_heads_of_its_own_length() {
    let (small, large) = (named("small"), named("large"));
    for is_first in [true, false] {
        let mut tables = [
            table("small", "hosts = \"small.example\"\n", &small, "client = { head_bytes = \"2KiB\", fields = 20 }"),
            table("large", "hosts = \"large.example\"\n", &large, "client = { head_bytes = \"32KiB\", fields = 200 }"),
        ];
        if !is_first {
            tables.reverse();
        }
        let (serve, address) = serve(&tables.concat());
        let long = format!("X-Long: {}\r\n", "a".repeat(8000));
        let many: String = (0..100).map(|number| format!("X-{number}: a\r\n")).collect();
        for lines in [&long, &many] {
            ask(address, "GET", "large.example", "/", lines).is(200);
            let refused = ask(address, "GET", "small.example", "/", lines);
            let reason = if *lines == long { "head_too_long" } else { "too_many_fields" };
            assert_eq!((refused.status, refused.reason()), (431, Some(reason)), "{refused:?}");
        }
        ask(address, "GET", "small.example", "/", "X-Short: a\r\n").is(200);
        let longer = format!("X-Long: {}\r\n", "a".repeat(40_000));
        assert_eq!(ask(address, "GET", "large.example", "/", &longer).status, 431);
        serve.stop();
    }
}

/// One site waits for its clients for longer than the other: who has not said yet whom it wants is waited for so long.
#[test]
fn the_most_generous_site_of_an_address_bounds_who_has_said_nothing_yet() {
    let (hasty, patient) = (named("hasty"), named("patient"));
    let tables =
        table("hasty", "hosts = \"hasty.example\"\n", &hasty, "client = { idle = \"1s\", head_timeout = \"1s\" }")
            + &table(
                "patient",
                "hosts = \"patient.example\"\n",
                &patient,
                "client = { idle = \"1h\", head_timeout = \"1h\" }",
            );
    let (serve, address) = serve(&tables);
    let mut wire = Wire::tcp(address);
    let mut silent = Wire::tcp(address);
    wire.send("GET / HTTP/1.1\r\n");
    std::thread::sleep(Duration::from_millis(1500));
    wire.send("Host: patient.example\r\n\r\n");
    wire.answer().is(200);
    silent.get("/").refuses(421, "misdirected");
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

/// Spellings of what a route guards.
const SPELLINGS: [&str; 15] = [
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
];

/// What guards a path guards it in all spellings, and lets in who may.
#[test]
fn a_guard_is_not_got_round() {
    let site = Routed::start();
    let ann = "Authorization: Basic YW5uOnNlY3JldA==\r\n";
    let wrong = "Authorization: Basic YW5uOnNlY3JldDI=\r\n";
    for path in SPELLINGS {
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

/// HTTP/2 has the path in a field of its own, in which other characters can stand.
#[test]
fn a_guard_is_not_got_round_by_http_2() {
    let site = Routed::start();
    let stream = TcpStream::connect(site.address).unwrap();
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    let mut client = Http2::client(stream);
    let more = ["/admin page", "/admin\tx", "/admin#x", "/%61dmin/%2e", "*", "admin", "http://shop.example/admin"];
    for (number, path) in SPELLINGS.into_iter().chain(more).enumerate() {
        let stream = number as u32 * 2 + 1;
        let fields: [(&[u8], &[u8]); 4] = [
            (b":method", b"GET"),
            (b":scheme", b"http"),
            (b":path", path.as_bytes()),
            (b":authority", b"shop.example"),
        ];
        client.send(&Frame::head(stream, &fields, true));
        let frame =
            client.wait(|frame| frame.stream == stream).unwrap_or_else(|| panic!("{path}: the connection ends"));
        let is_refused = frame.kind == kind::RST_STREAM || matches!(frame.status(), Some(400 | 401));
        assert!(is_refused, "{path}: {frame:?}");
    }
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
    // Both sites share their one listener.
    let shown = ["`shop`", "route", "`api`", "line 7", "OK: 1 listener"];
    check("http://shop.example:8080/api/x").run().succeeded().shows(shown);
    check("http://shop.example:8080/a.php").run().succeeded().shows(["`gone`", "410"]);
    check("http://a.wiki.example:8080/").run().succeeded().shows(["`wiki`", "*.wiki.example"]);
    let document = check("http://shop.example:8080/%61pi").args(["--json"]).run().succeeded().stdout;
    let document: serde_json::Value = serde_json::from_str(&document).expect("JSON");
    let text = document.to_string();
    assert!(text.contains("\"api\""), "{text}");
    check("http://nobody.example:8080/").run().ended_with(2).says(["nobody.example"]);
}

/// PHP that says which script it is, and what it is told.
const SCRIPT: &str = "<?php header('Cache-Control: max-age=60'); \
                      echo 'was run ', $_SERVER['SCRIPT_NAME'], ' ', $_SERVER['PATH_INFO'] ?? '';";

/// PHP-FPM with these scripts, behind a site with these lines.
fn scripts(paths: &[&str], lines: &str) -> (PhpFpm, Site) {
    let fpm = PhpFpm::start(1, "");
    for path in paths {
        fpm.page(path, SCRIPT);
    }
    let place = format!("php = \"{}\"\nroot = \"{}\"\n", fpm.socket().display(), fpm.root().display());
    let users = fpm.root().join("../users");
    std::fs::write(&users, USERS).expect("a file");
    std::fs::set_permissions(&users, std::fs::Permissions::from_mode(0o600)).expect("our own");
    let site = Site::start(&(place + &lines.replace("USERS", users.to_str().expect("text"))));
    (fpm, site)
}

/// `/wp-content/uploads/evil/` has no `.php`, and was chosen no refusing route for: its `index.php` was run.
#[test]
fn what_visitors_upload_is_not_run_by_the_name_of_its_folder() {
    for (preset, folder) in [
        ("wordpress", "wp-content/uploads"),
        ("drupal", "sites/default/files"),
        ("mediawiki", "images"),
        ("laravel", "storage"),
    ] {
        let evil = format!("{folder}/evil/index.php");
        let (_fpm, site) = scripts(&["index.php", "app/index.php", &evil], &format!("preset = \"{preset}\"\n"));
        let mut wire = site.wire();
        for method in ["GET", "HEAD", "POST", "get"] {
            for target in [
                format!("/{folder}/evil/"),
                format!("/{folder}//evil//?a=b"),
                format!("/{folder}/%65vil/"),
                format!("/{folder}/evil/index.php"),
                format!("/{folder}/evil/index.php/x.png"),
            ] {
                wire.send(format!("{method} {target} HTTP/1.1\r\nHost: a\r\n\r\n"));
                let answer = wire.next(method == "HEAD");
                assert_eq!(answer.status, 403, "{preset}: {method} {target}: {answer:?}");
                assert!(!answer.text().contains("was run"), "{preset}: {method} {target}: {answer:?}");
            }
        }
        assert_eq!(site.get(&format!("/{folder}/evil")).status, 301, "{preset}");
        // Whatever is no upload goes on.
        for (target, ran) in [
            ("/", "was run /index.php "),
            ("/a/page/", "was run /index.php "),
            ("/app/", "was run /app/index.php "),
            ("/index.php/a/page", "was run /index.php /a/page"),
            // A page may be called as a folder of the program is.
            ("/index.php/cache/vendor", "was run /index.php /cache/vendor"),
        ] {
            assert_eq!(site.get(target).is(200).text(), ran, "{preset}: {target}");
        }
        site.stop();
    }
}

const GUARDED: &str = "
try = [\"{path}\", \"{path}.php\", \"{path}/\", \"/index.php\"]
[[site.route]]
name = \"exact\"
exact = [\"/login.php\", \"/back/index.php\", \"/report.php\", \"/private/index.html\", \"/index.php\"]
access = { auth = \"USERS\", realm = \"back\" }
[[site.route]]
name = \"admin\"
path = \"/admin\"
access = { auth = \"USERS\", realm = \"back\" }
[[site.route]]
name = \"post\"
path = \"/hook\"
method = \"POST\"
status = 405
set = { x-why = \"post\" }
[[site.route]]
name = \"pages\"
path = \"/pages\"
set = { x-pages = \"1\" }
";

/// A route was held against the path that was asked for alone, and not against the script or the file that it came to,
/// nor against the path that the application then took.
#[test]
fn what_a_path_comes_to_is_guarded_as_it_is_by_its_own_name() {
    let paths = ["index.php", "login.php", "back/index.php", "report.php", "open.php", "pages/index.php"];
    let (fpm, site) = scripts(&paths, GUARDED);
    fpm.page("private/index.html", "was sent");
    let ann = "Authorization: Basic YW5uOnNlY3JldA==\r\n";
    for (target, ran) in [
        ("/login.php/x", "was run /login.php /x"),
        ("/login.php/", "was run /login.php /"),
        ("//%6cogin.php//x", "was run /login.php /x"),
        ("/login", "was run /login.php "),
        ("/back/", "was run /back/index.php "),
        ("/back//", "was run /back/index.php "),
        ("/report", "was run /report.php "),
        ("/index.php/admin", "was run /index.php /admin"),
        ("/index.php//admin/x", "was run /index.php /admin/x"),
        ("/index%2ephp/%61dmin", "was run /index.php /admin"),
        ("/index.php/admin;x", "was run /index.php /admin;x"),
        ("/index.php/admin%2Fx", "was run /index.php /admin/x"),
        ("/open.php/admin", "was run /open.php /admin"),
        ("/private/", "was sent"),
        ("/private//", "was sent"),
        ("/priv%61te/", "was sent"),
    ] {
        // Once it is known, too, and after somebody was let in.
        for _ in 0..2 {
            let answer = site.get(target);
            assert_eq!((answer.status, answer.reason()), (401, Some("unauthorized")), "{target}: {answer:?}");
            assert!(answer.field("www-authenticate").is_some_and(|asks| asks.contains("back")), "{target}: {answer:?}");
            let answer = site.get_with(target, ann).is(200);
            assert_eq!(answer.text(), ran, "{target}");
            // What only some get is not kept for all.
            assert!(answer.field("cache-status").is_none_or(|said| !said.contains("hit")), "{target}: {answer:?}");
        }
    }
    for (target, ran) in [
        ("/", "was run /index.php "),
        ("/a/page", "was run /index.php "),
        ("/index.php/wp-json/x", "was run /index.php /wp-json/x"),
        ("/open", "was run /open.php "),
        ("/pages/", "was run /pages/index.php "),
        ("/index.php/administrator", "was run /index.php /administrator"),
        ("/index.php/x/admin", "was run /index.php /x/admin"),
    ] {
        assert_eq!(site.get(target).is(200).text(), ran, "{target}");
    }
    site.stop();
}

const REFUSED: &str = "
try = [\"{path}\", \"{path}/\", \"/index.php\"]
[[site.route]]
path = [\"/secret\", \"/blog/private\"]
status = 403
[[site.route]]
exact = \"/only\"
status = 403
[[site.route]]
path = \"/form\"
method = \"POST\"
status = 403
";

/// Symfony takes `/index.phpsecret` for `/secret`, an application in a folder `/blog/index.php/private` for
/// `/blog/private`; others end parameters before they decode, take `/\` for `//`, or go by fields.
#[test]
fn what_frameworks_take_for_another_path_got_round_routes() {
    let (fpm, site) = scripts(&["index.php", "blog/index.php"], REFUSED);
    fpm.page("fields.php", "<?php echo json_encode(array_intersect_key($_SERVER, ['HTTP_X_ORIGINAL_URL' => 1]));");
    for target in [
        "/secret",
        "/index.php/secret",
        "/index.phpsecret",
        "/%69ndex.phpsecret",
        "/index%2Ephpsecret",
        "/index.php%2Fsecret",
        "/blog/index.php/private",
        "/only",
        "/only/",
        "/only;a%2Fb",
        "/only;a\\b",
        "/\\host/secret",
        "//host/secret",
    ] {
        let answer = site.get(target);
        assert!(matches!(answer.status, 400 | 403) && !answer.text().contains("was run"), "{target}: {answer:?}");
    }
    for target in ["/open", "/only/open", "/index.php/open", "/blog/index.php/open", "/form"] {
        site.get(target).is(200);
    }
    assert_eq!(site.get_with("/form", "X-HTTP-Method-Override: post\r\n").status, 400);
    site.get_with("/form", "X-HTTP-Method-Override: PUT\r\n").is(200);
    assert_eq!(site.get_with("/fields.php", "X-Original-URL: /secret\r\n").is(200).text(), "[]");
    site.stop();
}

/// Whoever bars the file of the program from being asked for by its name does not bar the site.
#[test]
fn a_program_without_a_name_is_guarded_behind_the_name_of_its_file() {
    let fpm = PhpFpm::start(1, "");
    let program = fpm.page("one.php", SCRIPT);
    let site = Site::start(&format!(
        "php = \"{}\"\nfastcgi = {{ script = {program:?} }}\n\
         [[site.route]]\npath = [\"/secret\", \"/one.php\"]\nstatus = 403\n",
        fpm.socket().display()
    ));
    for target in ["/secret", "/one.php", "/one.php/secret", "/one.phpsecret"] {
        let answer = site.get(target);
        assert!(matches!(answer.status, 400 | 403) && !answer.text().contains("was run"), "{target}: {answer:?}");
    }
    assert!(site.get("/open").is(200).text().starts_with("was run "));
    site.stop();
}

/// PHP takes `post` for POST, and the route did not.
#[test]
fn the_case_of_a_method_gets_round_no_route() {
    let (_fpm, site) = scripts(&["index.php"], GUARDED);
    for target in ["/hook/x", "/index.php/hook"] {
        for method in ["POST", "post", "Post"] {
            let head = format!("{method} {target} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
            let answer = site.wire().ask(head);
            assert_eq!((answer.status, answer.field("x-why")), (405, Some("post")), "{method} {target}: {answer:?}");
        }
        site.get(target).is(200);
    }
    site.stop();
}

/// The one program of all paths takes `/lists/admin` and `/admin` for the same.
#[test]
fn the_name_of_the_one_program_gets_round_no_route() {
    let fpm = PhpFpm::start(1, "");
    let program = fpm.page("one.php", SCRIPT);
    let site = Site::start(&format!(
        "php = \"{}\"\nfastcgi = {{ script = {program:?}, name = \"/lists\" }}\n\
         [[site.route]]\npath = [\"/lists/admin\", \"/inner\"]\nstatus = 403\n",
        fpm.socket().display()
    ));
    for target in ["/lists/admin", "/admin", "/admin/x", "/inner", "/lists/inner/x", "/%61dmin", "/admin;x"] {
        let answer = site.get(target);
        assert!(matches!(answer.status, 400 | 403) && !answer.text().contains("was run"), "{target}: {answer:?}");
    }
    for target in ["/lists/open", "/lists", "/open"] {
        assert!(site.get(target).is(200).text().starts_with("was run "), "{target}");
    }
    site.stop();
}

/// It would be kept for others if it might be.
const GUARDED_SCRIPT: &str = "<?php header('Cache-Control: max-age=60'); echo 'behind it: ', $_SERVER['SCRIPT_NAME'];";
const GUARDS: &str = "
[[site.route]]
name = \"back\"
path = \"/back\"
access = { auth = \"DIR/users\" }
[[site.route]]
name = \"papers\"
path = \"/papers\"
alias = \"ROOT/files\"
access = { auth = \"DIR/users\" }
[[site.route]]
name = \"near\"
path = \"/near\"
access = { allow = [\"192.0.2.0/24\"] }
";
const ANN: &str = "Authorization: Basic YW5uOnNlY3JldA==\r\n";
/// `ann` with `other`.
const ANN_LATER: &str = "Authorization: Basic YW5uOm90aGVy\r\n";
const LATER_USERS: &str = "ann:$2y$04$vmqPzg5io0YN9nez2SDs3Ok1959k4MvR6vXz3nuVrPYh5f6f4xMry\n";

/// A site of scripts and files, parts of which are guarded. What it says is in a file.
struct Guarded {
    serve: Serve,
    address: SocketAddr,
    _fpm: PhpFpm,
}

impl Guarded {
    fn start() -> Self {
        let fpm = PhpFpm::start(2, "");
        fpm.page("index.php", "<?php echo 'the front controller';");
        let files =
            ["back/page.txt", "near/page.txt", "files/page.txt"].map(|name| fpm.page(name, "behind it: a file"));
        // What has just changed is not kept in memory.
        let aged = std::process::Command::new("touch").args(["-d", "1 minute ago"]).args(files).status();
        assert!(aged.is_ok_and(|status| status.success()));
        fpm.page("back/index.php", GUARDED_SCRIPT);
        fpm.page("near/index.php", GUARDED_SCRIPT);
        let address = free();
        let guards = GUARDS.replace("ROOT", &fpm.root().display().to_string());
        let site = fpm.site(&format!("trusted.proxies = [\"127.0.0.1\"]\n{guards}"));
        let script = format!("printf '%s' '{USERS}' > DIR/users; chmod 600 DIR/users; exec \"$@\" 2> DIR/said");
        let admin = "[admin]\nlisten = \"unix:DIR/admin.sock\"\n";
        let serve =
            Serve::start_through(&script, &format!("threads = 2\n{admin}[[site]]\nlisten = \"{address}\"\n{site}"));
        Self { serve, address, _fpm: fpm }
    }

    fn ask(&self, path: &str, lines: &str) -> unladen_tests::Answer {
        Wire::tcp(self.address).ask(unladen_tests::site::get(path, lines))
    }

    /// Has it read another file of passwords.
    fn users(&self, text: &str) {
        let new = self.serve.path("users.new");
        std::fs::write(&new, text).expect("a file");
        std::fs::set_permissions(&new, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("a file of our own");
        std::fs::rename(&new, self.serve.path("users")).expect("a file");
        self.serve.running().signal(Signal::SIGHUP);
    }

    fn said(&self) -> String {
        std::fs::read_to_string(self.serve.path("said")).expect("a file")
    }

    fn stop(self) {
        let said = self.said();
        assert!(!said.contains("panicked"), "{said}");
        self.serve.stop();
    }
}

/// Scripts and files are behind the guard of their path, however that is spelt, whatever is asked of them, and when
/// others have got in before.
#[test]
fn scripts_and_files_are_behind_their_guard() {
    let site = Guarded::start();
    let behind = ["/back/index.php", "/back/index.php/more", "/back/", "/back/page.txt", "/papers/page.txt"];
    let others = [
        "/back",
        "/back/none",
        "/papers/none",
        "//back/page.txt",
        "/%62ack/index.php",
        "/back%2Findex.php",
        "/back;x/index.php",
        "/back/index.php;/x",
        "/papers;x/page.txt",
        "/near/../back/page.txt",
        "/near/%2e%2e/back/index.php",
    ];
    let wrong = "Authorization: Basic YW5uOnNlY3JldDI=\r\n";
    let nobody_gets_in = || {
        for path in behind.iter().chain(&others) {
            for lines in ["", wrong, "Range: bytes=0-3\r\n", "If-None-Match: *\r\n", "X-Forwarded-For: 192.0.2.7\r\n"] {
                let answer = site.ask(path, lines);
                assert!(matches!(answer.status, 400 | 401), "{path} {lines}: {answer:?}");
                assert!(!answer.text().contains("behind it"), "{path} {lines}: {answer:?}");
            }
        }
    };
    nobody_gets_in();
    for path in behind {
        for _ in 0..3 {
            let answer = site.ask(path, ANN).is(200);
            assert!(answer.text().starts_with("behind it: "), "{path}: {answer:?}");
        }
    }
    assert_eq!(site.ask("/back/none", ANN).is(200).text(), "the front controller");
    nobody_gets_in();
    for path in ["/near/index.php", "/near/", "/near/page.txt"] {
        for _ in 0..3 {
            site.ask(path, "").refuses(403, "access_forbidden");
            let answer = site.ask(path, "X-Forwarded-For: 192.0.2.7\r\n").is(200);
            assert!(answer.text().starts_with("behind it: "), "{path}: {answer:?}");
        }
    }
    // Whoever has no guard needs no password.
    assert_eq!(site.ask("/elsewhere", "").is(200).text(), "the front controller");
    site.stop();
}

/// The passwords that a file then has count after a reload, on connections that are kept, too; one that cannot be used
/// lets in nobody new, and keeps nobody out.
#[test]
fn a_reload_takes_other_passwords() {
    let site = Guarded::start();
    let paths = ["/back/index.php", "/back/page.txt", "/papers/page.txt"];
    let status = |wire: &mut Wire, path: &str, lines: &str| wire.ask(unladen_tests::site::get(path, lines)).status;
    let each = |wire: &mut Wire, lines: &str| paths.map(|path| status(wire, path, lines));
    let mut kept = Wire::tcp(site.address);
    assert_eq!((each(&mut kept, ANN), each(&mut kept, ANN_LATER)), ([200; 3], [401; 3]));
    site.users(LATER_USERS);
    let mut new = Wire::tcp(site.address);
    for wire in [&mut kept, &mut new] {
        wait::until("the other password counts", || status(wire, paths[1], ANN_LATER) == 200);
        assert_eq!((each(wire, ANN_LATER), each(wire, ANN), each(wire, "")), ([200; 3], [401; 3], [401; 3]));
    }
    site.users("ann:other\n");
    wait::until_ok("it is refused", || {
        let said = site.said();
        let is_told = said.contains("the old configuration stays in force") && said.contains("line 1");
        if is_told { Ok(()) } else { Err(said) }
    });
    for wire in [&mut kept, &mut Wire::tcp(site.address)] {
        assert_eq!((each(wire, ANN_LATER), each(wire, ANN), each(wire, "")), ([200; 3], [401; 3], [401; 3]));
    }
    site.stop();
}
