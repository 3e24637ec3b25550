//! Framing of generic netlink (netlink(7); include/uapi/linux/netlink.h, genetlink.h). The principal type is
//! [`Attributes`], a bounds-checked walk over type-length-value records.

/// `struct nlmsghdr`.
const HEADER: usize = 16;
/// `struct genlmsghdr`.
const GENERIC_HEADER: usize = 4;
/// `struct nlattr`.
const ATTRIBUTE_HEADER: usize = 4;
/// The low bits of an attribute's type; the top two are flags.
const TYPE_MASK: u16 = 0x3fff;

pub(crate) const NLMSG_ERROR: u16 = 2;
pub(crate) const GENL_ID_CTRL: u16 = 0x10;
const NLM_F_REQUEST: u16 = 1;
const NLM_F_ACK: u16 = 4;

fn align(length: usize) -> usize {
    length.next_multiple_of(4)
}

/// A generic netlink request with one attribute and a request for acknowledgement.
pub(crate) fn request(family: u16, command: u8, attribute: u16, value: &[u8]) -> Vec<u8> {
    let length = HEADER + GENERIC_HEADER + align(ATTRIBUTE_HEADER + value.len());
    let mut message = Vec::with_capacity(length);
    message.extend((length as u32).to_ne_bytes());
    message.extend(family.to_ne_bytes());
    message.extend((NLM_F_REQUEST | NLM_F_ACK).to_ne_bytes());
    message.extend([0; 8]); // sequence number and port: the kernel fills the port in
    message.extend([command, 1, 0, 0]);
    message.extend(((ATTRIBUTE_HEADER + value.len()) as u16).to_ne_bytes());
    message.extend(attribute.to_ne_bytes());
    message.extend(value);
    message.resize(length, 0);
    message
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Message<'a> {
    pub(crate) kind: u16,
    pub(crate) payload: &'a [u8],
}

impl<'a> Message<'a> {
    /// The messages in a datagram; a truncated one is left out.
    pub(crate) fn all(mut datagram: &'a [u8]) -> impl Iterator<Item = Message<'a>> {
        std::iter::from_fn(move || {
            let length = u32_at(datagram, 0)? as usize;
            let kind = u16_at(datagram, 4)?;
            let payload = datagram.get(HEADER..length)?;
            datagram = datagram.get(align(length)..).unwrap_or_default();
            Some(Message { kind, payload })
        })
    }

    /// The error number in an acknowledgement, 0 for success.
    pub(crate) fn error(&self) -> Option<i32> {
        (self.kind == NLMSG_ERROR).then(|| u32_at(self.payload, 0).map(|n| -(n as i32))).flatten()
    }

    pub(crate) fn attributes(&self) -> Attributes<'a> {
        Attributes(self.payload.get(GENERIC_HEADER..).unwrap_or_default())
    }
}

/// Attributes in order: (type, value).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attributes<'a>(pub(crate) &'a [u8]);

impl<'a> Attributes<'a> {
    pub(crate) fn get(mut self, wanted: u16) -> Option<&'a [u8]> {
        self.find(|(kind, _)| *kind == wanted).map(|(_, value)| value)
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = (u16, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let length = usize::from(u16_at(self.0, 0)?);
        let kind = u16_at(self.0, 2)? & TYPE_MASK;
        let value = self.0.get(ATTRIBUTE_HEADER..length)?;
        self.0 = self.0.get(align(length)..).unwrap_or_default();
        Some((kind, value))
    }
}

pub(crate) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

#[cfg(test)]
mod tests;
