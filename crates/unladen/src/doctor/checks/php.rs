//! The principal type is [`Php`]: each running PHP-FPM, and its settings.

use std::collections::BTreeSet;

use unladen_finding::shell_word;
use unladen_path::parent;
use unladen_probe::PhpSettings;
use unladen_profiler::{Application, Kind};
use unladen_trace::{PhpSetAgain, PhpSetter};

use super::processes;
use crate::doctor::asked::Asked;
use crate::doctor::check::Check;
use crate::doctor::row::{Row, Verb};
use crate::doctor::shell::{AS_ROOT, as_root, is_root};

pub(crate) struct Php;

/// Most masters asked: asking starts a PHP.
const MOST: usize = 4;

impl Check for Php {
    fn name(&self) -> &'static str {
        "php"
    }

    fn verbs(&self) -> &'static [Verb] {
        Verb::TRACING
    }

    fn look(&self, _: &Asked) -> Vec<Row> {
        let all: BTreeSet<u32> = processes::of_kind(Kind::PhpFpm).into_iter().map(|php: Application| php.pid).collect();
        let masters: Vec<u32> =
            all.iter().copied().filter(|pid| parent(*pid).is_none_or(|above| !all.contains(&above))).collect();
        let mut rows: Vec<Row> = masters.iter().take(MOST).flat_map(|pid| of(*pid)).collect();
        match masters.len() {
            0 if !is_root() => rows.push(
                Row::limited(Verb::TRACING, "whether PHP-FPM runs here cannot be seen")
                    .so("programs of other users' processes are hidden")
                    .fix(AS_ROOT),
            ),
            0 => rows.push(Row::ok(Verb::TRACING, "no PHP-FPM runs here")),
            count if count > MOST => {
                rows.push(Row::ok(Verb::TRACING, format!("{} more PHP-FPM run here", count - MOST)));
            }
            _ => {}
        }
        rows
    }
}

fn of(pid: u32) -> Vec<Row> {
    match PhpSettings::of(pid.cast_signed()) {
        Ok(php) => rows(pid, &php),
        Err(error) => vec![Row::limited(Verb::TRACING, format!("a PHP-FPM cannot be asked: {error}"))],
    }
}

fn rows(pid: u32, php: &PhpSettings) -> Vec<Row> {
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
            .so("each request compiles its source anew, which is most of what is measured");
        let again: Vec<&PhpSetAgain> = php.set_again.iter().filter(|again| again.name == "opcache.enable").collect();
        rows.push(match folder {
            _ if !again.is_empty() => {
                let places: Vec<String> = again.into_iter().map(place).collect();
                row.advice(format!("switch it on where it is switched off: {}", places.join("; "))).fix(reload.clone())
            }
            "" => row.advice("switch PHP's opcode cache on: opcache.enable=1"),
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
                .so("each request compiles its source anew, which is most of what is measured")
                .fix(as_root(&format!("apt-get install php{version}-opcache")))
                .fix(reload.clone()),
        );
    }
    if has("excimer") {
        rows.push(Row::ok(&[Verb::Profile], format!("{who}: Excimer is loaded")));
    } else {
        rows.push(
            Row::limited(&[Verb::Profile], format!("{who} has not loaded Excimer"))
                .so("`profile` shows functions of PHP by it, and without it those of the interpreter alone")
                .fix(as_root("apt-get install php-excimer"))
                .fix(reload),
        );
    }
    rows.extend(php.doubts.iter().map(|doubt| Row::limited(Verb::TRACING, format!("{who}: {doubt}"))));
    rows
}

/// Where a later file switches off what this one would switch on.
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

#[cfg(test)]
mod tests;
