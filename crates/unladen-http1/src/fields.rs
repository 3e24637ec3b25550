//! The principal type is [`Fields`]: the header fields of a message, in their order, in one arena of bytes.

/// Fields whose name matters on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Name {
    Host,
    Connection,
    ContentLength,
    TransferEncoding,
    KeepAlive,
    ProxyConnection,
    Te,
    Trailer,
    Upgrade,
    Expect,
    Via,
    Forwarded,
    XForwardedFor,
    XForwardedHost,
    XForwardedProto,
    XRequestId,
    Traceparent,
    Date,
    Http2Settings,
    Other,
}

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
    name: u16,
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
    pub fn push(&mut self, name: &[u8], value: &[u8]) {
        todo!("{} {}", name.len(), value.len())
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
        self.list.iter().map(|span| {
            let name = span.start as usize;
            let value = name + usize::from(span.name);
            Field { id: span.id, name: &self.arena[name..value], value: &self.arena[value..value + span.value as usize] }
        })
    }

    /// The first value of a field.
    pub fn get(&self, id: Name) -> Option<&[u8]> {
        self.iter().find(|field| field.id == id).map(|field| field.value)
    }

    /// The first value of a field by its name, in any case.
    pub fn find(&self, name: &[u8]) -> Option<&[u8]> {
        self.iter().find(|field| field.name.eq_ignore_ascii_case(name)).map(|field| field.value)
    }

    /// Whether a comma-separated list, in any of its lines, has this token (in any case): `Connection: close`.
    pub fn has_token(&self, id: Name, token: &[u8]) -> bool {
        todo!("{id:?} {}", token.len())
    }
}

// === impl Name ===

impl Name {
    /// Which field this is, in any case.
    pub fn of(name: &[u8]) -> Self {
        todo!("{}", name.len())
    }

    /// Whether it belongs to one connection alone and is never passed on (RFC 9110, section 7.6.1). What `Connection` lists
    /// besides is to be found with [`Fields::has_token`].
    pub fn is_hop_by_hop(self) -> bool {
        todo!("{self:?}")
    }
}
