use super::*;

fn folder(text: &str) -> Option<Access> {
    Htaccess::parse(text.as_bytes()).of_folder().cloned()
}

#[test]
fn folders_that_deny_all_were_sent() {
    for (text, denial) in [
        ("deny from all", Denial::All(1)),
        ("Order deny,allow\nDeny from all\nAllow from 127.0.0.1", Denial::Some(2)),
        ("# no\n\n  REQUIRE  all   Denied\nSatisfy All", Denial::All(3)),
        (
            "<IfModule mod_authz_core.c>\nRequire all denied\n</IfModule>\n\
          <IfModule !mod_authz_core.c>\nDeny from all\n</IfModule>",
            Denial::All(2),
        ),
        ("Order allow,deny", Denial::All(1)),
        ("Order allow,deny\nAllow from 10.0.0.0/8", Denial::Some(1)),
        ("Require ip 10.0.0.0/8", Denial::Some(1)),
        ("AuthType Basic\nRequire valid-user", Denial::Some(2)),
        ("<RequireAll>\nRequire all granted\nRequire ip 10.1.2.3\n</RequireAll>", Denial::Some(3)),
        ("Require all \\\ndenied", Denial::All(2)),
    ] {
        assert_eq!(folder(text), Some(Access::Denied(denial)), "{text}");
    }
    for text in ["", "php_flag engine off", "Options -Indexes", "<IfModule !mod_rewrite.c>\nDeny from all\n</IfModule>"]
    {
        assert_eq!(folder(text), None, "{text}");
    }
    for text in
        ["Order allow,deny\nAllow from all", "Require all granted", "Order deny,allow\nDeny from all\nAllow from all"]
    {
        assert_eq!(folder(text), Some(Access::Granted), "{text}");
    }
}

#[test]
fn sections_open_and_refuse_some_files_of_a_folder() {
    let read = Htaccess::parse(
        b"<IfModule mod_authz_core.c>\nRequire all denied\n</IfModule>\n<FilesMatch \"^(form\\.js|a\\.css)$\">\n\
          <IfModule mod_authz_core.c>\nRequire all granted\n</IfModule>\n</FilesMatch>\n\
          <Files *.tpl>\nRequire all denied\n</Files>",
    );
    assert_eq!(read.of_folder(), Some(&Access::Denied(Denial::All(2))));
    assert_eq!(read.of_file(b"form.js"), Some(&Access::Granted));
    assert_eq!(read.of_file(b"x.tpl"), Some(&Access::Denied(Denial::All(10))));
    assert_eq!(read.of_file(b"b.css"), None);
    assert_eq!(read.denied_files().collect::<Vec<_>>(), [("^.*\\.tpl$", Denial::All(10))]);
    assert!(read.unclear.is_empty());
}

#[test]
fn what_may_refuse_and_is_not_understood_is_named() {
    for (text, line) in [
        ("RewriteEngine on\nRewriteRule ^data/ - [F]", 2),
        ("<FilesMatch \"(?!x)\\.sql$\">\nDeny from all\n</FilesMatch>", 1),
        ("<If \"%{HTTP_HOST} == 'a'\">\nRequire all denied\n</If>", 1),
        ("<LimitExcept GET>\nDeny from all\n</LimitExcept>", 1),
        ("Deny from 10.0.0.1", 1),
        ("RedirectMatch 404 /\\.git", 1),
    ] {
        let read = Htaccess::parse(text.as_bytes());
        let whole = text.lines().nth(line - 1).unwrap().to_owned();
        assert_eq!((read.of_folder(), read.unclear()), (None, &[(line, whole)][..]), "{text}");
    }
    let many = Htaccess::parse("Deny from 10.0.0.1\n".repeat(1000).as_bytes());
    assert_eq!(many.unclear().len(), MOST_UNCLEAR);
}
