//! The principal type is [`Sum`]: the sum of all weights read so far.

/// Weights are summed in many places later, so an overflow is refused while reading.
#[derive(Debug, Default)]
pub(crate) struct Sum(u64);

impl Sum {
    pub(crate) fn total(&self) -> u64 {
        self.0
    }

    /// The weight, if the sum still fits; otherwise a message.
    pub(crate) fn add(&mut self, weight: u64) -> Result<u64, String> {
        self.0 = (self.0.checked_add(weight)).ok_or("the weights add up to more than 64 bits can hold")?;
        Ok(weight)
    }
}
