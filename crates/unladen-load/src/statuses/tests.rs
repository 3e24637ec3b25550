use proptest::prelude::*;

use super::*;

#[test]
fn reads_lists_and_ranges() {
    let statuses: Statuses = "200-204, 304,404".parse().unwrap();
    assert_eq!(statuses.to_string(), "200-204,304,404");
    assert!(statuses.contains(204) && !statuses.contains(205) && statuses.contains(404));
}

#[test]
fn names_the_part_it_cannot_read() {
    for part in ["", "2xx", "299-200", "99", "600", "+200", "200-", "-200"] {
        let error = format!("204,{part}").parse::<Statuses>().unwrap_err();
        assert!(error.to_string().contains(&format!("`{part}`")), "{error}");
    }
}

proptest! {
    #[test]
    fn reads_back_what_it_writes(ranges in prop::collection::vec((100_u16..=599, 0_u16..100), 1..5)) {
        let statuses = Statuses(ranges.iter().map(|&(start, more)| start..=(start + more).min(599)).collect());
        prop_assert_eq!(&statuses.to_string().parse::<Statuses>().unwrap(), &statuses);
    }
}
