//! [`path_without_secrets`]: a file's path without the session that it names, and without a query's secrets.

use super::without_secrets;

const LEFT_OUT: &str = "…";
/// Prefixes of session files of PHP, CodeIgniter, Django.
const BEGINNINGS: &[&str] = &["sess_", "ci_session", "sessionid"];
/// Folders of session files, such as Laravel's `storage/framework/sessions`.
const FOLDERS: &[&str] = &["session", "sessions"];
/// Shortest name of a session: PHP's have at least 22 characters.
const LEAST: usize = 16;

/// Removes what would let a reader in: the name of a session gives access to it. Also secrets in a cached page's query.
pub(crate) fn path_without_secrets(path: String) -> String {
    let begin = path.rfind('/').map_or(0, |slash| slash + 1);
    let (folder, name) = path.split_at(begin);
    if let Some(start) = BEGINNINGS.iter().find_map(|start| is_session(name.strip_prefix(start)?).then_some(*start)) {
        return format!("{}{start}{LEFT_OUT}", of_folder(folder));
    }
    let parent = folder.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    if FOLDERS.contains(&parent) {
        let (stem, end) = name.split_at(name.find('.').unwrap_or(name.len()));
        if is_session(stem) {
            return format!("{}{LEFT_OUT}{end}", of_folder(folder));
        }
    }
    if path.contains('=') { without_secrets(&path) } else { path }
}

/// A folder may be a server's address with its password, which PHP accepts for its sessions.
fn of_folder(folder: &str) -> String {
    match folder.strip_suffix('/').filter(|folder| folder.contains('=')) {
        Some(folder) => without_secrets(folder) + "/",
        None => folder.to_owned(),
    }
}

/// Letters and digits as in PHP's ids; or their replacement.
fn is_session(id: &str) -> bool {
    let is_of_id = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b',' | b'-');
    let is_one = id.len() >= LEAST && id.bytes().all(is_of_id) && id.bytes().any(|byte| byte.is_ascii_digit());
    is_one || id == LEFT_OUT
}

#[cfg(test)]
mod tests;
