//! [`paths`]: who the requests go through.

use unladen_load::Cancel;
use unladen_path::{PathError, follow};
use unladen_probe::Instrument;
use unladen_report::Ended;

use crate::path::Path;
use crate::progress::Progress;
use crate::weigh::options::Options;

/// Sends a few requests to each URL that is served here, and observes who takes them, after all timing. `is_alone`: no
/// other host is observed.
pub(super) fn paths(
    options: &Options,
    instrument: &mut Instrument,
    ended: Ended,
    is_alone: bool,
    cancel: &Cancel,
    progress: &Progress,
) -> Vec<Path> {
    let all = 0..options.driver.requests.len();
    if ended != Ended::Complete {
        return all.map(|_| Path::unknown("the run ended before it was looked for".to_owned())).collect();
    }
    progress.say("looking who the requests go through");
    all.map(|url| match follow(&options.driver, url, cancel) {
        Ok(route) => Path::of(route, instrument),
        Err(error @ PathError::Remote { .. }) if is_alone => Path::unknown(format!("{error}: run unladen where it is")),
        Err(error @ PathError::Remote { .. }) => {
            Path::unknown(format!("{error}, and connections are not followed on other hosts"))
        }
        Err(error) => Path::unknown(error.to_string()),
    })
    .collect()
}
