//! `unladen classmap`: every class to its one file.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use bstr::{BString, ByteSlice};
use clap::builder::{OsStringValueParser, TypedValueParser};
use unladen_classmap::{Extensions, Options, READERS, reader_named};

use crate::classmap::{self, Emit, Scripts, Task};
use crate::cmd::showing::Published;
use crate::exit::Failure;
use crate::output::Destination;

/// Write a map of an application's classes, so that requests need not search for their files
///
/// Reads how the application finds its classes (its code is run only by --ask), and writes one PHP file with a constant
/// array from class to file, and a loader that PHP asks before the others. Classes that are not in the map are left to
/// the application's own loaders.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  unladen classmap /usr/share/mediawiki
  unladen classmap --check /srv/shop                 # in CI: 8 if the map is out of date
  unladen classmap --check --strict --sarif classes.sarif --html classes.html /srv/shop
  unladen classmap --explain 'App\\Cart' /srv/shop    # which files declare it, and which is used
  unladen classmap --ask index.php --as www-data /srv/app   # an application without a reader
  unladen classmap --psr4 'App\\=src' --psr4 'Lib\\=lib' --emit json .")]
pub(super) struct Args {
    /// The application's folder [default: . ; with --check and --output, the one that the map names]
    #[arg(value_name = "DIR")]
    root: Option<PathBuf>,
    /// What to write: `php`, the map with its loader; `json`; `composer`, Composer's own optimised class map
    #[arg(long, value_name = "FORM", default_value = "php")]
    emit: Emit,
    /// Where to write it; `-` is standard output (default: DIR/unladen-classmap.php, or
    /// /var/lib/unladen/DIR/unladen-classmap.php if a package has installed DIR below /usr; for json, standard output;
    /// for composer, the project's vendor/composer)
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write nothing; report whether the map is up to date, and what is wrong with the application's classes
    #[arg(long, conflicts_with_all = ["watch", "explain"])]
    check: bool,
    /// With --check, also fail on violations of PSR-4, duplicates and problems
    #[arg(long, requires = "check")]
    strict: bool,
    /// Keep running, and write the map again when files change
    #[arg(long, conflicts_with = "explain")]
    watch: bool,
    /// Write nothing; report which files declare a class, which of them the application finds, and why
    #[arg(long, value_name = "CLASS")]
    explain: Option<OsString>,
    /// Write the map even if classes may be missing, such as when a file cannot be read
    #[arg(long)]
    partial: bool,
    /// Write JSON instead of a table
    #[arg(long, conflicts_with = "watch")]
    json: bool,
    #[command(flatten)]
    published: Published,
    /// What kind of application it is [default: detected]
    #[arg(long, value_name = "KIND", value_parser = reader_names())]
    reader: Option<String>,
    /// A folder for the classes that begin with a prefix, by PSR-4 (repeatable): asked last; without --reader, nothing
    /// else is read
    #[arg(long, value_name = "PREFIX=DIR", value_parser = OsStringValueParser::new().try_map(psr4))]
    psr4: Vec<(BString, PathBuf)>,
    /// Run this script of the application, such as `index.php` or `public/index.php?page=2`, in a separate PHP server,
    /// and ask the autoloaders that it registers for every class; the classes' files are not loaded for that
    /// (repeatable)
    #[arg(
        long,
        value_name = "SCRIPT",
        conflicts_with_all = ["reader", "psr4", "all_extensions", "settings", "dev", "check", "watch", "explain"]
    )]
    ask: Vec<String>,
    /// With --ask, the user to run PHP as: the user of the application's PHP workers. Required for root, because the
    /// application's code is not run as root
    #[arg(long = "as", value_name = "USER", requires = "ask")]
    user: Option<String>,
    /// With --ask, the PHP to run; its version and settings must be those of the workers
    #[arg(long, value_name = "FILE", requires = "ask", default_value = "php")]
    php: PathBuf,
    /// Treat all as enabled: extensions and skins of MediaWiki (otherwise those of LocalSettings.php), plugins, themes,
    /// templates and modules of WordPress, DokuWiki and Drupal (otherwise none, because files do not say which are
    /// enabled)
    #[arg(long)]
    all_extensions: bool,
    /// For MediaWiki its LocalSettings.php, if it is not in DIR; for Debian's WordPress one of
    /// /etc/wordpress/config-*.php
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,
    /// For Composer, before it has written its autoloader: include what is only for development
    #[arg(long)]
    dev: bool,
}

fn reader_names() -> Vec<&'static str> {
    READERS.iter().map(|reader| reader.name()).collect()
}

/// Neither class names nor paths need be UTF-8.
fn psr4(text: OsString) -> Result<(BString, PathBuf), String> {
    match text.as_bytes().split_once_str("=") {
        Some((prefix, folder)) if !folder.is_empty() => Ok((prefix.into(), OsStr::from_bytes(folder).into())),
        _ => Err("expected a prefix, `=` and a folder, such as 'App\\=src'".to_owned()),
    }
}

pub(super) fn run(args: Args, typed: &[String]) -> Result<(), Failure> {
    let options = Options {
        extensions: if args.all_extensions { Extensions::All } else { Extensions::Enabled },
        // Relative to the folder in which the command was typed, wherever the map is.
        settings: args.settings.map(|file| std::path::absolute(&file).unwrap_or(file)),
        dev: args.dev,
        // As `composer dump-autoload` does: reading its own list again, it would never lose a class.
        anew: args.emit == Emit::Composer,
        psr4: args.psr4,
        answers: None,
    };
    let task = Task {
        root: args.root,
        reader: args.reader.as_deref().and_then(reader_named),
        options,
        emit: args.emit,
        output: args.output,
        partial: args.partial,
        json: args.json,
        ask: (!args.ask.is_empty()).then_some(Scripts { scripts: args.ask, user: args.user, php: args.php }),
        typed: typed.to_vec(),
    };
    let files: Vec<Destination> = args.published.destinations().collect();
    if !args.check && !files.is_empty() {
        return Err(Failure::Usage(
            "--html, --markdown, --junit and --sarif need --check: add it, or leave them out".to_owned(),
        ));
    }
    match args.explain {
        Some(class) => classmap::explain(&task, class.as_bytes().as_bstr()),
        None if args.check => classmap::check(&task, args.strict, &files),
        None if args.watch => classmap::watch(&task),
        None => classmap::make(&task),
    }
}
