//! Options that say which runs are meant, [`Finding`], and which store, [`Place`].

use unladen_store::{Filter, Location, Mode, RunSummary, Store, StoreError, read_label};

use crate::exit::Failure;
use crate::runs::{Preferences, STORE_VARIABLE, moment};
use crate::say::say;

/// Which runs are meant.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct Finding {
    /// Runs of this command: weigh, load, prove, profile or profile-diff
    #[arg(long, value_name = "COMMAND", value_parser = ["weigh", "load", "prove", "profile", "profile-diff"], help_heading = "Which runs")]
    verb: Option<String>,
    /// Runs with this text in the URL
    #[arg(long, value_name = "TEXT", help_heading = "Which runs")]
    target: Option<String>,
    /// Runs with this label, such as release=1.43; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = read_label, help_heading = "Which runs")]
    label: Vec<(String, String)>,
    /// Runs of a git revision that begins with this
    #[arg(long, value_name = "COMMIT", help_heading = "Which runs")]
    commit: Option<String>,
    /// Runs that were measured on this machine
    #[arg(long, value_name = "NAME", help_heading = "Which runs")]
    machine: Option<String>,
    /// Runs since then: a date (2026-11-23, or with a time, in UTC) or an age such as 7d
    #[arg(long, value_name = "WHEN", value_parser = moment, help_heading = "Which runs")]
    since: Option<i64>,
    /// Runs before that
    #[arg(long, value_name = "WHEN", value_parser = moment, help_heading = "Which runs")]
    before: Option<i64>,
}

impl Finding {
    pub(super) fn filter(&self, limit: u32) -> Filter {
        Filter {
            verb: self.verb.clone(),
            target: self.target.clone(),
            labels: self.label.iter().cloned().collect(),
            commit: self.commit.clone(),
            host: self.machine.clone(),
            since_ns: self.since,
            until_ns: self.before,
            limit,
            ..Filter::default()
        }
    }

    pub(super) fn is_given(&self) -> bool {
        let texts = [&self.verb, &self.target, &self.commit, &self.machine];
        texts.iter().any(|text| text.is_some())
            || !self.label.is_empty()
            || self.since.is_some()
            || self.before.is_some()
    }
}

/// All runs that a filter lets through, the newest first, page by page.
pub(super) fn each_page(
    store: &mut dyn Store,
    filter: &Filter,
    mut take: impl FnMut(&mut dyn Store, Vec<RunSummary>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut filter = Filter { limit: unladen_store::PAGE, ..filter.clone() };
    loop {
        let page = store.list(&filter)?;
        let Some(last) = page.last() else { return Ok(()) };
        filter.before = Some(last.position());
        take(store, page)?;
    }
}

#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Place {
    /// The store: a file, or postgres://USER@HOST/DATABASE [default: the one in which runs are kept]
    #[arg(long, value_name = "STORE")]
    store: Option<Location>,
}

impl Place {
    /// Whether it is the store that commands look into by themselves.
    pub(super) fn is_default(&self) -> bool {
        self.store.is_none()
    }

    /// Fails if nothing is kept, or the preferences are wrong.
    pub(crate) fn location(&self) -> Result<Location, Failure> {
        if let Some(location) = &self.store {
            return Ok(location.clone());
        }
        Preferences::of_user()?.store.ok_or_else(|| {
            Failure::Usage(format!(
                "no runs are kept: {STORE_VARIABLE}, or `store` of the user's settings, is \"off\"; name a store with --store"
            ))
        })
    }

    pub(crate) fn open(&self, mode: Mode) -> Result<Box<dyn Store>, Failure> {
        Ok(unladen_store::open(&self.location()?, mode)?)
    }

    /// Opens it to read; says so if nobody has kept anything in it yet.
    pub(super) fn read(&self) -> Result<Option<Box<dyn Store>>, Failure> {
        match unladen_store::open(&self.location()?, Mode::ReadOnly) {
            Ok(store) => Ok(Some(store)),
            Err(error @ StoreError::NoStore { .. }) => {
                say!("unladen: {error}{}", of_root());
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// What sudo measured is kept for root.
fn of_root() -> &'static str {
    if nix::unistd::geteuid().is_root() { "" } else { " (`sudo unladen runs` lists what `sudo unladen` measured)" }
}
