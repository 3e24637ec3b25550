//! The principal type is [`Level`]: a table with its `[defaults]` or preset, read key by key.

use std::ops::{Range, RangeInclusive};
use std::path::PathBuf;
use std::time::Duration;

use unladen_toml::{Bad, Problem, Table, Value};

use super::error::ConfigProblem;
use super::explain::{Origin, Showable, Shown};
use super::keys::{self, Whose, strangers};
use super::reading::Reading;

/// A table with its defaults: those of `[defaults]`, or, for a `[[site]]`, those of its preset.
#[derive(Clone)]
pub(super) struct Level<'t> {
    /// As in [`keys::all`].
    pub(super) table: &'static str,
    pub(super) whose: Whose,
    pub(super) index: Option<usize>,
    pub(super) own: Option<Table<'t>>,
    pub(super) defaults: Option<Table<'t>>,
    /// The preset that `defaults` come from; `None` if they come from `[defaults]`.
    pub(super) preset: Option<&'static str>,
    /// Where the table is switched on, if it is not written as a table.
    pub(super) around: Range<usize>,
}

impl<'t> Level<'t> {
    pub(super) fn of(table: &'static str, own: Table<'t>) -> Self {
        Self { table, whose: Whose::Whole, index: None, own: Some(own), defaults: None, preset: None, around: 0..0 }
    }

    /// The table of that name below this one and below the defaults.
    pub(super) fn group(&self, name: &'static str, reading: &mut Reading<'_>) -> Self {
        self.open(name, "a table", false, reading)
    }

    fn open(&self, name: &'static str, expected: &str, is_switch: bool, reading: &mut Reading<'_>) -> Self {
        let mut open = |parent: &Option<Table<'t>>, place: String| {
            let value = parent.as_ref()?.get(name).filter(|value| !is_switch || value.as_flag().is_none())?;
            let table = reading.keep(Table::of(&value, place, expected))?;
            reading.bads.extend(strangers(&table, &keys::names(name)));
            Some(table)
        };
        let below = |head: &str| match keys::below(self.table) {
            "" => format!("[{head}.{name}]"),
            table => format!("[{head}.{table}.{name}]"),
        };
        let own = open(&self.own, below(self.whose.role().unwrap_or("outbound")));
        let defaults = open(&self.defaults, below("defaults"));
        let (whose, preset) = (self.whose.clone(), self.preset);
        Self { table: name, whose, index: None, own, defaults, preset, around: self.at(&[name]) }
    }

    /// Like [`Self::group`], for a table that `false` switches off; `None` if it is off.
    pub(super) fn switch(&self, name: &'static str, usual: bool, reading: &mut Reading<'_>) -> Option<Self> {
        let (on, origin) = match self.find(name, reading) {
            None => (usual, Origin::BuiltIn),
            // A value that is neither table nor flag is reported when the table is opened.
            Some((value, origin)) => (value.as_flag().unwrap_or(true), origin),
        };
        self.explain(name, Shown::Flag(on), origin, reading);
        on.then(|| self.open(name, "a table, or `false`", true, reading))
    }

    pub(super) fn find(&self, name: &'static str, reading: &Reading<'_>) -> Option<(Value<'t>, Origin)> {
        let own = self.own.as_ref().and_then(|table| table.get(name));
        let line = |value: &Value<'_>| reading.line(&value.span());
        if let Some(value) = own {
            return Some((value, Origin::Said(line(&value))));
        }
        let value = self.defaults.as_ref()?.get(name)?;
        Some((value, self.preset.map_or_else(|| Origin::Defaults(line(&value)), Origin::Preset)))
    }

    /// Whether the table itself has the key, rather than its defaults.
    pub(super) fn says(&self, name: &'static str) -> bool {
        self.own.as_ref().is_some_and(|table| table.get(name).is_some())
    }

    /// Where the first of these keys stands. A preset's place is in another text.
    pub(super) fn at(&self, names: &[&'static str]) -> Range<usize> {
        let defaults = if self.preset.is_some() { &None } else { &self.defaults };
        let value = |name: &&'static str| {
            [&self.own, defaults].into_iter().flatten().find_map(|table| table.get(name)).map(|value| value.span())
        };
        let table = || self.own.as_ref().map_or(self.around.clone(), Table::span);
        names.iter().find_map(value).unwrap_or_else(table)
    }

    pub(super) fn explain(&self, name: &str, value: Shown, origin: Origin, reading: &mut Reading<'_>) {
        reading.explain((self.whose.clone(), self.index), (self.table, name), value, origin);
    }

    /// Explains whether there is a table of this name.
    pub(super) fn has(&self, name: &'static str, reading: &mut Reading<'_>) -> bool {
        let origin = self.find(name, reading).map(|(_, origin)| origin);
        let value = if origin.is_some() { Shown::Flag(true) } else { Shown::None };
        self.explain(name, value, origin.unwrap_or(Origin::BuiltIn), reading);
        origin.is_some()
    }

    pub(super) fn take<T>(
        &self,
        name: &'static str,
        usual: T,
        reading: &mut Reading<'_>,
        read: impl FnOnce(&Value<'t>, &mut Reading<'_>) -> Result<T, Bad>,
        show: impl FnOnce(&T) -> Shown,
    ) -> T {
        let (value, origin) = match self.find(name, reading) {
            None => (usual, Origin::BuiltIn),
            Some((value, origin)) => {
                let result = read(&value, reading);
                (reading.keep(result).unwrap_or(usual), origin)
            }
        };
        self.explain(name, show(&value), origin, reading);
        value
    }

    /// [`Self::take`] of a value that may be missing.
    pub(super) fn optional<T>(
        &self,
        name: &'static str,
        reading: &mut Reading<'_>,
        read: impl FnOnce(&Value<'t>, &mut Reading<'_>) -> Result<T, Bad>,
        show: impl FnOnce(&T) -> Shown,
    ) -> Option<T> {
        let read = |value: &Value<'t>, reading: &mut Reading<'_>| read(value, reading).map(Some);
        self.take(name, None, reading, read, |value| value.as_ref().map_or(Shown::None, show))
    }

    /// A value without default; `None` if it is missing or wrong, which is reported.
    pub(super) fn require<T>(
        &self,
        name: &'static str,
        expected: &'static str,
        reading: &mut Reading<'_>,
        read: impl FnOnce(&Value<'t>, &mut Reading<'_>) -> Result<T, Bad>,
        show: impl FnOnce(&T) -> Shown,
    ) -> Option<T> {
        if self.find(name, reading).is_none() {
            let headed = || {
                let mut places = keys::headed(self.table);
                if self.whose.site().is_some() { places.pop().unwrap_or_default() } else { places.swap_remove(0) }
            };
            let place = self.own.as_ref().map_or_else(headed, |table| table.place().to_owned());
            reading.refuse(self.at(&[]), Problem::Missing { place, key: name, expected });
            return None;
        }
        self.optional(name, reading, read, show)
    }

    /// Refuses a key that needs another, or has no effect here.
    pub(super) fn alone(&self, key: &'static str, without: &'static str, reading: &mut Reading<'_>) {
        reading.refuse(self.at(&[key]), Problem::Alone { key, without });
    }

    /// Refuses a value because of others.
    pub(super) fn refuse(
        &self,
        key: &'static str,
        value: impl Into<String>,
        expected: impl Into<String>,
        reading: &mut Reading<'_>,
    ) {
        let (value, expected) = (value.into(), expected.into());
        reading.refuse(self.at(&[key]), Problem::Value { key: key.into(), value, expected });
    }

    /// A path, from the configuration's folder.
    pub(super) fn path(&self, name: &'static str, reading: &mut Reading<'_>) -> Option<PathBuf> {
        self.optional(name, reading, |value, reading| Ok(reading.path(value.one_line()?)), PathBuf::shown)
    }

    pub(super) fn contradict(
        &self,
        reading: &mut Reading<'_>,
        (name, value): (&'static str, Shown),
        (other, other_value): (&'static str, Shown),
        why: &'static str,
    ) {
        let problem = ConfigProblem::Contradiction {
            key: self.named(name),
            value: value.to_string(),
            other: self.named(other),
            other_value: other_value.to_string(),
            why,
        };
        reading.refuse(self.at(&[name, other]), Problem::other(problem));
    }

    fn named(&self, name: &str) -> String {
        match keys::below(self.table) {
            "" => name.into(),
            table => format!("{table}.{name}"),
        }
    }

    pub(super) fn duration(
        &self,
        name: &'static str,
        bounds: RangeInclusive<Duration>,
        usual: Duration,
        reading: &mut Reading<'_>,
    ) -> Duration {
        self.take(name, usual, reading, |value, _| value.duration(bounds), |value| Shown::Duration(*value))
    }

    pub(super) fn count<T: TryFrom<u64> + TryInto<u64> + Copy>(
        &self,
        name: &'static str,
        bounds: RangeInclusive<u64>,
        usual: T,
        reading: &mut Reading<'_>,
    ) -> T {
        let read = |value: &Value<'t>, _: &mut Reading<'_>| whole(value, bounds.clone(), Value::whole);
        self.take(name, usual, reading, read, |value| Shown::Count((*value).try_into().unwrap_or(u64::MAX)))
    }

    pub(super) fn bytes<T: TryFrom<u64> + TryInto<u64> + Copy>(
        &self,
        name: &'static str,
        bounds: RangeInclusive<u64>,
        usual: T,
        reading: &mut Reading<'_>,
    ) -> T {
        let read = |value: &Value<'t>, _: &mut Reading<'_>| whole(value, bounds.clone(), Value::bytes);
        self.take(name, usual, reading, read, |value| Shown::Bytes((*value).try_into().unwrap_or(u64::MAX)))
    }

    pub(super) fn share(&self, name: &'static str, usual: f64, reading: &mut Reading<'_>) -> f64 {
        self.take(name, usual, reading, |value, _| value.share(), |value| Shown::Share(*value))
    }

    pub(super) fn flag(&self, name: &'static str, usual: bool, reading: &mut Reading<'_>) -> bool {
        self.take(name, usual, reading, |value, _| value.flag(), |value| Shown::Flag(*value))
    }

    pub(super) fn choice<T: Clone + PartialEq>(
        &self,
        name: &'static str,
        words: &[(&'static str, T)],
        usual: T,
        reading: &mut Reading<'_>,
    ) -> T {
        let word = |value: &T| words.iter().find(|(_, meaning)| meaning == value).map_or("", |(word, _)| *word);
        self.take(name, usual, reading, |value, _| value.choice(words), |value| Shown::Text(word(value).into()))
    }
}

fn whole<'t, T: TryFrom<u64>>(
    value: &Value<'t>,
    bounds: RangeInclusive<u64>,
    read: impl FnOnce(&Value<'t>, RangeInclusive<u64>) -> Result<u64, Bad>,
) -> Result<T, Bad> {
    // The bounds lie within the type; if they did not, the number is too large all the same.
    T::try_from(read(value, bounds)?).map_err(|_| value.refuse("too large", "a smaller number"))
}

/// A table; `None` if it is missing, which is reported.
pub(super) fn table<'t>(top: &Level<'t>, name: &'static str, place: &str, r: &mut Reading<'_>) -> Option<Level<'t>> {
    let Some((value, origin)) = top.find(name, r) else {
        top.explain(name, Shown::None, Origin::BuiltIn, r);
        return None;
    };
    let opened = r.keep(Table::of(&value, place, "a table"))?;
    top.explain(name, Shown::Flag(true), origin, r);
    r.bads.extend(strangers(&opened, &keys::names(name)));
    Some(Level::of(name, opened))
}
