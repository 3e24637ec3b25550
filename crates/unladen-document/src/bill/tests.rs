use super::*;

#[test]
fn what_php_fpm_counted_is_told_once_and_only_where_it_did() {
    let kind = |requests, logged_cpu_ns| BilledKind { requests, logged_cpu_ns, ..BilledKind::default() };
    let bill = |kinds| BillDocument { kinds, ..BillDocument::default() };
    assert_eq!(bill(vec![kind(9, None)]).logged_text(), None);
    let text = bill(vec![kind(1_000, Some(20e6)), kind(500, None)]).logged_text().unwrap();
    assert!(text.contains("counts 20 s for them"), "{text}");
}

/// `0.03 ± 0.00 %` was said of what was known to a hundredth.
#[test]
fn a_narrow_interval_is_not_written_as_none() {
    let text = |value: f64, margin: f64| share_text(Span { value, low: value - margin, high: value + margin });
    assert_eq!(text(0.124, 0.003), "12.4 ± 0.3 %");
    assert_eq!(text(0.000_344, 0.000_003), "0.0344 ± 0.0003 %");
    assert_eq!(text(0.5, 0.2), "50 ± 20 %");
}

/// A bill of the database alone was the whole, where other work had hidden PHP.
#[test]
fn what_noise_hides_makes_the_total_a_least_one() {
    let cpu_ns = Some(Span { value: 2e9, low: 1.9e9, high: 2.1e9 });
    let hidden = |high| {
        vec![BilledGroup { group: "www-data php-fpm8.2".to_owned(), share: Span { value: 0.3, low: -0.1, high } }]
    };
    let headline = |hidden| BillDocument { cpu_ns, hidden, ..BillDocument::default() }.headline();
    assert!(headline(hidden(2.4)).contains("took at least 2"), "{}", headline(hidden(2.4)));
    assert!(!headline(hidden(0.1)).contains("least") && !headline(Vec::new()).contains("least"));
}
