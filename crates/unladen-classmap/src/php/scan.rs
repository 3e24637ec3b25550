//! What a file declares, by one pass over its bytes. The principal function is [`scan`].

mod names;
mod words;

use bstr::BString;
use wide::u8x16;

use crate::php::skip::{self, Part, Text, find, is, is_space};
use crate::php::{Declaration, Kind};
use names::Second;
use words::Word;

/// The declarations in `source`, the bytes of a PHP file: anywhere, in functions and behind conditions too. Anonymous
/// classes cannot be autoloaded, and a `class_alias` whose second name depends on more than this file is left out.
pub fn scan(source: &[u8]) -> Scan {
    match words::Word::next(source, 0) {
        Some(first) => Walk::new(source, first).run(),
        None => Scan::default(),
    }
}

// It knows where the next declaring word is, and whether an offset is code. Code is what remains after skipping
// strings, comments and the like; a word in it is then judged by its surroundings.

const STRING: &str = "an unterminated string";
const HEREDOC: &str = "an unterminated heredoc";
const COMMENT: &str = "an unterminated comment";

type Broken = (usize, &'static str);

struct Walk<'a> {
    source: &'a [u8],
    at: usize,
    /// The next word: the first that is not before `at`, or one that was skipped.
    word: Option<(usize, Word)>,
    /// Enclosing texts with interpolated code, and the open braces in each one's code.
    around: Vec<(Text<'a>, usize)>,
    /// What the outermost of these is, if it does not end.
    outermost: Broken,
    /// Range of the comments last skipped, with only white space between them.
    comments: (usize, usize),
    /// With a trailing `\` unless empty.
    namespace: BString,
    /// An offset, and the number of lines that end before it.
    lines: (usize, u32),
    /// Number of `class_alias` calls outside of texts.
    calls: usize,
    /// Calls that need more of the file: number of the call, and of the declaration.
    unclear: Vec<(usize, usize)>,
    found: Scan,
}

impl<'a> Walk<'a> {
    fn new(source: &'a [u8], first: (usize, Word)) -> Self {
        Self {
            source,
            at: 0,
            word: Some(first),
            around: Vec::new(),
            outermost: (0, STRING),
            comments: (0, 0),
            namespace: BString::default(),
            lines: (0, 0),
            calls: 0,
            unclear: Vec::new(),
            found: Scan::default(),
        }
    }

    fn run(mut self) -> Scan {
        if let Err((at, what)) = self.walk() {
            if at < self.lines.0 {
                // The text around code that declares something.
                self.lines = (0, 0);
            }
            self.found.broken = Some((self.line(at), what));
        }
        if !self.unclear.is_empty() {
            let mut aliases = names::aliases(self.source);
            for (call, declaration) in self.unclear {
                if aliases.len() == self.calls
                    && let Some(name) = aliases[call].take()
                {
                    self.found.declarations[declaration].name = name;
                }
            }
            self.found.declarations.retain(|declaration| !declaration.name.is_empty());
        }
        self.found
    }

    fn walk(&mut self) -> Result<(), Broken> {
        let source = self.source;
        let Some(at) = skip::html(source, 0) else { return Ok(()) };
        self.at = at;
        loop {
            let stop = if self.around.is_empty() {
                find(source, self.at, stops)
            } else {
                find(source, self.at, |lane| stops(lane) | is(lane, b'{') | is(lane, b'}'))
            };
            let halted = self.words(stop.unwrap_or(source.len()));
            let Some(stop) = stop.filter(|_| !halted) else {
                return if halted || self.around.is_empty() { Ok(()) } else { Err(self.outermost) };
            };
            self.at = match source[stop] {
                b'\'' => skip::single_quoted(source, stop).ok_or((stop, STRING))?,
                b'/' | b'#' => self.comment(stop)?,
                b'?' if source.get(stop + 1) == Some(&b'>') => match skip::html(source, stop + 2) {
                    Some(at) => at,
                    None if self.around.is_empty() => return Ok(()),
                    None => return Err(self.outermost),
                },
                quote @ (b'"' | b'`') => {
                    self.begin((stop, STRING));
                    self.text(Text::Quoted(quote), stop + 1)?
                }
                b'<' => match Text::heredoc(source, stop) {
                    Some((text, body)) => {
                        self.begin((stop, HEREDOC));
                        self.text(text, body)?
                    }
                    None => stop + 1,
                },
                byte => match (byte, self.around.pop()) {
                    (b'}', Some((text, 0))) => self.text(text, stop + 1)?,
                    (b'}', Some((text, depth))) => {
                        self.around.push((text, depth - 1));
                        stop + 1
                    }
                    (byte, Some((text, depth))) => {
                        self.around.push((text, depth + usize::from(byte == b'{')));
                        stop + 1
                    }
                    (_, None) => stop + 1,
                },
            };
        }
    }

    /// Skips the text at `at`; returns where code begins again.
    fn text(&mut self, text: Text<'a>, at: usize) -> Result<usize, Broken> {
        match text.part(self.source, at) {
            Some(Part::End(after)) => Ok(after),
            Some(Part::Code(code)) => {
                self.around.push((text, 0));
                Ok(code)
            }
            None => Err(self.outermost),
        }
    }

    fn begin(&mut self, text: Broken) {
        if self.around.is_empty() {
            self.outermost = text;
        }
    }

    /// Skips the comment at `at`, or the sign that is none.
    fn comment(&mut self, at: usize) -> Result<usize, Broken> {
        if !skip::begins_comment(self.source, at) {
            return Ok(at + 1);
        }
        let after = skip::comment(self.source, at).ok_or((at, COMMENT))?;
        let follows =
            self.comments.1 > 0 && self.source[self.comments.1..at].iter().rev().all(|&byte| skip::is_space(byte));
        self.comments = (if follows { self.comments.0 } else { at }, after);
        Ok(after)
    }
}

/// Bytes that begin what is skipped.
#[inline(always)]
fn stops(lane: u8x16) -> u8x16 {
    // `"` and `#`, `'` and `/` differ in one bit each.
    is(lane | u8x16::splat(1), b'#')
        | is(lane | u8x16::splat(8), b'/')
        | is(lane, b'<')
        | is(lane, b'?')
        | is(lane, b'`')
}

/// The contents of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scan {
    /// In file order.
    pub declarations: Vec<Declaration>,
    /// A comment, string or heredoc without an end, with its line. Not looked for in files without a declaring word.
    pub broken: Option<(u32, &'static str)>,
}

/// Words that cannot name a class, but follow a method or constant with such a name: `use T { enum as private; }`.
const NO_NAMES: [&[u8]; 8] = [b"as", b"and", b"or", b"xor", b"instanceof", b"insteadof", b"extends", b"implements"];

impl Walk<'_> {
    /// Records the declarations up to `stop`. Returns whether the code ends: data follows `__halt_compiler();`.
    fn words(&mut self, stop: usize) -> bool {
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
        let name = match names::second(source, behind) {
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
    fn before(&self, at: usize) -> usize {
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
    fn line(&mut self, at: usize) -> u32 {
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

#[cfg(test)]
mod tests;
