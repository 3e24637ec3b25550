//! [`php_settings`]: settings of the followed PHPs, as evidence.

use std::path::Path;

use unladen_trace::{Evidence, EvidenceSource, Missing};

use crate::instrument::Instrument;
use crate::ledger::GroupId;
use crate::php_settings::{PhpSettings, PhpSettingsError};

pub(super) fn php_settings(
    instrument: &Instrument,
    groups: &[GroupId],
    busiest: &[Option<u32>],
    evidence: &mut Evidence,
) {
    let mut asked = Asked::default();
    for (index, group) in groups.iter().enumerate() {
        let exe = evidence.groups[index].exe.as_deref().and_then(|exe| exe.rsplit('/').next());
        let busiest = busiest.get(index).copied().flatten().map(u32::cast_signed);
        let is_php = exe.is_some_and(|name| name.starts_with("php")) || busiest.is_some_and(PhpSettings::are_within);
        let Some(answer) = is_php.then(|| ask(instrument, *group, busiest)).flatten() else { continue };
        match answer {
            Ok(php) => {
                asked.answered = true;
                evidence.php.push(unladen_trace::PhpSettings {
                    group: index,
                    ini: php.ini,
                    ini_folder: last_folder(&php.ini_folder).to_owned(),
                    fpm_config: php.pool_file,
                    extensions: php.extensions,
                    settings: php.settings,
                    set_again: php.set_again,
                    pool_unknown: php.pool_unknown,
                });
            }
            Err(error) if evidence.groups[index].cpu.is_some() || evidence.groups[index].on_path => {
                asked.failed = Some(error.to_string());
            }
            Err(error) => asked.perhaps_failed = Some(error.to_string()),
        }
    }
    let why = asked.why();
    if asked.answered || why.is_none() {
        evidence.sources.push(EvidenceSource::PhpSettings);
    }
    if let Some(why) = why {
        evidence.missing.push(Missing { source: EvidenceSource::PhpSettings, why, takes: String::new() });
    }
}

/// Asks the busiest process. If that was a replaced worker of PHP-FPM, asks the master instead, as another worker may
/// belong to another pool. `None` if there is nobody to ask.
fn ask(instrument: &Instrument, group: GroupId, busiest: Option<i32>) -> Option<Result<PhpSettings, PhpSettingsError>> {
    let is_alive = |pid: i32| Path::new("/proc").join(pid.to_string()).exists();
    if let Some(pid) = busiest.filter(|pid| is_alive(*pid)) {
        return Some(PhpSettings::of(pid));
    }
    match instrument.members(group).find(|member| is_alive(member.pid)) {
        Some(another) => Some(PhpSettings::of(another.parent).or_else(|_| PhpSettings::of(another.pid))),
        None => busiest.map(PhpSettings::of),
    }
}

#[derive(Debug, Default)]
struct Asked {
    answered: bool,
    /// Why a followed process did not.
    failed: Option<String>,
    /// Why a possibly followed process did not.
    perhaps_failed: Option<String>,
}

impl Asked {
    /// Why settings are missing. Those of possibly followed processes, likely someone else's, are not missed if others
    /// answered.
    fn why(&self) -> Option<String> {
        self.failed.clone().or_else(|| self.perhaps_failed.clone().filter(|_| !self.answered))
    }
}

/// The last non-empty settings folder, whose settings win. PHP separates folders by colons; an empty one is its own.
fn last_folder(folders: &str) -> &str {
    folders.rsplit(':').find(|folder| !folder.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
