use super::{Settings, *};
use crate::server::process::{CommandLine, folder_of, folder_read, plain};

fn line(words: &[&str]) -> CommandLine {
    CommandLine::of((words.join("\0") + "\0").as_bytes())
}

/// Its fixes went to `/etc/nginx/conf.d`, which another nginx reads.
#[test]
fn an_nginx_was_started_with_other_settings() {
    let of = |title: &str, letter| line(&[title]).option_in_title(letter).map(str::to_owned);
    let title = "nginx: master process /usr/sbin/nginx -c /srv/a site/nginx.conf -p /srv/a site -g daemon on;";
    assert_eq!(of(title, 'c').as_deref(), Some("/srv/a site/nginx.conf"));
    assert_eq!(of(title, 'p').as_deref(), Some("/srv/a site"));
    assert_eq!(of(title, 'g').as_deref(), Some("daemon on;"));
    assert_eq!(of("nginx: master process nginx", 'c'), None);
    assert_eq!(of("nginx: master process nginx -c /x/a-c.conf", 'c').as_deref(), Some("/x/a-c.conf"));
}

#[test]
fn options_are_told_apart() {
    let apache = line(&["/usr/sbin/apache2", "-d", "/srv/a b", "-f", "conf/x.conf", "-k", "start"]);
    assert_eq!((apache.option('f'), apache.option('d')), (Some("conf/x.conf"), Some("/srv/a b")));
    assert_eq!(line(&["postgres", "-D", "/d", "-k/run/x", "-p", "5433"]).option('k'), Some("/run/x"));
}

#[test]
fn only_what_the_block_of_http_includes_takes_a_line_of_it() {
    let text = "pid logs/n.pid; # pid /no;\ninclude modules/*.conf;\nevents { include no/*.conf; }\nhttp {\n include mime.types;\n \
                server { include snippets/*.conf; }\n include \"a b/conf.d/*.conf\";\n include sites/*;\n}\n";
    let settings = Settings::of(text);
    assert_eq!(settings.includes, ["mime.types", "a b/conf.d/*.conf", "sites/*"]);
    assert_eq!(settings.pid.as_deref(), Some("logs/n.pid"));
    assert_eq!(folder_read("/x/a b/conf.d/*.conf"), Some("/x/a b/conf.d"));
    assert_eq!(folder_read("/x/mime.types"), None);
    assert_eq!(folder_read("/x/*/*.conf"), None);
}

/// In the background it has another number after each reload, and the second one went to nobody.
#[test]
fn an_fpm_says_where_its_number_is() {
    let text = "; pid = /no\n[global]\n pid = \"/run/a shop/fpm.pid\" ; here\n[shop]\nuser = pid\n";
    assert_eq!(pid_file(text), Some("/run/a shop/fpm.pid"));
    assert_eq!(pid_file("pid = run/fpm.pid\n"), None);
    assert_eq!(pid_file(""), None);
}

#[test]
fn a_postgres_says_where_its_socket_is() {
    let text = "4711\n/srv/pg data\n1700000000\n55432\n/srv/pg sock\nlocalhost\n  5432001  1\nready   \n";
    assert_eq!(of_pid_file(text, 4711), (Some(55432), Some("/srv/pg sock".to_owned())));
    assert_eq!(of_pid_file(text, 1), (None, None), "a file that another one left");
    assert_eq!(of_pid_file("", 1), (None, None));
}

#[test]
fn a_mariadb_says_where_its_settings_and_its_socket_are() {
    let started = line(&["mariadbd", "--defaults-file=/a/my.cnf", "--socket=/a/1", "--socket=/a/2", "--socket-x=/b"]);
    assert_eq!(started.long_option("defaults-file"), Some("/a/my.cnf"));
    assert_eq!(started.long_option("socket"), Some("/a/2"));
    assert_eq!(started.long_option("port"), None);
    let text = "[client]\nsocket=/no\n[mariadb]\n socket = \"/srv/a db/my.sock\"\n[mysqldump]\nsocket=/no\n";
    assert_eq!(socket_in(text).as_deref(), Some("/srv/a db/my.sock"));
    assert_eq!(socket_in("[mariadb-client]\nsocket=/no\n"), None);
}

#[test]
fn the_folder_of_a_path_goes_up() {
    assert_eq!(plain(Path::new("/srv/x/../y/./z.conf")), "/srv/y/z.conf");
    assert_eq!(folder_of("/srv/y/z.conf"), "/srv/y");
}
