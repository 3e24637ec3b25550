//! The principal type is [`Keeper`]: it keeps the result of a run after it was shown.

use std::path::PathBuf;

use unladen_compare::Comparison;
use unladen_document::Document;
use unladen_quantity::inert_json;
use unladen_store::{Location, Mode, NewRun, RunId, StoreError};

use crate::exit::Failure;
use crate::runs::Origin;
use crate::runs::past::{alike, beside};
use crate::runs::preferences::Preferences;
use crate::runs::run_name::RunName;
use crate::runs::time::{now, read_rfc3339};
use crate::runs::worse::Tolerance;
use crate::say::say;

#[derive(Debug, Clone, Default)]
pub(crate) struct Keeping {
    pub(crate) store: Option<Location>,
    pub(crate) is_off: bool,
    /// Traces are not kept.
    pub(crate) no_evidence: bool,
    pub(crate) quiet: bool,
    pub(crate) against: Option<Against>,
}

#[derive(Debug, Clone)]
pub(crate) struct Against {
    pub(crate) run: RunName,
    pub(crate) tolerance: Tolerance,
    pub(crate) files: Vec<PathBuf>,
}

/// The end of a run that was not cut short.
const COMPLETE: &str = "complete";

/// What was traced, if anything: as `--record` writes it.
pub(crate) type Evidence = Option<Vec<u8>>;

pub(crate) struct Keeper {
    pub(crate) origin: Origin,
    destination: Option<Destination>,
    evidence: bool,
    quiet: bool,
    pub(crate) against: Option<Against>,
}

struct Destination {
    location: Location,
    /// The user named the place: failing to keep there is an error.
    is_named: bool,
    /// Named on the command line, so later commands need the option too.
    is_option: bool,
}

impl Keeper {
    /// Decides what is kept where. Opens a named store once, so that an unusable one is reported before anything is
    /// measured. Fails if the preferences are wrong, or a named store cannot be written to.
    pub(crate) fn new(keeping: Keeping, origin: Origin) -> Result<Self, Failure> {
        // A wrong file does not matter if nothing of it is needed.
        let preferences = match (keeping.is_off, &keeping.store) {
            (true, _) => Preferences { store: None, is_store_named: false, evidence: false },
            (false, Some(location)) => {
                let store = Some(location.clone());
                Preferences { store, is_store_named: true, ..Preferences::of_user()? }
            }
            (false, None) => Preferences::of_user()?,
        };
        let Preferences { store, is_store_named, evidence } = preferences;
        let is_option = keeping.store.is_some();
        let destination = store.map(|location| Destination { location, is_named: is_store_named, is_option });
        if let Some(destination) = destination.as_ref().filter(|destination| destination.is_named) {
            unladen_store::open(&destination.location, Mode::ReadWrite)?;
        }
        if let (Some(Against { run: RunName::Id(id), .. }), Some(destination)) = (&keeping.against, &destination) {
            unladen_store::open(&destination.location, Mode::ReadOnly)?.run(*id)?;
        }
        let evidence = evidence && !keeping.no_evidence;
        Ok(Self { origin, destination, evidence, quiet: keeping.quiet, against: keeping.against })
    }

    /// Compares the result with the requested run, if any. Called before the result is kept, so that `latest` is
    /// another run. Fails if the store or the run cannot be read.
    pub(crate) fn comparison(&self, after: &Document) -> Result<Option<Comparison>, Failure> {
        let Some(Against { run, .. }) = &self.against else { return Ok(None) };
        let Some(destination) = &self.destination else {
            return Err(Failure::Usage("--against needs a store, but nothing is kept: name one with --store".into()));
        };
        // Too little is known of a run that was cut short.
        if after.ended().is_some_and(|ended| ended != COMPLETE) {
            return Ok(None);
        }
        let mut store = unladen_store::open(&destination.location, Mode::ReadOnly)?;
        let before = run.find(store.as_mut(), alike(after.verb(), after.target()))?;
        Ok(Some(beside(store.as_mut(), &before, after, None)?))
    }

    /// Whether a run is kept in the store in which `unladen fix` looks for it by itself.
    pub(crate) fn is_where_fix_looks(&self) -> bool {
        self.destination.as_ref().is_some_and(|destination| !destination.is_option)
    }

    /// Keeps a document and its traces, and says under which number. Fails if it cannot be kept in a named store.
    /// Without one, that is only a warning.
    pub(crate) fn keep(
        &self,
        document: &Document,
        evidence: impl FnOnce() -> Evidence,
    ) -> Result<Option<RunId>, Failure> {
        let Some(destination) = &self.destination else { return Ok(None) };
        let evidence = if self.evidence { evidence() } else { None };
        match Self::kept(&destination.location, document, evidence) {
            Ok(id) => {
                if !self.quiet {
                    // Another store would show another run of that number.
                    let store = if destination.is_option {
                        format!(" --store {}", destination.location)
                    } else {
                        String::new()
                    };
                    say!("unladen: kept as run {id}: `unladen runs show {id}{store} --details` shows everything");
                }
                Ok(Some(id))
            }
            Err(error) if destination.is_named => Err(error.into()),
            Err(error) => {
                say!("unladen: warning: the result was not kept: {error}; --no-store measures without keeping");
                Ok(None)
            }
        }
    }

    fn kept(location: &Location, document: &Document, evidence: Evidence) -> Result<RunId, StoreError> {
        let mut store = unladen_store::open(location, Mode::ReadWrite)?;
        // As `--json` writes it.
        let text = serde_json::to_string_pretty(document).map_err(|error| unfit(error.to_string()))?;
        let text = inert_json(&text) + "\n";
        store.keep(&run_of(document, text, evidence, now())?)
    }
}

fn unfit(why: String) -> StoreError {
    StoreError::Unfit { what: "the document", why }
}

/// A document with the columns that find it again. If it has no time of its own, it gets `otherwise`, in ns since 1970.
/// Fails if it is no document of a result.
pub(crate) fn new_run(text: &[u8], evidence: Evidence, otherwise: i64) -> Result<NewRun, StoreError> {
    let document = Document::read(text).map_err(|error| unfit(error.to_string()))?;
    let text = std::str::from_utf8(text).map_err(|error| unfit(error.to_string()))?;
    run_of(&document, text.to_owned(), evidence, otherwise)
}

fn run_of(document: &Document, text: String, evidence: Evidence, otherwise: i64) -> Result<NewRun, StoreError> {
    if let Document::ClassmapCheck(_) = document {
        return Err(unfit("a check of a class map measures nothing: it is not a run".to_owned()));
    }
    let about = document.about();
    let revision = about.revision.as_ref();
    let time = about.time.as_deref().and_then(read_rfc3339);
    Ok(NewRun {
        verb: document.verb().to_owned(),
        target: document.target().to_owned(),
        time_ns: time.unwrap_or(otherwise),
        host: about.host.clone().unwrap_or_default(),
        version: about.version.clone().unwrap_or_default(),
        ended: document.ended().unwrap_or_default().to_owned(),
        commit: revision.and_then(|revision| revision.commit.clone()),
        dirty: revision.and_then(|revision| revision.dirty).unwrap_or(false),
        labels: about.labels.clone(),
        document: text,
        evidence,
    })
}
