//! The principal type is [`Template`]: the parts of a page that stay the same between answers.
//!
//! Bodies are cut into pieces, at line ends, at `>` and at `,`, so that one token does not set aside a page in one long
//! line. Pieces are compared by hash. What differs between two answers to the same request becomes a gap. A gap that
//! was one piece in all answers matches any one piece, every other gap any number of them.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

/// Maximum recursion: unique pieces divide a body, and the parts in between are divided again.
const MAX_DEPTH: usize = 16;

/// Matching takes as many steps as there are pieces, unless gaps are followed by pieces that occur all over the page;
/// then it is given up.
const MAX_STEPS: usize = 20_000_000;

/// Share of the first answer that must stay the same for another one to be judged.
const LEAST_STABLE: f64 = 0.5;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template {
    tokens: Vec<Token>,
    length: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    Fixed(Piece),
    One,
    /// Any number of pieces; never beside another gap.
    Many,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece {
    hash: u64,
    length: usize,
}

impl Template {
    pub(crate) fn new(body: &[u8]) -> Self {
        Self { tokens: pieces(body).map(Token::Fixed).collect(), length: body.len() }
    }

    pub(crate) fn learn(&mut self, body: &[u8]) {
        let pieces: Vec<_> = pieces(body).collect();
        let mut tokens = Vec::with_capacity(self.tokens.len());
        merge(&self.tokens, &pieces, MAX_DEPTH, &mut tokens);
        self.tokens = joined(&tokens);
    }

    /// Whether this could be an answer to the same request; `None` if most of the page changes, or it takes too long.
    pub(crate) fn fits(&self, body: &[u8]) -> Option<bool> {
        let fixed: usize = self.fixed().map(|piece| piece.length).sum();
        if (fixed as f64) < LEAST_STABLE * self.length as f64 {
            return None;
        }
        fits(&self.tokens, &pieces(body).collect::<Vec<_>>())
    }

    fn fixed(&self) -> impl Iterator<Item = Piece> {
        self.tokens.iter().filter_map(|token| token.fixed())
    }
}

impl Token {
    fn fixed(self) -> Option<Piece> {
        if let Self::Fixed(piece) = self { Some(piece) } else { None }
    }

    fn is(self, piece: Piece) -> bool {
        match self {
            Self::Fixed(fixed) => fixed == piece,
            Self::One => true,
            Self::Many => false,
        }
    }
}

fn pieces(body: &[u8]) -> impl Iterator<Item = Piece> {
    body.split_inclusive(|byte| matches!(byte, b'\n' | b'>' | b','))
        .map(|piece| Piece { hash: xxh3_64(piece), length: piece.len() })
}

fn merge(mut tokens: &[Token], mut pieces: &[Piece], depth: usize, merged: &mut Vec<Token>) {
    // A gap is not followed yet: stable parts may be found behind it.
    let same = |(token, piece): &(&Token, &Piece)| **token == Token::Fixed(**piece);
    let begin = tokens.iter().zip(pieces).take_while(same).count();
    merged.extend_from_slice(&tokens[..begin]);
    (tokens, pieces) = (&tokens[begin..], &pieces[begin..]);
    let end = tokens.iter().rev().zip(pieces.iter().rev()).take_while(same).count();
    let (tokens, after) = tokens.split_at(tokens.len() - end);
    let pieces = &pieces[..pieces.len() - end];

    let anchors = if depth > 0 { anchors(tokens, pieces) } else { Vec::new() };
    if !anchors.is_empty() {
        let (mut token, mut piece) = (0, 0);
        for (next_token, next_piece) in anchors {
            merge(&tokens[token..next_token], &pieces[piece..next_piece], depth - 1, merged);
            merged.push(tokens[next_token]);
            (token, piece) = (next_token + 1, next_piece + 1);
        }
        merge(&tokens[token..], &pieces[piece..], depth - 1, merged);
    } else if tokens.len() == pieces.len() && !tokens.contains(&Token::Many) {
        let one_by_one = tokens.iter().zip(pieces);
        merged.extend(one_by_one.map(|(token, piece)| if token.is(*piece) { *token } else { Token::One }));
    } else {
        merged.push(Token::Many);
    }
    merged.extend_from_slice(after);
}

/// Positions of the longest sequence of pieces that occur once in both, in the same order: the first step of "patience
/// diff".
fn anchors(tokens: &[Token], pieces: &[Piece]) -> Vec<(usize, usize)> {
    // Position of each; `None` if it occurs more than once.
    let once = |hashes: &mut dyn Iterator<Item = (usize, u64)>| {
        let mut at: HashMap<u64, Option<usize>> = HashMap::new();
        for (position, hash) in hashes {
            at.entry(hash).and_modify(|position| *position = None).or_insert(Some(position));
        }
        at
    };
    if tokens.is_empty() || pieces.is_empty() {
        return Vec::new();
    }
    let of_tokens = tokens.iter().enumerate().filter_map(|(at, token)| Some((at, token.fixed()?.hash)));
    let in_tokens = once(&mut of_tokens.clone());
    let in_pieces = once(&mut pieces.iter().enumerate().map(|(at, piece)| (at, piece.hash)));
    let both = of_tokens.filter_map(|(at, hash)| {
        in_tokens[&hash]?;
        Some((at, (*in_pieces.get(&hash)?)?))
    });
    longest_rising(&both.collect::<Vec<_>>())
}

/// Longest increasing subsequence of the second numbers; the first are in order.
fn longest_rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length, the last pair of the sequence of that length that ends lowest; and each pair's predecessor.
    let mut ends: Vec<usize> = Vec::new();
    let mut before = vec![None; pairs.len()];
    for (index, (_, second)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].1 < *second);
        before[index] = length.checked_sub(1).map(|shorter| ends[shorter]);
        if length == ends.len() {
            ends.push(index);
        } else {
            ends[length] = index;
        }
    }
    let mut row = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(index) = next {
        row.push(pairs[index]);
        next = before[index];
    }
    row.reverse();
    row
}

fn joined(tokens: &[Token]) -> Vec<Token> {
    let mut joined: Vec<Token> = Vec::with_capacity(tokens.len());
    for gap in tokens.chunk_by(|a, b| a.fixed().is_none() && b.fixed().is_none()) {
        if gap.contains(&Token::Many) { joined.push(Token::Many) } else { joined.extend_from_slice(gap) }
    }
    joined
}

/// Matches like a file name pattern with `?` and `*`.
fn fits(tokens: &[Token], pieces: &[Piece]) -> Option<bool> {
    let (mut token, mut piece) = (0, 0);
    // After the last gap of any length: the next token, and the piece last tried for it.
    let mut gap: Option<(usize, usize)> = None;
    for _step in 0..MAX_STEPS {
        match (tokens.get(token), pieces.get(piece)) {
            (None, None) => return Some(true),
            (Some(Token::Many), _) => {
                token += 1;
                gap = Some((token, piece));
            }
            (Some(expected), Some(found)) if expected.is(*found) => {
                token += 1;
                piece += 1;
            }
            // The remaining tokens would have to come after the end.
            (Some(_), None) => return Some(false),
            _ => {
                let Some((after, tried)) = gap else { return Some(false) };
                (token, piece) = (after, tried + 1);
                gap = Some((token, piece));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests;
