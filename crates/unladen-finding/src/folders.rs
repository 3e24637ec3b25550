//! Paths summed up by their most telling folders ([`folders`]), and the folders around them ([`around`]).

use std::collections::{BTreeMap, BTreeSet};

/// A folder gets a line of its own from this part of all on; what is below is told with the folder around it.
const PART: f64 = 0.1;

/// Counts by folder: a folder that holds a tenth of all stands by itself, and what remains around such folders is told
/// as `FOLDER, elsewhere`.
///
/// Walks down from the root, into every folder that holds enough, so that neither `/` nor a hundred leaves come out.
pub(crate) fn folders<'a>(paths: impl IntoIterator<Item = (&'a str, f64)>) -> Vec<(String, f64)> {
    let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
    for (path, count) in paths {
        *counts.entry(path).or_default() += count;
    }
    let all: Vec<(&str, f64)> = counts.into_iter().filter(|(_, count)| *count > 0.0).collect();
    let total: f64 = all.iter().map(|(_, count)| count).sum();
    let mut out = Vec::new();
    descend("", &all, total, &mut out);
    out
}

/// The folders that paths lie in, up to the root.
pub(crate) fn around<'a>(paths: impl IntoIterator<Item = &'a str>) -> BTreeSet<&'a str> {
    let mut folders = BTreeSet::new();
    for mut path in paths {
        while let Some((folder, _)) = path.rsplit_once('/') {
            if !folders.insert(folder) {
                break;
            }
            path = folder;
        }
    }
    folders
}

fn descend(folder: &str, paths: &[(&str, f64)], total: f64, out: &mut Vec<(String, f64)>) {
    let sum = |paths: &[(&str, f64)]| paths.iter().map(|(_, count)| count).sum::<f64>();
    let mut children: BTreeMap<&str, Vec<(&str, f64)>> = BTreeMap::new();
    for (path, count) in paths {
        // The child's folder ends before the next slash; a file in this folder has none.
        let from = if folder.is_empty() { usize::from(path.starts_with('/')) } else { folder.len() + 1 };
        if let Some(end) = path[from..].find('/') {
            children.entry(&path[..from + end]).or_default().push((path, *count));
        }
    }
    children.retain(|_, paths| sum(paths) >= PART * total);
    let told: f64 = children.values().map(|paths| sum(paths)).sum();
    for (child, paths) in &children {
        descend(child, paths, total, out);
    }
    let rest = sum(paths) - told;
    if rest > total * 1e-9 {
        let name = if folder.is_empty() { "/" } else { folder };
        let name = if children.is_empty() { name.to_owned() } else { format!("{name}, elsewhere") };
        out.push((name, rest));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_folders_stand_by_themselves() {
        let paths = [
            ("/srv/app/vendor/a/A.php", 40.0),
            ("/srv/app/vendor/b/B.php", 5.0),
            ("/srv/app/vendor/c/C.php", 5.0),
            ("/srv/app/src/D.php", 48.0),
            ("/srv/app/index.php", 1.0),
            ("/etc/localtime", 1.0),
        ];
        let mut told = folders(paths);
        told.sort_by(|a, b| b.1.total_cmp(&a.1));
        let told: Vec<_> = told.iter().map(|(name, count)| (name.as_str(), *count)).collect();
        assert_eq!(
            told,
            [
                ("/srv/app/src", 48.0),
                ("/srv/app/vendor/a", 40.0),
                ("/srv/app/vendor, elsewhere", 10.0),
                ("/srv/app, elsewhere", 1.0),
                ("/, elsewhere", 1.0),
            ]
        );
    }

    #[test]
    fn nothing_and_relative_paths() {
        assert!(folders([]).is_empty());
        assert!(folders([("a", 0.0)]).is_empty());
        assert_eq!(folders([("a.php", 2.0)]), [("/".to_owned(), 2.0)]);
        assert_eq!(folders([("lib/a.php", 2.0)]), [("lib".to_owned(), 2.0)]);
    }

    #[test]
    fn folders_whose_names_begin_alike_and_are_not_ascii() {
        let told = folders([("/é/a", 1.0), ("/éé/b", 1.0)]);
        assert_eq!(told, [("/é".to_owned(), 1.0), ("/éé".to_owned(), 1.0)]);
        assert_eq!(folders([("é/a", 1.0)]), [("é".to_owned(), 1.0)]);
        assert_eq!(
            folders([("/", 1.0), ("", 1.0), ("//a", 8.0)]),
            [("/".to_owned(), 8.0), ("/, elsewhere".to_owned(), 2.0)]
        );
    }
}
