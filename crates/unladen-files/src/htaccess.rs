//! The principal type is [`Htaccess`]: access rules of a folder's `.htaccess`, as far as they can be understood without
//! Apache.
//!
//! Apache's usual modules are taken to be there; a rule that admits only some clients (by address, by password) admits
//! nobody here.

use std::path::Path;

use regex::bytes::{Regex, RegexBuilder};

/// A longer file is not read.
pub(crate) const LONGEST: usize = 64 * 1024;
/// Most sections of one file.
const MOST_SECTIONS: usize = 64;
/// Most unclear lines of one file, and the bytes kept of each.
const MOST_UNCLEAR: usize = 16;
const LONGEST_UNCLEAR: usize = 80;
/// Most bytes of a compiled expression of `FilesMatch`.
const LARGEST_EXPRESSION: usize = 256 * 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Granted,
    Denied(Denial),
}

/// Which line of an `.htaccess` refuses files, and to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denial {
    All(usize),
    /// Apache would send them to some clients, by address or password; here nobody gets them.
    Some(usize),
    /// No line: the file cannot be read, or is longer than 64 KiB.
    Unread,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Htaccess {
    folder: Option<Access>,
    files: Vec<(Regex, Access)>,
    /// Lines that may refuse something but are not understood, with their beginnings.
    unclear: Vec<(usize, String)>,
}

#[derive(Debug, Default)]
struct Said {
    deny_all: Option<usize>,
    allow_all: bool,
    /// `Order allow,deny`: clients that are not allowed are denied.
    allow_first: Option<usize>,
    has_order: bool,
    granted: bool,
    /// `Require` of anything but all.
    required: Option<usize>,
    /// Some clients are admitted, by address or password.
    lets_some: bool,
}

enum Section {
    /// Its lines count for the surrounding place.
    Open,
    /// Its lines do not count.
    Skipped,
    /// `<RequireAll>`: one refusal is enough.
    All,
    Files(Option<Regex>, Said, (usize, String)),
}

impl Htaccess {
    /// For a file that cannot be read: as with Apache, everything beneath it is refused.
    pub(crate) fn unread() -> Self {
        Self { folder: Some(Access::Denied(Denial::Unread)), ..Self::default() }
    }

    pub(crate) fn parse(text: &[u8]) -> Self {
        let text = String::from_utf8_lossy(text);
        let (mut read, mut folder, mut sections) = (Self::default(), Said::default(), Vec::new());
        let mut line = String::new();
        for (place, next) in text.lines().enumerate() {
            let number = place + 1;
            if let Some(continued) = next.strip_suffix('\\') {
                line.push_str(continued);
                continue;
            }
            line.push_str(next);
            let whole = std::mem::take(&mut line);
            let whole = whole.trim();
            if let Some(end) = whole.strip_prefix("</") {
                if let Some(Section::Files(expression, said, (at, begin))) = sections.pop() {
                    match (expression, said.access()) {
                        (Some(expression), Some(access)) if read.files.len() < MOST_SECTIONS => {
                            read.files.push((expression, access));
                        }
                        (_, None) => (),
                        _ => read.is_unclear(at, &begin),
                    }
                } else if end.is_empty() {
                    read.is_unclear(number, whole);
                }
            } else if let Some(begin) = whole.strip_prefix('<') {
                let section = Section::new(begin.trim_end_matches('>').trim(), (number, whole));
                sections.push(section.unwrap_or_else(|| {
                    read.is_unclear(number, whole);
                    Section::Skipped
                }));
            } else if !whole.starts_with('#') && !sections.iter().any(|one| matches!(one, Section::Skipped)) {
                let is_all = sections.iter().any(|one| matches!(one, Section::All));
                let of_files = sections.iter_mut().rev().find_map(|one| match one {
                    Section::Files(_, said, _) => Some(said),
                    _ => None,
                });
                if of_files.unwrap_or(&mut folder).hear(whole, number, is_all).is_none() {
                    read.is_unclear(number, whole);
                }
            }
        }
        read.folder = folder.access();
        read
    }

    fn is_unclear(&mut self, number: usize, line: &str) {
        if self.unclear.len() < MOST_UNCLEAR {
            self.unclear.push((number, line.chars().take(LONGEST_UNCLEAR).collect()));
        }
    }

    /// The first lines that may refuse something but are not understood, with their beginnings.
    pub(crate) fn unclear(&self) -> &[(usize, String)] {
        &self.unclear
    }

    /// Refusals of some names alone, with their regular expressions.
    pub(crate) fn denied_files(&self) -> impl Iterator<Item = (&str, Denial)> {
        self.files.iter().filter_map(|(expression, access)| match access {
            Access::Denied(denial) => Some((expression.as_str(), *denial)),
            Access::Granted => None,
        })
    }

    pub(crate) fn granted_files(&self) -> usize {
        self.files.iter().filter(|(_, access)| *access == Access::Granted).count()
    }

    pub(crate) fn of_folder(&self) -> Option<&Access> {
        self.folder.as_ref()
    }

    /// The result of sections for a name: the last match counts.
    pub(crate) fn of_file(&self, name: &[u8]) -> Option<&Access> {
        self.files.iter().rev().find(|(expression, _)| expression.is_match(name)).map(|(_, access)| access)
    }
}

impl Denial {
    /// Why a file is refused, by the `.htaccess` at this path.
    pub(crate) fn of(self, file: &Path) -> String {
        let file = file.display();
        match self {
            Self::All(line) => format!(
                "line {line} of {file} refuses it, as it would with Apache; allow the path in `files.allow` if it is \
                 public"
            ),
            Self::Some(line) => format!(
                "line {line} of {file} lets Apache send it only to some clients, but `serve` refuses it for all; make \
                 a route with `access` for that, and allow the path in `files.allow`"
            ),
            Self::Unread => format!(
                "{file} cannot be read by this process, or is longer than 64 KiB, so everything in its folder is \
                 refused, as with Apache; allow this process's user to read it"
            ),
        }
    }
}

impl Section {
    /// `None` if it is unclear whether its lines count.
    fn new(begin: &str, (number, line): (usize, &str)) -> Option<Self> {
        let (kind, of) = begin.split_once(char::is_whitespace).unwrap_or((begin, ""));
        let of = of.trim();
        let of_files = |expression| Self::Files(expression, Said::default(), (number, line.to_owned()));
        Some(match kind.to_ascii_lowercase().as_str() {
            // Apache's old and new access rules stand in such pairs, and say the same.
            "ifmodule" if !of.starts_with('!') || of.contains("authz") || of.contains("access") => Self::Open,
            "ifversion" | "requireany" => Self::Open,
            "ifmodule" => Self::Skipped,
            "requireall" => Self::All,
            "filesmatch" => of_files(expression(unquoted(of))),
            "files" => of_files(match of.strip_prefix('~') {
                Some(like) => expression(unquoted(like.trim())),
                None => expression(&glob(unquoted(of))),
            }),
            _ => return None,
        })
    }
}

fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\''])
}

fn expression(text: &str) -> Option<Regex> {
    RegexBuilder::new(text).size_limit(LARGEST_EXPRESSION).unicode(false).build().ok()
}

fn glob(text: &str) -> String {
    let inner: String = text
        .chars()
        .map(|letter| match letter {
            '*' => ".*".to_owned(),
            '?' => ".".to_owned(),
            letter => regex::escape(letter.encode_utf8(&mut [0; 4])),
        })
        .collect();
    format!("^{inner}$")
}

impl Said {
    /// `None` if the line may refuse something but is not understood.
    fn hear(&mut self, line: &str, number: usize, is_all: bool) -> Option<()> {
        let mut words = line.split_whitespace().map(str::to_ascii_lowercase);
        let first = words.next().unwrap_or_default();
        let rest: Vec<String> = words.collect();
        let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
        match (first.as_str(), rest.as_slice()) {
            ("deny", ["from", "all"]) => self.deny_all = Some(number),
            ("allow", ["from", "all"]) => self.allow_all = true,
            ("order", order) => {
                self.has_order = true;
                let order = order.concat();
                self.allow_first = (order == "allow,deny" || order == "mutual-failure").then_some(number);
            }
            ("require", ["all", "granted"]) => self.granted |= !is_all,
            ("require", ["all", "denied"]) if is_all => {
                self.granted = false;
                self.required = Some(number);
            }
            ("require", ["not", ..]) | ("deny", ["from", ..]) => return None,
            ("require", ["all", "denied"]) => self.required = self.required.or(Some(number)),
            ("require", _) => {
                self.required = self.required.or(Some(number));
                self.lets_some = true;
            }
            ("allow", ["from", ..]) => self.lets_some = true,
            ("rewriterule", [.., flags]) if flags.starts_with('[') => {
                let flags = flags.trim_matches(['[', ']']);
                if flags.split(',').any(|flag| matches!(flag, "f" | "forbidden" | "g" | "gone" | "r=403" | "r=404")) {
                    return None;
                }
            }
            ("redirectmatch" | "redirect", ["403" | "404" | "410" | "gone", ..]) => return None,
            _ => (),
        }
        Some(())
    }

    fn access(&self) -> Option<Access> {
        if self.granted {
            return Some(Access::Granted);
        }
        let denied = match (self.deny_all, self.allow_first) {
            (Some(_), None) if self.allow_all && self.has_order => None,
            (None, Some(_)) if self.allow_all => None,
            (denied, allow_first) => denied.or(allow_first),
        };
        let denial = if self.lets_some { Denial::Some } else { Denial::All };
        let denied = self.required.or(denied).map(|line| Access::Denied(denial(line)));
        denied.or(self.allow_all.then_some(Access::Granted))
    }
}

#[cfg(test)]
mod tests;
