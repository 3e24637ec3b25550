//! The principal type is [`Made`]: what a class map says, whoever has made it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::Result;

/// Differences that are shown by name.
const SHOWN: usize = 5;

/// Prints a map of Composer's form as JSON.
const READ: &str = "echo json_encode(require $argv[1], JSON_THROW_ON_ERROR);";

/// Composer lists this class in every project, in its own `vendor/`, where `composer install` puts its file and
/// `dump-autoload` alone does not: no two makers need agree on it.
const OF_COMPOSER: &str = "Composer\\InstalledVersions";

/// Each class with its file, an absolute path.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Made(pub(super) BTreeMap<String, String>);

impl Made {
    /// The map that Composer, or who does as it does, has written into a project.
    pub(super) fn of_composer(root: &Path) -> Result<Self> {
        let map = root.join("vendor/composer/autoload_classmap.php");
        let output = Command::new("php").args(["-r", READ, "--"]).arg(map).stdin(Stdio::null()).output()?;
        if !output.status.success() {
            return Err(format!("php: {}", String::from_utf8_lossy(&output.stdout).trim()).into());
        }
        Self::of(&serde_json::from_slice(&output.stdout)?, root)
    }

    /// The document of `unladen classmap --emit json`.
    pub(super) fn of_json(text: &[u8], root: &Path) -> Result<Self> {
        let document: Value = serde_json::from_slice(text)?;
        if document["not_utf8"].as_array().is_some_and(|names| !names.is_empty()) {
            return Err("there are names that are not UTF-8".into());
        }
        Self::of(&document["classes"], root)
    }

    fn of(classes: &Value, root: &Path) -> Result<Self> {
        let classes = classes.as_object().ok_or("a map of classes was expected")?;
        let path = |path: &Value| path.as_str().map(|path| root.join(path).to_string_lossy().into_owned());
        let entry = |(class, file): (&String, &Value)| Some((class.clone(), path(file)?));
        classes.iter().map(entry).collect::<Option<_>>().map(Self).ok_or_else(|| "paths were expected".into())
    }

    /// Classes whose file is not there.
    pub(super) fn without_file(&self) -> Vec<&str> {
        let missing = self.0.iter().filter(|(_, path)| !Path::new(path).is_file());
        missing.map(|(class, _)| class.as_str()).collect()
    }

    /// How this differs from `other`, in words, but for Composer's own class; nothing if it does not.
    pub(super) fn against(&self, other: &Self) -> Option<String> {
        let mut differences = Vec::new();
        for (class, path) in self.0.iter().filter(|(class, _)| *class != OF_COMPOSER) {
            match other.0.get(class) {
                None => differences.push(format!("{class} is here alone: {path}")),
                Some(elsewhere) if elsewhere != path => {
                    differences.push(format!("{class} is in {path}, there in {elsewhere}"));
                }
                Some(_) => {}
            }
        }
        let missing = other.0.iter().filter(|(class, _)| *class != OF_COMPOSER && !self.0.contains_key(*class));
        differences.extend(missing.map(|(class, path)| format!("{class} is not here: {path}")));
        if differences.is_empty() {
            return None;
        }
        let mut text = format!("{} differences", differences.len());
        for difference in differences.iter().take(SHOWN) {
            // Writing to a String does not fail.
            let _ = write!(text, "\n    {difference}");
        }
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_differ_by_classes_and_by_paths() {
        let made = |text: &str| Made::of_json(text.as_bytes(), Path::new("/app")).unwrap();
        let one = made(r#"{"classes": {"A": "a.php", "B": "b.php"}, "not_utf8": []}"#);
        assert_eq!(one.against(&one), None);
        let other = made(r#"{"classes": {"B": "/app/c.php", "C": "c.php"}, "not_utf8": []}"#);
        let said = one.against(&other).unwrap();
        assert!(said.starts_with("3 differences"), "{said}");
        for words in ["A is here alone: /app/a.php", "B is in /app/b.php, there in /app/c.php", "C is not here"] {
            assert!(said.contains(words), "{said}");
        }
    }
}
