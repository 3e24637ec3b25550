//! `unladen purge`: what a running `serve` is to forget.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use unladen_serve_config::Config;

use crate::admin::written;
use crate::cmd::values::{admin_address, some_time};
use crate::exit::Failure;
use crate::output;
use crate::purge::{Patience, PurgeError, Spread, Wait, What, Wish, purge};
use crate::runs::{Origin, headed};

/// Make a running `unladen serve` forget stored pages
///
/// The purge is complete when this command ends: later requests get no page that was stored before. In a fleet ([fleet]
/// in the configuration), that holds for all nodes if the exit code is 0 and it waited for all; exit code 12 means that
/// not all have confirmed.
#[derive(Debug, clap::Args)]
#[command(
    group = clap::ArgGroup::new("where").required(true),
    group = clap::ArgGroup::new("what").required(true),
    after_help = "Examples:
  unladen purge /etc/unladen.toml --url https://example.org/pledge/7
  unladen purge --admin unix:/run/unladen/admin.sock --tag pledge-7 --tag index
  unladen purge --admin 127.0.0.1:9901 --all --soft   # revalidated before they are served again
  unladen purge /etc/unladen.toml --tag index --wait all --wait-for 2s --explain   # in a fleet

docs/reference/observability.md, in share/doc/unladen or the source, explains each."
)]
pub(super) struct Args {
    /// The configuration of the running `serve`, which names its admin address
    #[arg(value_name = "FILE", group = "where")]
    file: Option<PathBuf>,
    /// The admin address of the running `serve`: `127.0.0.1:9901`, `unix:/run/unladen/admin.sock`
    #[arg(long, value_name = "ADDRESS", value_parser = admin_address, group = "where")]
    admin: Option<String>,
    /// The same as FILE
    #[arg(long, value_name = "FILE", group = "where")]
    config: Option<PathBuf>,
    /// A page, as clients request it; without a scheme, for both http and https. May be repeated
    #[arg(long, value_name = "URL", group = "what")]
    url: Vec<String>,
    /// All pages whose URL begins with this. May be repeated
    #[arg(long, value_name = "URL", group = "what")]
    prefix: Vec<String>,
    /// All pages with this tag in Cache-Tag, Surrogate-Key or xkey. May be repeated
    #[arg(long, value_name = "TAG", group = "what")]
    tag: Vec<String>,
    /// Everything
    #[arg(long, group = "what")]
    all: bool,
    /// Keep the pages, but ask the application whether they are still good before they are served again
    #[arg(long)]
    soft: bool,
    /// Only pages of this site
    #[arg(long, value_name = "NAME")]
    site: Option<String>,
    /// In a fleet: which confirmations to wait for [default: as in [fleet]]
    #[arg(long, value_name = "WHO", value_enum)]
    wait: Option<Wait>,
    /// In a fleet: how long to wait for confirmations [default: as in [fleet]]
    #[arg(long, value_name = "TIME", value_parser = some_time)]
    wait_for: Option<Duration>,
    /// Show each node of the fleet: how soon it confirmed, or why it has not
    #[arg(long)]
    explain: bool,
    /// How long to wait for the answer
    #[arg(long, short_alias = 'm', alias = "max-time", value_name = "TIME", value_parser = some_time, default_value = "60s")]
    timeout: Duration,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: Args, typed: &[String]) -> Result<(), Failure> {
    let address = match (args.admin, args.file.or(args.config)) {
        (Some(address), _) => address,
        (None, Some(file)) => {
            let admin = Config::read(&file)?.settings.admin;
            let none = || PurgeError::NoAdmin(file.display().to_string());
            written(&admin.ok_or_else(none)?.listen)
        }
        (None, None) => {
            return Err(Failure::Usage("give the configuration of `unladen serve`, or --admin ADDRESS".to_owned()));
        }
    };
    let named = |kind, names: Vec<String>| {
        names.into_iter().map(move |name| (format!("{kind} {name}"), What::Named(kind, name)))
    };
    let meant = named("url", args.url).chain(named("prefix", args.prefix)).chain(named("tag", args.tag));
    let patience = Patience { wait: args.wait, longest: args.wait_for };
    let mut account = Account { purged: 0, told: Vec::new() };
    for (name, what) in meant.chain(args.all.then_some(("all".to_owned(), What::All))) {
        let wish = Wish { what, site: args.site.clone(), is_soft: args.soft, patience };
        let done = purge(&address, &wish, args.timeout)?;
        account.purged += done.purged;
        account.told.push((name, done.spread));
    }
    let text = match args.json {
        true => format!("{:#}", headed(account.document(), &Origin::of_words(typed).about())),
        false => account.text(args.explain),
    };
    output::line(&text)?;
    account.judge()
}

struct Account {
    purged: u64,
    /// Each target with its spread; `None` without a fleet.
    told: Vec<(String, Option<Spread>)>,
}

impl Account {
    fn document(&self) -> Value {
        let mut document = json!({ "schema": "unladen.purge/1", "purged": self.purged });
        let spread = |(name, spread): &(String, Option<Spread>)| {
            let mut fleet = serde_json::to_value(spread.as_ref()?).ok()?;
            fleet["what"] = name.as_str().into();
            Some(fleet)
        };
        let fleet: Vec<Value> = self.told.iter().filter_map(spread).collect();
        if !fleet.is_empty() {
            document["fleet"] = fleet.into();
        }
        document
    }

    fn text(&self, is_explained: bool) -> String {
        let mut lines = vec![match self.purged {
            1 => "1 response purged".to_owned(),
            purged => format!("{purged} responses purged"),
        }];
        for (name, spread) in &self.told {
            match spread {
                Some(spread) if is_explained || !spread.confirmed => {
                    lines.push(format!("{name}: {}", spread.summary()));
                    lines.extend(is_explained.then(|| spread.explained()).filter(|text| !text.is_empty()));
                }
                Some(_) => {}
                None if is_explained => lines.push(format!("{name}: only by this process, which is not in a fleet")),
                None => {}
            }
        }
        lines.join("\n")
    }

    fn judge(&self) -> Result<(), Failure> {
        let failed: Vec<&str> = self
            .told
            .iter()
            .filter(|(_, spread)| spread.as_ref().is_some_and(|spread| !spread.confirmed))
            .map(|(name, _)| name.as_str())
            .collect();
        if failed.is_empty() { Ok(()) } else { Err(Failure::Unconfirmed(failed.join(", "))) }
    }
}
