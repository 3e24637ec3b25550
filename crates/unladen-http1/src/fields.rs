//! The principal type is [`Fields`]: the header fields of a message, in their order, in one arena of bytes.

use crate::Name;
use crate::bytes::members;

/// One field.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// Which it is, if it is one that matters.
    pub id: Name,
    /// Its name, as it came.
    pub name: &'a [u8],
    /// Its value, without the white space around it.
    pub value: &'a [u8],
}

/// Header fields in order. Memory is kept from message to message: [`Fields::clear`].
#[derive(Clone, Debug, Default)]
pub struct Fields {
    arena: Vec<u8>,
    list: Vec<Span>,
}

#[derive(Clone, Copy, Debug)]
struct Span {
    id: Name,
    start: u32,
    // lengths
    name: u32,
    value: u32,
}

// === impl Fields ===

impl Fields {
    /// Forgets all, keeps the memory.
    pub fn clear(&mut self) {
        self.arena.clear();
        self.list.clear();
    }

    /// Adds a field at the end. Name and value are taken as they are: whoever pushes has checked them.
    ///
    /// All names and values together have at most 4 GiB; what does not fit is left out. The limits of a head are far below.
    pub fn push(&mut self, name: &[u8], value: &[u8]) {
        self.push_as(Name::of(name), name, value);
    }

    /// The same with a name that is known.
    pub(crate) fn push_as(&mut self, id: Name, name: &[u8], value: &[u8]) {
        if let Some(span) = self.store(id, name, value) {
            self.list.push(span);
        }
    }

    fn store(&mut self, id: Name, name: &[u8], value: &[u8]) -> Option<Span> {
        let start = self.arena.len();
        u32::try_from(start + name.len() + value.len()).ok()?;
        self.arena.extend_from_slice(name);
        self.arena.extend_from_slice(value);
        Some(Span { id, start: start as u32, name: name.len() as u32, value: value.len() as u32 })
    }

    /// Forgets all, and makes room for so many bytes of names and values, and so many fields.
    pub(crate) fn begin(&mut self, bytes: usize, fields: usize) {
        self.clear();
        self.arena.reserve(bytes);
        self.list.reserve(fields);
    }

    /// Keeps the fields of which this is true.
    pub fn retain(&mut self, mut keep: impl FnMut(Field<'_>) -> bool) {
        let arena = &self.arena;
        self.list.retain(|span| keep(span.field(arena)));
    }

    /// Takes off all fields of a name that matters. [`Name::Other`] is none.
    pub fn remove(&mut self, id: Name) {
        if id != Name::Other {
            self.list.retain(|span| span.id != id);
        }
    }

    /// Makes this the only field of its name: where the first of that name was, or at the end. The bytes of what it replaces
    /// stay until [`Fields::clear`].
    pub fn set(&mut self, name: &[u8], value: &[u8]) {
        let id = Name::of(name);
        let Some(span) = self.store(id, name, value) else { return };
        let mut new = Some(span);
        let arena = &self.arena;
        self.list.retain_mut(|old| {
            if old.id != id || !old.field(arena).name.eq_ignore_ascii_case(name) {
                return true;
            }
            new.take().map(|span| *old = span).is_some()
        });
        self.list.extend(new);
    }

    /// As many as there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// In their order.
    pub fn iter(&self) -> impl Iterator<Item = Field<'_>> {
        self.list.iter().map(|span| span.field(&self.arena))
    }

    /// The first value of a field.
    pub fn get(&self, id: Name) -> Option<&[u8]> {
        self.list.iter().find(|span| span.id == id).map(|span| span.field(&self.arena).value)
    }

    /// The first value of a field by its name, in any case.
    pub fn find(&self, name: &[u8]) -> Option<&[u8]> {
        self.iter().find(|field| field.name.eq_ignore_ascii_case(name)).map(|field| field.value)
    }

    /// Whether a comma-separated list, in any of its lines, has this token (in any case): `Connection: close`.
    pub fn has_token(&self, id: Name, token: &[u8]) -> bool {
        let mut lines = self.list.iter().filter(|span| span.id == id);
        lines.any(|span| members(span.field(&self.arena).value).any(|member| member.eq_ignore_ascii_case(token)))
    }

    /// Whether the connection lasts beyond a message of this minor version.
    pub(crate) fn keep_alive(&self, minor: u8) -> bool {
        !self.has_token(Name::Connection, b"close") && (minor == 1 || self.has_token(Name::Connection, b"keep-alive"))
    }
}

// === impl Span ===

impl Span {
    fn field<'a>(&self, arena: &'a [u8]) -> Field<'a> {
        let name = self.start as usize;
        let value = name + self.name as usize;
        Field { id: self.id, name: &arena[name..value], value: &arena[value..value + self.value as usize] }
    }
}

#[cfg(test)]
mod tests;
