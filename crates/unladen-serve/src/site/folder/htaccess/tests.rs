use std::fs;

use unladen_serve_config::{FilesSettings, FolderSettings, Try};

use super::*;

fn told(files: &[(&str, &str)], allow: &[&str]) -> ToldByHtaccess {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let settings = FolderSettings {
        root: folder.path().to_owned(),
        index: vec!["index.html".to_owned()],
        tries: vec![Try::Path(String::new())],
        alias: "/static".to_owned(),
    };
    let files = FilesSettings { allow: allow.iter().map(|&one| one.to_owned()).collect(), ..Default::default() };
    let told = Folder::new(&settings, &[], &files).unwrap().told_by_htaccess();
    let real = fs::canonicalize(folder.path()).unwrap();
    let short = |list: Vec<String>| list.iter().map(|one| one.replace(real.to_str().unwrap(), "DIR")).collect();
    ToldByHtaccess { notes: short(told.notes), doubts: short(told.doubts) }
}

#[test]
fn what_an_htaccess_refuses_is_named_with_what_becomes_of_it() {
    let akismet = "Require all denied\n<FilesMatch \"^a\\.js$\">\nRequire all granted\n</FilesMatch>";
    let seen = told(&[("a/.htaccess", akismet), ("b/.htaccess", "<Files x.tpl>\nDeny from all\n</Files>")], &[]);
    let mut notes = seen.notes;
    notes.sort();
    assert_eq!(
        notes,
        [
            "DIR/a/.htaccess: line 1 refuses its folder, and so does `serve`: 403; one section of it lets some files \
             through, here too",
            "DIR/b/.htaccess: line 2 refuses files that are like \"^x\\\\.tpl$\", and so does `serve`: 403",
        ]
    );
    assert_eq!(seen.doubts, [""; 0]);
}

#[test]
fn what_apache_would_answer_otherwise_is_a_doubt() {
    let root = told(&[(".htaccess", "Order deny,allow\nDeny from all\nAllow from 10.0.0.0/8")], &[]);
    assert_eq!(root.notes, [""; 0]);
    assert_eq!(
        root.doubts,
        ["DIR/.htaccess: line 2 lets Apache send its folder to some clients alone, and `serve` answers 403 to all; a \
          [[site.route]] with `path = \"/static/\"` and `access` does it, with `files.allow` for that path"]
    );
    let rewrite = "RewriteEngine on\nRewriteRule ^\\.git - [F]\n<Limit POST>\nDeny from all\n</Limit>\n<If \"true\">";
    let seen = told(&[("x/.htaccess", rewrite)], &[]);
    let lines: Vec<&str> = seen.doubts.iter().filter_map(|doubt| doubt.split(" may refuse").next()).collect();
    assert_eq!(
        lines,
        [
            "DIR/x/.htaccess: line 2, \"RewriteRule ^\\\\.git - [F]\",",
            "DIR/x/.htaccess: line 3, \"<Limit POST>\",",
            "DIR/x/.htaccess: line 6, \"<If \\\"true\\\">\",",
        ]
    );
    assert!(seen.doubts.iter().all(|doubt| doubt.contains(", below \"/static/x/\", with `status = 403`")));
    let open = told(&[("x/.htaccess", "Deny from all")], &["/static/x/*"]);
    assert!(open.doubts.first().is_some_and(|doubt| doubt.contains("`files.allow` opens its folder")), "{open:?}");
}
