//! What a page answers, and to what.

use std::io::Write;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::server::{Server, read_request};
use super::*;
use crate::answers::{Ask, Variation};

const PAGE: &str =
    "<html>\n<p>A page with a text that is long enough to be one</p>\n<p>and to stay as it is</p>\n</html>\n";

/// A server that answers as the function says, and what it was asked.
struct Site {
    server: Server,
    asked: Arc<Mutex<Vec<String>>>,
}

/// Status and further headers, and the body.
type Reply = (String, Vec<u8>);

impl Site {
    fn new(answer: impl Fn(usize, &str) -> Reply + Send + Sync + 'static) -> Self {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (log, count) = (asked.clone(), AtomicUsize::new(0));
        let server = Server::new(move |_, mut stream| {
            while let Some(request) = read_request(&mut stream) {
                let (head, body) = answer(count.fetch_add(1, Relaxed), &request);
                let head_only = request.starts_with("HEAD") || head.starts_with("304");
                log.lock().unwrap().push(request);
                let mut message = format!("HTTP/1.1 {head}\r\ncontent-length: {}\r\n\r\n", body.len()).into_bytes();
                if !head_only {
                    message.extend(body);
                }
                let _ = stream.write_all(&message);
            }
        });
        Self { server, asked }
    }

    fn inquire(&self, change: impl Fn(RequestBuilder) -> RequestBuilder) -> Answers {
        let mut config = config(change(get(&self.server)));
        config.expect.statuses = "100-599".parse().unwrap();
        let mut driver = start(config);
        let sample = sample(&mut driver).unwrap();
        driver.inquire(0, &sample, &Cancel::new()).unwrap()
    }

    fn answers(&self) -> Answers {
        self.inquire(|request| request)
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn ok(headers: &str, body: impl Into<Vec<u8>>) -> Reply {
    (format!("200 OK{headers}"), body.into())
}

/// The value of a header of a request, as text.
fn header<'a>(request: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = request.lines().filter_map(|line| line.split_once(": "));
    lines.find_map(|(given, value)| given.eq_ignore_ascii_case(name).then_some(value))
}

fn get_variation(answers: &Answers, ask: Ask) -> &Variation {
    answers.variation(ask).unwrap_or_else(|| panic!("{ask:?}: {:?}", answers.left_out))
}

fn why(answers: &Answers, ask: Ask) -> &str {
    &answers.left_out.iter().find(|left| left.ask == ask).unwrap().why
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_page_that_is_always_the_same() {
    let site = Site::new(|_, _| ok("\r\nx-cost: 7", PAGE));
    let answers = site.answers();
    assert_eq!((answers.status, answers.body_bytes, answers.personal), (200, PAGE.len() as u64, false));
    assert!(answers.headers.contains(&("x-cost".to_owned(), "7".to_owned())));
    assert_eq!((answers.answers, answers.changed), (10, 0));
    for ask in [Ask::Compressed, Ask::Language, Ask::UnknownCookie] {
        assert_eq!(get_variation(&answers, ask).same, Some(true), "{ask:?}");
    }
    assert_eq!(get_variation(&answers, Ask::UnknownCookie).header, "cookie: unladen=1");
    assert_eq!(why(&answers, Ask::Conditional), "the page has neither ETag nor Last-Modified");
    assert_eq!(why(&answers, Ask::Cookie), "the page sets no cookie");
    assert_eq!(site.server.connections(), 1, "one connection will do");
}

#[test]
fn validators_are_sent_back_and_304_has_a_cost() {
    const DATE: &str = "Mon, 01 Jan 2024 00:00:00 GMT";
    let site = Site::new(|_, request| {
        let headers = format!("\r\netag: \"a\"\r\nlast-modified: {DATE}");
        if header(request, "if-none-match") == Some("\"a\"") && header(request, "if-modified-since") == Some(DATE) {
            return (format!("304 Not Modified{headers}"), PAGE.into());
        }
        ok(&headers, PAGE)
    });
    let answers = site.answers();
    let conditional = get_variation(&answers, Ask::Conditional);
    assert_eq!(conditional.header, format!("if-none-match: \"a\"; if-modified-since: {DATE}"));
    assert_eq!((conditional.status, conditional.body_bytes, conditional.same), (304, 0, None));
    assert!(conditional.headers.contains(&("etag".to_owned(), "\"a\"".to_owned())));
    let cost = conditional.cost.unwrap();
    assert!(cost.blocks >= 8 && cost.low > 0.0 && cost.low <= cost.value && cost.value <= cost.high, "{cost:?}");
    // Ten, three in each block, and all of them the same.
    assert_eq!((answers.answers, answers.changed), (10 + 3 * cost.blocks as u64, 0));
}

#[test]
fn validators_that_are_ignored() {
    let site = Site::new(|_, _| ok("\r\netag: W/\"a\"", PAGE));
    let answers = site.answers();
    let conditional = get_variation(&answers, Ask::Conditional);
    assert_eq!((conditional.status, conditional.same, conditional.cost), (200, Some(true), None));
    assert_eq!(answers.answers, 10, "no cost is measured where there is nothing to save");
}

#[test]
fn a_304_that_does_not_come_again_has_no_cost() {
    let once = AtomicUsize::new(0);
    let site = Site::new(move |_, request| {
        if header(request, "if-none-match").is_some() && once.fetch_add(1, Relaxed) == 0 {
            return ("304 Not Modified".to_owned(), Vec::new());
        }
        ok("\r\netag: \"a\"", PAGE)
    });
    let answers = site.answers();
    assert_eq!(get_variation(&answers, Ask::Conditional).cost, None);
    assert!(why(&answers, Ask::Conditional).contains("with the same validators, it answered 200 OK"));
}

#[test]
fn the_language_that_differs_is_the_one_reported() {
    for own in ["de", "en"] {
        let site = Site::new(move |_, request| match header(request, "accept-language").unwrap_or(own) {
            "de" => ok("\r\nvary: accept-language\r\ncontent-language: de", PAGE.replace("A page", "Eine Seite")),
            _ => ok("\r\nvary: accept-language\r\ncontent-language: en", PAGE),
        });
        let other = if own == "de" { "en" } else { "de" };
        let answers = site.answers();
        let language = get_variation(&answers, Ask::Language);
        assert_eq!((language.header.as_str(), language.same), (&*format!("accept-language: {other}"), Some(false)));
    }
}

#[test]
fn headers_are_replaced_and_the_others_kept() {
    let site = Site::new(|_, _| ok("\r\nset-cookie: sid=1; path=/\r\netag: \"b\"", PAGE));
    let answers = site.inquire(|request| {
        let headers = ["accept-language: de", "accept-encoding: identity", "if-none-match: \"a\"", "x-own: 1"];
        let request = headers.iter().fold(request, |request, header| request.header(header.parse().unwrap()));
        request.cookie("login=secret").unwrap()
    });
    assert!(answers.personal);
    for request in site.asked() {
        for name in ["accept-language", "accept-encoding", "if-none-match", "cookie", "x-own", "host"] {
            let lines = request.lines().filter(|line| line.to_ascii_lowercase().starts_with(&format!("{name}:")));
            assert_eq!(lines.count(), 1, "{name} in {request}");
        }
    }
    let sent = |name: &str, value: &str| site.asked().iter().any(|request| header(request, name) == Some(value));
    assert!(sent("if-none-match", "\"b\"") && sent("accept-language", "en") && sent("accept-language", "fr"));
    assert!(sent("cookie", "login=secret; sid=1") && sent("cookie", "login=secret; unladen=1"));
    // Neither what the user gave nor what lets somebody in is shown.
    assert_eq!(get_variation(&answers, Ask::Cookie).header, "cookie: sid=…");
    assert!(answers.headers.contains(&("set-cookie".to_owned(), "sid=…; path=/".to_owned())));
    assert!(!format!("{answers:?}").contains("secret"));
}

#[test]
fn a_cookie_of_its_own_makes_another_page_and_an_unknown_one_does_not() {
    let site = Site::new(|_, request| {
        if header(request, "cookie").is_some_and(|cookies| cookies.contains("visited=1")) {
            return ok("", PAGE.replace("A page", "Welcome back to a page"));
        }
        ok("\r\nset-cookie: visited=1", PAGE)
    });
    let answers = site.answers();
    assert_eq!(get_variation(&answers, Ask::Cookie).same, Some(false));
    assert_eq!(get_variation(&answers, Ask::UnknownCookie).same, Some(true));
}

#[test]
fn gzip_is_unpacked_to_be_compared() {
    for (sent, same) in [(PAGE.to_owned(), true), (PAGE.replace("stay", "go"), false)] {
        let site = Site::new(move |_, request| match header(request, "accept-encoding") {
            Some(codings) if codings.contains("gzip") => {
                ok("\r\ncontent-encoding: gzip\r\nvary: accept-encoding", gzip(sent.as_bytes()))
            }
            _ => ok("\r\nvary: accept-encoding", PAGE),
        });
        let answers = site.answers();
        let compressed = get_variation(&answers, Ask::Compressed);
        assert_eq!((compressed.header.as_str(), compressed.same), ("accept-encoding: gzip, br, zstd", Some(same)));
        assert!(compressed.headers.contains(&("content-encoding".to_owned(), "gzip".to_owned())));
        assert_ne!(compressed.body_bytes, answers.body_bytes);
    }
}

#[test]
fn of_brotli_it_asks_for_gzip_to_compare() {
    for has_gzip in [true, false] {
        let site = Site::new(move |_, request| match header(request, "accept-encoding") {
            Some(codings) if codings.contains("br") || !has_gzip => {
                ok("\r\ncontent-encoding: br", "not to be unpacked")
            }
            Some(_) => ok("\r\ncontent-encoding: gzip", gzip(PAGE.as_bytes())),
            None => ok("", PAGE),
        });
        let answers = site.answers();
        let compressed = get_variation(&answers, Ask::Compressed);
        assert_eq!(compressed.same, has_gzip.then_some(true));
        assert!(compressed.headers.contains(&("content-encoding".to_owned(), "br".to_owned())), "of the first answer");
    }
}

#[test]
fn what_is_no_gzip_cannot_be_compared() {
    let bomb = gzip(&vec![b'x'; 20 << 20]);
    for body in [b"no gzip".to_vec(), gzip(PAGE.as_bytes())[..30].to_vec(), bomb] {
        let site = Site::new(move |_, request| match header(request, "accept-encoding") {
            Some(_) => ok("\r\ncontent-encoding: gzip", body.clone()),
            None => ok("", PAGE),
        });
        assert_eq!(get_variation(&site.answers(), Ask::Compressed).same, None);
    }
}

#[test]
fn a_token_in_each_answer_is_set_aside() {
    let site = Site::new(|number, request| {
        let user = if header(request, "cookie").is_some() { "Anna" } else { "nobody" };
        ok("\r\nset-cookie: sid=1", format!("{PAGE}<input value={number}><p>{user}</p>"))
    });
    let answers = site.answers();
    assert!(answers.answers >= 10);
    assert_eq!(answers.changed, answers.answers - 1);
    assert_eq!(get_variation(&answers, Ask::Language).same, Some(true));
    assert_eq!(get_variation(&answers, Ask::Cookie).same, Some(false));
}

#[test]
fn a_clock_on_the_page_makes_no_variation() {
    let begun = Instant::now();
    let site = Site::new(move |_, _| ok("", format!("{PAGE}<p>{}</p>", begun.elapsed().as_secs() / 2)));
    assert_eq!(get_variation(&site.answers(), Ask::Language).same, Some(true));
    // It moves on amid the variations.
    let site = Site::new(move |number, _| ok("", format!("{PAGE}<p>{}</p>", number / 11)));
    let answers = site.answers();
    assert!(answers.changed > 0);
    for ask in [Ask::Compressed, Ask::Language, Ask::UnknownCookie] {
        assert_eq!(get_variation(&answers, ask).same, Some(true), "{ask:?}");
    }
}

#[test]
fn huge_bodies_are_counted_and_not_compared() {
    let site = Site::new(|_, _| ok("", vec![b'x'; (4 << 20) + 1]));
    let answers = site.answers();
    assert_eq!((answers.body_bytes, answers.changed), ((4 << 20) + 1, 0));
    assert_eq!(get_variation(&answers, Ask::Language).same, None);
    let site = Site::new(|_, _| ok("", b"x\n".repeat(2 << 20)));
    assert_eq!(get_variation(&site.answers(), Ask::Language).same, Some(true), "as large as may be");
}

#[test]
fn a_redirect_to_elsewhere_is_another_answer() {
    let site = Site::new(|_, request| match header(request, "accept-language") {
        Some("de") => ("302 Found\r\nlocation: /de".to_owned(), Vec::new()),
        _ => ("302 Found\r\nlocation: /en".to_owned(), Vec::new()),
    });
    let answers = site.answers();
    assert_eq!(answers.status, 302);
    assert_eq!(get_variation(&answers, Ask::Language).same, Some(false));
    assert_eq!(get_variation(&answers, Ask::UnknownCookie).same, Some(true));
}

#[test]
fn a_variation_that_fails_is_left_out() {
    let site = Site::new(|_, request| match (header(request, "accept-encoding"), header(request, "cookie")) {
        // No number: the client cannot read the answer.
        (Some(_), _) => ("2x0 Broken".to_owned(), Vec::new()),
        (_, Some(_)) => ("500 Internal Server Error".to_owned(), b"oops".to_vec()),
        _ => ok("", PAGE),
    });
    let answers = site.answers();
    assert!(answers.variation(Ask::Compressed).is_none());
    assert!(why(&answers, Ask::Compressed).contains("the answer is not HTTP/1.1"), "{:?}", answers.left_out);
    // What the page gives no reason to ask is not missed.
    let missed: Vec<Ask> = answers.left_out.iter().filter(|left| left.applies).map(|left| left.ask).collect();
    assert_eq!(missed, [Ask::Compressed]);
    assert_eq!(why(&answers, Ask::Conditional), "the page has neither ETag nor Last-Modified");
    let unknown = get_variation(&answers, Ask::UnknownCookie);
    assert_eq!((unknown.status, unknown.same), (500, Some(false)));
    assert_eq!(get_variation(&answers, Ask::Language).same, Some(true));
}

#[test]
fn of_head_there_is_no_body_to_compare() {
    let site = Site::new(|_, _| ok("", PAGE));
    let answers = site.inquire(|request| request.method("HEAD").unwrap());
    assert_eq!((answers.answers, answers.body_bytes), (10, 0));
    assert_eq!(get_variation(&answers, Ask::Language).same, None);
}

#[test]
fn a_post_is_never_sent_again() {
    let site = Site::new(|_, _| ("403 Forbidden\r\nset-cookie: sid=1".to_owned(), b"no".to_vec()));
    let answers = site.inquire(|request| request.method("POST").unwrap().body("a=1"));
    assert_eq!(site.asked().len(), 1, "the sample's");
    assert_eq!((answers.status, answers.body_bytes, answers.answers), (403, 2, 1));
    assert!(answers.variations.is_empty() && answers.left_out.is_empty());
}

#[test]
fn it_ends_when_cancelled_and_when_the_page_does_not_come() {
    let cancel = Cancel::new();
    let stop = cancel.clone();
    let site = Site::new(move |number, _| {
        if number == 3 {
            stop.cancel();
            thread::sleep(Duration::from_millis(100));
        }
        ok("", PAGE)
    });
    let mut driver = driver(&site.server);
    let first = sample(&mut driver).unwrap();
    assert!(matches!(driver.inquire(0, &first, &cancel), Err(LoadError::Cancelled)));
    assert!(matches!(driver.inquire(1, &first, &cancel), Err(LoadError::NoSuchRequest { .. })));

    let site = Site::new(|number, _| if number == 0 { ok("", PAGE) } else { ("2x0 Broken".to_owned(), Vec::new()) });
    let mut driver = start(config(get(&site.server)));
    let first = sample(&mut driver).unwrap();
    assert!(matches!(driver.inquire(0, &first, &Cancel::new()), Err(LoadError::Protocol { .. })));
}
