use std::path::Path;

use unladen_validator::ValidatorSource;

use crate::presets::PRESETS;
use crate::{Config, ConfigError, Machine, ValueOrigin};

fn parse(body: &str) -> Result<Config, ConfigError> {
    let text = format!("[[site]]\nlisten = \"127.0.0.1:8080\"\nupstream = \"http://127.0.0.1:8000\"\n{body}");
    Config::parse(&text, Path::new("unladen.toml"), Path::new("/"), &Machine)
}

#[track_caller]
fn refused(body: &str) -> String {
    parse(body).unwrap_err().to_string()
}

fn value(config: &Config, name: &str) -> (String, ValueOrigin) {
    let one = config.explained.iter().find(|one| one.name() == name);
    let one = one.unwrap_or_else(|| panic!("{name} is not explained"));
    (one.value.to_string(), one.origin)
}

/// With whatever can stand in front of it: a preset says nothing that is wrong or doubtful by itself.
#[test]
fn each_is_right_by_itself() {
    for preset in &PRESETS {
        let config = parse(&format!("preset = \"{}\"", preset.name)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(config.settings.site[0].preset, Some(preset.name));
        assert!(config.settings.site[0].validators.is_empty());
        assert!(config.warnings.iter().all(|warning| !warning.message.contains("preset")), "{:?}", config.warnings);
    }
}

#[test]
fn a_key_of_the_site_replaces_the_presets() {
    let config = parse("preset = \"wordpress\"").unwrap();
    let (cookies, origin) = value(&config, "cache.ignore_cookies");
    assert!(cookies.contains("\"_ga*\""), "{cookies}");
    assert_eq!(origin, ValueOrigin::Preset("wordpress"));
    assert_eq!(value(&config, "cache.memory").1, ValueOrigin::BuiltIn);
    assert!(config.told().contains("# preset wordpress"), "{}", config.told());

    let config = parse("preset = \"wordpress\"\n[site.cache]\nignore_cookies = [\"mine\"]").unwrap();
    assert_eq!(value(&config, "cache.ignore_cookies"), ("[\"mine\"]".to_owned(), ValueOrigin::Said(6)));
    assert_eq!(value(&config, "cache.ignore_query").1, ValueOrigin::Preset("wordpress"));
}

#[test]
fn its_database_is_asked_and_no_other_kind() {
    let validators = |body: &str| parse(body).unwrap().settings.site.remove(0).validators;
    let asked = validators("preset = \"wordpress\"\ndatabase = \"mysql://asker@127.0.0.1/blog\"");
    assert!(
        matches!(&*asked, [one] if matches!(&one.source, ValidatorSource::MySql { query, .. } if query.contains("page_version")))
    );
    let asked = validators("preset = \"mediawiki\"\ndatabase = \"postgres://asker@127.0.0.1/wiki\"");
    let ValidatorSource::Postgres { query, parameters, .. } = &asked[0].source else { panic!("{asked:?}") };
    assert!(query.contains("$1") && *parameters == ["title"], "{asked:?}");
    let asked = validators("preset = \"dokuwiki\"\ndatabase = \"file:/srv/wiki/data\"");
    assert!(
        matches!(&asked[0].source, ValidatorSource::File { path } if path == "/srv/wiki/data/meta/_dokuwiki.changes")
    );

    let said = refused("preset = \"wordpress\"\ndatabase = \"postgres://asker@127.0.0.1/blog\"");
    assert!(said.contains("preset wordpress has a query for"), "{said}");
    let said = refused("preset = \"dokuwiki\"\ndatabase = \"mysql://asker@127.0.0.1/wiki\"");
    assert!(said.contains("preset dokuwiki has a query for"), "{said}");
    let said = refused("database = \"mysql://asker@127.0.0.1/blog\"");
    assert!(said.contains("set `preset` too"), "{said}");
    let config = parse("preset = \"sympa\"\ndatabase = \"mysql://asker@127.0.0.1/sympa\"").unwrap();
    assert!(config.warnings.iter().any(|warning| warning.message.contains("sympa has no validator")));
}

#[test]
fn questions_of_the_site_stand_in_place_of_the_presets() {
    let own = "preset = \"wordpress\"\ndatabase = \"mysql://asker@127.0.0.1/blog\"\n[[site.validator]]\npath = \"/\"\nhead = true";
    let validators = parse(own).unwrap().settings.site.remove(0).validators;
    assert!(matches!(&*validators, [one] if one.source == ValidatorSource::Head), "{validators:?}");
}

#[test]
fn one_that_nobody_wrote_is_told_with_those_that_there_are() {
    let said = refused("preset = \"wordpres\"");
    assert!(said.contains("wordpress") && said.contains(":4:"), "{said}");
}

/// With the folder above `public`, everybody could read `.env`'s neighbours.
#[test]
fn a_root_that_is_too_high_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("artisan"), "").unwrap();
    let parse = |root: &Path| {
        let text = format!(
            "[[site]]\nlisten = \"127.0.0.1:8080\"\npreset = \"laravel\"\nphp = \"/run/php.sock\"\nroot = \"{}\"",
            root.display()
        );
        Config::parse(&text, Path::new("unladen.toml"), Path::new("/"), &Machine)
    };
    let said = parse(folder.path()).unwrap_err().to_string();
    assert!(said.contains("which has artisan") && said.contains("/public\""), "{said}");
    let public = folder.path().join("public");
    std::fs::create_dir(&public).unwrap();
    assert!(parse(&public).is_ok());
}
