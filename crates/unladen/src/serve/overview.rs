//! [`text`]: a summary of the command line's sites.

use std::fmt::Write as _;

use unladen_serve_config::{Application, Config, Explained, Shown, SiteSettings};

/// The application, the cache and the preset of each site, and how to keep the configuration.
pub(super) fn text(config: &Config) -> String {
    let mut text = String::new();
    for site in &config.settings.site {
        let name = &site.proxy.upstream.name;
        // Writing to a String does not fail.
        let _ = writeln!(text, "unladen: site `{name}`: {}", application(config, site));
        let _ = writeln!(text, "unladen: site `{name}`: {}", cache(site));
    }
    text.push_str("unladen: the same command with --explain prints this as a file, to keep and to change");
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
        Application::Php(_) if said("root").is_empty() => format!("sends requests to {} by FastCGI", said("php")),
        Application::Php(_) => format!("files of {}, scripts run by {}", said("root"), said("php")),
        Application::Files(folder) => format!("files of \"{}\"", folder.root.display()),
    };
    if let Some(preset) = site.preset {
        let _ = write!(text, ", preset {preset}");
    }
    text
}

fn cache(site: &SiteSettings) -> String {
    let Some(cache) = &site.cache else { return "keeps nothing".to_owned() };
    let memory = Shown::Bytes(cache.memory);
    let by = match site.validators.len() {
        0 => "what the application permits",
        _ => "what a validator knows to be current, and what the application permits",
    };
    format!("keeps up to {} of {by}", memory.to_string().trim_matches('"'))
}
