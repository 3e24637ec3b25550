//! `unladen bill`: the command line, and what it resolves to.

use std::path::PathBuf;
use std::time::Duration;

use unladen_agent::SessionOptions;
use unladen_document::{BillDocument, Frees, Span};
use unladen_load::{Cancel, DriverConfig, Request, Statuses};
use unladen_probe::GroupBy;
use unladen_publish::visible_lines;
use unladen_report::{Ended, Report};
use unladen_traffic::{KindList, Traffic};

use crate::bill::{Measured, Options, Plan, measure, result};
use crate::cmd::keeping::KeepArgs;
use crate::cmd::sending::Sending;
use crate::cmd::showing::Showing;
use crate::cmd::values::{seed, share_of_a_core, some, some_time};
use crate::exit::Failure;
use crate::say::say;
use crate::weigh::{self, Budget};
use crate::{interrupt, output};

/// Statuses that traffic is made of; a failed request is not what the log has.
const STATUSES: &str = "200-399";
/// Kinds whose waste is looked for: those with at least this part of the CPU, and how many.
const LOOKED: (f64, usize) = (0.05, 3);

/// Tell what a whole site's traffic costs, by kind of page and by kind of client
///
/// Reads access logs, learns which kinds of pages there are, and weighs what a request of each kind costs on this
/// server: the cost of a kind times its requests is its part of the bill. Only GET requests of the log are sent, none
/// that looks like a change, without anybody's cookies, and within a bound of load.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    sudo unladen bill --access-log '/var/log/nginx/access.log*' http://127.0.0.1/\n  \
    unladen bill --plan --access-log access.log http://127.0.0.1/     # what would be sent\n  \
    sudo unladen bill --load 50% -t 5min --access-log access.log http://localhost/")]
pub(super) struct Args {
    /// The site, where its requests are sent
    #[arg(value_name = "URL")]
    url: String,
    /// An access log: combined, common, or nginx's JSON; also gzip and zstd; a pattern such as 'access.log*'; - is standard
    /// input; may be repeated
    #[arg(long, value_name = "FILE", required = true, conflicts_with_all = ["method", "data", "data_raw"])]
    access_log: Vec<String>,
    /// Print what would be sent, and send nothing
    #[arg(long)]
    plan: bool,

    /// A file of kinds, as --write-kinds writes it
    #[arg(long, value_name = "FILE", help_heading = "Kinds")]
    kinds: Option<PathBuf>,
    /// Write the kinds that were learned, with examples, to look at and to adjust
    #[arg(long, value_name = "FILE", help_heading = "Kinds")]
    write_kinds: Option<PathBuf>,
    /// How many kinds are weighed, the most frequent ones
    #[arg(long, value_name = "N", value_parser = some, default_value = "24", help_heading = "Kinds")]
    most_kinds: u64,

    /// How long to measure [default: 1 to 3 min, longer where the kinds need it]
    #[arg(short, long, alias = "duration", value_name = "TIME", value_parser = some_time, help_heading = "How long")]
    time: Option<Duration>,
    /// The most CPU that measuring adds, as a share of one core
    #[arg(long, value_name = "PERCENT", value_parser = share_of_a_core, default_value = "25%", help_heading = "How to send")]
    load: f64,
    #[command(flatten)]
    sending: Sending,
    /// Repeat the order of an earlier run
    #[arg(long, value_name = "N", value_parser = seed, help_heading = "How to measure")]
    seed: Option<u64>,
    /// Do not look for waste in the dearest kinds
    #[arg(long, help_heading = "What to look for")]
    no_findings: bool,

    #[command(flatten)]
    showing: Showing,
    #[command(flatten)]
    keep: KeepArgs,
}

pub(super) fn run(args: Args, typed: &[String]) -> Result<(), Failure> {
    args.showing.check(false)?;
    if let Some(file) = &args.write_kinds {
        output::check(file)?;
    }
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(..1 << 32));
    let files = args.files()?;
    let traffic = Traffic::read(&files, &args.reading(seed)?).map_err(|error| Failure::Usage(error.to_string()))?;
    let passed: u64 = traffic.passed_over.iter().map(|(_, lines)| lines).sum();
    if passed > 0 {
        let reasons: Vec<String> =
            traffic.passed_over.iter().map(|(reason, lines)| format!("{lines} {}", reason.about())).collect();
        say!("unladen: {passed} of {} lines passed over: {}", traffic.lines, reasons.join(", "));
    }
    if let Some(file) = &args.write_kinds {
        output::whole_file(file, |out| out.write_all(traffic.kinds_text().as_bytes()))?;
    }
    let plan = Plan::of(&traffic, usize::try_from(args.most_kinds).unwrap_or(usize::MAX));
    if plan.kinds.is_empty() {
        return Err(Failure::CannotMeasure(format!("nothing to weigh: {}", told(&plan))));
    }
    if args.plan {
        return Ok(output::line(visible_lines(&planned(&traffic, &plan, args.load)).trim_end())?);
    }
    let options = args.options(&plan, seed)?;
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let mut keeper = args.keep.clone().keeper(typed, args.showing.quiet)?;
    keeper.origin.set_seed(seed);
    let cancel = interrupt::on_signal()?;
    let measured = measure(&plan, &options, &cancel)?;
    let mut bill = result((&traffic, &names), &plan, &options, &measured)?;
    bill.target.clone_from(&args.url);
    if !args.no_findings && !cancel.is_cancelled() {
        args.look(&plan, &options, &mut bill, &cancel);
    }
    bill.about.complete(keeper.origin.about());
    args.showing.show_and_keep(Report::Bill(&bill), &keeper, || None)?;
    match measured {
        Measured { failure: Some(failure), .. } => Err(failure),
        Measured { ended: Ended::Interrupted, .. } => Err(Failure::Interrupted { shown: true }),
        Measured { .. } => Ok(()),
    }
}

/// What is not weighed, in a line.
fn told(plan: &Plan) -> String {
    let rows: Vec<String> = plan.not_weighed.iter().take(5).map(|row| format!("{} ({})", row.what, row.why)).collect();
    rows.join("; ")
}

/// The plan, for people.
fn planned(traffic: &Traffic, plan: &Plan, load: f64) -> String {
    let share = |requests: u64| 100.0 * requests as f64 / traffic.entries.max(1) as f64;
    let mut text = format!(
        "{} requests of the log. Of each of {} kinds some hundred GET requests would be sent, one at a time and without \
         cookies; they take {:.0} % of one core at most (--load), for 1 to 3 min, or as long as six stretches of each \
         kind need.\n\n",
        traffic.entries,
        plan.kinds.len(),
        100.0 * load,
    );
    for kind in &plan.kinds {
        text += &format!("{:>5.1} %  {}\n", share(kind.requests), kind.name);
        for (url, _) in kind.urls.iter().take(2) {
            text += &format!("            {url}\n");
        }
    }
    if !plan.not_weighed.is_empty() {
        text += "\nnot weighed\n";
        for row in &plan.not_weighed {
            text += &format!("{:>5.1} %  {}: {}\n", share(row.requests), row.what, row.why);
        }
    }
    if !traffic.changes.is_empty() {
        text += "\nnever sent, as it looks like a change\n";
        for change in &traffic.changes {
            text += &format!("{:>5.1} %  {}: {}\n", share(change.requests), change.reason, change.example);
        }
    }
    text
}

impl Args {
    fn files(&self) -> Result<Vec<PathBuf>, Failure> {
        let mut files = Vec::new();
        for pattern in &self.access_log {
            let found = unladen_traffic::expand(pattern)
                .map_err(|error| Failure::Usage(format!("--access-log {pattern}: {error}")))?;
            files.extend(found);
        }
        Ok(files)
    }

    fn reading(&self, seed: u64) -> Result<unladen_traffic::Options, Failure> {
        let mut options = unladen_traffic::Options { seed, ..unladen_traffic::Options::default() };
        if let Some(file) = &self.kinds {
            let named = KindList::read(file).map_err(|error| Failure::Usage(error.to_string()))?;
            options.kinds = named.or(options.kinds);
        }
        Ok(options)
    }

    fn options(&self, plan: &Plan, seed: u64) -> Result<Options, Failure> {
        let site = self.sending.dress(Request::get(&self.url)?, None)?;
        let url = site.url().as_str();
        let request =
            |target: &String| self.sending.dress(Request::get(url)?.target(target)?.named(target.as_str()), None);
        let urls = plan.kinds.iter().flat_map(|kind| &kind.urls);
        let requests = urls.map(|(target, _)| request(target)).collect::<Result<Vec<_>, Failure>>()?;
        let mut driver = DriverConfig { keep_cookies: false, ..self.sending.driver(requests)? };
        if driver.expect.statuses == Statuses::default() {
            driver.expect.statuses = STATUSES.parse().unwrap_or_default();
        }
        let (time, load, quiet) = (self.time, self.load, self.showing.quiet);
        Ok(Options { driver, group_by: GroupBy::Auto, time, load, seed, quiet })
    }

    /// Looks for waste on the most frequent URL of the dearest kinds; what hinders that is a warning.
    fn look(&self, plan: &Plan, options: &Options, bill: &mut BillDocument, cancel: &Cancel) {
        let (least, most) = LOOKED;
        let rows: Vec<usize> =
            (0..bill.kinds.len()).filter(|at| bill.kinds[*at].cpu_share.low >= least).take(most).collect();
        let mut requests = Vec::new();
        let mut looked = Vec::new();
        for row in rows {
            let before = plan.kinds.iter().take_while(|kind| kind.name != bill.kinds[row].kind);
            let first: usize = before.map(|kind| kind.urls.len()).sum();
            if let Some(request) = options.driver.requests.get(first) {
                requests.push(request.clone());
                looked.push(row);
            }
        }
        if looked.is_empty() {
            return;
        }
        let weighing = weigh::Options {
            driver: DriverConfig { requests, ..options.driver.clone() },
            budget: Budget { time: None, requests: None, until: None },
            phase: None,
            settle: None,
            hosts: Vec::new(),
            session: SessionOptions::default(),
            exporters: Vec::new(),
            group_by: options.group_by,
            seed: options.seed,
            inside: true,
            restart: None,
            quiet: options.quiet,
        };
        let pages = match weigh::weigh(weighing, cancel) {
            Ok(outcome) => outcome.result.pages,
            Err(error) => {
                bill.warnings.push(format!("The dearest kinds were not examined for waste: {error}."));
                return;
            }
        };
        for (row, page) in looked.into_iter().zip(pages) {
            let Some(inside) = page.inside else { continue };
            let kind = &mut bill.kinds[row];
            let mut rules: Vec<String> = Vec::new();
            for finding in inside.findings {
                if !rules.contains(&finding.rule) {
                    rules.push(finding.rule.clone());
                }
                if let Some(most) = finding.saves.at_most {
                    let what = format!("{} on {}", finding.rule, kind.kind);
                    let share = most * kind.cpu_share.high;
                    let cpu_share = Span { value: share, low: 0.0, high: share };
                    bill.frees.push(Frees { what, cpu_share, is_bound: true });
                }
                bill.findings.push(finding);
            }
            kind.carries = Some(rules);
        }
        bill.frees.sort_by(|a, b| b.cpu_share.value.total_cmp(&a.cpu_share.value));
    }
}
