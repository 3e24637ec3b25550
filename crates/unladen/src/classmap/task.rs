//! The principal type is [`Task`]: which application, and what is to be made of it.

use std::path::{Path, PathBuf};

use unladen_classmap::{
    Answers, Made, Options, Project, READERS, Reader, Survey, emit, read_whole, reader_for, reader_named,
};
use unladen_document::About;

use crate::classmap::held::HeldFolder;
use crate::classmap::place::{absolute, is_kept, make_folder, open_for_all, place, plain};
use crate::classmap::summary::{counted, plain_text};
use crate::exit::Failure;
use crate::output::{self, OutputError};
use crate::runs::{Origin, headed};
use crate::say::say;

/// A file (`None`: standard output) and its content.
pub(super) type Text = (Option<PathBuf>, Vec<u8>);

#[derive(Clone)]
pub(crate) struct Task {
    pub(crate) root: Option<PathBuf>,
    /// `None`: found out.
    pub(crate) reader: Option<&'static dyn Reader>,
    pub(crate) options: Options,
    pub(crate) emit: Emit,
    /// `None`: the usual place.
    pub(crate) output: Option<PathBuf>,
    /// Whether the map may lack what could not be read.
    pub(crate) partial: bool,
    pub(crate) json: bool,
    pub(crate) ask: Option<Scripts>,
    pub(crate) typed: Vec<String>,
}

/// The forms of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Emit {
    /// The map with its loader.
    Php,
    /// For programs.
    Json,
    /// Composer's own optimised class map.
    Composer,
}

#[derive(Debug, Clone)]
pub(crate) struct Scripts {
    /// Relative to the application's folder, some with a query.
    pub(crate) scripts: Vec<String>,
    pub(crate) user: Option<String>,
    pub(crate) php: PathBuf,
}

impl Task {
    pub(super) fn read(&self) -> Result<Project, Failure> {
        let root = self.root()?;
        let mut options = self.options.clone();
        let mut reader = self.reader.or_else(|| reader_for(&root, &options));
        if options.answers.is_none() && reader.is_none_or(|reader| reader.name() == ASKED) {
            let answers = self.answers(&root);
            if answers.is_file() {
                (reader, options.answers) = (reader_named(ASKED), Some(answers));
            }
        }
        match reader {
            Some(reader) => Ok(Project::read(&root, reader, &options)?),
            None => Err(Failure::Usage(unknown(&root))),
        }
    }

    pub(super) fn answers(&self, root: &Path) -> PathBuf {
        let map = self.output.as_ref().filter(|path| path.as_os_str() != "-");
        Answers::place(&map.map_or_else(|| place(root), |path| absolute(path)))
    }

    pub(super) fn about(&self, project: &Project) -> About {
        Origin::of_folder(&self.typed, project.root()).about()
    }

    /// The application's folder, to be opened before it is read.
    pub(super) fn hold(&self) -> Result<HeldFolder, Failure> {
        let root = self.root()?;
        HeldFolder::open(&root, self.output.is_some().then(|| self.file()).flatten().as_deref())
            .map_err(|error| Failure::Usage(format!("{}: {error}", root.display())))
    }

    pub(super) fn root(&self) -> Result<PathBuf, Failure> {
        let given = self.root.as_deref().unwrap_or(Path::new("."));
        let failed = |why: &str| Failure::Usage(format!("{}: {why}", given.display()));
        let root = std::path::absolute(given).map_err(|error| failed(&error.to_string()))?;
        match root.metadata() {
            // Removes `..` and a trailing `/`; links stay, as the application may be known by them.
            Ok(metadata) if metadata.is_dir() => Ok(plain(&root)),
            Ok(_) => Err(failed("expected the folder of an application")),
            Err(error) => Err(failed(&format!("{error}; expected the folder of an application"))),
        }
    }

    /// How the existing map was made, if it says so. Fails if its line cannot be read.
    pub(super) fn made(&self) -> Result<Option<Made>, Failure> {
        let Some(file) = self.file() else { return Ok(None) };
        let Ok(source) = read_whole(&file) else { return Ok(None) };
        Ok(Made::read(&source, &file)?)
    }

    /// This task completed by what the map remembers; options given otherwise win and are reported. Fails like
    /// [`Task::made`] if what the map remembers is needed, and if it names an unknown reader.
    pub(super) fn remembered(&self) -> Result<Self, Failure> {
        let mut task = self.clone();
        let (says_nothing, lacks_root) = (self.says_nothing(), self.root.is_none() && self.output.is_some());
        if !says_nothing && !lacks_root {
            return Ok(task);
        }
        let Some(made) = self.made()? else { return Ok(task) };
        if lacks_root {
            task.root = Some(made.root.clone());
        }
        if says_nothing {
            let unknown = || {
                Failure::Usage(format!(
                    "the map was written with the reader `{}`, which this version does not have",
                    made.reader
                ))
            };
            task.reader = Some(reader_named(&made.reader).ok_or_else(unknown)?);
            task.options = Options { anew: self.options.anew, ..made.options };
        }
        Ok(task)
    }

    /// Reports with what an existing map was made, if that differs or cannot be read.
    pub(super) fn tell_otherwise(&self, project: &Project) {
        let now = self.as_made(project);
        let of = |made: &Made| plain_text(&format!("{} of {}", made.words(), made.root.display()));
        match self.made() {
            Ok(Some(made)) if made != now => {
                say!("unladen: the existing map was made with {}; now it is {}", of(&made), of(&now));
            }
            Ok(_) => {}
            Err(error) => say!("unladen: {}; now it is {}", plain_text(&error.to_string()), of(&now)),
        }
    }

    pub(super) fn as_made(&self, project: &Project) -> Made {
        let options = Options { anew: false, ..project.options().clone() };
        Made { reader: project.reader().name().to_owned(), root: project.root().to_owned(), options }
    }

    fn says_nothing(&self) -> bool {
        self.reader.is_none() && self.options == Options { anew: self.options.anew, ..Options::default() }
    }

    fn file(&self) -> Option<PathBuf> {
        match &self.output {
            Some(path) if path.as_os_str() == "-" => None,
            Some(path) => Some(absolute(path)),
            None => Some(place(&self.root().ok()?)),
        }
    }

    /// The map's file; `None` for standard output.
    pub(super) fn target(&self, project: &Project) -> Option<PathBuf> {
        match &self.output {
            Some(path) if path.as_os_str() == "-" => None,
            Some(path) => Some(absolute(path)),
            None if self.emit == Emit::Json => None,
            None => Some(place(project.root())),
        }
    }

    /// Fails if the named file cannot be written: checked before everything is read.
    pub(super) fn check_target(&self) -> Result<(), OutputError> {
        match &self.output {
            Some(path) if path.as_os_str() != "-" && !is_kept(path) => output::check(path),
            _ => Ok(()),
        }
    }

    pub(super) fn texts(&self, project: &Project) -> Result<Vec<Text>, Failure> {
        let target = self.target(project);
        Ok(match self.emit {
            Emit::Php => {
                let place = target.clone().unwrap_or_else(|| place(project.root()));
                vec![(target, emit::php_made(&project.map, &place, project.root(), &self.as_made(project)))]
            }
            Emit::Json => {
                let document = emit::json(&project.map, &project.application, project.root());
                // A file kept with the application stays as it is until a class changes.
                let document = if target.is_none() { headed(document, &self.about(project)) } else { document };
                vec![(target, format!("{document:#}\n").into_bytes())]
            }
            Emit::Composer => self.composer(project)?,
        })
    }

    fn composer(&self, project: &Project) -> Result<Vec<Text>, Failure> {
        if self.output.is_some() {
            let what = "--emit composer writes into the project's vendor/composer: leave out --output";
            return Err(Failure::Usage(what.to_owned()));
        }
        if project.reader().name() != "composer" {
            let what = "--emit composer works only with Composer's classes: name the folder with its composer.json";
            return Err(Failure::Usage(format!("{}: {what}", project.root().display())));
        }
        let texts = emit::composer(&project.map, project.root())?;
        Ok(texts.into_iter().map(|(path, text)| (Some(path), text)).collect())
    }

    /// Writes what differs from the existing files, atomically. Returns whether anything did.
    pub(super) fn write(&self, texts: &[Text], held: &HeldFolder) -> Result<bool, OutputError> {
        let mut written = false;
        for (path, text) in texts {
            let Some(path) = path else {
                output::bytes(text)?;
                written = true;
                continue;
            };
            let failed = |error| OutputError::new(path, error);
            let way = held.way_to(path, self.output.is_some()).map_err(failed)?;
            // An unchanged file keeps its mtime, and PHP's opcode cache keeps it.
            if !is(&way.path, text) {
                make_folder(path).map_err(failed)?;
                output::whole_file(&way.path, |out| out.write_all(text)).map_err(|error| error.at(path))?;
                open_for_all(path).map_err(failed)?;
                written = true;
            }
        }
        Ok(written)
    }
}

/// The reader of the loaders' answers.
pub(super) const ASKED: &str = "asked";

/// How an application that no reader knows finds its classes, and what would help.
fn unknown(root: &Path) -> String {
    let survey = Survey::of(root);
    let (classes, files) =
        (counted(survey.classes, "class", "classes"), counted(survey.files, "PHP file", "PHP files"));
    let shown = plain_text(&root.display().to_string());
    if survey.files == 0 {
        return format!("{shown}: no PHP file in it or below it: name the folder of a PHP application");
    }
    let includes = counted(survey.includes, "require or include", "requires and includes");
    let Some((file, line)) = survey.loaders.first() else {
        return format!(
            "{shown}: this application loads its files with require; there is no autoloader that a map could replace \
             (found {includes} and 0 spl_autoload_register in {files} with {classes}). What helps it is PHP's opcode \
             cache: opcache.enable=1, opcache.max_accelerated_files above {}, realpath_cache_size large enough for \
             their paths, and opcache.validate_timestamps=0 if each deployment reloads PHP",
            survey.files
        );
    };
    let file = plain_text(&file.strip_prefix(root).unwrap_or(file).display().to_string());
    let others = match survey.loaders.len() - 1 {
        0 => String::new(),
        others => format!(" and {others} more"),
    };
    let rules: Vec<String> =
        survey.rules.iter().take(SHOWN_RULES).map(|(rule, many)| format!("{many} as {rule}")).collect();
    let rules =
        if rules.is_empty() { String::new() } else { format!("; files are named after classes: {}", rules.join(", ")) };
    let readers: Vec<_> = READERS.iter().map(|reader| format!("  {:10} {}", reader.name(), reader.about())).collect();
    format!(
        "{shown}: there is no reader for this application; it has its own autoloader ({file}:{line}{others}; {includes}), and {classes} in \
         {files}{rules}\n\
         --ask SCRIPT, such as --ask index.php, runs that script in PHP and asks its autoloader for all of them: the map is then what the \
         autoloader itself answers{}\n\
         --reader folders, which runs nothing, trusts the names of files: {} would be in the map\n\
         these work without either:\n{}",
        if nix::unistd::Uid::effective().is_root() { " (root adds --as USER, the user of PHP's workers)" } else { "" },
        counted(survey.named, "class", "classes"),
        readers.join("\n")
    )
}

const SHOWN_RULES: usize = 3;

fn is(path: &Path, text: &[u8]) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.len() == text.len() as u64)
        && read_whole(path).is_ok_and(|there| there == text)
}
