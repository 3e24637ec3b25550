//! The principal types are [`Maker`], who makes a class map, and [`Project`], of what.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use nix::sys::resource::{UsageWho, getrusage};

use super::made::Made;
use crate::program::{Origin, finish, has, unladen};
use crate::scratch::ScratchFolder;
use crate::{Result, children, roles};

const VIVACITY: &str = "0.26.1";

/// What is copied into which folder of the project.
const TREES: [(&str, &str); 2] = [("/usr/share/mediawiki", "mw"), ("/usr/share/php", "php")];

const COMPOSER_JSON: &str = r#"{"autoload": {"classmap": ["mw/", "php/"]}}
"#;

/// Prints a map of Composer's form as JSON.
const READ: &str = "echo json_encode(require $argv[1], JSON_THROW_ON_ERROR);";

/// A project of Composer that has MediaWiki and Debian's PHP libraries mapped.
pub(super) struct Project(ScratchFolder);

/// A program, and what it is to do.
pub(super) struct Maker {
    pub(super) name: String,
    program: PathBuf,
    arguments: &'static [&'static str],
    /// Whether it finds what its last run left.
    warm: bool,
    pub(super) is_ours: bool,
}

/// Unladen first, then those who can be had.
pub(super) fn all() -> Result<Vec<Maker>> {
    let maker = |name: &str, program: &PathBuf, arguments, warm| Maker {
        name: name.to_owned(),
        program: program.clone(),
        arguments,
        warm,
        is_ours: name.starts_with("unladen"),
    };
    let (ours, composer) = (unladen()?, PathBuf::from("composer"));
    let mut all = vec![
        maker("unladen classmap", &ours, &["classmap"], false),
        maker("unladen classmap, again", &ours, &["classmap"], true),
        maker("composer dump-autoload -o", &composer, &["dump-autoload", "-o", "--no-interaction"], false),
    ];
    if let Some(program) = Origin::Crate(VIVACITY.to_owned()).path("vivacity", "") {
        let name = format!("vivacity {VIVACITY} dump-autoload -o");
        all.push(maker(&name, &program, &["dump-autoload", "-o"], false));
        all.push(maker(&format!("{name}, with its cache"), &program, &["dump-autoload", "-o"], true));
    }
    Ok(all)
}

impl Maker {
    /// What it takes to make the map: ms by the clock, and the most memory that was resident at once, in one process, in
    /// MiB.
    pub(super) fn make(&self, project: &Project) -> Result<[f64; 2]> {
        project.clean()?;
        if self.warm {
            self.measured(project)?;
        }
        self.measured(project)
    }

    /// The kernel tells a peak of all children that ever were, so this one is the only child of a process of its own.
    fn measured(&self, project: &Project) -> Result<[f64; 2]> {
        let home = project.0.path("home");
        let mut command = Command::new("/proc/self/exe");
        command.arg(roles::MEASURE).arg(&self.program).args(self.arguments).current_dir(project.root());
        command.env("HOME", &home).env("COMPOSER_HOME", &home).env("XDG_CACHE_HOME", &home);
        // Without it, it stops to ask who is root.
        let said = children::run(command.env("COMPOSER_ALLOW_SUPERUSER", "1"))?.stdout;
        let numbers: Vec<f64> = said.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        numbers.try_into().map_err(|_| format!("no two numbers: {said}").into())
    }

    /// Where its map is.
    pub(super) fn map(&self, project: &Project) -> PathBuf {
        let of_composer = "vendor/composer/autoload_classmap.php";
        project.root().join(if self.is_ours { "unladen-classmap.php" } else { of_composer })
    }

    /// What that map says.
    pub(super) fn made(&self, project: &Project) -> Result<Made> {
        let mut command = if self.is_ours {
            let mut command = Command::new(&self.program);
            command.args(["classmap", "--emit", "json"]);
            command
        } else {
            let mut command = Command::new("php");
            command.args(["-r", READ, "--"]).arg(self.map(project));
            command
        };
        Made::of_json(&printed(command.current_dir(project.root()))?, &project.root())
    }
}

/// What it prints, if it succeeds.
pub(super) fn printed(command: &mut Command) -> Result<Vec<u8>> {
    let output = command.stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let name = command.get_program().to_string_lossy().into_owned();
    Err(format!("{name}: {}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim()).into())
}

/// As the process whose only child is measured.
pub(crate) fn measure(arguments: &[String]) -> Result<()> {
    let (program, arguments) = arguments.split_first().ok_or("the program is missing")?;
    let mut command = children::tied(program);
    let begun = Instant::now();
    printed(command.args(arguments))?;
    let wall = begun.elapsed();
    let kib = getrusage(UsageWho::RUSAGE_CHILDREN)?.max_rss();
    println!("{} {}", wall.as_secs_f64() * 1e3, kib as f64 / 1024.0);
    Ok(())
}

impl Project {
    /// Nothing where the trees cannot be had; says so.
    pub(super) fn copied() -> Result<Option<Self>> {
        // Composer brings libraries below /usr/share/php, and all that is measured is there with it.
        if !has("mediawiki") || !has("composer") {
            return Ok(None);
        }
        let project = Self(ScratchFolder::new()?);
        fs::create_dir(project.root())?;
        fs::write(project.root().join("composer.json"), COMPOSER_JSON)?;
        for (from, to) in TREES {
            finish(Command::new("cp").arg("-r").arg(from).arg(project.root().join(to)))?;
        }
        // Links would lead to the originals, or round in circles.
        finish(Command::new("find").arg(project.root()).args(["-type", "l", "-delete"]))?;
        Ok(Some(project))
    }

    pub(super) fn root(&self) -> PathBuf {
        self.0.path("project")
    }

    /// As it was: without what makers of maps have written, and without what they remember.
    fn clean(&self) -> Result<()> {
        let (root, home) = (self.root(), self.0.path("home"));
        finish(Command::new("rm").arg("-rf").args([
            root.join("vendor"),
            root.join("unladen-classmap.php"),
            home.clone(),
        ]))?;
        Ok(fs::create_dir(home)?)
    }

    pub(super) fn php_files(&self) -> Result<usize> {
        let found = printed(Command::new("find").arg(self.root()).args(["-name", "*.php"]))?;
        Ok(found.iter().filter(|byte| **byte == b'\n').count())
    }
}
