//! The value of a constant expression. The principal type is [`Value`].

use std::collections::HashMap;

use bstr::BString;

/// A value of PHP, as far as constant expressions have them here.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Value {
    String(BString),
    /// An integer.
    Int(i64),
    /// `true` or `false`.
    Bool(bool),
    /// `null`
    Null,
    /// Keys, strings or integers, and their values, in PHP's order; no key is there twice.
    Array(Vec<(Value, Value)>),
}

/// What a value takes by itself.
const VALUE: usize = 2 * size_of::<Value>();

impl Value {
    /// The bytes, if it is a string.
    pub fn as_str(&self) -> Option<&[u8]> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// Keys and values, if it is an array.
    pub fn as_array(&self) -> Option<&[(Value, Value)]> {
        if let Self::Array(elements) = self { Some(elements) } else { None }
    }

    /// What it is, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::String(_) => "a string",
            Self::Int(_) => "a number",
            Self::Bool(_) => "a boolean",
            Self::Null => "null",
            Self::Array(_) => "an array",
        }
    }

    /// What PHP's `.` makes of it; nothing of an array.
    pub(super) fn text(self) -> Option<BString> {
        match self {
            Self::String(text) => Some(text),
            Self::Int(number) => Some(number.to_string().into()),
            Self::Bool(true) => Some("1".into()),
            Self::Bool(false) | Self::Null => Some("".into()),
            Self::Array(_) => None,
        }
    }

    /// What PHP makes of it as the key of an array; nothing of an array.
    fn key(self) -> Option<Self> {
        Some(match self {
            Self::String(text) => match std::str::from_utf8(&text).ok().and_then(|text| text.parse::<i64>().ok()) {
                // `"08"`, `"-0"` and `"+1"` stay strings.
                Some(number) if number.to_string().as_bytes() == text.as_slice() => Self::Int(number),
                _ => Self::String(text),
            },
            Self::Int(_) => self,
            Self::Bool(truth) => Self::Int(truth.into()),
            Self::Null => Self::String("".into()),
            Self::Array(_) => return None,
        })
    }

    /// How many bytes it takes, about, and how deep its arrays are.
    pub(super) fn size(&self) -> (usize, usize) {
        match self {
            Self::String(text) => (text.len() + VALUE, 0),
            Self::Array(elements) => elements.iter().fold((VALUE, 1), |(size, depth), (key, value)| {
                let (key, (inner, below)) = (key.size().0, value.size());
                (size + key + inner, depth.max(below + 1))
            }),
            _ => (VALUE, 0),
        }
    }
}

/// An array as its elements come.
#[derive(Debug, Default)]
pub(super) struct Elements {
    elements: Vec<(Value, Value)>,
    places: HashMap<Value, usize>,
    /// The number behind the highest one so far; as a literal array has it, from -3 on too.
    next: Option<i64>,
}

impl Elements {
    /// Adds one; without a key it gets the next number. Whether the key can be one.
    pub(super) fn add(&mut self, key: Option<Value>, value: Value) -> bool {
        let key = match key.map(Value::key) {
            Some(Some(key)) => key,
            Some(None) => return false,
            None => Value::Int(self.next.unwrap_or(0)),
        };
        if let Value::Int(number) = key {
            self.next = self.next.max(Some(number.saturating_add(1)));
        }
        // A later value takes the place of an earlier one.
        if let Some(earlier) = self.places.get(&key).and_then(|place| self.elements.get_mut(*place)) {
            earlier.1 = value;
        } else {
            self.places.insert(key.clone(), self.elements.len());
            self.elements.push((key, value));
        }
        true
    }

    pub(super) fn array(self) -> Value {
        Value::Array(self.elements)
    }
}
