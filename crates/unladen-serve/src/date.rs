//! The time of day in HTTP's form (RFC 9110, section 5.6.7), formatted anew every half second in each thread.

use std::cell::RefCell;
use std::time::{Duration, Instant};

thread_local! {
    static DATE: RefCell<(Option<Instant>, String)> = const { RefCell::new((None, String::new())) };
}

/// Appends it: `Sun, 06 Nov 1994 08:49:37 GMT`.
pub(crate) fn write_date(out: &mut Vec<u8>, now: Instant) {
    DATE.with(|date| {
        let (written, text) = &mut *date.borrow_mut();
        if written.is_none_or(|written| now.saturating_duration_since(written) >= Duration::from_millis(500)) {
            *text = http_date();
            *written = Some(now);
        }
        out.extend_from_slice(text.as_bytes());
    });
}

fn http_date() -> String {
    #[allow(clippy::disallowed_types, reason = "the Date field is wall time")]
    let now = std::time::SystemTime::now();
    httpdate::fmt_http_date(now)
}
