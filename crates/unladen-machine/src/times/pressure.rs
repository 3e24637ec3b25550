//! Pressure stall information: [`some_pressure_ns`].

use crate::kernel_text::decimal;

/// Time in which at least one task waited for the resource, in ns since the machine was started: the line `some avg10=…
/// total=N` of a file in /proc/pressure (Documentation/accounting/psi.rst), which counts in µs.
///
/// ```
/// let cpu = b"some avg10=3.44 avg60=6.65 avg300=12.92 total=6077\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n";
/// assert_eq!(unladen_machine::some_pressure_ns(cpu), Some(6_077_000));
/// ```
pub fn some_pressure_ns(pressure: &[u8]) -> Option<u64> {
    const TOTAL: &[u8] = b"total=";
    let line = pressure.split(|&byte| byte == b'\n').find(|line| line.starts_with(b"some "))?;
    let at = line.windows(TOTAL.len()).position(|window| window == TOTAL)?;
    decimal(&line[at + TOTAL.len()..]).map(|us| us.saturating_mul(1_000))
}

#[cfg(test)]
mod tests;
