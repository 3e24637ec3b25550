//! The principal type is [`ClientHello`]: how a client begins TLS.
//!
//! Source: RFC 8446, section 5.1 (records) and 4.1.2 (ClientHello); RFC 6066, section 3 (server name).

#[cfg(test)]
mod tests;

use super::reader::{ByteReader, printable};

/// Types of records.
const CHANGE_CIPHER_SPEC: u8 = 20;
const HANDSHAKE: u8 = 22;
const APPLICATION_DATA: u8 = 23;
/// Type of handshake message.
const CLIENT_HELLO: u8 = 1;
/// Type of extension.
const SERVER_NAME: u16 = 0;
/// Longest record: 2^14 and what TLS 1.2 allows ciphers to add.
const MAX_RECORD: u16 = (1 << 14) + 2048;
const MAX_NAME: usize = 255;

/// A client's first message of TLS.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientHello {
    /// `None` also if it was not seen.
    pub server_name: Option<String>,
}

/// A ClientHello at the beginning of a send.
pub fn client_hello(first: &[u8]) -> Option<ClientHello> {
    let mut reader = ByteReader(first);
    if !is_record(first) || reader.u8()? != HANDSHAKE {
        return None;
    }
    reader.take(4)?;
    if reader.u8()? != CLIENT_HELLO {
        return None;
    }
    Some(ClientHello { server_name: named(&mut reader) })
}

/// Number of data records that begin in a send. In TLS 1.3 the first is the end of the handshake itself.
pub fn application_data(payload: &[u8]) -> usize {
    record_types(payload).filter(|kind| *kind == APPLICATION_DATA).count()
}

/// Whether it contains a handshake record; in TLS 1.3 only the hello, as everything after it looks like data.
pub fn has_handshake(payload: &[u8]) -> bool {
    record_types(payload).any(|kind| kind == HANDSHAKE)
}

/// Types of the records that begin in a send: 20 change of cipher, 21 alert, 22 handshake, 23 data. Ends at anything
/// else, or if a record's end is not seen.
pub fn record_types(payload: &[u8]) -> impl Iterator<Item = u8> {
    let mut reader = ByteReader(payload);
    std::iter::from_fn(move || {
        if !is_record(reader.0) {
            return None;
        }
        let kind = reader.u8()?;
        reader.u16()?;
        let length = usize::from(reader.u16()?);
        if reader.take(length).is_none() {
            reader.0 = &[];
        }
        Some(kind)
    })
}

pub(super) fn is_record(first: &[u8]) -> bool {
    let mut reader = ByteReader(first);
    let (Some(kind), Some(3), Some(minor), Some(length)) = (reader.u8(), reader.u8(), reader.u8(), reader.u16()) else {
        return false;
    };
    (CHANGE_CIPHER_SPEC..=APPLICATION_DATA).contains(&kind) && minor <= 4 && (1..=MAX_RECORD).contains(&length)
}

/// The server's name in a hello, from its length on.
fn named(reader: &mut ByteReader<'_>) -> Option<String> {
    let [a, b, c] = reader.take(3)?.try_into().ok()?;
    let length = u32::from_be_bytes([0, a, b, c]) as usize;
    let mut reader = ByteReader(reader.0.get(..length).unwrap_or(reader.0));
    let _version_and_random = reader.take(2 + 32)?;
    let session = usize::from(reader.u8()?);
    reader.take(session)?;
    let ciphers = usize::from(reader.u16()?);
    reader.take(ciphers)?;
    let compressions = usize::from(reader.u8()?);
    reader.take(compressions)?;
    let extensions = usize::from(reader.u16()?);
    let mut extensions = ByteReader(reader.0.get(..extensions).unwrap_or(reader.0));
    while let Some((kind, body)) = extension(&mut extensions) {
        if kind == SERVER_NAME {
            return server_name(body);
        }
    }
    None
}

fn extension<'a>(reader: &mut ByteReader<'a>) -> Option<(u16, &'a [u8])> {
    let kind = reader.u16()?;
    let length = usize::from(reader.u16()?);
    Some((kind, reader.take(length)?))
}

/// The first host name in the list.
fn server_name(body: &[u8]) -> Option<String> {
    let mut reader = ByteReader(body);
    reader.u16()?;
    if reader.u8()? != 0 {
        return None;
    }
    let length = usize::from(reader.u16()?);
    let name = reader.take(length)?;
    (!name.is_empty()).then(|| printable(name, MAX_NAME))
}
