//! Reads how a database reports changes: `listen` and `heartbeat`.

use std::time::Duration;

use unladen_toml::{Bad, Problem, Value};
use unladen_validator::{ListenSettings, ValidatorSource};

use crate::explain::Shown;
use crate::level::Level;
use crate::reading::Reading;

/// Longer than a pause of a busy machine; a page that is a second old harms few.
const HEARTBEAT: Duration = Duration::from_secs(1);
const HEARTBEAT_BOUNDS: std::ops::RangeInclusive<Duration> = Duration::from_millis(100)..=Duration::from_secs(60);
/// PostgreSQL's bound.
const LONGEST: usize = 63;

/// `None` if the database is asked each time.
pub(super) fn read(level: &Level<'_>, source: Option<&ValidatorSource>, r: &mut Reading<'_>) -> Option<ListenSettings> {
    let shown = |channel: &Option<String>| channel.clone().map_or(Shown::None, Shown::Text);
    let channel = level.take("listen", None, r, |value, _| channel(value).map(Some), shown);
    let heartbeat = level.duration("heartbeat", HEARTBEAT_BOUNDS, HEARTBEAT, r);
    if heartbeat != HEARTBEAT && !level.says("listen") {
        r.warn(level.at(&["heartbeat"]), "`heartbeat` has no effect: it is for what `listen` remembers");
    }
    let channel = channel?;
    if source.is_some_and(|source| !matches!(source, ValidatorSource::Postgres { .. })) {
        let without = "needs a `database` of PostgreSQL, which alone tells of changes: remove this key";
        r.refuse(level.at(&["listen"]), Problem::Alone { key: "listen", without });
    }
    Some(ListenSettings { channel, heartbeat })
}

/// Names that are the same with and without quotes.
fn channel(value: &Value<'_>) -> Result<String, Bad> {
    let text = value.one_line()?;
    let is_known = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    if text.is_empty() || text.len() > LONGEST || !text.bytes().all(is_known) {
        let expected = format!("1 to {LONGEST} small letters, digits and `_`, as in \"pledge_changed\"");
        return Err(value.refuse(format!("`{text}`"), expected));
    }
    Ok(text.to_owned())
}
