//! The principal type is [`Fields`]: the header fields of a message, in their order, in one arena of bytes.

use crate::Name;
use crate::list::members;

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
    // starts and lengths in the arena
    name: (u32, u32),
    value: (u32, u32),
}

impl Fields {
    /// Forgets all, keeps the memory.
    pub fn clear(&mut self) {
        self.arena.clear();
        self.list.clear();
    }

    /// Adds a field at the end. Name and value are taken as they are: whoever pushes has checked them.
    ///
    /// All names and values together have at most 4 GiB; what does not fit is left out. The limits of a head are far
    /// below.
    pub fn push(&mut self, name: &[u8], value: &[u8]) {
        if let Some(span) = self.store(Name::of(name), name, value) {
            self.list.push(span);
        }
    }

    /// [`Fields::push`] of a field of which it is known which it is, so that its name need not be looked up.
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

    /// Forgets all, and takes a block of lines, of which [`Fields::push_part`] makes fields: one copy instead of two
    /// for each.
    pub(crate) fn begin(&mut self, block: &[u8], fields: usize) {
        self.clear();
        self.arena.extend_from_slice(block);
        self.list.reserve(fields);
    }

    /// Adds a field at the end whose name and value are parts of the block.
    pub(crate) fn push_part(&mut self, id: Name, block: &[u8], name: &[u8], value: &[u8]) {
        let part = |bytes: &[u8]| {
            let start = bytes.as_ptr().addr().wrapping_sub(block.as_ptr().addr());
            debug_assert!(block.get(start..start + bytes.len()) == Some(bytes), "a part of the block");
            (start as u32, bytes.len() as u32)
        };
        self.list.push(Span { id, name: part(name), value: part(value) });
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

    /// Makes this the only field of its name: where the first of that name was, or at the end. The bytes of what it
    /// replaces stay until [`Fields::clear`].
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

impl Span {
    fn field<'a>(&self, arena: &'a [u8]) -> Field<'a> {
        let part = |(start, length): (u32, u32)| &arena[start as usize..][..length as usize];
        Field { id: self.id, name: part(self.name), value: part(self.value) }
    }
}

#[cfg(test)]
mod tests;
