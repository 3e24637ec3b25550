//! `unladen runs trend`.

use std::path::PathBuf;

use unladen_compare::{Series, Trend, trend};
use unladen_publish::{columns, html, visible};
use unladen_quantity::{Kind, plain, with_sign};
use unladen_store::{Filter, Mode};

use crate::cmd::runs::find::Place;
use crate::exit::Failure;
use crate::output;
use crate::runs::past;

/// Show how a target's figures developed over its runs, and where they changed
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The target, as `unladen runs` shows it; a part of it is enough if only one target matches
    #[arg(value_name = "URL")]
    target: String,
    /// Runs of this command [default: that of the newest run]
    #[arg(long, value_name = "COMMAND", value_parser = ["weigh", "load", "prove", "profile"])]
    verb: Option<String>,
    /// Only metrics with this text in their name, such as latency or `weight.cpu`
    #[arg(long, value_name = "TEXT")]
    metric: Option<String>,
    /// How many runs, the newest first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1000), default_value_t = 200)]
    limit: u32,
    /// Write JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Write a page with plots
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    place: Place,
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    args.html.iter().try_for_each(|file| output::check(file))?;
    let mut store = args.place.open(Mode::ReadOnly)?;
    // An exact match first, else a partial one.
    let exact =
        Filter { exact_target: Some(args.target.clone()), verb: args.verb.clone(), limit: 1, ..Filter::default() };
    let partly = Filter { target: Some(args.target.clone()), exact_target: None, ..exact.clone() };
    let found = match store.list(&exact)?.into_iter().next() {
        Some(found) => Some(found),
        None => store.list(&partly)?.into_iter().next(),
    };
    let Some(newest) = found else {
        return Err(Failure::Usage(format!(
            "no run of `{}` in {}: `unladen runs` lists them",
            args.target,
            store.shown()
        )));
    };
    let history = past(store.as_mut(), &newest.verb, &newest.target, args.limit)?;
    let mut trend = trend(&history);
    if let Some(part) = &args.metric {
        trend.series.retain(|series| series.metric.contains(part.as_str()));
    }
    if let Some(file) = &args.html {
        output::whole_file(file, |out| {
            out.write_all(html::trend_page(&trend, &html::PageOptions::default()).as_bytes())
        })?;
    }
    if args.json {
        return Ok(output::line(&serde_json::to_string_pretty(&trend).unwrap_or_default())?);
    }
    if args.html.is_some() { Ok(()) } else { Ok(output::line(text(&trend, args.metric.is_some()).trim_end())?) }
}

/// The metrics that a page is judged by first, and all that changed.
fn text(trend: &Trend, all: bool) -> String {
    let mut text = visible(&format!("{} {}: {} runs", trend.verb, trend.target, trend.runs.len()));
    text.push('\n');
    let shown = |series: &&Series| all || series.headline || !series.changes.is_empty();
    let rows: Vec<Vec<String>> = trend.series.iter().filter(shown).map(|series| row(trend, series)).collect();
    if rows.is_empty() {
        text.push_str("no metric is in more than one run\n");
    } else {
        text.push('\n');
        text.push_str(&columns(
            &["metric", "runs", "first", "last", "changed"],
            &rows,
            &[false, true, true, true, false],
        ));
    }
    if trend.series.iter().any(|series| shown(&series) && series.in_reference_units) {
        text.push_str("* at the machine's speed in the latest run, by its reference work\n");
    }
    for warning in &trend.warnings {
        text.push_str(&format!("\n{}\n", visible(warning)));
    }
    text
}

fn row(trend: &Trend, series: &Series) -> Vec<String> {
    let figure = |value: Option<f64>| value.map(|value| plain(Kind::of_unit(&series.unit), value)).unwrap_or_default();
    let name = |at: usize| {
        let run = trend.runs.get(at);
        let id = run.and_then(|run| run.id.as_deref()).unwrap_or("?");
        match run.and_then(|run| run.commit.as_deref()) {
            Some(commit) => format!("run {id} ({})", commit.chars().take(8).collect::<String>()),
            None => format!("run {id}"),
        }
    };
    let changes: Vec<String> = series
        .changes
        .iter()
        .map(|change| {
            let by = if series.is_ratio {
                let of = change.change;
                let [value, low, high] = [of.value, of.low, of.high].map(|ratio| with_sign(ratio - 1.0));
                format!("{value} % ({low} to {high})")
            } else {
                plain(Kind::of_unit(&series.unit), change.change.value)
            };
            format!("{} by {by} at {}", change.verdict, name(change.first_after))
        })
        .collect();
    let url =
        if series.url.is_empty() || series.url == trend.target { String::new() } else { format!(" {}", series.url) };
    vec![
        format!("{}{url}{}", series.name(), if series.in_reference_units { " *" } else { "" }),
        series.points.len().to_string(),
        figure(series.points.first().map(|point| point.value)),
        figure(series.points.last().map(|point| point.value)),
        match changes.as_slice() {
            [] if trend.is_looked_at() => "no".to_owned(),
            [] => "unclear: too few runs".to_owned(),
            changes => changes.join("; "),
        },
    ]
}

#[cfg(test)]
mod tests;
