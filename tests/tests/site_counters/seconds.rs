//! Labels of whole seconds: of two edits in one second the later is seen, too.

use std::time::{Duration, Instant, UNIX_EPOCH};

use unladen_tests::{Nginx, Site};

use crate::database::Database;
use crate::{SCHEMA, application, before};

/// Far above what it takes to do two things within a second.
const LIMIT: Duration = Duration::from_secs(60);

/// Edits twice, by `edit`, which gives the time that it noted, until both fell into one second, and looks between; then
/// the second edit has to be what everybody gets.
#[track_caller]
fn the_second_edit_is_seen(site: &Site, path: &str, mut edit: impl FnMut(&str) -> String) {
    let begun = Instant::now();
    for round in 0.. {
        let (first, second) = (format!("first-{round:04}"), format!("later-{round:04}"));
        let noted = edit(&first);
        let answer = site.get(path).is_asked(200);
        assert!(answer.text().contains(&first), "{answer:?}");
        let noted_again = edit(&second);
        let answer = site.get(path).is(200);
        assert!(answer.text().contains(&second), "{noted}, {noted_again}: {answer:?}");
        if noted == noted_again {
            // Nor later, when it is kept.
            let kept = site.get_until(path, |answer| {
                assert!(answer.text().contains(&second), "{noted}: {answer:?}");
                answer.cache().starts_with("hit")
            });
            assert!(kept.text().contains(&second), "{kept:?}");
            return;
        }
        assert!(begun.elapsed() < LIMIT, "two edits never fall into one second");
    }
}

#[test]
fn of_two_edits_in_one_second_the_later_was_never_seen() {
    for start in Database::each() {
        let database = start();
        let queries: &[&str] = match &database {
            Database::Postgres { .. } => {
                // Written in a zone, and without it.
                database.script("alter database site set timezone = 'America/New_York'; alter database site set datestyle = 'SQL, DMY';");
                &[
                    "select changed from posts where id = 1",
                    "select extract(epoch from changed)::bigint from posts where id = 1",
                ]
            }
            Database::MariaDb { .. } => {
                &["select changed from posts where id = 1", "select unix_timestamp(changed) from posts where id = 1"]
            }
            Database::Sqlite { .. } => {
                &["select changed from posts where id = 1", "select strftime('%s', changed) from posts where id = 1"]
            }
        };
        let now = match &database {
            Database::Postgres { .. } => "date_trunc('second', clock_timestamp())::timestamp",
            Database::MariaDb { .. } => "now()",
            Database::Sqlite { .. } => "datetime('now')",
        };
        database.script(SCHEMA);
        database.grant("posts");
        let script = application(&database);
        let mut session = database.session();
        for query in queries {
            let site = before(
                &script,
                &format!(
                    "[[site.validator]]\npath = \"/{{page*}}\"\ndatabase = \"{}\"\nquery = \"{query}\"\ntimeout = \"30s\"",
                    database.url()
                ),
            );
            the_second_edit_is_seen(&site, "/", |body| {
                session.run(&format!("update posts set body = '{body}', changed = {now} where id = 1"));
                session.run("select changed from posts where id = 1")
            });
            site.stop();
        }
    }
}

/// nginx tells a file's time in whole seconds: by `Last-Modified`, and by its `ETag`, too.
#[test]
fn a_file_that_was_written_twice_in_one_second_has_the_same_etag_in_nginx() {
    let nginx = Nginx::plain("location / { root .; default_type text/plain; }");
    let page = nginx.path("page.txt");
    let write = |body: &str| {
        std::fs::write(&page, body).expect("a file of our own");
        let time = std::fs::metadata(&page).and_then(|metadata| metadata.modified()).expect("its time");
        time.duration_since(UNIX_EPOCH).expect("after 1970").as_secs().to_string()
    };
    write("at first");
    let site = Site::start(&format!(
        "upstream = \"http://{}\"\n[[site.validator]]\npath = \"/{{page*}}\"\nhead = true\ntimeout = \"30s\"",
        nginx.address()
    ));
    the_second_edit_is_seen(&site, "/page.txt", write);
    // What was written long ago is kept at once.
    write("of old");
    let file = std::fs::File::options().write(true).open(&page).expect("a file of our own");
    file.set_modified(UNIX_EPOCH + Duration::from_secs(1_000_000_000)).expect("its time can be set");
    assert_eq!(site.get("/page.txt").is_asked(200).text(), "of old");
    assert_eq!(site.get("/page.txt").is_hit(200).text(), "of old");
    site.stop();
}
