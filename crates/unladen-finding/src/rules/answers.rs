//! What the rules about answers share: which page they are about, and what its headers say.

use unladen_trace::{Evidence, Response, State};

/// Answers that must have been looked at before anything is said of all of them.
pub(super) const LEAST_ANSWERS: u64 = 10;
/// Less latency (ns) has nothing that a cache could take off: nginx answers from its cache in 0.1 to 0.5 ms, round trip
/// on the same machine included, and a file from the disk in no more.
pub(super) const LEAST_WORK_NS: f64 = 2e6;
/// Fewer bytes than fill one segment of TCP (1,460, less room for headers) take the same packet, whatever is done to
/// them.
pub(super) const LEAST_BYTES: u64 = 1_400;

/// The answer to a plain GET that found the page. First requests of fresh processes have the same headers, told once.
pub(super) fn page(evidence: &Evidence) -> Option<&Response> {
    let is_page = evidence.state == State::Warm && evidence.page.method.eq_ignore_ascii_case("GET");
    evidence.response.as_ref().filter(|response| is_page && response.status == 200)
}

/// Whether it takes the server so long that a cache would take off nearly all of it.
pub(super) fn is_work(evidence: &Evidence) -> bool {
    evidence.page.latency.is_some_and(|latency| latency.low >= LEAST_WORK_NS)
}

/// Whether all answers that were looked at had one body.
pub(super) fn is_stable(response: &Response) -> bool {
    response.answers >= LEAST_ANSWERS && response.changed == 0
}

/// Whether it is one client's: asked for with a cookie or a password, or handing out a cookie.
pub(super) fn is_personal(response: &Response) -> bool {
    response.personal || response.header("set-cookie").is_some()
}

/// Whether `Cache-Control` has such a directive.
pub(super) fn says(response: &Response, directive: &str) -> bool {
    directives(response).any(|(name, _)| name == directive)
}

/// Whether the answer may be used again without asking, for any time at all (RFC 9111, 4.2.1).
pub(super) fn is_fresh(response: &Response) -> bool {
    let seconds = |directive: &str| {
        directives(response).find(|(name, _)| name == directive).map(|(_, value)| value.parse::<u64>().unwrap_or(0))
    };
    if let Some(seconds) = seconds("s-maxage").or_else(|| seconds("max-age")) {
        return seconds > 0;
    }
    // What is no date is in the past (RFC 9111, 5.3).
    let Some(expires) = response.header("expires").and_then(date) else { return false };
    response.header("date").and_then(date).is_none_or(|now| expires > now)
}

/// Header names that `Vary` lists, in small letters.
pub(super) fn vary(response: &Response) -> Vec<String> {
    let names = response.all("vary").flat_map(|value| value.split(',')).map(|name| name.trim().to_ascii_lowercase());
    names.filter(|name| !name.is_empty()).collect()
}

/// What of `Cache-Control` keeps caches in front from answering by themselves.
pub(super) fn forbids(response: &Response) -> Option<&'static str> {
    ["no-store", "private", "no-cache"].into_iter().find(|directive| says(response, directive))
}

fn directives(response: &Response) -> impl Iterator<Item = (String, &str)> {
    response.all("cache-control").flat_map(|value| value.split(',')).map(|one| {
        let (name, value) = one.split_once('=').unwrap_or((one, ""));
        (name.trim().to_ascii_lowercase(), value.trim().trim_matches('"'))
    })
}

/// `Sun, 06 Nov 1994 08:49:37 GMT` as numbers that compare: year, month, day, and the time as it is written.
fn date(text: &str) -> Option<(u32, usize, u32, String)> {
    const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let mut parts = text.split_once(',')?.1.split([' ', '-']).filter(|part| !part.is_empty());
    let day = parts.next()?.parse().ok()?;
    let month = parts.next()?.to_ascii_lowercase();
    let month = MONTHS.iter().position(|name| *name == month)?;
    let year = parts.next()?.parse().ok().filter(|year| *year > 1000)?;
    Some((year, month, day, parts.next()?.to_owned()))
}

#[cfg(test)]
pub(crate) mod tests;
