use super::*;

/// Another's PHP, seen beside a busy background, kept `debug-left-on` from looking at the page's own.
#[test]
fn a_php_that_does_not_answer_hid_the_settings_of_the_others() {
    let no = || Some("no".to_owned());
    let others = Asked { answered: true, perhaps_failed: no(), ..Asked::default() };
    assert_eq!(others.why(), None);
    assert_eq!(Asked { perhaps_failed: no(), ..Asked::default() }.why(), no());
    assert_eq!(Asked { answered: true, failed: no(), ..Asked::default() }.why(), no());
    assert_eq!(Asked::default().why(), None);
}

#[test]
fn the_folder_that_is_read_last_has_the_last_word() {
    assert_eq!(last_folder(":/srv/php.d"), "/srv/php.d");
    assert_eq!(last_folder("/etc/php/8.2/fpm/conf.d"), "/etc/php/8.2/fpm/conf.d");
    assert_eq!(last_folder(""), "");
}
