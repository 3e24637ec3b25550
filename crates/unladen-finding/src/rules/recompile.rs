//! Source files that are compiled in every request.

use unladen_trace::{
    CompileSeen, Counted, Evidence, EvidenceSource, FileCall, FileOutcome, FileSeen, Interval, Language, Series, State,
};

use crate::finding::{Figure, Finding, Item, Removes, Rule, Saves, Share, at_least, widened};
use crate::fix::Fix;
use crate::folders::folders;
use crate::php;
use crate::rules::files::{MOST_REQUESTS, is_source};
use crate::stack::Stack;
use crate::words::{count, many};

const LEAST_FILES: f64 = 1.0;
/// Source files opened a request, if the compiler is not seen: PHP-FPM opens the requested script even if cached.
const LEAST_OPENED: f64 = 2.0;
/// PHP's default of `opcache.memory_consumption` (MB), doubled by the fix if the current settings are not known.
const DEFAULT_MEMORY: u64 = 128;
/// PHP's default of `opcache.max_accelerated_files`, likewise.
const DEFAULT_FILES: u64 = 10_000;
const MOSTLY: f64 = 0.5;
/// Template suffixes of Template Toolkit, HTML::Template, Mason, Mojolicious and Text::Xslate.
const TEMPLATES: &[&str] = &[".tt2", ".tt", ".ttml", ".tmpl", ".html", ".mc", ".mas", ".ep", ".tx"];
/// Parsing and compiling a template relative to Perl's compiling, which alone is seen. Sympa 6.2's page of 100 lists,
/// of which that is 7.1 %, is 57 ± 11 % faster with templates that are kept; with 300 lists 31 %, 2.6 times what was
/// seen.
const TEMPLATE_VALUE: f64 = 4.5;
const TEMPLATE_HIGH: f64 = 9.0;
/// Upper bound on what PHP's opcode cache saves relative to compiling.
const OPTIMISED: f64 = 1.5;
const SCRIPTS: &[&str] = &[".pl", ".cgi", ".fcgi", ".py"];
/// Folder for PHP's compiled files between processes; PHP requires it to exist.
const FILE_CACHE: &str = "/var/cache/php-opcache";

pub(super) const RULE: Rule = Rule {
    name: "recompile",
    about: "source files are compiled in every request",
    needs: &[EvidenceSource::Syscalls],
    reads: &[EvidenceSource::Php, EvidenceSource::Perl],
    page: include_str!("../../pages/recompile.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let languages = [Language::Php, Language::Perl, Language::Python];
    (0..evidence.groups.len())
        .flat_map(|group| languages.into_iter().filter_map(move |language| one(evidence, group, language)))
        .collect()
}

fn one(evidence: &Evidence, group: usize, language: Language) -> Option<Finding> {
    if is_natural(evidence, group, language) {
        return None;
    }
    if language == Language::Php && !evidence.has(EvidenceSource::Php) {
        return by_openings(evidence, group);
    }
    let seen: Vec<&CompileSeen> = evidence
        .compiles
        .iter()
        .filter(|seen| seen.group == group && seen.language == language)
        .filter(|seen| evidence.mean(&seen.counted.requests) >= MOST_REQUESTS)
        .collect();
    let all = Counted::sum(seen.iter().map(|seen| &seen.counted));
    let files = at_least(evidence, &all.count, LEAST_FILES)?;
    let (one, more) = match language {
        Language::Php => ("PHP file compiled per request", "PHP files compiled per request"),
        Language::Perl => ("Perl file compiled per request", "Perl files compiled per request"),
        Language::Python => ("Python module loaded per request", "Python modules loaded per request"),
    };
    let counts = seen
        .iter()
        .filter(|seen| !seen.path.is_empty())
        .map(|seen| (seen.path.as_str(), evidence.mean(&seen.counted.count)));
    let (fix, spared) = fix(evidence, group, language, &seen);
    let takes = share(evidence, evidence.time_of(&all.count, &all.time_ns).map(|time| whole(evidence, &seen, time)));
    Some(Finding {
        summary: many(files, one, more),
        figures: vec![Figure { name: "compiles", unit: "1", value: files }],
        items: Item::largest(folders(counts)),
        // PHP's cache keeps optimised, linked code, with which a request also makes less garbage.
        saves: Saves::part_of(&takes, if language == Language::Php { OPTIMISED } else { spared }),
        removes: Removes::part("compiles", files.value * spared, files.value),
        ..Finding::of(&RULE, evidence, Some(group), takes, fix)
    })
}

/// Without a look into PHP's compiler: PHP opens what it compiles, and does not open what its opcode cache holds.
fn by_openings(evidence: &Evidence, group: usize) -> Option<Finding> {
    let seen: Vec<&FileSeen> = evidence
        .files
        .iter()
        .filter(|file| file.group == group && file.call == FileCall::Open && file.outcome == FileOutcome::Found)
        .filter(|file| is_source(&file.path) && evidence.mean(&file.counted.requests) >= MOST_REQUESTS)
        .collect();
    if Stack::of(evidence, group) != Stack::Php {
        return None;
    }
    let files = at_least(evidence, &Series::sum(seen.iter().map(|file| &file.counted.count)), LEAST_OPENED)?;
    let counts = seen.iter().map(|file| (file.path.as_str(), evidence.mean(&file.counted.count)));
    let fix = php_fix(evidence, group);
    let takes = Share::NotKnown("PHP's compiler could not be traced".into());
    Some(Finding {
        summary: format!("{} PHP files opened per request, to be compiled", count(files)),
        figures: vec![Figure { name: "opened", unit: "1", value: files }],
        items: Item::largest(folders(counts)),
        saves: Saves::unproved("compile time is not measured here"),
        ..Finding::of(&RULE, evidence, Some(group), takes, fix)
    })
}

/// With the part of the compilations that it removes, 0 to 1.
fn fix(evidence: &Evidence, group: usize, language: Language, seen: &[&CompileSeen]) -> (Fix, f64) {
    let mut removes = 1.0;
    let advice = match language {
        Language::Php => return (php_fix(evidence, group), removes),
        Language::Perl if is_started(evidence, "perl") => {
            "keep the process: FastCGI (spawn-fcgi, CGI::Fast) or PSGI (plackup -s Starman) instead of CGI, with modules loaded at its start"
        }
        Language::Perl if templates(evidence, seen) >= MOSTLY => {
            removes = templates(evidence, seen);
            "keep templates that are compiled: with Template Toolkit, one Template object for the life of the process \
             instead of a new one for each page (or one Template::Provider, given to each as LOAD_TEMPLATES), which \
             then checks each file for changes once a second"
        }
        Language::Perl => "load modules when the process starts, and do not compile strings (eval) in each request",
        Language::Python if is_started(evidence, "python") => {
            "keep the process: WSGI or ASGI (gunicorn, uvicorn) instead of CGI"
        }
        Language::Python => "move imports from functions to the top of modules",
    };
    (Fix::advice(advice), removes)
}

/// Whether requests start such programs, in any group; also `true` if it cannot be told.
fn is_started(evidence: &Evidence, name: &str) -> bool {
    let started = evidence.processes.iter().filter(|seen| {
        let program = seen.program.rsplit('/').next().unwrap_or_default();
        program.starts_with(name) || SCRIPTS.iter().any(|end| program.ends_with(end))
    });
    !evidence.has(EvidenceSource::Processes)
        || evidence.mean(&Series::sum(started.map(|seen| &seen.started))) >= MOST_REQUESTS
}

fn templates(evidence: &Evidence, seen: &[&CompileSeen]) -> f64 {
    let sum = |wanted: &dyn Fn(&str) -> bool| -> f64 {
        seen.iter().filter(|seen| wanted(&seen.path)).map(|seen| evidence.mean(&seen.counted.count)).sum()
    };
    sum(&|path| TEMPLATES.iter().any(|end| path.ends_with(end))) / sum(&|_| true)
}

/// A new process has to compile its code; so does PHP with an empty opcode cache.
fn is_natural(evidence: &Evidence, group: usize, language: Language) -> bool {
    evidence.state == State::Fresh && (language != Language::Php || php::has_opcache(evidence, group) != Some(false))
}

/// Includes the parsing of templates; only compiling the result is seen.
fn whole(evidence: &Evidence, seen: &[&CompileSeen], time: Interval) -> Interval {
    let is_perl = seen.iter().all(|seen| seen.language == Language::Perl);
    if is_perl && templates(evidence, seen) >= MOSTLY {
        widened(time, 1.0, TEMPLATE_VALUE, TEMPLATE_HIGH)
    } else {
        time
    }
}

/// Compiling is CPU work except for reading the files: it is a part of the CPU as well as of the latency. The larger
/// part is reported; which it is depends on how much the request waits, and on how many processes share it.
fn share(evidence: &Evidence, time: Option<Interval>) -> Share {
    let Some(time) = time.filter(|time| time.value > 0.0) else {
        return Share::NotKnown("its time cannot be seen in this language".into());
    };
    let time = evidence.cpu_of(time);
    let (latency, cpu) = (Share::of_latency(evidence, Some(time)), Share::of_cpu(evidence, Some(time)));
    if cpu.rank() > latency.rank() { cpu } else { latency }
}

fn php_fix(evidence: &Evidence, group: usize) -> Fix {
    let settings = evidence.php_of(group);
    let with = |advice: &str, lines: &[&str], name: &str| {
        php::switched(evidence, group, php::fix(evidence, group, advice, lines), name)
    };
    if php::is_cgi(evidence, group) {
        let fix = with(
            "the opcode cache ends with each process: PHP-FPM keeps both; until then keep compiled files on the disk",
            &["opcache.enable=1", "opcache.file_cache_only=1", &format!("opcache.file_cache={FILE_CACHE}")],
            "compiled files on the disk",
        );
        return fix.command(format!("install -d -m 700 -o www-data {FILE_CACHE}"));
    }
    if php::has_extension(settings, "Zend OPcache") == Some(false) {
        return with(
            "load PHP's opcode cache (Debian: the package php-opcache), and switch it on",
            &["zend_extension=opcache", "opcache.enable=1"],
            "opcode cache",
        );
    }
    if php::has_opcache(evidence, group) != Some(true) {
        let lines: &[&str] = if php::is_cli(evidence, group) {
            &["opcache.enable=1", "opcache.enable_cli=1"]
        } else {
            &["opcache.enable=1"]
        };
        return with("switch PHP's opcode cache on", lines, "opcode cache");
    }
    let doubled = |name, default| 2 * php::number(settings, name).filter(|value| *value > 0).unwrap_or(default);
    with(
        "the opcode cache is on, yet these files are compiled: it is full (these lines double its size; \
         opcache_get_status shows it), opcache.blacklist_filename excludes them, or they are rewritten each time, \
         such as templates that are compiled again",
        &[
            &format!("opcache.memory_consumption={}", doubled("opcache.memory_consumption", DEFAULT_MEMORY)),
            &format!("opcache.max_accelerated_files={}", doubled("opcache.max_accelerated_files", DEFAULT_FILES)),
        ],
        "larger opcode cache",
    )
}

#[cfg(test)]
mod tests;
