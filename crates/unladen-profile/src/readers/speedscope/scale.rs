//! The principal type is [`Scale`].

use super::document::Part;
use crate::profile::Unit;
use crate::readers::json::Number;

#[derive(Clone, Copy, PartialEq)]
pub(super) struct Scale {
    pub(super) unit: Unit,
    pub(super) of_one: u64,
}

impl Scale {
    pub(super) fn of(part: &Part) -> Result<Self, String> {
        let (unit, of_one) = match part.unit.as_str() {
            "none" => (Unit::Samples, 1),
            "bytes" => (Unit::Bytes, 1),
            "nanoseconds" => (Unit::Nanoseconds, 1),
            "microseconds" => (Unit::Nanoseconds, 1000),
            "milliseconds" => (Unit::Nanoseconds, 1_000_000),
            "seconds" => (Unit::Nanoseconds, 1_000_000_000),
            other => return Err(format!("`{other}` is no unit that is known")),
        };
        Ok(Self { unit, of_one })
    }

    /// A value in whole units. Times are rounded; counts must be whole.
    pub(super) fn weight(self, value: Number) -> Result<u64, String> {
        let weight = if self.unit == Unit::Nanoseconds { value.times(self.of_one) } else { value.whole() };
        weight.ok_or_else(|| format!("{value} is no number of {}", self.unit.as_str()))
    }
}
