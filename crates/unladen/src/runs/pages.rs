//! The pages of `unladen runs serve`. The principal type is [`Pages`]: a path and a query in, a page out.

mod browser;

use std::sync::Mutex;

use unladen_compare::trend;
use unladen_publish::html::{
    PageOptions, RunRow, RunsFilter, RunsPage, comparison_page, document_page, error_page, in_query, runs_page,
    trend_page,
};
use unladen_store::{Filter, Location, Mode, Position, Run, RunId, RunSummary, Store, StoreError, read_label};

use crate::exit::Failure;
use crate::runs::past::{PAST_RUNS, alike, beside, document_of, past, pictures};
use crate::runs::time::{moment, rfc3339};

pub(crate) use crate::runs::pages::browser::{Address, browse};

/// Runs on a page of the list.
const ROWS: u32 = 50;

/// Makes pages of a store that is opened read-only.
#[derive(Debug)]
pub(crate) struct Pages {
    location: Location,
    /// Used by one page at a time; `None` after an error, so that a broken connection is renewed.
    store: Mutex<Option<Box<dyn Store>>>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) status: u16,
    pub(crate) is_json: bool,
    pub(crate) body: String,
}

#[derive(Debug)]
enum NoPage {
    NotFound(String),
    Query(String),
    /// The store or its content cannot be read.
    Store(String),
}

impl Pages {
    /// Opens the store once, to report a mistake before any request. Fails if it cannot be read.
    pub(crate) fn new(location: Location) -> Result<Self, Failure> {
        let store = unladen_store::open(&location, Mode::ReadOnly)?;
        Ok(Self { location, store: Mutex::new(Some(store)) })
    }

    pub(crate) fn page(&self, path: &str, query: &str) -> Page {
        let (status, title, message) = match self.made(path, query) {
            Ok(page) => return page,
            Err(NoPage::NotFound(message)) => (404, "There is no such page", message),
            Err(NoPage::Query(message)) => (400, "This request is invalid", message),
            Err(NoPage::Store(message)) => (500, "The store cannot be read", message),
        };
        Page { status, is_json: false, body: error_page(title, &message, &nav()) }
    }

    fn made(&self, path: &str, query: &str) -> Result<Page, NoPage> {
        let mut store = self.store()?;
        let made = self.of(store.as_mut(), path, query);
        if !matches!(made, Err(NoPage::Store(_)))
            && let Ok(mut place) = self.store.lock()
        {
            *place = Some(store);
        }
        made
    }

    /// The open store, or a new one if another page has it.
    fn store(&self) -> Result<Box<dyn Store>, NoPage> {
        let idle = self.store.lock().ok().and_then(|mut place| place.take());
        match idle {
            Some(store) => Ok(store),
            None => Ok(unladen_store::open(&self.location, Mode::ReadOnly)?),
        }
    }

    fn of(&self, store: &mut dyn Store, path: &str, query: &str) -> Result<Page, NoPage> {
        let query = Query::parse(query).map_err(NoPage::Query)?;
        match path {
            "/" => list(store, &query),
            "/compare" => compare(store, &query),
            "/trend" => trends(store, &query),
            _ => match path.strip_prefix("/run/") {
                Some(id) => document(store, id),
                None => Err(NoPage::NotFound(format!("{path}: the list of runs is at /"))),
            },
        }
    }
}

fn html(body: String) -> Page {
    Page { status: 200, is_json: false, body }
}

fn nav() -> Vec<(String, String)> {
    vec![("/".to_owned(), "All runs".to_owned())]
}

fn list(store: &mut dyn Store, query: &Query) -> Result<Page, NoPage> {
    let filter = query.filter().map_err(NoPage::Query)?;
    let runs = store.list(&Filter { limit: ROWS + 1, before: query.before, ..filter })?;
    let is_more = runs.len() > ROWS as usize;
    let shown: &[RunSummary] = runs.get(..ROWS as usize).unwrap_or(&runs);
    let next = shown.last().filter(|_| is_more).map(|last| format!("/?{}", query.page_before(last.position())));
    let prev = query.before.map(|_| format!("/?{}", query.first_page()));
    let rows = shown.iter().map(row).collect();
    Ok(html(runs_page(&RunsPage { rows, filter: query.form.clone(), prev, next, nav: Vec::new() })))
}

fn row(run: &RunSummary) -> RunRow {
    RunRow {
        id: run.id.get(),
        verb: run.verb.clone(),
        target: run.target.clone(),
        time: rfc3339(run.time_ns),
        host: run.host.clone(),
        commit: run.commit.clone().unwrap_or_default(),
        labels: run.labels.clone().into_iter().collect(),
        version: run.version.clone(),
        ended: run.ended.clone(),
    }
}

fn document(store: &mut dyn Store, id: &str) -> Result<Page, NoPage> {
    let (id, is_json) = id.strip_suffix(".json").map_or((id, false), |id| (id, true));
    let run = run(store, id)?;
    if is_json {
        return Ok(Page { status: 200, is_json, body: run.document });
    }
    let document = document_of(&run)?;
    let evidence = store.evidence(run.summary.id)?;
    let pictures = pictures(&run.summary.verb, evidence.as_deref());
    let mut options = PageOptions { nav: nav(), pictures, links_runs: true };
    let target = in_query(&run.summary.target);
    options.nav.push((format!("/trend?verb={}&target={target}", run.summary.verb), "Trend".to_owned()));
    if let Some(before) = earlier(store, &run)? {
        options
            .nav
            .push((format!("/compare?before={before}&after={}", run.summary.id), format!("Against run {before}")));
    }
    options.nav.push((format!("/run/{}.json", run.summary.id), "JSON".to_owned()));
    Ok(html(document_page(&document, &options)))
}

fn earlier(store: &mut dyn Store, run: &Run) -> Result<Option<RunId>, NoPage> {
    let before = Some(run.summary.position());
    let filter = Filter { before, limit: 1, ..alike(&run.summary.verb, &run.summary.target) };
    Ok(store.list(&filter)?.first().map(|run| run.id))
}

fn run(store: &mut dyn Store, id: &str) -> Result<Run, NoPage> {
    let id: RunId = id.parse().map_err(|error: unladen_store::RunIdError| NoPage::NotFound(error.to_string()))?;
    Ok(store.run(id)?)
}

fn compare(store: &mut dyn Store, query: &Query) -> Result<Page, NoPage> {
    let both = query.get("before").zip(query.get("after"));
    let (before, after) =
        both.ok_or_else(|| NoPage::Query("expected two runs: /compare?before=12&after=15".to_owned()))?;
    let (before, after) = (run(store, before)?, run(store, after)?);
    let comparison = beside(store, &before, &document_of(&after)?, Some(after.summary.id.to_string()))?;
    let mut options = PageOptions { nav: nav(), links_runs: true, ..PageOptions::default() };
    for side in [&before, &after] {
        let id = side.summary.id;
        options.nav.push((format!("/run/{id}"), format!("Run {id}")));
    }
    Ok(html(comparison_page(&comparison, &options)))
}

fn trends(store: &mut dyn Store, query: &Query) -> Result<Page, NoPage> {
    let target = query.get("target").filter(|target| !target.is_empty());
    let target =
        target.ok_or_else(|| NoPage::Query("expected a target: /trend?target=http://localhost/".to_owned()))?;
    let verb = match query.get("verb").filter(|verb| !verb.is_empty()) {
        Some(verb) => verb.to_owned(),
        None => {
            let filter = Filter { exact_target: Some(target.to_owned()), limit: 1, ..Filter::default() };
            store.list(&filter)?.first().map(|run| run.verb.clone()).unwrap_or_default()
        }
    };
    let history = past(store, &verb, target, PAST_RUNS)?;
    if history.is_empty() {
        return Err(NoPage::NotFound(format!(
            "no run of {target}: a trend needs one target, exactly as the list shows it"
        )));
    }
    let options = PageOptions { nav: nav(), links_runs: true, ..PageOptions::default() };
    Ok(html(trend_page(&trend(&history), &options)))
}

impl From<StoreError> for NoPage {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NoSuchRun { .. } => Self::NotFound(error.to_string()),
            error => Self::Store(error.to_string()),
        }
    }
}

impl From<Failure> for NoPage {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Store(error) => error.into(),
            other => Self::Store(other.to_string()),
        }
    }
}

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
