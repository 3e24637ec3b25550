use super::*;

/// Pages of authors and of lessons were taken for logins.
#[test]
fn part_of_a_word_was_taken_for_a_login() {
    for path in
        ["/authors/", "/author/ann", "/lessons", "/espresso/", "/blogin/", "/news/?next=http://a/login", "/a#login"]
    {
        assert_eq!(login(path), "", "{path}");
        assert_eq!(login(&format!("https://login.example{path}")), "", "{path}");
    }
    for path in [
        "/login",
        "/accounts/login/?next=/a",
        "/wp-login.php?redirect_to=a",
        "/users/sign_in",
        "/Sign-In",
        "/oauth2/authorize",
        "/sso/",
        "/auth/",
        "/logon.aspx",
        "/wiki/Special:UserLogin?returnto=http://a/b",
    ] {
        assert!(login(path).contains("-b 'NAME=VALUE'"), "{path}");
        assert!(login(&format!("https://shop.example{path}")).contains("-b 'NAME=VALUE'"), "{path}");
    }
}
