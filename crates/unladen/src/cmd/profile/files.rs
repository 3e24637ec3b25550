//! `unladen profile import`, `export`, `merge`, `grep`, `top` and `formats`: work on profile files.

use std::path::{Path, PathBuf};

use unladen_profile::{Pattern, Profile, READERS, WRITERS, Writer, reader_named, writer_for, writer_named};
use unladen_report::{Profiled, Report};

use crate::cmd::showing::Showing;
use crate::exit::Failure;
use crate::output;
use crate::profile;
use crate::runs::Origin;
use crate::say::say;

#[derive(Debug, clap::Args)]
pub(super) struct Listed {
    /// How many functions to list [default: as many as the first screen has room for; 12 with --details]
    #[arg(long, value_name = "N", help_heading = "What to show")]
    pub(super) top: Option<usize>,
}

/// Where the files of a profile go.
#[derive(Debug, clap::Args)]
pub(super) struct Kept {
    /// The folder for the flame graph and the profile in all formats
    #[arg(long, value_name = "DIR", default_value = "unladen-profile", help_heading = "What to show")]
    output_dir: PathBuf,
    /// Write only the files of --output
    #[arg(long, conflicts_with = "output_dir", help_heading = "What to show")]
    no_files: bool,
}

/// What is read.
#[derive(Debug, clap::Args)]
struct ProfileFile {
    /// Profile files; - is standard input
    #[arg(required = true, value_name = "FILE")]
    file: Vec<PathBuf>,
    /// Their format [default: detected]
    #[arg(long, value_name = "FORMAT", value_parser = reader_names())]
    format: Option<String>,
}

/// Read profiles of other tools, and show and write them as one
#[derive(Debug, clap::Args)]
pub(super) struct Import {
    #[command(flatten)]
    source: ProfileFile,
    #[command(flatten)]
    listed: Listed,
    #[command(flatten)]
    showing: Showing,
}

/// Write a profile in another format
#[derive(Debug, clap::Args)]
pub(super) struct Export {
    #[command(flatten)]
    source: ProfileFile,
    /// The format [default: by the ending of the output's name]
    #[arg(long = "as", value_name = "FORMAT", value_parser = writer_names())]
    into: Option<String>,
    /// The file to write; - is standard output [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Merge several profiles into one
#[derive(Debug, clap::Args)]
pub(super) struct Merge {
    #[command(flatten)]
    source: ProfileFile,
    /// The file to write; its ending selects the format; - is standard output, in Unladen's own format
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Keep the stacks in which a function occurs
#[derive(Debug, clap::Args)]
pub(super) struct Grep {
    /// A regular expression that a function's name or file matches
    #[arg(value_name = "PATTERN")]
    pattern: String,
    #[command(flatten)]
    source: ProfileFile,
    /// Keep the others
    #[arg(short = 'v', long)]
    invert: bool,
    #[command(flatten)]
    listed: Listed,
    #[command(flatten)]
    showing: Showing,
}

/// List the functions of a profile
#[derive(Debug, clap::Args)]
pub(super) struct Top {
    #[command(flatten)]
    source: ProfileFile,
    #[command(flatten)]
    listed: Listed,
    #[command(flatten)]
    showing: Showing,
}

/// List the formats that can be read and written
#[derive(Debug, clap::Args)]
pub(super) struct Formats {}

impl Kept {
    /// The folder, if there is to be one; made if it is not there.
    pub(super) fn folder(&self) -> Result<Option<PathBuf>, Failure> {
        if self.no_files {
            return Ok(None);
        }
        output::check_folder(&self.output_dir)?;
        Ok(Some(self.output_dir.clone()))
    }
}

impl ProfileFile {
    fn read(&self) -> Result<Profile, Failure> {
        let reader = self.format.as_deref().and_then(reader_named);
        let mut profiles =
            self.file.iter().map(|file| unladen_profile::read(file, reader)).collect::<Result<Vec<_>, _>>()?;
        match profiles.len() {
            1 => Ok(profiles.remove(0)),
            _ => Ok(unladen_profile::merge(&profiles)?),
        }
    }

    /// Like [`Self::read`], but prints the notes, since no report has them.
    fn read_saying(&self) -> Result<Profile, Failure> {
        let profile = self.read()?;
        for note in &profile.notes {
            say!("{note}");
        }
        Ok(profile)
    }
}

fn reader_names() -> Vec<&'static str> {
    READERS.iter().map(|reader| reader.name()).collect()
}

fn writer_names() -> Vec<&'static str> {
    WRITERS.iter().map(|writer| writer.name()).collect()
}

pub(super) fn import(args: &Import, typed: &[String]) -> Result<(), Failure> {
    args.showing.check(true)?;
    shown(&args.showing, profile::of_file(args.source.read()?, args.listed.top), typed)
}

pub(super) fn top(args: &Top, typed: &[String]) -> Result<(), Failure> {
    args.showing.check(true)?;
    shown(&args.showing, profile::of_file(args.source.read()?, args.listed.top), typed)
}

pub(super) fn grep(args: &Grep, typed: &[String]) -> Result<(), Failure> {
    args.showing.check(true)?;
    let pattern: Pattern = args.pattern.parse().map_err(|error| Failure::Usage(format!("{error}")))?;
    let found = unladen_profile::grep(&args.source.read()?, &pattern, args.invert);
    let is_none = found.total() == 0;
    let mut result = profile::of_file(found, args.listed.top);
    if is_none {
        let what = if args.invert { "every stack has" } else { "no stack has" };
        result.document.notes.push(format!("{what} a function that matches `{}`", args.pattern));
    }
    shown(&args.showing, result, typed)
}

fn shown(showing: &Showing, mut result: Profiled, typed: &[String]) -> Result<(), Failure> {
    result.document.about.complete(Origin::of_file(typed).about());
    Ok(showing.show(Report::Profile(&result))?)
}

pub(super) fn export(args: &Export) -> Result<(), Failure> {
    let output = args.output.as_ref().filter(|file| !output::is_stdout(file));
    let writer = match (&args.into, output) {
        (Some(name), _) => writer_named(name),
        (None, Some(file)) => writer_for(file),
        (None, None) => None,
    };
    let Some(writer) = writer else {
        let hint = if output.is_some() { "; or choose it with --as FORMAT" } else { "" };
        return Err(Failure::Usage(unknown(output.map(PathBuf::as_path)) + hint));
    };
    // Checked before a large file is read.
    output.map_or(Ok(()), |file| output::check(file))?;
    let profile = args.source.read_saying()?;
    match output {
        Some(file) => write(&profile, writer, file),
        None => show(&profile, writer),
    }
}

fn show(profile: &Profile, writer: &dyn Writer) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    let written = writer.write(profile, &mut bytes);
    written.map_err(|error| output::OutputError::new(Path::new("standard output"), error))?;
    Ok(output::bytes(&bytes)?)
}

pub(super) fn merge(args: &Merge) -> Result<(), Failure> {
    if output::is_stdout(&args.output) {
        let Some(writer) = writer_for(Path::new("x.profile.json")) else { return Err(Failure::Usage(unknown(None))) };
        return show(&args.source.read_saying()?, writer);
    }
    let Some(writer) = writer_for(&args.output) else { return Err(Failure::Usage(unknown(Some(&args.output)))) };
    output::check(&args.output)?;
    write(&args.source.read_saying()?, writer, &args.output)
}

pub(super) fn formats(_: &Formats) -> Result<(), Failure> {
    let read = READERS.iter().map(|reader| format!("  {:12} {}\n", reader.name(), reader.about()));
    let written = WRITERS
        .iter()
        .map(|writer| format!("  {:12} {:44} {}\n", writer.name(), writer.suffixes().join(" "), writer.about()));
    let text = format!(
        "read:\n{}\nwritten, by the end of the file's name:\n{}",
        read.collect::<String>(),
        written.collect::<String>()
    );
    Ok(output::line(text.trim_end())?)
}

fn write(profile: &Profile, writer: &dyn Writer, file: &Path) -> Result<(), Failure> {
    Ok(output::whole_file(file, |out| writer.write(profile, out))?)
}

fn unknown(file: Option<&Path>) -> String {
    let what = match file {
        Some(file) => format!("{}: its name does not end in a known format", file.display()),
        None => "choose the format with --as".to_owned(),
    };
    let ends: Vec<_> =
        WRITERS.iter().map(|writer| format!("{} ({})", writer.name(), writer.suffixes().join(", "))).collect();
    format!("{what}; there are {}", ends.join("; "))
}
