//! The principal type is [`SiteOptions`]: a site from options instead of a file, as the text of one.

use std::fmt::Write as _;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use unladen_serve_config::{Config, ConfigError, presets};

use crate::exit::Failure;

/// Stands for a file's path.
const COMMAND_LINE: &str = "the command line";

/// The options of the command line that describe a site.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct SiteOptions {
    /// Serve a site at this address, without a file, such as :8080, 127.0.0.1:8080 or unix:/run/site.sock
    #[arg(long, value_name = "ADDRESS", help_heading = "A site without a file")]
    listen: Option<String>,
    /// The application of --listen; may be repeated for several that share the requests
    #[arg(long, value_name = "URL", help_heading = "A site without a file")]
    to: Vec<String>,
    /// The folder with the files of --listen
    #[arg(long, value_name = "DIR", help_heading = "A site without a file")]
    root: Option<PathBuf>,
    /// The server that runs the scripts of --root: the socket of PHP-FPM, or fcgi://HOST:PORT
    #[arg(long, value_name = "SOCKET", help_heading = "A site without a file")]
    php: Option<String>,
    /// Use the usual settings of this application
    #[arg(long, value_name = "NAME", help_heading = "A site without a file")]
    #[arg(value_parser = PossibleValuesParser::new(presets::names()), conflicts_with_all = ["file", "config"])]
    preset: Option<String>,
    /// The names that --listen answers for: example.org,www.example.org
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "A site without a file")]
    #[arg(conflicts_with_all = ["file", "config"])]
    hosts: Vec<String>,
    /// Get certificates from Let's Encrypt for --hosts, with this contact address; --listen is then :443, and :80 for
    /// http
    #[arg(long, value_name = "EMAIL", help_heading = "A site without a file")]
    acme: Option<String>,
    /// An authority other than Let's Encrypt: letsencrypt-staging, to test first, or the URL of a directory
    #[arg(long, value_name = "URL", requires = "acme", help_heading = "A site without a file")]
    acme_directory: Option<String>,
}

struct Line {
    option: &'static str,
    text: String,
}

impl SiteOptions {
    /// Fails if the options contradict each other or are invalid: each mistake is named with its option.
    pub(super) fn config(&self) -> Result<Config, Failure> {
        let folder = std::env::current_dir().map_err(|error| {
            Failure::Usage(format!("relative paths start at the current folder, which does not exist: {error}"))
        })?;
        self.agree(&folder)?;
        let lines = self.lines();
        let text = lines.iter().fold("[[site]]\n".to_owned(), |text, line| text + &line.text + "\n");
        Config::spoken(&text, COMMAND_LINE, &folder).map_err(|error| told(error, &lines))
    }

    fn agree(&self, folder: &Path) -> Result<(), Failure> {
        let usage = |text: &str| Err(Failure::Usage(text.to_owned()));
        if self.listen.is_none() && (self.acme.is_none() || self.hosts.is_empty()) {
            return usage(
                "--listen is missing: give the address that clients call, --listen :8080, --listen 127.0.0.1:8080 or \
                 --listen unix:/run/site.sock; with --acme and --hosts it defaults to :443 and :80",
            );
        }
        if self.root.is_none() && self.php.is_none() && self.to.is_empty() {
            return usage(
                "nothing to serve: add --to URL for an application, or --root DIR for a folder of files, with --php \
                 SOCKET to run its scripts",
            );
        }
        if !self.to.is_empty() && (self.php.is_some() || self.root.is_some()) {
            let other = if self.php.is_some() { "--php" } else { "--root" };
            return Err(Failure::Usage(format!(
                "--to and {other} are two applications for one site: leave one out, or write both into a file, with \
                 [[site.route]] for one of them (`--init proxy` writes a file to start from)"
            )));
        }
        if self.acme.is_some() && self.hosts.is_empty() {
            return usage(
                "--acme needs --hosts, the names that the certificate is for: --hosts example.org,www.example.org",
            );
        }
        self.scripts_run(folder)
    }

    /// Refuses a folder of scripts without a server to run them: visitors would get none of its pages.
    fn scripts_run(&self, folder: &Path) -> Result<(), Failure> {
        let Some(root) = self.root.as_ref().filter(|_| self.php.is_none()) else { return Ok(()) };
        if !folder.join(root).is_dir() {
            return Err(Failure::Usage(format!("--root {}: no such folder", root.display())));
        }
        if !folder.join(root).join("index.php").is_file() {
            return Ok(());
        }
        let found = sockets_of_php_fpm();
        let mut text = format!("--root {} has index.php, and no --php to run it", root.display());
        match found.as_slice() {
            [] => text.push_str(
                "; there is no socket of PHP-FPM in /run/php: install php-fpm, start it, and give its socket with \
                 --php (`listen` in its pool's file)",
            ),
            [first, ..] => {
                let all: Vec<String> = found.iter().map(|socket| socket.display().to_string()).collect();
                let which = if found.len() > 1 { "the socket of the site's pool, such as " } else { "" };
                let _ = write!(
                    text,
                    "; found {}: add {which}--php {}. To serve only the other files, use a configuration file with \
                     `root` and without `php`",
                    all.join(", "),
                    first.display()
                );
            }
        }
        Err(Failure::Usage(text))
    }

    fn lines(&self) -> Vec<Line> {
        let text = |text: &Option<String>| text.as_deref().map(quoted);
        let upstream = match self.to.as_slice() {
            [] => None,
            [one] => Some(quoted(one)),
            several => Some(list(several)),
        };
        let values = [
            ("--listen", "listen", text(&self.listen)),
            ("--hosts", "hosts", Some(list(&self.hosts)).filter(|_| !self.hosts.is_empty())),
            ("--acme", "acme.email", text(&self.acme)),
            ("--acme-directory", "acme.directory", text(&self.acme_directory)),
            ("--root", "root", self.root.as_ref().map(|root| quoted(&root.to_string_lossy()))),
            ("--php", "php", text(&self.php)),
            ("--to", "upstream", upstream),
            ("--preset", "preset", text(&self.preset)),
        ];
        let given = values.into_iter().filter_map(|(option, key, value)| Some((option, key, value?)));
        given.map(|(option, key, value)| Line { option, text: format!("{key} = {value}") }).collect()
    }
}

fn told(error: ConfigError, lines: &[Line]) -> Failure {
    let ConfigError::Bad(mistakes) = error else { return error.into() };
    let mut texts: Vec<String> = Vec::new();
    for place in &mistakes.places {
        // The first line is the table's head.
        let line = place.line.checked_sub(2).and_then(|at| lines.get(at));
        texts.push(match line {
            Some(line) => format!("{}: {}", line.option, place.problem),
            None => place.problem.to_string(),
        });
    }
    Failure::Usage(texts.join("\n"))
}

fn list(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
    format!("[{}]", texts.join(", "))
}

/// As a TOML basic string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            letter if letter.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(letter));
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

/// Where Debian's pools have theirs.
const FOLDER: &str = "/run/php";
/// Nobody would read more.
const MOST: usize = 8;

/// The sockets of PHP-FPM's pools, sorted by name. A link to another of them is left out.
fn sockets_of_php_fpm() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(FOLDER).into_iter().flatten().flatten();
    let is_socket = |entry: &std::fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_socket());
    let mut found: Vec<PathBuf> = entries.filter(is_socket).map(|entry| entry.path()).collect();
    found.retain(|path| path.extension().is_some_and(|extension| extension == "sock"));
    found.sort_unstable();
    found.truncate(MOST);
    found
}

#[derive(Debug)]
pub(crate) enum Source {
    File(PathBuf),
    Options(SiteOptions),
}

impl Source {
    /// Fails if it cannot be read or is invalid; for options, the error names the option.
    pub(super) fn config(&self) -> Result<Config, Failure> {
        match self {
            Self::File(file) => Ok(Config::read(file)?),
            Self::Options(options) => options.config(),
        }
    }

    pub(super) fn name(&self) -> String {
        match self {
            Self::File(file) => file.display().to_string(),
            Self::Options(_) => COMMAND_LINE.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
