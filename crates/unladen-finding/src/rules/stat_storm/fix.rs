//! Fixes for file checks, by their origin and target.

use std::collections::BTreeMap;

use unladen_trace::{Evidence, FileCall, FileOutcome, FileSeen, PhpSettings, Series};

use super::check::Check;
use crate::again;
use crate::application::Application;
use crate::fix::Fix;
use crate::folders::around;
use crate::knob::Once;
use crate::named_file::named_file;
use crate::php;
use crate::quoting;
use crate::rules::sources::{held, is_source};
use crate::rules::web_server;
use crate::stack::Stack;

/// Part of all checks from which a kind decides about the fix: a quarter less is a difference that shows.
const TELLING: f64 = 0.25;
const MOST: f64 = 0.5;
/// PHP's default, seconds: a path is resolved once in hundreds of requests.
const LEAST_TTL: u64 = 120;
/// Whether PHP asks the opcode cache before the file system.
const OVERRIDE: &str = "opcache.enable_file_override";

const PERL: &[&str] = &[".pm", ".pmc", ".pl", ".al"];
const PYTHON: &[&str] = &[".py", ".pyc", ".so", ".pyd"];
/// What Apache looks for in every folder.
const HTACCESS: &[&str] = &["/.htaccess"];

const PREPEND: &str = "auto_prepend_file";
const MAP: &str = "unladen-classmap.php";

pub(super) struct Chosen {
    pub(super) fix: Fix,
    pub(super) check_again: String,
    /// Part of all checks that it removes, 0 to 1.
    pub(super) removes: f64,
}

pub(super) fn fix(evidence: &Evidence, group: usize, checks: &[Check<'_>]) -> Chosen {
    let ends_with = |check: &Check<'_>, ends: &[&str]| ends.iter().any(|end| check.file.path.ends_with(end));
    let named = |ends: &[&str]| part(checks, |check| ends_with(check, ends));
    let mut removes = 1.0;
    let advice = match Stack::of(evidence, group) {
        Stack::Php => return php_fix(evidence, group, checks),
        Stack::Nginx => {
            let lines =
                ["open_file_cache max=10000 inactive=60s;", "open_file_cache_valid 30s;", "open_file_cache_errors on;"];
            let fix = web_server::nginx(
                evidence,
                Some(group),
                "let nginx remember what it found, also what is missing; a shorter list in try_files asks for less",
                "open-file-cache",
                lines.map(str::to_owned).to_vec(),
            );
            let fix = web_server::switched(evidence, fix, "nginx remembers files");
            return Chosen { check_again: again::of(evidence, &fix), fix, removes };
        }
        Stack::Perl if named(PERL) >= MOST => {
            removes = named(PERL);
            "Perl looks for each module in all folders of @INC: put the folder that holds most of them first (use lib, PERL5LIB, or -I), and load modules once, when the process starts"
        }
        Stack::Python if named(PYTHON) >= TELLING => {
            removes = named(PYTHON);
            "Python looks for each module in all folders of sys.path: fewer entries, modules imported once when the process starts, a zipped library, compiled files (python3 -m compileall)"
        }
        Stack::Apache if named(HTACCESS) >= TELLING => {
            removes = named(HTACCESS);
            "Apache looks for .htaccess in every folder of the path: move what they say into the server's configuration, and switch them off there (AllowOverride None)"
        }
        _ => {
            "keep in the process what was found, and ask again only after seconds; or ask for the folder once instead of for each of its files"
        }
    };
    Chosen { fix: Fix::advice(advice), check_again: again::weigh(evidence), removes }
}

/// Part of all checks that the opcode cache can answer: for sources that it holds, not for files only checked.
fn answered(evidence: &Evidence, group: usize, checks: &[Check<'_>]) -> f64 {
    let held = held(evidence, group);
    let is_held = |path: &str| held.as_ref().is_none_or(|held| held.contains(path));
    part(checks, |check| !check.is_missing() && is_source(&check.file.path) && is_held(&check.file.path))
}

/// Whether the opcode cache can answer a significant part of the checks, and more than are for missing files.
fn is_telling(answered: f64, checks: &[Check<'_>]) -> bool {
    answered >= TELLING && answered > part(checks, |check| check.is_missing())
}

fn part(checks: &[Check<'_>], kind: impl Fn(&Check<'_>) -> bool) -> f64 {
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
        Chosen { check_again: again::of(evidence, &fix), fix, removes }
    };
    let without =
        |advice: &str, removes: f64| Chosen { fix: Fix::advice(advice), check_again: again::weigh(evidence), removes };
    let answered = answered(evidence, group, checks);
    let line = format!("{OVERRIDE}=1");
    let knob = "file checks from the opcode cache";

    if is_mediawiki(evidence, group) {
        return mediawiki_fix(evidence, group, checks, is_asked);
    }
    if let Some(project) = composer_project(checks) {
        let chosen = without(
            "Composer's loader tries folders for each class: make a class map at each deployment, and require it after vendor/autoload.php (or let Composer write one into its own loader: composer dump-autoload --optimize)",
            part(checks, |check| check.is_missing() && is_source(&check.file.path)),
        );
        let fix = chosen.fix.command(format!("unladen classmap {}", quoting::word(project)));
        return Chosen { fix, ..chosen };
    }
    let folders = around(checks.iter().map(|check| check.file.path.as_str()));
    let of_folders = part(checks, |check| folders.contains(check.file.path.as_str()));
    if of_folders >= MOST {
        if settings.is_some_and(|php| !php::is_unbound(php)) {
            return without(
                "PHP resolves each folder of each path, because open_basedir switches its cache of paths off: separate sites by users and pools instead",
                of_folders,
            );
        }
        if has_room(settings) {
            let advice = if removes(evidence, group) {
                "PHP forgets its cache of paths whenever a file is removed or renamed, and resolves each folder of each path again: remove files after the request, or by a job of its own"
            } else {
                "PHP resolves each folder of each path again, though its cache of paths is large: ask for a folder once (scandir) instead of for each of its files"
            };
            return without(advice, of_folders);
        }
        return with(
            "PHP resolves each folder of each path again: its cache of paths is too small or too short-lived",
            &["realpath_cache_size=4096K", "realpath_cache_ttl=600"],
            "a larger cache of paths",
            of_folders,
        );
    }
    // It answers only for files that it holds: for missing ones PHP still asks the file system.
    if !is_asked && is_telling(answered, checks) {
        return with(
            "let the opcode cache answer whether a source file is there (file_exists, is_file and is_readable of files that it holds)",
            &[&line],
            knob,
            answered,
        );
    }
    Chosen {
        fix: Fix::code(
            evidence,
            group,
            "replace trying by knowing: a class map instead of folders to try, absolute paths in include, a short include_path; keep what was found in APCu",
        ),
        check_again: again::weigh(evidence),
        removes: 1.0,
    }
}

/// The map of core, extensions and libraries; if one is already on, the opcode cache for the rest.
fn mediawiki_fix(evidence: &Evidence, group: usize, checks: &[Check<'_>], is_asked: bool) -> Chosen {
    let weighed = |fix: Fix, removes: f64| Chosen { fix, check_again: again::weigh(evidence), removes };
    let answered = answered(evidence, group, checks);
    // The map answers for all sources.
    let mapped = part(checks, |check| is_source(&check.file.path));
    let prepended = php::setting(evidence.php_of(group), PREPEND).unwrap_or_default();
    if prepended.ends_with(MAP) {
        if is_asked || !is_telling(answered, checks) {
            let advice = "a class map is switched on: see whether it is still right, and what it lacks";
            let check = format!("unladen classmap --check -o {}", quoting::word(prepended));
            return weighed(Fix::advice(advice).command(check), 1.0);
        }
        let advice = "a class map is switched on; of what is left the opcode cache can answer for files that are there";
        let fix = php::fix(evidence, group, advice, &[&format!("{OVERRIDE}=1")]);
        let fix = php::switched(evidence, group, fix, "file checks from the opcode cache");
        return Chosen { check_again: again::of(evidence, &fix), fix, removes: answered };
    }
    let advice = "MediaWiki looks for its classes: make a map of all of them, core, extensions and libraries, and let PHP read it first";
    let Some(root) = mediawiki_root(checks) else {
        let fix = Fix::advice(format!("{advice}, by a line in LocalSettings.php, which it prints"));
        return weighed(fix.command("unladen classmap DIR # MediaWiki's folder"), mapped);
    };
    let map = map_of(root);
    let settings = local_settings(evidence, group).map(|file| format!(" --settings {}", quoting::word(file)));
    let make =
        format!("unladen classmap{} -o {} {}", settings.unwrap_or_default(), quoting::word(&map), quoting::word(root));
    // Another file is prepended already, or PHP's settings cannot hold the map's name.
    let setting = quoting::ini_text(&map).filter(|_| matches!(prepended, "" | "no value"));
    let Some(setting) = setting.map(|map| format!("{PREPEND}={map}")) else {
        let advice = format!("{advice}, by a line in LocalSettings.php: require {};", quoting::php_text(&map));
        return weighed(Fix::advice(advice).command(make), mapped);
    };
    if !evidence.php_of(group).is_none_or(|php| php::may_read(php, &map)) {
        let folder = map.trim_end_matches(MAP);
        let advice = format!(
            "{advice}: {setting} in its settings. open_basedir does not let PHP read it there: add {folder} to it, or have the map written \
             into a folder that it names (-o), and name that one"
        );
        return weighed(Fix::advice(advice).command(make), mapped);
    }
    let fix = php::fix(evidence, group, advice, &[&setting]);
    let mut fix = php::switched(evidence, group, fix, "class map");
    if let Some(knob) = &mut fix.knob {
        knob.once.push(Once { makes: map, command: make.clone() });
    }
    fix.commands.insert(0, make);
    Chosen { check_again: again::of(evidence, &fix), fix, removes: mapped }
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
