use unladen_trace::Variant;

use super::*;
use crate::rules::answers::tests::pages::{self, asked, made};
use crate::rules::tests::testing;

fn plain() -> Variant {
    asked(Ask::Compressed, Some(true), &[])
}

fn typed(kind: &str) -> Evidence {
    let mut evidence = made(&[], vec![plain()]);
    evidence.response.as_mut().unwrap().headers[1].1 = kind.into();
    evidence
}

#[test]
fn plain_text_is_found() {
    let found = testing::only(&RULE, &made(&[], vec![plain()]));
    assert_eq!(found.summary, "14,230 bytes of text/html, sent uncompressed although the request accepts gzip");
    assert!(matches!(&found.takes, Share::NotKnown(_)));
    let [write, reload] = found.fix.commands.as_slice() else { panic!("{:?}", found.fix) };
    assert!(write.starts_with("for line in 'gzip on;' 'gzip_types text/css text/plain"), "{write}");
    assert!(write.contains("'gzip_min_length 1400;' 'gzip_vary on;' 'gzip_proxied any;'; do nginx -T"), "{write}");
    assert!(write.ends_with(">/etc/nginx/conf.d/unladen-gzip.conf"), "{write}");
    // What nginx refuses is not left for its next start.
    let refused = "{ nginx -t || { rm -f /etc/nginx/conf.d/unladen-gzip.conf; false; }; }";
    assert_eq!(reload, &format!("{refused} && nginx -s reload"));
    // Bytes tell: who asks for it compressed gets fewer.
    assert!(found.check_again.contains("headers = [\"Accept-Encoding: gzip\"]"), "{}", found.check_again);
    assert!(
        found.check_again.contains("rm -f /etc/nginx/conf.d/unladen-gzip.conf && nginx -t"),
        "{}",
        found.check_again
    );
}

#[test]
fn apache_has_lines_of_its_own() {
    let mut apache = made(&[], vec![plain()]);
    apache.response.as_mut().unwrap().headers[0].1 = "Apache".into();
    let found = testing::only(&RULE, &apache);
    assert!(found.fix.lines[0].starts_with("AddOutputFilterByType DEFLATE text/html text/css"));
    assert_eq!(found.fix.commands[0], "a2enmod filter deflate");
    assert!(
        found
            .check_again
            .contains("{ makes = \"/etc/apache2/mods-enabled/deflate.load\", by = \"a2enmod filter deflate\""),
        "{}",
        found.check_again
    );
}

/// With mod_php and without an opcode cache, the lines were for the package's Apache, which a reload then started.
#[test]
fn an_apache_with_settings_elsewhere_was_taken_for_the_packages() {
    let mut evidence = made(&[], vec![plain()]);
    evidence.response.as_mut().unwrap().headers[0].1 = "Apache".into();
    let group = &mut evidence.groups[testing::PHP];
    group.exe = Some("/usr/sbin/apache2".into());
    group.server = Some(unladen_trace::ServerSeen {
        pid: 77,
        exe: "/usr/sbin/apache2".into(),
        config: Some("/srv/etc/apache.conf".into()),
        read: Some("/srv/etc/apache.conf".into()),
        needs_signal: true,
        ..unladen_trace::ServerSeen::default()
    });
    let fix = testing::only(&RULE, &evidence).fix;
    assert_eq!(fix.file.as_deref(), Some("/srv/etc/unladen-deflate.conf"));
    assert!(
        fix.lines.contains(&"LoadModule deflate_module /usr/lib/apache2/modules/mod_deflate.so".to_owned()),
        "{fix:?}"
    );
    assert!(
        fix.commands.iter().all(|command| !command.contains("a2enmod") && !command.contains("graceful")),
        "{fix:?}"
    );
}

#[test]
fn kinds_of_text() {
    for kind in ["TEXT/css", "application/json;charset=x", "image/svg+xml", "application/ld+json", "text/javascript"] {
        testing::only(&RULE, &typed(kind));
    }
    for kind in ["image/png", "application/octet-stream", "application/zip", "text/event-stream", "font/woff2"] {
        testing::silent(&RULE, &typed(kind));
    }
}

#[test]
fn what_is_packed_or_small_is_silent() {
    let with = |variant| made(&[], vec![variant]);
    testing::silent(&RULE, &made(&[], Vec::new()));
    testing::only(&RULE, &with(Variant { body_bytes: 1_400, ..plain() }));
    testing::silent(&RULE, &with(Variant { body_bytes: 1_399, ..plain() }));
    testing::silent(&RULE, &with(Variant { status: 406, ..plain() }));
    for coding in ["gzip", "br"] {
        testing::silent(&RULE, &with(asked(Ask::Compressed, None, &[("content-encoding", coding)])));
    }
    testing::silent(&RULE, &made(&[("cache-control", "no-transform")], vec![plain()]));
    pages::lean_is_silent(&RULE);
    pages::only_pages(&RULE, &made(&[], vec![plain()]));
}
