//! The principal type is [`Page`]: whether a page can be reached, and who serves it.

use std::time::Duration;

use unladen_load::{Cancel, Driver, DriverConfig, Request};
use unladen_path::{PathError, Route, follow, master, name_of};

use crate::doctor::asked::Asked;
use crate::doctor::check::Check;
use crate::doctor::row::{Row, Verb};
use crate::doctor::shell::AS_ROOT;

pub(crate) struct Page;

/// Limit of the page and the few requests that show its way, together.
const LIMIT: Duration = Duration::from_secs(10);
const TIMEOUT: Duration = Duration::from_secs(5);

impl Check for Page {
    fn name(&self) -> &'static str {
        "url"
    }

    fn verbs(&self) -> &'static [Verb] {
        Verb::MEASURING
    }

    fn limit(&self) -> Duration {
        LIMIT
    }

    fn is_late(&self) -> bool {
        true
    }

    fn look(&self, asked: &Asked) -> Vec<Row> {
        asked.page.as_ref().map(rows).unwrap_or_default()
    }
}

fn rows(page: &Request) -> Vec<Row> {
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
            .so("run unladen where it is, or name that host: weigh --host NAME='ssh HOST'"),
        Err(error) => Row::limited(Verb::LOOKING, format!("who it goes through cannot be seen: {error}")),
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
        "it is served by a process that cannot be seen".to_owned()
    } else {
        format!("it goes through {}", stations.join(", then "))
    };
    match &route.unknown {
        None => Row::ok(Verb::LOOKING, through),
        Some(unknown) => {
            let row =
                Row::limited(Verb::LOOKING, through).so(format!("the rest of its way is not known: {}", unknown.why));
            if unknown.takes.is_empty() { row } else { row.fix(AS_ROOT) }
        }
    }
}
