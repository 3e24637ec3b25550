//! [`answer`] names an answer and says why it may not be the page that was meant; [`looked_at`] requests a page once,
//! [`compared_with_a_browsers`] also with a browser's User-Agent.

mod doubts;
mod text;

use std::time::Duration;

use serde_json::Value;
use unladen_document::Answer;
use unladen_load::{Cancel, Driver, DriverConfig, Expect, LoadError, Request, Sample};
use unladen_trace::without_secrets;

use self::doubts::{BROWSER, Page, browsers, doubts};
use self::text::{decoded, read_text, title};

pub(crate) use self::doubts::is_alike;
pub(crate) use self::text::inert;

/// Bytes of a body that are kept to name it.
pub(crate) const LOOKED_AT: usize = 1 << 20;
/// Bytes of its text that are read.
const TEXT: usize = 4_096;
/// Limit of a browser's request: short, since nothing depends on it.
const BROWSER_TIME: Duration = Duration::from_secs(5);

pub(crate) fn answer(request: &Request, sample: &Sample, expect: &Expect) -> Answer {
    let media_type = sample.headers.get("content-type").map(|value| String::from_utf8_lossy(value.as_bytes()));
    let media_type = media_type.map(|value| inert(&value.split(';').next().unwrap_or_default().to_ascii_lowercase()));
    let media_type = media_type.unwrap_or_default();
    let coding = sample.coding().map(|coding| inert(&coding)).unwrap_or_default();
    let unpacked = sample.unpacked();
    let body = unpacked.as_ref().map(decoded).unwrap_or_default();
    let is_html = media_type.contains("html") || media_type.is_empty() && body.trim_start().starts_with('<');
    let json: Option<Value> = (media_type.contains("json") || body.trim_start().starts_with('{'))
        .then(|| serde_json::from_str(&body).ok())
        .flatten();
    let text = if is_html { read_text(&body, TEXT) } else { String::new() };
    let title = is_html.then(|| title(&body)).flatten().unwrap_or_default();
    let words = match &json {
        _ if !title.is_empty() => String::new(),
        // Their values may be secrets.
        Some(Value::Object(members)) => {
            let names: Vec<String> = members.keys().map(|name| format!("\"{name}\"")).collect();
            inert(&format!("{{{}}}", names.join(", ")))
        }
        None if is_html => quoted(&text),
        None if media_type == "text/plain" => quoted(&without_secrets(body.get(..TEXT).unwrap_or(&body))),
        _ => String::new(),
    };
    let whole = unpacked.as_ref().filter(|unpacked| unpacked.is_whole);
    let digest = whole.map_or(sample.exchange.digest, |whole| unladen_load::Digest::of(&whole.content));
    let mut answer = Answer {
        request: request.name().strip_prefix("GET ").unwrap_or(request.name()).to_owned(),
        status: sample.status.as_u16(),
        media_type,
        bytes: sample.exchange.body_bytes,
        decoded_bytes: whole.filter(|_| !coding.is_empty()).map(|whole| whole.content.len() as u64),
        coding,
        title,
        words,
        location: sample.location().map(|location| inert(&without_secrets(location))),
        cache: sample.from_cache().map(|cache| inert(&cache)),
        digest: format!("{:016x}", digest.0),
        doubts: Vec::new(),
    };
    // A user who says what the right answer contains needs no doubts.
    if expect.body.is_none() {
        let given = |name: &str| request.given_headers().any(|(given, _)| given.as_str() == name);
        let page = Page {
            body: &body,
            text: &text,
            json: json.as_ref(),
            is_login: Sample::is_of_login(request.url().as_str()),
            is_known: given("cookie") || given("authorization"),
        };
        answer.doubts.extend(doubts(&answer, &page).map(|doubt| doubt.to_string()));
    }
    answer
}

fn quoted(text: &str) -> String {
    let text = inert(text);
    if text.is_empty() { text } else { format!("\"{text}\"") }
}

/// Requests the page of this index once and names the answer. Fails like [`Driver::sample`].
pub(crate) fn looked_at(
    driver: &mut Driver,
    config: &DriverConfig,
    index: usize,
    cancel: &Cancel,
) -> Result<(Sample, Answer), LoadError> {
    let mut sample = driver.fetch(index, LOOKED_AT, cancel)?;
    let Some(request) = config.requests.get(index) else {
        return Err(LoadError::NoSuchRequest { index, count: config.requests.len() });
    };
    let answer = answer(request, &sample, &config.expect);
    // The sample is kept for as long as the run takes.
    sample.body_start = sample.body_start.slice(..sample.body_start.len().min(TEXT));
    Ok((sample, answer))
}

/// Like [`looked_at`]; if nothing is in doubt, also compares with the answer to a browser's User-Agent.
pub(crate) fn compared_with_a_browsers(
    driver: &mut Driver,
    config: &DriverConfig,
    index: usize,
    cancel: &Cancel,
) -> Result<(Sample, Answer), LoadError> {
    let (sample, mut answer) = looked_at(driver, config, index, cancel)?;
    if answer.doubts.is_empty()
        && let Some(request) = config.requests.get(index)
    {
        answer.doubts.extend(by_browser(config, request, &answer, cancel));
    }
    Ok((sample, answer))
}

/// Doubt if a browser gets another answer: only for GET and HEAD, and if nobody chose another User-Agent. Both requests
/// go over a connection of their own, without cookies.
fn by_browser(config: &DriverConfig, request: &Request, ours: &Answer, cancel: &Cancel) -> Option<String> {
    let is_named = request.given_headers().any(|(name, _)| name == "user-agent");
    if !matches!(request.method().as_str(), "GET" | "HEAD") || is_named || config.expect.body.is_some() {
        return None;
    }
    let browser = request.clone().with_agent(BROWSER);
    let config = DriverConfig {
        requests: vec![browser.clone(), request.clone()],
        concurrency: 1,
        rate: None,
        keep_cookies: false,
        timeout: config.timeout.min(BROWSER_TIME),
        connect_timeout: config.connect_timeout.min(BROWSER_TIME),
        expect: Expect { statuses: "100-599".parse().ok()?, ..Expect::default() },
        ..config.clone()
    };
    let mut driver = Driver::start(config).ok()?;
    let mut ask = |index, request: &Request| {
        let sample = driver.fetch(index, LOOKED_AT, cancel).ok()?;
        Some(answer(request, &sample, &Expect::default()))
    };
    let theirs = ask(0, &browser)?;
    // Usually the answers are alike, and no third request is needed.
    browsers(ours, ours, &theirs)?;
    let again = ask(1, request)?;
    browsers(ours, &again, &theirs).map(|doubt| doubt.to_string())
}
