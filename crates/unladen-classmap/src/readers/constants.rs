//! Defines constants in front of a PHP file that uses them. The principal function is [`with`].

use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice};

use super::path::plain;
use super::settings_calls::{INCLUDE, as_calls};
use crate::Problem;
use crate::input::read_whole;
use crate::php::constant::{Value, calls};

/// Limit of nested includes of settings.
const DEEPEST: usize = 4;

/// The source, with these constants defined on its first line, so that lines keep their numbers.
pub(super) fn with(source: &[u8], constants: &[(&str, &[u8])]) -> Vec<u8> {
    let Some(open) = source.find(b"<?php").map(|at| at + b"<?php".len()) else { return source.to_vec() };
    let mut written = source[..open].to_vec();
    for (name, value) in constants {
        written.extend(format!(" define('{name}',").as_bytes());
        crate::emit::string_literal(&mut written, value);
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
                let what = format!("cannot be read: {error}; what it says of folders is not seen");
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
