//! An application with a database: all three tiers follow.

use std::process::Command;
use std::sync::LazyLock;

use unladen_tests::{Call, Document, Subject};

static PLEDGES: LazyLock<Subject> = LazyLock::new(|| Subject::up("pledges"));

/// Sixteen blocks.
fn weigh<const N: usize>(args: [&str; N]) -> Document {
    let call = Call::weigh(["--no-findings", "--time", "8s", "--phase", "125ms", "--settle", "25ms"]);
    call.args(args).args([PLEDGES.url()]).document()
}

// One test, as its runs would disturb each other.
#[test]
fn database_php_and_nginx_follow_and_a_conditional_get_weighs_less() {
    let page = weigh(["--group-by", "pid"]);
    for tier in ["php-fpm", "nginx"] {
        assert!(page.weight(tier, "cpu").follows, "{tier}\n{page}");
    }
    // The database starts a process for each connection, and the page opens one.
    let by_program = weigh(["--group-by", "exe"]);
    assert!(by_program.weight("postgres", "cpu").follows, "{by_program}");
    // Beside other servers of its kind the interval is wide.
    assert!(by_program.weight("postgres", "voluntary_switches").high > 1.0, "two queries\n{by_program}");

    let head = Command::new("curl").args(["-sI", PLEDGES.url()]).output().unwrap();
    let head = String::from_utf8(head.stdout).unwrap();
    let etag =
        head.lines().find_map(|line| line.to_lowercase().starts_with("etag:").then(|| &line[5..])).expect("an ETag");
    let header = format!("If-None-Match: {}", etag.trim());
    let unchanged = weigh(["--group-by", "pid", "--expect-status", "304", "-H", &header]);
    assert_eq!(unchanged["urls"][0]["response_bytes"], 0);
    let (whole, less) = (page.weight("php-fpm", "cpu"), unchanged.weight("php-fpm", "cpu"));
    // Other programs run beside both: it is not more for certain.
    assert!(less.follows && less.low < whole.high, "{whole:?} {less:?}");
}
