//! Rewrites a settings file so that all relevant statements are plain function calls. The principal function is
//! [`as_calls`]; [`Settings`] reads from it which folders constants name.
//!
//! `require "a";` is no call in PHP's grammar, and `AutoLoader::$psr4Namespaces += […];` is none at all; as calls, one
//! reader of constant arguments serves for all. Lines keep their numbers.

use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice};

use crate::Problem;
use crate::input::read_whole;
use crate::php::constant::{Value, calls};
use crate::php::skip;
use crate::readers::path::plain;

/// Any of PHP's four include statements.
pub(super) const INCLUDE: &str = "unladen_include";
pub(super) const NAMESPACES: &str = "unladen_namespaces";
pub(super) const CLASSES: &str = "unladen_classes";
/// A class added to `$wgAutoloadClasses`, as extensions did before manifests.
pub(super) const OLD_CLASS: &str = "unladen_old_class";
/// A manifest queued without wfLoadExtension.
pub(super) const QUEUE: &str = "unladen_queue";

/// Forms to rewrite: their tokens, and the replacing call. `true` adds brackets.
const FORMS: &[(&[&[u8]], &str, bool)] = &[
    (&[b"require_once"], INCLUDE, true),
    (&[b"require"], INCLUDE, true),
    (&[b"include_once"], INCLUDE, true),
    (&[b"include"], INCLUDE, true),
    (&[b"AutoLoader", b"::", b"$psr4Namespaces", b"+="], NAMESPACES, true),
    (&[b"AutoLoader", b"::", b"registerNamespaces"], NAMESPACES, false),
    (&[b"AutoLoader", b"::", b"registerClasses"], CLASSES, false),
    (&[b"ExtensionRegistry", b"::", b"getInstance", b"(", b")", b"->", b"queue"], QUEUE, false),
    // An old extension's way to its manifest, for those who still include it; all supported releases have these
    // functions. Its `}` then closes nothing, which does no harm.
    (&[b"if", b"(", b"function_exists", b"(", b"'wfLoadExtension'", b")", b")", b"{"], ";", false),
    (&[b"if", b"(", b"function_exists", b"(", b"'wfLoadSkin'", b")", b")", b"{"], ";", false),
];
const OLD_LIST: &[u8] = b"$wgAutoloadClasses";

/// The source with these forms as calls, otherwise unchanged, also where PHP itself could not read on.
pub(super) fn as_calls(source: &[u8]) -> Vec<u8> {
    let mut written = Vec::with_capacity(source.len() + 256);
    let mut at = skip::html(source, 0).unwrap_or(source.len());
    written.extend_from_slice(&source[..at]);
    // Open brackets in the source, and the depths where ours have to be closed.
    let mut depth = 0_usize;
    let mut ours: Vec<usize> = Vec::new();
    while let Some(byte) = source.get(at) {
        let closes = match byte {
            b'(' | b'[' | b'{' => {
                depth += 1;
                false
            }
            b')' | b']' | b'}' => {
                depth = depth.saturating_sub(1);
                true
            }
            b';' => true,
            b'?' => source[at..].starts_with(b"?>"),
            _ => false,
        };
        if closes {
            while ours
                .last()
                .is_some_and(|bracket| *bracket > depth || (*bracket == depth && matches!(byte, b';' | b'?')))
            {
                ours.pop();
                written.push(b')');
            }
        }
        let after = if let Some((end, call, brackets)) = form(source, at) {
            written.extend_from_slice(call.as_bytes());
            // Line ends within the form must stay.
            written.extend(newlines(&source[at..end]));
            if brackets {
                written.push(b'(');
                // Closed at the end of this statement or of the enclosing bracket.
                ours.push(depth);
            }
            at = end;
            continue;
        } else if let Some((key, end)) = old_class(source, at) {
            written.extend_from_slice(&[OLD_CLASS.as_bytes(), b"(", key, b","].concat());
            written.extend(newlines(&source[at..end]).skip(newlines(key).count()));
            ours.push(depth);
            at = end;
            continue;
        } else {
            thing(source, at)
        };
        written.extend_from_slice(&source[at..after]);
        at = after;
    }
    written
}

fn newlines(text: &[u8]) -> impl Iterator<Item = u8> {
    text.iter().copied().filter(|byte| *byte == b'\n')
}

/// The form that begins at `at`: its end and its replacement.
fn form(source: &[u8], at: usize) -> Option<(usize, &'static str, bool)> {
    if !skip::begins_label(*source.get(at)?) {
        return None;
    }
    let before = source[..at].trim_ascii_end();
    // A method or a constant of that name.
    if before.ends_with(b"->") || before.ends_with(b"::") {
        return None;
    }
    FORMS.iter().find_map(|(words, call, brackets)| {
        let mut end = at;
        for (place, word) in words.iter().enumerate() {
            end = if place == 0 { end } else { skip::blank(source, end)? };
            let rest = source.get(end..)?;
            if !rest.get(..word.len())?.eq_ignore_ascii_case(word) {
                return None;
            }
            end += word.len();
            let goes_on = word.last().is_some_and(|last| skip::is_label(*last))
                && source.get(end).is_some_and(|next| skip::is_label(*next));
            if goes_on {
                return None;
            }
        }
        Some((end, *call, *brackets))
    })
}

/// `$wgAutoloadClasses[key] =` at `at`: the key, and the start of the value.
fn old_class(source: &[u8], at: usize) -> Option<(&[u8], usize)> {
    source.get(at..)?.strip_prefix(OLD_LIST)?;
    let open = skip::blank(source, at + OLD_LIST.len())?;
    (source.get(open) == Some(&b'[')).then_some(())?;
    let mut close = open + 1;
    while !matches!(source.get(close)?, b']' | b'[' | b';') {
        close = thing(source, close);
    }
    (source.get(close) == Some(&b']')).then_some(())?;
    let equals = skip::blank(source, close + 1)?;
    match source.get(equals..)? {
        [b'=', next, ..] if !matches!(next, b'=' | b'>') => Some((source.get(open + 1..close)?, equals + 1)),
        _ => None,
    }
}

/// End of the word, string or comment at `at`, or of the single byte.
fn thing(source: &[u8], at: usize) -> usize {
    let end = match source[at..] {
        [b'?', b'>', ..] => skip::html(source, at + 2),
        [b'$', ..] => Some(skip::label(source, at + 1)),
        [b'\'', ..] => skip::single_quoted(source, at),
        [b'"', ..] => skip::double_quoted(source, at),
        [b'`', ..] => skip::backtick(source, at),
        [b'<', b'<', b'<', ..] if skip::Text::heredoc(source, at).is_some() => skip::heredoc(source, at),
        [first, ..] if skip::begins_label(first) => Some(skip::label(source, at)),
        _ if skip::begins_comment(source, at) => skip::comment(source, at),
        _ => Some(at + 1),
    };
    end.unwrap_or(source.len()).clamp(at + 1, source.len())
}

/// Limit of nested includes of settings.
const DEEPEST: usize = 4;

/// The source, with these constants defined on its first line, so that lines keep their numbers.
pub(super) fn with(source: &[u8], constants: &[(&str, &[u8])]) -> Vec<u8> {
    let Some(open) = source.find(b"<?php").map(|at| at + b"<?php".len()) else { return source.to_vec() };
    let mut written = source[..open].to_vec();
    for (name, value) in constants {
        written.extend(format!(" define('{name}',").as_bytes());
        crate::php::string::literal(&mut written, value);
        written.extend(b");");
    }
    written.extend(&source[open..]);
    written
}

#[derive(Debug, Default)]
pub(super) struct Settings {
    /// Values that the constants may get, conditional ones included, in order; `None` for a value computed at run time.
    pub(super) given: Vec<(String, Option<BString>)>,
    pub(super) inputs: Vec<PathBuf>,
    pub(super) problems: Vec<Problem>,
    /// Not followed: the application's own file, which sets what was not set.
    own: Option<PathBuf>,
}

impl Settings {
    pub(super) fn before(own: PathBuf) -> Self {
        Self { own: Some(own), ..Self::default() }
    }

    pub(super) fn read(&mut self, file: &Path, known: &[(&str, &[u8])], names: &[&str]) {
        self.read_to(file, known, names, 0);
    }

    fn read_to(&mut self, file: &Path, known: &[(&str, &[u8])], names: &[&str], depth: usize) {
        if self.inputs.iter().any(|input| input == file) || self.own.as_deref() == Some(file) {
            return;
        }
        self.inputs.push(file.to_owned());
        let read = file.canonicalize().and_then(|real| Ok((read_whole(&real)?, real)));
        let (source, real) = match read {
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
            Err(error) => {
                let what = format!("cannot be read: {error}; its settings of folders are unknown");
                self.problems.push(Problem::of(file, what).hiding());
                return;
            }
        };
        let calls = match calls(&as_calls(&with(&source, known)), &real, &[INCLUDE, "define"], &[]) {
            Ok(calls) => calls,
            Err(problem) => return self.problems.push(problem.hiding()),
        };
        for call in calls {
            match (call.name.as_str(), call.args.as_slice()) {
                ("define", [Some(Value::String(name)), value, ..]) => {
                    if let Some(wanted) = names.iter().find(|wanted| wanted.as_bytes() == name.as_slice()) {
                        let value = value.as_ref().and_then(Value::as_str).map(BString::from);
                        // Ours are in front of the file.
                        if !known.iter().any(|(own, _)| own == wanted) {
                            self.given.push(((*wanted).to_owned(), value));
                        }
                    }
                }
                (INCLUDE, [Some(Value::String(path)), ..]) if depth < DEEPEST => {
                    self.read_to(&plain(path), known, names, depth + 1);
                }
                _ => {}
            }
        }
    }

    /// The distinct values of a constant; `None` if one is computed at run time.
    pub(super) fn values(&self, name: &str) -> Option<Vec<PathBuf>> {
        let mut values = Vec::new();
        for (_, value) in self.given.iter().filter(|(given, _)| given == name) {
            let value = plain(value.as_ref()?);
            if !values.contains(&value) {
                values.push(value);
            }
        }
        Some(values)
    }
}

#[cfg(test)]
mod tests;
