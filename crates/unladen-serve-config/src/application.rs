//! [`Application`]: what answers the requests of a `[[site]]` or of a route (`upstream`, `php` with its scripts, or `root`
//! alone), and how it is read.

use std::path::PathBuf;

use serde::Serialize;
use unladen_pool::Origin;
use unladen_toml::{Bad, Problem, Value};

use super::explain::{Origin as ValueOrigin, Showable, Shown};
use super::level::Level;
use super::origins;
use super::reading::Reading;
use super::strings::{self, checked, texts};

/// What answers the requests of a site that no route has taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Application {
    #[default]
    Upstream,
    /// The upstream, by FastCGI.
    Php(ScriptSettings),
    /// Files alone, without upstream.
    Files(FolderSettings),
}

/// A folder of files, and which of them answers a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FolderSettings {
    pub root: PathBuf,
    /// Files that stand for a folder, in this order.
    pub index: Vec<String>,
    /// Places that are tried, in this order.
    pub tries: Vec<Try>,
    /// Prefix of the path that is removed before files are looked for: `/static`, without slash at its end; empty for
    /// none.
    pub alias: String,
}

/// One place where an answer to a path is looked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Try {
    /// The file at the path with this suffix: `{path}` has an empty one, `{path}.html` has `.html`.
    Path(String),
    /// The folder at the path, and its index: `{path}/`.
    Folder,
    /// This path, whatever was asked for: `/index.php`.
    Fixed(String),
}

/// Scripts that FastCGI runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ScriptSettings {
    /// Folder of scripts, and of files beside them; `None` if the program answers all paths itself.
    pub folder: Option<FolderSettings>,
    /// The one program for all paths, as `SCRIPT_FILENAME`: the path is its `PATH_INFO`.
    pub script: Option<PathBuf>,
    /// The path prefix of the one program, as `SCRIPT_NAME`; the rest is its `PATH_INFO`.
    pub name: String,
    /// Further folders whose files `X-Accel-Redirect` and `X-Sendfile` may send.
    pub sendfile: Vec<PathBuf>,
    /// Suffixes of scripts: `.php`.
    pub suffixes: Vec<String>,
    /// Parameters that add to the usual ones or replace them.
    pub params: Vec<(String, String)>,
    pub status_path: Option<String>,
    pub keep: bool,
}

const TRY: &str = "\"{path}\", \"{path}/\", \"{path}.html\" or the like, or a path such as \"/index.php\"";
const NAME: &str = "a file name such as \"index.html\"";
const MISSING: &str = "the address of the application, such as upstream = \"http://127.0.0.1:8080\"";
const FOLDER: &str = "the folder of its scripts, such as root = \"/var/www/html\", or [site.fastcgi] with `script`";

/// What answers, and its origins; `None` if too little is known.
pub(super) fn read(level: &Level<'_>, r: &mut Reading<'_>) -> Option<(Application, Vec<Origin>)> {
    let (upstream, php) = (level.find("upstream", r).is_some(), level.find("php", r).is_some());
    let is_alone = !upstream && !php && level.find("root", r).is_none();
    let origins = if is_alone {
        level.require("upstream", MISSING, r, origins::all, |origins| origins::show(origins))
    } else {
        self::origins(level, r)
    };
    let scripts = fastcgi(level, r);
    if upstream && php {
        both(level, "php", "upstream", r);
    }
    let folder = folder(level, php, r);
    let script = script(level, folder.clone(), php, r);
    if php {
        return Some((Application::Php(script?), scripts?));
    }
    if upstream {
        if folder.is_some() {
            let without = "has no effect with `upstream`: the application answers all paths; for files, set `root` in \
                a [[site.route]]";
            // A preset sets `root` for sites that have `php`.
            if level.says("root") {
                level.alone("root", without, r);
            }
        }
        return Some((Application::Upstream, origins?));
    }
    match folder {
        Some(folder) => Some((Application::Files(folder), Vec::new())),
        None => Some((Application::Upstream, origins?)),
    }
}

/// Reports two keys of which only one is allowed.
pub(super) fn both(level: &Level<'_>, key: &'static str, other: &str, r: &mut Reading<'_>) {
    let expected = "only one of them: it answers the requests";
    level.refuse(key, format!("given in addition to `{other}`"), expected, r);
}

pub(super) fn origins(level: &Level<'_>, r: &mut Reading<'_>) -> Option<Vec<Origin>> {
    let origins = level.optional("upstream", r, origins::all, |origins| origins::show(origins));
    origins.filter(|origins| !origins.is_empty())
}

pub(super) fn fastcgi(level: &Level<'_>, r: &mut Reading<'_>) -> Option<Vec<Origin>> {
    let origins = level.optional("php", r, origins::all_of_fastcgi, |origins| origins::show_fastcgi(origins));
    origins.filter(|origins| !origins.is_empty())
}

pub(super) fn folder(level: &Level<'_>, php: bool, r: &mut Reading<'_>) -> Option<FolderSettings> {
    let Some(root) = level.path("root", r) else {
        for key in ["index", "try"] {
            if level.says(key) && !level.says("root") {
                level.alone(key, "needs a `root`: set `root` too, or remove this key", r);
            }
            level.explain(key, Shown::None, ValueOrigin::BuiltIn, r);
        }
        return None;
    };
    let index = index(level, php, r);
    let tries = tries(level, r);
    Some(FolderSettings { root, index, tries, alias: String::new() })
}

pub(super) fn index(level: &Level<'_>, php: bool, r: &mut Reading<'_>) -> Vec<String> {
    let usual: &[&str] = if php { &["index.php", "index.html"] } else { &["index.html"] };
    let usual = usual.iter().map(|name| (*name).to_owned()).collect();
    let is_name = |text: &str| !matches!(text, "" | "." | "..") && !text.contains(['/', '\0']);
    strings::several(level, "index", usual, |value| checked(value, NAME, is_name), r)
}

pub(super) fn tries(level: &Level<'_>, r: &mut Reading<'_>) -> Vec<Try> {
    let show = |tries: &Vec<Try>| {
        let text = |one: &Try| match one {
            Try::Path(after) => format!("{{path}}{after}"),
            Try::Folder => "{path}/".to_owned(),
            Try::Fixed(path) => path.clone(),
        };
        Shown::list(tries.iter().map(text))
    };
    level.take("try", usual_tries(), r, |value, r| texts(value, one_try, r), show)
}

pub(super) fn usual_tries() -> Vec<Try> {
    vec![Try::Path(String::new()), Try::Folder]
}

fn one_try(value: &Value<'_>) -> Result<Try, Bad> {
    let text = value.one_line()?;
    let wrong = || value.refuse(format!("`{text}`"), TRY);
    // Variables as other servers write them.
    if text.starts_with('$') {
        return Err(value.refuse(format!("`{text}`"), format!("{TRY}; the path is written as {{path}}")));
    }
    let is_plain = |text: &str| {
        let climbs = text.split('/').any(|segment| matches!(segment, "." | ".."));
        !climbs && !text.contains(['{', '}', '?', '#', '%', '\0', '\\'])
    };
    match text.strip_prefix("{path}") {
        Some("/") => Ok(Try::Folder),
        Some(after) if is_plain(after) && !after.contains('/') => Ok(Try::Path(after.to_owned())),
        Some(_) => Err(wrong()),
        None if is_status(text) => Ok(Try::Fixed(text.to_owned())),
        None if text.starts_with('/') && is_plain(text) && !text.ends_with('/') => Ok(Try::Fixed(text.to_owned())),
        None => Err(wrong()),
    }
}

/// `=404`: the status if nothing was found before.
fn is_status(text: &str) -> bool {
    matches!(text.strip_prefix('=').map(str::parse::<u16>), Some(Ok(400..=599)))
}

pub(super) fn script(
    site: &Level<'_>,
    folder: Option<FolderSettings>,
    php: bool,
    r: &mut Reading<'_>,
) -> Option<ScriptSettings> {
    let no_folder = || Problem::Missing { place: "[[site]]".into(), key: "root", expected: FOLDER };
    if !site.has("fastcgi", r) {
        if php && folder.is_none() {
            r.refuse(site.at(&["php"]), no_folder());
            return None;
        }
        return php.then(|| ScriptSettings { folder, ..usual_script() });
    }
    let script = of_table(&site.group("fastcgi", r), r);
    if !php {
        // As above: a preset sets `fastcgi` for sites that have `php`.
        if site.says("fastcgi") {
            let without = "needs `php`: set `php` too, or remove this table";
            site.alone("fastcgi", without, r);
        }
        return None;
    }
    if script.script.is_none() && folder.is_none() {
        r.refuse(site.at(&["php"]), no_folder());
    }
    Some(ScriptSettings { folder, ..script })
}

fn of_table(level: &Level<'_>, r: &mut Reading<'_>) -> ScriptSettings {
    let usual = usual_script();
    let script = level.path("script", r);
    let beginning = |value: &Value<'_>, _: &mut Reading<'_>| {
        let text = value.one_line()?;
        let is_path =
            text.starts_with('/') && text.len() > 1 && !text.ends_with('/') && !text.contains(['?', '#', '%', '\0']);
        if is_path {
            Ok(text.to_owned())
        } else {
            Err(value.refuse(format!("`{text}`"), "the beginning of a path, such as \"/sympa\""))
        }
    };
    let name = level.take("name", usual.name, r, beginning, |name: &String| {
        if name.is_empty() { Shown::None } else { Shown::Text(name.clone()) }
    });
    let sendfile = |value: &Value<'_>| {
        let text = value.one_line()?;
        if text.starts_with('/') {
            Ok(PathBuf::from(text))
        } else {
            Err(value.refuse(format!("`{text}`"), "a folder such as \"/srv/files\""))
        }
    };
    let show = |list: &Vec<PathBuf>| Shown::list_or_none(list.iter().map(|path| path.display()));
    let sendfile = level.take("sendfile", usual.sendfile, r, |value, r| texts(value, sendfile, r), show);
    let is_suffix = |text: &str| {
        let letters = text.strip_prefix('.').unwrap_or_default();
        !letters.is_empty() && !letters.contains(['/', '.', '\0'])
    };
    let suffix = |value: &Value<'_>| checked(value, "an ending such as \".php\"", is_suffix);
    let suffixes = strings::several(level, "scripts", usual.suffixes, suffix, r);
    let params = strings::map(level, "params", param, r);
    let is_path = |text: &str| {
        text.starts_with('/') && text.bytes().all(|byte| byte.is_ascii_graphic() && !b"?#".contains(&byte))
    };
    let status = |value: &Value<'_>, _: &mut Reading<'_>| checked(value, "a path such as \"/fpm-status\"", is_path);
    let status_path = level.optional("status", r, status, String::shown);
    let keep = level.flag("keep", usual.keep, r);
    ScriptSettings { folder: None, script, name, sendfile, suffixes, params, status_path, keep }
}

fn usual_script() -> ScriptSettings {
    ScriptSettings {
        folder: None,
        script: None,
        name: String::new(),
        sendfile: Vec::new(),
        suffixes: vec![".php".to_owned()],
        params: Vec::new(),
        status_path: None,
        keep: false,
    }
}

fn param(name: &str, value: &Value<'_>) -> Result<(String, String), Bad> {
    let is_name = name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    if !is_name || name.is_empty() || name.len() > 128 {
        return Err(value.refuse(
            format!("a table with `{name}`"),
            "names made of capitals, digits and `_`, such as { APP_ENV = \"prod\" }",
        ));
    }
    if name == "HTTP_PROXY" || matches!(name, "CONTENT_LENGTH" | "SCRIPT_FILENAME" | "SCRIPT_NAME" | "PATH_INFO") {
        return Err(value.refuse(
            format!("a table with `{name}`"),
            "other names: this one is set from the request, or never passed",
        ));
    }
    // An empty value is allowed.
    let text = value.text_as("a string")?;
    if text.contains(['\0', '\r', '\n']) {
        return Err(value.refuse("text with several lines", "one line"));
    }
    Ok((name.to_owned(), text.to_owned()))
}

/// How scripts are run where a route has another FastCGI application; `None` if it has none.
pub(super) fn script_of(
    level: &Level<'_>,
    php: bool,
    of_site: &Application,
    r: &mut Reading<'_>,
) -> Option<ScriptSettings> {
    if php {
        return Some(script_of_route(level, of_site, r));
    }
    if level.says("fastcgi") {
        let without = "needs a `php` in the same table: set `php` too, or remove this table";
        level.alone("fastcgi", without, r);
    }
    level.explain("fastcgi", Shown::None, ValueOrigin::BuiltIn, r);
    None
}

/// From the route's own table `fastcgi`, or else from the site's, if the site has a FastCGI application.
fn script_of_route(level: &Level<'_>, of_site: &Application, r: &mut Reading<'_>) -> ScriptSettings {
    let Some((_, origin)) = level.find("fastcgi", r) else {
        level.explain("fastcgi", Shown::None, ValueOrigin::BuiltIn, r);
        return match of_site {
            Application::Php(script) => ScriptSettings { script: None, status_path: None, ..script.clone() },
            Application::Upstream | Application::Files(_) => usual_script(),
        };
    };
    // Explained values go under the route's own key.
    let before = r.explained.len();
    let group = level.group("fastcgi", r);
    let script = of_table(&group, r);
    let told = r.explained.split_off(before);
    let said = told.into_iter().filter(|one| !matches!(one.origin, ValueOrigin::BuiltIn));
    level.explain("fastcgi", Shown::Table(said.map(|one| (one.key.name, one.value)).collect()), origin, r);
    if script.status_path.is_some() {
        let without = "applies only to the site: it tells the site's queue how many workers there are; remove this key";
        group.alone("status", without, r);
    }
    ScriptSettings { status_path: None, ..script }
}
