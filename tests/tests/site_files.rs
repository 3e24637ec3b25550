//! Files of a site: sent whole, in parts and in shorter forms by all protocols; what attackers ask for is not found; a
//! file that changes meanwhile; and the page for errors.

use std::fs;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;
use unladen_tests::{Answer, Authority, Ending, Serve, Wire, free_address, wait};

/// A site of files.
struct Files {
    serve: Serve,
    address: SocketAddr,
    folder: TempDir,
}

impl Files {
    /// `files`: paths and contents; `settings`: further lines of the site's table.
    fn new(files: &[(&str, &[u8])], settings: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("root");
        fs::create_dir(&root).expect("a folder can be made");
        fs::write(folder.path().join("secret"), "SECRET").expect("a file can be written");
        for (path, contents) in files {
            write(&root.join(path), contents);
        }
        let address = free_address();
        let settings = settings.replace("FOLDER", folder.path().to_str().expect("text"));
        let config = format!(
            "threads = 1\n[admin]\nlisten = \"unix:DIR/admin.sock\"\n[[site]]\nname = \"test\"\n\
             listen = [\"unix:DIR/a.sock\", \"{address}\"]\nroot = {root:?}\n{settings}\n"
        );
        let serve = Serve::start(&config);
        Self { serve, address, folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("root").join(name)
    }

    fn wire(&self) -> Wire {
        Wire::tcp(self.address)
    }

    #[track_caller]
    fn get(&self, target: &str, lines: &str) -> Answer {
        self.wire().ask(format!("GET {target} HTTP/1.1\r\nHost: a\r\n{lines}\r\n"))
    }

    /// Waits until a file is one that has not just changed: before, it is not kept in memory.
    fn settle(&self, target: &str) {
        wait::until("the tag is strong", || {
            self.get(target, "").field("etag").is_some_and(|etag| etag.starts_with('"'))
        });
    }

    fn stop(self) {
        self.serve.stop();
    }
}

/// Writes a file as one that has not changed for a minute.
fn write(path: &Path, contents: &[u8]) {
    fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder can be made");
    fs::write(path, contents).expect("a file can be written");
    age(path, "1 minute ago");
}

fn age(path: &Path, when: &str) {
    let done = Command::new("touch").args(["-d", when]).arg(path).status().expect("touch is there");
    assert!(done.success());
}

/// Bytes of which no two parts are alike.
fn bytes(count: usize) -> Vec<u8> {
    let mut state = 88_172_645_463_325_252_u64;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    let mut bytes: Vec<u8> = std::iter::repeat_with(next).take(count.div_ceil(8)).flatten().collect();
    bytes.truncate(count);
    bytes
}

/// Sizes on both sides of what is kept in memory, kept open, and sent at a stretch.
const SIZES: [(&str, usize); 7] = [
    ("0.bin", 0),
    ("1.bin", 1),
    ("1k.bin", 1024),
    ("64k.bin", 64 * 1024),
    ("100k.bin", 100_000),
    ("1m.bin", 1024 * 1024 + 1),
    ("9m.bin", 9_000_001),
];

fn sized() -> Vec<(&'static str, Vec<u8>)> {
    SIZES.iter().map(|(name, size)| (*name, bytes(*size))).collect()
}

fn curl(arguments: &[&str], url: &str) -> (String, Vec<u8>) {
    let folder = tempfile::tempdir().expect("a folder");
    let (head, body) = (folder.path().join("head"), folder.path().join("body"));
    let done = Command::new("curl")
        .args(["-sS", "-m", "40", "-D"])
        .arg(&head)
        .arg("-o")
        .arg(&body)
        .args(arguments)
        .arg(url)
        .output()
        .expect("curl is installed");
    assert!(done.status.success(), "{arguments:?} {url}: {done:?}");
    (fs::read_to_string(head).unwrap_or_default().to_lowercase(), fs::read(body).unwrap_or_default())
}

#[test]
fn files_are_sent_whole_and_in_parts() {
    let contents = sized();
    let files: Vec<(&str, &[u8])> = contents.iter().map(|(name, bytes)| (*name, &**bytes)).collect();
    let site = Files::new(&files, "");
    site.settle("/9m.bin");
    for (name, contents) in &contents {
        let target = format!("/{name}");
        // The second time from memory, where it is kept there.
        for _ in 0..2 {
            let mut wire = site.wire();
            let whole = wire.get(&target);
            assert_eq!((whole.status, &whole.body == contents), (200, true), "{name}: {:?}", whole.fields);
            assert_eq!(whole.field("content-length"), Some(&*contents.len().to_string()));
            assert_eq!(whole.field("content-type"), Some("application/octet-stream"));
            assert!(whole.field("date").is_some() && whole.field("last-modified").is_some());
            let etag = whole.field("etag").expect("a tag").to_owned();
            assert!(etag.starts_with('"'), "{etag}");
            // On the same connection: the framing was right.
            wire.send(format!("HEAD {target} HTTP/1.1\r\nHost: a\r\n\r\n"));
            let head = wire.next(true);
            assert_eq!((head.status, head.field("content-length")), (200, Some(&*contents.len().to_string())));
            let ask =
                |wire: &mut Wire, lines: &str| wire.ask(format!("GET {target} HTTP/1.1\r\nHost: a\r\n{lines}\r\n"));
            let same = ask(&mut wire, &format!("If-None-Match: {etag}\r\n"));
            assert_eq!((same.status, same.body.len(), same.field("etag")), (304, 0, Some(&*etag)));
            assert_eq!(ask(&mut wire, "If-Match: \"x\"\r\n").status, 412);
            let modified = whole.field("last-modified").expect("a date");
            assert_eq!(ask(&mut wire, &format!("If-Modified-Since: {modified}\r\n")).status, 304);
            if contents.len() > 100 {
                let end = contents.len() - 10;
                let part = ask(&mut wire, &format!("Range: bytes=7-{end}\r\nIf-Range: {etag}\r\n"));
                assert_eq!((part.status, *part.body == contents[7..=end]), (206, true), "{name}");
                let wanted = format!("bytes 7-{end}/{}", contents.len());
                assert_eq!(part.field("content-range"), Some(&*wanted));
                let several = ask(&mut wire, &format!("Range: bytes=0-3,{end}-\r\n"));
                assert_eq!(several.status, 206);
                let boundary =
                    several.field("content-type").and_then(|kind| kind.split_once("boundary=")).expect("one").1;
                let head = |from: usize, to: usize| {
                    format!(
                        "\r\n--{boundary}\r\nContent-Type: application/octet-stream\r\nContent-Range: bytes {from}-{to}/{}\r\n\r\n",
                        contents.len()
                    )
                };
                let last = contents.len() - 1;
                let wanted = [
                    head(0, 3).as_bytes(),
                    &contents[..4],
                    head(end, last).as_bytes(),
                    &contents[end..],
                    format!("\r\n--{boundary}--\r\n").as_bytes(),
                ]
                .concat();
                assert!(several.body == wanted, "{name}");
            }
            let none = ask(&mut wire, &format!("Range: bytes={}-\r\n", contents.len().max(1) + 5));
            // An empty file has no part at all.
            assert!(none.status == 416 || contents.is_empty(), "{name}: {}", none.status);
        }
    }
    let wrong = site
        .wire()
        .ask("POST /1k.bin HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
        .refuses(405, "method_not_allowed");
    assert_eq!(wrong.field("allow"), Some("GET, HEAD"));
    site.wire().ask("OPTIONS /1k.bin HTTP/1.1\r\nHost: a\r\n\r\n").refuses(405, "method_not_allowed");
    let mut unix = Wire::unix(&site.serve.path("a.sock"));
    for (name, contents) in &contents {
        let answer = unix.get(&format!("/{name}"));
        assert_eq!((answer.status, answer.body.len()), (200, contents.len()), "{name}: {:.200}", answer.text());
        assert!(answer.body == *contents, "{name}");
    }
    // The end of the connection is not the end of the file for one who cannot know it otherwise.
    let mut old = site.wire();
    let answer = old.ask("GET /9m.bin HTTP/1.0\r\nHost: a\r\n\r\n");
    assert!(answer.body == contents[6].1);
    site.stop();
}

#[test]
fn by_http2_and_tls_too() {
    let contents = sized();
    let files: Vec<(&str, &[u8])> = contents.iter().map(|(name, bytes)| (*name, &**bytes)).collect();
    let pair = Authority::new().certificate("a.example");
    let pem = tempfile::tempdir().expect("a folder");
    let (cert, key) = (pem.path().join("cert.pem"), pem.path().join("key.pem"));
    fs::write(&cert, pair.chain).expect("written");
    fs::write(&key, pair.key).expect("written");
    let plain = Files::new(&files, "");
    let tls = Files::new(&files, &format!("tls = {{ cert = {cert:?}, key = {key:?} }}"));
    for (name, contents) in &contents {
        for (site, scheme, arguments) in [
            (&plain, "http", &["--http2-prior-knowledge"][..]),
            (&tls, "https", &["-k", "--http1.1"]),
            (&tls, "https", &["-k", "--http2"]),
        ] {
            let url = format!("{scheme}://{}/{name}", site.address);
            let (head, body) = curl(arguments, &url);
            assert!(body == *contents, "{url} {arguments:?}: {} of {} bytes: {head}", body.len(), contents.len());
            assert!(head.contains(&format!("content-length: {}\r\n", contents.len())), "{head}");
            if contents.len() > 100 {
                let range = ["-r", "50-99"];
                let (_, part) = curl(&[arguments, &range[..]].concat(), &url);
                assert!(part == contents[50..100], "{url} {arguments:?}");
            }
        }
    }
    plain.stop();
    tls.stop();
}

/// As `crates/unladen-files` has them, with the ways that only a server has to read a target.
const CORPUS: &[&str] = &[
    "/../secret",
    "/a/../../secret",
    "/..",
    "/..;/secret",
    "/%2e%2e/secret",
    "/%2e%2e%2fsecret",
    "/..%2fsecret",
    "/a%2f..%2f..%2fsecret",
    "/..%5csecret",
    "/..\\secret",
    "/%252e%252e/secret",
    "/..%252fsecret",
    "/%c0%ae%c0%ae/secret",
    "/%e0%80%ae%e0%80%ae/secret",
    "/%uff0e%uff0e/secret",
    "/....//secret",
    "//../secret",
    "///etc/passwd",
    "/%2fetc%2fpasswd",
    "/%00/secret",
    "/a.css%00.php",
    "/config.php",
    "/config.php%00",
    "/config.php%20",
    "/config.php.",
    "/config.php..",
    "/config.php;",
    "/config.php::$DATA",
    "/config.php~",
    "/config.php.bak",
    "/config.php.swp",
    "/.config.php.swp",
    "/config.php.save",
    "/config.php.txt",
    "/%23config.php%23",
    "/CONFIG.PHP",
    "/config.pHp",
    "/config%2ephp",
    "/config.ph%70",
    "/config%252ephp",
    "/lib.inc",
    "/lib.INC",
    "/view.phtml",
    "/.env",
    "/%2eenv",
    "/.git/config",
    "/.git%2fconfig",
    "/a/.htpasswd",
    "/.well-known/.env",
    "/out.txt",
    "/etc/passwd",
    "/self/environ",
    "/config.php/x.css",
    "/a/style.css/x.php",
    "/pipe",
    "http://a/../secret",
    "/a/style.css/../../config.php",
    "/./config.php",
];

const FILES: [&str; 26] = [
    "a/.htpasswd",
    "config.php",
    "config.php~",
    "config.php.bak",
    "config.php.swp",
    ".config.php.swp",
    "config.php.save",
    "config.php.txt",
    "config.php;",
    "config.php.",
    "config.php ",
    "#config.php#",
    "CONFIG.PHP",
    "config.pHp",
    "lib.inc",
    "lib.INC",
    "view.phtml",
    ".env",
    ".git/config",
    ".well-known/.env",
    "index.php",
    "config%2ephp.php",
    "config.php.gz",
    "config.php.zip",
    "config.php.dpkg-old",
    "config.php.~1~",
];

#[test]
fn traversal_and_disclosure_find_nothing() {
    let mut files: Vec<(&str, &[u8])> = FILES.iter().map(|name| (*name, b"SOURCE".as_slice())).collect();
    files.push(("a/style.css", b"body {}"));
    let site = Files::new(&files, "");
    let links = [("out.txt", "../secret"), ("etc", "/etc"), ("self", "/proc/self"), ("source.txt", "config.php.bak")];
    for (link, to) in links {
        std::os::unix::fs::symlink(to, site.path(link)).expect("a link can be made");
    }
    let made = Command::new("mkfifo").arg(site.path("pipe")).status().expect("mkfifo is there");
    assert!(made.success());
    assert_eq!(site.get("/a/style.css", "").text(), "body {}");
    let copies = ["/config.php.gz", "/config.php.zip", "/config.php.dpkg-old", "/config.php.~1~", "/source.txt"];
    for target in CORPUS.iter().chain(&copies) {
        for version in ["1.1", "1.0"] {
            let answer = site.wire().ask(format!("GET {target} HTTP/{version}\r\nHost: a\r\n\r\n"));
            assert!(matches!(answer.status, 400 | 404), "{target}: {} {}", answer.status, answer.text());
            let text = answer.text();
            let is_told = ["SOURCE", "SECRET", "root:", "/root", "PATH="].iter().any(|word| text.contains(word));
            assert!(!is_told, "{target}: {text}");
        }
    }
    // An administrator is told where a link leads; a client is not.
    let done = site.serve.stop();
    done.says(["out.txt", "/secret", "links", "config.php.bak, which is not sent under its own name either"]);
}

#[test]
fn folders_are_reached_by_their_own_paths_alone() {
    let site = Files::new(
        &[("index.html", b"home"), ("a/index.html", b"a"), ("evil.com/x", b""), ("b c/index.html", b"")],
        "",
    );
    assert_eq!(site.get("/", "").text(), "home");
    assert_eq!(site.get("/a/", "").text(), "a");
    for (target, wanted) in [
        ("/a", "/a/"),
        ("/a?x=/../y&z", "/a/?x=/../y&z"),
        ("//evil.com", "/evil.com/"),
        ("///evil.com?q", "/evil.com/?q"),
        ("/b%20c", "/b%20c/"),
    ] {
        let answer = site.get(target, "");
        assert_eq!((answer.status, answer.field("location")), (301, Some(wanted)), "{target}");
    }
    let post = site.wire().ask("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
    assert_eq!(post.status, 308);
    site.get("/evil.com/", "").refuses(404, "not_found");
    site.stop();
}

#[test]
fn shorter_forms_are_sent_to_those_who_take_them() {
    let text = "p { color: red }\n".repeat(2000);
    let site = Files::new(
        &[
            ("made.css", text.as_bytes()),
            ("made.css.br", b"BROTLI"),
            ("made.css.gz", b"GZIP"),
            ("old.css", text.as_bytes()),
            ("plain.css", text.as_bytes()),
            ("long.css", text.repeat(8).as_bytes()),
            ("picture.png", text.as_bytes()),
        ],
        "",
    );
    write(&site.path("old.css.br"), b"OLD");
    age(&site.path("old.css.br"), "1 hour ago");
    site.settle("/picture.png");
    let get = |target: &str, accepts: &str| site.get(target, &format!("Accept-Encoding: {accepts}\r\n"));
    for _ in 0..2 {
        for (target, accepts, coding, body) in [
            ("/made.css", "gzip, deflate, br, zstd", Some("br"), Some("BROTLI")),
            ("/made.css", "gzip", Some("gzip"), Some("GZIP")),
            ("/made.css", "br;q=0.1, gzip;q=0.9", Some("gzip"), Some("GZIP")),
            ("/made.css", "identity", None, Some(&*text)),
            ("/old.css", "br", Some("br"), None),
            ("/plain.css", "br", Some("br"), None),
            ("/long.css", "gzip", Some("gzip"), None),
            ("/picture.png", "br, gzip", None, Some(&*text)),
        ] {
            let answer = get(target, accepts);
            assert_eq!((answer.status, answer.field("content-encoding")), (200, coding), "{target} {accepts}");
            assert!(body.is_none_or(|body| answer.body == body.as_bytes()), "{target} {accepts}: {}", answer.text());
            assert!(answer.body != b"OLD" && (coding.is_none() || answer.body.len() < text.len() / 2), "{target}");
            let vary = if target == "/picture.png" { None } else { Some("accept-encoding") };
            assert_eq!(answer.field("vary"), vary, "{target}");
            // The tag of one form does not stand for another's bytes.
            let etag = answer.field("etag").expect("a tag");
            let same = site.get(target, &format!("Accept-Encoding: {accepts}\r\nIf-None-Match: {etag}\r\n"));
            assert_eq!(same.status, 304, "{target} {accepts}");
        }
        let same = site.get("/plain.css", "Accept-Encoding: br\r\nCache-Control: no-transform\r\n");
        assert_eq!((same.field("content-encoding"), &*same.text()), (None, &*text));
        let part = site.get("/made.css", "Accept-Encoding: br\r\nRange: bytes=0-4\r\n");
        assert_eq!((part.status, &*part.body, part.field("content-encoding")), (206, &b"p { c"[..], None));
    }
    let url = |target: &str| format!("http://{}{target}", site.address);
    for target in ["/plain.css", "/long.css"] {
        let wanted = if target == "/plain.css" { text.clone() } else { text.repeat(8) };
        for http in ["--http1.1", "--http2-prior-knowledge"] {
            let (head, body) = curl(&["--compressed", http], &url(target));
            assert!(head.contains("content-encoding: ") && body == wanted.as_bytes(), "{target}: {head}");
        }
    }
    site.stop();
}

#[test]
fn lifetimes_are_told_by_path() {
    let site = Files::new(
        &[("build/a.js", b"1"), ("b.css", b"2"), ("c.txt", b"3")],
        "[site.files]\nimmutable = [\"/build/*\"]\nmax_age = { \"*.css\" = \"1d\" }",
    );
    for (target, wanted) in
        [("/build/a.js", Some("max-age=31536000, immutable")), ("/b.css", Some("max-age=86400")), ("/c.txt", None)]
    {
        assert_eq!(site.get(target, "").field("cache-control"), wanted, "{target}");
    }
    site.stop();
}

#[test]
fn a_change_is_seen() {
    let site = Files::new(&[("a.txt", b"before")], "");
    site.settle("/a.txt");
    let before = site.get("/a.txt", "");
    assert_eq!((before.text(), site.get("/a.txt", "").text()), ("before".to_owned(), "before".to_owned()));
    fs::write(site.path("a.txt"), "after!").expect("written");
    wait::until("the new contents are sent", || site.get("/a.txt", "").text() == "after!");
    let after = site.get("/a.txt", &format!("If-None-Match: {}\r\n", before.field("etag").expect("a tag")));
    assert_eq!(after.status, 200);
    // It may change again, and its time stay the same.
    assert!(after.field("etag").expect("a tag").starts_with("W/"), "{:?}", after.fields);
    fs::rename(site.path("a.txt"), site.path("b.txt")).expect("renamed");
    wait::until("it is not found any more", || site.get("/a.txt", "").status == 404);
    assert_eq!(site.get("/b.txt", "").text(), "after!");
    site.stop();
}

#[test]
fn a_file_that_is_replaced_while_it_is_sent_stays_what_it_was() {
    let before = bytes(30_000_000);
    let site = Files::new(&[("big", &before)], "");
    let mut wire = site.wire();
    wire.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n");
    let mut answer = wire.head();
    let start = wire.take(1000);
    write(&site.path("new"), &vec![b'n'; 30_000_000]);
    fs::rename(site.path("new"), site.path("big")).expect("renamed");
    let rest = wire.take(before.len() - 1000);
    assert!([start, rest].concat() == before);
    answer.body.clear();
    assert_eq!(answer.field("content-length"), Some("30000000"));
    site.stop();
}

#[test]
fn a_file_that_becomes_shorter_ends_the_connection() {
    let before = bytes(30_000_000);
    let pair = Authority::new().certificate("a.example");
    let pem = tempfile::tempdir().expect("a folder");
    let (cert, key) = (pem.path().join("cert.pem"), pem.path().join("key.pem"));
    fs::write(&cert, pair.chain).expect("written");
    fs::write(&key, pair.key).expect("written");
    let site = Files::new(&[("big", &before)], "");
    let mut wire = site.wire();
    wire.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n");
    let answer = wire.head();
    assert_eq!(answer.field("content-length"), Some("30000000"));
    wire.take(1000);
    fs::File::options().write(true).open(site.path("big")).expect("opened").set_len(20_000_000).expect("cut");
    let (rest, ending) = wire.rest();
    assert!(matches!(ending, Ending::Short | Ending::Reset | Ending::Closed), "{ending:?}");
    assert!(rest.len() < before.len() - 1000 && rest == before[1000..1000 + rest.len()], "{}", rest.len());
    site.stop();
    // Read and encrypted, it ends as well: curl waits until its pipe is read, and says that something is missing.
    let tls = Files::new(&[("big", &before)], &format!("tls = {{ cert = {cert:?}, key = {key:?} }}"));
    for http in ["--http1.1", "--http2"] {
        write(&tls.path("big"), &before);
        let mut child = Command::new("curl")
            .args(["-sS", "-k", "-m", "40", http])
            .arg(format!("https://{}/big", tls.address))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("curl is installed");
        let mut body = child.stdout.take().expect("a pipe");
        std::io::Read::read_exact(&mut body, &mut [0; 1000]).expect("it begins");
        fs::File::options().write(true).open(tls.path("big")).expect("opened").set_len(20_000_000).expect("cut");
        let mut rest = Vec::new();
        std::io::Read::read_to_end(&mut body, &mut rest).expect("a pipe can be read");
        assert!(!child.wait().expect("it ends").success(), "{http}");
        assert!(rest.len() < before.len() - 1000, "{http}");
    }
    tls.stop();
}

#[test]
fn an_error_has_a_page_and_an_identifier() {
    let page = "<h1>{status}</h1><p>{reason}</p><code>{request_id}</code><style>a{b}</style>";
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("sorry.html");
    fs::File::create(&path).and_then(|mut file| file.write_all(page.as_bytes())).expect("written");
    let site = Files::new(&[("a", b"")], &format!("error_page = {path:?}"));
    let browser = "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n";
    let answer = site.get("/nothing", &format!("{browser}X-Request-Id: <b>7\r\n")).refuses(404, "not_found");
    assert_eq!(answer.field("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(answer.text(), "<h1>404</h1><p>not_found</p><code>&lt;b&gt;7</code><style>a{b}</style>");
    let made = site.get("/nothing", browser).text();
    let id = made.split("<code>").nth(1).and_then(|rest| rest.split("</code>").next()).unwrap_or_default();
    assert_eq!(id.len(), 36, "{made}");
    let plain = site.get("/nothing", "Accept: */*\r\n");
    assert_eq!(plain.field("content-type"), Some("text/plain"));
    assert!(plain.text().starts_with("404 not_found\nrequest "), "{}", plain.text());
    let head = {
        let mut wire = site.wire();
        wire.send(format!("HEAD /nothing HTTP/1.1\r\nHost: a\r\n{browser}\r\n"));
        wire.next(true)
    };
    assert_eq!((head.status, head.body.len()), (404, 0));
    site.stop();
}

#[test]
fn databases_keys_and_folders_that_an_htaccess_denies_were_sent() {
    let files: [(&str, &[u8]); 9] = [
        ("dump.sql", b"SECRET"),
        ("a/DB.SQLITE", b"SECRET"),
        ("error.log.1", b"SECRET"),
        ("server.key", b"SECRET"),
        ("data/.htaccess", b"Require all denied"),
        ("data/users.txt", b"SECRET"),
        ("data/sub/users.txt", b"SECRET"),
        ("open/data.sql", b"open"),
        ("theme.zip", b"archive"),
    ];
    let site = Files::new(&files, "files = { allow = [\"/open/*\"] }");
    for target in ["/dump.sql", "/dump%2esql", "//dump.sql", "/a/DB.SQLITE", "/error.log.1", "/server.key"] {
        for lines in ["", "Range: bytes=0-1\r\n", "If-None-Match: *\r\n"] {
            assert_eq!(site.get(target, lines).status, 404, "{target}");
        }
    }
    for target in ["/data/users.txt", "/data//sub/users.txt", "/%64ata/users.txt"] {
        assert_eq!(site.get(target, "").status, 403, "{target}");
    }
    assert_eq!(site.get("/open/data.sql", "").is(200).body, b"open");
    assert_eq!(site.get("/theme.zip", "").is(200).body, b"archive", "there are no scripts beside it");
    site.stop();
}

#[test]
fn a_drawing_in_gzip_was_sent_without_its_coding() {
    let site = Files::new(&[("big.svgz", &bytes(4096))], "compress = true");
    let answer = site.get("/big.svgz", "Accept-Encoding: br, gzip\r\n").is(200);
    assert_eq!(answer.field("content-encoding"), Some("gzip"));
    assert_eq!(answer.field("content-type"), Some("image/svg+xml"));
    assert_eq!(answer.body, bytes(4096));
    site.stop();
}

/// An address in the root's own `.htaccess`: Apache sends the site to some clients, and it was sent to all.
#[test]
fn a_site_that_an_htaccess_keeps_for_some_addresses_is_sent_to_nobody() {
    let files: [(&str, &[u8]); 3] =
        [(".htaccess", b"Require ip 10.0.0.0/8"), ("index.html", b"SECRET"), ("open/a.txt", b"open")];
    let site = Files::new(&files, "files = { allow = [\"/open/*\"] }");
    for target in ["/", "/index.html"] {
        site.get(target, "").refuses(403, "file_denied");
    }
    assert_eq!(site.get("/open/a.txt", "").is(200).body, b"open");
    site.stop();
}

/// Whoever answers without reading a body ends the connection behind it, or reads on to its end: what is in it is no
/// request.
#[test]
fn a_body_that_nobody_reads_is_not_taken_for_a_request() {
    let files: [(&str, &[u8]); 4] =
        [("a.txt", b"a"), ("next.txt", b"next"), ("evil.txt", b"evil"), ("folder/index.html", b"index")];
    let settings = "[[site.route]]\npath = \"/denied/\"\nstatus = 403\n[[site.route]]\npath = \"/moved/\"\n\
                    redirect = \"/next.txt\"\n[[site.route]]\npath = \"/inside/\"\naccess = { allow = [\"192.0.2.0/24\"] }";
    let site = Files::new(&files, settings);
    let evil = "GET /evil.txt HTTP/1.1\r\nHost: a\r\n\r\n";
    let next = "GET /next.txt HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    let chunk = format!("{:x}\r\n{evil}\r\n0\r\n\r\n", evil.len());
    let length = format!("Content-Length: {}\r\n", evil.len());
    for (target, safe, other) in [
        ("/a.txt", 200, 405),
        ("/nothing", 404, 404),
        ("/folder", 301, 308),
        ("/denied/x", 403, 403),
        ("/inside/x", 403, 403),
        ("/moved/x", 308, 308),
    ] {
        for method in ["GET", "HEAD", "POST", "DELETE", "OPTIONS", "TRACE"] {
            let status = if matches!(method, "GET" | "HEAD") { safe } else { other };
            for (lines, body) in [
                (length.clone(), evil.to_owned()),
                (format!("{length}Expect: 100-continue\r\n"), evil.to_owned()),
                (format!("{length}Connection: keep-alive\r\nIf-None-Match: *\r\n"), evil.to_owned()),
                ("Transfer-Encoding: chunked\r\n".to_owned(), chunk.clone()),
                ("Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n".to_owned(), chunk.clone()),
            ] {
                for at_once in [true, false] {
                    let mut wire = site.wire();
                    let what = format!("{method} {target} {lines:?} {at_once}");
                    let head = format!("{method} {target} HTTP/1.1\r\nHost: a\r\n{lines}\r\n");
                    let _ = wire.try_send(if at_once { format!("{head}{body}{next}") } else { head });
                    let answer = wire.next(method == "HEAD");
                    let is_304 = answer.status == 304 && lines.contains("If-None-Match");
                    assert!(answer.status == status || is_304, "{what}: {answer:?}");
                    if !at_once {
                        let _ = wire.try_send(format!("{body}{next}"));
                    }
                    let (rest, _) = wire.rest();
                    let rest = String::from_utf8_lossy(&rest);
                    assert!(!rest.contains("evil") && (rest.is_empty() || rest.ends_with("next")), "{what}: {rest}");
                }
            }
        }
    }
    site.stop();
}
