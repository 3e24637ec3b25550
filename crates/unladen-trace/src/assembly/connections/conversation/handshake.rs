//! The principal type is [`Handshake`]: a client's part of beginning TLS, up to the first data.

use crate::wire::tls;

/// Clients of TLS 1.3 may send this before their second hello, for the sake of old middleboxes (RFC 8446, D.4).
const CHANGE_CIPHER_SPEC: &[u8] = &[20, 3, 3, 0, 1, 1];

#[derive(Debug, Default)]
pub(super) struct Handshake {
    /// When the hello was sent, ns; `None` before it, and after the end.
    hello_ns: Option<u64>,
    /// TLS 1.2 or older: the client ends the handshake by a record of the handshake's own type, and the first record of
    /// data is data. In TLS 1.3 everything after the hello looks like data, and the first of it is the end of the
    /// handshake.
    is_old: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sent {
    Hello {
        server_name: Option<String>,
    },
    /// More of the handshake, or nothing conclusive.
    Handshake,
    Done {
        /// Since the hello, ns.
        took_ns: u64,
        /// Data was sent with it.
        with_data: bool,
    },
    Data,
}

impl Handshake {
    pub(super) fn sent(&mut self, payload: &[u8], begun_ns: u64, at_ns: u64) -> Sent {
        let hello = payload.strip_prefix(CHANGE_CIPHER_SPEC).unwrap_or(payload);
        if let Some(hello) = tls::client_hello(hello) {
            // A second one, after the server rejected the first, belongs to the same handshake.
            if self.hello_ns.is_some() {
                return Sent::Handshake;
            }
            *self = Self { hello_ns: Some(begun_ns), is_old: false };
            return Sent::Hello { server_name: hello.server_name };
        }
        self.is_old |= tls::has_handshake(payload);
        let data = tls::application_data(payload);
        match self.hello_ns {
            _ if data == 0 => Sent::Handshake,
            None => Sent::Data,
            Some(hello_ns) => {
                self.hello_ns = None;
                let end_ns = if self.is_old { begun_ns } else { at_ns };
                Sent::Done { took_ns: end_ns.saturating_sub(hello_ns), with_data: self.is_old || data > 1 }
            }
        }
    }
}

#[cfg(test)]
mod tests;
