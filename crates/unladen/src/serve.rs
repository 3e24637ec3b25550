//! What `unladen serve` does besides serving: reads the configuration, and reports on it.

mod connections;
mod health;
mod json;
mod outlook;
mod overview;
mod site_options;
mod sockets;
mod source;
mod starter;

use std::io::{self, Write as _};

use unladen_publish::{visible, visible_lines};
use unladen_serve::{Asking, Ended, Tried};
use unladen_serve_config::{Config, ListenAddress};

use crate::exit::Failure;
use crate::output;

pub(crate) use health::{Place, health};
pub(crate) use site_options::SiteOptions;
pub(crate) use source::Source;
pub(crate) use starter::write as write_starter;

/// Serves until stopped. Fails if the configuration is wrong, or what it asks for is unavailable.
pub(crate) fn serve(source: &Source) -> Result<(), Failure> {
    let config = source.config()?;
    for warning in &config.warnings {
        // Standard error may be a file on a full disk.
        let _ = writeln!(std::io::stderr(), "unladen: {warning}");
    }
    if matches!(source, Source::Options(_)) {
        let _ = writeln!(std::io::stderr(), "{}", overview::text(&config));
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
        return connections::verdict(trials.as_deref());
    }
    for warning in &config.warnings {
        output::line(&format!("{warning}"))?;
    }
    for doubt in &doubts {
        output::line(&visible(&format!("warning: {doubt}")))?;
    }
    for note in &notes {
        output::line(&visible(&format!("note: {note}")))?;
    }
    if let Some(trials) = &trials {
        output::line(connections::text(trials).trim_end())?;
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
    connections::verdict(trials.as_deref())
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
