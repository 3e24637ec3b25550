//! What `preset = "drupal"` refuses, on a tree of files like Drupal's: there is no package of Drupal to install.

use unladen_tests::{PhpFpm, Site};

use crate::refused;

const SECRET: &str = "a word that nobody may read";

/// Drupal's files, and what people leave among them.
const PRIVATE: [&str; 46] = [
    "sites/default/settings.php",
    "sites/default/settings.local.php",
    "sites/default/settings.php.bak",
    "sites/default/settings.php.zip",
    "sites/default/services.yml",
    "sites/default/files/upload.php",
    "sites/default/files/upload.phtml",
    "sites/default/files/.htaccess",
    "sites/default/files/.ht.sqlite",
    "sites/default/files/data.sqlite",
    "sites/default/files/php/twig/page.php",
    "sites/default/files/private/contract.pdf",
    "sites/default/private/contract.pdf",
    "sites/shop.example.org/private/contract.pdf",
    "sites/shop.example.org/files/private/2026/contract.pdf",
    "sites/default/files/config_a/sync/system.site.yml",
    "modules/mine/mine.module",
    "modules/mine/mine.module~",
    "modules/mine/mine.module.swo",
    "modules/mine/mine.install",
    "modules/mine/mine.info.yml",
    "modules/mine/src/Mine.php",
    "modules/mine/composer.json",
    "modules/mine/package.json",
    "themes/mine/page.html.twig",
    "themes/mine/mine.theme",
    "themes/mine/template.php",
    "profiles/mine/mine.profile",
    "libraries/uploader/examples/upload.php",
    "recipes/mine/tool.php",
    "core/composer.json",
    "core/package.json",
    "core/yarn.lock",
    "core/lib/Drupal.php",
    "core/includes/bootstrap.inc",
    "core/assets/vendor/tool.php",
    "core/misc/tool.php",
    "core/tests/bootstrap.txt",
    "core/scripts/run-tests.sh",
    "vendor/autoload.php",
    "autoload.php",
    "web.config",
    "composer.lock",
    "backup.sql",
    "backup.mysql",
    "backup.sql.gz",
];

fn drupal() -> (PhpFpm, Site) {
    let fpm = PhpFpm::start(2, "");
    for name in PRIVATE {
        let is_run = ["php", "phtml"].iter().any(|end| name.ends_with(end));
        fpm.page(name, &if is_run { format!("<?php echo '{SECRET}';") } else { SECRET.to_owned() });
    }
    let says =
        |what: &str| format!("<?php header('Cache-Control: max-age=60'); echo '{what} ', $_SERVER['REQUEST_URI'];");
    for name in ["index.php", "update.php", "core/install.php", "core/modules/statistics/statistics.php"] {
        fpm.page(name, &says(name));
    }
    fpm.page("sites/default/files/css/a.css", "of a hash");
    fpm.page("sites/default/files/picture.jpg", "a picture");
    let (socket, root) = (fpm.socket(), fpm.root());
    let site =
        Site::start(&format!("root = \"{}\"\nphp = \"{}\"\npreset = \"drupal\"\n", root.display(), socket.display()));
    (fpm, site)
}

#[test]
fn what_drupal_keeps_from_visitors_is_refused_in_any_folder() {
    let (_fpm, site) = drupal();
    for name in PRIVATE {
        for path in [format!("/{name}"), format!("//{name}"), format!("/{}", name.replace('.', "%2e"))] {
            let answer = site.get(&path);
            // What no site sends is nothing, and so Drupal's to answer.
            let is_drupals = answer.text().starts_with("index.php ");
            assert!(matches!(answer.status, 400 | 403 | 404) || is_drupals, "{path}: {answer:?}");
            assert!(!answer.text().contains(SECRET), "{path}: {answer:?}");
        }
    }
    refused::everywhere(site.address(), "site.example", &[SECRET]);
}

#[test]
fn drupals_own_addresses_are_answered() {
    let (_fpm, site) = drupal();
    // Pages are Drupal's, whatever they are called; what does something is run each time.
    for path in
        ["/node/1", "/tutorials/mysql", "/about.NET", "/sites/default/files/styles/wide/public/a.jpg", "/private"]
    {
        assert_eq!(site.get(path).is_asked(200).text(), format!("index.php {path}"));
        assert_eq!(site.get(path).is_hit(200).text(), format!("index.php {path}"));
    }
    for path in ["/update.php/selection", "/core/install.php", "/core/modules/statistics/statistics.php"] {
        for _ in 0..2 {
            let answer = site.get(path);
            assert!(answer.status == 200 && !answer.cache().starts_with("hit"), "{path}: {answer:?}");
            assert!(answer.text().ends_with(path) && !answer.text().starts_with("index.php"), "{path}: {answer:?}");
        }
    }
    let styles = site.get("/sites/default/files/css/a.css");
    assert_eq!(styles.field("cache-control"), Some("max-age=31536000, immutable"));
    assert_eq!(site.get("/sites/default/files/picture.jpg").text(), "a picture");
}
