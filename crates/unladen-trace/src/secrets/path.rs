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
mod tests {
    use super::*;

    fn told(path: &str) -> String {
        path_without_secrets(path.to_owned())
    }

    /// Whoever knows the name of a session's file is logged in as its owner.
    #[test]
    fn names_of_sessions_were_told() {
        for (path, without) in [
            ("/var/lib/php/sessions/sess_k3v0b1n2m4l5k6j7h8g9f0d1s2", "/var/lib/php/sessions/sess_…"),
            ("/tmp/sess_k3v0b1n2m4l5k6j7h8g9f0d1s2", "/tmp/sess_…"),
            ("/srv/writable/session/ci_session8d7f6a5b4c3d2e1f0a9b8c7d", "/srv/writable/session/ci_session…"),
            ("/tmp/sessionidk3v0b1n2m4l5k6j7h8g9f0d1s2", "/tmp/sessionid…"),
            (
                "/srv/storage/framework/sessions/CkL9aB3dE5fG7hI1jK2lM4nO6pQ8rS0tU9vW1xY3",
                "/srv/storage/framework/sessions/…",
            ),
            ("/w/tcp:/c:1?auth=hunter2/sess_k3v0b1n2m4l5k6j7h8g9f0d1s2", "/w/tcp:/c:1?auth=…/sess_…"),
            ("/srv/sessions/k3v0b1n2m4l5k6j7h8g9.json", "/srv/sessions/….json"),
            ("/srv/cache/index.html?api_key=hunter2&page=3", "/srv/cache/index.html?api_key=…&page=3"),
        ] {
            assert_eq!(told(path), without);
            assert_eq!(told(without), without);
        }
    }

    #[test]
    fn other_paths_are_told() {
        for path in [
            "/var/lib/php/sessions",
            "/srv/sess_helper.php",
            "/srv/sessions/SessionHandlerOfTheApplication.php",
            "/srv/cache/4d1f00aa4d1f00aa4d1f00aa.php",
            "/srv/src/Security/PasswordHasher.php",
            "/srv/a=b/c",
            "",
            "/",
        ] {
            assert_eq!(told(path), path);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_path_is_taken(path in "\\PC{0,60}|(/|sess_|sessions|[a-z0-9]{0,20}|\\.|=|ä){0,12}") {
            let told = path_without_secrets(path);
            let again = path_without_secrets(told.clone());
            proptest::prop_assert_eq!(path_without_secrets(again.clone()), again);
        }
    }
}
