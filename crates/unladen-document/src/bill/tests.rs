use super::*;

#[test]
fn what_php_fpm_counted_is_told_once_and_only_where_it_did() {
    let kind = |requests, logged_cpu_ns| BilledKind { requests, logged_cpu_ns, ..BilledKind::default() };
    let bill = |kinds| BillDocument { kinds, ..BillDocument::default() };
    assert_eq!(bill(vec![kind(9, None)]).logged_text(), None);
    let text = bill(vec![kind(1_000, Some(20e6)), kind(500, None)]).logged_text().unwrap();
    assert!(text.contains("counts 20 s for them"), "{text}");
}
