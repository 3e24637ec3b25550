//! `unladen serve --check --connect`: what serving needs is connected to before anything is served, and what came of it
//! is told.

use std::fs;
use std::net::TcpListener;

use unladen_tests::site::free;
use unladen_tests::{Authority, Call, Certificate, Done, Nginx, Postgres, Wanting};

/// A configuration, and the files that it names.
struct Checked {
    folder: tempfile::TempDir,
}

impl Checked {
    fn new(config: &str, files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        fs::write(folder.path().join("unladen.toml"), config).unwrap();
        Self { folder }
    }

    fn call(&self) -> Call {
        Call::new(["serve", self.folder.path().join("unladen.toml").to_str().unwrap(), "--check", "--connect"])
    }
}

/// Beside an application, to this upstream, with an authority in `ca.pem` unless it is plain.
fn outbound(name: &str, upstream: &str, settings: &str) -> String {
    let ca = if upstream.starts_with("https:") { "ca = \"ca.pem\"\n" } else { "" };
    format!("[[outbound]]\nname = \"{name}\"\nlisten = \"{}\"\nupstream = \"{upstream}\"\n{ca}{settings}\n", free())
}

fn nginx(certificate: &Certificate, more: &str) -> Nginx {
    Nginx::start(
        &format!("LISTEN ssl {more}; ssl_certificate chain.pem; ssl_certificate_key key.pem; return 200 'well';"),
        &[("chain.pem", &certificate.chain), ("key.pem", &certificate.key)],
    )
}

/// The line about this one.
fn line<'d>(done: &'d Done, name: &str) -> &'d str {
    let named = format!("`{name}`");
    done.stdout.lines().find(|line| line.contains(&named)).unwrap_or_else(|| panic!("{name} is not told of\n{done}"))
}

#[test]
fn what_can_be_connected_to_is_told_with_what_is_spoken_there() {
    let ours = Authority::new();
    let good = ours.certificate("127.0.0.1");
    let (tls, h2, plain) = (nginx(&good, ""), nginx(&good, "http2"), Nginx::plain("return 200 'well';"));
    let config = [
        outbound("tls", &format!("https://{}", tls.address()), ""),
        outbound("h2", &format!("https://{}", h2.address()), ""),
        outbound("plain", &format!("http://{}", plain.address()), ""),
    ]
    .concat();
    let checked = Checked::new(&config, &[("ca.pem", &ours.pem())]);
    let done = checked.call().run().succeeded().says_nothing().shows(["OK: 3 listeners"]);
    assert!(line(&done, "tls").starts_with("ok ") && line(&done, "tls").ends_with(": TLS"), "{done}");
    assert!(line(&done, "h2").ends_with(": HTTP/2 over TLS"), "{done}");
    assert!(line(&done, "plain").ends_with(": TCP"), "{done}");
    let document = checked.call().document();
    let connections = document["connections"].as_array().unwrap();
    assert_eq!(connections.len(), 3, "{document}");
    assert!(connections.iter().all(|one| one["failed"].is_null()), "{document}");
    // Nothing is asked of an application.
    for nginx in [&tls, &h2, &plain] {
        assert_eq!(nginx.file("requests.log"), "");
    }
}

#[test]
fn each_way_to_fail_is_told_apart_and_all_are_tried() {
    let (ours, others) = (Authority::new(), Authority::new());
    let expired = nginx(&ours.expired("127.0.0.1"), "");
    let elsewhere = nginx(&ours.certificate("other.example"), "");
    let unknown = nginx(&others.certificate("127.0.0.1"), "");
    let good = nginx(&ours.certificate("127.0.0.1"), "");
    let plain = Nginx::plain("return 200 'well';");
    // Connections to it are made by the system, and nobody ever says anything on them.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let https = |nginx: &Nginx| format!("https://{}", nginx.address());
    let short = "[outbound.timeouts]\nconnect = \"1s\"";
    let config = [
        outbound("expired", &https(&expired), ""),
        outbound("elsewhere", &https(&elsewhere), ""),
        outbound("unknown", &https(&unknown), ""),
        outbound("plain", &https(&plain), ""),
        outbound("older", &https(&good), "http = \"2\""),
        outbound("unasked", &format!("http://{}", plain.address()), "http = \"2\""),
        outbound("nobody", &format!("http://{}", free()), ""),
        outbound("socket", "unix:/nowhere/app.sock", ""),
        outbound("name", "http://name.invalid", ""),
        outbound("silent", &format!("https://{}", silent.local_addr().unwrap()), short),
        outbound("good", &https(&good), ""),
    ]
    .concat();
    let checked = Checked::new(&config, &[("ca.pem", &ours.pem())]);
    let done = checked.call().run().ended_with(3).says(["10 of 11 connections cannot be made"]);
    for (name, words, reason) in [
        ("expired", "its certificate expired", "tls_failed"),
        ("elsewhere", "its certificate is for other.example, not for 127.0.0.1", "tls_failed"),
        ("unknown", "no trusted authority signed its certificate", "tls_failed"),
        ("plain", "it does not speak TLS there", "tls_failed"),
        ("older", "it does not offer the requested HTTP version", "tls_failed"),
        ("unasked", "it does not speak HTTP/2 there", "upstream_malformed"),
        ("nobody", "nothing listens there", "connect_failed"),
        ("socket", "there is no such socket", "connect_failed"),
        ("name", "its name has no address", "no_endpoint"),
        ("silent", "no connection within 1s", "connect_timeout"),
    ] {
        let line = line(&done, name);
        assert!(line.starts_with("FAILED ") && line.contains(words), "{name}: {line}");
        assert!(line.ends_with(&format!("[{reason}]")), "{name}: {line}");
    }
    assert!(line(&done, "good").starts_with("ok "), "{done}");
    let document = checked.call().args(["--json"]).run().ended_with(3).document();
    assert_eq!(document["valid"], true);
    let failed = document["connections"].as_array().unwrap().iter().find(|one| one["name"] == "expired").unwrap();
    assert_eq!((&failed["failed"]["reason"], &failed["what"]), (&"tls_failed".into(), &"upstream".into()));
}

#[test]
fn who_refuses_our_certificate_after_the_handshake_is_found_out() {
    let (ours, others) = (Authority::new(), Authority::new());
    let (server, client, stranger) =
        (ours.certificate("127.0.0.1"), ours.certificate("client"), others.certificate("client"));
    let files = [
        ("ca.pem", ours.pem()),
        ("chain.pem", server.chain),
        ("key.pem", server.key),
        ("client.pem", client.chain),
        ("client.key", client.key),
        ("stranger.pem", stranger.chain),
        ("stranger.key", stranger.key),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    for version in ["-tls1_3", "-tls1_2"] {
        let checked = Checked::new("", &files);
        let wanting = Wanting::start(checked.folder.path(), &[version]);
        let upstream = format!("https://{}", wanting.address());
        let config = [
            outbound("none", &upstream, ""),
            outbound("stranger", &upstream, "certificate = \"stranger.pem\"\nkey = \"stranger.key\""),
            outbound("known", &upstream, "certificate = \"client.pem\"\nkey = \"client.key\""),
        ]
        .concat();
        fs::write(checked.folder.path().join("unladen.toml"), config).unwrap();
        let done = checked.call().run().ended_with(3).says(["2 of 3"]);
        for name in ["none", "stranger"] {
            let line = line(&done, name);
            assert!(line.contains("certificate") && line.ends_with("[tls_failed]"), "{version}: {line}");
        }
        assert!(line(&done, "known").ends_with(": TLS"), "{version}: {done}");
    }
}

#[test]
fn a_validators_database_is_logged_in_to_and_its_query_prepared() {
    let app = Nginx::plain("return 200 'well';");
    let postgres = Postgres::start();
    let validator = |path: &str, database: &str, query: &str| {
        format!(
            "[[site.validator]]\npath = \"/{path}/{{ref}}\"\ndatabase = \"{database}\"\nquery = \"{query}\"\nparameters = [\"ref\"]\n"
        )
    };
    let good = "select id from page where ref = $1";
    let config = [
        format!("[[site]]\nname = \"site\"\nlisten = \"{}\"\nupstream = \"http://{}\"\n", free(), app.address()),
        validator("good", &postgres.url("right"), good),
        validator("table", &postgres.url("right"), "select id from pages where ref = $1"),
        validator("wrong", &postgres.url("wrong-secret"), good),
        validator("nobody", &format!("postgres://asker:hush@{}/postgres", free()), good),
        validator("file", "sqlite:none.db", good),
    ]
    .concat();
    let checked = Checked::new(&config, &[]);
    let done = checked.call().run().ended_with(3).says(["4 of 6 connections cannot be made"]);
    assert!(line(&done, "/good/{ref}").starts_with("ok "), "{done}");
    for (path, words, reason) in [
        ("table", "relation \"pages\" does not exist", "query"),
        ("wrong", "password authentication failed", "refused"),
        ("nobody", "refused", "unreachable"),
        ("file", "none.db", "unreachable"),
    ] {
        let line = line(&done, &format!("/{path}/{{ref}}"));
        assert!(line.starts_with("FAILED ") && line.contains(words), "{path}: {line}");
        assert!(line.ends_with(&format!("[{reason}]")), "{path}: {line}");
    }
    for secret in ["wrong-secret", "hush"] {
        assert!(!done.stdout.contains(secret), "{done}");
    }
}

#[test]
fn connect_is_for_check() {
    let checked = Checked::new(&outbound("nobody", &format!("http://{}", free()), ""), &[]);
    let file = checked.folder.path().join("unladen.toml");
    Call::new(["serve", file.to_str().unwrap(), "--connect"]).run().ended_with(2).says(["--check"]);
    // Without it, nobody is connected to.
    Call::new(["serve", file.to_str().unwrap(), "--check"]).run().succeeded().says_nothing();
}
