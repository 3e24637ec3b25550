use super::*;

#[test]
fn parameters_are_counted_outside_of_quotes() {
    let cases = [
        ("select 1", (0, 0)),
        ("select a from b where c = $1", (0, 1)),
        ("select a from b where c = $2 and d = $1 and e = $2", (0, 2)),
        ("select '$3', \"$4\" from b where c = $1", (0, 1)),
        ("select a from b where c = ? and d = '?' and `?` = ?", (2, 0)),
        ("select 'it''s $9' where a = $1", (0, 1)),
        ("select $$a$$", (0, 0)),
        ("select 'open $5", (0, 0)),
        ("$", (0, 0)),
        ("$99999999999999999999999", (0, 0)),
        ("ä = $1 → ?", (1, 1)),
    ];
    for (query, expected) in cases {
        assert_eq!(count(query), expected, "{query}");
    }
}

#[test]
fn each_database_has_its_own_marks() {
    let (postgres, mysql) = (Database::Postgres(String::new()), Database::MySql(String::new()));
    let sqlite = Database::Sqlite(PathBuf::new());
    assert_eq!(postgres.placeholders("a = $1"), Ok(1));
    assert_eq!(postgres.placeholders("a ? 'b' and c = $1"), Ok(1), "an operator of jsonb");
    assert_eq!(mysql.placeholders("a = ? and b = ?"), Ok(2));
    assert!(mysql.placeholders("a = $1").is_err());
    assert_eq!(sqlite.placeholders("a = ?"), Ok(1));
    assert_eq!(sqlite.placeholders("a = $1"), Ok(1));
    assert!(sqlite.placeholders("a = ? and b = $1").is_err());
}

#[test]
fn a_password_is_not_shown() {
    let shown = |url: &str| Database::Postgres(url.into()).shown().to_string();
    assert_eq!(shown("postgres://me:secret@db/a"), "\"postgres://me@db/a\"");
    assert_eq!(shown("postgres:///a?host=/run/postgresql"), "\"postgres:///a?host=/run/postgresql\"");
    assert!(!shown("postgres://db/a?user=me&password=secret").contains("secret"));
    let several = "postgres://me:secret@a:1,[::1]:2/a?target_session_attrs=read-write&password=secret";
    assert_eq!(shown(several), "\"postgres://a:1,[::1]:2/a?target_session_attrs=read-write\"");
    assert_eq!(shown("postgres://me:secret@/a?host=/run"), "\"postgres:///a?host=%2Frun\"");
}
