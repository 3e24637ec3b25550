use super::*;

#[test]
fn moments_are_dates_or_ages() {
    assert_eq!(moment("1970-01-02"), Ok(86_400_000_000_000));
    assert_eq!(moment("1970-01-01T00:00:01Z"), Ok(1_000_000_000));
    let day = moment("1d").unwrap();
    assert!(day < moment("1h").unwrap() && day > moment("2d").unwrap());
    assert!(moment("yesterday").is_err() && moment("").is_err() && moment("2026-13-01").is_err());
}

#[test]
fn times_are_written_and_read_alike() {
    for ns in [0, 1_795_410_000_123_000_000] {
        assert_eq!(moment(&rfc3339(ns)), Ok(ns));
    }
}
