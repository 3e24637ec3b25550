//! What is private: pages of users, settings, what was uploaded; and what is public: files, addresses, errors.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use unladen_tests::Answer;

use super::Blog;
use crate::refused;

/// For whom WordPress made a page, as its bar at the top says.
fn for_whom(answer: &Answer) -> Option<String> {
    let text = answer.text();
    let (_, rest) = text.split_once("class=\"display-name\">")?;
    rest.split('<').next().map(str::to_owned)
}

#[test]
fn nobody_gets_the_page_of_somebody_else() {
    let blog = Blog::up();
    blog.kept("/of-bread/");
    std::thread::scope(|scope| {
        for (name, shown) in
            [("author", Some("Author of the site")), ("editor", Some("Editor of the site")), ("", None)]
        {
            let blog = &blog;
            scope.spawn(move || {
                let mut visitor = if name.is_empty() { blog.anonymous() } else { blog.user(name) };
                for round in 0..8 {
                    for path in ["/of-bread/", "/", "/?s=salt", "/of-salt/", "/no-such-page/"] {
                        let answer = visitor.get(path);
                        let status = if path == "/no-such-page/" { 404 } else { 200 };
                        assert_eq!(answer.status, status, "{path}: {answer:?}");
                        assert_eq!(for_whom(&answer).as_deref(), shown, "{path} of {name:?} in round {round}");
                        let is_hit = answer.cache().starts_with("hit");
                        assert!(name.is_empty() || !is_hit, "{path} of {name} is from memory: {answer:?}");
                    }
                }
            });
        }
    });
    // The administration is for who has logged in.
    let outside = blog.anonymous().get("/wp-admin/");
    assert!(
        outside.status == 302 && outside.field("location").is_some_and(|at| at.contains("wp-login.php")),
        "{outside:?}"
    );
    let inside = blog.user("author").read("/wp-admin/");
    assert!(inside.text().contains("id=\"wpadminbar\"") && inside.cache().starts_with("fwd="), "{inside:?}");
    blog.site.stop();
}

/// With the password of a post, and with a comment that waits, a reader is somebody.
#[test]
fn a_posts_password_and_a_comment_make_a_reader_somebody() {
    let blog = Blog::up();
    blog.php(
        "wp_insert_post(['post_title' => 'Of secrets', 'post_name' => 'of-secrets', 'post_content' => 'the secret is salt', 'post_status' => 'publish', 'post_password' => 'open']);",
    );
    let closed = blog.kept("/of-secrets/");
    assert!(!closed.text().contains("the secret is salt"), "{closed:?}");
    let mut knows = blog.anonymous();
    let done = knows.post("/wp-login.php?action=postpass", &[("post_password", "open"), ("Submit", "Enter")]);
    // Without a Referer there is no page to be sent back to.
    assert!(matches!(done.status, 200 | 302) && knows.has_cookie("wp-postpass_"), "{done:?}");
    assert!(knows.read("/of-secrets/").text().contains("the secret is salt"));
    let again = blog.anonymous().read("/of-secrets/");
    assert!(!again.text().contains("the secret is salt"), "{again:?}");

    let post = blog.php("echo of('of-maps');");
    let mut commenter = blog.anonymous();
    let form = [
        ("comment", "a comment that waits"),
        ("author", "Nia"),
        ("email", "nia@site.example"),
        ("url", ""),
        ("wp-comment-cookies-consent", "yes"),
        ("comment_post_ID", post.as_str()),
        ("comment_parent", "0"),
        ("submit", "Post Comment"),
    ];
    let done = commenter.post("/wp-comments-post.php", &form);
    assert!(done.status == 302 && commenter.has_cookie("comment_author_"), "{done:?}");
    assert!(commenter.read("/of-maps/").text().contains("a comment that waits"));
    for _ in 0..3 {
        assert!(!blog.anonymous().read("/of-maps/").text().contains("a comment that waits"));
    }
    blog.php("wp_set_comment_status(get_comments(['search' => 'a comment that waits'])[0]->comment_ID, 'approve');");
    assert!(blog.anonymous().read("/of-maps/").text().contains("a comment that waits"));
    blog.site.stop();
}

#[test]
fn settings_and_uploads_are_never_run_or_shown() {
    let blog = Blog::up();
    let uploads = blog.folder().join("wp-content/uploads");
    fs::write(uploads.join("evil.php"), "<?php echo 'was run ', 6 * 7;").unwrap();
    fs::write(uploads.join("evil.jpg"), "<?php echo 'was run ', 6 * 7;").unwrap();
    fs::write(uploads.join("evil.PHP"), "<?php echo 'was run ', 6 * 7;").unwrap();
    fs::write(blog.folder().join("wp-content/debug.log"), "PHP Notice: a secret").unwrap();
    // What plugins protect by .htaccess alone.
    for file in [
        "uploads/woocommerce_uploads/2026/11/book.pdf",
        "uploads/wc-logs/fatal-errors.txt",
        "uploads/edd/2026/11/song.zip",
        "uploads/edd/2026/11/cover.jpg",
        "updraft/backup-db.gz",
        "ai1wm-backups/site.wpress",
        "plugins/backup/dump.sql",
        "uploads/form.LOG",
        "uploads/evil/index.php",
    ] {
        let file = blog.folder().join("wp-content").join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, if file.ends_with("cover.jpg") { "a picture" } else { "a secret" }).unwrap();
    }
    fs::create_dir(blog.folder().join(".git")).unwrap();
    fs::write(blog.folder().join(".git/config"), "[core]\n").unwrap();
    fs::write(blog.folder().join("index.php~"), "<?php // a secret").unwrap();
    for file in ["evil.php", "evil.jpg", "evil.PHP"] {
        fs::set_permissions(uploads.join(file), fs::Permissions::from_mode(0o644)).unwrap();
    }
    let (address, host) = (blog.address(), blog.address().to_string());
    refused::by_the_site(
        address,
        &host,
        &[
            "/wp-config.php",
            "/%77p-config.php",
            "//wp-config.php",
            "/./wp-config.php",
            "/wp-admin/../wp-config.php",
            "/wp-config.php/x",
            "/wp-content/uploads/evil.php",
            "/wp-content/uploads/evil.php/x.jpg",
            "/wp-content/uploads/%65vil.php",
            "/wp-content//uploads/evil.php",
            "/wp-content/uploads/evil/",
            "/wp-content/uploads/%65vil//",
            "/wp-content/uploads/evil.PHP",
            "/wp-content/debug.log",
            "/wp-content/uploads/woocommerce_uploads/2026/11/book.pdf",
            "/wp-content/uploads/wc-logs/fatal-errors.txt",
            "/wp-content/uploads/edd/2026/11/song.zip",
            "/wp-content/updraft/backup-db.gz",
            "/wp-content/ai1wm-backups/site.wpress",
            "/wp-content/plugins/backup/dump.sql",
            "/wp-content/uploads/form.LOG",
            "/wp-includes/version.php",
            "/wp-admin/includes/upgrade.php",
        ],
    );
    refused::everywhere(address, &host, &[blog.subject.get("DATABASE_PASSWORD"), "a secret"]);
    assert_eq!(blog.anonymous().get("/wp-content/uploads/edd/2026/11/cover.jpg").status, 200, "of a shop's page");
    // A picture that is a script: its bytes are sent as a picture's, and nobody runs them.
    let picture = blog.anonymous().get("/wp-content/uploads/evil.jpg");
    assert_eq!((picture.status, picture.field("content-type")), (200, Some("image/jpeg")), "{picture:?}");
    assert_eq!(picture.field("x-content-type-options"), Some("nosniff"), "{picture:?}");
    let run = blog.anonymous().get("/wp-content/uploads/evil.jpg/x.php");
    assert!(run.status == 403 || run.status == 404, "{run:?}");
    assert!(!run.text().contains("was run 42"), "{run:?}");
    blog.site.stop();
}

#[test]
fn files_addresses_and_errors_are_as_wordpress_wants_them() {
    let blog = Blog::up();
    let style = blog.anonymous().read("/wp-includes/css/dist/block-library/style.min.css?ver=6.1");
    assert_eq!(style.field("content-type").map(|kind| kind.split(';').next().unwrap()), Some("text/css"), "{style:?}");
    assert!(style.field("cache-control").is_some_and(|said| said.contains("max-age=86400")), "{style:?}");
    assert!(style.body == fs::read(blog.folder().join("wp-includes/css/dist/block-library/style.min.css")).unwrap());
    // A folder without its slash, and addresses that WordPress corrects itself.
    let admin = blog.anonymous().get("/wp-admin");
    assert!(admin.status == 301 || admin.status == 308, "{admin:?}");
    assert!(admin.field("location").is_some_and(|at| at.ends_with("/wp-admin/")), "{admin:?}");
    let short = blog.anonymous().get("/of-bread");
    assert_eq!(
        (short.status, short.field("location").map(|at| at.ends_with("/of-bread/"))),
        (301, Some(true)),
        "{short:?}"
    );
    // No file, no page: WordPress' own error, and none of PHP-FPM's.
    for path in ["/no-such-page/", "/no-such.jpg", "/no/such.css"] {
        let none = blog.anonymous().get(path);
        assert!(none.status == 404 && none.text().contains("A small site"), "{path}: {none:?}");
    }
    // A script that is not there is the site's own matter.
    assert_eq!(blog.anonymous().get("/no-such.php").status, 404);
    let found = blog.anonymous().read("/?s=salt");
    assert!(
        found.text().contains("is to be said of salt") && !found.text().contains("is to be said of wool"),
        "{found:?}"
    );
    assert!(blog.anonymous().read("/feed/").field("content-type").is_some_and(|kind| kind.contains("xml")));
    assert!(blog.anonymous().read("/wp-json/wp/v2/posts").text().contains("\"slug\":\"of-bread\""));
    blog.site.stop();
}
