//! The principal type is [`Pattern`]: a kind of pages by its targets, such as `*/index.php?action=<each>`.
//!
//! - `/wiki/about` is itself; a slash at the end does not matter;
//! - `{n}`, `{date}`, `{hash}`, `{uuid}` are such a segment or value, and any other `{name}` is any;
//! - `{title}` and `{rest*}` at the end of the path, as they are learned, are any but static files;
//! - `{name*}` at the end of the path is one segment or more, and `*` at its beginning any number of them;
//! - `?key=value` asks for that key, in any order, beside others; `?{keys}` for any query;
//! - `<each>`, once, makes a kind of each value there.

use crate::target::Target;
use crate::token;

pub(crate) struct Pattern {
    /// As it was written, or the name that was given to it.
    pub(crate) name: String,
    pub(crate) has_each: bool,
    is_anywhere: bool,
    segments: Vec<Piece>,
    has_rest: bool,
    is_never_static: bool,
    keys: Vec<(Box<[u8]>, Option<Piece>)>,
    needs_query: bool,
}

struct Piece {
    before: Box<[u8]>,
    /// `None`: `before` is all of it.
    hole: Option<Hole>,
    after: Box<[u8]>,
}

#[derive(Clone, Copy, PartialEq)]
enum Hole {
    Class(&'static str),
    Any,
    Each,
}

impl Pattern {
    /// Parses a pattern, with a name after blanks if it has one; else says what is wrong.
    pub(crate) fn parse(line: &str) -> Result<Self, &'static str> {
        let (text, name) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let name = if name.trim().is_empty() { text } else { name.trim() };
        let (path, query) = text.split_once('?').map_or((text, None), |(path, query)| (path, Some(query)));
        let (is_anywhere, path) = path.strip_prefix('*').map_or((false, path), |path| (true, path));
        let path = path.strip_prefix('/').ok_or("a pattern begins with / or */")?;
        let mut names: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
        let has_rest = names.last().is_some_and(|last| last.starts_with('{') && last.ends_with("*}"));
        let is_never_static = names.last().is_some_and(|last| matches!(*last, "{title}" | "{rest*}"));
        if has_rest {
            names.pop();
        }
        let segments = names.into_iter().map(Piece::parse).collect::<Result<Vec<_>, _>>()?;
        let mut keys = Vec::new();
        for pair in query.unwrap_or("").split('&').filter(|pair| !pair.is_empty() && *pair != "{keys}") {
            let (key, value) = pair.split_once('=').map_or((pair, None), |(key, value)| (key, Some(value)));
            keys.push((key.as_bytes().into(), value.map(Piece::parse).transpose()?));
        }
        let pieces = segments.iter().chain(keys.iter().filter_map(|(_, value)| value.as_ref()));
        let each = pieces.filter(|piece| piece.hole == Some(Hole::Each)).count();
        if each > 1 {
            return Err("a pattern has one <each> at most");
        }
        if name.chars().any(char::is_control) || text.len() > 1000 || name.len() > 1000 {
            return Err("a pattern is at most 1,000 bytes, and has no control characters");
        }
        let (name, needs_query) = (name.to_owned(), query.is_some());
        Ok(Self { name, has_each: each == 1, is_anywhere, segments, has_rest, is_never_static, keys, needs_query })
    }

    /// A text that is in all of its paths, if there is one.
    pub(crate) fn anchor(&self) -> Option<Vec<u8>> {
        let mut best = Vec::new();
        let mut run = Vec::new();
        for piece in &self.segments {
            run.push(b'/');
            run.extend_from_slice(&piece.before);
            if run.len() > best.len().max(1) {
                best.clone_from(&run);
            }
            if piece.hole.is_some() {
                run.clear();
            }
        }
        (!best.is_empty()).then_some(best)
    }

    /// Whether a target is of this kind: the value of `<each>`, which is empty without one.
    pub(crate) fn find<'a>(&self, target: &Target<'a>) -> Option<&'a [u8]> {
        let segments = target.segments();
        let least = self.segments.len() + usize::from(self.has_rest);
        let spare = segments.len().checked_sub(least)?;
        if spare > 0 && !self.is_anywhere && !self.has_rest {
            return None;
        }
        let mut each: &[u8] = b"";
        if self.needs_query && target.query().is_empty() || self.is_never_static && target.static_kind().is_some() {
            return None;
        }
        for (key, piece) in &self.keys {
            let value = target.value(key)?;
            if let Some(piece) = piece {
                piece.find(value, true, &mut each)?;
            }
        }
        let starts = match (self.is_anywhere, self.has_rest) {
            (false, false) if target.is_deeper => return None,
            (false, _) => 0..=0,
            (true, false) => spare..=spare,
            (true, true) => 0..=spare,
        };
        let mut starts = starts.filter_map(|start| {
            let mut each = each;
            let pairs = self.segments.iter().zip(&segments[start..]);
            pairs.map(|(piece, segment)| piece.find(segment, false, &mut each)).collect::<Option<()>>().map(|()| each)
        });
        starts.next()
    }

    /// Name of the kind of one value of `<each>`.
    pub(crate) fn name_of(name: &str, value: &str) -> String {
        if name.contains("<each>") { name.replacen("<each>", value, 1) } else { format!("{name} {value}") }
    }
}

/// Place of a kind in a list whose first match counts: what asks for more keys stands first, then what has fewer
/// placeholders.
pub(crate) fn order(name: &str) -> impl Ord + use<> {
    let keys = match name.split_once('?') {
        None => 0,
        Some((_, "{keys}")) => 1,
        Some((_, query)) => 2 * query.split('&').count(),
    };
    let placeholders =
        name.matches('{').count() + 10 * usize::from(name.contains("*}")) + 10 * usize::from(name.starts_with('*'));
    (std::cmp::Reverse(keys), placeholders, name.to_owned())
}

impl Piece {
    fn parse(text: &str) -> Result<Self, &'static str> {
        let wrong = "a placeholder is {name} or <each>, one a segment or value";
        let Some(start) = text.find(['{', '<']) else {
            return if text.contains(['}', '>', '*']) { Err(wrong) } else { Ok(Self::literal(text)) };
        };
        let end = text.rfind(['}', '>']).filter(|end| *end > start).ok_or(wrong)?;
        let hole = match &text[start..=end] {
            "<each>" => Hole::Each,
            "{n}" => Hole::Class("{n}"),
            "{date}" => Hole::Class("{date}"),
            "{hash}" => Hole::Class("{hash}"),
            "{uuid}" => Hole::Class("{uuid}"),
            any if any.starts_with('{') && any.ends_with('}') => Hole::Any,
            _ => return Err(wrong),
        };
        let (before, after) = (&text[..start], &text[end + 1..]);
        if before.contains(['}', '>', '*']) || after.contains('*') {
            return Err(wrong);
        }
        Ok(Self { before: before.as_bytes().into(), hole: Some(hole), after: after.as_bytes().into() })
    }

    fn literal(text: &str) -> Self {
        Self { before: text.as_bytes().into(), hole: None, after: Box::default() }
    }

    fn find<'a>(&self, text: &'a [u8], is_value: bool, each: &mut &'a [u8]) -> Option<()> {
        let Some(hole) = self.hole else { return (*self.before == *text).then_some(()) };
        let mut middle = text.strip_prefix(&*self.before)?.strip_suffix(&*self.after)?;
        match hole {
            Hole::Any => (!middle.is_empty() || is_value).then_some(()),
            Hole::Class(class) => (token::class(middle) == Some(class)).then_some(()),
            Hole::Each => {
                if is_value {
                    // `title=Special:WhatLinksHere/Page` is the special page.
                    middle = &middle[..memchr::memchr2(b'/', b'%', middle).unwrap_or(middle.len())];
                }
                *each = middle;
                Some(())
            }
        }
    }
}
