//! The principal type is [`Config`]: what a file says, every default filled in, and where each value comes from.
//!
//! Two stages: [`Document`] has the text's tables with the place of each word, [`Settings`] what they mean. Each part
//! of the second has a file here. All mistakes are reported at once: a wrong value is noted, a default takes its place,
//! and reading goes on.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use unladen_toml::{Document, Mistakes, Table};

use crate::error::{ConfigError, Warning};
use crate::explain::Explained;
use crate::keys::{self, strangers};
use crate::level::Level;
use crate::reading::Reading;
use crate::site::{self, SiteStamp};
use crate::surroundings::{Machine, Surroundings};
use crate::{among, fleet, outbound, tier, top};

use super::routes::RouteSettings;
use super::top::Settings;

/// A configuration that was read, with defaults filled in.
#[derive(Clone, Debug)]
pub struct Config {
    /// The file; for a text that is in no file, its name.
    pub file: PathBuf,
    /// The text, if it is in no file, and the folder of its relative paths.
    pub spoken: Option<(Arc<str>, PathBuf)>,
    pub settings: Settings,
    /// What is allowed, but perhaps a mistake.
    pub warnings: Vec<Warning>,
    /// Each value and where it comes from: top-level ones, then each `[[site]]`'s, then each `[[outbound]]`'s.
    pub explained: Vec<Explained>,
    /// For each `[[outbound]]`, a number that changes with its certificates or key.
    pub stamps: Vec<u64>,
    /// For each `[[site]]`, numbers that change with its files.
    pub site_stamps: Vec<SiteStamp>,
}

struct Resolved {
    settings: Settings,
    stamps: Vec<u64>,
    site_stamps: Vec<SiteStamp>,
}

impl Config {
    /// Reads a file of this machine.
    ///
    /// # Errors
    /// If it cannot be read, or has mistakes: all of them at once.
    pub fn read(file: &Path) -> Result<Self, ConfigError> {
        let cannot = |source| ConfigError::Read { file: file.to_owned(), source };
        let bytes = Machine.read(file).map_err(cannot)?;
        let text = String::from_utf8(bytes).map_err(|_| ConfigError::NoText { file: file.to_owned() })?;
        // Absolute paths stay valid wherever the process goes, and when it hands over.
        let folder = std::path::absolute(file).map_err(cannot)?;
        Self::parse(&text, file, folder.parent().unwrap_or(Path::new("/")), &Machine)
    }

    /// Reads a text that is in no file, such as command line options; relative paths begin at `folder`. Errors as
    /// [`Self::read`].
    pub fn spoken(text: &str, name: &str, folder: &Path) -> Result<Self, ConfigError> {
        let config = Self::parse(text, Path::new(name), folder, &Machine)?;
        Ok(Self { spoken: Some((text.into(), folder.to_owned())), ..config })
    }

    /// Reads the file, or the text and the files it names, again. Errors as [`Self::read`].
    pub fn again(&self) -> Result<Self, ConfigError> {
        match &self.spoken {
            Some((text, folder)) => Self::spoken(text, &self.file.to_string_lossy(), folder),
            None => Self::read(&self.file),
        }
    }

    /// Parses the text of `file`; relative paths begin at `folder`. Errors as [`Self::read`].
    pub fn parse(text: &str, file: &Path, folder: &Path, machine: &dyn Surroundings) -> Result<Self, ConfigError> {
        let bad = |bads| ConfigError::Bad(Mistakes::new(text, file, bads));
        let (document, bads) = Document::parse(text);
        if !bads.is_empty() {
            return Err(bad(bads));
        }
        let mut reading = Reading::new(text, file, folder, machine);
        let read = resolve(document.root(), &mut reading);
        match read {
            Some(Resolved { settings, stamps, site_stamps }) if reading.bads.is_empty() => Ok(Self {
                file: file.to_owned(),
                spoken: None,
                settings,
                warnings: reading.warnings,
                explained: reading.explained,
                stamps,
                site_stamps,
            }),
            _ => Err(bad(reading.bads)),
        }
    }
}

const WHAT: &str =
    "a [[outbound]] table with `name`, `listen` and `upstream`, or a [[site]] table with `listen` and `upstream`";

fn resolve(root: Table<'_>, r: &mut Reading<'_>) -> Option<Resolved> {
    let mut known = keys::names("");
    known.extend(["site", "outbound", "defaults"]);
    r.bads.extend(strangers(&root, &known));
    let top = Level::of("", root.clone());
    let threads = top::threads(&top, r);
    let drain = top::drain(&top, r);
    let drain_delay = top::drain_delay(&top, r);
    let client_memory = top::client_memory(&top, r);
    let zone = top::zone(&top, r);
    r.zone.clone_from(&zone);
    let admin = top::admin(&top, r);
    let log = top::log(&top, r);
    let otlp = top::otlp(&top, r);
    let fleet = fleet::read(&top, r);
    r.fleet = fleet.as_ref().map(fleet::of_fleet);
    let tier = tier::read(&top, r);
    let defaults = root.get("defaults").and_then(|value| r.keep(Table::of(&value, "[defaults]", "a table")));
    if let Some(defaults) = &defaults {
        outbound::check_defaults(defaults, r);
    }
    let mut list = |name, expected| root.get(name).map(|value| r.keep(value.list(expected)));
    let sites = list("site", "a list of tables, each headed [[site]]");
    let outbounds = list("outbound", "a list of tables, each headed [[outbound]]");
    let is_empty =
        |list: &Option<Option<Vec<_>>>| list.as_ref().is_none_or(|list| list.as_ref().is_some_and(Vec::is_empty));
    if is_empty(&sites) && is_empty(&outbounds) {
        r.bads.push(root.missing("outbound", WHAT));
        return None;
    }
    let sites: Vec<_> = sites.flatten().into_iter().flatten().filter_map(|value| site::read(&value, r)).collect();
    let outbounds = outbounds.flatten().into_iter().flatten();
    let outbounds: Vec<_> = outbounds.filter_map(|value| outbound::read(&value, defaults.clone(), r)).collect();
    among::check(&sites, &outbounds, admin.as_ref(), r);
    let stamps = outbounds.iter().map(|placed| placed.stamp).collect();
    let site_stamps = sites.iter().map(|placed| placed.stamp).collect();
    let outbound = outbounds.into_iter().map(|placed| placed.settings).collect();
    let site = sites.into_iter().map(|placed| placed.settings).collect();
    let admin = admin.map(|(settings, _)| settings);
    let settings =
        Settings { threads, drain, drain_delay, client_memory, zone, admin, log, otlp, fleet, tier, outbound, site };
    Some(Resolved { settings, stamps, site_stamps })
}

/// Certificates, keys, authorities, country databases, passwords and pages of local replies; each once.
pub fn watched_files(settings: &Settings) -> Vec<PathBuf> {
    let of_routes = settings.site.iter().flat_map(|site| &site.routes).filter_map(RouteSettings::called);
    let own = settings.site.iter().map(|site| &site.proxy).chain(&settings.outbound);
    let upstreams = own.chain(of_routes).map(|one| &one.upstream.tls);
    let mut files: Vec<PathBuf> = Vec::new();
    for tls in upstreams {
        files.extend(tls.ca.clone());
        files.extend(tls.certificate.iter().flat_map(|(certificate, key)| [certificate.clone(), key.clone()]));
    }
    files.extend(settings.fleet.as_ref().and_then(|fleet| fleet.ca.clone()));
    let tier = settings.tier.iter().flat_map(|tier| [Some(tier.secret_file.clone()), tier.upstream.tls.ca.clone()]);
    files.extend(tier.flatten());
    for site in &settings.site {
        let pairs = site.tls.iter().flat_map(|tls| &tls.certificates);
        files.extend(pairs.flat_map(|(certificate, key)| [certificate.clone(), key.clone()]));
        files.extend(site.cache.as_ref().and_then(|cache| cache.country.clone()));
        files.extend(site.acme.as_ref().and_then(|acme| acme.ca.clone()));
        files.extend(site.error_page.clone());
        let access = site.routes.iter().filter_map(|route| route.access.as_ref()?.auth.as_ref());
        files.extend(access.map(|auth| auth.users.clone()));
    }
    files.sort_unstable();
    files.dedup();
    files
}

#[cfg(test)]
mod tests;
