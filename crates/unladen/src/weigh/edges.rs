//! The principal type is [`Edges`]: asks all sources elsewhere at once, and waits for all of them.

use std::time::{Duration, Instant};

use unladen_agent::FarInstrument;
use unladen_load::Cancel;

use crate::exit::Failure;
use crate::weigh::catalog::{Catalog, SourceId};
use crate::weigh::edge::{EdgeReading, EdgeSource, Series, SourceKind};

/// Minimum time for a source's answer …
const PATIENCE: Duration = Duration::from_secs(5);
/// … and the multiple of its round trip that it may take.
const PATIENCE_TRIPS: u32 = 10;
/// How often sources are asked whether they have seen enough before anything is measured …
const STEP: Duration = Duration::from_millis(500);
/// … and for how long, however much they want.
const MOST: Duration = Duration::from_secs(300);

pub(crate) struct Edges {
    places: Vec<Place>,
}

struct Place {
    name: String,
    source: Option<Box<dyn EdgeSource>>,
    /// When it went.
    fate: Fate,
}

/// What became of a source.
#[derive(Debug, Default)]
pub(crate) struct Fate {
    /// Why it went away before the end.
    pub(crate) gone: Option<String>,
    pub(crate) notes: Vec<String>,
    /// Records of ended processes were lost there.
    pub(crate) has_lost: bool,
}

impl Edges {
    pub(crate) fn new(sources: Vec<Box<dyn EdgeSource>>) -> Self {
        let place = |source: Box<dyn EdgeSource>| {
            let name = source.name().to_owned();
            Place { name, source: Some(source), fate: Fate::default() }
        };
        Self { places: sources.into_iter().map(place).collect() }
    }

    pub(crate) fn living(&self) -> impl Iterator<Item = &dyn EdgeSource> {
        self.places.iter().filter_map(|place| place.source.as_deref())
    }

    pub(crate) fn watched(&mut self) -> impl Iterator<Item = &mut Box<dyn EdgeSource>> {
        self.places.iter_mut().filter_map(|place| place.source.as_mut())
    }

    /// Ends the watch of all. Fails if a source cannot be used.
    fn end_watch(&mut self) -> Result<(), Failure> {
        self.watched().try_for_each(|source| source.end_watch())
    }

    pub(crate) fn ask(&mut self) {
        self.watched().for_each(|source| source.ask());
    }

    /// All answers, in order; `None` for a source that is gone, as is one that does not answer in time. If a source
    /// ends after everything was cancelled, that is not reported.
    pub(crate) fn answers(&mut self, catalog: &mut Catalog, cancel: &Cancel) -> Vec<Option<EdgeReading>> {
        let asked = Instant::now();
        let mut answers = Vec::with_capacity(self.places.len());
        for (index, place) in self.places.iter_mut().enumerate() {
            let answer = place.answer(asked, cancel);
            if answer.is_some() {
                catalog.see(SourceId::elsewhere(index), place.series());
            }
            answers.push(answer);
        }
        answers
    }

    /// What became of each source, in order. Exporters are not asked any more then; hosts are, what their processes do.
    pub(crate) fn fates(&mut self) -> Vec<Fate> {
        let fate = |place: &mut Place| {
            if let Some(source) = &mut place.source {
                place.fate = Fate { gone: None, notes: source.notes(), has_lost: source.has_lost() };
            }
            place.source = place.source.take().filter(|source| source.kind() == SourceKind::Host);
            std::mem::take(&mut place.fate)
        };
        self.places.iter_mut().map(fate).collect()
    }

    pub(crate) fn fars(&self) -> impl Iterator<Item = (&str, &FarInstrument)> {
        self.places.iter().filter_map(|place| Some((place.name.as_str(), place.source.as_deref()?.far()?)))
    }
}

impl Place {
    fn answer(&mut self, asked: Instant, cancel: &Cancel) -> Option<EdgeReading> {
        let source = self.source.as_mut()?;
        let patience = source.round_trip().map_or(PATIENCE, |trip| PATIENCE.max(trip * PATIENCE_TRIPS));
        match source.answer(asked + patience) {
            Ok(reading) => Some(reading),
            Err(gone) => {
                let gone = (!cancel.is_cancelled()).then_some(gone);
                self.fate = Fate { gone, notes: source.notes(), has_lost: source.has_lost() };
                self.source = None;
                None
            }
        }
    }

    fn series(&self) -> &[Series] {
        self.source.as_deref().map_or(&[], |source| source.series())
    }
}

/// Sends requests, or none, for as long as a source wants to see that; `send` sends them for a while. Fails if sending
/// fails, a source cannot be used, or it was cancelled.
pub(crate) fn watch(
    edges: &mut Edges,
    cancel: &Cancel,
    mut send: impl FnMut(Duration) -> Result<(), Failure>,
) -> Result<(), Failure> {
    edges.watched().for_each(|source| source.begin_watch());
    let begun = Instant::now();
    while begun.elapsed() < MOST {
        // Each is asked: the question tells a source whether requests are sent.
        let wants = |is_sending| edges.living().fold(false, |any, source| source.wants(is_sending) | any);
        if wants(true) {
            send(STEP)?;
        } else if wants(false) {
            cancel.wait(STEP);
        } else {
            break;
        }
        if cancel.is_cancelled() {
            return Err(Failure::Interrupted { shown: false });
        }
    }
    edges.end_watch()
}

#[cfg(test)]
mod tests;
