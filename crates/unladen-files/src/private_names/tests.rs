use super::*;

#[test]
fn names_of_what_is_never_a_page_were_sent() {
    for wanted in [
        "dump.sql",
        "DUMP.SQL",
        "dump.sql.gz",
        "dump-2026.sql.1.gz",
        "db.sqlite",
        "db.sqlite-wal",
        "a.db",
        "x.swp",
        ".x.swp",
        "a.css~",
        "#a.css#",
        "a.html.bak",
        "error.log",
        "error.log.1",
        "error.log-20260101.gz",
        "server.key",
        "a.PEM",
        "prod.env",
        "id_rsa",
        "config.yml",
        "composer.lock",
        "backup.zip",
        "backup.tar.gz",
        "site.2026.tar.xz",
        "web.config",
        "htpasswd",
    ] {
        assert!(private(wanted.as_bytes()).is_some(), "{wanted}");
    }
    for page in [
        "style.css",
        "style.css.gz",
        "app.js.br",
        "a.map",
        "blog",
        "catalog",
        "monkey",
        "photo.1.jpg",
        "v1.0",
        "1",
        "",
        ".",
        "sql",
        "a.gz",
        "my-id_rsa.pub",
        "a.sqlx",
        "a.login",
        "feed.xml",
        "data.json",
        "1.2.3",
        "a.asc",
        "openapi.yaml",
        "Swagger.yml",
    ] {
        assert!(private(page.as_bytes()).is_none(), "{page}");
    }
}

#[test]
fn a_packed_dump_was_taken_for_a_download() {
    assert_eq!(private(b"dump.sql.zip").map(|entry| entry.place), Some(Place::Everywhere));
    assert_eq!(private(b"theme.zip").map(|entry| entry.place), Some(Place::BesideIndex));
}

#[test]
fn descriptions_of_interfaces_were_taken_for_settings() {
    assert_eq!(private(b"openapi.yaml").map(|entry| entry.why), None);
    assert!(private(b"openapi.yaml.bak").is_some());
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/files.md");
    let docs = std::fs::read_to_string(docs).unwrap();
    for name in PUBLIC {
        assert!(docs.contains(&format!("`{name}`")), "{name}");
    }
}

#[test]
fn the_table_of_the_reference_has_each_private_name_with_its_reason() {
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/files.md");
    let docs = std::fs::read_to_string(docs).unwrap();
    for entry in PRIVATE {
        let row = docs.lines().find(|line| line.starts_with('|') && line.contains(&format!("| {} |", entry.why)));
        let row = row.unwrap_or_else(|| panic!("no row for {:?}", entry.why));
        for end in entry.ends {
            assert!(row.contains(&format!("`{end}`")), "{end} is missing in: {row}");
        }
    }
}
