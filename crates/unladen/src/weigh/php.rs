//! What the PHPs that follow say of themselves, as evidence: [`php_settings`].

use unladen_probe::{GroupId, Instrument, PhpSettings};
use unladen_trace::{Evidence, Missing, Source};

/// Asks one process of each group that runs PHP. A group of another program has none to ask.
pub(super) fn php_settings(instrument: &Instrument, groups: &[GroupId], evidence: &mut Evidence) {
    let mut failed = None;
    for (index, group) in groups.iter().enumerate() {
        let exe = evidence.groups[index].exe.as_deref().and_then(|exe| exe.rsplit('/').next());
        let is_php = exe.is_some_and(|name| name.starts_with("php"));
        let Some(member) = instrument.members(*group).next().filter(|_| is_php) else { continue };
        match PhpSettings::of(member.pid) {
            Ok(php) => evidence.php.push(unladen_trace::PhpSettings {
                group: index,
                ini: php.ini,
                ini_folder: php.ini_folder,
                fpm_config: php.fpm_config,
                extensions: php.extensions,
                settings: php.settings,
            }),
            Err(error) => failed = Some(error.to_string()),
        }
    }
    match failed {
        Some(why) => evidence.missing.push(Missing { source: Source::PhpSettings, why, takes: String::new() }),
        None => evidence.sources.push(Source::PhpSettings),
    }
}
