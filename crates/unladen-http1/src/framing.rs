//! The principal type is [`Framing`]: what the fields of a head say of the body's length.

use crate::Fault;

// So that whoever reads it into a signed number reads the same.
const MAX_LENGTH: u64 = i64::MAX as u64;

/// Content-Length and Transfer-Encoding, as they have come so far (RFC 9112, section 6).
#[derive(Debug, Default)]
pub(crate) struct Framing {
    /// The Content-Length.
    pub(crate) exact: Option<u64>,
    /// Whether `Transfer-Encoding: chunked` came.
    pub(crate) chunked: bool,
}

impl Framing {
    /// Takes a Content-Length: its digits without zeros in front, or none if it came before with the same number. A
    /// list of numbers is refused even if they are equal: not all take the last of it, or the first.
    pub(crate) fn content_length<'a>(&mut self, value: &'a [u8]) -> Result<Option<&'a [u8]>, Fault> {
        let number = decimal(value).ok_or(Fault::ContentLength)?;
        match self.exact {
            None => {
                self.exact = Some(number);
                let zeros = value.iter().take_while(|digit| **digit == b'0').count();
                Ok(value.get(zeros.min(value.len() - 1)..))
            }
            Some(earlier) if earlier == number => Ok(None),
            Some(_) => Err(Fault::ContentLength),
        }
    }

    /// Takes a Transfer-Encoding, of which one line with `chunked` alone is understood.
    pub(crate) fn transfer_encoding(&mut self, value: &[u8]) -> Result<(), Fault> {
        if self.chunked || !value.eq_ignore_ascii_case(b"chunked") {
            return Err(Fault::TransferEncoding);
        }
        self.chunked = true;
        Ok(())
    }

    /// Whether what came goes together, in a message of this minor version.
    pub(crate) fn check(&self, minor: u8) -> Result<(), Fault> {
        match (self.chunked, self.exact) {
            (true, Some(_)) => Err(Fault::TwoLengths),
            (true, None) if minor == 0 => Err(Fault::TransferEncoding),
            _ => Ok(()),
        }
    }
}

fn decimal(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    let mut number = 0_u64;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        number = number.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
    }
    (number <= MAX_LENGTH).then_some(number)
}
