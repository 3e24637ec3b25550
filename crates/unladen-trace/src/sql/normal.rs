//! The principal type is [`Normal`]: a statement in pieces, with values normalised on arrival.

use std::borrow::Cow;

use crate::sql::Dialect;
use crate::sql::lexer::{CUT, Lexer, Token};

/// Operators usually followed by a value.
const COMPARISONS: &[&str] = &["=", "<>", "!=", "<", ">", "<=", ">=", "->", "->>"];

#[derive(Debug)]
pub(super) struct Normal<'a> {
    pub(super) pieces: Vec<Piece<'a>>,
    /// One for each open bracket; the first is the whole text.
    frames: Vec<Frame>,
    /// The text is incomplete.
    pub(super) cut: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct Frame {
    /// Index of its opening piece.
    at: usize,
    close: char,
    /// A list even with a single value.
    list: bool,
    /// A second or later row after VALUES: dropped.
    dropped: bool,
    /// After VALUES: brackets in it are rows.
    rows: bool,
    /// The last list of values in it: first and last piece.
    values: Option<(usize, usize)>,
}

impl<'a> Normal<'a> {
    pub(super) fn of(text: &'a str, dialect: Dialect) -> Self {
        let mut normal = Self { pieces: Vec::new(), frames: vec![Frame::default()], cut: false };
        let mut lexer = Lexer::new(text, dialect);
        while let Some(token) = lexer.next(normal.pieces.last().is_some_and(Piece::is_operand)) {
            match token {
                Token::Word(word) => normal.push_word(word),
                // A lone compared name is rare; a password there is not.
                Token::Quoted(name) if lexer.may_be_text(name) && normal.wants_value() => normal.push(Piece::Value),
                Token::Quoted(name) => normal.push(Piece::Quoted(printable(name))),
                Token::Value => {
                    normal.drop_signs();
                    normal.push(Piece::Value);
                }
                Token::Open(bracket) => normal.open(bracket),
                Token::Close(bracket) => normal.close(bracket),
                Token::Comma => normal.pieces.push(Piece::Comma),
                Token::Semicolon => normal.push(Piece::Semicolon),
                Token::Dot => normal.push(Piece::Dot),
                Token::Op(operator) => normal.push(Piece::Op(operator)),
                Token::Cut => {
                    normal.cut = true;
                    break;
                }
            }
        }
        normal.end();
        normal
    }

    fn frame(&mut self) -> Option<&mut Frame> {
        self.frames.last_mut()
    }

    /// Anything except brackets and commas ends the rows of VALUES.
    fn push(&mut self, piece: Piece<'a>) {
        if let Some(frame) = self.frame() {
            frame.rows = false;
        }
        self.pieces.push(piece);
    }

    /// Whether a value is likely next: after a comparison, in a list of values, after `KEY`.
    fn wants_value(&self) -> bool {
        match self.pieces.last() {
            Some(Piece::Op(operator)) => COMPARISONS.contains(operator),
            Some(Piece::Open(_) | Piece::Comma) => self.frames.last().is_some_and(|frame| frame.list),
            Some(Piece::Name(name)) => name.eq_ignore_ascii_case("key"),
            Some(last) => last.is_any(&["LIKE", "GLOB", "REGEXP", "BETWEEN", "ESCAPE"]),
            None => false,
        }
    }

    fn push_word(&mut self, word: &'a str) {
        let last = self.pieces.last();
        let known = match last {
            Some(Piece::Dot) => None,
            // Otherwise a common column name.
            Some(last)
                if last.is_any(&["DUPLICATE", "PRIMARY", "FOREIGN", "UNIQUE"]) && word.eq_ignore_ascii_case("key") =>
            {
                Some("KEY")
            }
            _ => keyword(word),
        };
        self.push(known.map_or_else(|| Piece::Name(printable(word)), Piece::Keyword));
        if known == Some("VALUES")
            && let Some(frame) = self.frame()
        {
            frame.rows = true;
        }
    }

    /// Drops trailing signs that belong to the following value.
    fn drop_signs(&mut self) {
        while let Some(Piece::Op("-" | "+")) = self.pieces.last() {
            let before = self.pieces.len().checked_sub(2).and_then(|at| self.pieces.get(at));
            if before.is_some_and(Piece::is_operand) {
                break;
            }
            self.pieces.pop();
        }
    }

    fn open(&mut self, bracket: char) {
        let at = self.pieces.len();
        let called = match self.pieces.last() {
            Some(Piece::Name(name)) => function(name),
            _ => None,
        };
        if let (Some(called), Some(last)) = (called, self.pieces.last_mut()) {
            *last = Piece::Name(Cow::Borrowed(called));
        }
        let last = self.pieces.last();
        let after_list_word = last.is_some_and(|last| last.is_any(&["IN", "VALUES", "ANY", "ALL", "SOME", "ARRAY"]));
        let comma = last == Some(&Piece::Comma);
        let (listed, rows) = self.frames.last().map_or((false, false), |outer| (outer.list, outer.rows));
        // Brackets after a name are its arguments, not a row.
        let bare = comma || matches!(last, None | Some(Piece::Open(_)));
        let row = rows && (comma || last.is_some_and(|last| last.is("VALUES")));
        let frame = Frame {
            at,
            close: if bracket == '(' { ')' } else { ']' },
            list: after_list_word || row || listed && bare,
            dropped: row && comma,
            ..Frame::default()
        };
        if !row && let Some(outer) = self.frame() {
            outer.rows = false;
        }
        self.frames.push(frame);
        self.pieces.push(Piece::Open(bracket));
    }

    fn close(&mut self, bracket: char) {
        let Some(frame) = self.frames.last().copied().filter(|frame| frame.close == bracket) else {
            // Closes nothing: the text's beginning was not seen.
            return self.push(Piece::Close(bracket));
        };
        self.frames.pop();
        let values = self.collapse(frame);
        let before = frame.at.checked_sub(1);
        let comma = before.and_then(|at| self.pieces.get(at)) == Some(&Piece::Comma);
        let twin = values
            && comma
            && self.frames.last().and_then(|outer| outer.values).is_some_and(|(_, to)| Some(to) == before);
        if let Some(before) = before
            && (frame.dropped && comma || twin)
        {
            self.pieces.truncate(before);
            return;
        }
        self.pieces.push(Piece::Close(bracket));
        let to = self.pieces.len();
        if let Some(outer) = self.frame() {
            outer.values = values.then_some((frame.at, to));
        }
    }

    /// Replaces a bracket's contents by `?+` if they are all values; returns whether they are now.
    fn collapse(&mut self, frame: Frame) -> bool {
        let from = frame.at + 1;
        let inside = self.pieces.get(from..).unwrap_or_default();
        let literal =
            |piece: &Piece<'_>| *piece == Piece::Value || frame.list && piece.is_any(&["NULL", "TRUE", "FALSE"]);
        let values = match inside {
            [Piece::Value, Piece::Op("+")] => true,
            [one] => frame.list && *one == Piece::Value,
            inside => {
                inside.len() % 2 == 1
                    && inside.iter().step_by(2).all(literal)
                    && inside.iter().skip(1).step_by(2).all(|piece| *piece == Piece::Comma)
                    && inside.contains(&Piece::Value)
            }
        };
        if values {
            self.pieces.truncate(from);
            self.pieces.push(Piece::Values);
        }
        values
    }

    /// At the end of the text, open brackets mean that it was cut.
    fn end(&mut self) {
        self.cut |= self.frames.len() > 1;
        if !self.cut {
            while self.pieces.last() == Some(&Piece::Semicolon) {
                self.pieces.pop();
            }
            return;
        }
        if let Some(at) = self.frames.iter().find(|frame| frame.dropped).map(|frame| frame.at) {
            self.frames.retain(|frame| frame.at < at);
            self.pieces.truncate(at);
        }
        self.drop_commas();
        if let Some(frame) = self.frames.last().copied()
            && self.frames.len() > 1
        {
            self.collapse(frame);
        }
    }

    fn drop_commas(&mut self) {
        loop {
            self.drop_signs();
            if self.pieces.last() != Some(&Piece::Comma) {
                break;
            }
            self.pieces.pop();
        }
    }

    /// The pieces as text, each with the blank before it.
    pub(super) fn render(&self) -> Vec<Cow<'_, str>> {
        let mut parts = Vec::with_capacity(self.pieces.len() * 2);
        for (at, piece) in self.pieces.iter().enumerate() {
            if at > 0 && self.is_apart(at) {
                parts.push(Cow::Borrowed(" "));
            }
            parts.push(piece.text());
        }
        if self.cut {
            parts.push(Cow::Borrowed(CUT));
        }
        parts
    }

    fn piece(&self, at: Option<usize>) -> Option<&Piece<'a>> {
        at.and_then(|at| self.pieces.get(at))
    }

    /// Whether a blank precedes a piece. Decided by the pieces alone, so that blanks in the text make no difference.
    fn is_apart(&self, at: usize) -> bool {
        let (Some(before), Some(piece)) = (self.piece(at.checked_sub(1)), self.piece(Some(at))) else { return false };
        let next = self.piece(at.checked_add(1));
        match (before, piece) {
            (_, Piece::Close(_) | Piece::Comma | Piece::Semicolon) | (Piece::Open(_), _) => false,
            (_, Piece::Dot) => !(before.is_name() || matches!(before, Piece::Close(_))),
            (Piece::Dot, _) => {
                let left = self.piece(at.checked_sub(2));
                !(left.is_some_and(|left| left.is_name() || matches!(left, Piece::Close(_)))
                    && (piece.is_name() || *piece == Piece::Op("*")))
            }
            (_, Piece::Op("::")) => !(before.is_operand() && next.is_some_and(Piece::is_name)),
            (Piece::Op("::"), _) => {
                let left = self.piece(at.checked_sub(2));
                !(left.is_some_and(Piece::is_operand) && piece.is_name())
            }
            (Piece::Keyword(word), Piece::Open('(')) => !is_called(word),
            (Piece::Keyword(word), Piece::Open(_)) => *word != "ARRAY",
            (Piece::Name(_), Piece::Open('(')) => self.names_a_table(at),
            (before, Piece::Open('[')) => !before.is_operand(),
            _ => true,
        }
    }

    /// Whether the name before `at` is a table's, so that columns follow, not arguments.
    fn names_a_table(&self, at: usize) -> bool {
        let mut at = at.checked_sub(2);
        while let Some(Piece::Dot) = self.piece(at) {
            at = at.and_then(|at| at.checked_sub(2));
        }
        self.piece(at)
            .is_some_and(|before| before.is_any(&["INTO", "TABLE", "EXISTS", "INSERT", "REPLACE", "REFERENCES"]))
    }
}

/// Removes control characters, as a fingerprint is shown.
fn printable(name: &str) -> Cow<'_, str> {
    if name.chars().any(char::is_control) {
        Cow::Owned(name.replace(char::is_control, "\u{fffd}"))
    } else {
        Cow::Borrowed(name)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// In capitals.
    Keyword(&'static str),
    /// A name without quotes.
    Name(Cow<'a, str>),
    /// A name in quotes.
    Quoted(Cow<'a, str>),
    /// `?`
    Value,
    /// `?+`
    Values,
    /// `(`, `[`
    Open(char),
    /// `)`, `]`
    Close(char),
    Comma,
    Semicolon,
    Dot,
    Op(&'a str),
}

impl Piece<'_> {
    /// Whether it is a value, so that a sign after it is an operator.
    pub(super) fn is_operand(&self) -> bool {
        match self {
            Self::Keyword(word) => is_operand(word),
            Self::Name(_) | Self::Quoted(_) | Self::Value | Self::Values | Self::Close(_) => true,
            _ => false,
        }
    }

    pub(super) fn is(&self, word: &str) -> bool {
        matches!(self, Self::Keyword(own) if *own == word)
    }

    pub(super) fn is_any(&self, words: &[&str]) -> bool {
        matches!(self, Self::Keyword(own) if words.contains(own))
    }

    pub(super) fn is_name(&self) -> bool {
        matches!(self, Self::Name(_) | Self::Quoted(_))
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Keyword(word) => Cow::Borrowed(word),
            Self::Name(name) | Self::Quoted(name) => Cow::Borrowed(name),
            Self::Value => Cow::Borrowed("?"),
            Self::Values => Cow::Borrowed("?+"),
            Self::Open(bracket) | Self::Close(bracket) => Cow::Owned(bracket.to_string()),
            Self::Comma => Cow::Borrowed(","),
            Self::Semicolon => Cow::Borrowed(";"),
            Self::Dot => Cow::Borrowed("."),
            Self::Op(operator) => Cow::Borrowed(operator),
        }
    }
}

/// SQL's words: they are in capitals in a fingerprint, and decide whether a sign belongs to a number. Sorted, without
/// those that are often column names (`key`, `type`, `user`, `value`, `status`), which keep their letters.
#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "ABORT", "ADD", "ALL", "ALTER", "ANALYZE", "AND", "ANY", "ARRAY", "AS", "ASC", "BEGIN", "BETWEEN", "BY", "CALL",
    "CASCADE", "CASE", "CAST", "COLLATE", "COLUMN", "COMMIT", "CONFLICT", "CONSTRAINT", "CREATE", "CROSS",
    "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "CURRENT_USER", "DECLARE", "DEFAULT", "DELAYED", "DELETE",
    "DESC", "DESCRIBE", "DISTINCT", "DISTINCTROW", "DIV", "DO", "DROP", "DUMPFILE", "DUPLICATE", "ELSE", "END",
    "ESCAPE", "EXCEPT", "EXECUTE", "EXISTS", "EXPLAIN", "FALSE", "FETCH", "FOR", "FORCE", "FOREIGN", "FROM", "FULL",
    "GLOB", "GRANT", "GROUP", "HAVING", "HIGH_PRIORITY", "IF", "IGNORE", "ILIKE", "IN", "INDEX", "INNER", "INSERT",
    "INTERSECT", "INTERVAL", "INTO", "IS", "ISNULL", "JOIN", "LATERAL", "LEFT", "LIKE", "LIMIT", "LOCK", "LOW_PRIORITY",
    "MATERIALIZED", "MERGE", "MOD", "NATURAL", "NOT", "NOTHING", "NOTNULL", "NOWAIT", "NULL", "NULLS", "OFFSET", "ON",
    "OR", "ORDER", "OUTER", "OUTFILE", "OVER", "PARTITION", "PRAGMA", "PRIMARY", "RECURSIVE", "REFERENCES", "REGEXP",
    "RELEASE", "REPLACE", "RETURNING", "REVOKE", "RIGHT", "RLIKE", "ROLLBACK", "SAVEPOINT", "SELECT", "SET", "SHOW",
    "SIMILAR", "SOME", "SQL_CALC_FOUND_ROWS", "SQL_NO_CACHE", "START", "STRAIGHT_JOIN", "TABLE", "TEMPORARY", "THEN",
    "TO", "TRANSACTION", "TRUE", "TRUNCATE", "UNION", "UNIQUE", "UPDATE", "USE", "USING", "VACUUM", "VALUES", "VIEW",
    "WHEN", "WHERE", "WINDOW", "WITH", "XOR",
];

/// Keywords that are values, so that a sign after them is an operator; sorted.
const OPERANDS: &[&str] =
    &["CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "CURRENT_USER", "END", "FALSE", "NULL", "TRUE"];

/// Functions often written in either case; in capitals if `(` follows. Sorted.
#[rustfmt::skip]
const FUNCTIONS: &[&str] = &[
    "ABS", "AVG", "BIT_AND", "BIT_OR", "CEIL", "CHAR_LENGTH", "COALESCE", "CONCAT", "CONCAT_WS", "CONVERT", "COUNT",
    "DATABASE", "DATE", "DATE_ADD", "DATE_FORMAT", "DATE_SUB", "EXTRACT", "FIELD", "FIND_IN_SET", "FLOOR", "FOUND_ROWS",
    "FROM_UNIXTIME", "GET_LOCK", "GREATEST", "GROUP_CONCAT", "IFNULL", "INSTR", "LAST_INSERT_ID", "LEAST", "LENGTH",
    "LOWER", "MAX", "MD5", "MIN", "MONTH", "NOW", "NULLIF", "RAND", "RANDOM", "RELEASE_LOCK", "ROUND", "ROW",
    "ROW_NUMBER", "STRING_AGG", "SUBSTR", "SUBSTRING", "SUM", "TO_CHAR", "TRIM", "UNIX_TIMESTAMP", "UPPER", "VERSION",
    "YEAR",
];

/// Keywords that are functions too: no space before their `(`. Sorted.
#[rustfmt::skip]
const CALLED: &[&str] = &[
    "CAST", "IF", "LEFT", "MOD", "REPLACE", "RIGHT", "TRUNCATE",
];

const LONGEST: usize = 20;

/// The word in capitals, if it is a keyword.
pub(super) fn keyword(word: &str) -> Option<&'static str> {
    find(KEYWORDS, word)
}

/// The word in capitals, if it names a well-known function.
pub(super) fn function(word: &str) -> Option<&'static str> {
    find(FUNCTIONS, word)
}

pub(super) fn is_operand(keyword: &str) -> bool {
    OPERANDS.binary_search(&keyword).is_ok()
}

pub(super) fn is_called(keyword: &str) -> bool {
    CALLED.binary_search(&keyword).is_ok()
}

fn find(list: &'static [&'static str], word: &str) -> Option<&'static str> {
    if word.len() > LONGEST {
        return None;
    }
    let upper = word.to_ascii_uppercase();
    list.binary_search(&upper.as_str()).ok().and_then(|at| list.get(at)).copied()
}

#[cfg(test)]
mod tests;
