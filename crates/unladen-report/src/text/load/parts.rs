//! Parts of a load: the steps of the schedule, the requests of the mix.

use std::io::{self, Write};

use unladen_quantity::{Kind, grouped, lasting, plain, short};

use super::latency::{cell, named};
use crate::latency::Latency;
use crate::load::{ByRequest, StepResult};
use crate::style::Style;
use crate::text::table::{Grid, warn};

/// Quantiles that fit.
const SHOWN: [&str; 3] = ["p50", "p95", "p99"];

pub(super) fn steps(steps: &[StepResult], style: Style, out: &mut dyn Write) -> io::Result<()> {
    if steps.is_empty() {
        return Ok(());
    }
    let mut table = grid("step");
    for step in steps {
        let rate = |rate| short(Kind::Count, rate);
        let pace = if step.from == step.to {
            format!("{}/s", rate(step.from))
        } else {
            format!("{} to {}/s", rate(step.from), rate(step.to))
        };
        table.row(row(format!("{pace}, {}", lasting(step.time)), step.requests, step.errors, step.latency.as_ref()));
    }
    table.write(style, out)
}

pub(super) fn requests(requests: &[ByRequest], style: Style, out: &mut dyn Write) -> io::Result<()> {
    if requests.is_empty() {
        return Ok(());
    }
    let mut table = grid("request");
    for by in requests {
        table.row(row(by.name.clone(), by.requests, by.errors, by.latency.as_ref()));
    }
    table.write(style, out)
}

fn grid(first: &str) -> Grid {
    let mut headings = vec![first, "answered", "failed"];
    headings.extend(SHOWN);
    headings.push("mean");
    Grid::new(&headings).expendable(&[6, 4])
}

fn row(name: String, requests: u64, errors: u64, latency: Option<&Latency>) -> Vec<String> {
    let failed = grouped(errors as f64, 0);
    let mut row = vec![name, grouped(requests as f64, 0), if errors > 0 { warn(&failed) } else { failed }];
    row.extend(
        SHOWN.map(|name| {
            latency.and_then(|latency| named(latency, name)).map_or(String::new(), |of| cell(of, requests))
        }),
    );
    row.push(latency.map_or(String::new(), |latency| plain(Kind::Time, latency.mean)));
    row
}
