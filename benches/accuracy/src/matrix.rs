//! `findings`: the faults of `subjects/pledges`, one by one, and the table of what is found.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

use unladen_accuracy::Table;
use unladen_accuracy::document::put;
use unladen_accuracy::findings::{BASE, Fault, Look, Pledges, Row, faults};
use unladen_accuracy::real::Binaries;

use crate::interrupt::go_on;

/// The name of the variant that takes away what is found in the page as it is.
const LEAN: &str = "lean";

/// Runs of one row: besides what else a machine does, a few seconds may be too short to see who follows.
const MOST_RUNS: u32 = 4;
/// The page's processes have nothing to do for long after an answer.
const SETTLE: Duration = Duration::from_millis(25);

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only these faults, besides the page without any; the document stays as it is
    #[arg(long, value_name = "FAULT", value_delimiter = ',')]
    only: Vec<String>,
    /// How long each is weighed before it is looked into
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, default_value = "6s")]
    time: Duration,
    /// Length of the phases: a busy machine has many groups, and takes many blocks to tell who follows
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, default_value = "125ms")]
    phase: Duration,
    /// Keep what was seen of each in this folder
    #[arg(long, value_name = "FOLDER")]
    record: Option<PathBuf>,
}

/// Whether each fault is found, and nothing else.
pub(crate) fn prove(args: &Args, document: &Path) -> Result<bool, Box<dyn Error>> {
    let all = faults()?;
    if let Some(unknown) = args.only.iter().find(|only| all.iter().all(|fault| fault.name != **only)) {
        return Err(format!("no such fault: {unknown} (see: subjects/pledges/run faults)").into());
    }
    if let Some(folder) = &args.record {
        std::fs::create_dir_all(folder)?;
    }
    let binaries = Binaries::build()?;
    let subject = Pledges::start()?;
    let base = row(args, &binaries, &subject, None)?;
    let mut rows = vec![base.clone()];
    for fault in all.iter().filter(|fault| args.only.is_empty() || args.only.contains(&fault.name)) {
        go_on()?;
        rows.push(row(args, &binaries, &subject, Some(fault))?);
    }
    drop(subject);

    let text = report(&rows, &base);
    eprintln!("{text}");
    if args.only.is_empty() {
        put(document, "findings", &text)?;
    }
    Ok(rows.iter().all(|row| row.is_found(&base) && row.others().is_empty()))
}

fn row(args: &Args, binaries: &Binaries, subject: &Pledges, fault: Option<&Fault>) -> Result<Row, Box<dyn Error>> {
    let name = fault.map_or(BASE, |fault| &fault.name);
    subject.only(fault.map(|fault| fault.name.as_str()))?;
    let record = args.record.as_ref().map(|folder| folder.join(format!("{name}.json")));
    let mut look = Look { time: args.time, phase: args.phase, settle: SETTLE, record: record.as_deref() };
    // Of a page from nginx's cache PHP does nothing.
    let answers = if name == LEAN { "nginx" } else { "php-fpm" };
    let mut runs = 1;
    let looked = loop {
        let why = match look.at(subject.url(), binaries) {
            Ok(looked) if looked.saw(answers) => break looked,
            Ok(_) => format!("it was not seen that {answers} follows"),
            Err(error) if runs == MOST_RUNS => return Err(error.into()),
            Err(error) => error.to_string(),
        };
        if runs == MOST_RUNS {
            return Err(format!("{name}: {why} in {runs} runs: try when less else runs").into());
        }
        eprintln!("{name}: {}; again, for longer", why.trim_end());
        (look.time, look.phase) = (look.time * 2, look.phase * 2);
        runs += 1;
    };
    let row = Row {
        name: name.to_owned(),
        rule: fault.and_then(|fault| fault.rule.clone()),
        found: looked.found,
        lean: name == LEAN,
        runs,
    };
    for found in &row.found {
        eprintln!("{name}: {} [{}] {}", found.rule, found.group, found.summary);
    }
    if row.found.is_empty() {
        eprintln!("{name}: nothing");
    }
    Ok(row)
}

fn report(rows: &[Row], base: &Row) -> String {
    let mut table = Table::new(["fault", "its rule", "fires", "of the request", "others that fire", "as without it"]);
    let list = |rules: Vec<&str>| if rules.is_empty() { "–".to_owned() } else { rules.join(", ") };
    for row in rows {
        let others = row.others();
        let fires = match &row.rule {
            None => "–",
            Some(_) if row.is_found(base) => "yes",
            Some(_) => "**no**",
        };
        let is_own = |rule: &&str| row.rule.as_deref() == Some(*rule);
        let before: Vec<&str> =
            row.rules().into_iter().filter(|rule| !others.contains(rule) && !is_own(rule)).collect();
        table.row([
            row.name.clone(),
            row.rule.clone().unwrap_or_else(|| "–".into()),
            fires.into(),
            row.own().map_or_else(|| "–".into(), |found| found.share()),
            list(others),
            list(before),
        ]);
    }
    let faults = rows.iter().filter(|row| row.rule.is_some());
    let found = faults.clone().filter(|row| row.is_found(base)).count();
    let others = rows.iter().filter(|row| !row.others().is_empty()).count();
    let again = rows.iter().filter(|row| row.runs > 1).count();
    let again = match again {
        0 => String::new(),
        _ => format!(" {again} took more than one run until it was seen that PHP follows."),
    };
    format!(
        "{table}\n{found} of {} faults are found by their own rule; in {others} of {} rows another rule fires besides.{again}\n",
        faults.count(),
        rows.len()
    )
}
