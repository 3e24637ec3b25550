//! Many random requests of two users and of nobody, to an application that puts the user's name into each answer, with
//! random legal fields: nobody sees another's name unless the answer says that it is for all.

use std::sync::Arc;

use unladen_tests::site::app;
use unladen_tests::{Answer, Seen, Site, Upstream, h2};

/// A generator of numbers (xorshift), seeded: what fails can be run again.
#[derive(Debug, Clone)]
struct Dice(u64);

impl Dice {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % count as u64) as usize
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn happens(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

const CONTROL: [&str; 14] = [
    "max-age=600",
    "max-age=0",
    "max-age=10, stale-while-revalidate=60",
    "max-age=10, stale-if-error=60",
    "s-maxage=600",
    "public",
    "public, max-age=600",
    "private",
    "private, max-age=600",
    "no-store",
    "no-cache",
    "no-cache, max-age=600",
    "must-revalidate, max-age=600",
    "max-age=600, immutable",
];
const VARY: [&str; 7] =
    ["", "Cookie", "Authorization", "Cookie, Authorization", "*", "Accept-Language", "X-Theme, Cookie"];

/// Fields of an answer.
fn lines(dice: &mut Dice) -> String {
    let mut lines = String::new();
    if dice.happens(80) {
        lines += &format!("Cache-Control: {}\r\n", dice.one(&CONTROL));
    }
    if dice.happens(10) {
        lines += &format!("CDN-Cache-Control: {}\r\n", dice.one(&CONTROL));
    }
    match dice.one(&VARY) {
        "" => (),
        vary => lines += &format!("Vary: {vary}\r\n"),
    }
    for (percent, line) in [
        (10, "Set-Cookie: a=1\r\nX-Set: 1\r\n"),
        (10, "Expires: Sat, 06 Nov 2094 08:49:37 GMT\r\n"),
        (30, "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n"),
        (10, "Age: 20\r\n"),
        (5, "Pragma: no-cache\r\n"),
        (30, "Content-Type: text/html\r\n"),
        (5, "Content-Language: de\r\n"),
    ] {
        if dice.happens(percent) {
            lines += line;
        }
    }
    lines
}

/// Who asks, and by what that is known.
fn asker(request: &Seen) -> (String, String) {
    let value = |name: &str| {
        let mut values = request.fields.iter().filter(|(own, _)| own == name).map(|(_, value)| value.as_str());
        values.find_map(|value| value.split(['=', ' ']).find(|word| ["alice", "bob"].contains(word))).map(str::to_owned)
    };
    match (value("authorization"), value("cookie")) {
        (Some(name), Some(_)) => (name, "authorization cookie".to_owned()),
        (Some(name), None) => (name, "authorization".to_owned()),
        (None, Some(name)) => (name, "cookie".to_owned()),
        (None, None) => ("nobody".to_owned(), String::new()),
    }
}

/// Each path has its own fields; of some they are others each time.
fn application() -> Upstream {
    app(|request| {
        let (name, by) = asker(request);
        let path: u64 = request.target.trim_start_matches('/').parse().unwrap_or(0);
        let stamp = request.field("x-request-id").map_or(0, |id| id.bytes().map(u64::from).sum());
        let mut dice = Dice::new(if path.is_multiple_of(4) { path + stamp * 1000 } else { path });
        dice.below(7);
        let has_tag = dice.happens(60);
        let tag = if has_tag { format!("ETag: \"{name}\"\r\n") } else { String::new() };
        let lines = lines(&mut dice);
        let is_same = request.field("if-none-match").is_some_and(|tags| tags.contains(&format!("\"{name}\"")));
        if has_tag && is_same && request.method != "POST" {
            // A cookie that is set here is for who asked now, and makes the page that is kept no more private than it
            // was.
            let lines = lines.replace("X-Set: 1\r\n", "");
            return format!("HTTP/1.1 304 Not Modified\r\n{tag}{lines}X-Name: {name}\r\nX-By: {by}\r\n\r\n");
        }
        if dice.happens(3) {
            return format!(
                "HTTP/1.1 {} So\r\nX-Name: {name}\r\nContent-Length: 0\r\n\r\n",
                dice.one(&["404", "500", "503"])
            );
        }
        let body = format!("{name} ").repeat(if dice.happens(20) { 400 } else { 1 });
        let sent = if request.method == "HEAD" { "" } else { &body };
        let length = body.len();
        format!("HTTP/1.1 200 OK\r\n{tag}{lines}X-Name: {name}\r\nX-By: {by}\r\nContent-Length: {length}\r\n\r\n{sent}")
    })
}

/// Whether an answer says that it is for others than who asked, too.
fn may_be_shared(answer: &Answer) -> bool {
    let own = |name: &str| {
        let values = answer.fields.iter().filter(|(own, _)| own == name).map(|(_, value)| value.to_lowercase());
        values.collect::<Vec<_>>().join(", ")
    };
    let (targeted, vary, by) = (own("cdn-cache-control"), own("vary"), own("x-by"));
    let is_targeted = !targeted.is_empty();
    let control = if is_targeted { targeted } else { own("cache-control") };
    let has = |directive: &str| control.split(", ").any(|own| own == directive);
    let has_lifetime = ["max-age=6", "max-age=1", "s-maxage=6"].iter().any(|lifetime| control.contains(lifetime))
        || (!is_targeted && !control.contains("max-age") && !own("expires").is_empty());
    // Of what is stale or has to be asked about the application says to whom it is: to nobody but who has it.
    let is_private = ["private", "no-store", "no-cache"].iter().any(|directive| has(directive))
        || vary.contains('*')
        || !own("x-set").is_empty();
    let may_for = |by_whom: &str| match by_whom {
        "authorization" => ["public", "must-revalidate", "s-maxage=600"].iter().any(|directive| has(directive)),
        // What is said to browsers too says nothing of who is logged in.
        _ => has("s-maxage=600") || (is_targeted && (has("public") || has_lifetime)),
    };
    !is_private && by.split_whitespace().all(|by| may_for(by) && !vary.contains(by))
}

fn request(dice: &mut Dice, user: &str) -> (String, String, Vec<(&'static str, String)>) {
    let method = if user == "nobody" || dice.happens(90) { "GET" } else { dice.one(&["HEAD", "POST", "GET"]) };
    let mut fields = Vec::new();
    if user != "nobody" {
        let by = dice.below(4);
        if by != 1 {
            fields.push(("cookie", format!("user={user}")));
        }
        if by == 1 || by == 2 {
            fields.push(("authorization", format!("Bearer {user}")));
        }
    }
    for (percent, name, values) in [
        (
            15,
            "cache-control",
            &["no-cache", "max-age=0", "max-stale", "only-if-cached", "no-store", "min-fresh=10"][..],
        ),
        (10, "if-none-match", &["\"alice\"", "\"bob\"", "\"nobody\", \"bob\"", "*", "W/\"alice\""]),
        (5, "if-modified-since", &["Sun, 06 Nov 1994 08:49:37 GMT", "Sat, 06 Nov 2094 08:49:37 GMT"]),
        (5, "if-match", &["\"alice\"", "\"bob\"", "*"]),
        (5, "range", &["bytes=0-2", "bytes=1-", "bytes=0-0,2-3"]),
        (5, "if-range", &["\"alice\"", "\"bob\""]),
        (30, "accept-language", &["de", "en"]),
        (20, "x-theme", &["dark", "light"]),
        (20, "accept-encoding", &["gzip", "br", "identity"]),
        (5, "x-forwarded-for", &["6.6.6.6"]),
        (5, "x-http-method-override", &["POST"]),
        (3, "pragma", &["no-cache"]),
    ] {
        if dice.happens(percent) {
            fields.push((name, dice.one(values).to_owned()));
        }
    }
    (method.to_owned(), format!("/{}", dice.below(60)), fields)
}

/// Asserts that this answer may be this user's.
fn judge(user: &str, asked: &str, answer: &Answer) {
    let text = answer.text();
    let named = |name: &str| answer.field("x-name") == Some(name) || text.contains(name);
    let other = ["alice", "bob"].into_iter().find(|name| *name != user && named(name));
    if let Some(other) = other {
        assert!(may_be_shared(answer), "{user} sees {other}\nasked: {asked}\ngot: {answer:?}");
    }
}

#[test]
fn no_answer_for_one_user_reaches_another_by_http_1() {
    let app = application();
    for site in Site::each(&app, "per_client = 10000\nretry = { attempts = 0 }\noutlier = false") {
        let site = Arc::new(site);
        let threads: Vec<_> = (0..6)
            .map(|thread| {
                let site = Arc::clone(&site);
                std::thread::spawn(move || {
                    let user = ["alice", "bob", "nobody"][thread % 3];
                    let mut dice = Dice::new(thread as u64 + 1);
                    let mut wire = site.wire();
                    let mut hits = 0;
                    for _ in 0..1500 {
                        let (method, path, fields) = request(&mut dice, user);
                        let mut asked = format!("{method} {path} HTTP/1.1\r\nHost: test\r\n");
                        for (name, value) in &fields {
                            asked += &format!("{name}: {value}\r\n");
                        }
                        match dice.below(30) {
                            0 => asked += "Connection: Cookie\r\n",
                            1 => asked += "Connection: Authorization, X-Theme\r\n",
                            _ => (),
                        }
                        if method == "POST" {
                            asked += "Content-Length: 0\r\n";
                        }
                        wire.send(format!("{asked}\r\n"));
                        let answer = wire.next(method == "HEAD");
                        judge(user, &asked, &answer);
                        hits += usize::from(answer.fields.iter().any(|(_, value)| value.starts_with("unladen; hit")));
                        if answer.field("connection") == Some("close") {
                            wire = site.wire();
                        }
                    }
                    hits
                })
            })
            .collect();
        let hits: usize = threads.into_iter().map(|thread| thread.join().expect("nobody sees another")).sum();
        // It is a cache: or this would prove nothing.
        assert!(hits > 500, "{hits}");
        Arc::into_inner(site).expect("nobody else has it").stop();
    }
}

#[test]
fn no_answer_for_one_user_reaches_another_by_http_2() {
    let app = application();
    for site in Site::each(&app, "retry = { attempts = 0 }\noutlier = false") {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let hits = runtime.block_on(async {
            let client = h2::H2Client::unix(&site.socket()).await;
            let mut dice = Dice::new(99);
            let mut hits = 0;
            for _ in 0..150 {
                let mut sent = Vec::new();
                for _ in 0..20 {
                    let user = dice.one(&["alice", "bob", "nobody"]);
                    let (_, path, fields) = request(&mut dice, user);
                    let mut head = h2::request("GET", &path);
                    for (name, value) in &fields {
                        // Cookies may come in pieces.
                        if *name == "cookie" {
                            head.headers_mut().append("cookie", "first=1".parse().expect("a value"));
                        }
                        head.headers_mut().append(*name, value.parse().expect("a value"));
                    }
                    let (answer, _) = client.send(head, true).await;
                    sent.push((user, format!("{path} {fields:?}"), answer));
                }
                for (user, asked, answer) in sent {
                    let answer = h2::H2Answer::read(answer).await.expect("an answer");
                    let field = |(name, value): (&http::HeaderName, &http::HeaderValue)| {
                        (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
                    };
                    let answer = Answer {
                        status: answer.head.status.as_u16(),
                        fields: answer.head.headers.iter().map(field).collect(),
                        body: answer.body,
                        trailers: Vec::new(),
                        ending: unladen_tests::Ending::Whole,
                    };
                    judge(user, &asked, &answer);
                    hits += usize::from(answer.fields.iter().any(|(_, value)| value.starts_with("unladen; hit")));
                }
            }
            hits
        });
        assert!(hits > 100, "{hits}");
        site.stop();
    }
}
