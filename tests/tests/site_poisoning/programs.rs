//! What only FastCGI has: heads of CGI, records, and paths that are a script's and then more.

use unladen_tests::fastcgi::{END, answer, record};
use unladen_tests::site::get;
use unladen_tests::{Answer, Ending, PhpFpm, Site, Upstream};

/// What comes of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// It is everybody's.
    Kept(u16),
    /// It is that of one client, and of no other.
    Own(u16),
    /// It is nobody's: 502, or an answer that breaks off.
    Refused,
}
use Fate::{Kept, Own, Refused};

/// Heads, without their end, that say `max-age=600` besides; and what comes of them.
const HEADS: &[(&str, Fate)] = &[
    ("Status: 200 OK", Kept(200)),
    ("Status:200", Kept(200)),
    ("STATUS: 200 OK", Kept(200)),
    ("status: 410 Gone", Kept(410)),
    ("Status: 200 OK: HTTP/1.1 500", Kept(200)),
    ("Status: 0200 OK", Refused),
    ("Status: 200OK", Refused),
    ("Status: 200\tOK", Refused),
    ("Status: 2e2", Refused),
    ("Status: +200", Refused),
    ("Status: -200", Refused),
    ("Status: OK", Refused),
    ("Status:", Refused),
    ("Status: 99 Low", Refused),
    ("Status: 100 Continue", Refused),
    ("Status: 101 Switching Protocols", Refused),
    ("Status: 103 Early Hints", Refused),
    ("Status: 600 High", Refused),
    ("Status: 65736 Wraps", Refused),
    ("Status : 200 OK", Refused),
    (" Status: 200 OK", Refused),
    ("Status: 200 OK\nStatus: 200 OK", Refused),
    ("Status: 200 OK\nstatus: 404 No", Refused),
    ("Status: 200 OK\0", Refused),
    ("Status: 200 OK\rSet-Cookie: a=b", Refused),
    ("HTTP/1.1 200 OK", Refused),
    ("X: y\nHTTP/1.1 200 OK", Refused),
    // RFC 3875, section 6.2.2, would have it answered by another page of ours, which is not asked for.
    ("Location: /account", Kept(302)),
    ("Location: //evil.example/", Kept(302)),
    ("Location: https://other.example/", Kept(302)),
    ("location: /account\nSet-Cookie: a=b", Own(302)),
    ("Status: 200 OK\nLocation: /account", Kept(200)),
    ("Set-Cookie: a=b", Own(200)),
    ("SET-COOKIE:a=b", Own(200)),
    ("set-cookie:", Own(200)),
    ("Vary: *", Own(200)),
    ("vary: Accept , *", Own(200)),
    ("Vary: Accept\nVARY:*", Own(200)),
    ("Vary: X-Forwarded-For", Own(200)),
    ("Cache-Control: PRIVATE", Own(200)),
    ("cache-control:\tPrivate", Own(200)),
    ("Cache-Control: private", Own(200)),
    ("Cache-Control: private=\"\"", Own(200)),
    ("Cache-Control: no-STORE", Own(200)),
    ("Cache-Control: public,,, private", Own(200)),
    ("Cache-Control: x=\"a,b\", private", Own(200)),
    ("Cache-Control: ;private", Own(200)),
    ("Cache-Control: public; private", Own(200)),
    ("Cache-Control: public;no-store ;x=y", Own(200)),
    ("CDN-Cache-Control: no-store", Own(200)),
    ("CDN-Cache-Control: private", Own(200)),
    ("Content-Length: 5\nContent-Length: 5", Kept(200)),
    ("Content-Length: 5\nContent-Length: 6", Refused),
    ("Content-Length: 5, 5", Refused),
    ("Content-Length: +5", Refused),
    ("Content-Length: 99", Refused),
    ("Content-Length: 18446744073709551617", Refused),
    ("Transfer-Encoding: chunked", Refused),
    ("X-Own: a\0b", Refused),
    ("X-Own\0: a", Refused),
    ("\0X-Own: a", Refused),
    ("X-Own: a\rSet-Cookie: b=c", Refused),
    ("X-Own: a\n folded", Refused),
    ("X-Own: a\n\tfolded", Refused),
    ("X Own: a", Refused),
    (": a", Refused),
    ("X-Own", Refused),
    ("Connection: Set-Cookie\nSet-Cookie: a=b", Own(200)),
    ("Connection: Cache-Control, Vary\nVary: *", Own(200)),
];

/// A program that answers `/N` with what this gives for N and the number of the request.
fn program(says: impl Fn(usize, usize) -> Vec<u8> + Send + Sync + 'static) -> Upstream {
    Upstream::start(move |peer| {
        let number = peer.number;
        let Some(request) = peer.request() else { return };
        let row = request.target.trim_start_matches('/').parse().expect("the number of a row");
        peer.send(says(row, number));
    })
}

/// What two clients get of the same page, one after the other.
fn fate(site: &Site, path: &str) -> Fate {
    let asked = [0, 1].map(|_| {
        let mut wire = site.wire();
        wire.send(get(path, ""));
        let mut answer = wire.head();
        wire.body(&mut answer);
        answer
    });
    let is_whole = |answer: &Answer| answer.ending == Ending::Whole && answer.reason().is_none();
    let [first, second] = &asked;
    if asked.iter().all(is_whole) && second.cache().starts_with("hit") {
        assert_eq!(first.body, second.body, "{path}");
        return Kept(first.status);
    }
    assert!(first.body.is_empty() || first.body != second.body, "{path}: {first:?}, {second:?}");
    if asked.iter().all(is_whole) { Own(first.status) } else { Refused }
}

#[test]
fn what_a_program_says_in_its_head_is_kept_as_it_says_or_not_at_all() {
    let app = program(|row, number| {
        let (head, _) = HEADS[row];
        answer(format!("Cache-Control: max-age=600\n{head}\n\npage {number}").as_bytes())
    });
    let site = Site::program(&app, "");
    for (row, (head, expected)) in HEADS.iter().enumerate() {
        assert_eq!(fate(&site, &format!("/{row}")), *expected, "{head:?}");
    }
    site.stop();
}

/// Ways to send a head and a body as records, and whether that is everybody's page. Of what is not, a client may have all
/// that was announced before the rest turns out to be wrong.
type Records = fn(&[u8]) -> Vec<u8>;

const RECORDS: &[(&str, Records, bool)] = &[
    ("one record", answer, true),
    ("a record a byte", |page| [page.iter().flat_map(|byte| out(&[*byte])).collect(), end(0)].concat(), true),
    ("the output's end is said", |page| [out(page), out(b""), end(0)].concat(), true),
    (
        "padding",
        |page| {
            let mut padded = record(6, 1, page);
            padded[6] = 9;
            [&padded[..], b"Set-Cook!", &end(0)].concat()
        },
        true,
    ),
    (
        "errors before, within and behind",
        |page| {
            let (head, body) = page.split_at(9);
            [err(b"Set-Cookie: a=b"), out(head), err(b"\n\nX"), err(b""), out(body), err(b"late"), end(0)].concat()
        },
        true,
    ),
    (
        "records of no request",
        |page| [record(11, 0, b"12345678"), out(page), record(6, 0, b"evil"), end(0)].concat(),
        true,
    ),
    (
        "a process that ended with a status",
        |page| [out(page), record(3, 1, &[0, 0, 0, 255, 0, 0, 0, 0])].concat(),
        true,
    ),
    (
        "a whole answer after the end",
        |page| [answer(page), answer(b"Cache-Control: max-age=600\n\nevil")].concat(),
        true,
    ),
    ("output after the output's end", |page| [out(page), out(b""), out(b"evil"), end(0)].concat(), false),
    ("another request's output", |page| [out(page), record(6, 2, b"evil"), end(0)].concat(), false),
    ("another request's end", |page| [out(page), record(3, 2, &END)].concat(), false),
    ("no end", out, false),
    ("half of a record", |page| [out(page), vec![1, 6, 0, 1, 0, 9, 0, 0, b'x']].concat(), false),
    ("a record's head alone", |page| [out(page), vec![1, 3, 0, 1]].concat(), false),
    ("an end of four bytes", |page| [out(page), record(3, 1, &[0; 4])].concat(), false),
    ("an end of twelve bytes", |page| [out(page), record(3, 1, &[0; 12])].concat(), false),
    ("cannot be multiplexed", |page| [out(page), end(1)].concat(), false),
    ("overloaded", |page| [out(page), end(2)].concat(), false),
    ("another role", |page| [out(page), end(3)].concat(), false),
    ("a status that is none", |page| [out(page), end(9)].concat(), false),
    ("another version", |page| [out(page), vec![2, 3, 0, 1, 0, 8, 0, 0], vec![0; 8]].concat(), false),
    ("a record of the server's", |page| [out(page), record(5, 1, b"x"), end(0)].concat(), false),
    ("a record of no type", |page| [out(page), record(12, 1, b"x"), end(0)].concat(), false),
    ("values", |page| [record(10, 1, b"x"), out(page), end(0)].concat(), false),
    ("HTTP behind it", |page| [out(page), b"HTTP/1.1 200 OK\r\n\r\n".to_vec()].concat(), false),
    ("a head of 100 kB", |page| answer(&[b"X: ", &[b'x'; 100_000][..], b"\n", page].concat()), false),
    ("a thousand fields", |page| answer(&[&b"X: x\n".repeat(1000)[..], page].concat()), false),
];

fn out(content: &[u8]) -> Vec<u8> {
    record(6, 1, content)
}

fn err(content: &[u8]) -> Vec<u8> {
    record(7, 1, content)
}

fn end(status: u8) -> Vec<u8> {
    record(3, 1, &[0, 0, 0, 0, status, 0, 0, 0])
}

#[test]
fn what_is_no_whole_answer_of_a_program_is_nobodys_page() {
    for keep in [false, true] {
        let app = program(|row, number| {
            let body = format!("page {number}");
            let head = format!("Cache-Control: max-age=600\nContent-Length: {}\n\n", body.len());
            RECORDS[row].1(format!("{head}{body}").as_bytes())
        });
        let site = Site::program(&app, &format!("fastcgi.keep = {keep}\n"));
        for (row, (what, _, is_kept)) in RECORDS.iter().enumerate() {
            let fate = fate(&site, &format!("/{row}"));
            assert_eq!(fate == Kept(200), *is_kept, "{what}: {fate:?}");
        }
        site.stop();
    }
}

/// What an attacker sends a victim to, so that the page that only the victim has is kept as if it were a file.
#[test]
fn a_script_with_more_behind_it_is_kept_for_nobody_by_the_name_of_a_file() {
    let fpm = PhpFpm::start(2, "security.limit_extensions =");
    let page = "<?php if (isset($_COOKIE['user'])) header('X-User: ' . $_COOKIE['user']);
        header('Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT'); header('Content-Type: text/css');
        echo json_encode([$_COOKIE['user'] ?? 'nobody', $_SERVER['SCRIPT_NAME'], $_SERVER['PATH_INFO'] ?? '']);";
    for name in ["account.php", "index.php", "files/index.php"] {
        fpm.page(name, page);
    }
    fpm.page("x.css", "a file");
    let site = Site::start(&fpm.site(""));
    for path in [
        "/account.php",
        "/account.php/x.css",
        "/account.php//x.css",
        "/account.php/x.css/",
        "/account.php%2Fx.css",
        "/account.php;x.css",
        "/account.php/;x.css",
        "/account.php%3Bx.css",
        "/account.php%3Fx.css",
        "/account.php%23x.css",
        "/account.php%0Ax.css",
        "/account.php/%0D%0ASet-Cookie:%20user=evil",
        "/account.php?x.css",
        "/account.php?%0D%0ASet-Cookie:%20user=evil",
        "/account.php%00.css",
        "/account.php/%00.css",
        "/account.php%20/x.css",
        "/account.php./x.css",
        "/account.php\\x.css",
        "/account.php%5Cx.css",
        "/account.php/..%2fx.css",
        "/account.php/%2e%2e/x.css",
        "/account.php/../x.css",
        "/account.php/.%2e/x.css",
        "/x.css/../account.php",
        "/x.css/account.php",
        "/x.css%2F..%2Faccount.php",
        "/x.css;/account.php",
        "/x.css?/account.php",
        "//account.php/x.css",
        "/./account.php/x.css",
        "/ACCOUNT.PHP/x.css",
        "/account.php/x.css%2Fy.php",
        "/files/../account.php/x.css",
        "/account.php/x.php/y.css",
        "/nothing/x.css",
    ] {
        for who in ["Cookie: user=alice\r\n", "Authorization: Bearer alice\r\nCookie: user=alice\r\n"] {
            let own = site.get_with(path, who);
            let is_file = own.text() == "a file";
            assert!(is_file || own.status == 400 || own.text().contains("alice"), "{path}: {own:?}");
            assert!(!own.text().contains("<?php") && own.field("set-cookie").is_none(), "{path}: {own:?}");
            for other in ["", "Cookie: user=bob\r\n"] {
                let answer = site.get_with(path, other);
                let is_own = answer.text().contains(if other.is_empty() { "nobody" } else { "bob" });
                assert!(answer.status == own.status && answer.field("x-user") != Some("alice"), "{path}: {answer:?}");
                assert!((is_file && answer.text() == "a file") || own.status == 400 || is_own, "{path}: {answer:?}");
            }
        }
    }
    site.stop();
}
