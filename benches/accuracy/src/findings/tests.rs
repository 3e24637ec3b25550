use super::*;

fn found(rule: &str, figure: f64) -> Found {
    Found::new(rule, "www-data php-fpm8.2", "so much of it", figure)
}

fn row(rule: Option<&str>, found: &[Found]) -> Row {
    Row { name: "a".into(), rule: rule.map(Into::into), found: found.to_vec(), lean: false, runs: 1 }
}

#[test]
fn what_is_found_without_the_fault_is_to_be_more_with_it() {
    let base = row(None, &[found("database-reconnect", 1.0), found("cacheable", 0.0)]);
    let five = row(Some("database-reconnect"), &[found("database-reconnect", 6.0)]);
    assert!(five.is_found(&base) && five.others().is_empty());
    assert!(!row(Some("database-reconnect"), &[found("database-reconnect", 1.0)]).is_found(&base));
    assert!(!row(Some("sleep"), &[found("database-reconnect", 1.0)]).is_found(&base));
    assert!(row(Some("sleep"), &[found("sleep", 1.0)]).is_found(&base));
}

#[test]
fn others_are_told_but_for_what_the_page_has_anyway() {
    let two = row(Some("sleep"), &[found("sleep", 1.0), found("cacheable", 0.0), found("stat-storm", 300.0)]);
    assert_eq!(two.others(), ["stat-storm"]);
    let lean = Row { lean: true, ..row(None, &[found("cacheable", 0.0)]) };
    assert_eq!(lean.others(), ["cacheable"]);
}

#[test]
fn the_table_of_faults_is_read() {
    let all = faults().unwrap();
    assert!(all.len() > 20, "{all:?}");
    let of = |name: &str| all.iter().find(|fault| fault.name == name).unwrap();
    assert_eq!(of("sleeps").rule.as_deref(), Some("sleep"));
    assert_eq!(of("lean").rule, None);
}
