//! The principal type is [`Handshake`]: a client's part of beginning TLS, up to the first data.

use crate::wire::tls;

/// What a client of TLS 1.3 may send before its second hello, so that old boxes on the way are content (RFC 8446, D.4).
const CHANGE_CIPHER_SPEC: &[u8] = &[20, 3, 3, 0, 1, 1];

/// Where a handshake is.
#[derive(Debug, Default)]
pub(super) struct Handshake {
    /// When the hello was sent, ns; none before it, and after the end.
    hello_ns: Option<u64>,
    /// TLS 1.2 or older: the client ends the handshake by a record of the handshake's own type, and the first record of
    /// data is data. In TLS 1.3 all that follows the hello looks like data, and the first of it is the end of the
    /// handshake.
    is_old: bool,
}

/// What a client has sent.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sent {
    /// The first hello.
    Hello {
        /// The name that was asked for.
        server_name: Option<String>,
    },
    /// More of the handshake, or nothing that tells.
    Handshake,
    /// The end of the handshake.
    Done {
        /// Since the hello, ns.
        took_ns: u64,
        /// Data was sent with it.
        with_data: bool,
    },
    /// Data.
    Data,
}

impl Handshake {
    /// Something was sent, from `begun_ns` to `at_ns`.
    pub(super) fn sent(&mut self, payload: &[u8], begun_ns: u64, at_ns: u64) -> Sent {
        let hello = payload.strip_prefix(CHANGE_CIPHER_SPEC).unwrap_or(payload);
        if let Some(hello) = tls::client_hello(hello) {
            // A second one, as the server could do nothing with the first, is of the same handshake.
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
mod tests {
    use super::*;

    const DATA: [u8; 7] = [23, 3, 3, 0, 2, 9, 9];

    fn hello() -> Vec<u8> {
        let mut hello = vec![22, 3, 1, 0, 45, 1, 0, 0, 41, 3, 3];
        hello.extend_from_slice(&[7; 32]);
        hello.extend_from_slice(&[0, 0, 2, 0x13, 0x01, 1, 0, 0, 0]);
        hello
    }

    fn begun() -> Handshake {
        let mut handshake = Handshake::default();
        assert_eq!(handshake.sent(&hello(), 1_000, 1_100), Sent::Hello { server_name: None });
        handshake
    }

    #[test]
    fn what_was_asked_over_tls_1_2_was_taken_for_the_end_of_its_handshake() {
        let mut handshake = begun();
        let end = [[22, 3, 3, 0, 1, 16].as_slice(), CHANGE_CIPHER_SPEC, &[22, 3, 3, 0, 2, 9, 9]].concat();
        assert_eq!(handshake.sent(&end, 2_000, 2_100), Sent::Handshake);
        assert_eq!(handshake.sent(&DATA, 4_000, 4_100), Sent::Done { took_ns: 3_000, with_data: true });
        assert_eq!(handshake.sent(&DATA, 5_000, 5_100), Sent::Data);
    }

    #[test]
    fn tls_1_3_ends_its_handshake_by_what_looks_like_data() {
        let mut handshake = begun();
        let end = [CHANGE_CIPHER_SPEC, &DATA].concat();
        assert_eq!(handshake.sent(&end, 4_000, 4_100), Sent::Done { took_ns: 3_100, with_data: false });
        assert_eq!(handshake.sent(&DATA, 5_000, 5_100), Sent::Data);
        // Some send the end and the first data at once.
        let end = [CHANGE_CIPHER_SPEC, &DATA, &DATA].concat();
        assert_eq!(begun().sent(&end, 4_000, 4_100), Sent::Done { took_ns: 3_100, with_data: true });
    }

    #[test]
    fn a_second_hello_is_of_the_same_handshake() {
        let mut handshake = begun();
        let again = [CHANGE_CIPHER_SPEC, &hello()].concat();
        assert_eq!(handshake.sent(&again, 2_000, 2_100), Sent::Handshake);
        assert_eq!(handshake.sent(&DATA, 4_000, 4_100), Sent::Done { took_ns: 3_100, with_data: false });
    }
}
