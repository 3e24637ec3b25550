//! Finds the declaring words in any bytes. The principal type is [`Word`].

use wide::u8x16;

use crate::php::skip::{self, is, is_label};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Class,
    Interface,
    Trait,
    Enum,
    Namespace,
    ClassAlias,
    HaltCompiler,
}

impl Word {
    const ALL: [(Self, &'static [u8]); 7] = [
        (Self::Class, b"class"),
        (Self::Interface, b"interface"),
        (Self::Trait, b"trait"),
        (Self::Enum, b"enum"),
        (Self::Namespace, b"namespace"),
        (Self::ClassAlias, b"class_alias"),
        (Self::HaltCompiler, b"__halt_compiler"),
    ];

    pub(super) const fn length(self) -> usize {
        match self {
            Self::Class | Self::Trait => 5,
            Self::Interface | Self::Namespace => 9,
            Self::Enum => 4,
            Self::ClassAlias => 11,
            Self::HaltCompiler => 15,
        }
    }

    /// The first word that ends after `from`, and its offset. Only whole words count, and neither `$class` nor parts of
    /// a qualified name, except `\class_alias`.
    pub(super) fn next(source: &[u8], from: usize) -> Option<(usize, Self)> {
        let mut from = from;
        loop {
            let suspect = suspect(source, from)?;
            // Bytes of the word before the three that matched.
            let before = match source[suspect] | 0x20 {
                b'r' => 4,
                b'a' => 2,
                b'e' if source[suspect + 1] | 0x20 == b's' => 3,
                _ => 0,
            };
            if let Some(at) = suspect.checked_sub(before)
                && let Some(word) = Self::at(source, at)
            {
                return Some((at, word));
            }
            from = suspect + 1;
        }
    }

    fn at(source: &[u8], at: usize) -> Option<Self> {
        let rest = &source[at..];
        // Enough to tell the longest from a longer one: data can be one name of a megabyte, with suspects all over.
        let end = skip::label(&rest[..rest.len().min(Self::HaltCompiler.length() + 1)], 0);
        let name = &rest[..end];
        let (word, _) = Self::ALL.into_iter().find(|(_, text)| text.eq_ignore_ascii_case(name))?;
        match at.checked_sub(1).map(|before| source[before]) {
            Some(b'\\') if word != Self::ClassAlias => return None,
            Some(byte) if byte == b'$' || is_label(byte) => return None,
            _ => {}
        }
        if rest.get(end) == Some(&b'\\') { None } else { Some(word) }
    }
}

/// Offsets examined at once.
const LANE: usize = 16;
/// Bytes after an offset that decide whether it is suspect.
const AHEAD: usize = 2;

/// The first offset from `from` where a word may be, by three of its letters. Case-insensitive, and a lane of offsets
/// at once: every file is read to its end this way, code, strings and comments alike.
fn suspect(source: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(window) = source.get(at..).and_then(|rest| rest.first_chunk::<{ LANE + AHEAD }>()) {
        let hits = suspects(window);
        if hits != 0 {
            return Some(at + hits.trailing_zeros() as usize);
        }
        at += LANE;
    }
    let rest = source.get(at..)?;
    let mut window = [0; LANE + AHEAD];
    window[..rest.len()].copy_from_slice(rest);
    let found = suspects(&window).trailing_zeros() as usize;
    (found < rest.len()).then_some(at + found)
}

/// A bit for each offset with such letters.
#[inline(always)]
fn suspects(window: &[u8; LANE + AHEAD]) -> u32 {
    // The bit makes letters lower-case.
    let lane = |from: usize| {
        let mut lane = [0; LANE];
        lane.copy_from_slice(&window[from..from + LANE]);
        u8x16::new(lane) | u8x16::splat(0x20)
    };
    let (a, b, c) = (lane(0), lane(1), lane(2));
    let three = |word: &[u8; 3]| is(a, word[0] | 0x20) & is(b, word[1] | 0x20) & is(c, word[2]);
    // The three letters of class, interface, trait, enum, namespace and __halt_compiler that are rarest in code.
    (three(b"cla") | three(b"rfa") | three(b"ait") | three(b"enu") | three(b"esp") | three(b"__h")).to_bitmask()
}

#[cfg(test)]
mod tests;
