//! The principal type is [`Counts`]: what has passed.

/// Of all connections since the start.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// Connections that were accepted.
    pub(crate) connections: u64,
    /// Bytes of clients that were forwarded.
    pub(crate) to_service: u64,
    /// Bytes of the service that were forwarded.
    pub(crate) to_client: u64,
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { connections, to_service, to_client } = self;
        write!(f, "connections {connections}\nto_service_bytes {to_service}\nto_client_bytes {to_client}\n")
    }
}
