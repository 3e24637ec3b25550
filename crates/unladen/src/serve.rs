//! What `unladen serve` does besides serving: reading the configuration, and telling what it comes to.

mod json;

use std::path::Path;

use unladen_serve::{Config, Ended};

use crate::exit::Failure;
use crate::output;

/// Serves until it is told to stop.
///
/// # Errors
/// If the configuration is wrong, or what it asks for cannot be had.
pub(crate) fn serve(file: &Path) -> Result<(), Failure> {
    let config = Config::read(file)?;
    for warning in &config.warnings {
        eprintln!("unladen: {warning}");
    }
    match unladen_serve::run(config)? {
        Ended::Drained | Ended::HandedOver { .. } => Ok(()),
        Ended::AtOnce => Err(Failure::StoppedAtOnce),
    }
}

/// Tells whether the configuration is right.
///
/// # Errors
/// If it is not.
pub(crate) fn check(file: &Path, is_json: bool) -> Result<(), Failure> {
    let config = match Config::read(file) {
        Ok(config) => config,
        Err(error) => {
            if is_json {
                output::line(&format!("{:#}", json::wrong(file, &error)))?;
            }
            return Err(error.into());
        }
    };
    let doubts = unladen_serve::try_upstreams(&config)?;
    if is_json {
        return Ok(output::line(&format!("{:#}", json::checked(&config)))?);
    }
    for warning in &config.warnings {
        output::line(&format!("{warning}"))?;
    }
    for doubt in &doubts {
        output::line(&format!("warning: {doubt}"))?;
    }
    let count = config.settings.beside.len() + config.settings.front.len();
    let listeners = if count == 1 { "1 listener".into() } else { format!("{count} listeners") };
    let doubts = match config.warnings.len() + doubts.len() {
        0 => String::new(),
        1 => ", one warning".into(),
        count => format!(", {count} warnings"),
    };
    Ok(output::line(&format!("{}: right: {listeners}{doubts}", file.display()))?)
}

/// Tells every value, and where it comes from.
///
/// # Errors
/// If the configuration is wrong.
pub(crate) fn explain(file: &Path, is_json: bool) -> Result<(), Failure> {
    let config = Config::read(file)?;
    if is_json {
        return Ok(output::line(&format!("{:#}", json::explained(&config)))?);
    }
    Ok(output::line(config.told().trim_end())?)
}
