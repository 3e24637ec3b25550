use super::*;
use unladen_trace::{GroupSeen, Interval, Page};

/// A page of 100 ms of PHP had one finding of 2 ms, and nothing said how to go on.
#[test]
fn most_of_the_cpu_had_no_finding_and_no_next_step() {
    let cpu = Interval { value: 18e6, low: 17e6, high: 19e6 };
    let url = "http://127.0.0.1:8080/a b?x=1&y=2".to_owned();
    let php = GroupSeen { name: "www-data php-fpm8.2".into(), cpu: Some(cpu), ..GroupSeen::default() };
    let evidence =
        Evidence { page: Page { url, cpu: Some(cpu), ..Page::default() }, groups: vec![php], ..Evidence::default() };
    let step = next_step(&evidence, &[]).unwrap();
    assert_eq!(step.why, "18.0 ms of 18.0 ms of CPU per request are outside the findings, most by www-data php-fpm8.2");
    assert_eq!(step.command, "unladen profile 'http://127.0.0.1:8080/a b?x=1&y=2'");
    assert_eq!(next_step(&Evidence::default(), &[]), None);
}
