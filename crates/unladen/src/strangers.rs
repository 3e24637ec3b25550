//! [`strangers`]: users an application has met for the first time.

use unladen_load::Driver;
use unladen_report::Warning;

/// Up to this many, there is no warning: as many as come from looking at a page in a browser.
const FEW: u64 = 20;

/// The warning about users that a client's requests have created, if they are many.
pub(crate) fn strangers(driver: &Driver) -> Option<Warning> {
    strangers_warning(driver.strangers())
}

pub(crate) fn strangers_warning(strangers: u64) -> Option<Warning> {
    (strangers > FEW).then_some(Warning::Strangers { strangers })
}
