//! The gate of docs/guides/ci: its script judges main and a slow change of a real repository, its workflow files are YAML
//! whose steps are those of the script, and its reports are what JUnit's and SARIF's readers take.
//!
//! A page that sleeps ten times as long is slower whatever else the machine does.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use unladen_tests::{Lab, Reply, SHORT_LOAD, Server, binary};

/// The official schema of SARIF 2.1.0, and ajv, which holds documents against it.
const SCHEMA: &str = "@microsoft/jest-sarif@1.0.0-beta.0";

fn guide(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guides/ci").join(name)
}

fn read(name: &str) -> String {
    std::fs::read_to_string(guide(name)).unwrap()
}

/// A repository with a page that sleeps as many ms as its file says, and what serves it.
struct App {
    lab: Lab,
    server: Server,
}

impl App {
    fn new() -> Self {
        let lab = Lab::new();
        let page = lab.path("page.txt");
        lab.write("page.txt", "2\n");
        let last = Arc::new(Mutex::new(2));
        let server = Server::replying(move |_| {
            // While git replaces the file it may be empty.
            let told = std::fs::read_to_string(&page).ok().and_then(|text| text.trim().parse().ok());
            let mut last = last.lock().unwrap();
            *last = told.unwrap_or(*last);
            let time = Duration::from_millis(*last);
            drop(last);
            std::thread::sleep(time);
            Reply::good()
        });
        let app = Self { lab, server };
        let url = app.server.url("/");
        let knob = "[[knob]]\nname = \"this change\"\non = { patch = \"change.patch\", dir = \".\" }\n";
        app.lab.write("gate.toml", &format!("url = \"{url}\"\nquantiles = [\"p50\"]\n{SHORT_LOAD}\n{knob}"));
        app.git(&["init", "--quiet", "--initial-branch=main"]);
        app.commit("main");
        app
    }

    fn git(&self, words: &[&str]) {
        let who = ["-c", "user.name=Test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"];
        let git = Command::new("git").args(who).args(words).current_dir(self.lab.folder()).output().unwrap();
        assert!(git.status.success(), "{words:?}: {}", String::from_utf8_lossy(&git.stderr));
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "page.txt"]);
        self.git(&["commit", "--quiet", "--message", message]);
    }

    /// The script of the guide, in short.
    fn judge(&self) -> Output {
        self.judge_as(None)
    }

    /// Likewise, as a branch of that name.
    fn judge_as(&self, branch: Option<&str>) -> Output {
        let program = binary();
        let folder = program.parent().unwrap().to_owned();
        let path = std::env::var("PATH").unwrap_or_default();
        Command::new("sh")
            .arg(guide("gate.sh"))
            .current_dir(self.lab.folder())
            .env("PATH", format!("{}:{path}", folder.display()))
            .env("UNLADEN_STORE", self.lab.path("runs.sqlite"))
            .env_remove("GITHUB_STEP_SUMMARY")
            .env_remove("BRANCH")
            .envs(branch.map(|branch| ("BRANCH", branch)))
            .envs([
                ("URL", self.server.url("/").as_str()),
                ("BASE", "main"),
                // Of what the page answers: it takes no root.
                ("RULE", "uncompressed"),
                ("LIMIT", "p50 > 10s"),
                ("RATE", "50"),
                ("LOAD", "-t 1s"),
                ("WEIGH", "-t 3s --phase 80ms --settle 10ms"),
                ("PROVE", "--no-weights"),
            ])
            .output()
            .unwrap()
    }
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

#[track_caller]
fn assert_code(output: &Output, expected: i32) {
    let said = String::from_utf8_lossy(&output.stderr);
    let shown = String::from_utf8_lossy(&output.stdout);
    assert_eq!(code(output), Some(expected), "{said}\n{shown}");
}

#[test]
fn main_passes_and_a_slow_change_does_not() {
    let app = App::new();
    assert_code(&app.judge(), 0);
    for (file, cases) in [("load.xml", 3), ("weigh.xml", 2)] {
        let told = junit(&app.lab.path(file));
        assert!(told["cases"].as_u64() >= Some(cases) && told["failures"] == 0, "{file}: {told}");
    }
    assert!(app.lab.read("weigh.md").contains("**Pass**"), "{}", app.lab.read("weigh.md"));
    assert!(app.lab.read("load.md").starts_with("## A load on `http://127.0.0.1:"), "{}", app.lab.read("load.md"));

    app.git(&["switch", "--quiet", "--create", "slow"]);
    app.lab.write("page.txt", "20\n");
    app.commit("slow");
    assert_code(&app.judge(), 8);
    let told = junit(&app.lab.path("prove.xml"));
    assert_eq!(told["failed"], serde_json::json!(["p50 > +10% in this change"]), "{told}");
    assert!(app.lab.read("prove.md").contains("**Fail**"), "{}", app.lab.read("prove.md"));
    assert_eq!(app.lab.read("page.txt"), "20\n", "the change is checked out again");
    let files = ["weigh.sarif", "prove.sarif"].map(|file| app.lab.path(file));
    assert_eq!(sarif(&files), Vec::<String>::new());
}

/// Main's run is kept, and the next branch is held against it: what no patch shows, as a slower machine behind the page,
/// fails there.
#[test]
fn the_last_run_of_main_judges_the_next_branch() {
    let app = App::new();
    assert_code(&app.judge(), 0);
    let said = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();
    let compared = " against run 2";

    let same = app.judge_as(Some("again"));
    assert_code(&same, 0);
    assert!(said(&same).contains(compared), "{}", said(&same));
    assert_eq!(app.lab.read("change.patch"), "", "nothing has changed, and nothing was proven");

    app.lab.write("page.txt", "20\n");
    let slower = app.judge_as(Some("elsewhere"));
    assert_code(&slower, 8);
    assert!(said(&slower).contains("slower"), "{}", said(&slower));
}

/// What Python's reader of XML makes of a report.
fn junit(file: &Path) -> Value {
    const READ: &str = r#"
import json, sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
assert root.tag == "testsuites", root.tag
cases = list(root.iter("testcase"))
failed = [case.get("name") for case in cases if case.find("failure") is not None]
print(json.dumps({"cases": len(cases), "failures": int(root.get("failures")), "failed": failed}))
"#;
    let python = Command::new("python3").args(["-c", READ]).arg(file).output().unwrap();
    assert!(python.status.success(), "{}", String::from_utf8_lossy(&python.stderr));
    serde_json::from_slice(&python.stdout).unwrap()
}

/// What is wrong with these documents by the schema.
fn sarif(files: &[PathBuf]) -> Vec<String> {
    const VALIDATE: &str = r"
const fs = require('fs');
const schema = JSON.parse(fs.readFileSync('node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json'));
const ajv = new (require('ajv'))({ allErrors: true, schemaId: 'auto', unknownFormats: 'ignore', meta: true });
ajv.addMetaSchema(require('ajv/lib/refs/json-schema-draft-04.json'));
const check = ajv.compile(schema);
for (const file of process.argv.slice(1)) {
    const document = JSON.parse(fs.readFileSync(file));
    if (!check(document)) for (const error of check.errors) console.log(file + ' ' + error.dataPath + ' ' + error.message);
    delete document.runs[0].tool.driver.name;
    if (check(document)) console.log('a document without its tool is valid: nothing is checked');
}
";
    let folder: TempDir = tempfile::tempdir().unwrap();
    let npm = Command::new("npm")
        .args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", SCHEMA])
        .current_dir(folder.path())
        .output()
        .expect("npm starts (scripts/need npm)");
    assert!(npm.status.success(), "{}", String::from_utf8_lossy(&npm.stderr));
    let node = Command::new("node").args(["-e", VALIDATE]).args(files).current_dir(folder.path()).output().unwrap();
    assert!(node.status.success(), "{}", String::from_utf8_lossy(&node.stderr));
    String::from_utf8(node.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// The steps of the script, each with its text.
fn steps() -> Vec<(String, String)> {
    let script = read("gate.sh");
    let mut steps: Vec<(String, String)> = Vec::new();
    for line in script.lines() {
        match (line.strip_prefix("# step: "), steps.last_mut()) {
            (Some(name), _) => steps.push((name.to_owned(), String::new())),
            (None, Some((_, text))) => text.push_str(&format!("{line}\n")),
            (None, None) => {}
        }
    }
    steps.into_iter().map(|(name, text)| (name, text.trim_end().to_owned())).collect()
}

fn yaml(name: &str) -> Value {
    const READ: &str =
        "import json, sys, yaml; print(json.dumps({str(k): v for k, v in yaml.safe_load(sys.stdin).items()}))";
    let file = std::fs::File::open(guide(name)).unwrap();
    let python = Command::new("python3").args(["-c", READ]).stdin(file).output().unwrap();
    assert!(python.status.success(), "{name}: {} (scripts/need python3-yaml)", String::from_utf8_lossy(&python.stderr));
    serde_json::from_slice(&python.stdout).unwrap()
}

/// Variables that the script reads; `GITHUB_STEP_SUMMARY` is the system's.
fn variables() -> Vec<String> {
    let script = read("gate.sh");
    let head = script.lines().take_while(|line| !line.starts_with("# step"));
    let names = head.filter_map(|line| line.strip_prefix("#   ")?.split("  ").next());
    names.flat_map(|names| names.split(", ")).map(str::to_owned).collect()
}

#[test]
fn the_steps_of_github_actions_are_those_of_the_script() {
    let workflow = yaml("github-actions.yml");
    let job = &workflow["jobs"]["gate"];
    let listed: Vec<(String, String)> = job["steps"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|step| Some((step["name"].as_str()?.to_owned(), step["run"].as_str()?.trim_end().to_owned())))
        .collect();
    let ours = steps();
    assert!(ours.len() == 4, "{ours:?}");
    for step in &ours {
        assert!(listed.contains(step), "{} is another one in the workflow: {listed:?}", step.0);
    }
    for name in variables() {
        assert!(job["env"][&name].is_string(), "{name} is not set");
    }
}

#[test]
fn the_script_of_gitlab_is_that_of_the_script() {
    let job = &yaml("gitlab-ci.yml")["performance"];
    let listed: Vec<&str> =
        job["script"].as_array().unwrap().iter().filter_map(Value::as_str).map(str::trim_end).collect();
    let ours = steps();
    assert_eq!(listed, ours.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>());
    for name in variables() {
        assert!(job["variables"][&name].is_string(), "{name} is not set");
    }
}

/// The guide shows the files; its text would say other things than they do.
#[test]
fn the_guide_names_every_file() {
    let guide_text = std::fs::read_to_string(guide("../ci-gate.md")).unwrap();
    for entry in std::fs::read_dir(guide(".")).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        assert!(guide_text.contains(&format!("(ci/{name})")), "{name}");
    }
    assert!(guide_text.contains(&format!("```toml\n{}```", read("gate.toml"))), "the experiment is another one");
}
