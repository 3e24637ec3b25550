use proptest::prelude::*;

use super::*;

/// Lines as programs write them; SECRET stands for the secret.
const FORMS: &[&str] = &[
    "password=SECRET",
    "db_password = SECRET, next",
    "DB_PASS=SECRET php run.php",
    "PGPASSWORD=SECRET psql -h db",
    "REDISCLI_AUTH=SECRET redis-cli",
    "login failed (passwd: SECRET)",
    "{\"user\": \"ann\", \"password\": \"SECRET\", \"id\": 5}",
    "{\"log\": \"{\\\"password\\\": \\\"SECRET\\\"}\"}",
    "['password' => 'SECRET', 'host' => 'db']",
    "$config['db_password'] = 'SECRET';",
    "mysqldump --password=SECRET shop",
    "mysqldump --password SECRET shop",
    "sh -c mysql -uroot -pSECRET shop",
    "sshpass -pSECRET ssh -p 2222 db1",
    "sshpass -p SECRET ssh -p 2222 db1",
    "/usr/bin/sshpass -p 'SECRET' ssh db1",
    "sshpass -p'SECRET SECRET' ssh db1",
    "mysql -p'SECRET SECRET' shop",
    "SSHPASS=SECRET sshpass -e ssh db1",
    "curl -u ann:SECRET http://shop/",
    "curl --user 'ann:SECRET' http://shop/",
    "curl -H 'Authorization: Bearer SECRET' http://shop/",
    "Authorization: Basic SECRET",
    "Authorization: Digest username=\"ann\", response=\"SECRET\"",
    "authorization=Bearer SECRET",
    "got Bearer SECRET from ann",
    "Cookie: theme=dark; SHOP=SECRET",
    "Set-Cookie: PHPSESSID=SECRET; path=/",
    "X-Api-Key: SECRET",
    "GET /page?api_key=SECRET&page=3 HTTP/1.1",
    "GET /page?page=3&access_token=SECRET HTTP/1.1",
    "connecting to postgres://shop:SECRET@db:5432/shop",
    "connecting to redis://:SECRET@cache:6379/0",
    "dial shop:SECRET@tcp(db:3306)/shop",
    "see http://ann:SECRET@host/a and http://bob:SECRET@host/b",
    "connecting to postgres://shop:SECRET",
    "jdbc:mysql://db/shop?user=shop&password=SECRET",
    "host=db user=shop password='SECRET' dbname=shop",
];

#[test]
fn what_is_a_secret_is_left_out_wherever_it_stands() {
    for form in FORMS {
        let line = form.replace("SECRET", "hunter2+/x");
        let told = without_secrets(&line);
        assert!(!told.contains("hunter2") && told.contains('…'), "{line}\n{told}");
    }
}

#[test]
fn what_is_no_secret_is_told() {
    for line in [
        "<30>shop[12]: page 3 took 4 ms",
        "GET http://shop.example:8080/page?mail=ann@example.org HTTP/1.1",
        "listening on http://[::1]:8080/, 10.0.0.1:80 and unix:/run/php.sock",
        "PHP Warning: Undefined variable $author: in /srv/a.php:12",
        "password reset asked for, basic checks passed, see the author",
        "author=ann compass=north",
        "sshpass: exec: ssh: not found",
        "ssh -p 2222 db1",
        "nginx -p /srv/nginx -c nginx.conf",
        "mail to ann@example.org at 12:30",
        "SELECT ref FROM page WHERE token IN (?, ?)",
        "",
    ] {
        assert_eq!(without_secrets(line), line);
    }
    assert_eq!(without_secrets("password=a next=b"), "password=… next=b");
    assert_eq!(without_secrets("sshpass -p a ssh -p 22 b"), "sshpass -p … ssh -p 22 b");
    assert_eq!(without_secrets("https://git@host/x"), "https://…@host/x");
    assert_eq!(without_secrets("amqp://u:p/w@host/x y"), "amqp://u:…@host/x y", "a password with a slash");
    assert_eq!(without_secrets("a password='it''s', b=c"), "a password='…''…', b=c");
}

/// It read as if none had been given.
#[test]
fn a_password_of_letters_alone_left_no_trace() {
    for (line, told) in [
        ("mysql -phunter2 shop", "mysql -p… shop"),
        ("mysql -phunter2+x' y' shop", "mysql -p… shop"),
        ("sshpass -phunter2", "sshpass -p…"),
    ] {
        assert_eq!(without_secrets(line), told);
        assert_eq!(without_secrets(told), told);
    }
}

/// The second word of a password in quotes was told.
#[test]
fn a_password_of_two_words_was_told_in_part() {
    for (line, told) in [
        ("sshpass -p'correct horse' ssh db1", "sshpass -p… ssh db1"),
        ("sshpass -p\"correct horse\" ssh db1", "sshpass -p… ssh db1"),
        ("sshpass -p 'correct horse' ssh -p 22 db1", "sshpass -p … ssh -p 22 db1"),
        ("sshpass -p cor'rect horse' ssh db1", "sshpass -p … ssh db1"),
        ("mysql -p'correct horse' shop", "mysql -p… shop"),
        ("mysql -pcor'rect horse'\"s hoe\" shop", "mysql -p… shop"),
        ("mysql -pcorrect\\ horse shop", "mysql -p… shop"),
        ("mysql -p$'correct\\'s horse' shop", "mysql -p… shop"),
        ("sh -c \"mysql -p\\\"correct horse\\\" shop\"", "sh -c \"mysql -p… shop\""),
        ("mysqldump -p'correct horse", "mysqldump -p…"),
        ("mysql -p'correct horse", "mysql -p…"),
        ("curl -u ann:'correct horse' http://shop/", "curl -u ann:… http://shop/"),
        ("curl -u 'ann:correct horse", "curl -u 'ann:…"),
    ] {
        assert_eq!(without_secrets(line), told);
        assert_eq!(without_secrets(told), told);
    }
}

fn secret() -> impl Strategy<Value = String> {
    // No blanks and no quotes, which end a value that is not quoted, and no sign of a query's next field.
    "[A-Za-z0-9+/=!%^*(){}|:;,.?~-]{4,24}".prop_map(|tail| format!("Zq7{tail}Zq7"))
}

proptest! {
    #[test]
    fn no_secret_is_told(secret in secret(), form in 0..FORMS.len(), before in "[ a-z<>0-9:,]{0,12}", after in "( [ -~]{0,12})?") {
        let line = format!("{before} {}{after}", FORMS[form].replace("SECRET", &secret));
        let told = without_secrets(&line);
        prop_assert!(!told.contains("Zq7"), "{line}\n{told}");
        prop_assert_eq!(without_secrets(&told), told, "told again it is the same");
    }

    #[test]
    fn any_text_is_taken(text in "\\PC{0,80}|[ -~\\n]{0,80}|([a-z]{0,4}(password|Bearer|://|@|:|=|\"|'|\\\\|\\n| |-p|mysql)){0,12}") {
        let told = without_secrets(&text);
        prop_assert!(told.len() <= text.len() * 4 + LEFT_OUT.len());
        let again = without_secrets(&told);
        prop_assert_eq!(without_secrets(&again), again);
    }
}

fn told(path: &str) -> String {
    path_without_secrets(path.to_owned())
}

/// Whoever knows the name of a session's file is logged in as its owner.
#[test]
fn names_of_sessions_were_told() {
    for (path, without) in [
        ("/var/lib/php/sessions/sess_k3v0b1n2m4l5k6j7h8g9f0d1s2", "/var/lib/php/sessions/sess_…"),
        ("/tmp/sess_k3v0b1n2m4l5k6j7h8g9f0d1s2", "/tmp/sess_…"),
        ("/srv/writable/session/ci_session8d7f6a5b4c3d2e1f0a9b8c7d", "/srv/writable/session/ci_session…"),
        ("/tmp/sessionidk3v0b1n2m4l5k6j7h8g9f0d1s2", "/tmp/sessionid…"),
        (
            "/srv/storage/framework/sessions/CkL9aB3dE5fG7hI1jK2lM4nO6pQ8rS0tU9vW1xY3",
            "/srv/storage/framework/sessions/…",
        ),
        ("/w/tcp:/c:1?auth=hunter2/sess_k3v0b1n2m4l5k6j7h8g9f0d1s2", "/w/tcp:/c:1?auth=…/sess_…"),
        ("/srv/sessions/k3v0b1n2m4l5k6j7h8g9.json", "/srv/sessions/….json"),
        ("/srv/cache/index.html?api_key=hunter2&page=3", "/srv/cache/index.html?api_key=…&page=3"),
    ] {
        assert_eq!(told(path), without);
        assert_eq!(told(without), without);
    }
}

#[test]
fn other_paths_are_told() {
    for path in [
        "/var/lib/php/sessions",
        "/srv/sess_helper.php",
        "/srv/sessions/SessionHandlerOfTheApplication.php",
        "/srv/cache/4d1f00aa4d1f00aa4d1f00aa.php",
        "/srv/src/Security/PasswordHasher.php",
        "/srv/a=b/c",
        "",
        "/",
    ] {
        assert_eq!(told(path), path);
    }
}

proptest::proptest! {
    #[test]
    fn any_path_is_taken(path in "\\PC{0,60}|(/|sess_|sessions|[a-z0-9]{0,20}|\\.|=|ä){0,12}") {
        let told = path_without_secrets(path);
        let again = path_without_secrets(told.clone());
        proptest::prop_assert_eq!(path_without_secrets(again.clone()), again);
    }
}
