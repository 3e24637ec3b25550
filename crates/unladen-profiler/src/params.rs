//! The principal type is [`Params`]: what a web server tells an application of a request.

/// Longer lengths take four bytes, with the first bit set.
const MOST_IN_ONE_BYTE: usize = 127;

/// Parameters of a FastCGI request (FastCGI 1.0, section 3.4: name-value pairs), in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Params(pub Vec<(Vec<u8>, Vec<u8>)>);

// === impl Params ===

impl Params {
    /// The value of the first of that name.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.0.iter().find(|(own, _)| own == name.as_bytes()).map(|(_, value)| &value[..])
    }

    /// The value of the first of that name, if it is text.
    pub fn text(&self, name: &str) -> Option<&str> {
        std::str::from_utf8(self.get(name)?).ok()
    }

    /// Gives it another value, or adds it.
    pub fn set(&mut self, name: &str, value: impl Into<Vec<u8>>) {
        let value = value.into();
        match self.0.iter_mut().find(|(own, _)| own == name.as_bytes()) {
            Some((_, old)) => *old = value,
            None => self.0.push((name.as_bytes().to_vec(), value)),
        }
    }

    /// Takes it out.
    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(own, _)| own != name.as_bytes());
    }

    /// As they go over the wire.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (name, value) in &self.0 {
            for length in [name.len(), value.len()] {
                if length <= MOST_IN_ONE_BYTE {
                    bytes.push(length as u8);
                } else {
                    // 31 bits are all that the protocol has: no request gets that far.
                    bytes.extend((length as u32 | 1 << 31).to_be_bytes());
                }
            }
            bytes.extend_from_slice(name);
            bytes.extend_from_slice(value);
        }
        bytes
    }

    /// From the wire; none if the last one is cut.
    pub(crate) fn decode(mut bytes: &[u8]) -> Option<Self> {
        let mut params = Vec::new();
        while !bytes.is_empty() {
            let (name, value) = (length(&mut bytes)?, length(&mut bytes)?);
            params.push((take(&mut bytes, name)?.to_vec(), take(&mut bytes, value)?.to_vec()));
        }
        Some(Self(params))
    }
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
