//! What `unladen serve` does besides serving: reads the configuration, and reports on it and on what it needs.

mod health;
mod json;
mod outlook;
mod site_options;

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

use unladen_publish::{visible, visible_lines};
use unladen_serve::{Asking, Ended, Trial, Tried};
use unladen_serve_config::presets::STARTERS;
use unladen_serve_config::{Application, Config, Explained, ListenAddress, Shown, SiteSettings};

use crate::exit::Failure;
use crate::output;

pub(crate) use health::{Place, health};
pub(crate) use site_options::{SiteOptions, Source};

/// Serves until stopped. Fails if the configuration is wrong, or what it asks for is unavailable.
pub(crate) fn serve(source: &Source) -> Result<(), Failure> {
    let config = source.config()?;
    for warning in &config.warnings {
        // Standard error may be a file on a full disk.
        let _ = writeln!(std::io::stderr(), "unladen: {warning}");
    }
    if matches!(source, Source::Options(_)) {
        let _ = writeln!(std::io::stderr(), "{}", overview(&config));
    }
    match unladen_serve::run(config)? {
        Ended::Drained | Ended::HandedOver { .. } => Ok(()),
        Ended::AtOnce => Err(Failure::StoppedAtOnce),
    }
}

/// Reports whether the configuration is right, what becomes of a request, and whether what serving needs can be
/// connected to. Fails if it is wrong, such a request is not routed anywhere, or something cannot be connected to.
pub(crate) fn check(source: &Source, asking: Option<&Asking>, connect: bool, is_json: bool) -> Result<(), Failure> {
    let config = match source.config() {
        Ok(config) => config,
        Err(failure) => {
            if is_json {
                output::line(&format!("{:#}", json::wrong(&source.name(), &failure)))?;
            }
            return Err(failure);
        }
    };
    let tried = unladen_serve::try_upstreams(&config, !connect).map_err(Failure::from);
    let Tried { notes, doubts } = match tried.and_then(|tried| access_log(&config).map(|()| tried)) {
        Ok(tried) => tried,
        Err(failure) => {
            if is_json {
                output::line(&format!("{:#}", json::refused(&config, &failure.to_string())))?;
            }
            return Err(failure);
        }
    };
    let trials = if connect { Some(unladen_serve::try_connections(&config)?) } else { None };
    let outlook = asking.map(|asking| unladen_serve::outlook(&config, asking)).transpose()?;
    if is_json {
        output::line(&format!("{:#}", json::checked(&config, &doubts, outlook.as_ref(), trials.as_deref())))?;
        return verdict(trials.as_deref());
    }
    config.warnings.iter().try_for_each(|warning| output::line(&warning.to_string()))?;
    doubts.iter().try_for_each(|doubt| output::line(&visible(&format!("warning: {doubt}"))))?;
    notes.iter().try_for_each(|note| output::line(&visible(&format!("note: {note}"))))?;
    if let Some(trials) = &trials {
        output::line(told(trials).trim_end())?;
    }
    if let Some(outlook) = &outlook {
        output::line(&visible_lines(&outlook::text(outlook)))?;
    }
    // Sites may share listeners.
    let of_sites = config.settings.site.iter().map(|site| &site.proxy);
    let mut listened: Vec<&[ListenAddress]> = Vec::new();
    for proxy in config.settings.outbound.iter().chain(of_sites) {
        if !listened.contains(&proxy.listen.as_slice()) {
            listened.push(&proxy.listen);
        }
    }
    let count = listened.len();
    let listeners = if count == 1 { "1 listener".into() } else { format!("{count} listeners") };
    let doubts = match config.warnings.len() + doubts.len() {
        0 => String::new(),
        1 => ", one warning".into(),
        count => format!(", {count} warnings"),
    };
    output::line(&format!("{}: OK: {listeners}{doubts}", source.name()))?;
    verdict(trials.as_deref())
}

/// Serving begins with opening the log: an existing file is appended to, and a missing one is made.
fn access_log(config: &Config) -> Result<(), Failure> {
    let Some(file) = config.settings.log.as_ref().and_then(|log| log.file.as_deref()) else { return Ok(()) };
    let refused = |why: &io::Error| {
        Failure::Usage(format!("the access log of [log], {}, cannot be written: {why}", file.display()))
    };
    match unladen_observability::try_access_log(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            output::check(file).map_err(|error| refused(error.why()))
        }
        tried => tried.map_err(|error| refused(&error)),
    }
}

/// Prints every value, and where it comes from. Fails if the configuration is wrong.
pub(crate) fn explain(source: &Source, is_json: bool) -> Result<(), Failure> {
    let config = source.config()?;
    if is_json {
        return Ok(output::line(&format!("{:#}", json::explained(&config)))?);
    }
    // Not by locale: a path in a configuration must stay the same path.
    Ok(output::bytes(format!("{}\n", config.told().trim_end()).as_bytes())?)
}

/// Writes the configuration of that name to standard output, or into a new file. Fails if there is none of that name,
/// or the file exists or cannot be written.
pub(crate) fn write_starter(name: &str, file: Option<&Path>) -> Result<(), Failure> {
    let Some(starter) = STARTERS.iter().find(|starter| starter.name == name) else {
        let known: Vec<&str> = STARTERS.iter().map(|starter| starter.name).collect();
        return Err(Failure::Usage(format!("--init: unknown name `{name}`; expected {}", known.join(", "))));
    };
    let Some(file) = file else { return Ok(output::bytes(starter.text.as_bytes())?) };
    let written =
        OpenOptions::new().write(true).create_new(true).open(file).and_then(|mut opened| {
            opened.write_all(starter.text.replace("FILE", &file.display().to_string()).as_bytes())
        });
    written.map_err(|error| {
        let hint =
            if error.kind() == ErrorKind::AlreadyExists { "; it is not overwritten: name another file" } else { "" };
        Failure::Usage(format!("--init: cannot write {}: {error}{hint}", file.display()))
    })
}

/// The application, the cache and the preset of each site, and how to keep the configuration.
fn overview(config: &Config) -> String {
    let mut text = String::new();
    for site in &config.settings.site {
        let name = &site.proxy.upstream.name;
        // Writing to a String does not fail.
        let _ = writeln!(text, "unladen: site `{name}`: {}", application(config, site));
        let _ = writeln!(text, "unladen: site `{name}`: {}", cache(site));
    }
    text.push_str("unladen: the same command with --explain prints this as a configuration file");
    text
}

fn application(config: &Config, site: &SiteSettings) -> String {
    let said = |name: &str| {
        let is_it = |one: &&Explained| one.whose.site().is_some() && one.key.table == "site" && one.key.name == name;
        let one = config.explained.iter().find(is_it).filter(|one| one.value != Shown::None);
        one.map(|one| one.value.to_string()).unwrap_or_default()
    };
    let mut text = match &site.application {
        Application::Upstream => format!("sends requests to {}", said("upstream")),
        Application::Php(_) if said("root").is_empty() => format!("sends requests to {} with FastCGI", said("php")),
        Application::Php(_) => format!("files of {}, scripts run by {}", said("root"), said("php")),
        Application::Files(folder) => format!("files of \"{}\"", folder.root.display()),
    };
    if let Some(preset) = site.preset {
        let _ = write!(text, ", preset {preset}");
    }
    text
}

fn cache(site: &SiteSettings) -> String {
    let Some(cache) = &site.cache else { return "stores nothing".to_owned() };
    let memory = Shown::Bytes(cache.memory);
    let by = match site.validators.len() {
        0 => "what the application permits",
        _ => "what a validator knows to be current, and what the application permits",
    };
    format!("stores up to {} of {by}", memory.to_string().trim_matches('"'))
}

fn told(trials: &[Trial]) -> String {
    let mut text = String::new();
    if trials.is_empty() {
        text.push_str("nothing to connect to\n");
    }
    for trial in trials {
        let _ = match &trial.failed {
            None => {
                let doubt = trial.doubt.as_ref().map(|doubt| format!("; but {doubt}")).unwrap_or_default();
                writeln!(text, "ok      {}: {}{doubt}", whom(trial), trial.spoken.unwrap_or_default())
            }
            Some(failed) => writeln!(text, "FAILED  {}: {} [{}]", whom(trial), failed.cause, failed.reason),
        };
    }
    text
}

fn verdict(trials: Option<&[Trial]>) -> Result<(), Failure> {
    let tried = trials.unwrap_or_default();
    match tried.iter().filter(|trial| trial.failed.is_some()).count() {
        0 => Ok(()),
        failed => Err(Failure::Connections { failed, tried: tried.len() }),
    }
}

fn whom(trial: &Trial) -> String {
    let mut whom = match trial.table {
        "tier" => "[tier], ".to_owned(),
        "fleet" => format!("[fleet] `{}`, ", trial.name),
        table => format!("[[{table}]] `{}`, ", trial.name),
    };
    match (&trial.path, trial.what) {
        (Some(path), what) => _ = write!(whom, "the {what} for `{path}`, "),
        (None, "authority" | "rate limit service") => _ = write!(whom, "the {} ", trial.what),
        (None, _) => {}
    }
    whom.push_str(&trial.place);
    if let Some(address) = trial.address.as_ref().filter(|address| !trial.place.ends_with(address.as_str())) {
        let _ = write!(whom, " ({address})");
    }
    whom
}
