//! Very many checks whether files are there.

use std::collections::{BTreeMap, BTreeSet};

use unladen_trace::{Counted, Evidence, FileCall, FileSeen, Interval, Outcome, Series, Source};

use crate::again;
use crate::cure::Cure;
use crate::finding::{Figure, Finding, Item, Share};
use crate::folders::{around, folders};
use crate::php;
use crate::rule::Rule;
use crate::share::{at_least, widened};
use crate::stack::Stack;
use crate::words::{count, plain};

use super::{opcache_revalidation::revalidated, same_file_again::checked_again};

/// Fewer checks (a request) than this are not worth a change: at 2.5 µs each (see [`KERNEL_VALUE`]) they take 0.25 ms.
const LEAST_CHECKS: f64 = 100.0;

/// What a check takes of the latency, over the kernel's part of it, which alone is seen. At MediaWiki 1.39, a class map that took
/// away 690 of 850 `newfstatat` a request made it 1.74 ms faster, 2.5 µs each, of which the kernel's part is 0.9 µs.
pub(super) const KERNEL_VALUE: f64 = 2.7;
/// At least the kernel's part itself.
pub(super) const KERNEL_LOW: f64 = 1.0;
/// At most this: half as much again as at MediaWiki, whose autoloader puts a path together for each check.
pub(super) const KERNEL_HIGH: f64 = 4.0;

/// The part of all checks from which on a kind of them (missing classes of Composer's packages, folders of paths, source files)
/// decides about the cure.
const TELLING: f64 = 0.25;
/// The part from which on a kind is most of them.
const MOST: f64 = 0.5;

/// See `docs/rules/stat-storm.md`.
pub(super) struct StatStorm;

impl Rule for StatStorm {
    fn name(&self) -> &'static str {
        "stat-storm"
    }

    fn about(&self) -> &'static str {
        "a request checks hundreds of files, many of which do not exist"
    }

    fn needs(&self) -> &'static [Source] {
        &[Source::Syscalls]
    }

    fn page(&self) -> &'static str {
        include_str!("../../../../docs/rules/stat-storm.md")
    }

    fn check(&self, evidence: &Evidence) -> Vec<Finding> {
        (0..evidence.groups.len()).filter_map(|group| self.of_group(evidence, group)).collect()
    }
}

impl StatStorm {
    fn of_group(&self, evidence: &Evidence, group: usize) -> Option<Finding> {
        let checks = checks(evidence, group);
        let all = at_least(evidence, &Series::sum(checks.iter().map(|check| &check.count)), LEAST_CHECKS)?;
        let missing: Vec<&Check<'_>> = checks.iter().filter(|check| check.is_missing()).collect();
        let missing = evidence.per_request(&Series::sum(missing.iter().map(|check| &check.count)))?;
        let mut summary = format!("{} file checks per request", count(all));
        let mut figures = vec![Figure { name: "checks", unit: "1", value: all }];
        if missing.low > 0.0 {
            summary += &format!(", {} of them for files that do not exist", plain(missing.value.round()));
            figures.push(Figure { name: "checks_missing", unit: "1", value: missing });
        }
        let counts: Vec<(&Check<'_>, f64)> = checks.iter().map(|check| (check, evidence.mean(&check.count))).collect();
        let (cure, check_again) = cure(evidence, group, &counts);
        Some(Finding {
            rule: self.name(),
            group: evidence.group(group).to_owned(),
            summary,
            figures,
            items: Item::largest(folders(counts.iter().map(|(check, count)| (check.file.path.as_str(), *count)))),
            share: Share::of_latency(evidence, time(evidence, &checks)),
            cure,
            check_again,
        })
    }
}

/// Checks of a file that count here.
struct Check<'a> {
    file: &'a FileSeen,
    /// Without those of which other rules tell.
    count: Series,
}

impl Check<'_> {
    fn is_missing(&self) -> bool {
        self.file.outcome == Outcome::Missing
    }
}

/// The group's checks, but for those of which `opcache-revalidation` and `same-file-again` tell.
fn checks(evidence: &Evidence, group: usize) -> Vec<Check<'_>> {
    let key = |file: &FileSeen| (file as *const FileSeen) as usize;
    let by_php: BTreeSet<usize> = revalidated(evidence, group).into_iter().map(key).collect();
    let again: BTreeSet<usize> = checked_again(evidence, group).into_iter().map(key).collect();
    evidence
        .files
        .iter()
        .filter(|file| file.group == group && is_check(file))
        .map(|file| {
            let mut count = file.counted.count.clone();
            if again.contains(&key(file)) {
                count = file.counted.requests.clone();
            }
            if by_php.contains(&key(file)) {
                count = count.less(&file.counted.requests);
            }
            Check { file, count }
        })
        .filter(|check| !check.count.is_zero())
        .collect()
}

fn is_check(file: &FileSeen) -> bool {
    match file.call {
        FileCall::Stat | FileCall::Access | FileCall::Readlink => true,
        FileCall::Open => file.outcome != Outcome::Found,
        _ => false,
    }
}

/// The kernel's part is seen; the application's own work around it is known from elsewhere.
fn time(evidence: &Evidence, checks: &[Check<'_>]) -> Option<Interval> {
    let all = Counted::sum(checks.iter().map(|check| &check.file.counted));
    let part = evidence.mean(&Series::sum(checks.iter().map(|check| &check.count))) / evidence.mean(&all.count);
    let kernel = evidence.time_of(&all.count, &all.time_ns)?;
    Some(widened(kernel.scaled(part), KERNEL_LOW, KERNEL_VALUE, KERNEL_HIGH))
}

fn cure(evidence: &Evidence, group: usize, checks: &[(&Check<'_>, f64)]) -> (Cure, String) {
    let weigh = || again::weigh(evidence);
    let part_of = |kind: &dyn Fn(&Check<'_>) -> bool| {
        let all: f64 = checks.iter().map(|(_, count)| count).sum();
        checks.iter().filter(|(check, _)| kind(check)).map(|(_, count)| count).sum::<f64>() / all
    };
    let named = |ends: &'static [&str]| move |check: &Check<'_>| ends.iter().any(|end| check.file.path.ends_with(end));
    match Stack::of(evidence, group) {
        Stack::Php => php_cure(evidence, group, checks, &part_of),
        Stack::Perl if part_of(&named(&[".pm", ".pmc", ".pl", ".al"])) >= MOST => (
            Cure::advice(
                "Perl looks for each module in all folders of @INC: put the folder that holds most of them first (use lib, PERL5LIB, or -I), and load modules once, when the process starts",
            ),
            weigh(),
        ),
        Stack::Python if part_of(&named(&[".py", ".pyc", ".so", ".pyd"])) >= TELLING => (
            Cure::advice(
                "Python looks for each module in all folders of sys.path: fewer entries, modules imported once when the process starts, a zipped library, compiled files (python3 -m compileall)",
            ),
            weigh(),
        ),
        Stack::Nginx => (
            Cure::advice(
                "let nginx remember what it found, also what is missing; a shorter list in try_files asks for less",
            )
            .lines("/etc/nginx/nginx.conf", [
                "# in http { }",
                "open_file_cache max=10000 inactive=60s;",
                "open_file_cache_valid 30s;",
                "open_file_cache_errors on;",
            ])
            .command("nginx -t && systemctl reload nginx"),
            weigh(),
        ),
        Stack::Apache if part_of(&named(&["/.htaccess"])) >= TELLING => (
            Cure::advice(
                "Apache looks for .htaccess in every folder of the path: move what they say into the server's configuration, and switch them off",
            )
            .lines("the server's configuration", ["AllowOverride None"]),
            weigh(),
        ),
        _ => (
            Cure::advice(
                "keep in the process what was found, and ask again only after seconds; or ask for the folder once instead of for each of its files",
            ),
            weigh(),
        ),
    }
}

const OVERRIDE: &str = "opcache.enable_file_override";

fn php_cure(
    evidence: &Evidence,
    group: usize,
    checks: &[(&Check<'_>, f64)],
    part_of: &dyn Fn(&dyn Fn(&Check<'_>) -> bool) -> f64,
) -> (Cure, String) {
    let settings = evidence.php_of(group);
    // Of no use where it is on already, or where there is no opcode cache to ask.
    let overridden =
        settings.and_then(|php| php.is_on(OVERRIDE)) == Some(true) || php::has_opcache(evidence, group) == Some(false);
    let line = format!("{OVERRIDE}=1");
    let by_cache = |advice: String| {
        let lines: &[&str] = if overridden { &[] } else { &[&line] };
        let cure = if overridden { Cure::advice(advice) } else { php::cure(evidence, group, advice, lines) };
        let again = php::again(evidence, &cure, "file checks from the opcode cache");
        (cure, again)
    };
    if is_mediawiki(evidence, group) {
        return by_cache(
            "MediaWiki's own class map (complete from 1.39.5 on) takes these checks away; for extensions and vendor packages, register one in LocalSettings.php with AutoLoader::registerClasses; the opcode cache can answer for files that are there"
                .into(),
        );
    }
    if let Some((project, part)) = composer_project(checks)
        && part >= TELLING
    {
        return (
            Cure::advice(
                "Composer's loader tries folders for each class: let it write a complete class map, at each deployment, and try nothing besides (classes that are written at run time are then not found)",
            )
            .command(format!(
                "composer dump-autoload --optimize --classmap-authoritative --working-dir={project}"
            )),
            again::weigh(evidence),
        );
    }
    let folders_around = around(checks.iter().map(|(check, _)| check.file.path.as_str()));
    if part_of(&|check| folders_around.contains(check.file.path.as_str())) >= MOST {
        let restricted = php::setting(settings, "open_basedir").is_some_and(|value| !matches!(value, "" | "no value"));
        let advice = if restricted {
            "PHP resolves each folder of each path, because open_basedir switches its cache of paths off: separate sites by users and pools instead"
        } else {
            "PHP resolves each folder of each path again: its cache of paths is too small or too short-lived"
        };
        let cure = php::cure(evidence, group, advice, &["realpath_cache_size=4096K", "realpath_cache_ttl=600"]);
        let again = php::again(evidence, &cure, "a larger cache of paths");
        return (cure, again);
    }
    if part_of(&|check| !check.is_missing() && check.file.path.ends_with(".php")) >= TELLING && !overridden {
        return by_cache(
            "let the opcode cache answer whether a source file is there (file_exists, is_file and is_readable of files that it holds)"
                .into(),
        );
    }
    (
        Cure::advice(
            "replace trying by knowing: a class map instead of folders to try, absolute paths in include, a short include_path; keep what was found in APCu",
        ),
        again::weigh(evidence),
    )
}

fn is_mediawiki(evidence: &Evidence, group: usize) -> bool {
    evidence.files.iter().filter(|file| file.group == group).any(|file| {
        ["/LocalSettings.php", "/includes/AutoLoader.php"].iter().any(|end| file.path.ends_with(end))
            || file.path.contains("/mediawiki/")
    })
}

/// The folder around Composer's `vendor` below which most is missing, and which part of all checks that is.
fn composer_project(checks: &[(&Check<'_>, f64)]) -> Option<(String, f64)> {
    let all: f64 = checks.iter().map(|(_, count)| count).sum();
    let mut projects: BTreeMap<&str, f64> = BTreeMap::new();
    for (check, count) in checks.iter().filter(|(check, _)| check.is_missing()) {
        if let Some((project, _)) = check.file.path.split_once("/vendor/") {
            *projects.entry(project).or_default() += count;
        }
    }
    let (project, missing) = projects.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some((project.to_owned(), missing / all))
}

#[cfg(test)]
mod tests;
