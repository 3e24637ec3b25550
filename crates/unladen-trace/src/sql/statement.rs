//! The principal type is [`StatementKind`].

use super::Dialect;
use super::piece::Piece;

/// What a statement does, by its words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StatementKind {
    /// SELECT, VALUES, TABLE; also after WITH.
    Select,
    Insert,
    Update,
    Delete,
    Replace,
    Merge,
    /// BEGIN, START TRANSACTION.
    Begin,
    /// COMMIT, END.
    Commit,
    /// ROLLBACK, ABORT; not ROLLBACK TO a savepoint.
    Rollback,
    Set,
    /// Anything else, and what is truncated too early.
    #[default]
    Other,
}

/// First words of statements that change data or the schema, except COPY.
const WRITING: &[&str] = &[
    "ALTER", "CLUSTER", "COMMENT", "CREATE", "DELETE", "DROP", "GRANT", "IMPORT", "INSERT", "LOAD", "MERGE",
    "OPTIMIZE", "REFRESH", "REINDEX", "RENAME", "REPAIR", "REPLACE", "REVOKE", "TRUNCATE", "UPDATE",
];

pub(super) fn kind(pieces: &[Piece<'_>]) -> StatementKind {
    let pieces = pieces.split(|piece| *piece == Piece::Semicolon).find(|part| !part.is_empty()).unwrap_or_default();
    let Some(verb) = verb(pieces) else { return StatementKind::Other };
    let word = word(pieces, verb);
    let has = |wanted: &str| pieces.iter().any(|piece| named(piece, wanted));
    match word.to_ascii_uppercase().as_str() {
        "SELECT" | "VALUES" | "TABLE" => StatementKind::Select,
        "INSERT" => StatementKind::Insert,
        "UPDATE" => StatementKind::Update,
        "DELETE" => StatementKind::Delete,
        "REPLACE" => StatementKind::Replace,
        "MERGE" => StatementKind::Merge,
        "BEGIN" => StatementKind::Begin,
        "START" if has("TRANSACTION") => StatementKind::Begin,
        "COMMIT" | "END" => StatementKind::Commit,
        "ROLLBACK" | "ABORT" if !has("TO") => StatementKind::Rollback,
        "SET" => StatementKind::Set,
        _ => StatementKind::Other,
    }
}

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
