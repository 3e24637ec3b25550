//! Very many checks whether files exist.

use std::collections::BTreeMap;

use unladen_trace::{
    Counted, Evidence, EvidenceSource, FileCall, FileOutcome, FileSeen, Interval, LockKind, PhpSettings, Series,
};

use crate::application::Application;
use crate::finding::{Figure, Finding, Item, Removes, Rule, Saves, Share, at_least};
use crate::fix::Fix;
use crate::folders::{around, folders, named_file};
use crate::knob::Once;
use crate::rules::files::{
    MOST_REQUESTS, asks_now_and_then, held, is_source, latency_of_checks, lock_files, revalidated, without_suffix,
};
use crate::rules::same_file_again::checked_again;
use crate::rules::web_server;
use crate::stack::{Stack, applications};
use crate::words::{count, plain};
use crate::{php, quoting};

/// Fewer checks (a request) are not worth a change: at 2.5 µs each (see [`latency_of_checks`]) they take 0.25 ms.
const LEAST_CHECKS: f64 = 100.0;

pub(super) const RULE: Rule = Rule {
    name: "stat-storm",
    about: "a request checks hundreds of files, many of which do not exist",
    needs: &[EvidenceSource::Syscalls],
    reads: &[],
    page: include_str!("../../pages/stat-storm.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    applications(evidence).filter_map(|group| of_group(evidence, group)).collect()
}

fn of_group(evidence: &Evidence, group: usize) -> Option<Finding> {
    let checks = checks_of(evidence, group);
    let all = at_least(evidence, &Series::sum(checks.iter().map(|check| &check.count)), LEAST_CHECKS)?;
    let (summary, figures) = told(evidence, &checks)?;
    let Chosen { fix, removes } = fix(evidence, group, &checks);
    let takes = Share::of_latency(evidence, time(evidence, &checks));
    Some(Finding {
        summary,
        figures,
        items: Item::largest(folders(checks.iter().map(|check| (check.file.path.as_str(), check.mean)))),
        saves: Saves::part_of(&takes, removes),
        removes: Removes::part("checks", all.value * removes, all.value),
        ..Finding::of(&RULE, evidence, Some(group), takes, fix)
    })
}

/// The counts, in the words of the table of counts: there a failed opening is no file check.
fn told(evidence: &Evidence, checks: &[Check<'_>]) -> Option<(String, Vec<Figure>)> {
    let sum = |of: &dyn Fn(&Check<'_>) -> bool| {
        evidence.per_request(&Series::sum(checks.iter().filter(|check| of(check)).map(|check| &check.count)))
    };
    let (checked, openings) = (sum(&|check| !check.is_opening())?, sum(&|check| check.is_opening())?);
    let missing = sum(&|check| !check.is_opening() && check.is_missing())?;
    let (mut said, mut figures) = (Vec::new(), Vec::new());
    if checked.low > 0.0 {
        said.push(format!("{} file checks", count(checked)));
        figures.push(Figure { name: "checks", unit: "1", value: checked });
    }
    if openings.low > 0.0 {
        said.push(format!("{} openings of files that do not exist", count(openings)));
        figures.push(Figure { name: "openings_missing", unit: "1", value: openings });
    }
    let mut summary = format!("{} per request", said.join(" and "));
    if missing.low > 0.0 {
        let of = if said.len() > 1 { "the checks" } else { "them" };
        summary += &format!(", {} of {of} for files that do not exist", plain(missing.value.round()));
        figures.push(Figure { name: "checks_missing", unit: "1", value: missing });
    }
    Some((summary, figures))
}

fn time(evidence: &Evidence, checked: &[Check<'_>]) -> Option<Interval> {
    let all = Counted::sum(checked.iter().map(|check| &check.file.counted));
    let part = evidence.mean(&Series::sum(checked.iter().map(|check| &check.count))) / evidence.mean(&all.count);
    let kernel = evidence.time_of(&all.count, &all.time_ns)?;
    Some(latency_of_checks(kernel.scaled(part)))
}

struct Check<'a> {
    file: &'a FileSeen,
    /// Without those that other rules report.
    count: Series,
    mean: f64,
}

impl Check<'_> {
    fn is_opening(&self) -> bool {
        self.file.call == FileCall::Open
    }

    fn is_missing(&self) -> bool {
        self.file.outcome == FileOutcome::Missing
    }
}

/// The group's checks, except those that `opcache-revalidation`, `same-file-again` and `lock-churn` report.
fn checks_of(evidence: &Evidence, group: usize) -> Vec<Check<'_>> {
    let (by_php, again) = (revalidated(evidence, group), checked_again(evidence, group));
    let now_and_then = asks_now_and_then(evidence, group);
    let locks = lock_files(evidence, group);
    let on_the_way = around(locks.iter().copied());
    let taken = evidence.locks.iter().filter(|seen| seen.group == group && seen.kind == LockKind::File);
    let taken = Series::sum(taken.map(|seen| &seen.counted.count));
    let of = |told: &[&FileSeen], file: &FileSeen| told.iter().any(|one| std::ptr::eq(*one, file));
    evidence
        .files
        .iter()
        .filter(|file| file.group == group && is_check(file) && !locks.contains(file.path.as_str()))
        // SQLite looks for its journals whenever it locks its database: only fewer statements reduce these checks.
        .filter(|file| without_suffix(&file.path) == file.path)
        .map(|file| {
            let counted = &file.counted;
            let mut count = if of(&again, file) { counted.requests.clone() } else { counted.count.clone() };
            if of(&by_php, file) {
                count = count.less(&counted.requests);
            } else if now_and_then && is_revalidated(file) && !of(&again, file) {
                count = usual(evidence, counted);
            }
            if on_the_way.contains(file.path.as_str()) {
                count = count.less(&taken);
            }
            Check { file, mean: evidence.mean(&count), count }
        })
        .filter(|check| !check.count.is_zero())
        .collect()
}

/// Whether PHP itself checks the file to see if a source has changed.
fn is_revalidated(file: &FileSeen) -> bool {
    file.call == FileCall::Stat && file.outcome == FileOutcome::Found && is_source(&file.path)
}

/// A count without occasional extras: 0 for a file that few requests check, else the usual number.
fn usual(evidence: &Evidence, counted: &Counted) -> Series {
    let requests = evidence.mean(&counted.requests);
    if requests < MOST_REQUESTS {
        return Series::default();
    }
    counted.requests.times((evidence.mean(&counted.count) / requests).round() as u64)
}

fn is_check(file: &FileSeen) -> bool {
    match file.call {
        FileCall::Stat | FileCall::Access | FileCall::Readlink => true,
        FileCall::Open => file.outcome != FileOutcome::Found,
        _ => false,
    }
}

/// Part of all checks from which a kind decides about the fix: a quarter less is a difference that shows.
const TELLING: f64 = 0.25;
const MOST: f64 = 0.5;
/// PHP's default, seconds: a path is resolved once in hundreds of requests.
const LEAST_TTL: u64 = 120;
/// Whether PHP asks the opcode cache before the file system.
const OVERRIDE: &str = "opcache.enable_file_override";

const PERL_FILES: &[&str] = &[".pm", ".pmc", ".pl", ".al"];
const PYTHON_FILES: &[&str] = &[".py", ".pyc", ".so", ".pyd"];
/// What Apache looks for in every folder.
const HTACCESS: &[&str] = &["/.htaccess"];

const PREPEND: &str = "auto_prepend_file";
const MAP: &str = "unladen-classmap.php";

struct Chosen {
    fix: Fix,
    /// Part of all checks that it removes, 0 to 1.
    removes: f64,
}

fn fix(evidence: &Evidence, group: usize, checks: &[Check<'_>]) -> Chosen {
    let ends_with = |check: &Check<'_>, ends: &[&str]| ends.iter().any(|end| check.file.path.ends_with(end));
    let named = |ends: &[&str]| part_of(checks, |check| ends_with(check, ends));
    let mut removes = 1.0;
    let advice = match Stack::of(evidence, group) {
        Stack::Php => return php_fix(evidence, group, checks),
        Stack::Nginx => {
            let lines =
                ["open_file_cache max=10000 inactive=60s;", "open_file_cache_valid 30s;", "open_file_cache_errors on;"];
            let fix = web_server::nginx(
                evidence,
                Some(group),
                "let nginx remember found and missing files; a shorter list in try_files checks fewer",
                "open-file-cache",
                lines.map(str::to_owned).to_vec(),
            );
            let fix = web_server::switched(evidence, fix, "nginx remembers files");
            return Chosen { fix, removes };
        }
        Stack::Perl if named(PERL_FILES) >= MOST => {
            removes = named(PERL_FILES);
            "Perl looks for each module in all folders of @INC: put the folder that holds most of them first (use lib, PERL5LIB, or -I), and load modules once, when the process starts"
        }
        Stack::Python if named(PYTHON_FILES) >= TELLING => {
            removes = named(PYTHON_FILES);
            "Python looks for each module in all folders of sys.path: fewer entries, modules imported once when the process starts, a zipped library, compiled files (python3 -m compileall)"
        }
        Stack::Apache if named(HTACCESS) >= TELLING => {
            removes = named(HTACCESS);
            "Apache looks for .htaccess in every folder of the path: move what they say into the server's configuration, and switch them off there (AllowOverride None)"
        }
        _ => {
            "keep the results in the process, and check again only after seconds; or list the folder once instead of \
             checking each of its files"
        }
    };
    Chosen { fix: Fix::advice(advice), removes }
}

/// Part of all checks that the opcode cache can answer: for sources that it holds, not for files only checked.
fn answered(evidence: &Evidence, group: usize, checks: &[Check<'_>]) -> f64 {
    let held = held(evidence, group);
    let is_held = |path: &str| held.as_ref().is_none_or(|held| held.contains(path));
    part_of(checks, |check| !check.is_missing() && is_source(&check.file.path) && is_held(&check.file.path))
}

/// Whether the opcode cache can answer a significant part of the checks, and more than are for missing files.
fn is_telling(answered: f64, checks: &[Check<'_>]) -> bool {
    answered >= TELLING && answered > part_of(checks, |check| check.is_missing())
}

fn part_of(checks: &[Check<'_>], kind: impl Fn(&Check<'_>) -> bool) -> f64 {
    let all: f64 = checks.iter().map(|check| check.mean).sum();
    checks.iter().filter(|check| kind(check)).map(|check| check.mean).sum::<f64>() / all
}

fn php_fix(evidence: &Evidence, group: usize, checks: &[Check<'_>]) -> Chosen {
    let settings = evidence.php_of(group);
    // Useless if already on, or without an opcode cache.
    let is_asked =
        settings.and_then(|php| php.is_on(OVERRIDE)) == Some(true) || php::has_opcache(evidence, group) == Some(false);
    let with = |advice: &str, lines: &[&str], name: &str, removes: f64| {
        let fix = php::switched(evidence, group, php::fix(evidence, group, advice, lines), name);
        Chosen { fix, removes }
    };
    let without = |advice: &str, removes: f64| Chosen { fix: Fix::advice(advice), removes };
    let answered = answered(evidence, group, checks);
    let line = format!("{OVERRIDE}=1");
    let knob = "file checks from the opcode cache";

    if is_mediawiki(evidence, group) {
        return mediawiki_fix(evidence, group, checks, is_asked);
    }
    if let Some(project) = composer_project(checks) {
        let chosen = without(
            "Composer's loader tries folders for each class: make a class map at each deployment, and require it after vendor/autoload.php (or let Composer write one into its own loader: composer dump-autoload --optimize)",
            part_of(checks, |check| check.is_missing() && is_source(&check.file.path)),
        );
        let fix = chosen.fix.command(format!("unladen classmap {}", quoting::word(project)));
        return Chosen { fix, ..chosen };
    }
    let folders = around(checks.iter().map(|check| check.file.path.as_str()));
    let of_folders = part_of(checks, |check| folders.contains(check.file.path.as_str()));
    if of_folders >= MOST {
        if settings.is_some_and(|php| !php::is_unbound(php)) {
            return without(
                "PHP resolves each folder of each path, because open_basedir switches its realpath cache off: \
                 separate sites by users and pools instead",
                of_folders,
            );
        }
        if has_room(settings) {
            let advice = if removes(evidence, group) {
                "PHP empties its realpath cache whenever a file is removed or renamed, and resolves each folder of \
                 each path again: remove files after the request, or in a separate job"
            } else {
                "PHP resolves each folder of each path again, though its realpath cache is large: list a folder once \
                 (scandir) instead of checking each of its files"
            };
            return without(advice, of_folders);
        }
        return with(
            "PHP resolves each folder of each path again: its realpath cache is too small or too short-lived",
            &["realpath_cache_size=4096K", "realpath_cache_ttl=600"],
            "larger realpath cache",
            of_folders,
        );
    }
    // It answers only for files that it holds: for missing ones PHP still asks the file system.
    if !is_asked && is_telling(answered, checks) {
        return with(
            "let the opcode cache answer whether a source file exists (file_exists, is_file and is_readable of files \
             that it has)",
            &[&line],
            knob,
            answered,
        );
    }
    Chosen {
        fix: Fix::code(
            evidence,
            group,
            "avoid searching: use a class map instead of folders to try, absolute paths in include, a short \
             include_path; keep results in APCu",
        ),
        removes: 1.0,
    }
}

/// The map of core, extensions and libraries; if one is already on, the opcode cache for the rest.
fn mediawiki_fix(evidence: &Evidence, group: usize, checks: &[Check<'_>], is_asked: bool) -> Chosen {
    let answered = answered(evidence, group, checks);
    // The map answers for all sources.
    let mapped = part_of(checks, |check| is_source(&check.file.path));
    let prepended = php::setting(evidence.php_of(group), PREPEND).unwrap_or_default();
    if prepended.ends_with(MAP) {
        if is_asked || !is_telling(answered, checks) {
            let advice = "a class map is switched on: check whether it is up to date, and what is missing";
            let check = format!("unladen classmap --check -o {}", quoting::word(prepended));
            return Chosen { fix: Fix::advice(advice).command(check), removes: 1.0 };
        }
        let advice = "a class map is switched on; for the remaining checks, the opcode cache can answer for files \
            that exist";
        let fix = php::fix(evidence, group, advice, &[&format!("{OVERRIDE}=1")]);
        let fix = php::switched(evidence, group, fix, "file checks from the opcode cache");
        return Chosen { fix, removes: answered };
    }
    let advice = "MediaWiki searches the disk for each class: write a map of all classes, core, extensions and libraries, and have PHP load it first";
    let Some(root) = mediawiki_root(checks) else {
        let fix = Fix::advice(format!("{advice}, by a line in LocalSettings.php, which it prints"));
        return Chosen { fix: fix.command("unladen classmap DIR # MediaWiki's folder"), removes: mapped };
    };
    let map = map_of(root);
    let settings = local_settings(evidence, group).map(|file| format!(" --settings {}", quoting::word(file)));
    let make =
        format!("unladen classmap{} -o {} {}", settings.unwrap_or_default(), quoting::word(&map), quoting::word(root));
    // Another file is prepended already, or PHP's settings cannot hold the map's name.
    let setting = quoting::ini_text(&map).filter(|_| matches!(prepended, "" | "no value"));
    let Some(setting) = setting.map(|map| format!("{PREPEND}={map}")) else {
        let advice = format!("{advice}, by a line in LocalSettings.php: require {};", quoting::php_text(&map));
        return Chosen { fix: Fix::advice(advice).command(make), removes: mapped };
    };
    if !evidence.php_of(group).is_none_or(|php| php::may_read(php, &map)) {
        let folder = map.trim_end_matches(MAP);
        let advice = format!(
            "{advice}: {setting} in its settings. open_basedir does not let PHP read it there: add {folder} to \
             open_basedir, or write the map into a folder that it allows (-o), and use that path"
        );
        return Chosen { fix: Fix::advice(advice).command(make), removes: mapped };
    }
    let fix = php::fix(evidence, group, advice, &[&setting]);
    let mut fix = php::switched(evidence, group, fix, "class map");
    if let Some(knob) = &mut fix.knob {
        knob.once.push(Once { makes: map, command: make.clone(), undo: None });
    }
    fix.commands.insert(0, make);
    Chosen { fix, removes: mapped }
}

/// In MediaWiki's folder; for a package below `/usr`, where `unladen classmap` writes by default.
fn map_of(root: &str) -> String {
    let is_packaged = root.starts_with("/usr/") && !root.starts_with("/usr/local/");
    format!("{}{root}/{MAP}", if is_packaged { "/var/lib/unladen" } else { "" })
}

fn local_settings(evidence: &Evidence, group: usize) -> Option<&str> {
    let is_one = |file: &FileSeen| {
        file.outcome == FileOutcome::Found && file.path.starts_with('/') && file.path.ends_with("/LocalSettings.php")
    };
    named_file(evidence, group, is_one).map(|file| file.path.as_str())
}

fn mediawiki_root<'a>(checks: &[Check<'a>]) -> Option<&'a str> {
    let mut roots: BTreeMap<&'a str, f64> = BTreeMap::new();
    for check in checks {
        let of = ["/includes/", "/vendor/", "/extensions/", "/skins/"]
            .iter()
            .filter_map(|inner| check.file.path.split_once(inner));
        if let Some((root, _)) = of.min_by_key(|(root, _)| root.len()) {
            *roots.entry(root).or_default() += check.mean;
        }
    }
    roots.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(root, _)| root)
}

/// Whether PHP's path cache is already as large and lasting as this fix would make it.
fn has_room(php: Option<&PhpSettings>) -> bool {
    let size = php::bytes(php, "realpath_cache_size").is_some_and(|size| size >= 4 << 20);
    let ttl = php::number(php, "realpath_cache_ttl").is_some_and(|seconds| seconds >= LEAST_TTL);
    size && ttl
}

/// Whether requests remove or rename files: PHP's unlink(), rename() and rmdir() empty its path cache.
fn removes(evidence: &Evidence, group: usize) -> bool {
    let all = evidence.files.iter().filter(|file| file.group == group && file.outcome == FileOutcome::Found);
    let removals = all.filter(|file| matches!(file.call, FileCall::Unlink | FileCall::Rename));
    evidence.mean(&Series::sum(removals.map(|file| &file.counted.requests))) >= MOST
}

fn is_mediawiki(evidence: &Evidence, group: usize) -> bool {
    Application::of(evidence, group) == Some(Application::MediaWiki)
}

/// The folder around Composer's `vendor` with most missing files, if that is enough of all checks.
fn composer_project<'a>(checks: &[Check<'a>]) -> Option<&'a str> {
    let mut projects: BTreeMap<&'a str, f64> = BTreeMap::new();
    for check in checks.iter().filter(|check| check.is_missing()) {
        if let Some((project, _)) = check.file.path.split_once("/vendor/") {
            *projects.entry(project).or_default() += check.mean;
        }
    }
    let (project, missing) = projects.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let all: f64 = checks.iter().map(|check| check.mean).sum();
    (missing >= TELLING * all).then_some(project)
}

#[cfg(test)]
mod tests;
