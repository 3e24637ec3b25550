//! The principal type is [`Notice`].

/// What a conversation noticed.
#[derive(Debug)]
pub(super) enum Notice {
    /// A TLS handshake began.
    Hello {
        /// The name that was asked for.
        server_name: Option<String>,
    },
    /// It ended, and took so long.
    HandshakeDone { took_ns: u64 },
    /// Greeting and login at a database are over.
    Login { took_ns: u64 },
    /// Something was asked and the answer began.
    Exchange { took_ns: u64 },
    /// A name was asked of the DNS.
    Question {
        name: String,
        /// `A`
        kind: String,
    },
    /// Its answer came.
    Answer {
        name: String,
        /// `A`
        kind: String,
        took_ns: u64,
    },
}
