//! What a word in code declares, by its surroundings.

use bstr::BString;

use super::Walk;
use crate::php::scan::alias::{self, Second};
use crate::php::scan::words::Word;
use crate::php::skip::{self, is_space};
use crate::php::{Declaration, Kind};

/// Words that cannot name a class, but follow a method or constant with such a name: `use T { enum as private; }`.
const NO_NAMES: [&[u8]; 8] = [b"as", b"and", b"or", b"xor", b"instanceof", b"insteadof", b"extends", b"implements"];

impl Walk<'_> {
    /// Records the declarations up to `stop`. Returns whether the code ends: data follows `__halt_compiler();`.
    pub(super) fn words(&mut self, stop: usize) -> bool {
        while let Some((at, word)) = self.word
            && at < stop
        {
            if at >= self.at && self.judge(at, word) {
                return true;
            }
            self.word = Word::next(self.source, self.at.max(at + word.length()));
        }
        false
    }

    /// Records the declaration of the word at `at`. Returns whether the code ends.
    fn judge(&mut self, at: usize, word: Word) -> bool {
        let before = self.before(at);
        if self.source[..before].ends_with(b"->") || self.source[..before].ends_with(b"::") {
            return false;
        }
        let behind = at + word.length();
        match word {
            Word::Class => self.named(Kind::Class, at, behind),
            Word::Interface => self.named(Kind::Interface, at, behind),
            Word::Trait => self.named(Kind::Trait, at, behind),
            Word::Enum => self.named(Kind::Enum, at, behind),
            // Within another declaration's name, which has been read.
            Word::Namespace if self.source[..before].ends_with(b"\\") => {}
            Word::Namespace => self.enter(behind),
            Word::ClassAlias => self.alias(at, before, behind),
            Word::HaltCompiler if self.halts(behind).is_some() => {
                // The rest must not be read for aliases either.
                self.source = &self.source[..at];
                return true;
            }
            Word::HaltCompiler => {}
        }
        false
    }

    /// A declaration whose name follows its keyword.
    fn named(&mut self, kind: Kind, at: usize, behind: usize) {
        let Some(from) = skip::blank(self.source, behind) else { return };
        let name = &self.source[from..skip::label(self.source, from)];
        if name.is_empty() || NO_NAMES.iter().any(|no| no.eq_ignore_ascii_case(name)) {
            return;
        }
        // PHP's scanner does not check for the end of these two words: `enum extendsFoo` is no enum to it.
        let starts = |word: &[u8]| name.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
        if kind == Kind::Enum && (starts(b"extends") || starts(b"implements")) {
            return;
        }
        let mut whole = self.namespace.clone();
        whole.extend_from_slice(name);
        self.declare(whole, kind, at);
    }

    fn declare(&mut self, name: BString, kind: Kind, at: usize) {
        let line = self.line(at);
        self.found.declarations.push(Declaration { name, kind, line });
    }

    /// `namespace A;`, `namespace A {` or `namespace {`, and not `namespace\A`, which is a name.
    fn enter(&mut self, behind: usize) {
        let mut name = BString::default();
        let Some(mut at) = skip::blank(self.source, behind) else { return };
        loop {
            let end = skip::label(self.source, at);
            name.extend_from_slice(&self.source[at..end]);
            if end > at {
                name.push(b'\\');
            }
            match skip::blank(self.source, end) {
                // Before PHP 8, white space was allowed around it.
                Some(next) if end > at && self.source.get(next) == Some(&b'\\') => {
                    let Some(label) = skip::blank(self.source, next + 1) else { return };
                    at = label;
                }
                Some(next) => match self.source.get(next..).unwrap_or_default() {
                    [b'{', ..] => break,
                    [b';', ..] | [b'?', b'>', ..] if !name.is_empty() => break,
                    _ => return,
                },
                None => return,
            }
        }
        self.namespace = name;
    }

    /// A call of `class_alias`, and not a function or method of that name.
    fn alias(&mut self, at: usize, before: usize, behind: usize) {
        let source = self.source;
        let mut before = before;
        if source[..at].ends_with(b"\\") {
            before = at - 1;
            if source[..before].last().is_some_and(|&byte| skip::is_label(byte)) {
                return;
            }
            before = self.before(before);
        }
        let word = |to: usize| {
            let start = source[..to].iter().rposition(|&byte| !skip::is_label(byte)).map_or(0, |found| found + 1);
            &source[start..to]
        };
        let declared = source[..before].strip_suffix(b"&").map_or(before, |rest| self.before(rest.len()));
        if [&b"function"[..], b"fn"].iter().any(|no| no.eq_ignore_ascii_case(word(declared)))
            || word(before).eq_ignore_ascii_case(b"new")
        {
            return;
        }
        let name = match alias::second(source, behind) {
            Second::NoCall => return,
            Second::Known(name) => Some(name),
            Second::Unclear if self.around.is_empty() => {
                self.unclear.push((self.calls, self.found.declarations.len()));
                // Filled in at the end, or removed.
                Some(BString::default())
            }
            Second::Unclear | Second::None => None,
        };
        self.calls += usize::from(self.around.is_empty());
        if let Some(name) = name {
            self.declare(name, Kind::Alias, at);
        }
    }

    /// Checks that `();` follows, without which `__halt_compiler` is an error.
    fn halts(&self, behind: usize) -> Option<()> {
        let mut at = behind;
        for sign in [b'(', b')'] {
            at = skip::blank(self.source, at)?;
            (*self.source.get(at)? == sign).then_some(())?;
            at += 1;
        }
        let end = self.source.get(skip::blank(self.source, at)?..)?;
        (end.starts_with(b";") || end.starts_with(b"?>")).then_some(())
    }

    /// The offset after the last byte before `at` that is neither white space nor in the comments last skipped.
    pub(super) fn before(&self, at: usize) -> usize {
        let (start, end) = self.comments;
        let mut at = at;
        loop {
            if at == end && end > 0 {
                at = start;
            } else if at > 0 && is_space(self.source[at - 1]) {
                at -= 1;
            } else {
                return at;
            }
        }
    }

    /// The line of `at`, from 1.
    pub(super) fn line(&mut self, at: usize) -> u32 {
        let (from, before) = self.lines;
        let passed = &self.source[from..at];
        let feeds = memchr::memchr_iter(b'\n', passed).count();
        // To PHP a mere carriage return ends a line too.
        let returns = memchr::memchr_iter(b'\r', passed).filter(|&at| passed.get(at + 1) != Some(&b'\n')).count();
        let lines = before.saturating_add(u32::try_from(feeds + returns).unwrap_or(u32::MAX));
        self.lines = (at, lines);
        lines.saturating_add(1)
    }
}
