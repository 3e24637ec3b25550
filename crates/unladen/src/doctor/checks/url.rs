//! Whether a page can be reached, and who is trusted to certify that.

use std::time::Duration;

use unladen_load::{Cancel, Driver, DriverConfig, Request};
use unladen_path::{PathError, Route, follow, master, name_of};
use unladen_tls::system_certificates;

use crate::doctor::check::{Asked, Check};
use crate::doctor::row::{AS_ROOT, Row, Verb, as_root};

/// Limit of the page and the few requests that show its way, together.
const LIMIT: Duration = Duration::from_secs(10);
const TIMEOUT: Duration = Duration::from_secs(5);

/// Whether a page can be reached, and who serves it.
pub(super) const URL: Check = Check { limit: LIMIT, is_late: true, ..Check::new("url", Verb::MEASURING, url) };

fn url(asked: &Asked) -> Vec<Row> {
    asked.page.as_ref().map(of_page).unwrap_or_default()
}

fn of_page(page: &Request) -> Vec<Row> {
    let mut config = DriverConfig::new(vec![page.clone()]);
    (config.timeout, config.connect_timeout) = (TIMEOUT, TIMEOUT);
    let cancel = Cancel::new();
    let sampled = Driver::start(config.clone()).and_then(|mut driver| driver.sample(0, &cancel));
    let url = page.url();
    let mut rows = vec![match sampled {
        Ok(sample) => Row::ok(Verb::MEASURING, format!("{url} is answered ({})", sample.status)),
        Err(error) => return vec![Row::missing(Verb::MEASURING, error.to_string())],
    }];
    rows.push(match follow(&config, 0, &cancel) {
        Ok(route) => way(&route),
        Err(error @ PathError::Remote { .. }) => Row::limited(Verb::LOOKING, error.to_string())
            .so("run unladen on its server, or name that host: weigh --host NAME='ssh HOST'"),
        Err(error) => Row::limited(Verb::LOOKING, format!("its path cannot be seen: {error}")),
    });
    rows
}

fn way(route: &Route) -> Row {
    let stations: Vec<String> = route
        .stations
        .iter()
        .map(|station| match master(&station.pids) {
            Some(pid) => format!("{} at {}", name_of(pid), station.address),
            None => format!("an unknown process at {}", station.address),
        })
        .collect();
    let through = if stations.is_empty() {
        "the process that serves it cannot be seen".to_owned()
    } else {
        format!("it goes through {}", stations.join(", then "))
    };
    match &route.unknown {
        None => Row::ok(Verb::LOOKING, through),
        Some(unknown) => {
            let row =
                Row::limited(Verb::LOOKING, through).so(format!("the rest of its path is not known: {}", unknown.why));
            if unknown.takes.is_empty() { row } else { row.fix(AS_ROOT) }
        }
    }
}

/// Whose signatures make a certificate good.
pub(super) const AUTHORITIES: Check = Check::new("tls", Verb::ALL, authorities);

fn authorities(_: &Asked) -> Vec<Row> {
    vec![match system_certificates() {
        Ok(certificates) => Row::ok(Verb::ALL, format!("{} certificate authorities are trusted", certificates.len())),
        Err(error) => Row::missing(Verb::ALL, error.to_string())
            .so("no https:// address can be trusted without --cacert")
            .fix(as_root("apt-get install ca-certificates")),
    }]
}
