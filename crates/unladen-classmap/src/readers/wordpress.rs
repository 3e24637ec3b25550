//! WordPress: the Composer loaders of its plugins and themes. The principal type is [`WordPress`].
//!
//! WordPress itself includes its files without autoloading. Plugins with Composer's loader register it when they are
//! loaded, mostly prepending. Which plugins are active, and in which order they are loaded, is in the database, per
//! site of a network; nothing of it is read. So a class that two plugins have in different files is never in the map.
//! And since plugins ask `class_exists()` for one another, a class of an inactive plugin must not be in the map: it has
//! nothing of plugins and themes, unless the caller says that all present ones are active.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use bstr::ByteSlice;

use crate::input::read_whole;
use crate::php::constant::{Value, calls};
use crate::readers::path::plain;
use crate::readers::settings_calls::{INCLUDE, Settings, as_calls};
use crate::readers::{Extensions, Options, Reader, composer};
use crate::{Application, Loader, Problem, Standing};

#[derive(Debug)]
pub(super) struct WordPress;

/// Folders with loaders, below `wp-content`, and the constants that move them.
const KINDS: [&str; 3] = ["mu-plugins", "plugins", "themes"];
const ELSEWHERE: [&str; 3] = ["WPMU_PLUGIN_DIR", "WP_PLUGIN_DIR", "WP_CONTENT_DIR"];

/// Where Debian's wp-config.php looks for the settings of the requested host.
const DEBIAN: &str = "/etc/wordpress";

impl Reader for WordPress {
    fn name(&self) -> &'static str {
        "wordpress"
    }

    fn about(&self) -> &'static str {
        "WordPress, with the Composer loaders of its plugins and themes"
    }

    fn knows(&self, root: &Path) -> bool {
        root.join("wp-settings.php").is_file() || root.join("wp-includes/version.php").is_file()
    }

    fn read(&self, root: &Path, options: &Options) -> Result<Application, Problem> {
        let mut reading = Reading { root, ahead: Vec::new(), behind: Vec::new(), application: Application::default() };
        let contents = reading.contents(options);
        reading.application.switch_on = switch_on(&contents);
        // In order of registration: one that prepends itself goes in front of all before it.
        for folder in reading.config() {
            reading.add(&folder, Standing::Sure);
        }
        let folders = composer::vendors(contents.iter().map(PathBuf::as_path));
        let all = options.extensions == Extensions::All;
        for folder in &folders {
            reading.add(folder, if all { Standing::Unordered } else { Standing::Perhaps });
        }
        if !folders.is_empty() {
            let content = contents.iter().find_map(|folder| folder.parent()).unwrap_or(root);
            reading.application.problems.push(notice(content, folders.len(), all));
        }
        let Reading { mut ahead, behind, mut application, .. } = reading;
        ahead.reverse();
        application.loaders = ahead.into_iter().chain(behind).collect();
        Ok(application)
    }
}

struct Reading<'a> {
    root: &'a Path,
    /// Loaders that prepend themselves, the last first; and the others.
    ahead: Vec<Loader>,
    behind: Vec<Loader>,
    application: Application,
}

impl Reading<'_> {
    fn config_file(&self) -> Option<PathBuf> {
        let here = self.root.join("wp-config.php");
        // WordPress too looks one folder above, if that is not another WordPress.
        let above = self.root.parent().filter(|above| !above.join("wp-settings.php").exists());
        let file = if here.exists() { Some(here) } else { above.map(|above| above.join("wp-config.php")) };
        file.filter(|file| file.exists())
    }

    /// The folders of plugins and themes: for several hosts with own settings, those of all.
    fn contents(&mut self, options: &Options) -> Vec<PathBuf> {
        let usual = || vec![self.root.join("wp-content")];
        let mut abspath = self.root.as_os_str().as_bytes().to_vec();
        abspath.push(b'/');
        let known = [("ABSPATH", abspath.as_slice())];
        let own = || Settings::before(self.root.join("wp-settings.php"));
        let mut settings = own();
        let mut files: Vec<PathBuf> = options.settings.iter().cloned().collect();
        if let Some(config) = self.config_file() {
            // The request decides which host's settings are included.
            let is_debians = read_whole(&config).is_ok_and(|source| source.contains_str("/etc/wordpress/config-"));
            if is_debians && files.is_empty() {
                files.extend(hosts(Path::new(DEBIAN)));
            }
            // It comes last: what a host's settings have defined stays.
            files.push(config);
        }
        let mut folders = Vec::new();
        let (last, hosts) = files.split_last().map_or((None, &[][..]), |(last, hosts)| (Some(last), hosts));
        for file in hosts {
            settings.read(file, &known, &ELSEWHERE);
        }
        let is_said_by_all = !hosts.is_empty() && settings.values("WP_CONTENT_DIR").is_none_or(|said| !said.is_empty());
        if let Some(last) = last {
            let mut of_config = own();
            of_config.read(last, &known, &ELSEWHERE);
            let of_host = |name: &str| settings.given.iter().any(|(given, _)| given == name);
            of_config.given.retain(|(name, _)| !(is_said_by_all && of_host(name)));
            settings.given.append(&mut of_config.given);
            settings.inputs.append(&mut of_config.inputs);
            settings.problems.append(&mut of_config.problems);
        }
        let mut said = |name: &str| {
            settings.values(name).unwrap_or_else(|| {
                let what = format!("`{name}` is computed at run time: plugins and themes are not looked for there");
                let file = last.cloned().unwrap_or_else(|| self.root.to_owned());
                settings.problems.push(Problem::of(file, what));
                Vec::new()
            })
        };
        let (must_use, plugins, contents) = (said(ELSEWHERE[0]), said(ELSEWHERE[1]), said(ELSEWHERE[2]));
        let contents = if contents.is_empty() { usual() } else { contents };
        folders.extend(must_use.iter().cloned());
        folders.extend(plugins.iter().cloned());
        for content in &contents {
            let kinds = KINDS.iter().filter(|kind| match **kind {
                "mu-plugins" => must_use.is_empty(),
                "plugins" => plugins.is_empty(),
                _ => true,
            });
            folders.extend(kinds.map(|kind| content.join(kind)));
        }
        // The one of must-use plugins first: the map is switched on there.
        folders.sort_by_key(|folder| !(must_use.contains(folder) || folder.ends_with("mu-plugins")));
        self.application.inputs.extend(settings.inputs);
        self.application.problems.extend(settings.problems);
        folders
    }

    fn config(&mut self) -> Vec<PathBuf> {
        let Some(file) = self.config_file() else { return Vec::new() };
        self.application.inputs.push(file.clone());
        let unreadable =
            |error| Problem::of(&file, format!("cannot be read: {error}; loaders that it includes are not seen"));
        let source = match file.canonicalize().and_then(|real| Ok((read_whole(&real)?, real))) {
            Ok((source, real)) => calls(&as_calls(&source), &real, &[INCLUDE], &[]),
            Err(error) => Err(unreadable(error)),
        };
        let calls = match source {
            Ok(calls) => calls,
            Err(problem) => {
                self.application.problems.push(problem.hiding());
                return Vec::new();
            }
        };
        let included = calls.iter().filter(|call| !call.conditional).filter_map(|call| match call.args.first() {
            Some(Some(Value::String(path))) => Some(plain(path)),
            _ => None,
        });
        let of_composer =
            |path: PathBuf| (path.ends_with("autoload.php")).then(|| path.parent().map(Path::to_owned))?;
        included.filter_map(of_composer).filter(|folder| composer::is_dumped(folder)).collect()
    }

    fn add(&mut self, folder: &Path, standing: Standing) {
        match composer::vendor_of(&mut self.application, self.root, folder, standing) {
            // A loader that may not exist may be in front, wherever it would put itself.
            Some((loader, prepends)) if prepends || standing == Standing::Perhaps => self.ahead.push(loader),
            Some((loader, _)) => self.behind.push(loader),
            None => {}
        }
    }
}

fn hosts(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_of_host = |path: &PathBuf| {
        path.file_name()
            .is_some_and(|name| name.as_bytes().starts_with(b"config-") && name.as_bytes().ends_with(b".php"))
    };
    let mut found: Vec<PathBuf> = files.filter(is_of_host).collect();
    found.sort();
    found
}

fn notice(content: &Path, count: usize, all: bool) -> Problem {
    if all {
        let what = format!(
            "all {count} plugins and themes with a Composer loader are assumed to be active: class_exists() will also \
             find classes of inactive ones; delete those; classes that two of them have in different files are left \
             out of the map"
        );
        return Problem::of(content, what);
    }
    let what = format!(
        "WordPress's database, which says which plugins and themes are active, is not read: the classes of {count} \
         with a Composer loader are left to those loaders; if all existing ones are active, on each site, \
         --all-extensions reads them"
    );
    Problem::of(content, what)
}

/// `folders` begins with that of must-use plugins.
fn switch_on(folders: &[PathBuf]) -> Vec<String> {
    let folder =
        folders.first().map_or_else(|| "wp-content/mu-plugins".to_owned(), |folder| folder.display().to_string());
    vec![
        format!(
            "in {folder}/unladen.php, a separate file: <?php add_action( 'plugins_loaded', static function () {{ \
             require '…/unladen-classmap.php'; }}, PHP_INT_MIN );"
        ),
        "not earlier: the Composer loaders of plugins register themselves before existing loaders".to_owned(),
    ]
}
