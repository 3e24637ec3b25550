//! [`is_personal`]: which responses are never written to disk.

use super::reader::Reader;
use crate::{Nominated, Stored};

/// Whether a response depends on a secret or contains one: a variant for a request with cookies or credentials, or with
/// a field whose name suggests a secret; a response with `Set-Cookie`, which an option lets in; and a variant known by
/// its digest, which hides what it is, and means nothing to another process.
pub(super) fn is_personal(nominated: &Nominated, said: &[u8], stored: &Stored) -> bool {
    stored.fields.iter().any(|field| field.name.eq_ignore_ascii_case(b"set-cookie"))
        || !is_plain_variant(nominated, said)
}

/// Whether a variant has just these fields, and no value in one that could hold a secret.
pub(super) fn is_plain_variant(nominated: &Nominated, said: &[u8]) -> bool {
    let mut reader = Reader { rest: said };
    let is_plain = nominated.0.iter().all(|name| {
        // In the form of `Nominated::write_variant`.
        let is_same = reader.sized().is_ok_and(|said| *said == **name);
        let Ok(&[is_there]) = reader.take(1) else { return false };
        is_same && (is_there == 0 || (is_there == 1 && reader.sized().is_ok() && !may_be_secret(name)))
    });
    is_plain && reader.rest.is_empty()
}

/// Judges by the name of a request field, in lower case.
fn may_be_secret(name: &[u8]) -> bool {
    const WORDS: [&[u8]; 7] = [b"cookie", b"auth", b"token", b"session", b"secret", b"key", b"user"];
    let holds = |word: &[u8]| memchr::memmem::find(name, word).is_some();
    name != b"user-agent" && WORDS.into_iter().any(holds)
}
