use super::*;
use crate::tests::sample;

#[test]
fn beside_heavy_background_nothing_was_traced() {
    let result = sample::nothing_follows();
    let page = &result.pages[0];
    assert!(page.following_groups().is_empty());
    // By its interval alone, sshd does not follow either.
    assert_eq!(page.perhaps_following_groups(None, 6), ["www-data php-fpm8.2", "www-data nginx"]);
    assert_eq!(page.perhaps_following_groups(None, 1), ["www-data php-fpm8.2"]);
}

/// Groups of other hosts took the places of those that can be looked into here.
#[test]
fn groups_of_other_hosts_are_not_among_those_to_trace() {
    let mut result = sample::nothing_follows();
    let page = &mut result.pages[0];
    let mut far = page.weight("www-data php-fpm8.2", "cpu").unwrap().clone();
    (far.group, far.host) = ("db/mariadb.service".to_owned(), Some("db".to_owned()));
    page.weights.insert(0, far);
    assert_eq!(page.perhaps_following_groups(None, 2), ["www-data php-fpm8.2", "www-data nginx"]);
}

/// A compiler was pushed aside, its forced switches followed, and its files were told as left behind by the requests.
#[test]
fn what_was_pushed_aside_was_traced() {
    let mut result = sample::one_page();
    let page = &mut result.pages[0];
    assert!(page.following_groups().contains(&"www-data nginx"));
    let aside = |page: &mut WeighedPage, on_path: bool| {
        let is_cpu = |row: &&mut Weight| row.group == "www-data nginx" && row.counter == "cpu";
        let cpu = page.weights.iter_mut().find(is_cpu).unwrap();
        (cpu.follows, cpu.displaced, cpu.on_path) = (false, true, on_path);
    };
    aside(page, false);
    assert!(!page.following_groups().contains(&"www-data nginx"));
    aside(page, true);
    assert!(page.following_groups().contains(&"www-data nginx"));
}
