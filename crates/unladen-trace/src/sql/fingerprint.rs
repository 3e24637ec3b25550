//! The principal type is [`Fingerprint`]: a statement without its values, equal for statements that differ only in
//! these.

use std::borrow::Cow;

use super::Dialect;
use super::lexer::CUT;
use super::normal::Normal;
use super::statement::{self, StatementKind};

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
    pub kind: StatementKind,
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
    let (kind, writes) = (statement::kind(&made.pieces), statement::writes(&made.pieces, dialect));
    let rendered = made.render();
    match cut_to_length(&rendered) {
        // Cutting may leave a list open, so the result is normalised again.
        Some(cut) => {
            let text = Normal::of(&cut, dialect).render().into_iter().collect();
            Fingerprint { text, writes, kind, truncated: true }
        }
        None => Fingerprint { text: rendered.into_iter().collect(), writes, kind, truncated: made.cut },
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
