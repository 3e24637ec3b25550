//! The principal type is [`Task`]: which application, and what is to be made of it.

use std::path::{Path, PathBuf};

use unladen_classmap::{Answers, Options, Project, READERS, Reader, Survey, reader_for, reader_named};
use unladen_document::About;

use super::emit::Emit;
use super::place::place;
use super::plain::{absolute, plain};
use super::problems::plain_text;
use super::scripts::Scripts;
use super::summary::counted;
use crate::exit::Failure;
use crate::runs::Origin;

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

    /// Where the loaders' answers are kept.
    pub(super) fn answers(&self, root: &Path) -> PathBuf {
        let map = self.output.as_ref().filter(|path| path.as_os_str() != "-");
        Answers::place(&map.map_or_else(|| place(root), |path| absolute(path)))
    }

    pub(super) fn about(&self, project: &Project) -> About {
        Origin::of_folder(&self.typed, project.root()).about()
    }

    /// The absolute folder.
    pub(super) fn root(&self) -> Result<PathBuf, Failure> {
        let given = self.root.as_deref().unwrap_or(Path::new("."));
        let failed = |why: &str| Failure::Usage(format!("{}: {why}", given.display()));
        let root = std::path::absolute(given).map_err(|error| failed(&error.to_string()))?;
        match root.metadata() {
            // Removes `..` and a trailing `/`; links stay, as the application may be known by them.
            Ok(metadata) if metadata.is_dir() => Ok(plain(&root)),
            Ok(_) => Err(failed("a folder was expected, that of an application")),
            Err(error) => Err(failed(&format!("{error}; the folder of an application was expected"))),
        }
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
        return format!("{shown}: no PHP file is in it or below it: name the folder of a PHP application");
    }
    let includes = counted(survey.includes, "require or include", "requires and includes");
    let Some((file, line)) = survey.loaders.first() else {
        return format!(
            "{shown}: this application loads its files by require; there is no autoloader that a map could replace (found {includes} and 0 \
             spl_autoload_register in {files} with {classes}). What helps it is PHP's opcode cache: opcache.enable=1, \
             opcache.max_accelerated_files above {}, realpath_cache_size large enough for their paths, and opcache.validate_timestamps=0 \
             if each deployment reloads PHP",
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
    format!(
        "{shown}: no reader knows this application; it has an autoloader of its own ({file}:{line}{others}; {includes}), and {classes} in \
         {files}{rules}\n\
         --ask SCRIPT, such as --ask index.php, runs that script in PHP and asks its autoloader for all of them: the map is then what the \
         autoloader itself answers{}\n\
         --reader folders, which runs nothing, takes the names of files on trust: {} would be in the map\n\
         known without either are:\n{}",
        if nix::unistd::Uid::effective().is_root() { " (root adds --as USER, the user of PHP's workers)" } else { "" },
        counted(survey.named, "class", "classes"),
        readers()
    )
}

const SHOWN_RULES: usize = 3;

fn readers() -> String {
    let kinds: Vec<_> = READERS.iter().map(|reader| format!("  {:10} {}", reader.name(), reader.about())).collect();
    kinds.join("\n")
}
