//! The principal type is [`Record`]: when requests arrived at the server, and when it answered them.

use crate::Result;

/// One request that was answered; `CLOCK_MONOTONIC` in ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Right after the read that completed it.
    pub(crate) arrived: u64,
    /// Right after the write of the answer.
    pub(crate) answered: u64,
}

/// Requests in the order in which they arrived.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Record(pub(crate) Vec<Stamp>);

impl Record {
    /// Lines of two numbers, in any order.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let stamp = |line: &str| {
            let (arrived, answered) = line.split_once(' ').ok_or("a line of the server has no two numbers")?;
            Result::Ok(Stamp { arrived: arrived.parse()?, answered: answered.parse()? })
        };
        let mut stamps = text.lines().map(stamp).collect::<Result<Vec<_>>>()?;
        stamps.sort_unstable_by_key(|stamp| stamp.arrived);
        Ok(Self(stamps))
    }

    pub(crate) fn arrivals(&self) -> Vec<u64> {
        self.0.iter().map(|stamp| stamp.arrived).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_in_the_order_of_arrival() {
        let record = Record::parse("20 25\n10 30\n").unwrap();
        assert_eq!(record.arrivals(), [10, 20]);
        assert_eq!(record.0[0].answered, 30);
        assert!(Record::parse("20").is_err());
    }
}
