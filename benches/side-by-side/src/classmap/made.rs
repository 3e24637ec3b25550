//! The principal type is [`Made`]: what a class map says, whoever has made it.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::Result;

/// Differences that are shown by name.
const SHOWN: usize = 5;

/// Composer lists this class in every project, in its own `vendor/`, where `composer install` puts its file and
/// `dump-autoload` alone does not: no two makers need agree on it.
const OF_COMPOSER: &str = "Composer\\InstalledVersions";

/// Each class with its file, an absolute path.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Made(pub(super) BTreeMap<String, String>);

impl Made {
    /// An object of classes, or the document of `unladen classmap --emit json`, which has one.
    pub(super) fn of_json(text: &[u8], root: &Path) -> Result<Self> {
        let document: Value = serde_json::from_slice(text)?;
        if document["not_utf8"].as_array().is_some_and(|names| !names.is_empty()) {
            return Err("there are names that are not UTF-8".into());
        }
        let classes = document.get("classes").filter(|classes| classes.is_object()).unwrap_or(&document);
        let classes = classes.as_object().ok_or("a map of classes was expected")?;
        let path = |path: &Value| path.as_str().map(|path| root.join(path).to_string_lossy().into_owned());
        let entry = |(class, file): (&String, &Value)| Some((class.clone(), path(file)?));
        classes.iter().map(entry).collect::<Option<_>>().map(Self).ok_or_else(|| "paths were expected".into())
    }

    /// The classes whose file is not there, on which makers differ and need not agree.
    pub(super) fn exception(&self) -> String {
        let missing = self.0.iter().filter(|(_, path)| !Path::new(path).is_file());
        let missing: Vec<&str> = missing.map(|(class, _)| class.as_str()).collect();
        if missing.is_empty() {
            return String::new();
        }
        format!(", but for what it maps to a file that is not there: {}", missing.join(", "))
    }

    /// How this differs from `other`, in words, but for Composer's own class; nothing if it does not.
    pub(super) fn against(&self, other: &Self) -> Option<String> {
        let classes =
            |made: &Self| -> Vec<String> { made.0.keys().filter(|class| *class != OF_COMPOSER).cloned().collect() };
        let mut differences = Vec::new();
        for class in classes(self) {
            let path = &self.0[&class];
            match other.0.get(&class) {
                None => differences.push(format!("{class} is here alone: {path}")),
                Some(elsewhere) if elsewhere != path => {
                    differences.push(format!("{class} is in {path}, there in {elsewhere}"));
                }
                Some(_) => {}
            }
        }
        let missing = classes(other).into_iter().filter(|class| !self.0.contains_key(class));
        differences.extend(missing.map(|class| format!("{class} is not here: {}", other.0[&class])));
        let shown = differences.iter().take(SHOWN).map(|difference| format!("\n    {difference}"));
        (!differences.is_empty()).then(|| format!("{} differences{}", differences.len(), shown.collect::<String>()))
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
        let said = one.against(&made(r#"{"B": "/app/c.php", "C": "c.php"}"#)).unwrap();
        assert!(said.starts_with("3 differences"), "{said}");
        for words in ["A is here alone: /app/a.php", "B is in /app/b.php, there in /app/c.php", "C is not here"] {
            assert!(said.contains(words), "{said}");
        }
    }
}
