//! Programs of FastCGI behind `unladen serve`: PHP-FPM, a Perl program under spawn-fcgi, and programs that answer as no
//! program should.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tempfile::TempDir;
use unladen_tests::fastcgi::{END, answer, record};
use unladen_tests::site::get;
use unladen_tests::{PhpFpm, Site, Wire, wait};

const MIB: usize = 1 << 20;

/// What a page is asked by, as JSON.
const PAGE: &str = "<?php header('Cache-Control: no-store'); echo json_encode($_SERVER);";

fn server(site: &Site, request: impl AsRef<[u8]>) -> serde_json::Value {
    let answer = site.wire().ask(request).is(200);
    serde_json::from_slice(&answer.body).expect("the page is JSON")
}

#[test]
fn a_page_of_php_is_told_what_it_has_to_know() {
    let fpm = PhpFpm::start(2, "");
    fpm.page("index.php", PAGE);
    fpm.page("dir/page.php", PAGE);
    let site = Site::start(&fpm.site("[site.fastcgi]\nparams = { APP_ENV = \"test\", HTTP_X_FIXED = \"ours\" }\n"));
    let told = server(
        &site,
        "GET /dir/page.php/more/path?a=1&b=%20 HTTP/1.1\r\nHost: example.org:8080\r\nCookie: a=b\r\nX-One: 1\r\n\
         X-One: 2\r\nProxy: http://evil\r\nX-Fixed: theirs\r\nX_Under: score\r\n\r\n",
    );
    let root = fpm.root().canonicalize().unwrap().display().to_string();
    for (name, expected) in [
        ("SCRIPT_FILENAME", format!("{root}/dir/page.php").as_str()),
        ("SCRIPT_NAME", "/dir/page.php"),
        ("PATH_INFO", "/more/path"),
        ("DOCUMENT_ROOT", &root),
        ("REQUEST_URI", "/dir/page.php/more/path?a=1&b=%20"),
        ("QUERY_STRING", "a=1&b=%20"),
        ("SERVER_NAME", "example.org"),
        ("SERVER_PORT", "8080"),
        ("SERVER_PROTOCOL", "HTTP/1.1"),
        ("REMOTE_ADDR", "127.0.0.1"),
        ("REQUEST_SCHEME", "http"),
        ("HTTP_HOST", "example.org:8080"),
        ("HTTP_COOKIE", "a=b"),
        ("HTTP_X_ONE", "1, 2"),
        ("HTTP_X_FIXED", "ours"),
        ("APP_ENV", "test"),
    ] {
        assert_eq!(told[name], expected, "{name}");
    }
    assert!(told["REMOTE_PORT"].is_null(), "what is fetched for the cache is for no client alone");
    let passed = server(&site, "POST /dir/page.php HTTP/1.1\r\nHost: example.org\r\nContent-Length: 0\r\n\r\n");
    let port: u16 = passed["REMOTE_PORT"].as_str().expect("the client's port").parse().unwrap();
    assert!(port > 0);
    for name in ["HTTP_PROXY", "HTTPS", "HTTP_X_UNDER", "CONTENT_LENGTH", "HTTP_X_FORWARDED_FOR"] {
        assert!(told[name].is_null(), "{name}: {}", told[name]);
    }
    // Whatever is no file is the front controller's.
    let told = server(&site, get("/a/page/of/the/application", ""));
    assert_eq!(told["SCRIPT_NAME"], "/index.php");
    assert_eq!(told["REQUEST_URI"], "/a/page/of/the/application");
    site.stop();
}

#[test]
fn no_file_is_run_that_is_no_script() {
    let fpm = PhpFpm::start(1, "security.limit_extensions =");
    fpm.page("index.php", "<?php echo 'front ', $_SERVER['SCRIPT_NAME'];");
    fpm.page("upload.jpg", "<?php echo 'run';");
    let site = Site::start(&fpm.site(""));
    for path in ["/upload.jpg/x.php", "/upload.jpg/index.php", "/upload.jpg%2Fx.php", "/upload.jpg/.php"] {
        let answer = site.get(path);
        assert!(!answer.text().contains("run"), "{path}: {}", answer.text());
        assert!(answer.status != 200 || answer.text() == "front /index.php", "{path}: {}", answer.text());
    }
    // It is sent as it is, and nothing of it is run.
    assert_eq!(site.get("/upload.jpg").is(200).text(), "<?php echo 'run';");
    // No source is sent.
    for path in ["/index.php", "/INDEX.PHP", "/index.php.", "/index.php/", "/index.php%20"] {
        assert!(!site.get(path).text().contains("<?php"), "{path}");
    }
    for path in ["/%00", "/x%00.php", "/../etc/passwd", "/%2e%2e/etc/passwd"] {
        assert_eq!(site.get(path).status, 400, "{path}");
    }
    site.stop();
}

#[test]
fn bodies_go_both_ways_whatever_their_length_and_framing() {
    let fpm = PhpFpm::start(2, "php_value[post_max_size] = 64M");
    fpm.page(
        "sum.php",
        "<?php $body = file_get_contents('php://input'); header('X-Length: ' . ($_SERVER['CONTENT_LENGTH'] ?? 'none'));
         header('X-Sum: ' . md5($body)); echo $body;",
    );
    for keep in ["keep = false", "keep = true"] {
        let site = Site::start(&fpm.site(&format!("[site.fastcgi]\n{keep}\n")));
        let mut wire = site.wire();
        for length in [0, 1, 5_000, 65_528, 65_529, 3 * MIB + 7] {
            let body: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            let answer = wire.post("/sum.php", &body).is(200);
            assert_eq!(answer.body, body, "{length}");
            assert_eq!(answer.field("x-length"), Some(length.to_string().as_str()));
            // Nobody is told of a length before it is known.
            let mut chunked = b"POST /sum.php HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
            for chunk in body.chunks(70_000) {
                write!(chunked, "{:x}\r\n", chunk.len()).unwrap();
                chunked.extend_from_slice(chunk);
                chunked.extend_from_slice(b"\r\n");
            }
            chunked.extend_from_slice(b"0\r\n\r\n");
            let answer = wire.ask(&chunked).is(200);
            assert_eq!((answer.body.len(), answer.field("x-length")), (length, Some(length.to_string().as_str())));
        }
        site.stop();
    }
}

#[test]
fn answers_without_a_length_and_without_a_body() {
    let fpm = PhpFpm::start(2, "");
    fpm.page("flush.php", "<?php for ($i = 0; $i < 50; $i++) { echo str_repeat(chr(97 + $i % 26), 3000); flush(); }");
    fpm.page("gone.php", "<?php http_response_code(204);");
    fpm.page("not.php", "<?php header('ETag: \"a\"'); http_response_code(304);");
    fpm.page("to.php", "<?php header('Location: /elsewhere');");
    let site = Site::start(&fpm.site(""));
    let mut wire = site.wire();
    let answer = wire.get("/flush.php").is(200);
    assert_eq!((answer.body.len(), answer.body[149_999]), (150_000, b'a' + 49 % 26));
    assert_eq!(wire.get("/gone.php").is(204).body.len(), 0);
    let not_modified = wire.ask(get("/not.php", "If-None-Match: \"a\"\r\n")).is(304);
    assert_eq!(not_modified.field("etag"), Some("\"a\""));
    assert_eq!(wire.get("/to.php").is(302).field("location"), Some("/elsewhere"));
    wire.send("HEAD /flush.php HTTP/1.1\r\nHost: test\r\n\r\n");
    let head = wire.next(true).is(200);
    assert_eq!(head.body.len(), 0);
    // The connection is in step still.
    assert_eq!(wire.get("/gone.php").status, 204);
    site.stop();
}

#[test]
fn answers_are_cached_collapsed_and_compressed_as_those_of_http() {
    let fpm = PhpFpm::start(4, "");
    fpm.page(
        "cached.php",
        "<?php usleep(200000); header('Cache-Control: max-age=60'); header('Content-Type: text/plain');
         file_put_contents(__DIR__ . '/count', 'x', FILE_APPEND); echo str_repeat('words and words ', 300);",
    );
    std::fs::write(fpm.root().join("count"), "").unwrap();
    let all = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    std::fs::set_permissions(fpm.root().join("count"), all).unwrap();
    let site = Arc::new(Site::start(&fpm.site("compress = true\n")));
    let asked: Vec<_> = (0..8)
        .map(|_| {
            let site = site.clone();
            std::thread::spawn(move || site.get("/cached.php").is(200).body.len())
        })
        .collect();
    assert!(asked.into_iter().all(|asked| asked.join().unwrap() == 4800));
    // What is stored is put into a coding behind the first who takes it.
    wait::until("it is coded", || {
        let coded = site.get_with("/cached.php", "Accept-Encoding: br\r\n").is(200);
        coded.field("content-encoding") == Some("br") && coded.body.len() < 200
    });
    assert_eq!(std::fs::read(fpm.root().join("count")).unwrap().len(), 1, "the program ran once");
    Arc::into_inner(site).unwrap().stop();
}

#[test]
fn a_program_has_files_sent_from_its_folders_alone() {
    let fpm = PhpFpm::start(2, "");
    let files = tempfile::tempdir().unwrap();
    std::fs::write(files.path().join("report.pdf"), "0123456789").unwrap();
    fpm.page("own.txt", "own");
    fpm.page(
        "send.php",
        "<?php header('Content-Disposition: attachment'); setcookie('a', 'b'); header('X-Accel-Expires: 5');
         if (isset($_GET['type'])) header('Content-Type: application/x-own'); else header_remove('Content-Type');
         header($_GET['by'] . ': ' . $_GET['file']); echo 'body of its own';",
    );
    let at = files.path().display();
    let site = Site::start(&fpm.site(&format!("[site.fastcgi]\nsendfile = [\"{at}\"]\nkeep = true\n")));
    let mut wire = site.wire();
    let by = |by: &str, file: &str| format!("/send.php?type&by={by}&file={file}");
    for path in [by("X-Sendfile", &format!("{at}/report.pdf")), by("X-Accel-Redirect", "/report.pdf")] {
        let answer = wire.get(&path).is(200);
        assert_eq!(answer.text(), "0123456789");
        for (name, value) in [("content-disposition", "attachment"), ("content-type", "application/x-own")] {
            assert_eq!(answer.field(name), Some(value), "{path}");
        }
        assert_eq!(answer.field("content-length"), Some("10"));
        assert!(answer.field("set-cookie").is_some() && answer.field("etag").is_some());
        for name in ["x-sendfile", "x-accel-redirect", "x-accel-expires"] {
            assert_eq!(answer.field(name), None, "{name}");
        }
        let part = wire.ask(get(&path, "Range: bytes=2-4\r\n")).is(206);
        assert_eq!((part.text(), part.field("content-range")), ("234".into(), Some("bytes 2-4/10")));
    }
    assert_eq!(wire.get(&by("X-Sendfile", &fpm.root().join("own.txt").display().to_string())).is(200).text(), "own");
    for (named, status) in [
        (by("X-Sendfile", "/etc/passwd"), 403),
        (by("X-Sendfile", &format!("{at}/../../etc/passwd")), 403),
        (by("X-Accel-Redirect", "/../../etc/passwd"), 403),
        (by("X-Accel-Redirect", "/send.php"), 403),
        (by("X-Sendfile", &format!("{at}/none")), 404),
    ] {
        let answer = site.get(&named);
        assert_eq!(answer.status, status, "{named}");
        assert!(answer.field("x-sendfile").is_none() && answer.field("x-accel-redirect").is_none());
    }
    site.stop();
}

/// A client that takes a named file slowly held the application's place, and all of the file waited in the buffer for
/// it once more.
#[test]
fn a_slow_client_of_a_named_file_held_the_applications_place() {
    let fpm = PhpFpm::start(1, "");
    let large = std::fs::File::create(fpm.root().join("large.bin")).unwrap();
    large.set_len(32 * MIB as u64).unwrap();
    fpm.page("large.php", "<?php header('Cache-Control: no-store'); header('X-Accel-Redirect: /large.bin');");
    fpm.page("page.php", "<?php header('Cache-Control: no-store'); echo 'page';");
    for answers in [true, false] {
        let settings =
            format!("buffer = {{ answers = {answers} }}\nqueue = {{ running = 1 }}\n[site.fastcgi]\nkeep = true\n");
        let site = Site::start(&fpm.site(&settings));
        let mut slow = site.wire();
        slow.send(get("/large.php", ""));
        let mut large = slow.head().is(200);
        assert_eq!(site.get("/page.php").is(200).text(), "page", "answers = {answers}");
        let metrics = Wire::unix(&site.path("admin.sock")).get("/metrics").is(200).text();
        for name in ["unladen_site_buffer_memory_bytes", "unladen_site_buffer_disk_bytes"] {
            let line = metrics.lines().find(|line| line.starts_with(name)).expect(name);
            assert!(line.ends_with(" 0"), "{line}");
        }
        slow.body(&mut large);
        assert_eq!(large.body.len(), 32 * MIB);
        assert_eq!(slow.get("/page.php").is(200).text(), "page", "the connection is in step");
        site.stop();
    }
}

/// The age of a file that a program names made its answer one for everybody, for hours, though the program had said
/// nothing of the kind.
#[test]
#[allow(clippy::disallowed_types, reason = "a file's time is wall time")]
fn a_named_files_age_made_its_answer_cacheable() {
    let fpm = PhpFpm::start(1, "");
    let file = std::fs::File::create(fpm.root().join("file.txt")).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)).unwrap();
    fpm.page(
        "once.php",
        "<?php if (isset($_GET['control'])) header('Cache-Control: ' . $_GET['control']);
         header('X-Count: ' . file_put_contents(__DIR__ . '/count', 'x', FILE_APPEND));
         if (filesize(__DIR__ . '/count') > 1) { http_response_code(403); header('Cache-Control: no-store'); exit; }
         header('X-Accel-Redirect: /file.txt');",
    );
    let count = fpm.page("count", "");
    let all = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    std::fs::set_permissions(&count, all).unwrap();
    let site = Site::start(&fpm.site(""));
    for (target, control, second) in [
        ("/once.php", "no-cache", 403),
        ("/once.php?token=once", "no-cache", 403),
        ("/once.php?control=max-age%3D60", "max-age=60", 200),
    ] {
        std::fs::write(&count, "").unwrap();
        let first = site.get(target).is(200);
        assert_eq!(first.field("cache-control"), Some(control), "{target}");
        assert!(first.field("last-modified").is_some());
        assert_eq!(site.get(target).status, second, "{target}");
    }
    site.stop();
}

/// A status without a body got a length, which belonged to the next answer; and a coding that the file is not in.
#[test]
fn what_a_program_said_of_its_own_body_was_said_of_the_named_file() {
    let fpm = PhpFpm::start(1, "");
    fpm.page("file.txt", "0123456789");
    fpm.page(
        "send.php",
        "<?php http_response_code((int) $_GET['status']); header('Cache-Control: no-store');
         foreach (['Content-Encoding: gzip', 'Content-MD5: x', 'Digest: x', 'Content-Digest: x', 'Repr-Digest: x'] as $line)
             header($line);
         header('X-Accel-Redirect: /file.txt');",
    );
    let site = Site::start(&fpm.site(""));
    let mut wire = site.wire();
    for status in [204, 205, 304] {
        let answer = wire.get(&format!("/send.php?status={status}")).is(status);
        assert_eq!((answer.text().as_str(), answer.field("x-accel-redirect")), ("", None));
        assert!(matches!(answer.field("content-length"), None | Some("0")), "{answer:?}");
    }
    for status in [200, 404] {
        let answer = wire.get(&format!("/send.php?status={status}")).is(status);
        assert_eq!((answer.text().as_str(), answer.field("content-length")), ("0123456789", Some("10")));
        for name in ["content-encoding", "content-md5", "digest", "content-digest", "repr-digest"] {
            assert_eq!(answer.field(name), None, "{name}");
        }
    }
    site.stop();
}

/// What was asked for the cache named the proxy in front where `forwarded` is `forwarded`.
#[test]
fn what_is_fetched_for_the_cache_was_from_the_proxy_in_front() {
    let fpm = PhpFpm::start(1, "");
    fpm.page("who.php", "<?php header('Cache-Control: max-age=60'); echo $_SERVER['REMOTE_ADDR'];");
    for forwarded in ["x-forwarded", "forwarded", "strip"] {
        let settings = format!("forwarded = \"{forwarded}\"\ntrusted.proxies = [\"127.0.0.1\"]\n");
        let site = Site::start(&fpm.site(&settings));
        for (path, address) in [("/who.php?4", "198.51.100.7"), ("/who.php?6", "2001:db8::1")] {
            let answer = site.get_with(path, &format!("X-Forwarded-For: {address}\r\n")).is(200);
            assert_eq!(answer.text(), address, "{forwarded}");
            // It was asked for the cache, which answers from then on.
            assert_eq!(site.get(path).is_hit(200).text(), address);
        }
        site.stop();
    }
}

#[test]
fn kept_connections_starve_nobody() {
    let fpm = PhpFpm::start(1, "");
    fpm.page("page.php", "<?php header('Cache-Control: no-store'); echo getmypid();");
    // Two sites, of two threads each, and one worker.
    let config = fpm.site("[site.fastcgi]\nkeep = true\n");
    let (one, other) = (Site::start(&config), Site::start(&config));
    let (one, other) = (Arc::new(one), Arc::new(other));
    let count = Arc::new(AtomicUsize::new(0));
    let asking: Vec<_> = [&one, &other, &one, &other, &one]
        .into_iter()
        .map(|site| {
            let (site, count) = (site.clone(), count.clone());
            std::thread::spawn(move || {
                let mut wire = site.wire();
                for _ in 0..40 {
                    wire.get("/page.php").is(200);
                    count.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    asking.into_iter().for_each(|asked| asked.join().unwrap());
    assert_eq!(count.load(Ordering::Relaxed), 200);
    for site in [one, other] {
        Arc::into_inner(site).unwrap().stop();
    }
}

#[test]
fn what_a_program_says_on_standard_error_is_told_with_its_request() {
    let fpm = PhpFpm::start(1, "php_admin_flag[log_errors] = on\nphp_admin_value[error_log] =");
    fpm.page("warns.php", "<?php trigger_error('of my own', E_USER_WARNING); echo 'done';");
    let site = Site::start(&fpm.site(""));
    assert!(site.get_with("/warns.php", "X-Request-Id: abc-123\r\n").is(200).text().ends_with("done"));
    let done = site.told();
    assert!(done.contains("of my own") && done.contains("[stderr]") && done.contains("abc-123"), "{done}");
}

#[test]
fn a_script_that_is_gone_is_told_of() {
    let fpm = PhpFpm::start(1, "");
    let site = Site::start(&fpm.site(""));
    // The front controller is not looked for.
    assert_eq!(site.get("/anything").status, 404);
    let told = site.told();
    assert!(
        told.contains("Primary script unknown") && told.contains("does it see the same folder as `root`"),
        "{told}"
    );
}

#[test]
fn a_process_that_dies_is_told_of_and_its_request_is_not_run_twice() {
    let fpm = PhpFpm::start(1, "");
    fpm.page(
        "dies.php",
        "<?php file_put_contents(__DIR__ . '/count', 'x', FILE_APPEND); exec('kill -9 ' . getmypid()); sleep(9);",
    );
    std::fs::write(fpm.root().join("count"), "").unwrap();
    let all = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    std::fs::set_permissions(fpm.root().join("count"), all).unwrap();
    let site = Site::start(&fpm.site(""));
    site.wire().post("/dies.php", "a=b").refuses(502, "upstream_closed");
    assert_eq!(std::fs::read(fpm.root().join("count")).unwrap().len(), 1);
    let told = site.told();
    assert!(told.contains("if a process died"), "{told}");
}

// === a Perl program ===

const PERL: &str = r#"
use FCGI;
my $count = 0;
my $request = FCGI::Request();
while ($request->Accept() >= 0) {
    $count++;
    read(STDIN, my $body, $ENV{CONTENT_LENGTH} || 0);
    print "Content-Type: text/plain\nX-Count: $count\n\n";
    print "$ENV{SCRIPT_NAME}|$ENV{PATH_INFO}|$ENV{QUERY_STRING}|$body|$ENV{HTTP_X_A}";
    print STDERR "perl says $count\n" if $ENV{QUERY_STRING} eq 'say';
}
"#;

/// A Perl program under spawn-fcgi; it ends with this.
struct Perl {
    folder: TempDir,
    process: Child,
}

impl Perl {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (program, socket) = (folder.path().join("app.pl"), folder.path().join("app.sock"));
        std::fs::write(&program, PERL).unwrap();
        let mut command = Command::new("/usr/bin/spawn-fcgi");
        command.arg("-n").arg("-s").arg(&socket).args(["--", "/usr/bin/perl"]).arg(&program);
        let process = command.spawn().expect("spawn-fcgi is installed");
        wait::until_ok("the program listens", || UnixStream::connect(&socket));
        Self { folder, process }
    }

    fn site(&self, more: &str) -> Site {
        let (at, program) = (self.folder.path().join("app.sock"), self.folder.path().join("app.pl"));
        let (at, program) = (at.display(), program.display());
        Site::start(&format!("php = \"{at}\"\n[site.fastcgi]\nscript = \"{program}\"\n{more}"))
    }
}

impl Drop for Perl {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn one_perl_program_answers_all_paths() {
    let perl = Perl::start();
    for keep in ["keep = false", "keep = true"] {
        let site = perl.site(&format!("name = \"/app\"\n{keep}\n"));
        let mut wire = site.wire();
        for _ in 0..3 {
            assert_eq!(wire.get("/app/a%20b?say").is(200).text(), "/app|/a b|say||");
            let posted = wire.post("/elsewhere", "body").is(200);
            assert_eq!(posted.text(), "|/elsewhere||body|");
        }
        // Several at a time have one process.
        let site = Arc::new(site);
        let asked: Vec<_> = (0..8)
            .map(|_| {
                let site = site.clone();
                std::thread::spawn(move || site.get("/app").is(200).text())
            })
            .collect();
        assert!(asked.into_iter().all(|asked| asked.join().unwrap() == "/app||||"));
        let told = Arc::into_inner(site).unwrap().told();
        assert!(told.contains("perl says"), "{told}");
    }
}

#[test]
fn a_program_below_a_path_of_a_site_of_php_could_not_be_called() {
    let (perl, fpm) = (Perl::start(), PhpFpm::start(1, ""));
    fpm.page("index.php", "<?php echo 'php ', $_SERVER['REQUEST_URI'];");
    let (at, program) = (perl.folder.path().join("app.sock"), perl.folder.path().join("app.pl"));
    let site = Site::start(&fpm.site(&format!(
        "[[site.route]]\npath = \"/lists/\"\nphp = \"{}\"\nfastcgi = {{ script = \"{}\", name = \"/lists\" }}\n",
        at.display(),
        program.display()
    )));
    assert_eq!(site.get("/lists/a%20b?x").is(200).text(), "/lists|/a b|x||");
    assert_eq!(site.wire().post("/lists", "body").is(200).text(), "/lists|||body|");
    for path in ["/", "/list", "/listsa"] {
        assert_eq!(site.get(path).is(200).text(), format!("php {path}"));
    }
}

// === programs that answer as none should ===

/// A program that says this to each request, and then closes. How many requests came is counted.
fn program(folder: &Path, says: Vec<u8>) -> Arc<AtomicUsize> {
    let listener = UnixListener::bind(folder.join("program.sock")).unwrap();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    std::thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let says = says.clone();
            let mut heard = Vec::new();
            let mut buffer = [0; 4096];
            // The end of the request's body.
            while !heard.windows(8).any(|bytes| bytes == [1, 5, 0, 1, 0, 0, 0, 0]) {
                match stream.read(&mut buffer) {
                    Ok(read) if read > 0 => heard.extend_from_slice(&buffer[..read]),
                    _ => break,
                }
            }
            count.fetch_add(usize::from(!heard.is_empty()), Ordering::Relaxed);
            let _ = stream.write_all(&says);
        }
    });
    asked
}

fn site_of(folder: &Path) -> Site {
    let at = folder.join("program.sock");
    Site::start(&format!("php = \"{}\"\n[site.fastcgi]\nscript = \"/srv/program\"\n", at.display()))
}

#[test]
fn what_is_no_answer_is_answered_by_502_and_its_cause_is_told() {
    let long = record(6, 1, &[b"X: ", &[b'x'; 65_000][..]].concat());
    let cases: [(&str, Vec<u8>, &str); 12] = [
        ("HTTP", b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), "not FastCGI"),
        ("another request's", record(6, 9, b"A: b\n\nx"), "a record of request 9"),
        ("a server's record", record(1, 1, b"12345678"), "a record of type 1"),
        ("no head", record(3, 1, &END), "before the response head"),
        ("half a head", answer(b"A: b\n"), "before the response head"),
        ("a folded line", answer(b"A: b\n c\n\nx"), "a header field is malformed"),
        ("CR alone", answer(b"A: b\rSet-Cookie: c=d\n\nx"), "a header field is malformed"),
        ("two statuses", answer(b"Status: 200\nStatus: 404\n\nx"), "the first line is malformed"),
        ("two lengths", answer(b"Content-Length: 1\nContent-Length: 2\n\nx"), "Content-Length"),
        ("too short", answer(b"Content-Length: 9\n\nx"), "Content-Length"),
        ("chunks of its own", answer(b"Transfer-Encoding: chunked\n\n1\r\nx\r\n0\r\n\r\n"), "Transfer-Encoding"),
        ("a long head", [&long[..], &long[..]].concat(), "the head is too long"),
    ];
    for (what, says, cause) in cases {
        let folder = tempfile::tempdir().unwrap();
        let asked = program(folder.path(), says);
        let site = site_of(folder.path());
        let answered = site.wire().post("/", "a=b");
        assert_eq!((answered.status, answered.reason()), (502, Some("upstream_malformed")), "{what}");
        assert_eq!(asked.load(Ordering::Relaxed), 1, "{what}: it is asked once");
        let told = site.told();
        assert!(told.contains(cause), "{what}: {told}");
    }
}

#[test]
fn what_is_more_than_its_head_says_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    program(folder.path(), answer(b"Content-Length: 5\n\nhelloHTTP/1.1 200 OK\r\n\r\n"));
    let site = site_of(folder.path());
    let mut wire = site.wire();
    for _ in 0..2 {
        assert_eq!(wire.get("/").is(200).text(), "hello");
    }
    assert!(wire.is_quiet(Duration::from_millis(50)));
    site.stop();
}

#[test]
fn one_that_is_overloaded_says_so() {
    let folder = tempfile::tempdir().unwrap();
    program(folder.path(), record(3, 1, &[0, 0, 0, 0, 2, 0, 0, 0]));
    let site = site_of(folder.path());
    site.wire().post("/", "a=b").refuses(503, "backlog_full");
    let told = site.told();
    assert!(told.contains("it reports that it is overloaded"), "{told}");
}

#[test]
fn a_request_that_two_could_read_differently_never_comes_to_a_program() {
    let folder = tempfile::tempdir().unwrap();
    let asked = program(folder.path(), answer(b"A: b\n\nhello"));
    let site = site_of(folder.path());
    let huge = format!("X: {}\r\n", "x".repeat(60_000));
    let huger = format!("X: {}\r\n", "x".repeat(70_000));
    for (lines, status) in [
        ("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", 400),
        ("Content-Length: 3\r\nContent-Length: 4\r\n", 400),
        ("Content-Length: +3\r\n", 400),
        ("Content_Length: 3\r\n", 400),
        ("X: a\rY: b\r\n", 400),
        ("X: a\0b\r\n", 400),
        (&huger, 431),
    ] {
        let mut wire = site.wire();
        let _ = wire.try_send(format!("POST / HTTP/1.1\r\nHost: test\r\n{lines}\r\nabc"));
        assert_eq!(wire.answer().status, status, "{}", &lines[..lines.len().min(60)]);
    }
    assert_eq!(asked.load(Ordering::Relaxed), 0);
    assert_eq!(site.get_with("/", &huge).is(200).text(), "hello");
    site.stop();
}

#[test]
fn an_encoded_slash_and_an_encoded_percent_sign_were_one_path_info() {
    let fpm = PhpFpm::start(1, "");
    fpm.page("index.php", PAGE);
    let site = Site::start(&fpm.site(""));
    for (target, wanted) in
        [("/index.php/a%2Fb", "/a/b"), ("/index.php/a%252Fb", "/a%2Fb"), ("/index.php/a%20b", "/a b")]
    {
        let told = server(&site, format!("GET {target} HTTP/1.1\r\nHost: a\r\n\r\n"));
        assert_eq!(told["PATH_INFO"], wanted, "{target}");
    }
}

#[test]
fn a_scripts_folder_was_told_by_a_link_that_deployments_move() {
    let fpm = PhpFpm::start(1, "");
    fpm.page("releases/1/page.php", PAGE);
    let root = fpm.root().canonicalize().unwrap();
    std::os::unix::fs::symlink("releases/1", root.join("app")).unwrap();
    let site = Site::start(&fpm.site(""));
    let told = server(&site, "GET /app/page.php HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!(told["SCRIPT_FILENAME"], root.join("releases/1/page.php").display().to_string());
    assert_eq!(told["SCRIPT_NAME"], "/app/page.php");
}
