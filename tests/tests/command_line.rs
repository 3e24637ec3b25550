//! The command line: what habits of curl, k6 and hyperfine come to, and what is said of what is wrong.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::net::TcpListener;

use unladen_tests::{Call, Server};

#[test]
fn what_curl_sends_is_sent() {
    let server = Server::good();
    // Without a scheme, as curl takes it.
    let url = server.url("/page").replace("http://", "");
    let args =
        ["-n", "1", "-u", "user:pass", "-A", "me/1", "-H", "X-A: b", "-b", "c=d; e=f", "-X", "PUT", "-d", "body"];
    Call::load(args).args([&url]).run().succeeded().says_nothing();
    let sent = server.received().pop().expect("a request");
    assert_eq!(sent.line, "PUT /page HTTP/1.1");
    for (name, value) in
        [("authorization", "Basic dXNlcjpwYXNz"), ("user-agent", "me/1"), ("x-a", "b"), ("cookie", "c=d; e=f")]
    {
        assert_eq!(sent.header(name), Some(value), "{sent:?}");
    }
    assert_eq!(sent.body, b"body");
    assert_eq!(sent.header("content-type"), Some("application/x-www-form-urlencoded"), "as curl sends it: {sent:?}");
    Call::load(["-n", "1", "-d", "{}", "-H", "Content-Type: application/json", &url]).run().succeeded();
    let sent = server.received().pop().expect("a request");
    assert_eq!((sent.header("content-type"), sent.line.as_str()), (Some("application/json"), "POST /page HTTP/1.1"));
}

#[test]
fn numbers_are_read_as_they_are_written_elsewhere() {
    let server = Server::good();
    let document = Call::load(["-n", "0.1k", "--rate", "12k/min", "--timeout", "30", &server.url("/")]).document();
    assert_eq!((document.number("planned"), document.number("rate")), (100.0, 200.0), "{document}");
    let document = Call::load(["--vus", "2", "--duration", "1", &server.url("/")]).document();
    assert!(document.number("requests") > 0.0, "{document}");
}

#[test]
fn a_body_that_is_a_time_is_doubted() {
    let server = Server::good();
    let load = |args: &[&str]| Call::load(args).args(["-n", "1", &server.url("/")]).run().succeeded();
    load(&["-d", "10"]).says(["-d 10 sends the body `10`", "use -t 10"]);
    load(&["-d", "a=10"]).says_nothing();
}

#[test]
fn standard_output_is_a_file_by_the_name_of_a_dash() {
    let server = Server::good();
    let done = Call::load(["-n", "10", "--json", "-o", "-", &server.url("/")]).run().succeeded().says_nothing();
    assert_eq!(done.document()["schema"], "unladen.load/1", "once");
    Call::new(["man", "-o", "-"]).run().succeeded().shows([".TH"]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.folded");
    std::fs::write(&file, "main;work 3\nmain;rest 1\n").unwrap();
    for command in ["merge", "export"] {
        let call = Call::new(["profile", command, "-o", "-"]).args(if command == "export" {
            &["--as", "collapsed"][..]
        } else {
            &[]
        });
        call.args([&file]).run().succeeded().says_nothing().shows(["work"]);
    }
}

#[test]
fn colours_are_as_one_says() {
    let server = Server::good();
    let load = |args: &[&str]| Call::load(["-n", "20"]).args(args).args([server.url("/")]).env("NO_COLOR", "1").run();
    assert!(load(&["--color", "always"]).succeeded().stdout.contains('\u{1b}'));
    assert!(!load(&["--color=never"]).succeeded().stdout.contains('\u{1b}'));
    assert!(!load(&[]).succeeded().stdout.contains('\u{1b}'));
    Call::new(["profile", "--color", "never", "formats"]).run().succeeded().shows(["collapsed"]);
}

#[test]
fn help_is_told_however_it_is_asked_for() {
    let load = Call::new(["help", "load"]).run().succeeded().stdout;
    assert_eq!(Call::new(["help", "load", "--help"]).run().succeeded().stdout, load);
    assert_eq!(Call::new(["--color", "never", "help", "load", "--help"]).run().succeeded().stdout, load);
    Call::new(["help", "--help"]).run().succeeded().shows(["Usage: unladen"]);
    let serve = Call::new(["serve", "--help"]).run().succeeded().stdout;
    for words in ["[[site]]", "[[outbound]]", "[admin]", "--check", "--connect", "--explain", "SIGHUP", "SIGUSR2"] {
        assert!(serve.contains(words), "{words} is not in\n{serve}");
    }
    Call::new(["man", "profile", "diff"]).run().succeeded().shows([".TH", "EXIT STATUS", "SEE ALSO"]);
    Call::new(["man", "nothing"]).run().ended_with(2).says(["no manual page for `nothing`", "unladen-load"]);
}

#[test]
fn completions_know_the_rules() {
    for shell in ["bash", "zsh", "fish"] {
        let script = Call::new(["completions", shell]).run().succeeded().stdout;
        assert!(script.contains("n-plus-one"), "rules are not in the completions for {shell}");
    }
}

/// A purge waited for a minute for whoever took the connection, and named nobody.
#[test]
fn a_purge_says_who_answered_and_does_not_wait_for_ever() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let silent = Call::new(["purge", "--admin", &address, "--all", "--timeout", "200ms"]).run();
    silent.ended_with(3).says(["no answer in time", "--timeout"]).shows_nothing();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\nServer: nginx/1.22.1\r\nContent-Length: 0\r\n\r\n");
        }
    });
    let other = Call::new(["purge", "--admin", &address, "--all"]).run();
    other.ended_with(4).says(["not an admin address of `unladen serve`", "nginx/1.22.1 (HTTP/1.1 404 Not Found)"]);
}

#[test]
fn a_purge_takes_the_file_that_serve_takes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("unladen.toml");
    std::fs::write(&file, "[[outbound]]\nname = \"a\"\nlisten = \"127.0.0.1:1\"\nupstream = \"http://127.0.0.1:2\"\n")
        .unwrap();
    let file = file.to_str().unwrap();
    for args in [&[file][..], &["--config", file]] {
        Call::new(["purge", "--all"]).args(args).run().ended_with(2).says(["has no [admin]"]);
    }
    // They were tried, and said to be out of reach.
    for admin in ["http://127.0.0.1:9901/", "foo"] {
        let done = Call::new(["purge", "--all", "--admin", admin]).run().ended_with(2);
        done.says(["expected 127.0.0.1:9901 or unix:/PATH"]).shows_nothing();
    }
}

/// They ended with success.
#[test]
fn pages_and_completions_that_cannot_be_written_are_errors() {
    for args in [&["man"][..], &["completions", "bash"], &["rules"]] {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        Call::new(args).stdout(full).run().ended_with(6).says(["cannot write the result to standard output"]);
    }
    let nowhere = Call::new(["man", "-o", "/nonexistent/x"]).run().ended_with(6);
    nowhere.says(["cannot write the result to /nonexistent/x/unladen.1: No such file"]);
}

/// The body was dropped, and each page of the log asked for by the method.
#[test]
fn an_access_log_has_neither_method_nor_body() {
    for other in [["-d", "a=1"], ["--data-raw", "a=1"], ["-X", "DELETE"]] {
        let args = ["--access-log", "access.log", "http://127.0.0.1:9/"];
        Call::load(args).args(other).run().ended_with(2).says(["cannot be used with"]).shows_nothing();
    }
}

#[test]
fn a_body_leaves_the_methods_that_a_list_names() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("some.urls");
    let load = |args: &[&str]| {
        let server = Server::good();
        std::fs::write(&file, format!("GET {0}\nPUT {0}\n{0}\n", server.url("/page"))).unwrap();
        Call::load(["-n", "30", "--urls", file.to_str().unwrap(), "-d", "a=1"]).args(args).run().succeeded();
        server.received().into_iter().map(|request| request.line).collect::<BTreeSet<_>>()
    };
    let of =
        |methods: &[&str]| methods.iter().map(|method| format!("{method} /page HTTP/1.1")).collect::<BTreeSet<_>>();
    assert_eq!(load(&[]), of(&["GET", "PUT", "POST"]));
    assert_eq!(load(&["-X", "PATCH"]), of(&["PATCH"]), "-X is meant for all");
}

#[test]
fn credentials_and_cookies_are_sent_once_as_curl_sends_them() {
    let server = Server::good();
    let load = |args: &[&str]| {
        Call::load(["-n", "1"]).args(args).args([server.url("/")]).run().succeeded().says_nothing();
        server.received().pop().expect("a request")
    };
    let sent = load(&["-u", "joe:secret", "-H", "Authorization: Bearer x", "-b", "a=1;b=2", "-H", "Cookie: c=3"]);
    let all = |name: &str| sent.headers.iter().filter(|(other, _)| other == name).map(|(_, value)| value).collect();
    let (authorization, cookies): (Vec<_>, Vec<_>) = (all("authorization"), all("cookie"));
    assert_eq!(authorization, ["Bearer x"], "{sent:?}");
    assert_eq!(cookies, ["c=3; a=1; b=2"], "{sent:?}");
    assert_eq!(load(&["-b", "a=1; "]).header("cookie"), Some("a=1"));
}

#[test]
fn raw_data_may_begin_with_an_at_sign() {
    let server = Server::good();
    Call::load(["-n", "1", "--data-raw", "@x", &server.url("/")]).run().succeeded();
    let sent = server.received().pop().expect("a request");
    assert_eq!((sent.line.as_str(), sent.body.as_slice()), ("POST / HTTP/1.1", &b"@x"[..]));
    assert_eq!(sent.header("content-type"), Some("application/x-www-form-urlencoded"));
}

#[test]
fn secrets_are_not_shown_in_errors() {
    for args in [
        &["joe:secret@127.0.0.1/page"][..],
        &["-u", "secret", "http://127.0.0.1:9/"],
        &["-H", "Authorization Bearer secret", "http://127.0.0.1:9/"],
        &["-b", "secret", "http://127.0.0.1:9/"],
    ] {
        let done = Call::load(args).run().ended_with(2).shows_nothing();
        assert!(!done.stderr.contains("secret@") && !done.stderr.contains("er secret"), "{}", done.stderr);
        assert!(!done.stderr.contains("-u secret") && !done.stderr.contains("`secret"), "{}", done.stderr);
    }
}

#[test]
fn a_check_of_a_url_takes_cookies_as_curl_does() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("unladen.toml");
    let site = "[[site]]\nname = \"a\"\nlisten = \"127.0.0.1:18080\"\nupstream = \"http://127.0.0.1:2\"\n";
    std::fs::write(&file, site).unwrap();
    let check = Call::new(["serve", file.to_str().unwrap(), "--check", "--url", "http://127.0.0.1:18080/", "-b"]);
    check.args(["a=1; b=2;c=3"]).run().succeeded();
}

/// It was found when serving began, or said with the code for addresses.
#[test]
fn check_finds_a_log_that_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("unladen.toml");
    let site = "[[site]]\nname = \"a\"\nlisten = \"127.0.0.1:18080\"\nupstream = \"http://127.0.0.1:2\"\n";
    std::fs::write(&file, format!("{site}[log]\nfile = \"nowhere/access.log\"\n")).unwrap();
    let check = |more: &[&str]| Call::new(["serve", file.to_str().unwrap(), "--check"]).args(more).run().ended_with(2);
    check(&[]).says(["nowhere/access.log, cannot be written: No such file"]).shows_nothing();
    let document = check(&["--json"]).document();
    assert_eq!(document["valid"], false, "{document}");
    assert!(document["errors"][0]["message"].as_str().unwrap().contains("nowhere/access.log"), "{document}");
}
