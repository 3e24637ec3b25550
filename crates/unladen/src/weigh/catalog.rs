//! The principal type is [`Catalog`]: counters and their groups, of this machine and of all sources elsewhere.

use std::borrow::Cow;
use std::collections::HashMap;

use unladen_probe::{CounterId, GroupId, GroupKind, Instrument, Unit};

use crate::weigh::edge::{EdgeSource, Series, SeriesKind};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SourceId(u16);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SeriesKey {
    pub(crate) source: SourceId,
    group: u32,
    counter: u32,
}

pub(crate) type GroupKey = (SourceId, u32);

#[derive(Debug, Default)]
pub(crate) struct Catalog {
    entries: Vec<Entry>,
}

#[derive(Debug, Default)]
struct Entry {
    name: Option<String>,
    groups: Vec<KnownGroup>,
    counters: Vec<KnownCounter>,
    /// For a source elsewhere: its series, in its own order.
    series: Vec<SeriesKey>,
    families: HashMap<SeriesKey, (String, bool)>,
    group_ids: HashMap<(String, SeriesKind), u32>,
    counter_ids: HashMap<String, u32>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownGroup {
    /// With its host's name in front.
    pub(crate) name: String,
    pub(crate) kind: SeriesKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownCounter {
    pub(crate) name: Cow<'static, str>,
    /// Title in tables.
    pub(crate) title: Cow<'static, str>,
    pub(crate) unit: Unit,
    /// Sampled, not counted.
    pub(crate) approximate: bool,
}

impl SourceId {
    /// This machine.
    pub(crate) const HERE: Self = Self(0);

    pub(crate) fn elsewhere(index: usize) -> Self {
        Self(u16::try_from(index + 1).unwrap_or(u16::MAX))
    }

    /// The index among the sources elsewhere; `None` for this machine.
    pub(crate) fn index_elsewhere(self) -> Option<usize> {
        usize::from(self.0).checked_sub(1)
    }
}

impl SeriesKey {
    pub(crate) fn here(group: GroupId, counter: CounterId) -> Self {
        Self {
            source: SourceId::HERE,
            group: u32::try_from(group.index()).unwrap_or(u32::MAX),
            counter: u32::try_from(counter.index()).unwrap_or(u32::MAX),
        }
    }

    pub(crate) fn group(self) -> GroupKey {
        (self.source, self.group)
    }

    /// The counter's place in the order of the source.
    pub(crate) fn counter(self) -> u32 {
        self.counter
    }
}

pub(crate) fn group_here(group: GroupId) -> GroupKey {
    (SourceId::HERE, u32::try_from(group.index()).unwrap_or(u32::MAX))
}

impl Catalog {
    pub(crate) fn here(instrument: &Instrument) -> Self {
        let mut catalog = Self { entries: vec![Entry::default()] };
        catalog.see_here(instrument);
        catalog
    }

    /// Adds a source; sources are identified by the order in which they are added.
    pub(crate) fn add(&mut self, source: &dyn EdgeSource) {
        self.entries.push(Entry { name: Some(source.name().to_owned()), ..Entry::default() });
    }

    pub(crate) fn see_here(&mut self, instrument: &Instrument) {
        let Some(here) = self.entries.first_mut() else { return };
        for (_, group) in instrument.groups().skip(here.groups.len()) {
            let kind = match group.kind {
                GroupKind::Machine => SeriesKind::Machine,
                GroupKind::Own => SeriesKind::Own,
                GroupKind::Kernel | GroupKind::Unit { .. } | GroupKind::Processes => SeriesKind::Processes,
            };
            here.groups.push(KnownGroup { name: group.name.clone(), kind });
        }
        for counter in instrument.counters().iter().skip(here.counters.len()) {
            let known = KnownCounter {
                name: counter.name.into(),
                title: counter.title.into(),
                unit: counter.unit,
                approximate: counter.approximate,
            };
            here.counters.push(known);
        }
    }

    pub(crate) fn see(&mut self, id: SourceId, series: &[Series]) {
        let Some(entry) = self.entries.get_mut(usize::from(id.0)) else { return };
        for series in series.iter().skip(entry.series.len()) {
            let (group, counter) = (entry.group(series), entry.counter(series));
            let key = SeriesKey { source: id, group, counter };
            if let Some(family) = &series.family {
                entry.families.insert(key, (family.clone(), series.deciding));
            }
            entry.series.push(key);
        }
    }

    pub(crate) fn series(&self, id: SourceId, index: u32) -> Option<SeriesKey> {
        self.entries.get(usize::from(id.0))?.series.get(index as usize).copied()
    }

    pub(crate) fn series_of(&self, id: SourceId) -> usize {
        self.entries.get(usize::from(id.0)).map_or(0, |entry| entry.series.len())
    }

    /// `None` for this machine.
    pub(crate) fn source_name(&self, id: SourceId) -> Option<&str> {
        self.entries.get(usize::from(id.0))?.name.as_deref()
    }

    pub(crate) fn groups(&self) -> impl Iterator<Item = (GroupKey, &KnownGroup)> {
        self.entries.iter().zip(0..).flat_map(|(entry, source)| {
            entry.groups.iter().zip(0..).map(move |(group, index)| ((SourceId(source), index), group))
        })
    }

    pub(crate) fn group(&self, (source, index): GroupKey) -> Option<&KnownGroup> {
        self.entries.get(usize::from(source.0))?.groups.get(index as usize)
    }

    pub(crate) fn counter(&self, key: SeriesKey) -> Option<&KnownCounter> {
        self.entries.get(usize::from(key.source.0))?.counters.get(key.counter as usize)
    }

    /// A group's counter of that name, whether or not it has counted anything.
    pub(crate) fn named(&self, (source, group): GroupKey, counter: &str) -> Option<SeriesKey> {
        let counters = &self.entries.get(usize::from(source.0))?.counters;
        let place = counters.iter().position(|known| known.name == counter)?;
        Some(SeriesKey { source, group, counter: u32::try_from(place).ok()? })
    }

    /// The family that a series is judged with, and whether it decides about it; `None` if that is its group.
    pub(crate) fn family(&self, key: SeriesKey) -> Option<(&str, bool)> {
        let (family, deciding) = self.entries.get(usize::from(key.source.0))?.families.get(&key)?;
        Some((family, *deciding))
    }
}

impl Entry {
    fn group(&mut self, series: &Series) -> u32 {
        let key = (series.group.clone(), series.kind);
        if let Some(known) = self.group_ids.get(&key) {
            return *known;
        }
        let id = u32::try_from(self.groups.len()).unwrap_or(u32::MAX);
        let host = self.name.as_deref().unwrap_or_default();
        self.groups.push(KnownGroup { name: format!("{host}/{}", series.group), kind: series.kind });
        self.group_ids.insert(key, id);
        id
    }

    fn counter(&mut self, series: &Series) -> u32 {
        if let Some(known) = self.counter_ids.get(&series.counter) {
            return *known;
        }
        let id = u32::try_from(self.counters.len()).unwrap_or(u32::MAX);
        self.counters.push(KnownCounter {
            name: series.counter.clone().into(),
            title: series.title.clone().into(),
            unit: series.unit,
            approximate: series.approximate,
        });
        self.counter_ids.insert(series.counter.clone(), id);
        id
    }
}
