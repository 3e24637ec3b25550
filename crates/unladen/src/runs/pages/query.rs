//! The principal type is [`Query`]: the query of a page.

use unladen_publish::html::{RunsFilter, in_query};
use unladen_store::{Filter, Position, read_label};

use crate::runs::time::moment;

const MOST_FIELDS: usize = 32;

#[derive(Debug, Default)]
pub(super) struct Query {
    fields: Vec<(String, String)>,
    pub(super) form: RunsFilter,
    pub(super) before: Option<Position>,
}

impl Query {
    /// Parses the text after the `?`. Unknown fields are ignored. The error says what is wrong.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let fields: Vec<(String, String)> = url::form_urlencoded::parse(text.as_bytes())
            .take(MOST_FIELDS)
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        let mut query = Self { fields, ..Self::default() };
        let text = |name: &str| query.get(name).unwrap_or_default().trim().to_owned();
        query.form = RunsFilter {
            verb: text("verb"),
            target: text("target"),
            host: text("host"),
            commit: text("commit"),
            label: text("label"),
            since: text("since"),
            until: text("until"),
        };
        query.before = match query.get("page") {
            Some(page) => Some(page.parse().map_err(|error: unladen_store::PositionError| error.to_string())?),
            None => None,
        };
        Ok(query)
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The form as a store's filter. The error says which field is wrong, and what is expected there.
    pub(super) fn filter(&self) -> Result<Filter, String> {
        let given = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        let RunsFilter { verb, target, host, commit, label, since, until } = &self.form;
        let label = given(label).map(|label| read_label(&label)).transpose().map_err(|error| error.to_string())?;
        let when = |name: &str, text: &String| {
            given(text).map(|text| moment(&text)).transpose().map_err(|why| format!("{name}: {why}"))
        };
        Ok(Filter {
            verb: given(verb),
            target: given(target),
            host: given(host),
            commit: given(commit),
            labels: label.into_iter().collect(),
            since_ns: when("since", since)?,
            until_ns: when("until", until)?,
            ..Filter::default()
        })
    }

    pub(super) fn first_page(&self) -> String {
        let RunsFilter { verb, target, host, commit, label, since, until } = &self.form;
        let fields = [
            ("verb", verb),
            ("target", target),
            ("host", host),
            ("commit", commit),
            ("label", label),
            ("since", since),
            ("until", until),
        ];
        let given = fields.into_iter().filter(|(_, value)| !value.is_empty());
        given.map(|(name, value)| format!("{name}={}", in_query(value))).collect::<Vec<_>>().join("&")
    }

    pub(super) fn page_before(&self, position: Position) -> String {
        let first = self.first_page();
        let and = if first.is_empty() { "" } else { "&" };
        format!("{first}{and}page={position}")
    }
}

#[cfg(test)]
mod tests;
