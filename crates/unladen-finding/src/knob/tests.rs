use std::fs;
use std::process::{Command, Stdio};

use proptest::prelude::*;

use super::*;

fn succeeds(command: &str) -> bool {
    Command::new("/bin/sh").args(["-c", command]).stderr(Stdio::null()).status().unwrap().success()
}

fn run(command: &str) {
    assert!(succeeds(command), "{command}");
}

#[test]
fn one_line_is_changed_and_changed_back() {
    let change = |line: &str, value: &str| with_value(line, value).unwrap();
    assert_eq!(change("php_admin_flag[opcache.enable] = off", "1"), "php_admin_flag[opcache.enable] = on");
    assert_eq!(change("  php_value[a.b]=\"x;y\" ; why", "0"), "  php_value[a.b]=0 ; why");
    assert_eq!(change("php_flag[zend.assertions] = on", "-1"), "php_value[zend.assertions] = -1");
    assert_eq!(change("memory_limit = 33M; why", "1"), "memory_limit = 1; why");
    assert_eq!(change("opcache.enable=", "1"), "opcache.enable=1");
    assert_eq!(with_value("[www]", "1"), None);
    let made = InPlace::of_setting("/etc/php/8.2/fpm/pool.d/www.conf", 9, "php_admin_flag[opcache.enable] = off", "1");
    let made = made.unwrap();
    assert_eq!(
        made.there,
        r"sed -i '9s/^php_admin_flag\[opcache\.enable] = off[[:space:]]*$/php_admin_flag[opcache.enable] = on/' /etc/php/8.2/fpm/pool.d/www.conf"
    );
    assert_eq!(
        made.back,
        r"sed -i '9s/^php_admin_flag\[opcache\.enable] = on[[:space:]]*$/php_admin_flag[opcache.enable] = off/' /etc/php/8.2/fpm/pool.d/www.conf"
    );
}

#[test]
fn what_is_not_known_for_certain_is_not_written() {
    let of = |file, number, line| InPlace::of_setting(file, number, line, "1");
    assert_eq!(of("", 1, "a=0"), None);
    assert_eq!(of("/etc/a", 0, "a=0"), None);
    assert_eq!(of("/etc/a", 1, ""), None);
    assert_eq!(of("/etc/a", 1, "a=0\n1e id"), None);
    assert_eq!(of("/etc/a\n", 1, "a=0"), None);
    assert_eq!(of("/etc/a", 1, "a=1"), None, "it is so already");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever a file says and is called, that line alone is changed, and no command of it is run.
    #[test]
    fn a_hostile_line_is_a_line(
        line in "(  )?[a-z\\]\\[.*^$/\\\\&|'\"`({}]{1,12} {0,3}= ?[a-z0-9.*&/\\\\'`$(|]{0,12}",
        name in "[a-z '\"$`;&\\\\]{1,12}",
        value in "[a-z0-9/&\\\\]{1,6}",
    ) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        let text = |line: &str| format!("{line}\nsecond\n{line}\nlast");
        fs::write(&file, text(&line)).unwrap();
        if let Some(change) = InPlace::of_setting(file.to_str().unwrap(), 3, line.trim_end(), &value) {
            run(&change.there);
            run(&change.is_there);
            let changed = with_value(line.trim_end(), &value).unwrap();
            prop_assert_eq!(fs::read_to_string(&file).unwrap(), format!("{line}\nsecond\n{changed}\nlast"));
            run(&change.back);
            prop_assert_eq!(fs::read_to_string(&file).unwrap(), format!("{line}\nsecond\n{}\nlast", line.trim_end()));
        }
    }
}

/// The proof of a line that had moved measured for two minutes what nothing had changed.
#[test]
fn a_line_that_has_changed_since_stays_and_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a pool's.conf");
    fs::write(&file, "[a]\n\tphp_flag[x]\t= off \t\nphp_flag[x] = off\n").unwrap();
    let of = |line| InPlace::of_setting(file.to_str().unwrap(), 2, line, "1").unwrap();
    run(&of("  php_flag[y]  = off").there);
    assert!(!succeeds(&of("  php_flag[y]  = off").is_there));
    assert!(fs::read_to_string(&file).unwrap().contains("\tphp_flag[x]\t= off"));
    // Its tabs are told as two blanks.
    run(&of("  php_flag[x]  = off").there);
    assert_eq!(fs::read_to_string(&file).unwrap(), "[a]\n  php_flag[x]  = on\nphp_flag[x] = off\n");
}

/// The way there is `env` here.
#[test]
fn a_knob_of_another_host_writes_its_own_file_alone_and_takes_it_off() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a shop's.ini");
    let lines = ["a=\"$(touch no)\"".to_owned(), "b='c'".into()];
    let knob = Knob::of_file("x", file.to_str().unwrap(), &lines, None).on_host("web-1").unwrap();
    let (on, off) = knob.commands.unwrap();
    let run = |command: &str| {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", command]).env("HOST_WEB_1", "env A=b").current_dir(&folder).stderr(Stdio::null());
        shell.status().unwrap().success()
    };
    for _ in 0..2 {
        assert!(run(&off) && !file.exists());
        assert!(run(&on) && run(&on), "{on}");
        assert_eq!(fs::read_to_string(&file).unwrap(), format!("{}\n", lines.join("\n")));
        assert!(run(&off));
    }
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    fs::write(&file, "mine\n").unwrap();
    assert!(!run(&on) && run(&off));
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine\n");
}
