use proptest::prelude::*;

use super::*;
use crate::tests::testing::{NOW, value};

#[test]
fn all_three_forms_of_a_date_are_read() {
    for text in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
        assert_eq!(Time::parse(text.as_bytes()), Some(NOW), "{text}");
    }
}

#[test]
fn what_is_no_date_is_none() {
    for text in ["", "0", "-1", "foo", "Sun, 06 Nov 1994 08:49:37 AEST", "Sun, 06 Nov 1994 25:49:37 GMT", "\u{fc}"] {
        assert_eq!(Time::parse(text.as_bytes()), None, "{text}");
    }
}

#[test]
fn a_time_is_written_within_the_bounds_of_dates() {
    assert_eq!(NOW.http_date(), "Sun, 06 Nov 1994 08:49:37 GMT");
    assert_eq!(Time(i64::MIN).http_date(), "Thu, 01 Jan 1970 00:00:00 GMT");
    assert_eq!(Time(i64::MAX).http_date(), "Fri, 31 Dec 9999 23:59:59 GMT");
}

#[test]
fn what_is_later_was_not_long_ago() {
    assert_eq!(NOW.since(Time(NOW.0 - 1500)), Duration::from_millis(1500));
    assert_eq!(NOW.since(Time(NOW.0 + 1)), Duration::ZERO);
    assert_eq!(Time(i64::MAX).since(Time(i64::MIN)), Duration::from_millis(i64::MAX as u64));
}

proptest! {
    #[test]
    fn any_bytes_are_a_date_or_none(text in value()) {
        if let Some(time) = Time::parse(&text) {
            prop_assert_eq!(Time::parse(time.http_date().as_bytes()), Some(time));
        }
    }
}
