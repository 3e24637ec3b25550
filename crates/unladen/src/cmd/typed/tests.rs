use clap::CommandFactory;
use proptest::prelude::*;

use super::*;
use crate::cmd::Cli;

fn told(line: &[&str]) -> String {
    words(&Cli::command(), line.iter().map(OsString::from)).join(" ")
}

#[test]
fn values_that_may_be_secrets_are_not_told() {
    for (line, expected) in [
        (&["unladen", "weigh", "-n", "5", "http://a/"][..], "unladen weigh -n 5 http://a/"),
        (&["/usr/bin/unladen", "weigh", "-H", "Cookie: s=1", "http://a/"], "unladen weigh -H Cookie: … http://a/"),
        (&["unladen", "weigh", "-HCookie: s=1"], "unladen weigh -HCookie: …"),
        (&["unladen", "weigh", "--header=X: s"], "unladen weigh --header=X: …"),
        (&["unladen", "load", "-kqb", "s=1", "x"], "unladen load -kqb … x"),
        (&["unladen", "load", "-kqbs=1", "x"], "unladen load -kqb… x"),
        (&["unladen", "load", "--data-binary", "pw=1"], "unladen load --data-binary …"),
        (&["unladen", "load", "-u", "joe:pw"], "unladen load -u …"),
        (&["unladen", "load", "http://joe:pw@a/b@c"], "unladen load http://joe:…@a/b@c"),
        (&["unladen", "load", "https://token@a/"], "unladen load https://…@a/"),
        (
            &["unladen", "weigh", "--store", "postgres://u:p@h/d", "http://a/"],
            "unladen weigh --store postgres://u:…@h/d http://a/",
        ),
        (&["unladen", "profile", "diff", "-H", "A: b", "http://a/"], "unladen profile diff -H A: … http://a/"),
        (&["unladen", "--color", "never", "weigh", "-b", "s"], "unladen --color never weigh -b …"),
        (&["unladen", "weigh", "--", "-H", "x"], "unladen weigh -- -H x"),
    ] {
        assert_eq!(told(line), expected);
    }
}

/// The login of an exporter's URL without a scheme, and the arguments of commands that lead to hosts, were kept.
#[test]
fn logins_of_exporters_and_arguments_of_hosts_are_not_told() {
    for (option, value, expected) in [
        ("--exporter", "db=joe:hunter2@h:9100/metrics", "db=…@h:9100/metrics"),
        ("--exporter", "db=http://joe:hunter2@h/", "db=http://…@h/"),
        ("--exporter", "db=joe:a/b=c://hunter2@x@h/", "db=…@h/"),
        ("--exporter", "http://joe:hunter2@h/", "http://…@h/"),
        ("--exporter", "db=h:9100/metrics", "db=h:9100/metrics"),
        ("--host", "db=sshpass -p hunter2 ssh db1", "db=sshpass …"),
        ("--host", "db=SSHPASS=hunter2 sshpass -e ssh db1", "db=…"),
        ("--host", "db=env", "db=env"),
        ("--from", "gen=sshpass -p hunter2 ssh gen1", "gen=sshpass …"),
        ("--from", "ssh -o ProxyCommand='nc -a hunter2' gen1", "ssh …"),
    ] {
        let command = if option == "--from" { "load" } else { "weigh" };
        assert_eq!(told(&["unladen", command, option, value]), format!("unladen {command} {option} {expected}"));
        let joined = format!("{option}={value}");
        assert_eq!(told(&["unladen", command, &joined]), format!("unladen {command} {option}={expected}"));
    }
}

proptest! {
    #[test]
    fn no_secret_is_told_however_it_is_typed(secret in "[a-z0-9]{12}", how in 0_usize..8, before in prop::collection::vec("-[kqL0]{1,3}|http://a/|-n5", 0..3)) {
        let mut line = vec!["unladen".to_owned(), "weigh".to_owned()];
        line.extend(before);
        match how {
            0 => line.extend(["-H".to_owned(), format!("Authorization: {secret}")]),
            1 => line.push(format!("-HX-Token:{secret}")),
            2 => line.push(format!("--cookie={secret}")),
            3 => line.push(format!("-kqd{secret}")),
            4 => line.extend(["--data-raw".to_owned(), secret.clone()]),
            5 => line.push(format!("http://u:{secret}@h/")),
            6 => line.push(format!("http://u:p:{secret}@h/")),
            _ => line.extend(["--user".to_owned(), secret.clone()]),
        }
        let told = words(&Cli::command(), line.iter().map(OsString::from)).join(" ");
        prop_assert!(!told.contains(&secret), "{}", told);
    }
}
