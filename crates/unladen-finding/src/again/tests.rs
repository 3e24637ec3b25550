use std::process::Command;

use unladen_trace::{BodyCarried, Carried, HeaderCarried, OptionCarried, Page};

use super::*;
use crate::knob::{Knob, KnobService};

fn page(url: &str, state: State) -> Evidence {
    let restart = Some("systemctl restart 'a b'".to_owned());
    Evidence { page: Page { url: url.into(), restart, ..Page::default() }, state, ..Evidence::default() }
}

fn header(name: &str, value: Option<&str>) -> HeaderCarried {
    HeaderCarried { name: name.into(), value: value.map(str::to_owned) }
}

fn option(name: &str, value: Option<&str>) -> OptionCarried {
    OptionCarried { name: name.into(), value: value.map(str::to_owned) }
}

/// A form that is posted with a session.
fn posted(body: Option<&str>) -> Evidence {
    let mut evidence = page("https://a/?b=1&c", State::Warm);
    evidence.page.method = "POST".into();
    evidence.page.carried = Carried {
        headers: vec![header("accept-language", Some("cy")), header("cookie", None)],
        body: Some(BodyCarried { bytes: 3, text: body.map(str::to_owned) }),
        options: vec![option("--insecure", None), option("--http", Some("1.1"))],
    };
    evidence
}

/// The words that a shell makes of a printed command.
fn words(command: &str) -> Vec<String> {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(format!("unladen() {{ printf '%s\\0' \"$@\"; }}\n{command}"));
    let said = shell.env("COOKIE", "a='$(id)'; b=2").env("BODY", "x=\"1\"").output().unwrap();
    assert!(said.status.success(), "{command}: {said:?}");
    String::from_utf8(said.stdout).unwrap().split_terminator('\0').map(str::to_owned).collect()
}

#[test]
fn what_only_a_fresh_process_does_was_to_be_seen_without_a_restart() {
    assert_eq!(
        weigh(&page("http://a/", State::Fresh)),
        r"unladen weigh --restart 'systemctl restart '\''a b'\''' http://a/"
    );
    assert_eq!(weigh(&page("http://a/", State::Warm)), "unladen weigh http://a/");
}

#[test]
fn a_shell_took_the_url_apart() {
    assert_eq!(weigh(&page("http://a/?b=1&c", State::Warm)), "unladen weigh 'http://a/?b=1&c'");
}

/// A page that takes a form was weighed again by GET, as a stranger.
#[test]
fn the_weighed_request_was_not_sent_again() {
    let evidence = posted(Some("a=it's&b=$(reboot)"));
    let sent = ["-X", "POST", "-H", "accept-language: cy", "-H", "cookie: a='$(id)'; b=2"];
    let sent = [&sent[..], &["--data-raw=a=it's&b=$(reboot)", "--insecure", "--http=1.1"]].concat();
    assert_eq!(words(&weigh(&evidence)), [&["weigh"][..], &sent, &["https://a/?b=1&c"]].concat());
    assert_eq!(words(&profile(&evidence)), [&["profile"][..], &sent, &["https://a/?b=1&c"]].concat());
    let front = words(&through(&evidence, "http://127.0.0.1:1/?b=1&c", "a", None));
    assert_eq!(front[..6], ["prove", "--a", "https://a/?b=1&c", "--b", "http://127.0.0.1:1/?b=1&c", "-H"]);
    assert_eq!(front[6], "Host: a");
    assert_eq!(front[7..front.len() - 2], sent);
    assert_eq!(words(&weigh(&posted(None)))[7], "--data-raw=x=\"1\"", "a body that is not shown is the user's to give");
}

#[test]
fn a_secret_that_is_not_given_is_not_left_out() {
    let command = format!("unladen() {{ true; }}\n{}", weigh(&posted(Some("a"))));
    let said = Command::new("/bin/sh").arg("-c").arg(command).env_remove("COOKIE").output().unwrap();
    assert!(!said.status.success() && String::from_utf8_lossy(&said.stderr).contains("COOKIE"), "{said:?}");
}

/// What was recorded elsewhere may say anything.
#[test]
fn a_recording_slipped_options_into_the_command() {
    let mut evidence = posted(Some("--output=/etc/passwd"));
    evidence.page.method = "X'; reboot; '".into();
    evidence.page.url = "--output=/etc/passwd".into();
    evidence.page.carried.options =
        vec![option("--output", Some("/etc/passwd")), option("--http", Some("; reboot")), option("-k;reboot", None)];
    evidence.page.carried.headers = vec![header("a`reboot`", Some("$(reboot)")), header("`$(reboot)`", None)];
    let words = words(&format!("HEADER____REBOOT__=s; {}", weigh(&evidence)));
    assert_eq!(words[..3], ["weigh", "-X", "X'; reboot; '"]);
    assert_eq!(words[3..7], ["-H", "a`reboot`: $(reboot)", "-H", "`$(reboot)`: s"]);
    assert_eq!(words[7..], ["--data-raw=--output=/etc/passwd", "--http=; reboot", "--", "--output=/etc/passwd"]);
}

#[test]
fn a_printed_experiment_carries_what_the_request_carried() {
    let service = KnobService { name: "php".into(), restart: Some("true".into()), is_application: false };
    let knob = Knob::of_file("cache", "/etc/zz-unladen.ini", &["a=1".to_owned()], Some(service));
    let fix = Fix { knob: Some(knob), ..Fix::advice("x") };
    let text = of(&posted(Some("a=\"1\"")), &fix);
    assert!(
        text.starts_with("unladen prove try.toml, where try.toml is:\nurl = \"https://a/?b=1&c\"\n\n[load]\n"),
        "{text}"
    );
    for line in [
        "method = \"POST\"",
        "headers = [\"accept-language: cy\"]",
        "body = \"a=\\\"1\\\"\"",
        "insecure = true",
        "http = \"1.1\"",
        "# add the header cookie, which may be a secret, to `headers`",
        "on = { file = \"/etc/zz-unladen.ini\", text = \"a=1\\n\" }",
    ] {
        assert!(text.lines().any(|printed| printed == line), "{line}: {text}");
    }
}
