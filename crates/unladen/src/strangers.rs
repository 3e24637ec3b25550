//! Users whom an application has met for the first time: [`strangers`].

use unladen_load::Driver;
use unladen_report::Warning;

/// So few are not worth a word: they are as many as look at a page in a browser.
const FEW: u64 = 20;

/// What to say of those whom a client's requests have made it meet, if they are many.
pub(crate) fn strangers(driver: &Driver) -> Option<Warning> {
    strangers_warning(driver.strangers())
}

/// What to say of so many.
pub(crate) fn strangers_warning(strangers: u64) -> Option<Warning> {
    (strangers > FEW).then_some(Warning::Strangers { strangers })
}
