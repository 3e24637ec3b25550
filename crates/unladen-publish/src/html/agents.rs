//! [`agents`]: the hosts that sent a load or an experiment.

use unladen_document::LoadAgent;
use unladen_quantity::{Kind, grouped, plain};

use super::table::{Cell, Table};
use super::words::Words;

pub(super) fn agents(agents: &[LoadAgent]) -> Table {
    let mut table = Table::new(
        "The hosts that sent them",
        &["host", "by", "#requests", "#send lag p50", "#send lag p99", "#CPU", "#start", "#round trip", "fit"],
    );
    let quantile = |value: Option<&u64>| {
        value.map_or(Cell::default(), |ns| Cell::new(plain(Kind::Time, *ns as f64)).by(*ns as f64))
    };
    for agent in agents {
        let lag = |key: &str| quantile(agent.send_lag_ns.as_ref().and_then(|lag| lag.get(key)));
        let fit = match &agent.lost {
            Some(lost) => {
                let at = plain(Kind::Time, lost.at_ns as f64);
                Words::new().mark("bad", format!("lost after {at}")).plain(format!(": {}", lost.why))
            }
            None if agent.fit => Words::new().mark("good", "yes"),
            None => Words::new().mark("bad", "no"),
        };
        table.row([
            Words::new().name(agent.name.clone()).into(),
            Words::new().name(agent.command.clone()).into(),
            Cell::new(grouped(agent.requests as f64, 0)).by(agent.requests as f64),
            lag("p50"),
            lag("p99"),
            quantile(agent.cpu_ns.as_ref()),
            Cell::new(format!("±{}", plain(Kind::Time, agent.start_uncertainty_ns as f64))),
            quantile(Some(&agent.round_trip_ns)),
            fit.into(),
        ]);
    }
    table
}
