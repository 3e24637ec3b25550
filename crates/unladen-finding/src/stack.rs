//! The principal type is [`Stack`]: what a group runs, so that its cure can be named.

use std::path::Path;

use unladen_trace::{Evidence, Language};

/// What a group runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stack {
    Php,
    Perl,
    Python,
    Nginx,
    Apache,
    Other,
}

impl Stack {
    /// By what was seen of the group (its PHP's settings, what it compiles: PHP may sit inside Apache), else by its
    /// executable, else by its name.
    pub(crate) fn of(evidence: &Evidence, group: usize) -> Self {
        let compiles = |language| evidence.compiles.iter().any(|seen| seen.group == group && seen.language == language);
        match () {
            () if evidence.php_of(group).is_some() || compiles(Language::Php) => Self::Php,
            () if compiles(Language::Perl) => Self::Perl,
            () if compiles(Language::Python) => Self::Python,
            () => match Self::named(program(evidence, group)) {
                Self::Other => Self::named(evidence.group(group).rsplit(' ').next().unwrap_or_default()),
                known => known,
            },
        }
    }

    fn named(program: &str) -> Self {
        let begins = |names: &[&str]| names.iter().any(|name| program.starts_with(name));
        match () {
            () if begins(&["php"]) => Self::Php,
            () if begins(&["perl"]) || [".pl", ".cgi", ".fcgi"].iter().any(|end| program.ends_with(end)) => Self::Perl,
            () if begins(&["python", "gunicorn", "uwsgi"]) => Self::Python,
            () if begins(&["nginx", "openresty"]) => Self::Nginx,
            () if begins(&["apache2", "httpd"]) => Self::Apache,
            () => Self::Other,
        }
    }
}

/// The name of the group's executable without its folder; else the last word of its name.
pub(crate) fn program(evidence: &Evidence, group: usize) -> &str {
    let Some(seen) = evidence.groups.get(group) else { return "" };
    let exe = seen.exe.as_deref().and_then(|exe| Path::new(exe).file_name()?.to_str());
    exe.or_else(|| seen.name.split_whitespace().next_back()).unwrap_or("")
}

/// Whether a group is Sympa's.
pub(crate) fn is_sympa(evidence: &Evidence, group: usize) -> bool {
    let name = evidence.group(group);
    name.contains("sympa") || evidence.files.iter().any(|seen| seen.group == group && seen.path.contains("/sympa/"))
}

/// The user in a group's name, `www-data php-fpm8.2`; none where it is a unit.
pub(crate) fn user(evidence: &Evidence, group: usize) -> Option<&str> {
    evidence.group(group).split_once(' ').map(|(user, _)| user)
}
