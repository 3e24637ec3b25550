use clap::CommandFactory;

use super::*;
use crate::cmd::Cli;

fn error(args: &[&str]) -> String {
    let args: Vec<OsString> = ["unladen"].iter().chain(args).map(OsString::from).collect();
    let error = Cli::command().try_get_matches_from(&args).unwrap_err();
    let (error, hint) = told(error, &args, &Cli::command());
    error.to_string() + &hint.unwrap_or_default()
}

#[test]
fn no_tip_is_better_than_a_wrong_one() {
    let nonsense = error(&["load", "--nonsense", "http://h/"]);
    assert!(!nonsense.contains("tip:"), "{nonsense}");
    let requests = error(&["load", "--reqests", "5", "http://h/"]);
    assert!(requests.contains("'--requests'") && !requests.contains("--method"), "{requests}");
    let dash = error(&["load", "-z", "http://h/"]);
    assert!(!dash.contains("-- -z"), "{dash}");
    assert!(error(&["wiegh"]).contains("weigh") && !error(&["nonsense"]).contains("tip:"));
}

#[test]
fn habits_of_other_tools_are_told_what_to_type() {
    assert!(error(&["load", "-I", "http://h/"]).contains("-X HEAD"));
    assert!(error(&["http://h/"]).contains("unladen weigh http://h/"));
    assert!(error(&["weigh", "--format", "json", "http://h/"]).contains("--json"));
    assert!(error(&["serve", "--port", "80"]).contains("--listen :8080"));
    assert!(error(&["load", "-n", "x", "http://h/"]).contains("expected a whole number, such as 500, 10k or 1M"));
}

/// It had 121 lines.
#[test]
fn the_short_help_is_short() {
    let mut root = brief(Cli::command());
    root.build();
    for command in root.get_subcommands_mut() {
        let lines = command.render_help().to_string().lines().count();
        assert!(lines <= 70, "{}: {lines} lines", command.get_name());
    }
}

/// `bill -h` had none of the options of its own examples, one of them required.
#[test]
fn the_short_help_has_what_is_required_and_what_the_examples_use() {
    let mut root = brief(Cli::command());
    root.build();
    for command in root.get_subcommands_mut() {
        let help = command.render_help().to_string();
        let shown = |long: &str| help.contains(&format!("--{long} ")) || help.contains(&format!("--{long}\n"));
        let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        for arg in command.get_arguments() {
            let Some(long) = arg.get_long() else { continue };
            let is_used = examples.split_whitespace().any(|word| word.strip_prefix("--") == Some(long));
            assert!(shown(long) || !is_used && !arg.is_required_set(), "{} --{long}: {help}", command.get_name());
        }
    }
}

#[test]
fn help_of_help_is_help() {
    let args = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
    assert_eq!(without_help_of_help(args(&["unladen", "help", "load", "--help"])), args(&["unladen", "help", "load"]));
    for colour in [&["--color", "never"][..], &["--color=never"]] {
        let words = [&["unladen"], colour, &["help", "load", "--help"]].concat();
        let (_, short) = words.split_last().unwrap();
        assert_eq!(without_help_of_help(args(&words)), args(short));
    }
    let load = args(&["unladen", "load", "--help"]);
    assert_eq!(without_help_of_help(load.clone()), load);
}

#[test]
fn colour_may_stand_anywhere() {
    let args = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
    let first = args(&["unladen", "--color", "never", "profile", "formats"]);
    assert_eq!(with_colour_first(args(&["unladen", "profile", "--color", "never", "formats"])), first);
    assert_eq!(with_colour_first(first.clone()), first);
    assert_eq!(with_colour_first(args(&["unladen", "rules", "--color"])), args(&["unladen", "--color", "rules"]));
    let after = args(&["unladen", "load", "--", "--color"]);
    assert_eq!(with_colour_first(after.clone()), after);
}

/// Wider lines break in the help.
#[test]
fn examples_are_at_most_98_columns_wide() {
    let mut commands = vec![Cli::command()];
    while let Some(command) = commands.pop() {
        let texts = [command.get_after_help(), command.get_after_long_help(), command.get_before_help()];
        for text in texts.into_iter().flatten().map(ToString::to_string) {
            let is_example = |line: &&str| line.starts_with(' ') || line.starts_with("Example");
            let wide = text.lines().filter(is_example).find(|line| line.chars().count() > 98);
            assert_eq!(wide, None, "{}", command.get_name());
        }
        commands.extend(command.get_subcommands().cloned());
    }
}

#[test]
fn the_command_line_is_consistent() {
    Cli::command().debug_assert();
}
