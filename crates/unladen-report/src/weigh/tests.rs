use crate::sample;

#[test]
fn beside_heavy_background_nothing_was_traced() {
    let result = sample::nothing_follows();
    let page = &result.urls[0];
    assert!(page.following_groups().is_empty());
    // By its interval alone, sshd does not follow either.
    assert_eq!(page.perhaps_following_groups(6), ["www-data php-fpm8.2", "www-data nginx"]);
    assert_eq!(page.perhaps_following_groups(1), ["www-data php-fpm8.2"]);
}
