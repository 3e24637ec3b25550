//! MediaWiki's own classes. The principal type is [`Core`].

use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice};

use crate::Problem;
use crate::input::read_whole;
use crate::php::constant::{Value, assigned, returned};
use crate::readers::path;

#[derive(Debug)]
pub(super) struct Core {
    /// MediaWiki's folder, without symbolic links: MW_INSTALL_PATH, `$IP`.
    pub(super) root: PathBuf,
    /// `autoload.php`
    pub(super) list: PathBuf,
    /// `includes/AutoLoader.php`
    pub(super) loader: PathBuf,
    pub(super) classes: Vec<(BString, BString)>,
    /// Namespaces that are searched; releases from 1.42 on list the core's, but search only those of extensions.
    pub(super) namespaces: Vec<(BString, BString)>,
    pub(super) has_namespaces: bool,
    /// Whether classes of extensions come from `$wgAutoloadClasses`; they have a list of their own from 1.39 on.
    pub(super) asks_old_list_last: bool,
    /// Whether the loader puts a `/` between a namespace's folder and the file: later releases leave it to the folder.
    pub(super) puts_slash: bool,
}

/// Code that finds a class in the list.
const FINDS_LISTED: &[u8] = b"$wgAutoloadLocalClasses[$className]";
/// Code that finds a namespace.
const FINDS_NAMESPACE: &[u8] = b"self::$psr4Namespaces[$prefix]";
/// Code of releases up to 1.38 for the core's namespaces: the array of a function, taken at the end of the file.
const TAKES_FUNCTION: &[u8] = b"AutoLoader::$psr4Namespaces = AutoLoader::getAutoloadNamespaces();";
const FUNCTION: &[u8] = b"function getAutoloadNamespaces()";

impl Core {
    /// Reads `includes/AutoLoader.php` and `autoload.php`. Fails if one cannot be read, or has an unknown shape.
    pub(super) fn read(root: &Path) -> Result<Self, Problem> {
        let loader = real(&root.join("includes/AutoLoader.php"))?;
        let source = read(&loader)?;
        if !source.contains_str(FINDS_LISTED) {
            let what = "is not a known AutoLoader (MediaWiki 1.25 to 1.45): expected \
                        `$wgAutoloadLocalClasses[$className]` in it";
            return Err(Problem::of(loader, what));
        }
        // PHP resolves links, in `__DIR__` as in what it includes.
        let root = path::plain(path::bytes(loader.parent().unwrap_or(&loader).join("..")).as_slice());
        let list = real(&root.join("autoload.php"))?;
        let classes = classes(&root, &list)?;
        let has_namespaces = source.contains_str("psr4Namespaces");
        let namespaces = if has_namespaces { namespaces(&source, &loader)? } else { Vec::new() };
        let (puts_slash, asks_old_list_last) =
            (puts_slash(&source), source.contains_str("self::$classFiles[$className]"));
        Ok(Self { root, list, loader, classes, namespaces, has_namespaces, asks_old_list_last, puts_slash })
    }
}

fn classes(root: &Path, list: &Path) -> Result<Vec<(BString, BString)>, Problem> {
    let name = "$wgAutoloadLocalClasses";
    let value = assigned(&read(list)?, list, name)?
        .ok_or_else(|| Problem::of(list, format!("expected `{name} = [` in it, as MediaWiki generates it")))?;
    let classes =
        strings(&value).ok_or_else(|| Problem::of(list, format!("expected `{name}` to list files by classes")))?;
    Ok(classes.map(|(class, file)| (class.into(), path::bytes(path::below(root, file)))).collect())
}

fn namespaces(source: &[u8], loader: &Path) -> Result<Vec<(BString, BString)>, Problem> {
    let unknown = |what: &str| Problem::of(loader, format!("is not a known AutoLoader: expected {what} in it"));
    if !source.contains_str(FINDS_NAMESPACE) {
        return Err(unknown("`self::$psr4Namespaces[$prefix]`"));
    }
    let value = if source.contains_str(TAKES_FUNCTION) {
        let at = source.find(FUNCTION).ok_or_else(|| unknown("`function getAutoloadNamespaces()`"))?;
        let body = source[at..].find("{").map(|brace| at + brace + 1).ok_or_else(|| unknown("the function's body"))?;
        // Its body alone, on its original lines.
        let mut body_alone = b"<?php ".to_vec();
        body_alone.extend(source[..body].iter().filter(|byte| **byte == b'\n'));
        body_alone.extend_from_slice(&source[body..]);
        returned(&body_alone, loader)?
    } else {
        assigned(source, loader, "$psr4Namespaces")?.ok_or_else(|| unknown("`static $psr4Namespaces =`"))?
    };
    let namespaces = strings(&value).ok_or_else(|| unknown("a list of folders by namespaces"))?;
    Ok(namespaces.map(|(prefix, folder)| (prefix.into(), folder.into())).collect())
}

/// `self::$psr4Namespaces[$prefix] . '/' . strtr( … )`
fn puts_slash(source: &[u8]) -> bool {
    let joined =
        source.rfind(FINDS_NAMESPACE).and_then(|at| source.get(at + FINDS_NAMESPACE.len()..)).unwrap_or_default();
    let next = joined.trim_ascii_start().strip_prefix(b".").unwrap_or_default();
    next.trim_ascii_start().starts_with(b"'/'")
}

fn strings(value: &Value) -> Option<impl Iterator<Item = (&[u8], &[u8])>> {
    let elements = value.as_array()?;
    let pairs: Option<Vec<_>> = elements.iter().map(|(key, value)| Some((key.as_str()?, value.as_str()?))).collect();
    pairs.map(Vec::into_iter)
}

fn real(path: &Path) -> Result<PathBuf, Problem> {
    path.canonicalize().map_err(|error| unreadable(path, &error))
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>, Problem> {
    read_whole(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Problem {
    Problem::of(path, format!("cannot be read: {error}"))
}
