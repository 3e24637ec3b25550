//! What the PHPs that follow say of themselves, as evidence: [`php_settings`].

use unladen_probe::{GroupId, Instrument, PhpSettings};
use unladen_trace::{Evidence, Missing, Source};

/// Asks one process of each group that runs PHP: the one that answered most, if that is known. A group of another program has
/// none to ask.
pub(super) fn php_settings(
    instrument: &Instrument,
    groups: &[GroupId],
    busiest: &[Option<u32>],
    evidence: &mut Evidence,
) {
    let mut failed = None;
    for (index, group) in groups.iter().enumerate() {
        let exe = evidence.groups[index].exe.as_deref().and_then(|exe| exe.rsplit('/').next());
        let is_php = exe.is_some_and(|name| name.starts_with("php"));
        let busiest = busiest.get(index).copied().flatten().map(u32::cast_signed);
        let any = || instrument.members(*group).next().map(|member| member.pid);
        let Some(pid) = busiest.or_else(any).filter(|_| is_php) else { continue };
        match PhpSettings::of(pid) {
            Ok(php) => evidence.php.push(unladen_trace::PhpSettings {
                group: index,
                ini: php.ini,
                ini_folder: last_folder(&php.ini_folder).to_owned(),
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

/// Of several folders of settings the one that is read last, whose settings count. PHP sets them apart by colons, and an empty one
/// is its own.
fn last_folder(folders: &str) -> &str {
    folders.rsplit(':').find(|folder| !folder.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_that_is_read_last_has_the_last_word() {
        assert_eq!(last_folder(":/srv/php.d"), "/srv/php.d");
        assert_eq!(last_folder("/etc/php/8.2/fpm/conf.d"), "/etc/php/8.2/fpm/conf.d");
        assert_eq!(last_folder(""), "");
    }
}
