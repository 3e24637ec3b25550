//! The principal type is [`Sum`]: the sum of all weights that a reader takes.

/// Sums of weights are made all over the place later: what does not fit into one number is refused while it is read.
#[derive(Debug, Default)]
pub(crate) struct Sum(u64);

impl Sum {
    /// The sum of those before.
    pub(crate) fn total(&self) -> u64 {
        self.0
    }

    /// The weight, if the sum of all still fits.
    ///
    /// # Errors
    /// With what is wrong.
    pub(crate) fn add(&mut self, weight: u64) -> Result<u64, String> {
        self.0 = (self.0.checked_add(weight)).ok_or("the weights add up to more than 64 bits can hold")?;
        Ok(weight)
    }
}
