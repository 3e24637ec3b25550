//! Values of constant expressions ([`Value`]), and what names mean at some point of a file ([`Scope`]).

use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use bstr::BString;
use indexmap::IndexMap;

/// Limit for nested arrays and expressions.
pub(super) const DEPTH: usize = 64;

/// Limit on the total size of a file's values, in bytes, plus an allowance per byte of the file: `$a = $a . $a;`,
/// thirty times, would fill any memory.
const MOST: usize = 4 << 20;
const MOST_MORE: usize = 512;

#[derive(Debug)]
pub(super) struct Scope<'a> {
    file: &'a Path,
    namespace: BString,
    /// By short name in lower case.
    imports: HashMap<Vec<u8>, BString>,
    variables: HashMap<Vec<u8>, Value>,
    constants: HashMap<Vec<u8>, Value>,
    left: usize,
}

impl<'a> Scope<'a> {
    pub(super) fn new(file: &'a Path, length: usize, known: &[(&str, Value)]) -> Self {
        let variables = known.iter().map(|(name, value)| (name.as_bytes().to_vec(), value.clone())).collect();
        let (imports, constants) = Default::default();
        let left = length.saturating_mul(MOST_MORE).saturating_add(MOST);
        Self { file, namespace: BString::default(), imports, variables, constants, left }
    }

    pub(super) fn file(&self) -> BString {
        self.file.as_os_str().as_bytes().into()
    }

    pub(super) fn directory(&self) -> BString {
        dirname(self.file.as_os_str().as_bytes()).into()
    }

    pub(super) fn namespace(&self) -> &BString {
        &self.namespace
    }

    pub(super) fn enter(&mut self, namespace: &[u8]) {
        self.namespace = namespace.into();
        self.imports.clear();
    }

    pub(super) fn import(&mut self, name: &[u8], whole: &[u8]) {
        self.imports.insert(name.to_ascii_lowercase(), whole.strip_prefix(b"\\").unwrap_or(whole).into());
    }

    /// The qualified name of a class called `name` here.
    pub(super) fn class(&self, name: &[u8]) -> BString {
        if let Some(whole) = name.strip_prefix(b"\\") {
            return whole.into();
        }
        let (first, rest) = match memchr::memchr(b'\\', name) {
            Some(at) => name.split_at(at),
            None => (name, &[][..]),
        };
        let mut whole = if first.eq_ignore_ascii_case(b"namespace") && !rest.is_empty() {
            self.namespace.clone()
        } else if let Some(import) = self.imports.get(&first.to_ascii_lowercase()) {
            import.clone()
        } else if self.namespace.is_empty() {
            first.into()
        } else {
            [self.namespace.as_slice(), first].join(&b"\\"[..]).into()
        };
        whole.extend_from_slice(rest);
        whole.strip_prefix(b"\\").map(BString::from).unwrap_or(whole)
    }

    pub(super) fn variable(&mut self, name: &[u8]) -> Option<Value> {
        let value = self.variables.get(name)?;
        self.left = self.left.checked_sub(value.size().0)?;
        Some(value.clone())
    }

    pub(super) fn constant(&mut self, name: &[u8]) -> Option<Value> {
        let value = self.constants.get(name)?;
        self.left = self.left.checked_sub(value.size().0)?;
        Some(value.clone())
    }

    pub(super) fn take(&mut self, bytes: usize) -> bool {
        self.left.checked_sub(bytes).map(|left| self.left = left).is_some()
    }

    pub(super) fn set_variable(&mut self, name: &[u8], value: &Value) {
        match self.stored(value) {
            Some(value) => self.variables.insert(name.into(), value),
            None => self.variables.remove(name),
        };
    }

    pub(super) fn forget_variable(&mut self, name: &[u8]) {
        self.variables.remove(name);
    }

    pub(super) fn set_constant(&mut self, name: &[u8], value: &Value) {
        if let Some(value) = self.stored(value) {
            self.constants.insert(name.into(), value);
        }
    }

    /// Limits the nesting of values in values, which are dropped by recursion.
    fn stored(&mut self, value: &Value) -> Option<Value> {
        let (size, depth) = value.size();
        (depth <= DEPTH && self.take(size)).then(|| value.clone())
    }
}

pub(super) fn dirname(path: &[u8]) -> &[u8] {
    let trimmed = |path: &[u8]| path.iter().rposition(|byte| *byte != b'/').map_or(0, |last| last + 1);
    let rooted = path.first() == Some(&b'/');
    let head = path.get(..trimmed(path)).unwrap_or_default();
    let head = head.get(..head.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1)).unwrap_or_default();
    match (head.get(..trimmed(head)).unwrap_or_default(), rooted) {
        _ if path.is_empty() => path,
        ([], true) => b"/",
        ([], false) => b".",
        (parent, _) => parent,
    }
}

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
    /// A later value replaces an earlier one, at its place.
    elements: IndexMap<Value, Value>,
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
        self.elements.insert(key, value);
        true
    }

    pub(super) fn array(self) -> Value {
        Value::Array(self.elements.into_iter().collect())
    }
}

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
