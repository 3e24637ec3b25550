use super::*;

/// A fix that was kept lost its lines: another one wrote the same file, and its undoing removed it.
#[test]
fn two_fixes_of_one_file_took_each_other_off() {
    let nginx = "[[knob]]\nname = \"gzip\"\non = { run = \"printf 'gzip on;' > /etc/nginx/conf.d/unladen.conf\" }\n";
    let of = |state, file| in_the_way("7-2", state, nginx, &[file]);
    let why = of(State::Applied, "/etc/nginx/conf.d/unladen.conf").unwrap();
    assert!(why.contains("unladen.conf is of the fix 7-2") && why.contains("unladen fix undo 7-2"), "{why}");
    assert_eq!(of(State::Applied, "/etc/php/8.2/fpm/conf.d/zz-unladen.ini"), None);
    // One that is being proved restarts services.
    assert!(of(State::PutBack, "/etc/php/8.2/fpm/conf.d/zz-unladen.ini").unwrap().contains("being proved"));
}
