//! The principal type is [`Notice`].

/// An observation of a conversation.
#[derive(Debug)]
pub(super) enum Notice {
    Hello {
        server_name: Option<String>,
    },
    HandshakeDone { took_ns: u64 },
    Login { took_ns: u64 },
    /// Something was asked and the answer began.
    Exchange { took_ns: u64 },
    /// A DNS question was asked.
    Question {
        name: String,
        /// Such as `A`.
        kind: String,
    },
    Answer {
        name: String,
        /// Such as `A`.
        kind: String,
        took_ns: u64,
    },
}
