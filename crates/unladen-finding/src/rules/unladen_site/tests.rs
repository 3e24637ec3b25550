use unladen_trace::QuerySeen;

use super::*;
use crate::rules::answers::tests::pages::made;
use crate::rules::tests::testing::each;

fn page(url: &str) -> Evidence {
    let mut evidence = made(&[], Vec::new());
    evidence.page.url = url.into();
    evidence
}

#[test]
fn lines_of_a_page() {
    let fix = fix(&page("https://site.example/a/b%20c?d"), "advice").unwrap();
    assert_eq!(fix.commands, ["unladen serve --config unladen.toml"]);
    assert_eq!(fix.lines, ["[[site]]", "listen = \"127.0.0.1:17080\"", "upstream = \"https://site.example\""]);
    for url in ["", "a", "ftp://a/", "http:///a", "http://user:password@a/b"] {
        assert_eq!(super::fix(&page(url), "advice"), None, "{url}");
    }
}

/// Of several sites of one server it was another one that was compared.
#[test]
fn the_comparison_lost_the_virtual_host() {
    assert_eq!(
        again(&page("http://site.example/x?y"), None),
        "unladen prove --a 'http://site.example/x?y' --b 'http://127.0.0.1:17080/x?y' -H 'Host: site.example' --concurrency 8"
    );
    assert!(again(&page("http://site.example"), None).contains(" --b http://127.0.0.1:17080/ -H "));
}

fn asked(fingerprint: &str, protocol: QueryProtocol) -> QuerySeen {
    let counted = unladen_trace::Counted { count: each(1), ..Default::default() };
    QuerySeen { fingerprint: fingerprint.into(), protocol, counted, ..QuerySeen::default() }
}

/// `max(post_modified_gmt)` missed six of eight kinds of change, and of two edits in one second the later: no question
/// is printed, but what one has to cover.
#[test]
fn a_question_was_printed_that_does_not_cover_what_the_page_shows() {
    let mut evidence = page("http://a/blood");
    evidence.queries = vec![
        asked("SELECT * FROM wp_posts p LEFT JOIN `wp_postmeta` ON ? = ? WHERE a = ?", QueryProtocol::Mysql),
        asked("SELECT extract(epoch FROM changed) FROM pledge, \"signer\" AS s WHERE id = $1", QueryProtocol::Postgres),
        asked("SELECT a FROM journal", QueryProtocol::Sqlite),
        QuerySeen { writes: true, ..asked("DELETE FROM old", QueryProtocol::Mysql) },
    ];
    let said = counter(&evidence);
    assert!(
        said.contains("triggers")
            && said.contains("(pledge, signer, wp_postmeta, wp_posts, and the tables behind views"),
        "{said}"
    );
    assert!(!fix(&evidence, "").unwrap().lines.iter().any(|line| line.contains("validator") || line.contains("max(")));
    evidence.queries.truncate(0);
    assert_eq!(counter(&evidence), "");
}
