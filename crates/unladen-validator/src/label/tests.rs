//! Tests of [`is_settling`].

use proptest::prelude::*;

use super::*;

/// 2024-05-01 08:00:00 UTC.
const NOW: u64 = 1_714_550_400;

fn settles(label: &str, after: i64) -> bool {
    is_settling(label.as_bytes(), NOW.saturating_add_signed(after))
}

#[test]
fn of_two_edits_in_one_second_the_later_may_have_the_label_of_the_first() {
    for label in [
        "1714550400",
        "1714550400.0000",
        "2024-05-01 08:00:00",
        "2024-05-01T08:00:00Z",
        "2024-05-01 08:00:00.000000",
        "20240501080000",
        // Of other zones.
        "2024-05-01 10:00:00",
        "2024-05-01 01:30:00",
        // Beside a counter.
        "17-2024-05-01 08:00:00",
        "1714550400.000000000-4096-77",
    ] {
        assert!(settles(label, -1) && settles(label, 0) && settles(label, 1), "{label}");
        assert!(!settles(label, 2) && !settles(label, 60), "{label}");
    }
}

/// `extract(epoch from changed)` of a column without a zone that was written in New York is five hours behind.
#[test]
fn seconds_of_another_zone_are_not_taken_for_long_past() {
    for behind in [3600, 5 * 3600, 20_700] {
        let label = format!("{}", NOW - behind);
        assert!(settles(&label, -1) && settles(&label, 0) && settles(&label, 1), "{label}");
        assert!(!settles(&label, 2) && !settles(&label, 60), "{label}");
    }
    // Further off than any zone.
    assert!(!settles(&format!("{}", NOW - 16 * 3600), 0));
}

/// A file that was written twice in one second, with the same size, has the same `ETag` in nginx.
#[test]
fn an_etag_of_nginx_is_a_time_of_whole_seconds() {
    for tag in ["\"6631f680-1000\"", "W/\"6631f680-1000\"", "\"6631f680-0\""] {
        assert!(settles(tag, -1) && settles(tag, 0) && settles(tag, 1) && settles(tag, -3600), "{tag}");
        assert!(!settles(tag, 2) && !settles(tag, 3600), "{tag}");
    }
    for tag in [
        // A checksum, or so far ahead that it is as good as one.
        "\"ffffffff-1000\"",
        "\"6731f880-1000\"",
        // Of Apache, in microseconds; and others.
        "\"1000-6175f9eb48c00\"",
        "\"6631f680\"",
        "\"6631f680-1000-gzip\"",
        "\"6631F680-1000\"",
        "\"06631f680-1000\"",
        "6631f680-1000",
        "\"6631f680-\"",
        "\"6631f680-e29b-41d4-a716-446655440000\"",
    ] {
        assert!(!settles(tag, 0), "{tag}");
    }
}

#[test]
fn what_lies_ahead_hides_changes_before_it() {
    assert!(settles("1714550400", -3600) && settles("2024-06-01 08:00:00", 0) && settles("20340501080000", 0));
}

#[test]
fn what_is_no_time_of_whole_seconds_is_believed_at_once() {
    for label in [
        "",
        "17",
        "1714550400123",
        "1714550400.5",
        "2024-05-01 08:00:00.000001",
        "2024-05-01",
        "9f86d081884c7d659a2feaa0c55ad015",
        "\"etag-17\"",
        "17145504001714550400",
        "2024-13-01 08:00:00",
        "20240501086000",
    ] {
        assert!(!settles(label, 0), "{label}");
    }
}

proptest! {
    #[test]
    fn any_label_is_looked_at(label in prop::collection::vec(any::<u8>(), 0..80), now: u64) {
        let _ = is_settling(&label, now);
    }

    #[test]
    fn an_etag_of_nginx_settles_with_its_second(seconds in 0x1000_0000_u32.., size: u64, age in -100_000_i64..100_000, weak: bool) {
        let tag = format!("{}\"{seconds:x}-{size:x}\"", if weak { "W/" } else { "" });
        prop_assert_eq!(tagged(tag.as_bytes()), Some(i64::from(seconds)));
        let now = u64::from(seconds).saturating_add_signed(age);
        prop_assert_eq!(is_settling(tag.as_bytes(), now), (1 - TAG_AHEAD..SETTLED).contains(&age));
    }

    /// What is told in whole seconds of any zone is not believed in the second that it tells, nor in the one after it.
    #[test]
    fn no_second_is_believed_before_it_is_over(now in 200_000_u64..4_000_000_000, quarters in -56_i64..=56, since in 0_i64..SETTLED) {
        let told = i64::try_from(now).unwrap() - since + quarters * ZONES;
        let number = format!("{told:010}");
        prop_assert!(is_settling(number.as_bytes(), now), "{}", number);
        prop_assert!(is_settling(format!("{number}.000000").as_bytes(), now), "{}", number);
        let in_fractions = format!("{number}.000001");
        prop_assert!(!is_settling(in_fractions.as_bytes(), now), "{}", in_fractions);
    }

    #[test]
    fn a_time_that_is_spelled_is_the_same(seconds in 0_i64..4_000_000_000, age in 0_u64..100_000) {
        let (days, left) = (seconds / 86_400, seconds % 86_400);
        // By counting: another way than the one that is tested.
        let (mut year, mut day) = (1970, days);
        let leap = |year: i64| (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
        while day >= 365 + i64::from(leap(year)) {
            day -= 365 + i64::from(leap(year));
            year += 1;
        }
        let lengths = [31, 28 + i64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        let mut month = 0;
        while day >= lengths[month] {
            day -= lengths[month];
            month += 1;
        }
        let text = format!("{year:04}-{:02}-{:02} {:02}:{:02}:{:02}", month + 1, day + 1, left / 3600, left / 60 % 60, left % 60);
        prop_assert_eq!(spelled(text.as_bytes()), Some(seconds));
        let compact_text: String = text.chars().filter(char::is_ascii_digit).collect();
        prop_assert_eq!(compact(compact_text.as_bytes()), Some(seconds));
        if age >= 2 && age % 900 >= 2 && age % 900 != 899 {
            prop_assert!(!is_settling(text.as_bytes(), u64::try_from(seconds).unwrap() + age));
        }
    }
}
