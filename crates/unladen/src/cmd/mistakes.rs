//! [`parse`]: reads the command line and improves clap's error messages.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ColorChoice, Command, Parser};

use crate::cmd::rules::near;
use crate::exit::Code;
use crate::say::say;

/// Commands with so many options have a short help, `-h`, which shows these, what is required, and what the command's
/// examples use; `--help` shows all.
const MANY: usize = 18;
const EVERYDAY: &str = "time until rate concurrency header fail_on against json details output urls a b check restore \
                        fresh no_files run list dry_run yes keep_if prove explain watch reader ask";

/// Reads a command line. The error is the exit code, once the mistake or the requested help has been printed.
pub(super) fn parse<C: Parser>(args: Vec<OsString>) -> Result<C, ExitCode> {
    let args = explained(without_help_of_help(with_colour_first(args)));
    let mut command = brief(C::command()).color(choice(&args));
    let parsed = command.try_get_matches_from_mut(args.clone());
    let error = match parsed.and_then(|mut matches| C::from_arg_matches_mut(&mut matches)) {
        Ok(read) => return Ok(read),
        Err(error) => error,
    };
    // Standard output or error may be a file on a full disk.
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let _ = error.print();
        return Err(ExitCode::SUCCESS);
    }
    let (error, hint) = told(error, &args, &C::command());
    let _ = error.print();
    if let Some(hint) = hint {
        say!("{hint}");
    }
    Err(Code::Usage.into())
}

fn brief(command: Command) -> Command {
    let command = command.mut_subcommands(brief);
    if command.get_arguments().count() < MANY {
        return command;
    }
    let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let uses = |long: &str| examples.split_whitespace().any(|word| word.strip_prefix("--") == Some(long));
    command.mut_args(|arg| {
        let is_everyday = EVERYDAY.split(' ').any(|id| arg.get_id() == id) || arg.get_long().is_some_and(uses);
        let is_shown = arg.is_positional() || arg.is_required_set() || is_everyday;
        arg.hide_short_help(!is_shown)
    })
}

/// `unladen help --help` and `unladen help load --help` mean `--help` and `load --help`.
fn without_help_of_help(args: Vec<OsString>) -> Vec<OsString> {
    if first_word(&args).is_none_or(|first| first != "help") {
        return args;
    }
    args.into_iter().filter(|arg| arg != "--help" && arg != "-h").collect()
}

/// `unladen --explain TERM`, as compilers have it.
fn explained(mut args: Vec<OsString>) -> Vec<OsString> {
    if let Some(first) = args.get_mut(1).filter(|first| *first == "--explain") {
        *first = "explain".into();
    }
    args
}

fn first_word(args: &[OsString]) -> Option<&OsString> {
    let colour = args.get(1)?;
    args.get(match colour.to_str() {
        Some("--color") => 3,
        Some(colour) if colour.starts_with("--color=") => 2,
        _ => 1,
    })
}

/// `--color` may stand anywhere, but clap takes no subcommand of `profile` after an option: it is moved to the front.
fn with_colour_first(args: Vec<OsString>) -> Vec<OsString> {
    let place = args
        .iter()
        .take_while(|arg| *arg != "--")
        .position(|arg| arg == "--color" || arg.to_str().is_some_and(|arg| arg.starts_with("--color=")));
    let Some(place) = place.filter(|place| *place > 0) else { return args };
    let mut rest = args;
    let taken = if rest[place] == "--color" { 2 } else { 1 };
    let end = (place + taken).min(rest.len());
    let colour: Vec<OsString> = rest.drain(place..end).collect();
    rest.splice(1..1, colour);
    rest
}

/// Clap colours its messages before it has read the option.
fn choice(args: &[OsString]) -> ColorChoice {
    let said = args.iter().enumerate().find_map(|(index, arg)| match arg.to_str()? {
        "--color" => args.get(index + 1)?.to_str(),
        other => other.strip_prefix("--color="),
    });
    match said {
        Some("always") => ColorChoice::Always,
        Some("never") => ColorChoice::Never,
        _ => ColorChoice::Auto,
    }
}

/// Removes suggestions that have little in common with what was typed or would not help; adds better ones.
fn told(mut error: clap::Error, args: &[OsString], root: &Command) -> (clap::Error, Option<String>) {
    let text = |error: &clap::Error, kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let is_near = |suggested: &ContextValue, typed: &str| {
        let names: Vec<&str> = match suggested {
            ContextValue::String(name) => vec![name],
            ContextValue::Strings(names) => names.iter().map(String::as_str).collect(),
            _ => return false,
        };
        near(typed.trim_start_matches('-'), names.iter().map(|name| name.trim_start_matches('-'))).is_some()
    };
    let kinds = [
        (ContextKind::InvalidSubcommand, ContextKind::SuggestedSubcommand),
        (ContextKind::InvalidValue, ContextKind::SuggestedValue),
    ];
    for (typed, suggested) in kinds {
        let typed = text(&error, typed).unwrap_or_default();
        if error.get(suggested).is_some_and(|names| !is_near(names, &typed)) {
            let _ = error.remove(suggested);
        }
    }
    let mut hint = None;
    if error.kind() == ErrorKind::UnknownArgument {
        // "to pass '-z' as a value, use '-- -z'": no command here takes such a value. The usage is that of the
        // suggestion.
        for kind in [ContextKind::Suggested, ContextKind::SuggestedArg, ContextKind::Usage] {
            let _ = error.remove(kind);
        }
        let typed = text(&error, ContextKind::InvalidArg).unwrap_or_default();
        let names = options(root, args);
        if let Some(name) = typed.strip_prefix("--").and_then(|typed| near(typed, names.iter().map(String::as_str))) {
            error.insert(ContextKind::SuggestedArg, ContextValue::String(format!("--{name}")));
        }
        hint = instead(&typed).map(|instead| format!("\nunladen: {typed}: {instead}"));
    }
    if error.kind() == ErrorKind::InvalidSubcommand {
        let typed = text(&error, ContextKind::InvalidSubcommand).unwrap_or_default();
        if first_word(args).is_some_and(|first| first.to_string_lossy() == typed.as_str()) && looks_like_url(&typed) {
            let _ = error.remove(ContextKind::Usage);
            hint = Some(format!(
                "\nunladen: a command comes before the URL: unladen weigh {typed}, or unladen load \
                {typed}"
            ));
        }
    }
    (error, hint)
}

/// Long options of the typed command, without those accepted only out of habit.
fn options(root: &Command, args: &[OsString]) -> Vec<String> {
    let mut command = root;
    for word in args.iter().skip(1).filter_map(|word| word.to_str()) {
        command = command.find_subcommand(word).unwrap_or(command);
    }
    let all = command.get_arguments().filter(|arg| !arg.is_hide_set());
    all.filter_map(|arg| arg.get_long().map(str::to_owned)).collect()
}

/// Advice for options of other tools that have another name here, or none.
fn instead(option: &str) -> Option<&'static str> {
    Some(match option {
        "-i" | "--include" | "-I" | "--head" => {
            "the head of unexpected answers is always shown; to send HEAD, use -X HEAD"
        }
        "-x" | "--proxy" => "proxies are not supported; --connect-to IP:PORT connects to a transparent one",
        "-F" | "--form" => "send a form as a body: -d 'name=value', with -H 'Content-Type: …'",
        "--compressed" => "use -H 'Accept-Encoding: gzip, br'",
        "--resolve" => "use --connect-to IP:PORT, whatever the URL's host",
        "--warmup" | "-w" => "each run warms up automatically",
        "--runs" => "use --requests N, or --time TIME",
        "--export-json" => "-o FILE.json",
        "--format" | "--output-format" => "use --json, or -o FILE with the ending of a format, such as .html",
        "--port" | "--site" => "use --listen :8080, with --to URL or --root DIR",
        "-v" | "--verbose" => "--details shows everything that was measured; -V is the version",
        "--fail-if" | "--within" | "--threshold" | "--thresholds" => "--fail-on 'p95 > 100ms'",
        "--threads" => "one thread sends all requests; -c N sets how many run at once",
        "--connections" => "use -c N: how many requests run at once",
        _ => return None,
    })
}

fn looks_like_url(text: &str) -> bool {
    text.contains("://") || (text.contains('.') && text.contains('/')) || text.starts_with("localhost")
}

#[cfg(test)]
mod tests;
