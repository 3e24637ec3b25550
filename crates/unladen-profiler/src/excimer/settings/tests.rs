use super::*;

/// phpenmod links into a folder that such a PHP does not read.
#[test]
fn a_php_with_a_scan_folder_of_its_own_was_sent_to_phpenmod() {
    let root = tempfile::tempdir().unwrap();
    for file in ["etc/debian_version", "lib/excimer.so"] {
        let file = root.path().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "").unwrap();
    }
    let said = |scanned: &str| {
        let told = serde_json::json!({ "php": "8.2.31", "extension_dir": "/lib", "scanned": scanned });
        Told(told).check(root.path(), "process 7", "kill -USR2 7").unwrap_err().to_string()
    };
    assert!(said("/etc/php/8.2/fpm/conf.d/10-opcache.ini,\n").contains("phpenmod -v 8.2 excimer, then kill -USR2 7"));
    let own = said("/srv/php/conf.d/10-opcache.ini,\n/srv/php/conf.d/20-apcu.ini\n");
    assert!(own.contains("put extension=excimer.so into a file of /srv/php/conf.d, then kill -USR2 7"), "{own}");
}
