//! The principal type is [`Lexer`]: splits any text into tokens; what is left open at the end is [`Token::Cut`].

use super::Dialect;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A name or a keyword without quotes.
    Word(&'a str),
    /// A name, including its quotes.
    Quoted(&'a str),
    /// A literal or a placeholder.
    Value,
    /// `(` or `[`.
    Open(char),
    /// `)` or `]`.
    Close(char),
    Comma,
    Semicolon,
    /// A `.` outside numbers.
    Dot,
    /// Anything else.
    Op(&'a str),
    /// The text is incomplete; nothing follows.
    Cut,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Escapes {
    /// The quote twice.
    Doubled,
    Backslash,
}

/// Operators of more than one character, longest first.
const OPERATORS: &[&str] = &[
    "!~~*", "->>", "#>>", "<=>", "~~*", "!~*", "!~~", "->", "#>", "#-", "@>", "<@", "<=", "<>", "<<", ">=", ">>", "!=",
    "!~", "~~", "~*", "||", "&&", ":=", "::", "@@",
];

pub(super) const CUT: &str = "…";

#[derive(Debug, Clone)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    dialect: Dialect,
    at: usize,
    /// After a dot, digits begin a name too.
    after_dot: bool,
    /// Inside `/*! … */`: its end is skipped.
    executable: bool,
    /// A string was open at the end: it was a value, and now the text ends.
    cut: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str, dialect: Dialect) -> Self {
        Self { text, dialect, at: 0, after_dot: false, executable: false, cut: false }
    }

    /// The next token. `operand` says that a value precedes (a `%` after it divides).
    pub(super) fn next(&mut self, operand: bool) -> Option<Token<'a>> {
        if self.cut || !self.skip_blanks() {
            self.at = self.text.len();
            return std::mem::take(&mut self.cut).then_some(Token::Cut).or_else(|| self.open_comment());
        }
        let token = self.token(operand)?;
        self.after_dot = token == Token::Dot;
        Some(token)
    }

    /// Whether the last token may be a text despite its name quotes: SQLite takes an unknown name for a text. A name
    /// before a dot is a table.
    pub(super) fn may_be_text(&self, quoted: &str) -> bool {
        self.dialect == Dialect::Sqlite && quoted.starts_with('"') && !self.rest().trim_start().starts_with('.')
    }

    /// [`Self::skip_blanks`] leaves `executable` alone; an unclosed executable comment truncates the text.
    fn open_comment(&mut self) -> Option<Token<'a>> {
        std::mem::take(&mut self.executable).then_some(Token::Cut)
    }

    fn byte(&self, offset: usize) -> u8 {
        self.text.as_bytes().get(self.at + offset).copied().unwrap_or(0)
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn slice(&self, from: usize) -> &'a str {
        self.text.get(from..self.at).unwrap_or("")
    }

    /// Skips blanks and comments; `false` at the end of the text. An unclosed comment sets `cut`.
    fn skip_blanks(&mut self) -> bool {
        loop {
            let (byte, next) = (self.byte(0), self.byte(1));
            if self.at >= self.text.len() {
                return false;
            } else if byte <= b' ' || byte == 0x7f {
                self.at += 1;
            } else if self.starts_line_comment(byte, next) {
                let rest = self.rest().as_bytes();
                self.at += memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
            } else if byte == b'/' && next == b'*' {
                if !self.skip_comment() {
                    self.cut = true;
                    return false;
                }
            } else if self.executable && byte == b'*' && next == b'/' {
                self.executable = false;
                self.at += 2;
            } else {
                return true;
            }
        }
    }

    fn starts_line_comment(&self, byte: u8, next: u8) -> bool {
        match (byte, self.dialect) {
            (b'#', Dialect::Mysql) => true,
            // MySQL requires a blank after it: 5--3 is 8 there.
            (b'-', Dialect::Mysql) => next == b'-' && self.byte(2) <= b' ',
            (b'-', _) => next == b'-',
            _ => false,
        }
    }

    /// Skips a comment; `false` if it is unclosed. Of MySQL's `/*! … */` only the marks are skipped, as the inside is
    /// executed. Hints (`/*+ … */`) are comments.
    fn skip_comment(&mut self) -> bool {
        if self.dialect == Dialect::Mysql && !self.executable {
            let mark = if self.byte(2) == b'!' { 3 } else { 4 };
            if self.byte(2) == b'!' || self.byte(2) == b'M' && self.byte(3) == b'!' {
                self.at += mark;
                // The version: five or six digits.
                let digits = self.rest().bytes().take(6).take_while(u8::is_ascii_digit).count();
                self.at += if digits >= 5 { digits } else { 0 };
                self.executable = true;
                return true;
            }
        }
        let bytes = self.text.as_bytes();
        let (mut at, mut depth) = (self.at + 2, 1_usize);
        while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr2(b'*', b'/', rest)) {
            at += found;
            match bytes.get(at..at + 2) {
                Some(b"*/") => {
                    at += 2;
                    depth -= 1;
                    if depth == 0 {
                        self.at = at;
                        return true;
                    }
                }
                Some(b"/*") if self.dialect == Dialect::Postgres => {
                    at += 2;
                    depth += 1;
                }
                _ => at += 1,
            }
        }
        false
    }

    fn token(&mut self, operand: bool) -> Option<Token<'a>> {
        let (byte, next) = (self.byte(0), self.byte(1));
        if self.rest().starts_with(CUT) {
            self.at = self.text.len();
            return Some(Token::Cut);
        }
        let dialect = self.dialect;
        Some(match byte {
            b'\'' => self.string(0, if dialect == Dialect::Mysql { Escapes::Backslash } else { Escapes::Doubled }),
            b'"' if dialect == Dialect::Mysql => self.string(0, Escapes::Backslash),
            b'"' | b'`' => self.quoted(byte),
            b'[' if dialect == Dialect::Sqlite => self.quoted(b']'),
            b'(' | b'[' => self.one(Token::Open(char::from(byte))),
            b')' | b']' => self.one(Token::Close(char::from(byte))),
            b',' => self.one(Token::Comma),
            b';' => self.one(Token::Semicolon),
            b'0'..=b'9' if self.after_dot => self.word(),
            b'0'..=b'9' => self.number(),
            b'.' if next.is_ascii_digit() && !self.after_operand() => self.number(),
            b'.' => self.one(Token::Dot),
            b'?' => self.placeholder(1),
            b'$' => self.dollar(next),
            b':' if self.word_at(1) => self.placeholder(1),
            b'@' if dialect == Dialect::Sqlite && self.word_at(1) => self.placeholder(1),
            b'@' if dialect == Dialect::Mysql && (self.word_at(1) || next == b'@' && self.word_at(2)) => self.word(),
            b'%' if !operand && next == b's' && !is_word(self.byte(2)) => {
                self.at += 2;
                Token::Value
            }
            b'%' if !operand && next == b'(' => self.named_format(),
            _ if is_word(byte) => self.word_or_string(),
            _ => self.operator(),
        })
    }

    fn one(&mut self, token: Token<'a>) -> Token<'a> {
        self.at += 1;
        token
    }

    /// Whether a name, a string or a bracket ends here, so that a dot belongs to it.
    fn after_operand(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.text.as_bytes().get(at)).copied().unwrap_or(0);
        is_word(before) || matches!(before, b'"' | b'`' | b'\'' | b')' | b']')
    }

    /// Whether a name continues at this offset.
    fn word_at(&self, offset: usize) -> bool {
        is_word(self.byte(offset)) && !self.text.get(self.at + offset..).is_some_and(|rest| rest.starts_with(CUT))
    }

    fn run(&mut self) {
        while is_word(self.byte(0)) && !self.rest().starts_with(CUT) {
            self.at += 1;
        }
    }

    fn word(&mut self) -> Token<'a> {
        let from = self.at;
        while self.byte(0) == b'@' && self.at < from + 2 {
            self.at += 1;
        }
        self.run();
        Token::Word(self.slice(from))
    }

    /// A name, or a string with a prefix: `E'…'`, `X'…'`, `_utf8'…'`.
    fn word_or_string(&mut self) -> Token<'a> {
        let from = self.at;
        self.run();
        let word = self.slice(from);
        let quote = self.byte(0);
        if quote == b'\'' || quote == b'"' && self.dialect == Dialect::Mysql {
            match word.as_bytes() {
                [b'e' | b'E'] => return self.string(0, Escapes::Backslash),
                [b'n' | b'N' | b'x' | b'X' | b'b' | b'B'] | [b'_', ..] if self.dialect == Dialect::Mysql => {
                    return self.string(0, Escapes::Backslash);
                }
                [b'n' | b'N' | b'x' | b'X' | b'b' | b'B'] => return self.string(0, Escapes::Doubled),
                _ => {}
            }
        }
        if self.dialect == Dialect::Postgres && matches!(word, "u" | "U") && self.rest().starts_with("&'") {
            return self.string(1, Escapes::Doubled);
        }
        Token::Word(word)
    }

    /// A string whose first quote is at `offset`.
    fn string(&mut self, offset: usize, escapes: Escapes) -> Token<'a> {
        let bytes = self.text.as_bytes();
        let quote = self.byte(offset);
        let mut at = self.at + offset + 1;
        while let Some(byte) = bytes.get(at).copied() {
            if byte == b'\\' && escapes == Escapes::Backslash {
                at += 2;
            } else if byte != quote {
                at += 1;
            } else if bytes.get(at + 1) == Some(&quote) {
                at += 2;
            } else {
                self.at = at + 1;
                return Token::Value;
            }
        }
        self.cut = true;
        Token::Value
    }

    fn quoted(&mut self, quote: u8) -> Token<'a> {
        let from = self.at;
        let bytes = self.text.as_bytes();
        let mut at = self.at + 1;
        while let Some(byte) = bytes.get(at).copied() {
            if byte != quote {
                at += 1;
            } else if quote != b']' && bytes.get(at + 1) == Some(&quote) {
                at += 2;
            } else {
                self.at = at + 1;
                return Token::Quoted(self.slice(from));
            }
        }
        self.at = self.text.len();
        Token::Cut
    }

    fn number(&mut self) -> Token<'a> {
        let from = self.at;
        self.run();
        let run = self.slice(from).as_bytes();
        let digits = |part: &[u8]| !part.is_empty() && part.iter().all(|byte| byte.is_ascii_digit() || *byte == b'_');
        if let [b'0', b'x' | b'X' | b'b' | b'B' | b'o' | b'O', rest @ ..] = run {
            let known = !rest.is_empty() && rest.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'_');
            return if known { Token::Value } else { Token::Word(self.slice(from)) };
        }
        if let Some(e) = run.iter().position(|byte| matches!(byte, b'e' | b'E'))
            && digits(run.get(..e).unwrap_or_default())
        {
            let exponent = run.get(e + 1..).unwrap_or_default();
            if digits(exponent) {
                return Token::Value;
            }
            if exponent.is_empty() && matches!(self.byte(0), b'+' | b'-') && self.byte(1).is_ascii_digit() {
                self.at += 1;
                self.run_digits();
                return Token::Value;
            }
        }
        if !run.is_empty() && !digits(run) {
            return Token::Word(self.slice(from));
        }
        if self.byte(0) == b'.' {
            self.at += 1;
            self.run_digits();
            if matches!(self.byte(0), b'e' | b'E') {
                let sign = usize::from(matches!(self.byte(1), b'+' | b'-'));
                if self.byte(1 + sign).is_ascii_digit() {
                    self.at += 1 + sign;
                    self.run_digits();
                }
            }
        }
        Token::Value
    }

    fn run_digits(&mut self) {
        while self.byte(0).is_ascii_digit() {
            self.at += 1;
        }
    }

    fn placeholder(&mut self, marks: usize) -> Token<'a> {
        self.at += marks;
        // ?1 is SQLite's; a letter after ? begins another word.
        if self.text.as_bytes().get(self.at.wrapping_sub(1)) == Some(&b'?') {
            self.run_digits();
        } else {
            self.run();
        }
        Token::Value
    }

    /// `%(name)s`
    fn named_format(&mut self) -> Token<'a> {
        let rest = self.rest().as_bytes();
        let name = rest.iter().skip(2).take_while(|byte| is_word(**byte)).count();
        if name > 0 && rest.get(2 + name..4 + name) == Some(b")s") {
            self.at += 4 + name;
            return Token::Value;
        }
        self.operator()
    }

    /// `$1`, `$tag$text$tag$`, `$name`.
    fn dollar(&mut self, next: u8) -> Token<'a> {
        if next.is_ascii_digit() {
            self.at += 1;
            self.run_digits();
            return Token::Value;
        }
        match self.dialect {
            Dialect::Postgres => {
                let rest = self.rest().as_bytes();
                let tag = rest.iter().skip(1).take_while(|byte| is_word(**byte) && **byte != b'$').count();
                if rest.get(1 + tag) != Some(&b'$') {
                    return self.operator();
                }
                let (mark, text) = rest.split_at_checked(2 + tag).unwrap_or_default();
                match memchr::memmem::find(text, mark) {
                    Some(end) => self.at += end + 2 * mark.len(),
                    None => self.cut = true,
                }
                Token::Value
            }
            Dialect::Sqlite if self.word_at(1) => self.placeholder(1),
            Dialect::Mysql => self.word(),
            Dialect::Sqlite => self.operator(),
        }
    }

    fn operator(&mut self) -> Token<'a> {
        let rest = self.rest();
        let from = self.at;
        let known = OPERATORS.iter().find(|operator| rest.starts_with(**operator)).map(|operator| operator.len());
        self.at += known.or_else(|| rest.chars().next().map(char::len_utf8)).unwrap_or(1);
        Token::Op(self.slice(from))
    }
}

/// A character within a name; anything beyond ASCII is a letter.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}
