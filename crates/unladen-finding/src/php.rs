//! The principal function is [`fix`]: lines for a group's PHP settings, their file, and the command that applies them;
//! [`switched`] adds the knob that proves them.

use std::path::Path;

use unladen_trace::{Evidence, FileOutcome, FileSeen, PhpSetAgain, PhpSetter, PhpSettings};

use crate::fix::Fix;
use crate::folders::named_file;
use crate::knob::{InPlace, Knob, KnobService};
use crate::server;
use crate::stack::{is_apache, is_contained, program};

pub(crate) const FILE: &str = unladen_trace::PHP_FILE;

/// Lines for a group's PHP settings. A line that something overrides is changed there, if the place is known.
pub(crate) fn fix(evidence: &Evidence, group: usize, advice: impl Into<String>, lines: &[&str]) -> Fix {
    let again = SetAgain::of(evidence.php_of(group), lines, reload(evidence, group).as_deref());
    let mut advice = advice.into();
    again.told.iter().chain(&unseen(evidence, group)).for_each(|told| advice.push_str(&format!("; {told}")));
    let mut fix = Fix::advice(advice).of(Some(group));
    if !again.left.is_empty() {
        fix = fix.lines(file(evidence, group), again.left);
    }
    fix = again.changes.iter().fold(fix, |fix, change| fix.command(&change.there));
    fix = reload(evidence, group).into_iter().fold(fix, Fix::command);
    Fix { in_place: again.changes, is_partial: again.is_partial, ..fix }
}

/// Possible overrides that were not looked into.
fn unseen(evidence: &Evidence, group: usize) -> Vec<String> {
    let mut told = Vec::new();
    if let Some(why) = evidence.php_of(group).and_then(|php| php.pool_unknown.as_ref()) {
        told.push(format!(
            "{why}; if the pool sets this, change it there: a pool's settings override all settings \
            files"
        ));
    }
    if is_apache(evidence, group) {
        told.push(
            "php_admin_value, php_admin_flag, php_value and php_flag of Apache's own settings and of .htaccess \
             override it: if one of them sets this, change it there"
                .to_owned(),
        );
    }
    if let Some(file) = user_ini(evidence, group) {
        told.push(format!("{file} is read later: if it sets this, change it there"));
    }
    told
}

/// The application's own settings file, which PHP reads for scripts of its folder.
fn user_ini(evidence: &Evidence, group: usize) -> Option<&str> {
    let name =
        setting(evidence.php_of(group), "user_ini.filename").filter(|name| !name.is_empty()).unwrap_or(".user.ini");
    let is_one = |seen: &FileSeen| {
        seen.outcome == FileOutcome::Found && Path::new(&seen.path).file_name().is_some_and(|file| file == name)
    };
    named_file(evidence, group, is_one).map(|seen| seen.path.as_str())
}

pub(crate) fn is_set_again(evidence: &Evidence, group: usize, name: &str) -> bool {
    evidence.php_of(group).is_some_and(|php| php.set_again.iter().any(|again| again.name == name))
}

/// Adds the knob if the file is Unladen's own (a knob replaces the file), or if lines are changed in place, reversibly.
pub(crate) fn switched(evidence: &Evidence, group: usize, fix: Fix, name: &str) -> Fix {
    let is_own = fix.lines.is_empty() || fix.file.as_deref().is_some_and(|file| file.ends_with(FILE));
    if fix.is_partial || !is_own || (fix.lines.is_empty() && fix.in_place.is_empty()) {
        return fix;
    }
    // CGI reads its settings for each request.
    let service = (!is_cgi(evidence, group)).then(|| service(evidence, group));
    let of_file = |file: &String| Knob::of_file(name, file, &fix.lines, service.clone());
    let own = fix.file.as_ref().filter(|_| !fix.lines.is_empty()).map(of_file);
    let mut knob = own.unwrap_or_else(|| Knob { name: name.to_owned(), service, ..Knob::default() });
    let all = |way: fn(&InPlace) -> String| fix.in_place.iter().map(way).collect::<Vec<_>>().join(" && ");
    if !fix.in_place.is_empty() {
        let there = all(|change| format!("{} && {}", change.there, change.is_there));
        knob.commands = Some((there, all(|change| change.back.clone())));
    }
    Fix { knob: Some(knob), ..fix }
}

pub(crate) fn service(evidence: &Evidence, group: usize) -> KnobService {
    KnobService { name: "php".to_owned(), restart: reload(evidence, group), is_application: true }
}

pub(crate) fn setting<'a>(php: Option<&'a PhpSettings>, name: &str) -> Option<&'a str> {
    php?.settings.get(name).map(String::as_str)
}

/// Whether `open_basedir`, a list of folders or files, lets PHP read a file.
pub(crate) fn may_read(php: &PhpSettings, file: &str) -> bool {
    is_unbound(php) || {
        let within = |bound: &str| Path::new(file).starts_with(bound);
        setting(Some(php), "open_basedir").unwrap_or_default().split(':').filter(|bound| !bound.is_empty()).any(within)
    }
}

pub(crate) fn is_unbound(php: &PhpSettings) -> bool {
    matches!(setting(Some(php), "open_basedir"), None | Some("" | "no value"))
}

/// A numeric setting, `128` or `128M`.
pub(crate) fn number(php: Option<&PhpSettings>, name: &str) -> Option<u64> {
    let value = setting(php, name)?;
    value.trim_end_matches(|last: char| !last.is_ascii_digit()).parse().ok()
}

/// A size setting, `4096K` or `4M`, in bytes.
pub(crate) fn bytes(php: Option<&PhpSettings>, name: &str) -> Option<u64> {
    let unit = match setting(php, name)?.bytes().last()?.to_ascii_lowercase() {
        b'k' => 1 << 10,
        b'm' => 1 << 20,
        b'g' => 1 << 30,
        _ => 1,
    };
    Some(number(php, name)?.saturating_mul(unit))
}

pub(crate) fn has_extension(php: Option<&PhpSettings>, name: &str) -> Option<bool> {
    let extensions = &php?.extensions;
    (!extensions.is_empty()).then(|| extensions.iter().any(|loaded| loaded.eq_ignore_ascii_case(name)))
}

pub(crate) fn has_opcache(evidence: &Evidence, group: usize) -> Option<bool> {
    let php = evidence.php_of(group)?;
    if has_extension(Some(php), "Zend OPcache") == Some(false) {
        return Some(false);
    }
    let enabled = php.is_on("opcache.enable")?;
    // The command-line server has its own switch besides.
    let cli = is_cli(evidence, group) && php.is_on("opcache.enable_cli") == Some(false);
    Some(enabled && !cli)
}

/// Whether it is the command-line server: `php -S`.
pub(crate) fn is_cli(evidence: &Evidence, group: usize) -> bool {
    let name = program(evidence, group);
    name.strip_prefix("php").is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
}

pub(crate) fn is_cgi(evidence: &Evidence, group: usize) -> bool {
    program(evidence, group).starts_with("php-cgi")
}

pub(crate) fn reload(evidence: &Evidence, group: usize) -> Option<String> {
    let name = program(evidence, group);
    if let Some(seen) = server::of(evidence, Some(group)).filter(|_| name.starts_with("php-fpm")) {
        return server::fpm(seen);
    }
    match name.strip_prefix("php-fpm") {
        // Debian has the version in the name of the executable and of the unit.
        Some("") => Some(server::service(evidence, "reload", "php-fpm")),
        Some(version) => is_version(version).then(|| server::service(evidence, "reload", &format!("php{version}-fpm"))),
        None if is_apache(evidence, group) && !server::has_systemd(evidence) => {
            Some(server::apache(server::of(evidence, Some(group))))
        }
        None if is_apache(evidence, group) => Some(server::service(evidence, "reload", name)),
        None => None,
    }
}

/// File whose end takes a line for the pool, if known.
pub(crate) fn pool_file(evidence: &Evidence, group: usize) -> Option<String> {
    if let Some(php) = evidence.php_of(group) {
        let exe = |group: usize| evidence.groups.get(group).and_then(|seen| seen.exe.as_deref());
        // A master belongs to no pool or several; a worker of another user was asked in another group.
        let workers = evidence.php.iter().filter(|of| of.group != group && exe(of.group) == exe(group));
        let mut files = [php].into_iter().chain(workers).map(|of| &of.fpm_config).filter(|file| !file.is_empty());
        // A line in any other file would be another pool's.
        return files.next().cloned();
    }
    // The host's name says nothing about the container's.
    let is_ours = !is_contained(evidence, group);
    debian(evidence, group).filter(|_| is_ours).map(|folder| format!("{folder}/pool.d/www.conf"))
}

pub(crate) fn file(evidence: &Evidence, group: usize) -> String {
    let php = evidence.php_of(group);
    let known = |file: fn(&PhpSettings) -> &str| php.map(file).filter(|file| !file.is_empty());
    // The last of several folders is read last; an empty one means the built-in folder (PHP_INI_SCAN_DIR).
    let last = |folders: &'_ str| folders.rsplit(':').find(|folder| !folder.is_empty()).map(str::to_owned);
    if let Some(folder) = known(|php| &php.ini_folder).and_then(last) {
        return format!("{}/{FILE}", folder.trim_end_matches('/'));
    }
    if let Some(ini) = known(|php| &php.ini) {
        return ini.to_owned();
    }
    // The host's folder names say nothing about the container's.
    if let Some(container) = evidence.groups.get(group).and_then(|group| group.container.as_ref()) {
        return container.php_folder.as_ref().map_or_else(|| "php.ini".into(), |folder| format!("{folder}/{FILE}"));
    }
    debian(evidence, group).map_or_else(|| "php.ini".into(), |folder| format!("{folder}/conf.d/{FILE}"))
}

/// Debian's settings folder, if the executable has a name that only Debian uses.
fn debian(evidence: &Evidence, group: usize) -> Option<String> {
    let version = program(evidence, group).strip_prefix("php-fpm")?;
    let folder = is_version(version).then(|| format!("/etc/php/{version}/fpm"))?;
    // A PHP-FPM started with another settings file reads that file's pools.
    let config = server::of(evidence, Some(group)).and_then(|server| server.config.as_ref());
    config.is_none_or(|config| Path::new(config).starts_with(&folder)).then_some(folder)
}

/// Whether it is a version as Debian writes it, and safe in a shell: anybody can choose a program's name.
fn is_version(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// Any place can switch it off, and it is on only if none does: all of them have to be changed.
const ONLY_OFF: &str = "opcache.enable";

/// Lines for PHP's settings, compared with what overrides them.
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
        let what = if change.is_some() { "the command below changes that line" } else { "change it there" };
        self.is_partial |= change.is_none();
        let at = || format!("in line {} of {}", place.line, place.file);
        self.told.push(match place.by {
            PhpSetter::Pool if place.file.is_empty() => {
                let why = place.unknown.as_deref().unwrap_or("its file is not known");
                format!(
                    "the pool {} sets {name} itself, which overrides all settings files; its line was not found \
                     ({why}): change it there",
                    place.who
                )
            }
            PhpSetter::Pool => format!(
                "the pool {} sets {name} itself, {}, which overrides all settings files: {what}",
                place.who,
                at()
            ),
            PhpSetter::File => format!("{name} is set again {}, which is read last: {what}", at()),
            PhpSetter::CommandLine => {
                let unit = reload.and_then(|command| command.strip_prefix("systemctl reload "));
                let shown = unit.map(|unit| format!(" (`systemctl cat {unit}` shows it)")).unwrap_or_default();
                format!(
                    "it was started with `{}`, which overrides all settings files: remove that where it is \
                     started{shown}, and restart it",
                    place.who
                )
            }
            PhpSetter::Environment => {
                format!(
                    "it was started with {} in its environment, which overrides {name}: remove that, and restart \
                    it",
                    place.who
                )
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
