//! The principal type is [`Fingerprint`]: a statement without its values, equal for statements that differ only in
//! these.

use std::borrow::Cow;

use crate::evidence::QueryProtocol;
use crate::sql::Dialect;
use crate::sql::lexer::CUT;
use crate::sql::normal::{Normal, Piece};

/// Longest fingerprint in bytes; a longer one is cut at a word and ends in `…`.
pub const MAX_FINGERPRINT: usize = 1000;
/// Most bytes of a statement that are read. Tracers send less; this bounds other sources.
pub const MAX_TEXT: usize = 64 << 10;

/// A statement without its values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    /// Literals and placeholders as `?`, lists as `(?+)`, keywords in capitals, single blanks between words, no
    /// comments.
    pub text: String,
    pub writes: bool,
    /// The text was incomplete, or its fingerprint was cut.
    pub truncated: bool,
}

/// The comparable form of a statement.
///
/// - Literals and placeholders become `?`, including their sign where it belongs to them. `TRUE`, `FALSE` and `NULL`
///   stay.
/// - A list of them becomes `(?+)`; after IN and VALUES also a list of one, and one with NULL, TRUE or FALSE among
///   values. Of rows after VALUES the first stays.
/// - Comments are dropped, including optimizer hints; of MySQL's `/*! … */` the inside stays.
/// - Keywords, and well-known functions that are called, are in capitals; names and their quotes stay.
/// - A text that ends in a string, a comment or a bracket ends in `…`, and so does one longer than [`MAX_FINGERPRINT`].
///
/// `writes`: INSERT, UPDATE, DELETE, REPLACE, MERGE, TRUNCATE, LOAD, COPY … FROM and schema changes (temporary tables
/// too), in any of several statements, after WITH and inside it. `SELECT … INTO table` writes in PostgreSQL, where it
/// makes a table; `INTO OUTFILE` and `INTO @variable` change no data. `SELECT … FOR UPDATE` locks rows without changing
/// them: it reads. What a called procedure does is unknown: `CALL` and `DO` read.
///
/// A fingerprint is its own fingerprint.
pub fn fingerprint(text: &[u8], dialect: Dialect) -> Fingerprint {
    let known = text.get(..MAX_TEXT).unwrap_or(text);
    let mut source = String::from_utf8_lossy(known).into_owned();
    if known.len() < text.len() {
        source.push_str(CUT);
    }
    let made = Normal::of(&source, dialect);
    let writes = writes(&made.pieces, dialect);
    let rendered = made.render();
    match cut_to_length(&rendered) {
        // Cutting may leave a list open, so the result is normalised again.
        Some(cut) => {
            let text = Normal::of(&cut, dialect).render().into_iter().collect();
            Fingerprint { text, writes, truncated: true }
        }
        None => Fingerprint { text: rendered.into_iter().collect(), writes, truncated: made.cut },
    }
}

/// The words up to the bound, if it is exceeded.
fn cut_to_length(rendered: &[Cow<'_, str>]) -> Option<String> {
    let total: usize = rendered.iter().map(|part| part.len()).sum();
    if total <= MAX_FINGERPRINT {
        return None;
    }
    let mut cut = String::new();
    for part in rendered {
        if cut.len() + part.len() + CUT.len() > MAX_FINGERPRINT {
            break;
        }
        cut.push_str(part);
    }
    cut.truncate(cut.trim_end().len());
    cut.push_str(CUT);
    Some(cut)
}

/// First words of statements that change data or the schema, except COPY.
const WRITING: &[&str] = &[
    "ALTER", "CLUSTER", "COMMENT", "CREATE", "DELETE", "DROP", "GRANT", "IMPORT", "INSERT", "LOAD", "MERGE",
    "OPTIMIZE", "REFRESH", "REINDEX", "RENAME", "REPAIR", "REPLACE", "REVOKE", "TRUNCATE", "UPDATE",
];

pub(super) fn writes(pieces: &[Piece<'_>], dialect: Dialect) -> bool {
    pieces.split(|piece| *piece == Piece::Semicolon).any(|part| one_writes(part, dialect))
}

fn one_writes(pieces: &[Piece<'_>], dialect: Dialect) -> bool {
    let Some(verb) = verb(pieces) else { return false };
    let word = word(pieces, verb);
    let after = pieces.get(verb + 1..).unwrap_or_default();
    if WRITING.iter().any(|writing| word.eq_ignore_ascii_case(writing)) {
        return true;
    }
    if word.eq_ignore_ascii_case("copy") {
        return outside_brackets(after).any(|(_, piece)| named(piece, "FROM"));
    }
    // WITH gone AS (DELETE …) SELECT …
    let inside = pieces.iter().zip(pieces.iter().skip(1)).take(verb).any(|(before, piece)| {
        matches!(before, Piece::Open('('))
            && ["INSERT", "UPDATE", "DELETE", "MERGE"].iter().any(|verb| named(piece, verb))
    });
    inside || dialect == Dialect::Postgres && word.eq_ignore_ascii_case("select") && makes_a_table(after)
}

/// SELECT … INTO table; not INTO OUTFILE or INTO @variable.
fn makes_a_table(after: &[Piece<'_>]) -> bool {
    outside_brackets(after).any(|(at, piece)| {
        named(piece, "INTO")
            && after.get(at + 1).is_some_and(|next| {
                !matches!(next, Piece::Op("@")) && !named(next, "OUTFILE") && !named(next, "DUMPFILE")
            })
    })
}

/// Position of the main verb: the first word, after brackets; with WITH the one after its parts.
fn verb(pieces: &[Piece<'_>]) -> Option<usize> {
    let first = pieces.iter().position(|piece| !matches!(piece, Piece::Open(_)))?;
    if !pieces.get(first).is_some_and(|piece| named(piece, "WITH")) {
        return Some(first);
    }
    let verbs = ["SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE", "VALUES", "TABLE"];
    let rest = pieces.get(first..).unwrap_or_default();
    outside_brackets(rest)
        .find(|(_, piece)| verbs.iter().any(|verb| matches!(piece, Piece::Keyword(own) if own == verb)))
        .map(|(at, _)| first + at)
}

fn outside_brackets<'a, 'p>(pieces: &'p [Piece<'a>]) -> impl Iterator<Item = (usize, &'p Piece<'a>)> {
    let mut depth = 0_usize;
    pieces.iter().enumerate().filter(move |(_, piece)| {
        match piece {
            Piece::Open(_) => depth += 1,
            Piece::Close(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    })
}

fn word<'p>(pieces: &'p [Piece<'_>], at: usize) -> &'p str {
    match pieces.get(at) {
        Some(Piece::Keyword(word)) => word,
        Some(Piece::Name(name)) => name,
        _ => "",
    }
}

fn named(piece: &Piece<'_>, word: &str) -> bool {
    match piece {
        Piece::Keyword(own) => *own == word,
        Piece::Name(name) => name.eq_ignore_ascii_case(word),
        _ => false,
    }
}

/// Replaces a value of SQLite that was in the text.
const LEFT_OUT: &str = "…";

/// A statement of this fingerprint, as evidence stores it: without values. Those in texts given to SQLite's library
/// become `…`, so that separate values can still be recognised; all others become `?`.
///
/// ```
/// use unladen_trace::QueryProtocol;
/// use unladen_trace::sql::without_values;
///
/// let (text, fingerprint) = ("select a from t where token = 'x'", "SELECT a FROM t WHERE token = ?");
/// assert_eq!(without_values(text, fingerprint, QueryProtocol::Mysql), fingerprint);
/// assert_eq!(without_values(text, fingerprint, QueryProtocol::Sqlite), "SELECT a FROM t WHERE token = …");
/// ```
pub fn without_values(text: &str, fingerprint: &str, protocol: QueryProtocol) -> String {
    if protocol == QueryProtocol::Sqlite && !has_placeholder(text) {
        return fingerprint.replace('?', LEFT_OUT);
    }
    fingerprint.to_owned()
}

/// Whether values are given apart from the text: `?`, `?1`, `:name`, `@name`, `$name` outside of quotes.
pub fn has_placeholder(text: &str) -> bool {
    let mut quote = None;
    let mut before = ' ';
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(letter),
            (None, '?') => return true,
            // `::` is a cast.
            (None, ':' | '@' | '$') if before != ':' && letters.peek().is_some_and(|next| next.is_alphanumeric()) => {
                return true;
            }
            (None, _) => {}
        }
        before = letter;
    }
    false
}

#[cfg(test)]
mod tests;
