//! The principal type is [`Object`].

/// The object behind a descriptor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Object {
    /// A file, by its name without folders.
    File(Vec<u8>),
    Socket(Socket),
    Pipe,
    /// Anything else: terminals, event counters.
    Other,
}

/// A socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Socket {
    /// Identifies it while it is open.
    pub id: u64,
    /// Whether messages are kept apart.
    pub datagram: bool,
    /// Whether this end accepted the connection, so that the peer is a client. Recognised by a port at which the
    /// process listened when it was first followed; for a Unix socket by having a name while its peer has none.
    pub accepted: bool,
    pub peer: Peer,
}

/// The other end of a socket.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Peer {
    Ip(std::net::SocketAddr),
    /// A path; an abstract one begins with `@`. Empty if the peer has no name.
    Unix(Vec<u8>),
    Unknown,
}
