use proptest::prelude::*;

use super::Dialect::{Mysql, Postgres, Sqlite};
use super::{Dialect, MAX_FINGERPRINT, fingerprint};

const DIALECTS: [Dialect; 3] = [Postgres, Mysql, Sqlite];

fn text(sql: &str, dialect: Dialect) -> String {
    let made = fingerprint(sql.as_bytes(), dialect);
    let again = fingerprint(made.text.as_bytes(), dialect);
    assert_eq!(again.text, made.text, "of {sql:?}");
    made.text
}

#[test]
fn statements_of_real_applications() {
    let table = [
        // MediaWiki, its comments say which method asks
        (
            Mysql,
            "SELECT /* MediaWiki\\Page\\PageStore::getPageByNameViaLinkCache */  page_id,page_namespace,page_title FROM `page`    \
             WHERE page_namespace = 0 AND page_title = 'Main_Page'  LIMIT 1  ",
            "SELECT page_id, page_namespace, page_title FROM `page` WHERE page_namespace = ? AND page_title = ? LIMIT ?",
        ),
        (
            Mysql,
            "SELECT  keyname,value,exptime  FROM `objectcache`    WHERE keyname IN ('wiki:a','wiki:b\\'c') AND exptime > '20260101'",
            "SELECT keyname, value, exptime FROM `objectcache` WHERE keyname IN (?+) AND exptime > ?",
        ),
        (
            Mysql,
            "INSERT /* SqlBagOStuff::modifyTableSpecificBlobsForSet  */ INTO `objectcache` (keyname,value,exptime) VALUES \
             ('k','\\0�x''y','2026'),('l','m','2027') ON DUPLICATE KEY UPDATE value=VALUES(value)",
            "INSERT INTO `objectcache` (keyname, value, exptime) VALUES (?+) ON DUPLICATE KEY UPDATE value = VALUES (value)",
        ),
        (
            Sqlite,
            "SELECT l10n_cache.lc_value FROM \"l10n_cache\" WHERE lc_lang = 'en'",
            "SELECT l10n_cache.lc_value FROM \"l10n_cache\" WHERE lc_lang = ?",
        ),
        // WordPress
        (
            Mysql,
            "SELECT option_name, option_value FROM wp_options WHERE autoload IN ( 'yes', 'on', 'auto-on', 'auto' )",
            "SELECT option_name, option_value FROM wp_options WHERE autoload IN (?+)",
        ),
        (
            Mysql,
            "SELECT SQL_CALC_FOUND_ROWS  wp_posts.ID\n\t\t\t\t\t FROM wp_posts \n WHERE 1=1  AND ((wp_posts.post_type = 'post' AND \
             (wp_posts.post_status = 'publish')))\n ORDER BY wp_posts.post_date DESC\n LIMIT 0, 10",
            "SELECT SQL_CALC_FOUND_ROWS wp_posts.ID FROM wp_posts WHERE ? = ? AND ((wp_posts.post_type = ? AND \
             (wp_posts.post_status = ?))) ORDER BY wp_posts.post_date DESC LIMIT ?, ?",
        ),
        (
            Mysql,
            "SELECT COUNT(*) as num FROM wp_posts p WHERE ID = \"5\"",
            "SELECT COUNT(*) AS num FROM wp_posts p WHERE ID = ?",
        ),
        // Drupal
        (
            Mysql,
            "SELECT \"name\", \"value\" FROM `cache_config` WHERE `cid` IN ('core.extension' ) ORDER BY `cid`",
            "SELECT ?, ? FROM `cache_config` WHERE `cid` IN (?+) ORDER BY `cid`",
        ),
        (
            Postgres,
            "SELECT \"base\".\"nid\" AS \"nid\" FROM \"node\" \"base\" WHERE \"base\".\"nid\" IN (:nids__0, :nids__1)",
            "SELECT \"base\".\"nid\" AS \"nid\" FROM \"node\" \"base\" WHERE \"base\".\"nid\" IN (?+)",
        ),
        // Sympa
        (
            Postgres,
            "SELECT name_list AS name, robot_list AS robot FROM list_table WHERE robot_list = $1 AND status_list <> E'clo\\'sed'",
            "SELECT name_list AS name, robot_list AS robot FROM list_table WHERE robot_list = ? AND status_list <> ?",
        ),
        (
            Sqlite,
            "DELETE FROM session_table WHERE (id_session = ?1 AND date_session < 1.5e9)",
            "DELETE FROM session_table WHERE (id_session = ? AND date_session < ?)",
        ),
        // values and signs
        (
            Postgres,
            "select -1, a - 1, a-+-1, (-1), 1e5, .5, 5., 0xFF, 1e-3, t1.c2 from t1",
            "SELECT ?, a - ?, a - ?, (?), ?, ?, ?, ?, ?, t1.c2 FROM t1",
        ),
        (Postgres, "SELECT 'a''b', $$x'y$$, $t$ $$ $t$, X'1f', B'01', U&'\\0441'", "SELECT ?, ?, ?, ?, ?, ?"),
        (
            Postgres,
            "SELECT a::text, '5'::int, b->>'k', c[1], ARRAY[1,2], d ? 'e'",
            "SELECT a::text, ?::int, b ->> ?, c[?], ARRAY[?+], d ? ?",
        ),
        (Postgres, "SELECT 1 /* a /* b */ c */ + 2 -- d", "SELECT ? + ?"),
        (
            Mysql,
            "SELECT 5--3 # x\n, _utf8mb4'x', 2fa.id, @@sql_mode, @x:=1 -- y",
            "SELECT ? - ?, ?, 2fa.id, @@sql_mode, @x := ?",
        ),
        (Mysql, "/*!40101 SET NAMES utf8 */;", "SET NAMES utf8"),
        (Mysql, "SELECT /*+ MAX_EXECUTION_TIME(5) */ 1", "SELECT ?"),
        (Sqlite, "SELECT [a b], @p, $q, :r, `c` FROM x", "SELECT [a b], ?, ?, ?, `c` FROM x"),
        (Postgres, "SELECT %s, %(name)s, a % s", "SELECT ?, ?, a % s"),
        (
            Postgres,
            "SELECT TRUE, NULL, false WHERE a IS NOT NULL AND b IN (1, NULL)",
            "SELECT TRUE, NULL, FALSE WHERE a IS NOT NULL AND b IN (?+)",
        ),
        (
            Postgres,
            "SELECT 1 WHERE (a,b) IN ((1,2),(3,4)) AND c = ANY('{1,2}')",
            "SELECT ? WHERE (a, b) IN ((?+)) AND c = ANY (?+)",
        ),
        (
            Mysql,
            "INSERT INTO t VALUES (1,NOW(),NULL),(2,NOW(),3),(4,NULL,'x')",
            "INSERT INTO t VALUES (?, NOW(), NULL)",
        ),
        (Mysql, "insert into db.t(a,b)values(1,2)", "INSERT INTO db.t (a, b) VALUES (?+)"),
        (
            Postgres,
            "SELECT max(a), coalesce(b, 0), f (1, 2) FROM g(3)",
            "SELECT MAX(a), COALESCE(b, ?), f(?+) FROM g(?)",
        ),
        (Postgres, "BEGIN; UPDATE t SET a = 1;", "BEGIN; UPDATE t SET a = ?"),
        (Postgres, "", ""),
        (Postgres, " ;; ", ""),
        // cut
        (Postgres, "SELECT a FROM t WHERE b = 'op", "SELECT a FROM t WHERE b = ?…"),
        (Postgres, "SELECT a FROM t WHERE b IN (1, 2, 'op", "SELECT a FROM t WHERE b IN (?+…"),
        (Postgres, "SELECT a FROM t WHERE b IN (1, 2,", "SELECT a FROM t WHERE b IN (?+…"),
        (Postgres, "SELECT a FROM t /* why", "SELECT a FROM t…"),
        (Postgres, "SELECT a FROM \"t", "SELECT a FROM…"),
        (Postgres, "SELECT $x$ a", "SELECT ?…"),
        (Mysql, "INSERT INTO t VALUES (1,2),(3,4),(5,'x", "INSERT INTO t VALUES (?+)…"),
        (Mysql, "INSERT INTO t VALUES (1,2),", "INSERT INTO t VALUES (?+)"),
    ];
    for (dialect, sql, expected) in table {
        // A comma at the end is no sign of a cut; all else of the table is exact.
        assert_eq!(text(sql, dialect).trim_end_matches(','), expected, "{sql}");
    }
}

#[test]
fn what_statements_do() {
    let table = [
        ("SELECT 1", false),
        ("(SELECT 1) UNION (SELECT 2)", false),
        ("SELECT a FROM t FOR UPDATE", false),
        ("SELECT a INTO OUTFILE '/tmp/x' FROM t", false),
        ("SELECT a INTO @x FROM t", false),
        ("SELECT a INTO new_table FROM t", true),
        ("SELECT replace(a, 'x', 'y') FROM t", false),
        ("-- say\nINSERT INTO t VALUES (1)", true),
        ("/* x */ update t set a = 1", true),
        ("DELETE FROM t", true),
        ("REPLACE INTO t VALUES (1)", true),
        ("MERGE INTO t USING s ON true WHEN MATCHED THEN DELETE", true),
        ("WITH x AS (SELECT 1) SELECT * FROM x", false),
        ("WITH x AS (SELECT 1) UPDATE t SET a = 1", true),
        ("WITH gone AS (DELETE FROM t RETURNING *) SELECT * FROM gone", true),
        ("WITH RECURSIVE x (n) AS (VALUES (1)) INSERT INTO t SELECT n FROM x", true),
        ("TRUNCATE t", true),
        ("CREATE TEMPORARY TABLE t (a int)", true),
        ("ALTER TABLE t ADD a int", true),
        ("COPY t FROM STDIN", true),
        ("COPY (SELECT * FROM t) TO STDOUT", false),
        ("BEGIN", false),
        ("start transaction read only", false),
        ("COMMIT", false),
        ("ROLLBACK", false),
        ("ROLLBACK TO SAVEPOINT a", false),
        ("BEGIN; DELETE FROM t; COMMIT", true),
        ("SET NAMES utf8", false),
        ("SHOW TABLES", false),
        ("EXPLAIN SELECT 1", false),
        ("", false),
    ];
    for (sql, writes) in table {
        assert_eq!(fingerprint(sql.as_bytes(), Postgres).writes, writes, "{sql}");
    }
    assert!(!fingerprint(b"SELECT a INTO x FROM t", Mysql).writes, "a variable of a procedure");
}

#[test]
fn the_length_is_bounded_at_a_word() {
    let columns = (0..500).map(|number| format!("column_{number}")).collect::<Vec<_>>().join(", ");
    for sql in
        [format!("SELECT {columns} FROM t"), format!("SELECT f({columns})"), format!("SELECT \"{}\"", "ä".repeat(2000))]
    {
        let made = fingerprint(sql.as_bytes(), Postgres);
        assert!(made.text.len() <= MAX_FINGERPRINT && made.text.ends_with('…') && made.truncated, "{}", made.text);
        assert_eq!(fingerprint(made.text.as_bytes(), Postgres).text, made.text);
    }
    assert!(fingerprint(&b"SELECT 1, ".repeat(100_000), Mysql).truncated);
    assert_eq!(text(&format!("{}1", "(".repeat(300)), Postgres).chars().filter(|c| *c == '(').count(), 300);
}

#[test]
fn text_that_is_whole_is_not_truncated() {
    for dialect in DIALECTS {
        assert!(!fingerprint(b"SELECT a FROM t WHERE b IN (1, 2)", dialect).truncated);
        assert!(fingerprint(b"SELECT a FROM t WHERE b IN (1, 2", dialect).truncated);
        assert!(fingerprint(b"SELECT 'a", dialect).truncated);
    }
}

fn dialect() -> impl Strategy<Value = Dialect> {
    prop::sample::select(DIALECTS.to_vec())
}

/// Bytes that are likely to be something in SQL.
fn soup() -> impl Strategy<Value = String> {
    let parts = [
        "SELECT",
        "select",
        "insert",
        "IN",
        "VALUES",
        "values",
        "with",
        "AS",
        "key",
        "DUPLICATE",
        "NULL",
        "true",
        "count",
        "t1",
        "1",
        "5.",
        ".5",
        "1e5",
        "1e",
        "0x1",
        "'",
        "''",
        "\\",
        "\"",
        "`",
        "[",
        "]",
        "(",
        ")",
        "(",
        ")",
        ",",
        ",",
        ";",
        ".",
        "..",
        "*",
        "/*",
        "*/",
        "/*!",
        "/*!50000",
        "/*M!",
        "--",
        "-- ",
        "#",
        "\n",
        " ",
        " ",
        "$",
        "$1",
        "$$",
        "$a$",
        "?",
        "?+",
        "+",
        "-",
        "-",
        ":",
        "::",
        ":a",
        "@",
        "@a",
        "@@b",
        "%",
        "%s",
        "%(a)s",
        "…",
        "E'",
        "x'",
        "_utf8'",
        "U&'",
        "ä",
        "\u{85}",
        "\0",
        "!",
        "~",
        "|",
        "<=>",
        "array",
        "into",
        "delete",
        "any",
        "end",
    ];
    prop::collection::vec(prop::sample::select(parts.to_vec()), 0..40).prop_map(|parts| parts.concat())
}

/// A literal of any dialect.
fn literal() -> impl Strategy<Value = String> {
    prop_oneof![
        "[0-9]{1,6}",
        "-[0-9]{1,6}",
        "[0-9]{1,3}\\.[0-9]{0,3}",
        "[0-9]e-?[0-9]{1,2}",
        "'[a-z ,;()%?#*/-]{0,9}(''){0,2}'",
        "X'[0-9a-f]{2}'",
        Just("0xAF".to_owned()),
    ]
}

/// What may stand between two words: in all dialects a blank.
fn blank() -> impl Strategy<Value = String> {
    prop_oneof!["[ \t\n]{1,3}", "/\\* [a-z']{0,5} \\*/", " -- [a-z'(]{0,5}\n", Just(" ".to_owned())]
}

/// Statements as programs write them; SECRET stands for the secret.
const FORMS: &[(Option<Dialect>, &str)] = &[
    (None, "SELECT id FROM users WHERE mail = 'SECRET' AND token='SECRET'"),
    (None, "select id from users where mail in ('SECRET', 'x') or name like '%SECRET%' -- SECRET"),
    (None, "INSERT INTO users (mail, password) VALUES ('SECRET', /* SECRET */ 'SECRET'), ('a', 'SECRET')"),
    (None, "UPDATE users SET password = 'SECRET' WHERE id = 5"),
    (None, "UPDATE users SET password = 'it''s SECRET' WHERE id = 5"),
    (None, "SELECT 'SECRET"),
    (Some(Mysql), "SELECT id FROM users WHERE mail = \"SECRET\" # SECRET"),
    (Some(Mysql), "CREATE USER 'shop'@'%' IDENTIFIED BY 'SECRET'"),
    (Some(Mysql), "SET PASSWORD FOR 'shop'@'%' = PASSWORD('SECRET')"),
    (Some(Mysql), "SELECT AES_DECRYPT(card, _utf8mb4'SECRET') FROM t WHERE a = 'it\\'s SECRET'"),
    (Some(Mysql), "CHANGE MASTER TO MASTER_PASSWORD='SECRET', MASTER_PORT=3306"),
    (Some(Postgres), "ALTER USER shop WITH PASSWORD 'SECRET'"),
    (Some(Postgres), "SELECT pgp_sym_decrypt(card, E'it\\'s SECRET') FROM t"),
    (Some(Postgres), "SELECT pgp_sym_decrypt(card, $k$SECRET$k$) FROM t WHERE b = U&'SECRET'"),
    (Some(Postgres), "SET app.token TO 'SECRET'"),
    (Some(Sqlite), "SELECT id FROM users WHERE token = \"SECRET\" AND mail IN (\"SECRET\", \"a\")"),
    (Some(Sqlite), "INSERT INTO \"users\" (\"mail\") VALUES (\"SECRET\"), (\"SECRET\")"),
    (Some(Sqlite), "PRAGMA key = \"x'SECRET'\""),
    (Some(Sqlite), "ATTACH DATABASE 'a.db' AS a KEY \"SECRET\""),
];

/// SQLite takes a name in quotes that names nothing for a text: passwords stood in fingerprints.
#[test]
fn a_text_of_sqlite_in_the_quotes_of_a_name_was_told() {
    for (sql, told) in [
        ("SELECT a FROM t WHERE b = \"c\"", "SELECT a FROM t WHERE b = ?"),
        ("SELECT a FROM t WHERE b LIKE \"c%\"", "SELECT a FROM t WHERE b LIKE ?"),
        ("SELECT \"a\", \"b\" FROM \"t\" ORDER BY \"a\"", "SELECT \"a\", \"b\" FROM \"t\" ORDER BY \"a\""),
        ("SELECT 1 FROM t WHERE \"t\".\"a\" = \"u\" . \"b\"", "SELECT ? FROM t WHERE \"t\".\"a\" = \"u\".\"b\""),
        ("INSERT INTO \"t\" (\"a\", \"b\") VALUES (\"c\", 1)", "INSERT INTO \"t\" (\"a\", \"b\") VALUES (?+)"),
    ] {
        assert_eq!(text(sql, Sqlite), told);
    }
    assert_eq!(text("SELECT a FROM t WHERE b = \"c\"", Postgres), "SELECT a FROM t WHERE b = \"c\"");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_secret_is_told(secret in "Zq7[A-Za-z0-9+/=!%^(){}|:;,.?~@ -]{0,24}Zq7", form in 0..FORMS.len(), other in dialect()) {
        let (dialect, form) = FORMS[form];
        let dialect = dialect.unwrap_or(other);
        let sql = form.replace("SECRET", &secret);
        let fingerprint = fingerprint(sql.as_bytes(), dialect).text;
        prop_assert!(!fingerprint.contains("Zq7"), "{sql}\n{fingerprint}");
    }

    #[test]
    fn any_bytes_have_a_fingerprint(bytes in prop::collection::vec(any::<u8>(), 0..300), dialect in dialect()) {
        let made = fingerprint(&bytes, dialect);
        prop_assert!(made.text.len() <= MAX_FINGERPRINT);
        let again = fingerprint(made.text.as_bytes(), dialect);
        prop_assert_eq!(&again.text, &made.text);
        prop_assert_eq!(again.truncated, made.truncated);
    }

    #[test]
    fn a_fingerprint_is_its_own(sql in soup(), dialect in dialect()) {
        let made = fingerprint(sql.as_bytes(), dialect);
        prop_assert!(!made.text.chars().any(char::is_control));
        let again = fingerprint(made.text.as_bytes(), dialect);
        prop_assert_eq!(again, made);
    }

    #[test]
    fn values_make_no_difference(
        a in prop::collection::vec(literal(), 6), dialect in dialect(),
        list in prop::collection::vec(literal(), 1..20), rows in 1..5_usize,
    ) {
        let list = list.join(", ");
        let row = format!("({}, {}, NULL)", a[4], a[5]);
        let rows = vec![row.as_str(); rows].join(",");
        let select = format!("SELECT {}, b - {} FROM t1 WHERE c = {} AND d IN ({list}) LIMIT {}", a[0], a[1], a[2], a[3]);
        let select = fingerprint(select.as_bytes(), dialect);
        prop_assert_eq!(select.text, "SELECT ?, b - ? FROM t1 WHERE c = ? AND d IN (?+) LIMIT ?");
        let insert = fingerprint(format!("INSERT INTO t (a, b, c) VALUES {rows}").as_bytes(), dialect);
        prop_assert_eq!(insert.text, "INSERT INTO t (a, b, c) VALUES (?+)");
    }

    #[test]
    fn blanks_and_comments_make_no_difference(blanks in prop::collection::vec(blank(), 30), dialect in dialect()) {
        let words = ["SELECT", "a", ".", "b", ",", "COUNT", "(", "*", ")", "FROM", "t", "WHERE", "c", ">=", "1", "AND", "d", "IN",
            "(", "'x'", ",", "2", ")", "-", "5"];
        let apart: String = words.iter().zip(&blanks).flat_map(|(word, blank)| [*word, blank.as_str()]).collect();
        let plain = fingerprint(words.join(" ").as_bytes(), dialect);
        prop_assert_eq!(&fingerprint(apart.as_bytes(), dialect), &plain);
        prop_assert_eq!(plain.text, "SELECT a.b, COUNT(*) FROM t WHERE c >= ? AND d IN (?+) - ?");
    }

    #[test]
    fn a_cut_text_has_a_fingerprint(sql in soup(), at in any::<prop::sample::Index>(), dialect in dialect()) {
        let cut = sql.as_bytes().get(..at.index(sql.len() + 1)).unwrap_or_default();
        let made = fingerprint(cut, dialect);
        prop_assert_eq!(fingerprint(made.text.as_bytes(), dialect).text, made.text);
    }
}
