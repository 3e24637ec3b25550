//! The principal type is [`Pool`]: what a pool of php-fpm sets over the settings files.

use std::collections::BTreeMap;

use unladen_trace::PhpSettings;

use crate::php_settings::phpinfo::{is_wanted, without_password};

/// Read when the master starts, before pools exist: shared memory is allocated by then.
const SET_AT_START: [&str; 10] = [
    "opcache.file_cache",
    "opcache.huge_code_pages",
    "opcache.interned_strings_buffer",
    "opcache.jit_buffer_size",
    "opcache.lockfile_path",
    "opcache.max_accelerated_files",
    "opcache.memory_consumption",
    "opcache.preload",
    "opcache.preload_user",
    "opcache.preferred_memory_model",
];

/// Any source can switch it off; it is on only if none does.
pub(super) const ONLY_OFF: &str = "opcache.enable";

/// A pool and its settings, `php_value` and `php_admin_value`, flags included.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Pool {
    pub(super) name: String,
    values: BTreeMap<String, String>,
    /// Scripts cannot change these; they come after the others.
    admin: BTreeMap<String, String>,
}

impl Pool {
    pub(super) fn apply(&self, settings: &mut BTreeMap<String, String>) {
        for (name, value) in self.effective() {
            settings.insert(name.clone(), without_password(value));
        }
    }

    pub(super) fn sets(&self) -> BTreeMap<&str, bool> {
        self.effective().map(|(name, _)| (name.as_str(), self.admin.contains_key(name))).collect()
    }

    /// Its wanted changes that take effect; the last of a name wins.
    fn effective(&self) -> impl Iterator<Item = (&String, &String)> {
        self.values.iter().chain(&self.admin).filter(|(name, value)| {
            let too_late = SET_AT_START.contains(&name.as_str())
                // It can be switched off later, but not on.
                || *name == ONLY_OFF && PhpSettings::reads_as_on(value);
            is_wanted(name) && !too_late
        })
    }
}

pub(super) fn parse(log: &str) -> Vec<Pool> {
    let mut pools: Vec<Pool> = Vec::new();
    let mut in_pool = false;
    for line in log.lines() {
        let Some((_, line)) = line.split_once("NOTICE:") else { continue };
        let line = line.trim();
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            in_pool = name != "global";
            if in_pool {
                pools.push(Pool { name: name.to_owned(), ..Pool::default() });
            }
            continue;
        }
        let Some(pool) = pools.last_mut().filter(|_| in_pool) else { continue };
        let Some((key, value)) = line.split_once(" = ").or_else(|| Some((line.strip_suffix(" =")?, ""))) else {
            continue;
        };
        let Some((kind, name)) = key.strip_suffix(']').and_then(|key| key.split_once('[')) else { continue };
        match kind {
            "php_value" | "php_flag" => pool.values.insert(name.to_owned(), value.to_owned()),
            "php_admin_value" | "php_admin_flag" => pool.admin.insert(name.to_owned(), value.to_owned()),
            _ => None,
        };
    }
    pools
}

#[cfg(test)]
mod tests;
