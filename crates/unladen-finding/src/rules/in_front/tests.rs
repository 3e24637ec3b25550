use super::super::answers::pages::made;
use super::*;

/// The lines for a page of this address whose application asks such a database.
fn lines(url: &str, asks: Option<(QueryProtocol, &str)>) -> Option<String> {
    let mut evidence = made(&[], Vec::new());
    evidence.page.url = url.into();
    let seen = |(protocol, database): (QueryProtocol, &str)| QuerySeen {
        protocol,
        database: database.into(),
        ..QuerySeen::default()
    };
    evidence.queries = asks.map(seen).into_iter().collect();
    let cure = cure(&evidence, "advice", database(&evidence).as_deref())?;
    assert_eq!(cure.commands, ["unladen serve --config unladen.toml"]);
    Some(cure.lines.join("\n"))
}

const POSTGRES: Option<(QueryProtocol, &str)> = Some((QueryProtocol::Postgres, "/run/postgresql/.s.PGSQL.5433"));

#[test]
fn lines_of_a_page_by_name() {
    assert_eq!(
        lines("http://127.0.0.1:8080/blood", POSTGRES).unwrap(),
        r#"[[front]]
listen = "127.0.0.1:17080"
app = "http://127.0.0.1:8080"

[[front.validator]]
path = "/{page}"
database = "postgres:///APP?host=/run/postgresql&port=5433&user=APP"
query = "select changed from PAGES where name = $1""#
    );
    let mysql = lines("https://site.example/a/b%20c/d", Some((QueryProtocol::Mysql, "[::1]:3306"))).unwrap();
    assert!(mysql.contains("app = \"https://site.example\"\n"), "{mysql}");
    assert!(mysql.contains("path = \"/a/b%20c/{page}\"\ndatabase = \"mysql://APP@[::1]:3306/APP\""), "{mysql}");
    assert!(mysql.ends_with("name = ?\""), "{mysql}");
}

/// A validator sees the path, and not the query.
#[test]
fn a_page_whose_path_does_not_name_it_is_asked_about_as_all_are() {
    for url in [
        "http://a/pledge.php?ref=blood",
        "http://a/",
        "http://a",
        "http://a?b",
        "http://a/x/",
        "http://a/{b}/c",
        "http://a/b//c",
        "http://a/../c",
    ] {
        let lines = lines(url, POSTGRES).unwrap();
        assert!(lines.contains("app = \"http://a\"\n") && lines.contains("path = \"/{page*}\""), "{url}: {lines}");
        assert!(lines.ends_with("query = \"select max(changed) from PAGES\"\nparameters = []"), "{url}: {lines}");
    }
}

#[test]
fn databases_that_cannot_be_asked() {
    for asks in [
        None,
        Some((QueryProtocol::Sqlite, "/usr/lib/x86_64-linux-gnu/libsqlite3.so.0.8.6")),
        Some((QueryProtocol::Postgres, "/run/a\"b/.s.PGSQL.5432")),
        Some((QueryProtocol::Postgres, "/run/.s.PGSQL.many")),
        Some((QueryProtocol::Mysql, "/run/mysqld/mysqld.sock")),
        Some((QueryProtocol::Postgres, "unknown")),
    ] {
        assert_eq!(lines("http://a/b", asks).unwrap().lines().count(), 3, "{asks:?}");
    }
    for url in ["", "a", "ftp://a/", "http:///a", "http://user:password@a/b"] {
        assert_eq!(lines(url, POSTGRES), None, "{url}");
    }
}
