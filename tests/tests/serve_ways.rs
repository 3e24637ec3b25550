//! What holds on one way through `unladen serve` holds on its twins: each property is a row, each way a column. A way is a
//! client (HTTP/1.1 or HTTP/2), a listener (an outbound, a site that passes, a site that keeps pages) and what stands
//! behind it (HTTP/1.1, HTTP/2, FastCGI). What differs has its reason in docs/concepts/life-of-a-request.md.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Response};
use unladen_tests::fastcgi::{self, record};
use unladen_tests::h2::{H2Answer, H2Asked, H2Client, H2Upstream, request, send_body};
use unladen_tests::{Ending, Peer, Serve, Upstream, Wire, free_address, wait};

/// What is behind a listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Behind {
    Http1,
    Http2,
    FastCgi,
    /// The site's own folder.
    Files,
    /// An address that nobody listens at, spoken to by HTTP/1.1.
    Nobody,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Listener {
    Outbound,
    /// A site without a cache.
    Passing,
    /// A site with one.
    Keeping,
}

/// A way of a request.
#[derive(Clone, Copy, Debug)]
struct Way {
    client_h2: bool,
    listener: Listener,
    behind: Behind,
    /// Its place among all, by which the application knows it.
    number: usize,
}

/// What is sent.
#[derive(Clone, Copy, Debug)]
struct Ask {
    method: &'static str,
    fields: &'static [(&'static str, &'static str)],
    body: &'static str,
}

const GET: Ask = Ask { method: "GET", fields: &[], body: "" };

/// What the client has in the end.
#[derive(Clone, Debug, Default)]
struct Got {
    status: u16,
    fields: Vec<(String, String)>,
    body: String,
    trailers: Vec<(String, String)>,
    interim: Vec<u16>,
    is_whole: bool,
}

/// What it is to have, and what the log says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// The application's answer.
    Whole(u16, &'static str),
    /// One of our own.
    Own(u16, &'static str),
    /// The application's, which has begun and broke off.
    Broken(&'static str),
}
use Outcome::{Broken, Own, Whole};

/// What the application does, one after the other.
#[derive(Clone, Debug)]
enum Step {
    Interim,
    Head(u16, Vec<(&'static str, String)>),
    Data(String),
    End,
    EndWithTrailers,
    /// Until the client has the head.
    WaitForHead,
    Pause(u64),
    /// What is no body of its protocol.
    Nonsense,
    /// The connection, or the stream, ends.
    Break,
    /// Nothing more comes.
    Stall,
}
use Step::{Break, Data, End, EndWithTrailers, Head, Interim, Nonsense, Pause, Stall, WaitForHead};

/// A request as the application sees it, whatever it is spoken to by.
#[derive(Clone, Debug, Default)]
struct Seen {
    method: String,
    target: String,
    fields: Vec<(String, String)>,
    body: usize,
}

/// Whether the client of a way has the head that the application waits for.
type Heads = Arc<Vec<AtomicBool>>;

fn head(fields: &[(&'static str, &str)]) -> Step {
    Head(200, fields.iter().map(|(name, value)| (*name, (*value).to_owned())).collect())
}

fn page(body: String) -> Vec<Step> {
    vec![Head(200, vec![("content-length", body.len().to_string())]), Data(body), End]
}

/// What the application does with a request.
fn script(seen: &Seen) -> Vec<Step> {
    let text = |body: &str| Data(body.to_owned());
    let name = seen.target.split('?').next().unwrap_or_default().trim_start_matches('/');
    match name {
        "whole" | "range" => page("whole".to_owned()),
        "posted" => page(seen.body.to_string()),
        "echo" | "id" | "hops" | "listed" => {
            let mut told = format!("{}\n", seen.method);
            for (name, value) in &seen.fields {
                let _ = writeln!(told, "{name}: {value}");
            }
            page(told)
        }
        "chunked" => vec![head(&[]), text("who"), text("le"), End],
        "trailers" => vec![head(&[("cache-control", "no-store")]), text("whole"), EndWithTrailers],
        "interim" => vec![Interim, head(&[("content-length", "5")]), text("whole"), End],
        "listed-back" => vec![
            head(&[
                ("content-length", "5"),
                ("connection", "x-own"),
                ("x-own", "1"),
                ("keep-alive", "timeout=5"),
                ("proxy-connection", "keep-alive"),
                ("x-unladen-reason", "forged"),
            ]),
            text("whole"),
            End,
        ],
        "none" => vec![Head(204, Vec::new()), End],
        "not-modified" => vec![Head(304, vec![("etag", "\"a\"".to_owned())]), End],
        "empty" => vec![head(&[]), End],
        "closed-before" => vec![head(&[("content-length", "5")]), Break],
        "closed-before-keeping" => vec![head(&[("content-length", "5"), ("cache-control", "max-age=60")]), Break],
        "stale" => match seen.fields.iter().find(|(name, _)| name == "x-turn").map(|(_, turn)| &**turn) {
            Some("first") => {
                let control = ("cache-control", "max-age=1, stale-if-error=600");
                vec![head(&[("content-length", "5"), control, ("age", "9")]), text("whole"), End]
            }
            Some(_) => vec![head(&[("content-length", "5")]), WaitForHead, Break],
            None => vec![head(&[("content-length", "5")]), Break],
        },
        "closed-soon-after" => vec![head(&[("content-length", "5")]), Pause(20), Break],
        "unbuffered-closed-soon-after" => {
            vec![head(&[("content-length", "5"), ("x-accel-buffering", "no")]), Pause(50), Break]
        }
        "chunked-closed-before" => vec![head(&[]), Break],
        "nonsense-before" => vec![head(&[]), Nonsense],
        "closed-after" => vec![head(&[]), text("whole"), WaitForHead, Break],
        "nonsense-after" => vec![head(&[]), text("whole"), WaitForHead, Nonsense],
        "no-head" => vec![Break],
        "silent" => vec![Stall],
        "stalls-after-head" => vec![head(&[("content-length", "5")]), Stall],
        "stalls-after-some" => vec![head(&[("content-length", "9")]), text("whole"), Stall],
        "long-head" => vec![Head(200, vec![("x-long", "x".repeat(40_000))]), End],
        "events" => vec![head(&[("content-type", "text/event-stream")]), WaitForHead, text("data: 1\n\n"), End],
        "slow" => vec![head(&[]), WaitForHead, text("whole"), End],
        other => panic!("{other}"),
    }
}

/// The properties: a name, which is the target's, the request, and what comes of it.
type Row = (&'static str, Ask, fn(Way) -> Option<Outcome>);

const ROWS: &[Row] = &[
    ("whole", GET, |_| Some(Whole(200, "whole"))),
    ("chunked", GET, |_| Some(Whole(200, "whole"))),
    ("empty", GET, |_| Some(Whole(200, ""))),
    ("none", GET, |_| Some(Whole(204, ""))),
    ("not-modified", GET, |_| Some(Whole(304, ""))),
    ("whole", Ask { method: "HEAD", ..GET }, |_| Some(Whole(200, ""))),
    ("range", Ask { fields: &[("range", "bytes=0-1")], ..GET }, |_| Some(Whole(200, "whole"))),
    ("interim", GET, |way| (way.behind != Behind::FastCgi).then_some(Whole(200, "whole"))),
    ("trailers", GET, |way| (way.behind != Behind::FastCgi).then_some(Whole(200, "whole"))),
    ("listed-back", GET, |_| Some(Whole(200, "whole"))),
    ("posted", Ask { method: "POST", fields: &[], body: "12345" }, |_| Some(Whole(200, "5"))),
    ("posted", Ask { method: "PUT", fields: &[("expect", "100-continue")], body: "123" }, |_| Some(Whole(200, "3"))),
    ("posted", Ask { method: "PATCH", fields: &[], body: TOO_LONG }, |_| Some(Own(413, "body_too_large"))),
    ("events", GET, |_| Some(Whole(200, "data: 1\n\n"))),
    ("slow", GET, |_| Some(Whole(200, "whole"))),
    ("no-head", GET, |_| Some(Own(502, "upstream_closed"))),
    ("silent", GET, |_| Some(Own(504, "upstream_timeout"))),
    ("long-head", GET, |_| Some(Own(502, "upstream_malformed"))),
    ("closed-before", GET, |_| Some(Own(502, "upstream_closed"))),
    ("closed-before-keeping", GET, |_| Some(Own(502, "upstream_closed"))),
    ("closed-soon-after", GET, |_| Some(Own(502, "upstream_closed"))),
    ("chunked-closed-before", GET, |_| Some(Own(502, "upstream_closed"))),
    ("nonsense-before", GET, |way| Some(Own(502, malformed(way)))),
    ("closed-after", GET, |_| Some(Broken("upstream_closed"))),
    ("nonsense-after", GET, |way| Some(Broken(malformed(way)))),
    ("stalls-after-head", GET, |_| Some(Broken("upstream_timeout"))),
    ("stalls-after-some", GET, |_| Some(Broken("upstream_timeout"))),
    ("hops", Ask { method: "OPTIONS", fields: &[("max-forwards", "0")], body: "" }, |_| Some(Whole(200, ""))),
    ("hops", Ask { method: "TRACE", fields: &[("max-forwards", "0")], body: "" }, |_| Some(Whole(405, ""))),
];

const TOO_LONG: &str = "0123456789012345678901234567890123456789";

/// What comes of the same request where files are.
fn of_file(name: &str, otherwise: Outcome) -> Outcome {
    match name {
        "whole" | "hops" => otherwise,
        // Nobody takes what it has, however long it is.
        "posted" => Own(405, "method_not_allowed"),
        _ => Own(404, "not_found"),
    }
}

/// A stream that its upstream resets is one that was closed: what is wrong with it is not said.
fn malformed(way: Way) -> &'static str {
    if way.behind == Behind::Http2 { "upstream_closed" } else { "upstream_malformed" }
}

/// What every listener has.
const SETTINGS: &str = "retry = { attempts = 0 }\noutlier = false\nbreaker = false
    timeouts = { connect = \"2s\", first_byte = \"2s\", idle = \"2s\" }
    client = { body_bytes = \"32B\" }
    limits = { head_bytes = \"16KiB\" }\n";

struct Bed {
    serve: Serve,
    ways: Vec<Way>,
    heads: Heads,
    _behind: (Upstream, H2Upstream, tempfile::TempDir),
}

impl Bed {
    fn start() -> Self {
        let mut ways = Vec::new();
        for client_h2 in [false, true] {
            for listener in [Listener::Outbound, Listener::Passing, Listener::Keeping] {
                for behind in [Behind::Http1, Behind::Http2, Behind::FastCgi, Behind::Files, Behind::Nobody] {
                    if listener != Listener::Outbound || !matches!(behind, Behind::FastCgi | Behind::Files) {
                        ways.push(Way { client_h2, listener, behind, number: ways.len() });
                    }
                }
            }
        }
        let heads: Heads = Arc::new(ways.iter().map(|_| AtomicBool::default()).collect());
        let told = heads.clone();
        let http1 = Upstream::start(move |peer| while over_http1(peer, &told) {});
        let told = heads.clone();
        let http2 = H2Upstream::start(move |asked| over_http2(asked, told.clone()));
        let nobody = free_address();
        let root = tempfile::tempdir().unwrap();
        ["whole", "posted"].into_iter().for_each(|name| std::fs::write(root.path().join(name), name).unwrap());
        let mut config = "threads = 2\n[log]\nfile = \"DIR/access.json\"\nsample = 1.0\n".to_owned();
        for way in ways.iter().filter(|way| !way.client_h2) {
            let (kind, more) = match way.listener {
                Listener::Outbound => ("outbound", ""),
                Listener::Passing => ("site", "cache = false\n"),
                Listener::Keeping => ("site", "[site.cache]\nuncacheable = \"1s\"\n"),
            };
            let behind = match way.behind {
                Behind::Http1 => format!("upstream = \"{}\"\n", http1.url()),
                Behind::Http2 => format!("upstream = \"{}\"\nhttp = \"2\"\n", http2.url()),
                Behind::FastCgi => {
                    format!("php = \"fcgi://{}\"\nfastcgi = {{ script = \"/srv/program\" }}\n", http1.address())
                }
                Behind::Files => format!("root = {:?}\n", root.path()),
                Behind::Nobody => format!("upstream = \"http://{nobody}\"\n"),
            };
            let name = way.name();
            let _ = write!(
                config,
                "[[{kind}]]\nname = \"{name}\"\nlisten = \"unix:DIR/{name}.sock\"\n{behind}{SETTINGS}{more}"
            );
        }
        Self { serve: Serve::start(&config), ways, heads, _behind: (http1, http2, root) }
    }

    /// Sends a request by a way; its target has the way's number.
    fn ask(&self, way: Way, name: &str, ask: Ask) -> Got {
        let target = format!("/{name}?{}&{}", way.number, ask.method);
        self.heads[way.number].store(false, Ordering::SeqCst);
        let has_head = || self.heads[way.number].store(true, Ordering::SeqCst);
        let socket = self.serve.path(&format!("{}.sock", way.name()));
        if way.client_h2 {
            by_http2(&socket, &target, ask, has_head)
        } else {
            by_http1(&socket, &target, ask, has_head)
        }
    }

    /// The line of the log for such a request.
    fn logged(&self, way: Way, name: &str, method: &str) -> serde_json::Value {
        let target = format!("/{name}?{}&{method}", way.number);
        wait::until_ok(&format!("a line for {target}"), || {
            let text = std::fs::read_to_string(self.serve.path("access.json")).unwrap_or_default();
            let lines = text
                .lines()
                .filter(|line| line.contains(&target))
                .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
            let found: Vec<_> = lines.filter(|line| line["target"] == *target).collect();
            if let [one] = found.as_slice() { Ok(one.clone()) } else { Err(format!("{found:?}")) }
        })
    }

    /// What goes on at each way at a time.
    fn each(&self, check: impl Fn(Way) -> Vec<String> + Sync) {
        let failed: Vec<String> = std::thread::scope(|scope| {
            let check = &check;
            let threads: Vec<_> = self.ways.iter().map(|way| scope.spawn(move || check(*way))).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        assert!(failed.is_empty(), "{} cells differ:\n{}", failed.len(), failed.join("\n"));
    }
}

impl Way {
    /// Of its listener.
    fn name(self) -> String {
        format!("{:?}-{:?}", self.listener, self.behind).to_lowercase()
    }
}

// === the clients ===

fn by_http1(socket: &Path, target: &str, ask: Ask, has_head: impl FnOnce()) -> Got {
    let mut wire = Wire::unix(socket);
    let mut head = format!("{} {target} HTTP/1.1\r\nHost: test\r\n", ask.method);
    for (name, value) in ask.fields {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    if !ask.body.is_empty() {
        let _ = write!(head, "content-length: {}\r\n", ask.body.len());
    }
    wire.send(format!("{head}\r\n{}", ask.body));
    let mut got = Got::default();
    let Some(mut answer) = wire.try_head() else { return got };
    while answer.status < 200 {
        got.interim.push(answer.status);
        answer = wire.head();
    }
    has_head();
    if ask.method != "HEAD" && !matches!(answer.status, 204 | 304) {
        wire.body(&mut answer);
    }
    got.is_whole = answer.ending == Ending::Whole;
    got.body = answer.text();
    Got { status: answer.status, fields: answer.fields, trailers: answer.trailers, ..got }
}

fn by_http2(socket: &Path, target: &str, ask: Ask, has_head: impl FnOnce()) -> Got {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = H2Client::unix(socket).await;
        let mut head = request(ask.method, target);
        for (name, value) in ask.fields {
            head.headers_mut().append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        if !ask.body.is_empty() {
            head.headers_mut().insert("content-length", ask.body.len().into());
        }
        let (answer, send) = client.send(head, ask.body.is_empty()).await;
        if !ask.body.is_empty() {
            // It may be refused.
            let _ = send_body(send, Bytes::from_static(ask.body.as_bytes()), None).await;
        }
        let Ok(answer) = answer.await else { return Got::default() };
        has_head();
        let answer = H2Answer::of(answer).await.unwrap();
        client.end();
        let text = |map: &HeaderMap| -> Vec<_> {
            map.iter().map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned())).collect()
        };
        Got {
            status: answer.head.status.as_u16(),
            fields: text(&answer.head.headers),
            trailers: answer.trailers.as_ref().map(text).unwrap_or_default(),
            body: answer.text(),
            interim: Vec::new(),
            is_whole: answer.error.is_none(),
        }
    })
}

impl Got {
    fn field(&self, name: &str) -> Option<&str> {
        let mut found = self.fields.iter().filter(|(own, _)| own == name).map(|(_, value)| &**value);
        let value = found.next();
        assert_eq!(found.next(), None, "{name} is there twice: {self:?}");
        value
    }

    /// What it comes to.
    fn is(&self, outcome: Outcome) -> bool {
        let reason = self.field("x-unladen-reason");
        match outcome {
            Whole(status, body) => (self.status, &*self.body, reason, self.is_whole) == (status, body, None, true),
            Own(status, why) => (self.status, reason, self.is_whole) == (status, Some(why), true),
            Broken(_) => self.status == 200 && reason.is_none() && !self.is_whole && "whole".starts_with(&self.body),
        }
    }
}

// === the applications ===

/// Waits until the client of this request's way has the head.
fn has_head<'h>(heads: &'h Heads, seen: &Seen) -> &'h AtomicBool {
    let number = seen.target.split(['?', '&']).nth(1).and_then(|number| number.parse::<usize>().ok());
    &heads[number.expect("the way's number")]
}

/// By HTTP/1.1 or FastCGI, whichever it is asked by; whether there may be another request.
fn over_http1(peer: &mut Peer, heads: &Heads) -> bool {
    let Some(asked) = peer.request() else { return false };
    let fields = asked.fields.into_iter().filter(|(name, _)| !name.contains('_')).collect();
    let seen = Seen { method: asked.method, target: asked.target, fields, body: asked.body.len() };
    let is_program = peer.is_program();
    let mut is_chunked = false;
    // What nothing is waited for between comes at once, and with the end of the connection.
    peer.hold(true);
    for step in script(&seen) {
        if matches!(step, WaitForHead | Pause(_) | Stall) {
            peer.hold(false);
        }
        let sent = match step {
            Interim if is_program => return false,
            Interim => peer.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
            Head(status, fields) => {
                let has_length = fields.iter().any(|(name, _)| *name == "content-length");
                is_chunked = !is_program && !has_length && !matches!(status, 204 | 304);
                let mut text =
                    if is_program { format!("Status: {status}\r\n") } else { format!("HTTP/1.1 {status} X\r\n") };
                fields.iter().for_each(|(name, value)| _ = write!(text, "{name}: {value}\r\n"));
                text.push_str(if is_chunked { "transfer-encoding: chunked\r\n\r\n" } else { "\r\n" });
                if is_program { peer.send(record(6, 1, text.as_bytes())) } else { peer.send(text) }
            }
            Data(data) if is_program => peer.send(record(6, 1, data.as_bytes())),
            Data(_) if seen.method == "HEAD" => true,
            Data(data) if is_chunked => peer.send(format!("{:x}\r\n{data}\r\n", data.len())),
            Data(data) => peer.send(data),
            End | EndWithTrailers if is_program => {
                peer.send([record(6, 1, b""), record(3, 1, &fastcgi::END)].concat());
                return false;
            }
            End if is_chunked => peer.send("0\r\n\r\n"),
            End => true,
            EndWithTrailers => peer.send("0\r\nx-sum: 1\r\n\r\n"),
            WaitForHead => {
                wait::until("the client has the head", || has_head(heads, &seen).swap(false, Ordering::SeqCst));
                true
            }
            Pause(millis) => {
                std::thread::sleep(Duration::from_millis(millis));
                true
            }
            Nonsense => {
                peer.send("nonsense nonsense\r\n");
                return false;
            }
            Break => return false,
            Stall => {
                peer.wait_for_end();
                return false;
            }
        };
        if !sent {
            return false;
        }
    }
    peer.hold(false);
    true
}

async fn over_http2(mut asked: H2Asked, heads: Heads) {
    let body = asked.request.body_mut();
    let mut length = 0;
    while let Some(Ok(piece)) = body.data().await {
        let _ = body.flow_control().release_capacity(piece.len());
        length += piece.len();
    }
    let fields = asked.request.headers().iter();
    let seen = Seen {
        method: asked.request.method().to_string(),
        target: asked.request.uri().path_and_query().unwrap().to_string(),
        fields: fields.map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned())).collect(),
        body: length,
    };
    let steps = script(&seen);
    let (mut send, mut is_announced) = (None, false);
    for (at, step) in steps.iter().enumerate() {
        match step {
            Interim => {
                let hint = Response::builder().status(103).body(()).unwrap();
                asked.respond.send_informational(hint).unwrap();
            }
            Head(status, fields) => {
                let mut answer = Response::builder().status(*status).body(()).unwrap();
                let of_connection = ["connection", "keep-alive", "proxy-connection", "x-own"];
                for (name, value) in fields.iter().filter(|(name, _)| !of_connection.contains(name)) {
                    answer.headers_mut().append(HeaderName::from_static(name), value.parse().unwrap());
                }
                is_announced = fields.iter().any(|(name, _)| *name == "content-length");
                let ends = matches!(steps.get(at + 1), Some(End)) || seen.method == "HEAD";
                let Ok(stream) = asked.respond.send_response(answer, ends) else { return };
                if ends {
                    return;
                }
                send = Some(stream);
            }
            Data(data) => _ = send.as_mut().unwrap().send_data(data.clone().into(), false),
            End => _ = send.as_mut().unwrap().send_data(Bytes::new(), true),
            EndWithTrailers => {
                let mut trailers = HeaderMap::new();
                trailers.insert("x-sum", HeaderValue::from_static("1"));
                send.as_mut().unwrap().send_trailers(trailers).unwrap();
            }
            WaitForHead => {
                while !has_head(&heads, &seen).swap(false, Ordering::SeqCst) {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            }
            Pause(millis) => tokio::time::sleep(Duration::from_millis(*millis)).await,
            Nonsense | Break => {
                match &mut send {
                    // At once with its head, whenever this task runs, and not what that has announced.
                    Some(send) if is_announced && matches!(steps[at - 1], Head(..)) => {
                        send.send_data(Bytes::new(), true).unwrap();
                    }
                    Some(send) => {
                        // What was handed over is on its way before the end is.
                        tokio::time::sleep(Duration::from_millis(5)).await;
                        send.send_reset(h2::Reason::INTERNAL_ERROR);
                    }
                    None => asked.respond.send_reset(h2::Reason::INTERNAL_ERROR),
                }
                return;
            }
            Stall => {
                let waiting = std::future::poll_fn(|cx| match &mut send {
                    Some(send) => send.poll_reset(cx).map(drop),
                    None => asked.respond.poll_reset(cx).map(drop),
                });
                waiting.await;
                return;
            }
        }
    }
}

// === the tests ===

#[test]
fn each_way_comes_to_the_same_in_the_answer_and_in_the_log() {
    let bed = Bed::start();
    bed.each(|way| {
        let (mut failed, mut logged) = (Vec::new(), Vec::new());
        for (name, ask, expected) in ROWS {
            let Some(mut outcome) = expected(way) else { continue };
            if way.behind == Behind::Files {
                outcome = of_file(name, outcome);
            }
            // What is refused before anybody is asked is refused all the same.
            if way.behind == Behind::Nobody && *name != "hops" && !matches!(outcome, Own(413, _)) {
                outcome = Own(502, "connect_failed");
            }
            let got = bed.ask(way, name, *ask);
            if !got.is(outcome) {
                failed.push(format!("{way:?} {name}: {outcome:?}, but {got:?}"));
                continue;
            }
            logged.push((*name, ask.method, outcome));
        }
        for (name, method, outcome) in logged {
            let line = bed.logged(way, name, method);
            let (end, reason, status) = match outcome {
                Whole(status, _) => ("answered", None, status),
                Own(status, reason) => ("local_reply", Some(reason), status),
                Broken(reason) => ("broken", Some(reason), 200),
            };
            let told = (line["end"].as_str(), line["reason"].as_str(), line["status"].as_u64());
            if told != (Some(end), reason, Some(u64::from(status))) {
                failed.push(format!("{way:?} {name}: the log should say {end} {reason:?} {status}: {line}"));
            }
            let has_cause = matches!(outcome, Own(502 | 504, _) | Broken(_));
            if has_cause != line["cause"].is_string() {
                failed.push(format!("{way:?} {name}: a cause in the log: {has_cause}: {line}"));
            }
        }
        failed
    });
    bed.serve.stop();
}

#[test]
fn each_way_takes_off_what_is_of_one_connection_and_says_who_asks() {
    const LISTED: Ask =
        Ask { fields: &[("connection", "x-own, te"), ("x-own", "1"), ("keep-alive", "1"), ("te", "trailers")], ..GET };
    const NUMBERED: Ask = Ask { fields: &[("x-request-id", "of-the-client")], ..GET };
    const HOPS: Ask = Ask { method: "OPTIONS", fields: &[("max-forwards", "3")], body: "" };
    let bed = Bed::start();
    bed.each(|way| {
        if way.behind == Behind::Nobody {
            return Vec::new();
        }
        let mut failed = Vec::new();
        let mut must = |is_so: bool, what: &str, got: &Got| {
            if !is_so {
                failed.push(format!("{way:?} {what}: {got:?}"));
            }
        };
        if way.behind == Behind::Files {
            let got = bed.ask(way, "whole", NUMBERED);
            must(bed.logged(way, "whole", "GET")["request_id"] == "of-the-client", "its line", &got);
            return failed;
        }
        if !way.client_h2 {
            let got = bed.ask(way, "listed", LISTED);
            must(got.status == 200, "listed", &got);
            must(!["x-own", "keep-alive"].iter().any(|name| got.body.contains(&format!("\n{name}:"))), "listed", &got);
        }
        let got = bed.ask(way, "listed-back", GET);
        let fields = ["x-own", "keep-alive", "proxy-connection", "x-unladen-reason"];
        let is_kept = |name: &&str| got.fields.iter().any(|(own, _)| own == name);
        // FastCGI and HTTP/2 have no connection's fields.
        let listed = if way.behind == Behind::Http1 { &fields[..] } else { &fields[1..] };
        must(!listed.iter().any(is_kept), "listed back", &got);
        let got = bed.ask(way, "id", NUMBERED);
        must(got.body.contains("\nx-request-id: of-the-client\n"), "an identifier", &got);
        must(bed.logged(way, "id", "GET")["request_id"] == "of-the-client", "its line", &got);
        let got = bed.ask(way, "echo", GET);
        let id = bed.logged(way, "echo", "GET")["request_id"].as_str().map(ToOwned::to_owned);
        let told = got.body.lines().find_map(|line| line.strip_prefix("x-request-id: ")).map(ToOwned::to_owned);
        // An outbound's application makes its own, if it wants one.
        must(told == id, "an identifier of ours", &got);
        let got = bed.ask(way, "hops", HOPS);
        must(got.body.contains("\nmax-forwards: 2\n"), "one forward less", &got);
        let got = bed.ask(way, "trailers", GET);
        let has_trailers = got.trailers.contains(&("x-sum".to_owned(), "1".to_owned()));
        // Those who wait for a fetch have its head and its body; and FastCGI has none.
        let may_have = way.behind != Behind::FastCgi && way.listener != Listener::Keeping;
        must(has_trailers == may_have, "trailers", &got);
        if !way.client_h2 && way.behind != Behind::FastCgi {
            let got = bed.ask(way, "interim", GET);
            must(got.interim.contains(&103) == (way.listener != Listener::Keeping), "an interim answer", &got);
        }
        failed
    });
    bed.serve.stop();
}

#[test]
fn a_stored_page_stands_in_where_the_body_of_a_newer_one_breaks_off_before_its_first_byte() {
    let bed = Bed::start();
    bed.each(|way| {
        if way.listener != Listener::Keeping || matches!(way.behind, Behind::Files | Behind::Nobody) {
            return Vec::new();
        }
        let is_stale = |got: &Got| {
            let said = got.field("cache-status").unwrap_or_default();
            got.is(Whole(200, "whole")) && said.contains("hit") && said.contains("detail=upstream_closed")
        };
        let turn = |turn: &'static [(&str, &str)]| bed.ask(way, "stale", Ask { fields: turn, ..GET });
        let first = turn(&[("x-turn", "first")]);
        // Of this one, the client has the head.
        let late = turn(&[("x-turn", "late")]);
        let second = turn(&[]);
        match first.is(Whole(200, "whole")) && late.is(Broken("")) && is_stale(&second) {
            true => Vec::new(),
            false => vec![format!("{way:?}: {first:?}, then {late:?}, then {second:?}")],
        }
    });
    bed.serve.stop();
}

/// A program's head was held back: the field was removed before it was read.
#[test]
fn a_head_that_is_not_to_be_buffered_goes_on_at_once() {
    let bed = Bed::start();
    bed.each(|way| {
        // Of HTTP/2, the connection may have the head when the stream is reset.
        if way.client_h2 || matches!(way.behind, Behind::Files | Behind::Nobody) {
            return Vec::new();
        }
        // Where the application does not run in time, both come at once.
        let goes_on = || bed.ask(way, "unbuffered-closed-soon-after", GET).is(Broken("upstream_closed"));
        wait::until("the head comes before the end", goes_on);
        Vec::new()
    });
    bed.serve.stop();
}

#[test]
fn what_is_not_known_is_said_by_no_empty_field() {
    let bed = Bed::start();
    bed.each(|way| {
        if way.client_h2 || matches!(way.behind, Behind::Files | Behind::Nobody) {
            return Vec::new();
        }
        let mut wire = Wire::unix(&bed.serve.path(&format!("{}.sock", way.name())));
        // As health checks ask: by HTTP/1.0, without a host.
        let answer = wire.ask(format!("GET /echo?{}&GET HTTP/1.0\r\n\r\n", way.number));
        let empty: Vec<_> = answer.text().lines().filter(|line| line.ends_with(": ")).map(ToOwned::to_owned).collect();
        let has_host = answer.text().contains("\nhost: ");
        // HTTP/1.1 has a host in any case, HTTP/2 has it elsewhere, and a program of FastCGI is told of the client's alone.
        let is_right = answer.status == 200 && empty.is_empty() && has_host == (way.behind == Behind::Http1);
        if is_right { Vec::new() } else { vec![format!("{way:?}: {empty:?}: {}", answer.text())] }
    });
    bed.serve.stop();
}
