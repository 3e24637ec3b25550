//! The principal type is [`Params`]: a request's parameters (FastCGI 1.0, section 3.4: name-value pairs).

use crate::record::MOST_CONTENT;

/// Longer lengths take four bytes, with the first bit set.
const MOST_IN_ONE_BYTE: usize = 127;

/// A parameter that does not fit into a record: PHP does not read one that is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a parameter has {length} bytes, but a FastCGI record holds {MOST_CONTENT}")]
pub struct ParamTooLong {
    pub length: usize,
}

/// Parameters of a FastCGI request, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Params(pub Vec<(Vec<u8>, Vec<u8>)>);

impl Params {
    /// The first value of this name.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.0.iter().find(|(own, _)| own == name.as_bytes()).map(|(_, value)| &value[..])
    }

    /// The first value of this name, if it is UTF-8.
    pub fn text(&self, name: &str) -> Option<&str> {
        std::str::from_utf8(self.get(name)?).ok()
    }

    /// Replaces a value, or adds it.
    pub fn set(&mut self, name: &str, value: impl Into<Vec<u8>>) {
        let value = value.into();
        match self.0.iter_mut().find(|(own, _)| own == name.as_bytes()) {
            Some((_, old)) => *old = value,
            None => self.0.push((name.as_bytes().to_vec(), value)),
        }
    }

    /// Removes a parameter.
    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(own, _)| own != name.as_bytes());
    }

    /// The wire format.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (name, value) in &self.0 {
            write_param(&mut bytes, name, value);
        }
        bytes
    }

    /// Parses the wire format; `None` if the last pair is incomplete.
    pub fn decode(mut bytes: &[u8]) -> Option<Self> {
        let mut params = Vec::new();
        while !bytes.is_empty() {
            let (name, value) = (length(&mut bytes)?, length(&mut bytes)?);
            params.push((take(&mut bytes, name)?.to_vec(), take(&mut bytes, value)?.to_vec()));
        }
        Some(Self(params))
    }
}

/// Writes one pair in wire format: name and value may be any bytes.
#[inline]
pub fn write_param(out: &mut Vec<u8>, name: &[u8], value: &[u8]) {
    out.reserve(name.len() + value.len() + 8);
    if name.len().max(value.len()) <= MOST_IN_ONE_BYTE {
        out.extend_from_slice(&[name.len() as u8, value.len() as u8]);
        out.extend_from_slice(name);
        out.extend_from_slice(value);
        return;
    }
    for length in [name.len(), value.len()] {
        if length <= MOST_IN_ONE_BYTE {
            out.push(length as u8);
        } else {
            // The protocol has only 31 bits: no request gets that far.
            out.extend_from_slice(&(length as u32 | 1 << 31).to_be_bytes());
        }
    }
    out.extend_from_slice(name);
    out.extend_from_slice(value);
}

pub(crate) fn size(name: &[u8], value: &[u8]) -> usize {
    let of = |length: usize| if length <= MOST_IN_ONE_BYTE { 1 } else { 4 };
    of(name.len()) + of(value.len()) + name.len() + value.len()
}

fn length(bytes: &mut &[u8]) -> Option<usize> {
    let first = *bytes.first()?;
    if usize::from(first) <= MOST_IN_ONE_BYTE {
        take(bytes, 1)?;
        return Some(usize::from(first));
    }
    let four: [u8; 4] = take(bytes, 4)?.try_into().ok()?;
    usize::try_from(u32::from_be_bytes(four) & !(1 << 31)).ok()
}

fn take<'a>(bytes: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

#[cfg(test)]
mod tests;
