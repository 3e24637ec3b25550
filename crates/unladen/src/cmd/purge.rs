//! `unladen purge`: what a running `serve` is to forget.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;
use unladen_serve_config::Config;

use crate::cmd::values::{admin_address, some_time};
use crate::exit::Failure;
use crate::headed::headed;
use crate::output;
use crate::purge::{PurgeError, What, Wish, purge, written};
use crate::runs::Origin;

/// Make a running `unladen serve` forget pages that it keeps
///
/// It is done when this ends: whoever asks for a page afterwards gets none from before.
#[derive(Debug, clap::Args)]
#[command(
    group = clap::ArgGroup::new("where").required(true),
    group = clap::ArgGroup::new("what").required(true),
    after_help = "Examples:
  unladen purge /etc/unladen.toml --url https://example.org/pledge/7
  unladen purge --admin unix:/run/unladen/admin.sock --tag pledge-7 --tag index
  unladen purge --admin 127.0.0.1:9901 --all --soft   # asked about before they are served again

docs/reference/observability.md, in the source, says what is meant by each."
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
    /// A page, as clients ask for it; without a scheme, by http and https. May be given several times
    #[arg(long, value_name = "URL", group = "what")]
    url: Vec<String>,
    /// All pages whose URL begins so. May be given several times
    #[arg(long, value_name = "URL", group = "what")]
    prefix: Vec<String>,
    /// What the application gave this tag, in Cache-Tag, Surrogate-Key or xkey. May be given several times
    #[arg(long, value_name = "TAG", group = "what")]
    tag: Vec<String>,
    /// Everything
    #[arg(long, group = "what")]
    all: bool,
    /// Keep it, and ask the application whether it is still good before it is served again
    #[arg(long)]
    soft: bool,
    /// Only what the site of this name keeps
    #[arg(long, value_name = "NAME")]
    site: Option<String>,
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
            return Err(Failure::Usage(
                "where is it told? Give the configuration of `unladen serve`, or --admin ADDRESS".to_owned(),
            ));
        }
    };
    let meant = args.url.into_iter().map(What::Url);
    let meant = meant.chain(args.prefix.into_iter().map(What::Prefix)).chain(args.tag.into_iter().map(What::Tag));
    let mut purged = 0;
    for what in meant.chain(args.all.then_some(What::All)) {
        purged += purge(&address, &Wish { what, site: args.site.clone(), is_soft: args.soft }, args.timeout)?;
    }
    let text = match (args.json, purged) {
        (true, _) => {
            let document = json!({ "schema": "unladen.purge/1", "purged": purged });
            format!("{:#}", headed(document, &Origin::of_words(typed).about()))
        }
        (false, 1) => "1 response purged".to_owned(),
        (false, purged) => format!("{purged} responses purged"),
    };
    Ok(output::line(&text)?)
}
