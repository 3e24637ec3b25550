//! Shared by the rules on responses: the page they are about, and what its headers say.

use unladen_trace::{Evidence, Response, State};

/// Responses to look at before anything is said of all.
pub(super) const LEAST_ANSWERS: u64 = 10;
/// Less latency (ns) leaves nothing for a cache to save: nginx answers from its cache in 0.1 to 0.5 ms, round trip on
/// the same machine included, and just as fast for a file from the disk.
pub(super) const LEAST_WORK_NS: f64 = 2e6;
/// Fewer bytes fit into one TCP segment (1,460, less room for headers): no packet would be saved.
pub(super) const LEAST_BYTES: u64 = 1_400;

/// The response to a plain GET that found the page; first requests of fresh processes have the same headers.
pub(super) fn page(evidence: &Evidence) -> Option<&Response> {
    let is_page = evidence.state == State::Warm && evidence.page.method.eq_ignore_ascii_case("GET");
    evidence.response.as_ref().filter(|response| is_page && response.status == 200)
}

/// Whether the server takes so long that a cache would save nearly all of it.
pub(super) fn is_work(evidence: &Evidence) -> bool {
    evidence.page.latency.is_some_and(|latency| latency.low >= LEAST_WORK_NS)
}

pub(super) fn is_stable(response: &Response) -> bool {
    response.answers >= LEAST_ANSWERS && response.changed == 0
}

/// Whether the response is for one client: requested with a cookie or a password, or setting a cookie.
pub(super) fn is_personal(response: &Response) -> bool {
    response.personal || response.header("set-cookie").is_some()
}

pub(super) fn says(response: &Response, directive: &str) -> bool {
    directives(response).any(|(name, _)| name == directive)
}

/// Whether the response may be reused without revalidation for any time (RFC 9111, 4.2.1).
pub(super) fn is_fresh(response: &Response) -> bool {
    let seconds = |directive: &str| {
        directives(response).find(|(name, _)| name == directive).map(|(_, value)| value.parse::<u64>().unwrap_or(0))
    };
    if let Some(seconds) = seconds("s-maxage").or_else(|| seconds("max-age")) {
        return seconds > 0;
    }
    // An invalid date is in the past (RFC 9111, 5.3).
    let Some(expires) = response.header("expires").and_then(date) else { return false };
    response.header("date").and_then(date).is_none_or(|now| expires > now)
}

/// Header names in `Vary`, in lower case.
pub(super) fn vary(response: &Response) -> Vec<String> {
    let names = response.all("vary").flat_map(|value| value.split(',')).map(|name| name.trim().to_ascii_lowercase());
    names.filter(|name| !name.is_empty()).collect()
}

/// What in `Cache-Control` forbids shared caches to answer by themselves.
pub(super) fn forbids(response: &Response) -> Option<&'static str> {
    ["no-store", "private", "no-cache"].into_iter().find(|directive| says(response, directive))
}

fn directives(response: &Response) -> impl Iterator<Item = (String, &str)> {
    response.all("cache-control").flat_map(|value| value.split(',')).map(|one| {
        let (name, value) = one.split_once('=').unwrap_or((one, ""));
        (name.trim().to_ascii_lowercase(), value.trim().trim_matches('"'))
    })
}

/// `Sun, 06 Nov 1994 08:49:37 GMT` as comparable numbers: year, month, day, and the time as text.
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
