use super::*;
use crate::evidence::{LogSeen, QueryProtocol, QuerySeen};
use crate::sql::has_placeholder;

/// Lines of JSON in lines of JSON: each quotation ended at the first quote within, and the rest was told.
#[test]
fn a_quotation_ended_at_an_escaped_quote() {
    for line in [
        r#"{"msg": "user \"ann\" paid", "ip": "10.1.1.1"}"#,
        r#"{"log": "{\"user\": \"ann\", \"say\": \"\\\"ann\\\"\"}"}"#,
        r"said 'it\'s ann' to 'ann\\'",
        r#"cut at "x\"#,
    ] {
        let told = line_without_values(line);
        assert!(!told.contains("ann") && !told.contains("10.1"), "{line} -> {told}");
    }
    assert_eq!(line_without_values(r#"a "b\"c" d"#), "a \"…\" d");
}

#[test]
fn a_statement_is_told_without_its_values() {
    let seen = |protocol, example: &str, fingerprint: &str| QuerySeen {
        protocol,
        example: example.into(),
        fingerprint: fingerprint.into(),
        ..QuerySeen::default()
    };
    let log = LogSeen {
        examples: vec!["<30>shop[12]: user 'ann o' paid 3.50 by 4d1f, don't tell \"cutlery".into()],
        ..LogSeen::default()
    };
    let mut evidence = Evidence {
        queries: vec![
            seen(QueryProtocol::Mysql, "SELECT a FROM t WHERE mail = 'ann@x'", "SELECT a FROM t WHERE mail = ?"),
            seen(QueryProtocol::Sqlite, "SELECT a FROM t WHERE mail = 'ann@x'", "SELECT a FROM t WHERE mail = ?"),
            seen(QueryProtocol::Sqlite, "SELECT a FROM t WHERE mail = :m", "SELECT a FROM t WHERE mail = ?"),
        ],
        logs: vec![log],
        ..Evidence::default()
    };
    evidence.leave_out_values();
    let text = serde_json::to_string(&evidence).unwrap();
    for secret in ["ann", "3.50", "4d1f", "cutlery"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    let told: Vec<&str> = evidence.queries.iter().map(|seen| seen.example.as_str()).collect();
    assert_eq!(told[0], "SELECT a FROM t WHERE mail = ?");
    assert!(!has_placeholder(told[1]) && has_placeholder(told[2]), "{told:?}");
    assert_eq!(evidence.logs[0].examples[0], "<30>shop[…]: user '…' paid … by …, don't tell \"…");
}
