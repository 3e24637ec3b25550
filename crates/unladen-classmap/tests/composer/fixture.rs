//! A project with all that Composer's loader knows, in a folder with spaces and quotes. The principal type is
//! [`Fixture`].

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// A project in a folder of its own.
pub(crate) struct Fixture {
    _folder: tempfile::TempDir,
    root: PathBuf,
}

/// Classes and the files they are in.
const CLASSES: &[(&str, &str)] = &[
    ("App\\First", "src/First.php"),
    ("App\\First", "more/First.php"),
    ("App\\Second", "more/Second.php"),
    ("App\\Deep\\One", "deep/One.php"),
    ("App\\Deep\\One", "src/Deep/One.php"),
    ("App\\Deep\\Two", "src/Deep/Two.php"),
    ("App\\Deep\\Er\\Three", "deep/Er/Three.php"),
    ("App\\Deep\\Er\\Four", "src/Deep/Er/Four.php"),
    ("App\\with_underscore", "src/with_underscore.php"),
    ("Shared\\Ours", "shared/Ours.php"),
    ("Shared\\Both", "shared/Both.php"),
    ("Bare", "fallback/Bare.php"),
    ("Bare\\Deeper", "fallback/Bare/Deeper.php"),
    ("Pear_Fruit", "pear/Pear/Fruit.php"),
    ("Pear_Sub_Leaf", "pear/Pear/Sub/Leaf.php"),
    ("Pear_Sub_Leaf", "pear sub/Pear/Sub/Leaf.php"),
    ("Pear_Sub_Stem", "pear/Pear/Sub/Stem.php"),
    ("Name\\Space_d\\Pear_Like", "zero/Name/Space_d/Pear/Like.php"),
    ("Zero_Fallback", "zero fallback/Zero/Fallback.php"),
    ("Listed", "classes/any name.php"),
    ("Listed\\Inner", "classes/deeper/x.inc"),
    ("Listed\\Skipped", "classes/Skipped/x.php"),
    ("Listed\\Tested", "classes/Tests/x.php"),
    ("Listed\\Hidden", "classes/.hidden/x.php"),
    ("Single", "one file.php"),
    ("Quoted", "it's \"quoted\"/Quoted.php"),
    ("Globbed", "globs/one/lib/Globbed.php"),
    ("App\\Tests\\ATest", "tests/ATest.php"),
    ("App\\More", "tests/more/More.php"),
    ("TestMapped", "testmaps/x.php"),
    ("Lib\\Thing", "packages/lib/src/Thing.php"),
    ("Lib\\Tests\\ThingTest", "packages/lib/tests/ThingTest.php"),
    ("Shared\\Both", "packages/lib/shared/Both.php"),
    ("Shared\\Theirs", "packages/lib/shared/Theirs.php"),
    ("Base_Mapped", "packages/base/lib/x.php"),
    ("Base_Excluded", "packages/base/lib/excluded/x.php"),
    ("Old_Style", "packages/old/Old/Style.php"),
    ("Tool\\Hammer", "packages/tool/src/Hammer.php"),
    ("Nobodys", "nobodys/Nobodys.php"),
];

impl Fixture {
    /// With all that Composer's loader knows.
    pub(crate) fn new() -> Self {
        let fixture = Self::bare(&project());
        for (class, file) in CLASSES {
            fixture.class(file, class);
        }
        fixture.write("functions.php", "<?php\nfunction f() {}\n");
        for (name, autoload, requires) in packages() {
            let json = json!({ "name": format!("acme/{name}"), "autoload": autoload, "require": requires,
                "autoload-dev": { "psr-4": { "Lib\\Tests\\": "tests" } } });
            fixture.write(&format!("packages/{name}/composer.json"), &json.to_string());
        }
        fixture
    }

    /// With a composer.json alone.
    pub(crate) fn bare(project: &Value) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a folder").join("its \"app\", isn't it");
        let fixture = Self { _folder: folder, root };
        fixture.write("composer.json", &project.to_string());
        fixture
    }

    /// Writes a file that declares a class.
    pub(crate) fn class(&self, file: &str, class: &str) {
        let (namespace, name) = class.rsplit_once('\\').unwrap_or(("", class));
        let namespace = if namespace.is_empty() { String::new() } else { format!("namespace {namespace};\n") };
        self.write(file, &format!("<?php\n{namespace}class {name} {{}}\n"));
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        let file = self.root.join(file);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(file, text).expect("a file");
    }

    pub(crate) fn remove(&self, path: &str) {
        let path = self.root.join(path);
        let is_folder = path.symlink_metadata().expect("something to remove").is_dir();
        if is_folder { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }.expect("removed");
    }

    pub(crate) fn edit(&self, change: impl FnOnce(&mut Value)) {
        let file = self.root.join("composer.json");
        let mut json = serde_json::from_slice(&std::fs::read(&file).expect("a file")).expect("JSON");
        change(&mut json);
        std::fs::write(file, json.to_string()).expect("a file");
    }

    /// Runs Composer, without the network.
    pub(crate) fn composer(&self, arguments: &[&str]) {
        let output = Command::new("composer")
            .args(arguments)
            .args(["--no-interaction", "--no-plugins", "--no-scripts"])
            .current_dir(&self.root)
            .env("COMPOSER_ALLOW_SUPERUSER", "1")
            .env("COMPOSER_HOME", self.root.with_file_name("home"))
            .env("COMPOSER_DISABLE_NETWORK", "1")
            .output()
            .expect("composer is needed: apt-get install composer");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "composer {arguments:?}: {said}");
    }

    /// Names of classes that are there, of others that are nearly so, and of none.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for (class, _) in CLASSES {
            names.push((*class).to_owned());
            names.push(class.to_lowercase());
            names.push(class.replace('\\', "_"));
            names.push(class.replace('_', "\\"));
            names.push(format!("App\\{class}"));
            names.push(format!("{class}\\Sub"));
            names.push(class.rsplit('\\').next().unwrap_or(class).to_owned());
        }
        names.push("Composer\\InstalledVersions".to_owned());
        names.sort();
        names.dedup();
        names
    }

    /// What Composer's ClassLoader says of each name.
    pub(crate) fn find_files(&self, names: &[String]) -> Vec<Option<PathBuf>> {
        let code = "$loader = require $argv[1] . '/vendor/autoload.php';
            $answers = [];
            foreach (json_decode(stream_get_contents(STDIN)) as $name) {
                $file = $loader->findFile($name);
                $answers[] = $file === false ? null : $file;
            }
            echo json_encode($answers, JSON_THROW_ON_ERROR);";
        let mut php = Command::new("php")
            .args(["-n", "-r", code])
            .arg(&self.root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("php is needed: apt-get install php-cli");
        let names = serde_json::to_vec(names).expect("JSON");
        php.stdin.take().expect("its input").write_all(&names).expect("written");
        let output = php.wait_with_output().expect("its answers");
        assert!(output.status.success(), "php failed");
        let answers: Vec<Option<String>> = serde_json::from_slice(&output.stdout).expect("answers");
        answers.into_iter().map(|answer| answer.map(PathBuf::from)).collect()
    }
}

fn project() -> Value {
    json!({
        "name": "acme/app",
        "repositories": [{ "packagist.org": false }, { "type": "path", "url": "packages/*" }],
        "require": { "php": "*", "acme/lib": "*@dev", "acme/base": "*@dev", "acme/old": "*@dev" },
        "require-dev": { "acme/tool": "*@dev" },
        "autoload": {
            "psr-4": { "App\\": ["src/", "more"], "App\\Deep\\": "deep", "": "fallback", "Shared\\": "shared" },
            "psr-0": { "Pear_": "pear", "Pear_Sub_": "pear sub", "Name\\Space_d\\": "zero", "": "zero fallback/" },
            "classmap": ["classes/", "one file.php", "it's \"quoted\"", "globs/*/lib"],
            "exclude-from-classmap": ["/classes/Tests/", "**/Skipped"],
            "files": ["functions.php"]
        },
        "autoload-dev": { "psr-4": { "App\\Tests\\": "tests", "App\\": "tests/more" }, "classmap": ["testmaps"] }
    })
}

fn packages() -> [(&'static str, Value, Value); 4] {
    [
        ("lib", json!({ "psr-4": { "Lib\\": "src/", "Shared\\": "shared/" } }), json!({ "acme/base": "*" })),
        ("base", json!({ "classmap": ["lib"], "exclude-from-classmap": ["lib/excluded"] }), json!({})),
        ("old", json!({ "psr-0": { "Old_": "" } }), json!({ "acme/base": "*" })),
        ("tool", json!({ "psr-4": { "Tool\\": "src" } }), json!({ "acme/old": "*" })),
    ]
}
