//! An application with a database: all three tiers follow.

use std::process::Command;

use unladen_tests::{Call, Subject};

#[test]
fn database_php_and_nginx_follow_and_a_conditional_get_weighs_less() {
    let pledges = Subject::up("pledges");
    let weigh = || Call::weigh(["--time", "8s", "--phase", "125ms", "--settle", "25ms", "--group-by", "exe"]);

    let page = weigh().args([pledges.url()]).document();
    for tier in ["postgres", "php-fpm", "nginx"] {
        assert!(page.weight(tier, "cpu").follows, "{tier}\n{page}");
    }
    assert!(page.weight("postgres", "voluntary_switches").per_request > 1.0, "two queries\n{page}");

    let head = Command::new("curl").args(["-sI", pledges.url()]).output().unwrap();
    let head = String::from_utf8(head.stdout).unwrap();
    let etag =
        head.lines().find_map(|line| line.to_lowercase().starts_with("etag:").then(|| &line[5..])).expect("an ETag");
    let header = format!("If-None-Match: {}", etag.trim());
    let unchanged = weigh().args(["--expect-status", "304", "-H", &header, pledges.url()]).document();
    assert_eq!(unchanged["urls"][0]["response_bytes"], 0);
    assert!(unchanged.weight("postgres", "cpu").follows, "{unchanged}");
    let (whole, less) = (page.weight("php-fpm", "cpu"), unchanged.weight("php-fpm", "cpu"));
    assert!(less.per_request < whole.per_request, "{whole:?} {less:?}");
}
