//! Asks an application's own loaders for all of its classes. The principal function is [`Scripts::ask`].
//!
//! The application's script runs in a PHP server that nobody else can ask, as the given user, after `ask/ask.php`,
//! which says how it asks. The answers come from the application's code: a file counts only if it exists and declares
//! the class.

mod server;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bstr::{BString, ByteSlice as _};
use server::{Answer, Line, LoaderLine, Page, Server, failed, write_for_all};
use unladen_classmap::{Answers, Asked, Project, SourceFile, Survey, Tree, emit};

use crate::classmap::make::whole;
use crate::classmap::summary::{count, counted, plain_text};
use crate::classmap::task::{ASKED, Emit, Scripts, Task};
use crate::exit::Failure;
use crate::interrupt;

/// Most restarts of a script after a loader has ended its process, and how long all of them may take.
const MOST_RUNS: usize = 50;
const ALL_RUNS: Duration = Duration::from_secs(300);
/// Most classes: far above any application's. An application may answer what it likes.
const MOST_CLASSES: usize = 250_000;
/// Most loaders, and files of one class, that count.
const MOST_LOADERS: usize = 1_000;
const MOST_FILES: usize = 100;
/// How long the files of the answers are read.
const READING: Duration = Duration::from_secs(120);

impl Scripts {
    /// Asks, keeps the answers beside the map, and compares each page with and without the map. Returns the task that
    /// reads the answers, and lines about the pages. Fails if a script cannot be run or registers no loader; if a page
    /// fails with the map that does not fail without.
    pub(super) fn ask(&self, task: &Task) -> Result<(Task, Vec<String>), Failure> {
        if task.emit == Emit::Composer {
            return Err(Failure::Usage(
                "--emit composer works only with Composer's classes: leave out --ask".to_owned(),
            ));
        }
        let (root, held, cancel) = (task.root()?, task.hold()?, interrupt::on_signal()?);
        let pages: Vec<Page> = self.scripts.iter().map(|script| Page::of(&root, script)).collect::<Result<_, _>>()?;
        let survey = Survey::of(&root);
        let folder = tempfile::Builder::new().prefix("unladen-ask-").tempdir().map_err(failed)?;
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).map_err(failed)?;
        let server = Server::new(&self.php, self.user.as_deref(), folder.path(), &names(&survey), cancel.clone())?;
        let mut asking = Asking::default();
        let mut answered = Vec::new();
        for page in &pages {
            answered.push(asking.page(&server, page)?);
        }
        let (answers, loaded) = asking.answers(&server);
        if answers.loaders.is_empty() {
            return Err(no_loader(&pages, &answered, &survey));
        }
        let text = answers.text(&root);
        let kept = folder.path().join("answers.php");
        write_for_all(&kept, text.as_bytes()).map_err(failed)?;
        let task = self.told_by(task, kept);
        let project = task.read()?;
        let said = compare(&server, &project, &pages, &answered, &loaded, folder.path())?;
        whole(&task, &project)?;
        if cancel.is_cancelled() {
            return Err(Failure::Interrupted { shown: false });
        }
        let place = task.answers(&root);
        task.write(&[(Some(place.clone()), text.into_bytes())], &held)?;
        Ok((self.told_by(&task, place), said))
    }

    fn told_by(&self, task: &Task, answers: PathBuf) -> Task {
        let mut task = Task { reader: unladen_classmap::reader_named(ASKED), ask: Some(self.clone()), ..task.clone() };
        task.options.answers = Some(answers);
        task
    }
}

/// One class a line; skips a name that contains a line end.
fn names(survey: &Survey) -> Vec<u8> {
    let names = survey.names.iter().filter(|name| name.to_str().is_ok() && !name.contains_str("\n"));
    names.flat_map(|name| [name.as_slice(), b"\n"].concat()).collect()
}

#[derive(Default)]
struct Asking {
    loaders: Vec<Asked>,
    /// All files that loaders include for each class, and what a map could not do.
    files: BTreeMap<BString, Vec<BString>>,
    odd: BTreeMap<BString, String>,
    /// Classes loaded by each page's loaders.
    loaded: Vec<Vec<BString>>,
    sources: Sources,
}

/// The files of the answers that were read, each once.
#[derive(Default)]
struct Sources {
    read: BTreeMap<PathBuf, Option<SourceFile>>,
    spent: Duration,
}

impl Sources {
    /// `None` if it cannot be read, or if reading took too long altogether.
    fn look(&mut self, path: &Path) -> Option<&SourceFile> {
        if !self.read.contains_key(path) {
            let begun = Instant::now();
            let found = if self.is_over() { None } else { Tree::look(path) };
            self.read.insert(path.to_owned(), found);
            self.spent += begun.elapsed();
        }
        self.read.get(path)?.as_ref()
    }

    fn is_over(&self) -> bool {
        self.spent > READING
    }
}

impl Asking {
    /// Runs the page until all classes have been asked for.
    fn page(&mut self, server: &Server, page: &Page) -> Result<Answer, Failure> {
        let mut from = 0;
        let mut first = None;
        let mut loaded = Vec::new();
        let until = Instant::now() + ALL_RUNS;
        for _ in 0..MOST_RUNS {
            if Instant::now() > until {
                let why = "its loaders end PHP over and over, or take too long: nothing was written";
                return Err(Failure::Usage(format!("{}: {why}", page.shown)));
            }
            let (answer, lines) = server.ask(page, from)?;
            let mut at = None;
            let mut ended = false;
            let _rights = server.rights();
            for line in &lines {
                at = line.at.or(at);
                ended |= line.end.is_some();
                self.take(line, first.is_none().then_some(&mut loaded));
            }
            let reached = lines.iter().any(|line| line.loaders.is_some());
            let answer = first.get_or_insert(answer);
            if !reached {
                return Err(Failure::Usage(format!(
                    "{}: PHP ended before its loaders could be asked, {}: nothing was written; is this a page of the \
                     application?",
                    page.shown,
                    answer.words()
                )));
            }
            match at.map(|at| at + 1).filter(|next| !ended && *next > from) {
                Some(next) => from = next,
                None => break,
            }
        }
        self.loaded.push(loaded);
        first.ok_or_else(|| Failure::Usage(format!("{}: PHP did not answer", page.shown)))
    }

    fn take(&mut self, line: &Line, loaded: Option<&mut Vec<BString>>) {
        for (place, one) in line.loaders.iter().flatten().enumerate() {
            let asked = asked(one, line.front.is_some_and(|front| (place as u64) < front));
            if self.loaders.len() < MOST_LOADERS && !self.loaders.contains(&asked) {
                self.loaders.push(asked);
            }
        }
        let Some(class) = line.class.as_deref() else { return };
        let is_full = self.files.len() + self.odd.len() >= MOST_CLASSES;
        // A loader that changes its argument, as by `str_replace('\\', '/', $class)`, hides the name.
        let mut declares = |name: &str| {
            let found = line.file.as_deref().and_then(|file| self.sources.look(Path::new(file)));
            found.is_some_and(|found| found.declaration_of(name.into()).is_some())
        };
        let other = line.or.as_deref().filter(|other| *other != class && !declares(class) && declares(other));
        // A closure was mistaken for a loader: its argument is no class.
        if is_full || line.ran.is_some() && other.is_none() && !is_class(class) {
            return;
        }
        let class = BString::from(other.unwrap_or(class));
        if let Some(why) = &line.made {
            self.odd.insert(class.clone(), format!("its loader includes no file: {why}"));
        }
        if let Some(more) = &line.more {
            self.odd.insert(class.clone(), format!("its loader does more than include files: `{more}`"));
        }
        if let Some(file) = line.file.as_deref() {
            if let Some(loaded) = loaded.filter(|_| line.ran.is_some()) {
                loaded.push(class.clone());
            }
            let files = self.files.entry(class).or_default();
            if files.len() < MOST_FILES && !files.iter().any(|known| known == file.as_bytes()) {
                files.push(file.into());
            }
        }
    }

    fn answers(mut self, server: &Server) -> (Answers, Vec<Vec<BString>>) {
        let _rights = server.rights();
        let mut answers = Answers { loaders: self.loaders, left_out: self.odd, ..Answers::default() };
        for (class, files) in self.files {
            if answers.left_out.contains_key(&class) {
                continue;
            }
            match file_of(&class, &files, &mut self.sources) {
                // Spelt as declared: PHP may have asked in another case.
                Ok((name, file)) => match answers.classes.get(&name) {
                    Some(other) if *other != file => {
                        let why = "its file depends on how its name is spelled";
                        answers.left_out.insert(name, why.to_owned());
                    }
                    _ => {
                        answers.classes.insert(name, file);
                    }
                },
                Err(why) => {
                    answers.left_out.insert(class, why);
                }
            }
        }
        answers.classes.retain(|class, _| !answers.left_out.contains_key(class));
        (answers, self.loaded)
    }
}

fn is_class(name: &str) -> bool {
    name.split('\\').all(|part| {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
        part.bytes().all(fits) && part.bytes().next().is_some_and(|first| !first.is_ascii_digit())
    })
}

/// The one file included for the class, with the class's name as declared there.
fn file_of(class: &BString, files: &[BString], sources: &mut Sources) -> Result<(BString, BString), String> {
    let [file] = files else {
        return Err(format!("its loader includes {} files for it", count(files.len())));
    };
    let path = file.to_path().map_err(|_| "its file has no name".to_owned())?;
    if !path.is_absolute() || !path.is_file() {
        return Err(format!("its loader includes {file}, which is not an absolute path of a file"));
    }
    let found = sources.look(path).and_then(|found| Some(found.declaration_of(class.as_bstr())?.name.clone()));
    found.map(|name| (name, file.clone())).ok_or_else(|| match sources.is_over() {
        true => format!("{file} was not read: all files together took more than {} s", READING.as_secs()),
        false => format!("{file} does not declare it, as far as its source shows"),
    })
}

fn asked(one: &LoaderLine, front: bool) -> Asked {
    let at = |file: &String| one.line.map_or_else(|| file.clone(), |line| format!("{file}:{line}"));
    Asked { name: one.name.clone().unwrap_or_default(), place: one.file.as_ref().map(at), front }
}

/// Each page with the map and without, and how many of its classes are in the map.
fn compare(
    server: &Server,
    project: &Project,
    pages: &[Page],
    answered: &[Answer],
    loaded: &[Vec<BString>],
    folder: &Path,
) -> Result<Vec<String>, Failure> {
    let map = folder.join("map.php");
    write_for_all(&map, &emit::php(&project.map, &map, project.root())).map_err(failed)?;
    let mut said = Vec::new();
    for ((page, first), loaded) in pages.iter().zip(answered).zip(loaded) {
        let with = server.get(page, Some(&map))?;
        let again = server.get(page, None)?;
        if with.status == 0 || again.status == 0 {
            let why = "PHP did not answer, so that nothing can be compared: nothing was written";
            return Err(Failure::Usage(format!("{}: {why}", page.shown)));
        }
        if with.status != again.status {
            return Err(Failure::Usage(format!(
                "{}: the answer with the map, {}, differs from the answer without it, {}: nothing was written",
                page.shown,
                with.words(),
                again.words()
            )));
        }
        let same = if with.body == again.body {
            "the same with the map and without"
        } else if first.body == again.body {
            "different with the map and without: compare the two before you switch it on"
        } else {
            "different each time, with the map and without: compare by eye"
        };
        let is_mapped = |class: &&BString| project.map.entries.iter().any(|one| one.class.eq_ignore_ascii_case(class));
        let mapped = loaded.iter().filter(is_mapped).count();
        said.push(format!(
            "{}: {}; {} by its loaders, {} of them in the map; {same}",
            page.shown,
            with.words(),
            counted(loaded.len(), "class loaded", "classes loaded"),
            count(mapped)
        ));
    }
    Ok(said)
}

fn no_loader(pages: &[Page], answered: &[Answer], survey: &Survey) -> Failure {
    let pages: Vec<_> =
        pages.iter().zip(answered).map(|(page, answer)| format!("{} ({})", page.shown, answer.words())).collect();
    Failure::CannotMeasure(format!(
        "{} registered no autoloader: nothing was written; {}",
        pages.join(", "),
        match survey.loaders.first() {
            Some((file, line)) => format!(
                "{}:{line} registers one, so --ask a script that runs that line",
                plain_text(&file.display().to_string())
            ),
            None => "the application loads its files with require, so a map would change nothing".to_owned(),
        }
    ))
}
