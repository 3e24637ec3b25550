//! The principal type is [`SetAgain`]: lines for PHP's settings, compared with what overrides them.

use unladen_trace::{PhpSetAgain, PhpSetter, PhpSettings};

use crate::in_place::InPlace;

/// Any place can switch it off, and it is on only if none does: all of them have to be changed.
const ONLY_OFF: &str = "opcache.enable";

#[derive(Debug, Default)]
pub(crate) struct SetAgain {
    /// Lines that a settings file decides.
    pub(crate) left: Vec<String>,
    /// Changes of the places that set the others.
    pub(crate) changes: Vec<InPlace>,
    /// Part of a sentence for each of those places.
    pub(crate) told: Vec<String>,
    pub(crate) is_partial: bool,
}

impl SetAgain {
    /// For lines `name=value`. `reload` names the service whose start the user has to look at.
    pub(crate) fn of(php: Option<&PhpSettings>, lines: &[&str], reload: Option<&str>) -> Self {
        let mut again = Self::default();
        for line in lines {
            let (name, value) = line.split_once('=').map_or((*line, ""), |(name, value)| (name.trim(), value.trim()));
            let places: Vec<&PhpSetAgain> =
                php.into_iter().flat_map(|php| &php.set_again).filter(|place| place.name == name).collect();
            if places.is_empty() || needs_both(name, &places) {
                again.left.push((*line).to_owned());
            }
            places.into_iter().for_each(|place| again.add(place, name, value, reload));
        }
        again
    }

    fn add(&mut self, place: &PhpSetAgain, name: &str, value: &str, reload: Option<&str>) {
        let change = InPlace::of_setting(&place.file, place.line, &place.text, value);
        let what = if change.is_some() { "a command changes that line" } else { "change it there" };
        self.is_partial |= change.is_none();
        let at = || format!("in line {} of {}", place.line, place.file);
        self.told.push(match place.by {
            PhpSetter::Pool if place.file.is_empty() => {
                let why = place.unknown.as_deref().unwrap_or("its file is not known");
                format!(
                    "the pool {} sets {name} itself, which comes after all settings files, and in which line of its own file was not found \
                     ({why}): change it there",
                    place.who
                )
            }
            PhpSetter::Pool => format!(
                "the pool {} sets {name} itself, {}, which comes after all settings files: {what}",
                place.who,
                at()
            ),
            PhpSetter::File => format!("{name} is set again {}, which is read last: {what}", at()),
            PhpSetter::CommandLine => {
                let unit = reload.and_then(|command| command.strip_prefix("systemctl reload "));
                let shown = unit.map(|unit| format!(" (`systemctl cat {unit}` shows it)")).unwrap_or_default();
                format!(
                    "it was started with `{}`, which comes after all settings files: take that out where it is started{shown}, and restart it",
                    place.who
                )
            }
            PhpSetter::Environment => {
                format!("it was started with {} in its environment, which comes before {name}: take that out, and restart it", place.who)
            }
        });
        self.changes.extend(change);
    }
}

/// Whether the settings file has to say it too: what can only be switched off is off there as well.
fn needs_both(name: &str, places: &[&PhpSetAgain]) -> bool {
    let is_on = |place: &&PhpSetAgain| place.in_files.as_deref().is_some_and(PhpSettings::reads_as_on);
    name == ONLY_OFF && places.iter().all(|place| place.by != PhpSetter::File) && !places.iter().any(is_on)
}

#[cfg(test)]
mod tests;
