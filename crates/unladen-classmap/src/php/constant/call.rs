//! The principal type is [`Call`].

use super::value::Value;

/// A call of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub name: String,
    /// From 1.
    pub line: u32,
    /// Arguments; `None` for one that is not constant.
    pub args: Vec<Option<Value>>,
    /// Whether it is in braces, or depends on an `if` or the like.
    pub conditional: bool,
}
