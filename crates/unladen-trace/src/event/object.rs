//! The principal type is [`Object`]: what stands behind a descriptor.

/// What stands behind a descriptor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Object {
    /// A file, by its own name without folders.
    File(Vec<u8>),
    Socket(Socket),
    Pipe,
    /// Anything else: terminals, event counters.
    Other,
}

/// A socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Socket {
    /// Stands for it while it is open.
    pub id: u64,
    /// Whether it keeps messages apart (datagrams).
    pub datagram: bool,
    /// This end accepted the connection: the peer is a client. It is told by the port, if that is one at which the
    /// process listened when it was first followed; a Unix socket's by having the name and its peer none.
    pub accepted: bool,
    pub peer: Peer,
}

/// The other end of a socket.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Peer {
    /// An address and a port.
    Ip(std::net::SocketAddr),
    /// A path; an abstract one begins with `@`. Empty where the peer has no name.
    Unix(Vec<u8>),
    /// Not known.
    Unknown,
}
