use super::*;
use crate::evidence::{LogSeen, QueryProtocol, QuerySeen};
use crate::sql::has_placeholder;

/// By the text of a whole: whatever a structure holds, each of its texts was seen.
#[test]
fn every_text_is_seen() {
    let one = || "\u{1b}[2J".to_owned();
    let mut evidence = Evidence {
        host: Some(one()),
        left_out: vec![one()],
        cut_short: Some(one()),
        path: Some(PathSeen { unknown: Some(PathUnknown { why: one(), takes: one() }), ..PathSeen::default() }),
        missing: vec![Missing { source: super::super::EvidenceSource::Php, why: one(), takes: one() }],
        syscalls: vec![SyscallSeen { name: one(), error: Some(one()), ..SyscallSeen::default() }],
        transfers: vec![TransferSeen { path: one(), ..TransferSeen::default() }],
        queries: vec![QuerySeen { example: one(), fingerprint: one(), ..QuerySeen::default() }],
        logs: vec![LogSeen { examples: vec![one()], ..LogSeen::default() }],
        php: vec![PhpSettings {
            settings: [(one(), one())].into(),
            set_again: vec![PhpSetAgain { text: one(), unknown: Some(one()), ..PhpSetAgain::default() }],
            pool_unknown: Some(one()),
            ..PhpSettings::default()
        }],
        response: Some(Response { headers: vec![(one(), one())], ..Response::default() }),
        ..Evidence::default()
    };
    evidence.page.restart = Some(one());
    evidence.groups = vec![GroupSeen {
        exe: Some(one()),
        container: Some(ContainerSeen { name: one(), restart: Some(one()), php_folder: Some(one()) }),
        ..GroupSeen::default()
    }];
    evidence.each_text(&mut |text| *text = "seen".into());
    let text = serde_json::to_string(&evidence).unwrap();
    assert!(!text.contains("u001b") && text.matches("seen").count() > 20, "{text}");
}

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
