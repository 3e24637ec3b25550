//! The principal type is [`Piece`].

use std::borrow::Cow;

use super::keywords::is_operand;

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
