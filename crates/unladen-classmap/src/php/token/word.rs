//! One token of PHP's text. The principal type is [`Token`].

use std::borrow::Cow;

use crate::php::string::Piece;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) what: What<'a>,
    /// From 1.
    pub(crate) line: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What<'a> {
    /// A name or keyword as written, with its namespace: `array`, `A\B`, `\A\B`, `namespace\B`.
    Name(&'a [u8]),
    /// Without its `$`.
    Variable(&'a [u8]),
    /// The value of a string without variables.
    Text(Cow<'a, [u8]>),
    /// A string with plain variables.
    Template(Vec<Piece<'a>>),
    /// A string with other interpolation, a command, or a number that is no integer.
    Unknown,
    Int(i64),
    /// A sign: `=>`, `(`; a `;` for `?>`.
    Mark(&'a [u8]),
    End,
    /// PHP would fail here, as this was expected.
    Broken(&'static str),
}

impl What<'_> {
    pub(crate) fn words(&self) -> String {
        let of = |text: &[u8]| {
            let text = String::from_utf8_lossy(text);
            let short: String = text.chars().take(40).collect();
            if short.len() < text.len() { format!("`{short}…`") } else { format!("`{short}`") }
        };
        match self {
            Self::Name(name) | Self::Mark(name) => of(name),
            Self::Variable(name) => of(&[b"$", *name].concat()),
            Self::Text(text) => format!("the string {}", of(text)),
            Self::Template(_) | Self::Unknown => "what is only known as it runs".to_owned(),
            Self::Int(number) => format!("`{number}`"),
            Self::End => "the end of the file".to_owned(),
            Self::Broken(expected) => format!("what PHP cannot read: {expected}"),
        }
    }
}

pub(super) fn number_length(text: &[u8]) -> usize {
    let mut length = 0;
    while let Some(byte) = text.get(length) {
        let exponent = matches!(text.get(..length), Some([first, .., b'e' | b'E']) if *first != b'0')
            || matches!(text.get(..length), Some([b'0', second, .., b'e' | b'E']) if !matches!(second, b'x' | b'X'));
        let of_it = match byte {
            b'.' => text.get(length + 1).is_none_or(|next| *next != b'.') && !text.starts_with(b"0x"),
            b'+' | b'-' => exponent,
            byte => byte.is_ascii_alphanumeric() || *byte == b'_',
        };
        if !of_it {
            break;
        }
        length += 1;
    }
    length
}

/// An integer, or a number whose value does not matter here.
pub(super) fn number<'a>(text: &[u8]) -> What<'a> {
    let digits: String =
        text.iter().filter(|byte| **byte != b'_').map(|byte| byte.to_ascii_lowercase() as char).collect();
    let value = if let Some(hexadecimal) = digits.strip_prefix("0x") {
        i64::from_str_radix(hexadecimal, 16)
    } else if let Some(binary) = digits.strip_prefix("0b") {
        i64::from_str_radix(binary, 2)
    } else if let Some(octal) = digits.strip_prefix("0o").or(digits.strip_prefix('0')).filter(|octal| !octal.is_empty())
    {
        i64::from_str_radix(octal, 8)
    } else {
        digits.parse()
    };
    value.map_or(What::Unknown, What::Int)
}
