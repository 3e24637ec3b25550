//! The value of a constant expression. The principal type is [`Value`].

use std::collections::HashMap;

use bstr::BString;

/// A value of PHP, as far as constant expressions are supported.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Value {
    String(BString),
    Int(i64),
    Bool(bool),
    Null,
    /// Keys (strings or integers) and values, in PHP's order; keys are unique.
    Array(Vec<(Value, Value)>),
}

const VALUE: usize = 2 * size_of::<Value>();

impl Value {
    /// The bytes of a string.
    pub fn as_str(&self) -> Option<&[u8]> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// Keys and values of an array.
    pub fn as_array(&self) -> Option<&[(Value, Value)]> {
        if let Self::Array(elements) = self { Some(elements) } else { None }
    }

    /// The type's name, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::String(_) => "a string",
            Self::Int(_) => "a number",
            Self::Bool(_) => "a boolean",
            Self::Null => "null",
            Self::Array(_) => "an array",
        }
    }

    /// Converts to a string as PHP's `.` does; `None` for an array.
    pub(super) fn text(self) -> Option<BString> {
        match self {
            Self::String(text) => Some(text),
            Self::Int(number) => Some(number.to_string().into()),
            Self::Bool(true) => Some("1".into()),
            Self::Bool(false) | Self::Null => Some("".into()),
            Self::Array(_) => None,
        }
    }

    /// Converts to an array key as PHP does; `None` for an array.
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

    /// Approximate size in bytes, and depth of its arrays.
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

#[derive(Debug, Default)]
pub(super) struct Elements {
    elements: Vec<(Value, Value)>,
    places: HashMap<Value, usize>,
    /// The next automatic key: one more than the highest so far; literal arrays count from -3 on, too.
    next: Option<i64>,
}

impl Elements {
    /// Adds an element, with the next number if it has no key. Returns whether the key is valid.
    pub(super) fn add(&mut self, key: Option<Value>, value: Value) -> bool {
        let key = match key.map(Value::key) {
            Some(Some(key)) => key,
            Some(None) => return false,
            None => Value::Int(self.next.unwrap_or(0)),
        };
        if let Value::Int(number) = key {
            self.next = self.next.max(Some(number.saturating_add(1)));
        }
        // A later value replaces an earlier one.
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
