//! Applications that run here, and what their profilers see of them.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use unladen_finding::shell_word;
use unladen_path::parent;
use unladen_probe::PhpSettings;
use unladen_profiler::{Application, Kind};
use unladen_prove::outsider;
use unladen_trace::{PhpSetAgain, PhpSetter};

use crate::doctor::check::{Asked, Check};
use crate::doctor::row::{AS_ROOT, Row, Verb, as_root, is_root};

/// Most masters asked: asking starts a PHP.
const MOST: usize = 4;

/// Each running PHP-FPM, and its settings.
pub(super) const PHP: Check = Check::new("php", Verb::TRACING, php);

fn php(_: &Asked) -> Vec<Row> {
    let all: BTreeSet<u32> = of_kind(Kind::PhpFpm).into_iter().map(|php: Application| php.pid).collect();
    let masters: Vec<u32> =
        all.iter().copied().filter(|pid| parent(*pid).is_none_or(|above| !all.contains(&above))).collect();
    let mut rows: Vec<Row> = masters.iter().take(MOST).flat_map(|pid| of_process(*pid)).collect();
    match masters.len() {
        0 if !is_root() => rows.push(
            Row::limited(Verb::TRACING, "cannot see whether PHP-FPM runs here")
                .so("the programs of other users' processes are hidden")
                .fix(AS_ROOT),
        ),
        0 => rows.push(Row::ok(Verb::TRACING, "no PHP-FPM runs here")),
        count if count > MOST => {
            rows.push(Row::ok(Verb::TRACING, format!("{} more PHP-FPM instances run here", count - MOST)));
        }
        _ => {}
    }
    rows
}

fn of_process(pid: u32) -> Vec<Row> {
    match PhpSettings::of(pid.cast_signed()) {
        Ok(php) => of_settings(pid, &php),
        Err(error) => vec![Row::limited(Verb::TRACING, format!("one PHP-FPM cannot be asked: {error}"))],
    }
}

fn of_settings(pid: u32, php: &PhpSettings) -> Vec<Row> {
    let name = php.exe.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let who = format!("{name} (process {pid})");
    // As its unit reloads it.
    let reload = as_root(&format!("kill -USR2 {pid}"));
    let folder = php.ini_folder.rsplit(':').find(|folder| !folder.is_empty()).unwrap_or_default();
    let has = |wanted: &str| php.extensions.iter().any(|name| name.eq_ignore_ascii_case(wanted));
    let mut rows = Vec::new();
    if has("Zend OPcache") && php.is_on("opcache.enable") == Some(true) {
        let jit = php.settings.get("opcache.jit").map(String::as_str).filter(|jit| !jit.is_empty());
        let buffer = php.settings.get("opcache.jit_buffer_size").is_some_and(|size| size != "0" && !size.is_empty());
        let jit = if buffer { jit.unwrap_or("on") } else { "off" };
        rows.push(Row::ok(
            Verb::TRACING,
            format!("{who}: its opcode cache is on (JIT {jit}); settings from {}", files(php)),
        ));
    } else if has("Zend OPcache") {
        let row = Row::limited(Verb::TRACING, format!("{who}: its opcode cache is off"))
            .so("each request compiles its source again, which dominates what is measured");
        let again: Vec<&PhpSetAgain> = php.set_again.iter().filter(|again| again.name == "opcache.enable").collect();
        rows.push(match folder {
            _ if !again.is_empty() => {
                let places: Vec<String> = again.into_iter().map(place).collect();
                row.advice(format!("switch it on where it is switched off: {}", places.join("; "))).fix(reload.clone())
            }
            "" => row.advice("switch PHP's opcode cache on: opcache.enable=1"),
            folder if let Some(owner) = outsider(Path::new(folder)) => row.advice(format!(
                "switch PHP's opcode cache on, as {owner}, who can put links into {folder}, which root would follow: \
                 opcache.enable=1 in {folder}/zz-unladen.ini"
            )),
            folder => row
                .advice("switch PHP's opcode cache on:")
                .fix(format!(
                    "echo opcache.enable=1 | {}",
                    as_root(&format!("tee {}", shell_word(&format!("{folder}/zz-unladen.ini"))))
                ))
                .fix(reload.clone()),
        });
    } else {
        // The file's owner chooses its name.
        let is_version = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let version = name.strip_prefix("php-fpm").filter(is_version).unwrap_or_default();
        rows.push(
            Row::limited(Verb::TRACING, format!("{who} has no opcode cache"))
                .so("each request compiles its source again, which dominates what is measured")
                .fix(as_root(&format!("apt-get install php{version}-opcache")))
                .fix(reload.clone()),
        );
    }
    if has("excimer") {
        rows.push(Row::ok(&[Verb::Profile], format!("{who}: Excimer is loaded")));
    } else {
        rows.push(
            Row::limited(&[Verb::Profile], format!("{who} has not loaded Excimer"))
                .so("`profile` needs it to show PHP functions; without it, it shows only the interpreter's")
                .fix(as_root("apt-get install php-excimer"))
                .fix(reload),
        );
    }
    rows.extend(php.doubts.iter().map(|doubt| Row::limited(Verb::TRACING, format!("{who}: {doubt}"))));
    rows
}

fn place(again: &PhpSetAgain) -> String {
    match again.by {
        PhpSetter::Pool if again.file.is_empty() => format!("in the settings of the pool {}", again.who),
        PhpSetter::Pool => format!("in line {} of {}, the pool {}", again.line, again.file, again.who),
        PhpSetter::File => format!("in line {} of {}", again.line, again.file),
        PhpSetter::CommandLine | PhpSetter::Environment => format!("it was started with {}", again.who),
    }
}

fn files(php: &PhpSettings) -> String {
    match (&*php.ini, &*php.ini_folder) {
        ("", "") => "no file".to_owned(),
        (ini, "") => ini.to_owned(),
        ("", folder) => folder.to_owned(),
        (ini, folder) => format!("{ini} and {folder}"),
    }
}

/// Whether Perl has its profiler.
pub(super) const PERL: Check = Check::new("perl", &[Verb::Profile], perl);

fn perl(_: &Asked) -> Vec<Row> {
    vec![of_version(profiler(), !of_kind(Kind::Perl).is_empty())]
}

/// Version of the system Perl's profiler; empty if it has none, `None` without Perl. A process's own Perl is not
/// started here: it belongs to that process's owner.
fn profiler() -> Option<String> {
    let asking = ["-e", "eval { require Devel::NYTProf::Core; print $Devel::NYTProf::Core::VERSION }"];
    let output =
        Command::new("perl").args(asking).env_remove("PERL5OPT").env_remove("NYTPROF").stdin(Stdio::null()).output();
    Some(String::from_utf8_lossy(&output.ok()?.stdout).into_owned())
}

fn of_version(version: Option<String>, is_running: bool) -> Row {
    match version.as_deref() {
        Some(version) if !version.is_empty() => Row::ok(&[Verb::Profile], format!("Perl has Devel::NYTProf {version}")),
        _ if !is_running => Row::ok(&[Verb::Profile], "no Perl runs here"),
        _ => Row::limited(&[Verb::Profile], "perl has no Devel::NYTProf")
            .so("`profile` needs it to show Perl functions; without it, it shows only the interpreter's")
            .fix(as_root("apt-get install libdevel-nytprof-perl")),
    }
}

/// Whether functions of the kernel and of JIT code have names.
pub(super) const SYMBOLS: Check = Check::new("symbols", &[Verb::Profile], symbols);

fn symbols(asked: &Asked) -> Vec<Row> {
    let mut rows: Vec<Row> = asked.line("proc/kallsyms").map(|line| of_kernel(&line)).into_iter().collect();
    rows.extend(
        of_kind(Kind::Other)
            .iter()
            .filter(|one| one.exe.file_name().is_some_and(|name| name == "node"))
            .filter_map(without_map),
    );
    rows
}

/// From the first line of /proc/kallsyms, whose addresses are zeros where hidden.
fn of_kernel(line: &str) -> Row {
    let address = line.split_whitespace().next().unwrap_or_default();
    if address.bytes().all(|digit| digit == b'0') {
        let row = Row::limited(&[Verb::Profile], "the kernel hides the names of its functions");
        return if is_root() { row.fix("sysctl -w kernel.kptr_restrict=1") } else { row.fix(AS_ROOT) };
    }
    Row::ok(&[Verb::Profile], "the names of kernel functions are visible")
}

/// A program that generates code and does not name its functions.
fn without_map(one: &Application) -> Option<Row> {
    let map = format!("/proc/{0}/root/tmp/perf-{0}.map", one.pid);
    let row = Row::limited(&[Verb::Profile], format!("node (process {}) writes no /tmp/perf-PID.map", one.pid));
    (!Path::new(&map).exists())
        .then(|| row.so("its functions have no names").advice("start it with node --perf-basic-prof"))
}

fn of_kind(kind: Kind) -> Vec<Application> {
    all().filter_map(|pid| Application::of(pid).ok()).filter(|application| application.kind == kind).collect()
}

fn all() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

#[cfg(test)]
mod tests;
