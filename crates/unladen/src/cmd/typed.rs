//! The command line as results show it: [`words`], without what may be a secret.

use std::ffi::OsString;

use clap::{Arg, Command};
use unladen_report::program_of;

/// Options whose values are never shown: a cookie, a password or a token may stand there.
const SECRETS: [&str; 6] = ["header", "cookie", "user", "data", "data_raw", "restart"];

/// Options whose values are commands that lead to other hosts, or exporters: only what tells them apart is shown.
const COMMANDS: [&str; 2] = ["hosts", "from"];
const EXPORTERS: &str = "exporters";

const HIDDEN: &str = "…";

/// Most words of a command line, and most bytes of a word, that are shown.
const MOST_WORDS: usize = 256;
const MOST_BYTES: usize = 4096;

/// The typed words: values of options that may hold secrets are replaced (a header keeps its name), and so is a
/// password within a URL.
pub(super) fn words(command: &Command, typed: impl IntoIterator<Item = OsString>) -> Vec<String> {
    let mut typed = typed.into_iter().take(MOST_WORDS).map(|word| word.to_string_lossy().into_owned());
    let mut told = Vec::new();
    if typed.next().is_some() {
        told.push(command.get_name().to_owned());
    }
    let mut command = command;
    let mut is_verb_known = false;
    let mut are_options_over = false;
    while let Some(word) = typed.next() {
        if are_options_over || word == "-" || !word.starts_with('-') {
            if let (false, Some(verb)) = (is_verb_known, command.find_subcommand(&word)) {
                command = verb;
                is_verb_known = command.get_subcommands().next().is_none();
            } else {
                is_verb_known = true;
            }
            told.push(plain(&word));
            continue;
        }
        if word == "--" {
            are_options_over = true;
            told.push(word);
            continue;
        }
        let (option, name, value) = option_of(command, &word);
        let Some(option) = option else {
            told.push(plain(&word));
            continue;
        };
        match value {
            Some(value) => told.push(format!("{name}{}", shown(option, value))),
            None if option.get_action().takes_values() => {
                told.push(name);
                told.extend(typed.next().map(|value| shown(option, &value)));
            }
            None => told.push(name),
        }
    }
    told
}

/// The option of a word, or the last of those it bundles; the word's beginning, and the value within the word.
fn option_of<'c, 'w>(command: &'c Command, word: &'w str) -> (Option<&'c Arg>, String, Option<&'w str>) {
    if let Some(long) = word.strip_prefix("--") {
        let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
        let option = command.get_arguments().find(|arg| {
            let aliases = arg.get_all_aliases().unwrap_or_default();
            arg.get_long() == Some(name) || aliases.contains(&name)
        });
        let begin = if value.is_some() { format!("--{name}=") } else { word.to_owned() };
        return (option, begin, value);
    }
    // Flags may stand together, `-kq`, and a value right behind its option, `-Hx: y`.
    for (at, letter) in word.char_indices().skip(1) {
        let option = command.get_arguments().find(|arg| {
            let aliases = arg.get_all_short_aliases().unwrap_or_default();
            arg.get_short() == Some(letter) || aliases.contains(&letter)
        });
        let rest = &word[at + letter.len_utf8()..];
        match option {
            Some(option) if option.get_action().takes_values() => {
                let value = Some(rest).filter(|rest| !rest.is_empty());
                return (Some(option), word[..at + letter.len_utf8()].to_owned(), value);
            }
            Some(_) => {}
            // An unknown option: whatever follows may be its value.
            None => return (None, word.to_owned(), None),
        }
    }
    (None, word.to_owned(), None)
}

fn shown(option: &Arg, value: &str) -> String {
    let id = option.get_id().as_str();
    if COMMANDS.contains(&id) {
        return plain(&host(value));
    }
    if id == EXPORTERS {
        return plain(&without_login(value));
    }
    if !SECRETS.contains(&id) {
        return plain(value);
    }
    match value.split_once(':') {
        Some((name, _)) if id == "header" => format!("{}: {HIDDEN}", plain(name)),
        _ => HIDDEN.to_owned(),
    }
}

/// `NAME=COMMAND`, or a command alone: the name and the program. Arguments, and variables before it, may be secrets.
fn host(value: &str) -> String {
    match value.split_once('=') {
        Some((name, command)) if !name.contains(char::is_whitespace) => {
            format!("{name}={}", program_of(command))
        }
        _ => program_of(value),
    }
}

/// `NAME=URL`, with or without a scheme: everything before the last `@` may be a login.
fn without_login(value: &str) -> String {
    let Some((before, host)) = value.rsplit_once('@') else { return value.to_owned() };
    let (name, url) = match before.split_once('=') {
        Some((name, url)) if !name.contains(['/', ':', '@']) => (format!("{name}="), url),
        _ => (String::new(), before),
    };
    let scheme = ["http://", "https://"].into_iter().find(|scheme| url.starts_with(scheme)).unwrap_or_default();
    format!("{name}{scheme}{HIDDEN}@{host}")
}

/// A word of bounded length, without a URL's password.
fn plain(word: &str) -> String {
    let mut end = word.len().min(MOST_BYTES);
    while !word.is_char_boundary(end) {
        end -= 1;
    }
    without_password(&word[..end])
}

/// `postgres://user:…@host/runs`: replaces the password, in whatever stands before the last `@` of the authority.
pub(super) fn without_password(word: &str) -> String {
    let Some((scheme, rest)) = word.split_once("://") else { return word.to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let Some((login, host)) = authority.rsplit_once('@') else { return word.to_owned() };
    let user = login.split_once(':').map_or(HIDDEN.to_owned(), |(user, _)| format!("{user}:{HIDDEN}"));
    format!("{scheme}://{user}@{host}{path}")
}

#[cfg(test)]
mod tests;
