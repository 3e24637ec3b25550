use super::*;

#[test]
fn one_query_for_many_values() {
    let of = |text: &str| for_many(text);
    assert_eq!(of("select * from t where id = ?").as_deref(), Some("SELECT * from t where id IN (?+)"));
    assert_eq!(
        of("SELECT name FROM users WHERE id = ? LIMIT 1").as_deref(),
        Some("SELECT id, name FROM users WHERE id IN (?+)")
    );
    assert_eq!(
        of("SELECT u.name FROM users u WHERE u.active AND u.id = $1 ORDER BY u.name").as_deref(),
        Some("SELECT u.id, u.name FROM users u WHERE u.active AND u.id IN (?+) ORDER BY u.name")
    );
    assert_eq!(of("select id from t where id=?;").as_deref(), Some("SELECT id from t where id IN (?+)"));
}

#[test]
fn what_is_not_simple_is_left_alone() {
    for text in [
        "select count(*) from t where id = ?",
        "select a from t where id = ? and b < ?",
        "select a from t where id = ? or b",
        "select distinct a from t where id = ?",
        "select a from t where b < ?",
        "select a from t where lower(b) = ?",
        "select ?",
        "select a from t where é = ? and ü = ?",
        "update t set a = ?",
        "select a from t where id = ? and b …",
        "",
    ] {
        assert_eq!(for_many(text), None, "{text}");
    }
}

#[test]
fn verbs() {
    assert_eq!(verb("  (SELECT 1) union"), "select");
    assert_eq!(verb("BEGIN;"), "begin");
    assert_eq!(verb(""), "");
}
