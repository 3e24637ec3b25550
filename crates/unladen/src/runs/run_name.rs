//! The principal type is [`RunName`]: the name of a run on the command line.

use std::str::FromStr;

use unladen_store::{Filter, Run, RunId, Store, read_label};

use crate::exit::Failure;

/// A run: `12`, `latest`, `release=1.43`, or `commit:4f2a`.
#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display)]
pub(crate) enum RunName {
    #[display("{_0}")]
    Id(RunId),
    #[display("latest")]
    Latest,
    /// The newest with this label.
    #[display("{_0}={_1}")]
    Label(String, String),
    /// The newest of a revision with this prefix.
    #[display("commit:{_0}")]
    Commit(String),
}

impl RunName {
    /// The run, if `filter` lets it through; a number is taken regardless. Fails if there is none.
    pub(crate) fn find(&self, store: &mut dyn Store, filter: Filter) -> Result<Run, Failure> {
        let mut filter = Filter { limit: 1, ..filter };
        let among = match (&filter.verb, &filter.exact_target, filter.before) {
            (Some(verb), Some(target), None) => format!(" of `unladen {verb}` and {target}"),
            (Some(verb), Some(target), Some(_)) => format!(" of `unladen {verb}` and {target} before the later one"),
            _ => String::new(),
        };
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
            None if *self == Self::Latest && among.is_empty() => {
                let of = filter.verb.map(|verb| format!(" of `unladen {verb}`")).unwrap_or_default();
                Err(Failure::Usage(format!("{} has no run{of} yet: measure first", store.shown())))
            }
            None => Err(Failure::Usage(format!(
                "no run{among} is `{self}` in {}: `unladen runs` lists them",
                store.shown()
            ))),
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

#[cfg(test)]
mod tests;
