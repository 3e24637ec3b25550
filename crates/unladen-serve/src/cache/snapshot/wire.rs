//! Messages of a process to its successor besides those of snapshots, over a stream of their own: frames from the old
//! one, single bytes from the new one. The principal type is [`Forgotten`].

use std::io;
use std::io::Read;

use unladen_cache::{FRAME_LENGTH, FrameHead, Purge};

/// The following frames are a site's: its fingerprint and name.
pub(crate) const SITE: u32 = 16;
/// A purge ([`Forgotten`]); the new process answers [`DONE`] once it has applied it.
pub(crate) const PURGE: u32 = 17;
pub(crate) const WHOLE: u32 = 18;
/// The old process is done, and purges nothing more.
pub(crate) const BYE: u32 = 19;

/// In a fleet: all purges up to this position were applied before anything that follows was looked at. It comes first,
/// in a file too.
pub(crate) const POSITION: u32 = 20;

/// The old process has purges that no other node was told: the new one tells them all.
pub(crate) const UNSENT: u32 = 21;

/// New process: it is ready to receive.
pub(crate) const READY: u8 = b'r';
/// New process: the purge is applied.
pub(crate) const DONE: u8 = b'd';

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Forgotten {
    pub(crate) site: String,
    pub(crate) purge: Purge,
    pub(crate) is_soft: bool,
}

/// Fails if the payload is longer than frames may be.
pub(crate) fn frame(kind: u32, payload: &[u8]) -> io::Result<Vec<u8>> {
    let head = FrameHead::of(kind, payload).ok_or(io::ErrorKind::InvalidInput)?;
    Ok([&head.to_bytes()[..], payload].concat())
}

/// Reads a frame of at most `most` bytes, and returns its kind; `None` if the other process has gone.
pub(crate) fn read(from: &mut impl Read, payload: &mut Vec<u8>, most: u64) -> io::Result<Option<u32>> {
    let mut head = [0; FRAME_LENGTH];
    let (first, rest) = head.split_at_mut(1);
    // An interrupted read is no end; and only before a frame is an end clean.
    match from.read_exact(first) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    from.read_exact(rest)?;
    let head = FrameHead::read(&head);
    if u64::from(head.length) > most {
        return Err(io::Error::other("a frame is longer than anything that is kept"));
    }
    payload.resize(head.length as usize, 0);
    from.read_exact(payload)?;
    head.check(payload).map_err(io::Error::other)?;
    Ok(Some(head.kind))
}

impl Forgotten {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let (kind, meant): (u8, &[u8]) = match &self.purge {
            Purge::Key(key) => (0, key),
            Purge::Prefix(key) => (1, key),
            Purge::Tag(tag) => (2, tag.as_bytes()),
            Purge::All => (3, b""),
        };
        let name = (self.site.len() as u64).to_le_bytes();
        [&[u8::from(self.is_soft), kind], &name[..], self.site.as_bytes(), meant].concat()
    }

    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let ([is_soft, kind], rest) = bytes.split_first_chunk()?;
        let (name, rest) = rest.split_first_chunk()?;
        let (site, meant) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*name)).ok()?)?;
        let purge = match kind {
            0 => Purge::Key(meant.to_vec()),
            1 => Purge::Prefix(meant.to_vec()),
            2 => Purge::Tag(std::str::from_utf8(meant).ok()?.into()),
            3 => Purge::All,
            _ => return None,
        };
        Some(Self { site: std::str::from_utf8(site).ok()?.to_owned(), purge, is_soft: *is_soft == 1 })
    }
}
