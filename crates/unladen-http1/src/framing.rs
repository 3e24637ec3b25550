//! The principal type is [`Framing`]: the body's length by the fields of a head.

use crate::Fault;

// Readers with signed numbers read the same.
const MAX_LENGTH: u64 = i64::MAX as u64;

/// The values of Content-Length and Transfer-Encoding so far (RFC 9112, section 6).
#[derive(Debug, Default)]
pub(crate) struct Framing {
    pub(crate) exact: Option<u64>,
    /// Whether `Transfer-Encoding: chunked` was seen.
    pub(crate) chunked: bool,
}

impl Framing {
    /// Takes a Content-Length: its digits without leading zeros, or `None` if it repeats the same number. A list of
    /// numbers is refused even if they are equal: readers differ on which counts.
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

    /// Takes a Transfer-Encoding: only a single line with `chunked` alone is accepted.
    pub(crate) fn transfer_encoding(&mut self, value: &[u8]) -> Result<(), Fault> {
        if self.chunked || !value.eq_ignore_ascii_case(b"chunked") {
            return Err(Fault::TransferEncoding);
        }
        self.chunked = true;
        Ok(())
    }

    /// Whether the fields are consistent, in a message of this minor version.
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
