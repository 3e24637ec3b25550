//! [`path_without_secrets`]: a path of a file without the session that it names, and without a query's secrets.

use super::without_secrets;

/// What stands in the place of a session.
const LEFT_OUT: &str = "…";
/// How names of files begin that hold a session of PHP, CodeIgniter, Django.
const BEGINNINGS: &[&str] = &["sess_", "ci_session", "sessionid"];
/// Folders in which each file is a session, as Laravel's `storage/framework/sessions`.
const FOLDERS: &[&str] = &["session", "sessions"];
/// The shortest name of a session: PHP's have 22 characters at least.
const LEAST: usize = 16;

/// The path without what lets somebody in who reads it: whoever knows the name of a session is in it. Of a cached page,
/// the secrets of its query.
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

/// A folder may be the address of a server with its password, as PHP takes one for its sessions.
fn of_folder(folder: &str) -> String {
    match folder.strip_suffix('/').filter(|folder| folder.contains('=')) {
        Some(folder) => without_secrets(folder) + "/",
        None => folder.to_owned(),
    }
}

/// Letters and digits, as PHP has them in ids; or what stands in its place.
fn is_session(id: &str) -> bool {
    let is_of_id = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b',' | b'-');
    let is_one = id.len() >= LEAST && id.bytes().all(is_of_id) && id.bytes().any(|byte| byte.is_ascii_digit());
    is_one || id == LEFT_OUT
}

#[cfg(test)]
mod tests;
