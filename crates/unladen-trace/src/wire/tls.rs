//! The principal type is [`ClientHello`]: how a client begins TLS.
//!
//! Source: RFC 8446, section 5.1 (records) and 4.1.2 (ClientHello); RFC 6066, section 3 (server name); RFC 5077
//! (tickets).

#[cfg(test)]
mod tests;

use super::reader::{ByteReader, printable};

/// Types of records.
const CHANGE_CIPHER_SPEC: u8 = 20;
const HANDSHAKE: u8 = 22;
const APPLICATION_DATA: u8 = 23;
/// Type of handshake message.
const CLIENT_HELLO: u8 = 1;
/// Extensions.
const SERVER_NAME: u16 = 0;
const SESSION_TICKET: u16 = 35;
const PRE_SHARED_KEY: u16 = 41;
const SUPPORTED_VERSIONS: u16 = 43;
/// TLS 1.3 in the list of versions.
const TLS_1_3: [u8; 2] = [3, 4];
/// Longest record: 2^14 and what TLS 1.2 allows ciphers to add.
const MAX_RECORD: u16 = (1 << 14) + 2048;
const MAX_NAME: usize = 255;

/// A client's first message of TLS.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientHello {
    pub server_name: Option<String>,
    /// It offers to resume a session: by a pre-shared key (TLS 1.3), a ticket, or the id of a session. With TLS 1.3 an
    /// id alone says nothing: clients make one up (RFC 8446, appendix D.4).
    pub offers_resumption: bool,
    pub complete: bool,
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
    let mut hello = ClientHello::default();
    hello.complete = read(&mut reader, &mut hello).is_some();
    Some(hello)
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

fn read(reader: &mut ByteReader<'_>, hello: &mut ClientHello) -> Option<()> {
    let length = reader.take(3)?;
    let _version_and_random = reader.take(2 + 32)?;
    let session_length = usize::from(reader.u8()?);
    let session = !reader.take(session_length)?.is_empty();
    // Until versions are listed: its meaning in TLS 1.2.
    hello.offers_resumption = session;
    let ciphers = usize::from(reader.u16()?);
    reader.take(ciphers)?;
    let compressions = usize::from(reader.u8()?);
    reader.take(compressions)?;
    let [a, b, c] = length.try_into().ok()?;
    let before = 2 + 32 + 1 + session_length + 2 + ciphers + 1 + compressions;
    let left = (u32::from_be_bytes([0, a, b, c]) as usize).saturating_sub(before);
    if left == 0 {
        return Some(());
    }
    let whole = reader.0.len() >= left;
    let extensions = usize::from(reader.u16()?);
    let mut extensions = ByteReader(reader.0.get(..extensions).unwrap_or(reader.0));
    let (mut tickets, mut modern) = (false, false);
    let mut ended = Some(());
    while !extensions.0.is_empty() {
        let Some((kind, body)) = extension(&mut extensions) else {
            ended = None;
            break;
        };
        match kind {
            SERVER_NAME => hello.server_name = server_name(body),
            SESSION_TICKET => tickets |= !body.is_empty(),
            PRE_SHARED_KEY => tickets = true,
            SUPPORTED_VERSIONS => modern = body.get(1..)?.chunks(2).any(|version| version == TLS_1_3),
            _ => {}
        }
    }
    hello.offers_resumption = tickets || session && !modern;
    ended.filter(|()| whole)
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
