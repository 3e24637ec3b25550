//! The principal type is [`Notice`].

#[derive(Debug)]
pub(super) enum Notice {
    Hello {
        server_name: Option<String>,
    },
    HandshakeDone {
        took_ns: u64,
    },
    Login {
        took_ns: u64,
    },
    /// Something was asked and the answer began.
    Exchange {
        took_ns: u64,
    },
    Question {
        name: String,
        kind: String,
    },
    Answer {
        name: String,
        kind: String,
        took_ns: u64,
    },
}
