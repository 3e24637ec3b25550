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

use bstr::{BString, ByteSlice as _};
use serde_json::Value;
use server::{Answer, Page, Server, failed};
use unladen_classmap::{Answers, Asked, Project, Survey, Tree, emit};

use crate::classmap::summary::{count, counted, plain_text};
use crate::classmap::task::{ASKED, Emit, Scripts, Task};
use crate::exit::Failure;

/// Most restarts of a script after a loader has ended its process.
const MOST_RUNS: usize = 50;

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
        let root = task.root()?;
        let held = task.hold()?;
        let pages: Vec<Page> = self.scripts.iter().map(|script| Page::of(&root, script)).collect::<Result<_, _>>()?;
        let survey = Survey::of(&root);
        let folder = tempfile::Builder::new().prefix("unladen-ask-").tempdir().map_err(failed)?;
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).map_err(failed)?;
        let server = Server::new(&self.php, self.user.as_deref(), folder.path(), &names(&survey))?;
        let mut asking = Asking::default();
        let mut answered = Vec::new();
        for page in &pages {
            answered.push(asking.page(&server, page)?);
        }
        let (answers, loaded) = asking.answers();
        if answers.loaders.is_empty() {
            return Err(no_loader(&pages, &answered, &survey));
        }
        let text = answers.text(&root);
        let kept = folder.path().join("answers.php");
        fs::write(&kept, &text).map_err(failed)?;
        let task = self.told_by(task, kept);
        let project = task.read()?;
        let said = compare(&server, &project, &pages, &answered, &loaded, folder.path())?;
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
}

impl Asking {
    /// Runs the page until all classes have been asked for.
    fn page(&mut self, server: &Server, page: &Page) -> Result<Answer, Failure> {
        let mut from = 0;
        let mut first = None;
        let mut loaded = Vec::new();
        for _ in 0..MOST_RUNS {
            let (answer, lines) = server.ask(page, from)?;
            let mut at = None;
            let mut ended = false;
            for line in &lines {
                at = line.get("at").and_then(Value::as_u64).or(at);
                ended |= line.get("end").is_some();
                self.take(line, first.is_none().then_some(&mut loaded));
            }
            let reached = lines.iter().any(|line| line.get("loaders").is_some());
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

    fn take(&mut self, line: &Value, loaded: Option<&mut Vec<BString>>) {
        let text = |key: &str| line.get(key).and_then(Value::as_str);
        for (place, one) in line.get("loaders").and_then(Value::as_array).into_iter().flatten().enumerate() {
            let front = line.get("front").and_then(Value::as_u64).is_some_and(|front| (place as u64) < front);
            let asked = asked(one, front);
            if !self.loaders.contains(&asked) {
                self.loaders.push(asked);
            }
        }
        let Some(class) = text("class") else { return };
        // A loader that changes its argument, as by `str_replace('\\', '/', $class)`, hides the name.
        let declares = |name: &str| {
            let found = text("file").and_then(|file| Tree::look(Path::new(file)));
            found.is_some_and(|found| found.declaration_of(name.into()).is_some())
        };
        let other = text("or").filter(|other| *other != class && !declares(class) && declares(other));
        // A closure was mistaken for a loader: its argument is no class.
        if line.get("ran").is_some() && other.is_none() && !is_class(class) {
            return;
        }
        let class = BString::from(other.unwrap_or(class));
        if let Some(why) = text("made") {
            self.odd.insert(class.clone(), format!("its loader includes no file: {why}"));
        }
        if let Some(more) = text("more") {
            self.odd.insert(class.clone(), format!("its loader does more than include files: `{more}`"));
        }
        if let Some(file) = text("file") {
            if let Some(loaded) = loaded.filter(|_| line.get("ran").is_some()) {
                loaded.push(class.clone());
            }
            let files = self.files.entry(class).or_default();
            if !files.iter().any(|known| known == file.as_bytes()) {
                files.push(file.into());
            }
        }
    }

    fn answers(self) -> (Answers, Vec<Vec<BString>>) {
        let mut answers = Answers { loaders: self.loaders, left_out: self.odd, ..Answers::default() };
        for (class, files) in self.files {
            if answers.left_out.contains_key(&class) {
                continue;
            }
            match file_of(&class, &files) {
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
fn file_of(class: &BString, files: &[BString]) -> Result<(BString, BString), String> {
    let [file] = files else {
        return Err(format!("its loader includes {} files for it", count(files.len())));
    };
    let path = file.to_path().map_err(|_| "its file has no name".to_owned())?;
    if !path.is_absolute() || !path.is_file() {
        return Err(format!("its loader includes {file}, which is not an absolute path of a file"));
    }
    let found = Tree::look(path).and_then(|found| Some(found.declaration_of(class.as_bstr())?.name.clone()));
    found.map(|name| (name, file.clone())).ok_or_else(|| {
        format!(
            "{file} does not declare it, as far as its source \
        shows"
        )
    })
}

fn asked(one: &Value, front: bool) -> Asked {
    let text = |key: &str| one.get(key).and_then(Value::as_str).map(str::to_owned);
    let line = one.get("line").and_then(Value::as_u64);
    let place = text("file").map(|file| line.map_or_else(|| file.clone(), |line| format!("{file}:{line}")));
    Asked { name: text("name").unwrap_or_default(), place, front }
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
    fs::write(&map, emit::php(&project.map, &map, project.root())).map_err(failed)?;
    let mut said = Vec::new();
    for ((page, first), loaded) in pages.iter().zip(answered).zip(loaded) {
        let with = server.get(page, Some(&map))?;
        let again = server.get(page, None)?;
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
