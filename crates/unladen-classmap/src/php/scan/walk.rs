//! The pass over a file's bytes. The principal type is [`Walk`].
//!
//! It knows where the next declaring word is, and whether an offset is code. Code is what remains after skipping
//! strings, comments and the like; a word in it is then judged by its surroundings.

mod judge;

use bstr::BString;
use wide::u8x16;

use super::contents::Scan;
use super::names;
use super::words::Word;
use crate::php::skip::{self, Part, Text, find, is};

const STRING: &str = "a string that does not end";
const HEREDOC: &str = "a heredoc that does not end";
const COMMENT: &str = "a comment that does not end";

type Broken = (usize, &'static str);

pub(super) struct Walk<'a> {
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
    pub(super) fn new(source: &'a [u8], first: (usize, Word)) -> Self {
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

    pub(super) fn run(mut self) -> Scan {
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
