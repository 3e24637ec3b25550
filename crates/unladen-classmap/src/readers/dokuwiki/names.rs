//! DokuWiki's names for classes of plugins and templates. The principal function is [`files`].

use bstr::{BStr, BString, ByteSlice};

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct File {
    /// Relative to the folder of plugins or templates.
    pub(crate) below: BString,
    pub(crate) is_template: bool,
    pub(crate) what: &'static str,
}

/// The files where `load_autoload` looks for a class, in order, given these plugin types.
pub(crate) fn files(class: &BStr, types: &[BString]) -> Vec<File> {
    let name = class.replace("\\", "/");
    let mut files = Vec::new();
    for (prefix, is_template, what) in [
        (&b"dokuwiki/plugin/"[..], false, "DokuWiki's namespace of plugins"),
        (b"dokuwiki/template/", true, "DokuWiki's namespace of templates"),
    ] {
        if name.starts_with(prefix) {
            // In the whole name, before its beginning is cut off.
            let name = name.replace("/test/", "/_test/");
            let below = BString::from([&name[prefix.len()..], b".php"].concat());
            files.push(File { below, is_template, what });
        }
    }
    if let Some(below) = of_plugin(&name, types) {
        files.push(File { below, is_template: false, what: "DokuWiki's name of a plugin's class" });
    }
    files
}

/// `TYPE_plugin_NAME` and `TYPE_plugin_NAME_COMPONENT`; neither part has a `_`.
fn of_plugin(name: &[u8], types: &[BString]) -> Option<BString> {
    types.iter().find_map(|kind| {
        let rest = name.strip_prefix(kind.as_slice())?.strip_prefix(b"_plugin_")?;
        let (plugin, component) = match rest.split_once_str("_") {
            Some((plugin, component)) => (plugin, Some(component)),
            None => (rest, None),
        };
        let is_name = |plugin: &[u8]| {
            !plugin.is_empty() && plugin.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x7f)
        };
        let is_component = |component: &[u8]| !component.is_empty() && !component.contains(&b'_');
        if !is_name(plugin) || !component.is_none_or(is_component) {
            return None;
        }
        let mut below = BString::from([plugin, b"/", kind].concat());
        if let Some(component) = component {
            below.push(b'/');
            below.extend_from_slice(component);
        }
        below.extend_from_slice(b".php");
        Some(below)
    })
}

#[cfg(test)]
mod tests;
