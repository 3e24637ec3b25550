use crate::sample;

#[test]
fn beside_heavy_background_nothing_was_traced() {
    let result = sample::nothing_follows();
    let page = &result.urls[0];
    assert!(page.following_groups().is_empty());
    // By its interval alone, sshd does not follow either.
    assert_eq!(page.perhaps_following_groups(None, 6), ["www-data php-fpm8.2", "www-data nginx"]);
    assert_eq!(page.perhaps_following_groups(None, 1), ["www-data php-fpm8.2"]);
}

/// Groups of other hosts took the places of those that can be looked into here.
#[test]
fn groups_of_other_hosts_are_not_among_those_to_trace() {
    let mut result = sample::nothing_follows();
    let page = &mut result.urls[0];
    let mut far = page.weight("www-data php-fpm8.2", "cpu").unwrap().clone();
    (far.group, far.host) = ("db/mariadb.service".to_owned(), Some("db".to_owned()));
    page.weights.insert(0, far);
    assert_eq!(page.perhaps_following_groups(None, 2), ["www-data php-fpm8.2", "www-data nginx"]);
}
