//! `unladen bill`: the command line, and what it resolves to.

use std::io::Read;
use std::path::PathBuf;
use std::time::Duration;

use unladen_document::Gate;
use unladen_load::{Cancel, Driver, Request, Statuses};
use unladen_probe::GroupBy;
use unladen_publish::visible_lines;
use unladen_report::{Ended, Report};
use unladen_traffic::{KindList, Traffic};

use crate::bill::{Measured, Options, Plan, SUMS, ShareGate, Way, listed, look, measure, of_sitemap, result};
use crate::cmd::fail_on::FailOn;
use crate::cmd::keeping::KeepArgs;
use crate::cmd::sending::Sending;
use crate::cmd::showing::Showing;
use crate::cmd::values::{seed, share_of_a_core, some, some_time};
use crate::cmd::weigh::COLD_START;
use crate::exit::Failure;
use crate::say::say;
use crate::{interrupt, output};

/// Statuses that traffic is made of; each kind has its own of these, and another failed request is not what the log has.
const STATUSES: &str = "200-399,404,410";
/// Of a sitemap, by the protocol.
const MOST_BYTES: u64 = 50 << 20;

/// Tell what a whole site's traffic costs, by kind of page and by kind of client
///
/// Reads access logs, learns which kinds of pages there are, and weighs what a request of each kind costs on this
/// server: the cost of a kind times its requests is its part of the bill. Only GET requests of the log are sent, none
/// that looks like a change, with nobody's cookies, and within a bound of load.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    sudo unladen bill --access-log '/var/log/nginx/access.log*' http://127.0.0.1/\n  \
    unladen bill --plan --access-log access.log http://127.0.0.1/     # what would be sent\n  \
    sudo unladen bill --sitemap http://127.0.0.1/sitemap.xml http://127.0.0.1/\n  \
    sudo unladen bill --load 50% -t 5min --access-log access.log http://localhost/")]
pub(super) struct Args {
    /// The site, where its requests are sent
    #[arg(value_name = "URL")]
    url: String,
    /// An access log: combined, common, nginx's JSON, PHP-FPM's; also gzip and zstd; a pattern such as 'access.log*'; - is
    /// standard input; may be repeated
    #[arg(long, value_name = "FILE", required_unless_present_any = ["urls", "sitemap"], conflicts_with_all = ["method", "data", "data_raw"])]
    access_log: Vec<String>,
    /// Without a log: a list of URLs, one a line, with a weight in front where they are not asked for alike; paths and
    /// queries count, and are sent to URL
    #[arg(long, value_name = "FILE", conflicts_with_all = ["access_log", "method", "data", "data_raw"])]
    urls: Option<PathBuf>,
    /// Without a log: each page of this sitemap once, a file or an address
    #[arg(long, value_name = "URL", conflicts_with_all = ["access_log", "urls", "method", "data", "data_raw"])]
    sitemap: Option<String>,
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
    /// Weigh what the log's cache hits cost and what its misses cost apart: for a miss, each request has another value in
    /// its query
    #[arg(long, requires = "access_log", help_heading = "How to send")]
    past_cache: bool,
    #[command(flatten)]
    sending: Sending,
    /// Repeat the order of an earlier run
    #[arg(long, value_name = "N", value_parser = seed, help_heading = "How to measure")]
    seed: Option<u64>,
    /// Do not look for waste in the dearest kinds
    #[arg(long, help_heading = "What to look for")]
    no_findings: bool,
    /// Exit with code 8 if a kind or a client takes more of the CPU than this ('/wiki/{title} > 40%'), if all take more of
    /// the machine ('machine > 80%'), or if a rule finds something in the dearest kinds (its name, or `any`); may be repeated
    #[arg(long, value_name = "CONDITION", help_heading = "What to look for")]
    fail_on: Vec<String>,
    /// Fail also if it is undecided whether a condition of --fail-on is met
    #[arg(long, requires = "fail_on", help_heading = "What to look for")]
    strict: bool,

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
    let (shares, rules) = args.gates()?;
    let (traffic, names) = args.traffic(&args.reading(seed)?)?;
    let passed: u64 = traffic.passed_over.iter().map(|(_, lines)| lines).sum();
    if passed > 0 {
        let reasons: Vec<String> =
            traffic.passed_over.iter().map(|(reason, lines)| format!("{lines} {}", reason.about())).collect();
        say!("unladen: {passed} of {} lines passed over: {}", traffic.lines, reasons.join(", "));
    }
    if let Some(file) = &args.write_kinds {
        output::whole_file(file, |out| out.write_all(traffic.kinds_text().as_bytes()))?;
    }
    if args.past_cache && !traffic.kinds.iter().any(|kind| kind.cache.hits + kind.cache.misses > 0) {
        let why = "--past-cache: the log does not say which requests a cache answered (nginx: $upstream_cache_status in \
                   log_format; Varnish: %{Varnish:hitmiss}x; or the field Cache-Status)";
        return Err(Failure::Usage(why.to_owned()));
    }
    let most = usize::try_from(args.most_kinds).unwrap_or(usize::MAX);
    let mut plan = Plan::of(&traffic, most, args.past_cache);
    if plan.kinds.is_empty() {
        return Err(Failure::CannotMeasure(format!("nothing to weigh: {}", plan.left_out())));
    }
    if args.plan && args.showing.json {
        return Err(Failure::Usage("--plan is a text: --json has what was measured".to_owned()));
    }
    if args.plan {
        return Ok(output::line(visible_lines(&plan.text(&traffic, args.load)).trim_end())?);
    }
    for share in &shares {
        let kinds = plan.kinds.iter().map(|kind| kind.name.as_str());
        let names = kinds.chain(traffic.clients.iter().map(|client| client.name.as_str())).chain(SUMS);
        share.check(names, traffic.from < traffic.to).map_err(Failure::Usage)?;
    }
    let options = args.options(&plan, seed)?;
    let mut keeper = args.keep.clone().keeper(typed, args.showing.quiet)?;
    keeper.origin.set_seed(seed);
    let cancel = interrupt::on_signal()?;
    let measured = measure(&mut plan, &options, &cancel)?;
    let mut bill = result((&traffic, &names), &plan, &options, &measured)?;
    bill.target.clone_from(&args.url);
    let seen = match args.no_findings || cancel.is_cancelled() {
        true => Vec::new(),
        false => look(&plan, &options, &measured, &mut bill, &cancel),
    };
    bill.gates = shares.iter().map(|share| share.judge(&bill)).collect();
    bill.gates.extend(rules.gates_of(&seen, "no kind was examined"));
    if args.strict {
        Gate::be_strict(&mut bill.gates);
    }
    bill.about.complete(keeper.origin.about());
    args.showing.show_and_keep(Report::Bill(&bill), &keeper, || None)?;
    match measured {
        Measured { failure: Some(failure), .. } => Err(failure),
        Measured { ended: Ended::Interrupted, .. } => Err(Failure::Interrupted { shown: true }),
        Measured { .. } => match bill.gates.iter().find(|gate| gate.broken) {
            Some(gate) => Err(Failure::Gate(format!("{}: {}", gate.condition, gate.found))),
            None => Ok(()),
        },
    }
}

impl Args {
    /// Conditions on shares, and rules.
    fn gates(&self) -> Result<(Vec<ShareGate>, FailOn), Failure> {
        let (mut shares, mut rules) = (Vec::new(), Vec::new());
        for condition in &self.fail_on {
            match ShareGate::read(condition).map_err(Failure::Usage)? {
                Some(share) => shares.push(share),
                None if condition == COLD_START => {
                    let why = "looks at a fresh process: `unladen weigh --restart COMMAND` does";
                    return Err(Failure::Usage(format!("--fail-on {COLD_START} {why}")));
                }
                None => rules.push(condition.clone()),
            }
        }
        let known = FailOn::of(&rules, false)?;
        match self.no_findings && !rules.is_empty() {
            true => Err(Failure::Usage("--fail-on RULE looks for waste, and --no-findings does not".to_owned())),
            false => Ok((shares, known)),
        }
    }

    /// The traffic, and the names of where it is from.
    fn traffic(&self, options: &unladen_traffic::Options) -> Result<(Traffic, Vec<String>), Failure> {
        if let Some(list) = &self.urls {
            return Ok((listed(list, options)?, vec![list.display().to_string()]));
        }
        if let Some(sitemap) = &self.sitemap {
            let traffic = of_sitemap(sitemap, options, |map| self.sitemap(sitemap, map))?;
            return Ok((traffic, vec![sitemap.clone()]));
        }
        let files = self.files()?;
        let traffic = Traffic::read(&files, options).map_err(|error| Failure::Usage(error.to_string()))?;
        Ok((traffic, files.iter().map(|file| file.display().to_string()).collect()))
    }

    /// The bytes of a sitemap, or of one that it names by `map`, a target of the same server.
    fn sitemap(&self, first: &str, map: &str) -> Result<Vec<u8>, Failure> {
        if map == first && !first.contains("://") {
            let read = std::fs::File::open(first).and_then(|file| {
                let mut bytes = Vec::new();
                file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map(|_| bytes)
            });
            return read.map_err(|error| Failure::Usage(format!("cannot read the sitemap {first}: {error}")));
        }
        let server = if first.contains("://") { first } else { &self.url };
        let request = Request::get(server)?;
        let request = if map == first { request } else { request.target(map)? };
        let mut driver = Driver::start(self.sending.driver(vec![self.sending.dress(request, None)?])?)?;
        Ok(driver.fetch(0, usize::try_from(MOST_BYTES).unwrap_or(usize::MAX), &Cancel::new())?.body_start.to_vec())
    }

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
        let request = |target: &String, way: Way| {
            let request = Request::get(url)?.target(target)?.named(target.as_str());
            self.sending.dress(request.past_cache(way == Way::PastCache), None)
        };
        let urls = plan.kinds.iter().flat_map(|kind| kind.urls.iter().map(|(target, _)| (target, kind.way)));
        let requests = urls.map(|(target, way)| request(target, way)).collect::<Result<Vec<_>, Failure>>()?;
        let mut driver = self.sending.driver(requests)?;
        let is_by_kind = driver.expect.statuses == Statuses::default();
        if is_by_kind {
            driver.expect.statuses = STATUSES.parse().unwrap_or_default();
        }
        let (time, load, quiet) = (self.time, self.load, self.showing.quiet);
        Ok(Options { driver, is_by_kind, group_by: GroupBy::Auto, time, load, seed, quiet })
    }
}
