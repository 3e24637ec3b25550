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
