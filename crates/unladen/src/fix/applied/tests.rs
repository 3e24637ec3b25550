use super::*;

/// A fix that was kept lost its lines: another one wrote the same file, and its undoing removed it.
#[test]
fn two_fixes_of_one_file_took_each_other_off() {
    // nginx' has no file of its own: a command writes it.
    let gzip = "url = \"http://h/\"\n[[knob]]\nname = \"compressed\"\non = { command = \"for line in 'gzip on;'; do nginx -T 2>/dev/null \
                || echo \\\"$line\\\"; done >/etc/nginx/conf.d/unladen-gzip.conf && { nginx -t || { rm -f \
                /etc/nginx/conf.d/unladen-gzip.conf; false; }; } && nginx -s reload\" }\n";
    let php = "[[knob]]\nname = \"x\"\non = { file = \"/etc/php/8.2/fpm/conf.d/zz-unladen.ini\", text = \"a=1\" }\n";
    for (text, file) in [(gzip, "/etc/nginx/conf.d/unladen-gzip.conf"), (php, "/etc/php/8.2/fpm/conf.d/zz-unladen.ini")]
    {
        let why = in_the_way("7-2", State::Applied, text, text).unwrap();
        assert!(why.starts_with(&format!("{file} is of the fix 7-2")) && why.contains("unladen fix undo 7-2"), "{why}");
    }
    assert_eq!(in_the_way("7-2", State::Applied, gzip, php), None);
    // One that is being proved restarts services.
    assert!(in_the_way("7-2", State::PutBack, gzip, php).unwrap().contains("being proved"));
}
