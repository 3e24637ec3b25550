use super::*;

fn text(options: &SiteOptions) -> String {
    options.lines().into_iter().map(|line| line.text + "\n").collect()
}

fn refused(options: &SiteOptions) -> String {
    options.config().unwrap_err().to_string()
}

fn to(url: &str) -> SiteOptions {
    SiteOptions { listen: Some("127.0.0.1:8080".into()), to: vec![url.into()], ..SiteOptions::default() }
}

#[test]
fn options_are_the_body_of_a_site() {
    let options = SiteOptions {
        listen: Some("127.0.0.1:8080".into()),
        root: Some("/srv/\"site\"".into()),
        php: Some("/run/php.sock".into()),
        preset: Some("wordpress".into()),
        hosts: vec!["a.example".into(), "b.example".into()],
        acme: Some("me@a.example".into()),
        acme_directory: Some("letsencrypt-staging".into()),
        to: Vec::new(),
    };
    let expected = "listen = \"127.0.0.1:8080\"\nhosts = [\"a.example\", \"b.example\"]\n\
                    acme.email = \"me@a.example\"\nacme.directory = \"letsencrypt-staging\"\nroot = \"/srv/\\\"site\\\"\"\nphp = \"/run/php.sock\"\n\
                    preset = \"wordpress\"\n";
    assert_eq!(text(&options), expected);
}

#[test]
fn a_site_of_options_is_that_of_the_same_file() {
    let options = to("http://127.0.0.1:8000");
    let spoken = options.config().unwrap();
    let written = format!("[[site]]\n{}", text(&options));
    let machine = &unladen_serve_config::Machine;
    let file = Config::parse(&written, Path::new("unladen.toml"), Path::new("/"), machine).unwrap();
    assert_eq!(spoken.settings, file.settings);
    assert_eq!(spoken.again().unwrap().settings, file.settings);
}

#[test]
fn mistakes_name_the_option() {
    let said = refused(&to("ftp://127.0.0.1"));
    assert!(said.starts_with("--to: ") && !said.contains("line"), "{said}");
    let said = refused(&SiteOptions { listen: Some("nowhere".into()), ..to("http://127.0.0.1:8000") });
    assert!(said.starts_with("--listen: "), "{said}");
    let elsewhere = SiteOptions {
        hosts: vec!["a.example".into()],
        acme: Some("me@a.example".into()),
        acme_directory: Some("http://acme.example/dir".into()),
        ..to("http://127.0.0.1:8000")
    };
    let said = refused(&elsewhere);
    assert!(said.starts_with("--acme-directory: "), "{said}");
}

#[test]
fn too_few_and_too_many_are_refused() {
    let none = SiteOptions::default();
    assert!(refused(&none).starts_with("--listen is missing"));
    let no_application = SiteOptions { listen: Some(":8080".into()), ..none.clone() };
    assert!(refused(&no_application).starts_with("nothing to serve"));
    let two = SiteOptions { root: Some("/srv".into()), ..to("http://127.0.0.1:8000") };
    assert!(refused(&two).starts_with("--to and --root are two"));
    let nameless = SiteOptions { acme: Some("me@a.example".into()), ..to("http://127.0.0.1:8000") };
    assert!(refused(&nameless).starts_with("--acme needs --hosts"));
}

#[test]
fn scripts_that_nobody_runs_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let options = SiteOptions {
        listen: Some("127.0.0.1:8080".into()),
        root: Some(folder.path().to_owned()),
        ..SiteOptions::default()
    };
    assert!(options.agree(Path::new("/")).is_ok());
    std::fs::write(folder.path().join("index.php"), "<?php").unwrap();
    let said = refused(&options);
    assert!(said.contains("has index.php") && said.contains("--php"), "{said}");
    // What is found on this machine is told, or that nothing is.
    let is_there = !sockets_of_php_fpm().is_empty();
    assert_eq!(said.contains("; found /run/php/"), is_there, "{said}");
}
