//! The words that declarations hang on, found in bytes of any kind. The principal type is [`Word`].

use super::super::skip::is_label;

/// A word that matters, in any case.
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
    /// All, none before one that it is the beginning of.
    const ALL: [(Self, &'static [u8]); 7] = [
        (Self::Class, b"class"),
        (Self::Interface, b"interface"),
        (Self::Trait, b"trait"),
        (Self::Enum, b"enum"),
        (Self::Namespace, b"namespace"),
        (Self::ClassAlias, b"class_alias"),
        (Self::HaltCompiler, b"__halt_compiler"),
    ];

    /// How long it is.
    pub(super) const fn length(self) -> usize {
        match self {
            Self::Class | Self::Trait => 5,
            Self::Interface | Self::Namespace => 9,
            Self::Enum => 4,
            Self::ClassAlias => 11,
            Self::HaltCompiler => 15,
        }
    }

    /// The first of these words at or behind `from`, and its offset. Only whole words count, and neither `$class` nor parts of a
    /// qualified name, but for `\class_alias`.
    pub(super) fn next(source: &[u8], from: usize) -> Option<(usize, Self)> {
        let mut from = from;
        loop {
            let at = suspect(source, from)?;
            if let Some(word) = Self::at(source, at) {
                return Some((at, word));
            }
            from = at + 1;
        }
    }

    fn at(source: &[u8], at: usize) -> Option<Self> {
        let rest = &source[at..];
        let end = rest.iter().position(|&byte| !is_label(byte)).unwrap_or(rest.len());
        let (_, word) = Self::ALL
            .iter()
            .map(|&(word, text)| (text, word))
            .find(|(text, _)| text.eq_ignore_ascii_case(&rest[..end]))?;
        let alias = word == Self::ClassAlias;
        match at.checked_sub(1).map(|before| source[before]) {
            Some(b'\\') if !alias => return None,
            Some(byte) if byte == b'$' || is_label(byte) => return None,
            _ => {}
        }
        if rest.get(end) == Some(&b'\\') { None } else { Some(word) }
    }
}

/// How many offsets are looked at at once.
const LANE: usize = 16;
/// How many bytes behind an offset tell whether it is suspect.
const AHEAD: usize = 2;

/// The first offset at or behind `from` where one of the words may begin, by its first three letters. In any case, and for a whole
/// lane of offsets at once: two thirds of all files hold none of the words, and this is all that is done with them.
fn suspect(source: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(window) = source.get(at..).and_then(|rest| rest.first_chunk::<{ LANE + AHEAD }>()) {
        let mut hits = [0_u8; LANE];
        for (i, hit) in hits.iter_mut().enumerate() {
            *hit = u8::from(begins(window[i] | 0x20, window[i + 1] | 0x20, window[i + 2] | 0x20));
        }
        let hits = u128::from_le_bytes(hits);
        if hits != 0 {
            return Some(at + (hits.trailing_zeros() / 8) as usize);
        }
        at += LANE;
    }
    let rest = source.get(at..)?;
    rest.windows(1 + AHEAD).position(|w| begins(w[0] | 0x20, w[1] | 0x20, w[2] | 0x20)).map(|found| at + found)
}

/// Whether a word begins with these three bytes, each with the bit that makes capitals small.
#[inline(always)]
const fn begins(a: u8, b: u8, c: u8) -> bool {
    ((a == b'c') & (b == b'l') & (c == b'a'))
        | ((a == b'i') & (b == b'n') & (c == b't'))
        | ((a == b't') & (b == b'r') & (c == b'a'))
        | ((a == b'e') & (b == b'n') & (c == b'u'))
        | ((a == b'n') & (b == b'a') & (c == b'm'))
        | ((a == b'_' | 0x20) & (b == b'_' | 0x20) & (c == b'h'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_in_any_case_wherever_they_are() {
        let all = |source: &[u8]| {
            let mut from = 0;
            std::iter::from_fn(|| {
                let (at, word) = Word::next(source, from)?;
                from = at + 1;
                Some((at, word))
            })
            .collect::<Vec<_>>()
        };
        for (word, text) in Word::ALL {
            assert_eq!(text.len(), word.length());
            for lead in 0..40 {
                for tail in [0, 1, 30] {
                    let source = [&vec![b' '; lead], text, &vec![b';'; tail]].concat();
                    assert_eq!(all(&source), [(lead, word)]);
                    assert_eq!(all(&source.to_ascii_uppercase()), [(lead, word)]);
                    let source = [&vec![b'_'; lead + 1], text].concat();
                    assert_eq!(all(&source), []);
                    let source = [text, &vec![b'9'; tail + 1]].concat();
                    assert_eq!(all(&source), []);
                }
            }
        }
        for none in [
            "$class",
            r"\class",
            r"class\a",
            "class\u{80}",
            "classes",
            "subclass",
            "clas",
            "int",
            "",
            "_class",
            "\u{7f}\u{7f}halt_compiler",
        ] {
            assert_eq!(all(none.as_bytes()), [], "{none}");
        }
        assert_eq!(
            all(br"\class_alias class?enum:trait"),
            [(1, Word::ClassAlias), (13, Word::Class), (19, Word::Enum), (24, Word::Trait)]
        );
    }
}
