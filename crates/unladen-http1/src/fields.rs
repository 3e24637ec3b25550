//! The principal type is [`Fields`]: a message's header fields in order, in one arena.

use crate::Name;
use crate::bytes::members;

/// A header field.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    pub id: Name,
    /// The name as received.
    pub name: &'a [u8],
    /// The value without surrounding white space.
    pub value: &'a [u8],
}

/// Header fields in order. Memory is reused between messages: [`Fields::clear`].
#[derive(Clone, Debug, Default)]
pub struct Fields {
    arena: Vec<u8>,
    list: Vec<Span>,
}

#[derive(Clone, Copy, Debug)]
struct Span {
    id: Name,
    // start and length in the arena
    name: (u32, u32),
    value: (u32, u32),
}

impl Fields {
    /// Removes all, and keeps the memory.
    pub fn clear(&mut self) {
        self.arena.clear();
        self.list.clear();
    }

    /// Appends a field. Name and value are not checked.
    ///
    /// All names and values together have at most 4 GiB; what does not fit is left out. The limits of a head are far
    /// below.
    pub fn push(&mut self, name: &[u8], value: &[u8]) {
        if let Some(span) = self.store(Name::of(name), name, value) {
            self.list.push(span);
        }
    }

    /// [`Fields::push`] for a known field, without looking up its name.
    pub fn push_known(&mut self, id: Name, name: &'static [u8], value: &[u8]) {
        debug_assert_eq!(Name::of(name), id, "the name is another field's");
        if let Some(span) = self.store(id, name, value) {
            self.list.push(span);
        }
    }

    fn store(&mut self, id: Name, name: &[u8], value: &[u8]) -> Option<Span> {
        let start = self.arena.len();
        u32::try_from(start + name.len() + value.len()).ok()?;
        self.arena.extend_from_slice(name);
        self.arena.extend_from_slice(value);
        let name = (start as u32, name.len() as u32);
        Some(Span { id, name, value: (name.0 + name.1, value.len() as u32) })
    }

    /// Removes all, and takes a block of lines, of which [`Fields::push_part`] makes fields: one copy instead of two
    /// for each.
    pub(crate) fn begin(&mut self, block: &[u8], fields: usize) {
        self.clear();
        self.arena.extend_from_slice(block);
        self.list.reserve(fields);
    }

    pub(crate) fn push_part(&mut self, id: Name, block: &[u8], name: &[u8], value: &[u8]) {
        let part = |bytes: &[u8]| {
            let start = bytes.as_ptr().addr().wrapping_sub(block.as_ptr().addr());
            debug_assert!(block.get(start..start + bytes.len()) == Some(bytes), "a part of the block");
            (start as u32, bytes.len() as u32)
        };
        self.list.push(Span { id, name: part(name), value: part(value) });
    }

    /// Keeps the matching fields.
    pub fn retain(&mut self, mut keep: impl FnMut(Field<'_>) -> bool) {
        let arena = &self.arena;
        self.list.retain(|span| keep(span.field(arena)));
    }

    /// Removes all fields of a known name. [`Name::Other`] matches none.
    pub fn remove(&mut self, id: Name) {
        if id != Name::Other {
            self.list.retain(|span| span.id != id);
        }
    }

    /// Makes this the only field of its name, in place of the first one, or at the end. Replaced bytes stay in memory
    /// until [`Fields::clear`].
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

    /// The number of fields.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are no fields.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The fields in order.
    pub fn iter(&self) -> impl Iterator<Item = Field<'_>> {
        self.list.iter().map(|span| span.field(&self.arena))
    }

    /// The first value of a field.
    pub fn get(&self, id: Name) -> Option<&[u8]> {
        self.list.iter().find(|span| span.id == id).map(|span| span.field(&self.arena).value)
    }

    /// The first value of a field by name, in any case.
    pub fn find(&self, name: &[u8]) -> Option<&[u8]> {
        self.iter().find(|field| field.name.eq_ignore_ascii_case(name)).map(|field| field.value)
    }

    /// Whether a comma-separated list, on any of its lines, has this token (in any case): `Connection: close`.
    pub fn has_token(&self, id: Name, token: &[u8]) -> bool {
        let mut lines = self.list.iter().filter(|span| span.id == id);
        lines.any(|span| members(span.field(&self.arena).value).any(|member| member.eq_ignore_ascii_case(token)))
    }

    pub(crate) fn keep_alive(&self, minor: u8) -> bool {
        !self.has_token(Name::Connection, b"close") && (minor == 1 || self.has_token(Name::Connection, b"keep-alive"))
    }
}

impl Span {
    fn field<'a>(&self, arena: &'a [u8]) -> Field<'a> {
        let part = |(start, length): (u32, u32)| &arena[start as usize..][..length as usize];
        Field { id: self.id, name: part(self.name), value: part(self.value) }
    }
}

#[cfg(test)]
mod tests;
