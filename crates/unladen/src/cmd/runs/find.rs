//! The principal type is [`RunName`]: how a run is called on the command line; and [`Finding`], which runs are listed.

use std::str::FromStr;
use std::time::{Duration, SystemTime};

use unladen_load::time_of;
use unladen_store::{Filter, Run, RunId, RunSummary, Store, StoreError, read_label};

use crate::exit::Failure;

/// A run: `12`, `latest`, `release=1.43`, or `commit:4f2a`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RunName {
    /// By its number.
    Id(RunId),
    /// The newest.
    Latest,
    /// The newest with a label.
    Label(String, String),
    /// The newest of a revision that begins so.
    Commit(String),
}

// === impl RunName ===

impl RunName {
    /// The run, if `filter` lets it through; a number is taken as it is.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn find(&self, store: &mut dyn Store, filter: Filter) -> Result<Run, Failure> {
        let mut filter = Filter { limit: 1, ..filter };
        match self {
            Self::Id(id) => return Ok(store.run(*id)?),
            Self::Latest => {}
            Self::Label(name, value) => {
                filter.labels.insert(name.clone(), value.clone());
            }
            Self::Commit(commit) => filter.commit = Some(commit.clone()),
        }
        match store.list(&filter)?.first() {
            Some(found) => Ok(store.run(found.id)?),
            None => Err(Failure::Usage(format!("no run is `{self}` in {}: `unladen runs` lists them", store.shown()))),
        }
    }
}

impl FromStr for RunName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "latest" {
            return Ok(Self::Latest);
        }
        if let Some(commit) = text.strip_prefix("commit:") {
            let is_one = (4..=64).contains(&commit.len()) && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
            return if is_one {
                Ok(Self::Commit(commit.to_ascii_lowercase()))
            } else {
                Err("expected 4 to 64 hexadecimal digits after commit:".to_owned())
            };
        }
        if text.contains('=') {
            return read_label(text).map(|(name, value)| Self::Label(name, value)).map_err(|error| error.to_string());
        }
        text.parse().map(Self::Id).map_err(|_| {
            "expected the number of a run as `unladen runs` shows it, latest, a label such as release=1.43, or commit:4f2a"
                .to_owned()
        })
    }
}

impl std::fmt::Display for RunName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Id(id) => id.fmt(f),
            Self::Latest => f.write_str("latest"),
            Self::Label(name, value) => write!(f, "{name}={value}"),
            Self::Commit(commit) => write!(f, "commit:{commit}"),
        }
    }
}

/// Which runs are meant.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct Finding {
    /// Of this command: weigh, load, prove, profile or profile-diff
    #[arg(long, value_name = "COMMAND", value_parser = ["weigh", "load", "prove", "profile", "profile-diff"], help_heading = "Which runs")]
    verb: Option<String>,
    /// With this text in the URL
    #[arg(long, value_name = "TEXT", help_heading = "Which runs")]
    target: Option<String>,
    /// With this label, such as release=1.43; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = label, help_heading = "Which runs")]
    label: Vec<(String, String)>,
    /// Of a git revision that begins so
    #[arg(long, value_name = "COMMIT", help_heading = "Which runs")]
    commit: Option<String>,
    /// Measured on this machine
    #[arg(long, value_name = "NAME", help_heading = "Which runs")]
    host: Option<String>,
    /// Measured since then: a date (2026-11-23, or with a time, in UTC) or an age such as 7d
    #[arg(long, value_name = "WHEN", value_parser = moment, help_heading = "Which runs")]
    since: Option<i64>,
    /// Measured before that
    #[arg(long, value_name = "WHEN", value_parser = moment, help_heading = "Which runs")]
    until: Option<i64>,
}

fn label(text: &str) -> Result<(String, String), unladen_store::LabelError> {
    read_label(text)
}

// === impl Finding ===

impl Finding {
    /// As a store understands it.
    pub(super) fn filter(&self, limit: u32) -> Filter {
        Filter {
            verb: self.verb.clone(),
            target: self.target.clone(),
            labels: self.label.iter().cloned().collect(),
            commit: self.commit.clone(),
            host: self.host.clone(),
            since_ns: self.since,
            until_ns: self.until,
            limit,
            ..Filter::default()
        }
    }

    /// Whether anything is asked for.
    pub(super) fn is_given(&self) -> bool {
        let texts = [&self.verb, &self.target, &self.commit, &self.host];
        texts.iter().any(|text| text.is_some())
            || !self.label.is_empty()
            || self.since.is_some()
            || self.until.is_some()
    }
}

/// All runs that a filter lets through, the newest first, page by page.
///
/// # Errors
/// If the store cannot be read.
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

/// Whether the store has no such run.
pub(super) fn is_missing(error: &StoreError) -> bool {
    matches!(error, StoreError::NoSuchRun { .. })
}

/// `2026-11-23`, `2026-11-23T05:00:00Z`, or an age: ns since 1970.
pub(super) fn moment(text: &str) -> Result<i64, String> {
    let of = |time: SystemTime| {
        let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
        i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
    };
    if let Ok(time) = humantime::parse_rfc3339_weak(text) {
        return Ok(of(time));
    }
    if let Ok(time) = humantime::parse_rfc3339_weak(&format!("{text}T00:00:00Z")) {
        return Ok(of(time));
    }
    let age = humantime::parse_duration(text).ok().or_else(|| time_of(text).ok());
    let time = age.and_then(|age| SystemTime::now().checked_sub(age));
    time.map(of).ok_or_else(|| "expected a date such as 2026-11-23, or an age such as 7d or 12h".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_called_by_number_label_or_revision() {
        assert_eq!("12".parse(), Ok(RunName::Id(RunId::new(12).unwrap())));
        assert_eq!("latest".parse(), Ok(RunName::Latest));
        assert_eq!("release=1.43".parse(), Ok(RunName::Label("release".into(), "1.43".into())));
        assert_eq!("commit:4F2a".parse(), Ok(RunName::Commit("4f2a".into())));
        for wrong in ["", "0", "-1", "newest", "commit:", "commit:xyz1", "=1", "12x"] {
            assert!(wrong.parse::<RunName>().is_err(), "{wrong}");
        }
        for name in ["12", "latest", "release=1.43", "commit:4f2a"] {
            assert_eq!(name.parse::<RunName>().unwrap().to_string(), name);
        }
    }

    #[test]
    fn moments_are_dates_or_ages() {
        assert_eq!(moment("1970-01-02"), Ok(86_400_000_000_000));
        assert_eq!(moment("1970-01-01T00:00:01Z"), Ok(1_000_000_000));
        let day = moment("1d").unwrap();
        assert!(day < moment("1h").unwrap() && day > moment("2d").unwrap());
        assert!(moment("yesterday").is_err() && moment("").is_err() && moment("2026-13-01").is_err());
    }
}
