//! What the program and the documentation say of each other.

use std::path::Path;

use unladen_tests::Call;

fn doc(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Long options in a help text or a manual page.
fn long_options(text: &str) -> Vec<&str> {
    let mut options: Vec<&str> = text
        .match_indices("--")
        .filter(|(at, _)| !text[..*at].ends_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '-'))
        .map(|(at, _)| {
            let name = &text[at + 2..];
            &name[..name.find(|letter: char| !letter.is_ascii_lowercase() && letter != '-').unwrap_or(name.len())]
        })
        .filter(|name| !name.is_empty())
        .collect();
    options.sort_unstable();
    options.dedup();
    options
}

#[test]
fn every_exit_code_is_documented() {
    let page = doc("reference/exit-codes.md");
    let manual = Call::new(["man"]).run().succeeded().stdout;
    let (_, in_manual) = manual.split_once("EXIT STATUS").expect("a section on exit codes");
    for code in [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 130] {
        assert!(page.lines().any(|line| line.starts_with(&format!("| {code} |"))), "{code} is not in\n{page}");
        assert!(in_manual.contains(&format!("{code} ")), "{code} is not in\n{in_manual}");
    }
}

#[test]
fn completions_know_the_options() {
    for shell in ["bash", "zsh", "fish"] {
        let script = Call::new(["completions", shell]).run().succeeded().says_nothing().stdout;
        for word in ["unladen", "weigh", "no-keepalive"] {
            assert!(script.contains(word), "{word} is not in the completions for {shell}");
        }
    }
    Call::new(["completions", "tcsh"]).run().ended_with(2).says(["tcsh", "bash"]).shows_nothing();
}

#[test]
fn completions_for_bash_are_bash() {
    let script = Call::new(["completions", "bash"]).run().succeeded().stdout;
    let checked = std::process::Command::new("bash").args(["-n", "-c", &script]).output().unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}

#[test]
fn manual_pages_have_every_option() {
    let folder = tempfile::tempdir().unwrap();
    Call::new(["man", "--output", folder.path().to_str().unwrap()]).run().succeeded().says_nothing().shows_nothing();
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(read("unladen.1").contains(".TH") && read("unladen.1").contains("EXIT STATUS"));
    let page = read("unladen-weigh.1").replace('\\', "");
    let help = Call::weigh(["--help"]).run().succeeded().stdout;
    for option in long_options(&help) {
        assert!(page.contains(&format!("--{option}")), "--{option} is not in unladen-weigh.1");
    }
}

#[test]
fn json_fields_are_documented() {
    let schema = Call::new(["schema", "weigh"]).run().succeeded().says_nothing().stdout;
    // A server of the test's own: what is weighed does not matter here.
    let server = unladen_tests::Server::good();
    let document = Call::quick([server.url("/")]).document();
    let mut fields: Vec<&String> = document.0.as_object().unwrap().keys().collect();
    fields.extend(document.list("weights")[0].as_object().unwrap().keys());
    fields.extend(document.list("urls")[0].as_object().unwrap().keys());
    fields.extend(document["machine"].as_object().unwrap().keys());
    for field in fields {
        assert!(schema.contains(&format!("\"{field}\": {{")), "`unladen schema weigh` does not tell of `{field}`");
    }
}

#[test]
fn help_is_short_and_long() {
    let short = Call::weigh(["-h"]).run().succeeded().says_nothing().stdout;
    let long = Call::weigh(["--help"]).run().succeeded().says_nothing().stdout;
    for words in ["Usage: unladen weigh", "--until", "--json", "Examples:"] {
        assert!(short.contains(words) && long.contains(words), "{words}");
    }
    assert!(long.len() > short.len());
    Call::new(["--version"]).run().succeeded().shows(["unladen 0."]);
}
