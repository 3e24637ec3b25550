//! The principal type is [`Call`].

use super::value::Value;

/// A call of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The function, as it was asked for.
    pub name: String,
    /// Its line, from 1.
    pub line: u32,
    /// The values of its arguments; nothing for one that is not constant.
    pub args: Vec<Option<Value>>,
    /// Whether it stands in braces, or hangs on an `if` or the like.
    pub conditional: bool,
}
