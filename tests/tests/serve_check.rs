//! `unladen serve --check --url`: what becomes of a request is told before anything is served, and it is what becomes
//! of it.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use unladen_tests::site::{app, page};
use unladen_tests::{Ability, Call, Document, Site, copy_binary, skip_without};

/// A configuration in front of an application, and the file of it.
struct Checked {
    folder: tempfile::TempDir,
}

impl Checked {
    fn new(app: &str, more: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let text = format!("[[site]]\nlisten = '127.0.0.1:8080'\nupstream = '{app}'\n{more}");
        let text = text.replace("DIR", folder.path().to_str().unwrap());
        fs::write(folder.path().join("unladen.toml"), text).unwrap();
        Self { folder }
    }

    fn call(&self, args: &[&str]) -> Call {
        let file = self.folder.path().join("unladen.toml");
        Call::new(["serve", file.to_str().unwrap(), "--check"]).args(args)
    }

    fn outlook(&self, path: &str, args: &[&str]) -> Document {
        self.call(&["--url", &format!("http://127.0.0.1:8080{path}")]).args(args).document()
    }
}

fn reasons(document: &Document) -> Vec<&str> {
    let why = document["outlook"]["why_not"].as_array().unwrap();
    why.iter().map(|why| why["reason"].as_str().unwrap()).collect()
}

#[test]
fn a_url_is_told_its_validator_and_what_the_real_answer_comes_to() {
    let app = app(|seen| match seen.target.as_str() {
        "/private" => page("Cache-Control: private\r\nSet-Cookie: a=secret\r\n", "x"),
        "/lifetime" => page("Cache-Control: max-age=60\r\nVary: Accept-Language\r\n", "x"),
        "/long" => page("Cache-Control: max-age=60\r\n", &"x".repeat(5000)),
        _ => page("", "hello"),
    });
    let checked = Checked::new(
        &app.url(),
        "cache.largest = 4096\n[[site.validator]]\npath = '/news/{page*}'\nfile = 'DIR/version'\ntimeout = '30s'\n",
    );
    fs::write(checked.folder.path().join("version"), "1").unwrap();

    // Not asked, the application is not known.
    let unasked = checked.outlook("/news/", &[]);
    assert_eq!((unasked["outlook"]["rule"].as_str(), unasked["outlook"]["kept"].is_null()), (Some("validator"), true));
    assert_eq!(app.seen().len(), 0);

    let kept = checked.outlook("/news/", &["--connect"]);
    let outlook = &kept["outlook"];
    assert_eq!(outlook["kept"], true, "{outlook}");
    assert_eq!((&outlook["kept_for"]["validated"], &outlook["answer"]["bytes"]), (&true.into(), &5.into()));
    assert!(outlook["label"].as_str().is_some_and(|label| !label.is_empty()), "{outlook}");
    assert_eq!(outlook["validators"][0]["parameters"]["page"], "");

    let lifetime = checked.outlook("/lifetime", &["--connect", "-H", "Accept-Language: cy"]);
    let outlook = &lifetime["outlook"];
    assert_eq!((outlook["rule"].as_str(), outlook["kept"].as_bool()), (Some("lifetime"), Some(true)), "{outlook}");
    assert_eq!(outlook["kept_for"]["varies_by"][0], "accept-language");
    assert!((1..=60).contains(&outlook["kept_for"]["fresh_seconds"].as_u64().unwrap()), "{outlook}");

    let private = checked.outlook("/private", &["--connect", "-b", "session=1", "-b", "b=2"]);
    assert_eq!(reasons(&private), ["private", "set-cookie", "no-lifetime", "cookies"]);
    assert!(!private.to_string().contains("secret"), "{}", private.to_string());
    assert_eq!(reasons(&checked.outlook("/long", &["--connect"])), ["too-large"]);
    assert_eq!(reasons(&checked.outlook("/plain", &["--connect"])), ["no-lifetime"]);
    let cookies = app.seen().iter().filter_map(|seen| seen.field("cookie").map(str::to_owned)).collect::<Vec<_>>();
    assert_eq!(cookies, ["session=1; b=2"]);

    // For people.
    let url = "http://127.0.0.1:8080/news/today/";
    checked.call(&["--url", url, "--connect"]).run().succeeded().shows([
        "validator 1. path = \"/news/{page*}\": page = \"today/\"",
        "answer 200, 5 bytes",
        "kept yes, for requests without cookies that matter; until the validator's label changes",
    ]);
}

#[test]
fn what_is_told_is_what_is_then_served() {
    let app = app(|seen| match seen.target.as_str() {
        "/a" => page("Cache-Control: max-age=60\r\n", "a"),
        "/b" => page("Set-Cookie: a=b\r\nCache-Control: max-age=60\r\n", "b"),
        "/c" => page("Vary: *\r\nCache-Control: max-age=60\r\n", "c"),
        "/d" => page("Cache-Control: max-age=60, no-cache\r\n", "d"),
        "/e" => "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n".to_owned(),
        "/f" => "HTTP/1.1 404 No\r\nCache-Control: max-age=9\r\nContent-Length: 0\r\n\r\n".to_owned(),
        _ => page("ETag: \"a\"\r\n", "g"),
    });
    let checked = Checked::new(&app.url(), "");
    let site = Site::of(&app, "");
    for path in ["/a", "/b", "/c", "/d", "/e", "/f", "/g"] {
        let told = checked.outlook(path, &["--connect"])["outlook"]["kept"].as_bool().unwrap();
        assert_eq!(site.get(path).cache().contains("stored"), told, "{path}");
    }
    site.stop();
}

#[test]
fn who_does_not_answer_is_told_and_nothing_is_kept() {
    let nobody = unladen_tests::site::free();
    let checked = Checked::new(
        &format!("http://{nobody}"),
        "[[site.validator]]\npath = '/db/{page*}'\ndatabase = 'sqlite:DIR/none.db'\nquery = 'select 1'\n",
    );
    let gone = checked.outlook("/", &["--connect"]);
    assert_eq!(gone["outlook"]["kept"], false);
    assert!(gone["outlook"]["notes"][0].as_str().unwrap().contains("connect_failed"), "{}", gone.to_string());
    let silent = checked.outlook("/db/", &["--connect"]);
    assert_eq!(reasons(&silent), ["validator-silent"]);
    assert!(silent["outlook"]["notes"][0].as_str().unwrap().contains("none.db"), "{}", silent.to_string());
}

#[test]
fn a_url_is_asked_for_with_check_alone() {
    let checked = Checked::new("http://127.0.0.1:9", "");
    let file = checked.folder.path().join("unladen.toml");
    let file = file.to_str().unwrap();
    Call::new(["serve", file, "--url", "http://a/"]).run().ended_with(2).says(["--check"]);
    Call::new(["serve", file, "--config", file, "--check"]).run().ended_with(2).says(["cannot be used with"]);
    Call::new(["serve", "--check"]).run().ended_with(2).says(["<FILE>"]);
    checked.call(&["--url", "ftp://a/"]).run().ended_with(2).says(["ftp"]);
    checked.call(&["--url", "http://a/", "-H", "no colon"]).run().ended_with(2).says(["has no colon"]);
}

/// Its folder was asked whether it takes a new file, and serving appends to the old one.
#[test]
fn an_access_log_that_is_there_is_checked_itself() {
    if skip_without(Ability::Root, "an_access_log_that_is_there_is_checked_itself") {
        return;
    }
    let checked = Checked::new("http://127.0.0.1:9", "[log]\nfile = 'DIR/logs/access.log'\n");
    let path = |name: &str| checked.folder.path().join(name);
    let set = |name: &str, mode| fs::set_permissions(path(name), Permissions::from_mode(mode)).unwrap();
    copy_binary(&path("unladen"));
    fs::create_dir(path("logs")).unwrap();
    for name in ["", "logs", "unladen"] {
        set(name, 0o755);
    }
    let check = || {
        let as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"];
        checked.call(&[]).program(path("unladen")).through(as_nobody).run()
    };
    let refused = || {
        check().ended_with(2).says(["logs/access.log, cannot be written: Permission denied"]).shows_nothing();
    };
    // There is none, and its folder takes no file.
    refused();
    fs::write(path("logs/access.log"), "a line\n").unwrap();
    set("logs/access.log", 0o666);
    check().succeeded().shows(["OK"]);
    set("logs/access.log", 0o644);
    refused();
    // Nor does a folder help that takes new files.
    set("logs", 0o777);
    refused();
    fs::remove_file(path("logs/access.log")).unwrap();
    check().succeeded().shows(["OK"]);
    assert!(!path("logs/access.log").exists());
    // Without a reader, a named pipe could not be opened.
    nix::unistd::mkfifo(&path("logs/access.log"), nix::sys::stat::Mode::from_bits_truncate(0o666)).unwrap();
    check().succeeded().shows(["OK"]);
}

/// A path became another one: `gr??e`.
#[test]
fn what_explain_writes_is_the_same_in_every_locale() {
    let checked = Checked::new("http://127.0.0.1:9", "[log]\nfile = '/tmp/größe.log'\n");
    let file = checked.folder.path().join("unladen.toml");
    for more in [&[][..], &["--json"]] {
        let explain = |locale| {
            let call = Call::new(["serve", file.to_str().unwrap(), "--explain"]).args(more).env("LC_ALL", locale);
            call.run().succeeded().shows(["/tmp/größe.log"]).stdout
        };
        assert_eq!(explain("C"), explain("C.UTF-8"));
    }
}

/// Nobody was told which folders an `.htaccess` refuses, and which of its lines have no effect.
#[test]
fn each_htaccess_below_a_root_is_named_with_what_becomes_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    for (path, text) in [
        ("data/.htaccess", "Require all denied"),
        ("admin/.htaccess", "Require ip 10.0.0.0/8"),
        ("old/.htaccess", "RewriteEngine on\nRewriteRule ^x\u{1b}[2J - [F]"),
        ("data/users.txt", "SECRET"),
        ("dump.sql", "SECRET"),
    ] {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), text).unwrap();
    }
    let file = folder.path().join("unladen.toml");
    fs::write(&file, format!("[[site]]\nlisten = '127.0.0.1:8080'\nroot = {root:?}\n")).unwrap();
    let check = |args: &[&str]| Call::new(["serve", file.to_str().unwrap(), "--check"]).args(args);

    check(&[]).run().succeeded().shows([
        "data/.htaccess: line 1 refuses its folder, and so does `serve`: 403",
        "admin/.htaccess: line 1 lets Apache send its folder only to some clients, but `serve` answers 403 to all; to \
         allow some, use a [[site.route]] with `path = \"/admin/\"`",
        "old/.htaccess: line 2, \"RewriteRule ^x",
        "OK: 1 listener, 2 warnings",
    ]);
    let warnings = check(&[]).document()["warnings"].as_array().unwrap().clone();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings.iter().all(|warning| warning["line"].is_null()));

    for (path, why) in [("/data/users.txt", "line 1 of"), ("/dump.sql", "a dump of a database"), ("/admin/", "404")] {
        let url = format!("http://127.0.0.1:8080{path}");
        let seen = check(&["--url", &url]).document();
        assert!(
            seen["outlook"]["route"]["comes_to"].as_str().is_some_and(|comes| comes.contains(why)),
            "{path}: {seen:?}"
        );
    }
}
