//! [`agents`]: the hosts that sent a load or an experiment.

use unladen_document::LoadAgent;
use unladen_quantity::{Kind, grouped, plain};

use super::inert::code;
use super::sheet::{Sheet, Table};

pub(super) fn agents(agents: &[LoadAgent], sheet: &mut Sheet) {
    let mut table = Table::new(&["sent from ", "requests", "send lag p50", "p99", "CPU", "start", "fit "]);
    let time = |ns: Option<u64>| ns.map(|ns| plain(Kind::Time, ns as f64)).unwrap_or_default();
    for agent in agents {
        let lag = |key: &str| time(agent.send_lag_ns.as_ref().and_then(|lag| lag.get(key).copied()));
        table.row(vec![
            code(&agent.name),
            grouped(agent.requests as f64, 0),
            lag("p50"),
            lag("p99"),
            time(agent.cpu_ns),
            format!("±{}", time(Some(agent.start_uncertainty_ns))),
            match &agent.lost {
                Some(lost) => format!("**lost** after {}", time(Some(lost.at_ns))),
                None if agent.fit => "yes".to_owned(),
                None => "**no**".to_owned(),
            },
        ]);
    }
    sheet.table(&table);
}
