//! Reads `[site.queue]`.

use std::time::Duration;

use unladen_toml::{Bad, Problem, Value};

use super::explain::Shown;
use super::level::Level;
use super::reading::Reading;
use crate::settings::QueueSettings;

/// Nobody gets through a longer queue.
const MANY: u64 = 1_000_000;
/// Browsers and people have given up by then.
const LONGEST: Duration = Duration::from_secs(300);
/// Default of [`QueueSettings::length`].
const LENGTH: usize = 1000;
/// Default of [`QueueSettings::wait`].
const WAIT: Duration = Duration::from_secs(5);

/// `None` if requests do not wait here. `asks`: the application is asked how many requests it takes.
pub(super) fn read(site: &Level<'_>, asks: bool, connections: usize, r: &mut Reading<'_>) -> Option<QueueSettings> {
    let level = site.switch("queue", asks, r)?;
    let count = |running: &Option<usize>| running.map_or(Shown::None, |running| Shown::Count(running as u64));
    let expected = "the number of requests that the application works on at a time";
    let whole = |value: &Value<'_>, _: &mut Reading<'_>| {
        let running = value.whole(1..=MANY)?;
        Ok(usize::try_from(running).ok())
    };
    let running = level.take("running", None, r, whole, count);
    if running.is_none() && !asks {
        let (place, key) = ("[site.queue]".to_owned(), "running");
        r.refuse(level.at(&[]), Problem::Missing { place, key, expected });
    }
    if let Some(running) = running
        && running > connections
    {
        level.contradict(
            r,
            ("running", Shown::Count(running as u64)),
            ("limits.connections", Shown::Count(connections as u64)),
            "each request at the application has a connection of its own: raise `limits.connections`, or lower `queue.running`",
        );
    }
    Some(QueueSettings {
        running,
        length: level.count("length", 1..=MANY, LENGTH, r),
        wait: level.duration("wait", Duration::from_millis(100)..=LONGEST, WAIT, r),
        cookie: level.take(
            "cookie",
            None,
            r,
            |value, _| cookie(value).map(Some),
            |cookie: &Option<String>| cookie.clone().map_or(Shown::None, Shown::Text),
        ),
    })
}

/// A cookie's name: a token (RFC 6265, section 4.1.1).
fn cookie(value: &Value<'_>) -> Result<String, Bad> {
    let text = value.one_line()?;
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_token) {
        return Ok(text.to_owned());
    }
    Err(value.refuse(format!("`{text}`"), "the name of a cookie, such as \"PHPSESSID\""))
}
