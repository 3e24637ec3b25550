use proptest::prelude::*;

use super::target::LONGEST_TARGET;
use super::*;

const HEAD: &str = "::1 - a \"user\" [10/Oct/2026:13:55:36 +0000]";

fn line(request: &str, status: u16) -> String {
    format!("{HEAD} \"{request}\" {status} 5 \"-\" \"x\"\n")
}

fn parse(log: impl AsRef<[u8]>) -> Result<AccessLog, AccessLogError> {
    AccessLog::parse(log.as_ref(), Path::new("access.log"), "shop.example:8080")
}

/// Targets that are sent, and how often; lines that are passed over, by reason.
type Read = (Vec<(String, u64)>, Vec<(PassedOver, u64)>);

/// What is sent, and what is passed over; both are all lines.
#[track_caller]
fn read(log: impl AsRef<[u8]>) -> Read {
    let newlines = log.as_ref().split_inclusive(|byte| *byte == b'\n').count() as u64;
    let log = parse(log).unwrap();
    let sent: Vec<_> = log.entries().map(|(target, count)| (target.to_owned(), count)).collect();
    let passed_over: Vec<_> = log.passed_over().collect();
    assert_eq!(log.sent(), sent.iter().map(|(_, count)| count).sum::<u64>());
    assert_eq!(log.lines(), log.sent() + passed_over.iter().map(|(_, count)| count).sum::<u64>());
    assert_eq!(log.lines(), newlines);
    (sent, passed_over)
}

#[track_caller]
fn sends(request: &str, target: &str) {
    assert_eq!(read(line(request, 200)), (vec![(target.to_owned(), 1)], Vec::new()), "{request}");
}

#[track_caller]
fn passes_over(request: &str, status: u16, reason: PassedOver) {
    let log = line("GET /a HTTP/1.1", 200) + &line(request, status);
    assert_eq!(read(log), (vec![("/a".to_owned(), 1)], vec![(reason, 1)]), "{request} {status}");
}

/// 1,500 targets of 60 kB, in a file of 433 kB, took 557 MB.
#[test]
fn long_targets_are_not_kept() {
    let long = line(&format!("GET /{} HTTP/1.1", "a".repeat(LONGEST_TARGET)), 200);
    // As long once it is encoded.
    let bytes = line(&format!("GET /{} HTTP/1.1", "\\xC3".repeat(LONGEST_TARGET / 4)), 200);
    assert_eq!(
        read(long + &bytes + &line("GET /b HTTP/1.1", 200)),
        (vec![("/b".to_owned(), 1)], vec![(PassedOver::Long, 2)])
    );
}

#[test]
fn targets_beyond_what_is_kept_are_counted_and_refuse_nothing() {
    let many: String =
        (0..9_000).map(|n| line(&format!("GET /{n:05}{} HTTP/1.1", "a".repeat(LONGEST_TARGET - 10)), 200)).collect();
    let (sent, passed_over) = read(many.clone() + &line("GET /00000 HTTP/1.1", 200) + &many[..many.len() / 9_000]);
    assert!(sent.len() > 8_000 && sent[0].1 == 2, "{}", sent.len());
    assert_eq!(passed_over, [(PassedOver::Surplus, 9_000 + 1 - sent.len() as u64)]);
}

#[test]
fn targets_are_counted_and_the_most_frequent_come_first() {
    let log = line("GET /a HTTP/1.1", 200) + &line("GET /b?c=%22 HTTP/2.0", 304) + &line("GET /b?c=%22 HTTP/2.0", 200);
    assert_eq!(read(log).0, [("/b?c=%22".to_owned(), 2), ("/a".to_owned(), 1)]);
}

/// `//wp-login.php` vanished without a count, and `/x/../y` was sent as `/y`: targets went through a browser's parser.
#[test]
fn targets_are_sent_as_they_stand() {
    for target in [
        "//wp-login.php",
        "///",
        "/x/../y/./z",
        "/%2e%2e/etc",
        "/a%2fb%2F",
        "/a//b?c=/../d&e=%zz",
        "/a;b=c,d!$'()*+~@:",
        "/a?{b}|^[c]",
        "/A%C3%A9",
        "/?",
        "/a??b?",
    ] {
        sends(&format!("GET {target} HTTP/1.1"), target);
    }
}

/// nginx writes bytes as `\xC3`, and Apache quotes as `\"`.
#[test]
fn escaped_bytes_are_sent_as_bytes() {
    for (logged, target) in [
        (r"/caf\xC3\xA9", "/caf%C3%A9"),
        (r"/caf\xc3\xa9?q=\x22a\x22", "/caf%C3%A9?q=%22a%22"),
        (r#"/a\"b\"c"#, "/a%22b%22c"),
        (r"/a\\b", "/a%5Cb"),
        (r"/a\x5Cb", "/a%5Cb"),
        (r"/a\nb\x7F", "/a%0Ab%7F"),
        (r"/a\q\x4\xZZ", "/a%5Cq%5Cx4%5CxZZ"),
        ("/café<b>`", "/caf%C3%A9%3Cb%3E%60"),
    ] {
        sends(&format!("GET {logged} HTTP/1.1"), target);
    }
    let latin: Vec<u8> = [&line("GET /caf", 200).as_bytes()[..HEAD.len() + 10], b"\xe9 HTTP/1.1\" 200 5\n"].concat();
    assert_eq!(read(latin).0, [("/caf%E9".to_owned(), 1)]);
}

#[test]
fn every_line_is_passed_over_under_its_true_reason() {
    for (request, status, reason) in [
        ("GET /missing HTTP/1.1", 404, PassedOver::Failed),
        ("GET /gone HTTP/1.1", 499, PassedOver::Failed),
        ("GET /crash HTTP/1.1", 502, PassedOver::Failed),
        ("POST /a HTTP/1.1", 200, PassedOver::Method),
        ("PROPFIND /a HTTP/1.1", 404, PassedOver::Method),
        ("OPTIONS * HTTP/1.1", 200, PassedOver::Method),
        ("CONNECT host:443 HTTP/1.1", 400, PassedOver::Method),
        ("\\x16\\x03\\x01", 400, PassedOver::NoRequest),
        ("\\x16\\x03 \\x01 HTTP/1.1", 400, PassedOver::NoRequest),
        ("GET /", 200, PassedOver::NoRequest),
        ("GET HTTP/1.1", 400, PassedOver::NoRequest),
        ("-", 408, PassedOver::NoRequest),
        ("", 408, PassedOver::NoRequest),
        ("GET /ws HTTP/1.1", 101, PassedOver::Informational),
        ("GET /film.mp4 HTTP/1.1", 206, PassedOver::Partial),
        ("GET /index.php?x=a b HTTP/1.1", 200, PassedOver::Blank),
        ("GET /a\\tb HTTP/1.1", 200, PassedOver::Blank),
        ("GET /a\\x20b HTTP/1.1", 200, PassedOver::Blank),
        ("GET /a#b HTTP/1.1", 200, PassedOver::Fragment),
        ("GET http://other/ HTTP/1.1", 200, PassedOver::OtherHost),
        ("GET  HTTP/1.1", 200, PassedOver::NoPath),
        ("GET index.html HTTP/1.1", 200, PassedOver::NoPath),
        ("GET ftp://shop.example/ HTTP/1.1", 200, PassedOver::NoPath),
        ("GET http://shop.example?a HTTP/1.1", 200, PassedOver::NoPath),
    ] {
        passes_over(request, status, reason);
    }
    let unanswered = format!("{HEAD} \"GET /b HTTP/1.1\" - -\n{HEAD} \"GET /c HTTP/1.1\" 000 0\n");
    assert_eq!(read(line("GET /a HTTP/1.1", 200) + &unanswered).1, [(PassedOver::NoAnswer, 2)]);
}

#[test]
fn absolute_urls_of_the_host_are_sent_by_their_path() {
    for (url, target) in [
        ("https://shop.example/a?b=//c", "/a?b=//c"),
        ("HTTP://Shop.Example:443//a/../b", "//a/../b"),
        ("http://joe:secret@shop.example:8080", "/"),
    ] {
        sends(&format!("GET {url} HTTP/2.0"), target);
    }
    let error = parse(line("GET https://www.shop.example/a HTTP/2.0", 200)).unwrap_err().to_string();
    assert_eq!(
        error,
        "access.log has no GET request that can be repeated from a log: of its 1 lines are 1 with an absolute URL of \
         another host; use `-H 'Host: www.shop.example'` to send those of www.shop.example"
    );
    // What stands there is to be typed.
    let hostile = parse(line("GET http://x';reboot'/ HTTP/1.1", 200)).unwrap_err().to_string();
    assert!(!hostile.contains("reboot"), "{hostile}");
}

#[test]
fn a_line_that_was_cut_refuses_nothing() {
    let entry = line("GET /a HTTP/1.1", 200);
    for end in 1..entry.len() {
        // Cut in front, as by `tail -c`, and at the end, as of a log under way.
        let (first, last) = (&entry[end..], entry[..end].trim_end_matches('\n'));
        let (sent, passed_over) = read(format!("{first}{entry}{last}"));
        let passed_over: u64 = passed_over.iter().map(|(_, count)| count).sum();
        assert_eq!(sent.len(), 1, "{first:?} {last:?}");
        assert!(sent[0].0 == "/a" && sent[0].1 + passed_over <= 3, "{first:?} {last:?}");
    }
    let log = format!("{entry}{HEAD} \"GET /b HTT");
    assert_eq!(read(log), (vec![("/a".to_owned(), 1)], vec![(PassedOver::NoEntry, 1)]));
    // cut within the status
    assert_eq!(read(format!("{entry}{HEAD} \"GET /b HTTP/1.1\" 20")).1, [(PassedOver::NoEntry, 1)]);
    assert_eq!(read(format!("0] x\n{entry}{HEAD}")).1, [(PassedOver::NoEntry, 2)]);
}

#[test]
fn lines_of_another_kind_are_counted_up_to_half() {
    let (entry, other) = (line("GET /a HTTP/1.1", 200), "2026/10/10 13:55:36 [warn] 1#1: a line of the error log\n");
    let log = format!("{entry}{other}{other}{entry}");
    assert_eq!(read(&log), (vec![("/a".to_owned(), 2)], vec![(PassedOver::NoEntry, 2)]));
    let error = parse(format!("{entry}{other}{other}{other}{entry}")).unwrap_err().to_string();
    assert!(
        error.starts_with(
            "access.log:2: not an entry in the combined log format, like 3 of the 5 lines: found \
            `2026/10/10"
        ),
        "{error}"
    );
}

/// A log with 200,000 NULs before its first entry was refused, since its first line was too long.
#[test]
fn nuls_that_copytruncate_leaves_are_nothing() {
    let entry = line("GET /a HTTP/1.1", 200);
    for nuls in [1, 100, 200_000] {
        let log = [&vec![0; nuls][..], entry.as_bytes(), &vec![0; nuls], b"\n", entry.as_bytes()].concat();
        assert_eq!(read(log), (vec![("/a".to_owned(), 2)], vec![(PassedOver::Empty, 1)]));
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_an_entry() {
    let log = format!("\u{feff}{}", line("GET /a HTTP/1.1", 200));
    let mut reader = LogReader::new(log.as_bytes());
    let Some(LogLine::Entry(entry)) = reader.next_line().unwrap() else { panic!("not an entry") };
    assert_eq!(
        (entry.before, entry.time, entry.after),
        (&b"::1 - a \"user\""[..], &b"10/Oct/2026:13:55:36 +0000"[..], &b"5 \"-\" \"x\""[..])
    );
}

#[test]
fn a_log_of_another_kind_names_the_line() {
    let error = parse("\n{\"request\":\"GET /\"}\n").unwrap_err().to_string();
    assert!(
        error.starts_with("access.log:2: not an entry in the combined log format, like 1 of the 2 lines"),
        "{error}"
    );
    assert!(error.contains("found `{\"request\":\"GET /\"}`"), "{error}");
    let error = parse("").unwrap_err().to_string();
    assert!(error.ends_with("has no GET request that can be repeated from a log: it is empty"), "{error}");
    let error = parse(line("POST / HTTP/1.1", 200)).unwrap_err().to_string();
    assert!(
        error.ends_with(": of its 1 lines are 1 with methods other than GET, whose bodies are not in the log"),
        "{error}"
    );
}

#[test]
fn a_rotated_log_is_read_or_its_compression_named() {
    use std::io::Write;
    let read = |file: &Path| AccessLog::read(file, "h");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"h - - [t] \"GET /a HTTP/1.1\" 200 5\n").unwrap();
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&packed.finish().unwrap()).unwrap();
    assert_eq!(read(file.path()).unwrap().entries().collect::<Vec<_>>(), [("/a", 1)]);
    std::fs::write(file.path(), b"\x28\xb5\x2f\xfd\x04\x00").unwrap();
    let error = read(file.path()).unwrap_err().to_string();
    assert!(error.contains("is compressed with zstd") && error.contains("zstd -dc"), "{error}");
    std::fs::write(file.path(), b"\x1f\x8b\x08\x00\n").unwrap();
    let error = read(file.path()).unwrap_err().to_string();
    assert!(error.starts_with("cannot read the access log"), "{error}");
}

/// Bytes of which logs are made, and any others.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![any::<u8>(), proptest::sample::select(b"GET /a#?\\xC3\"[] \n\0 200 HTTP/1.1".to_vec())];
    prop::collection::vec(byte, 0..200)
}

proptest! {
    #[test]
    fn lines_are_what_is_sent_and_what_is_passed_over(before in bytes(), target in bytes(), after in bytes()) {
        let entry = line("GET /a HTTP/1.1", 200).into_bytes();
        let logged = [b"\nh - - [t] \"GET /", &target[..], b" HTTP/1.1\" 200 5\n"].concat();
        let log = [&before[..], b"\n", &entry.repeat(600), &logged, &after].concat();
        let (sent, _) = read(&log);
        // Whatever stands there can be sent.
        for (target, _) in sent {
            let request = crate::Request::get("http://h/").unwrap().target(&target).unwrap().build().unwrap();
            prop_assert_eq!(request.target(), target);
        }
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in bytes()) {
        let _ = parse(&bytes);
        let _ = parse([b"h - - [t] \"", &bytes[..]].concat());
    }
}
