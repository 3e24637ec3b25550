use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::saver::Saver;

fn variables(list: &[(&str, &str)]) -> BTreeMap<String, String> {
    list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn values_are_quoted_as_systemd_reads_them() {
    let text = drop_in_text(&variables(&[
        ("A", "plain"),
        ("B", "two words"),
        ("C", r#"say "hi" \o/"#),
        ("D", "100% $HOME ${X}"),
        ("E", "a\nb\tc\u{1}"),
        ("F", ""),
        ("G", "pâté # ; '"),
    ]));
    insta::assert_snapshot!(text, @r#"
    # Made by unladen prove, for the duration of an experiment.
    [Service]
    Environment="A=plain"
    Environment="B=two words"
    Environment="C=say \"hi\" \\o/"
    Environment="D=100%% $HOME ${X}"
    Environment="E=a\nb\tc\x01"
    Environment="F="
    Environment="G=pâté # ; '"
    "#);
}

/// With a `systemctl` that writes down what it is told.
#[test]
fn the_drop_in_comes_and_goes_with_the_variables() {
    let folder = tempfile::tempdir().unwrap();
    let (units, systemctl, told) =
        (folder.path().join("units"), folder.path().join("systemctl"), folder.path().join("told"));
    fs::write(&systemctl, format!("#!/bin/sh\necho \"$@\" >> {}\n[ \"$2\" != reset-failed ]\n", told.display()))
        .unwrap();
    fs::set_permissions(&systemctl, fs::Permissions::from_mode(0o755)).unwrap();
    let (shell, journal, cancel) = (Shell::new(folder.path()), folder.path(), Cancel::new());
    let systemd = Systemd { units: units.clone(), systemctl };

    let path = systemd.drop_in("app@1.service");
    let original = Original::save(&path, false, &mut Saver::new(journal)).unwrap();
    let restart = |list: &[(&str, &str)]| {
        systemd.set_variables(&variables(list), (&original, journal), &shell, &cancel).unwrap();
        systemd.restart("app@1.service", &shell, &cancel).unwrap();
    };
    restart(&[("MODE", "fast")]);
    assert_eq!(path, units.join("app@1.service.d/99-unladen.conf"));
    assert!(fs::read_to_string(&path).unwrap().ends_with("Environment=\"MODE=fast\"\n"));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o644, "as systemd reads units");
    restart(&[]);
    assert!(!units.exists(), "nor are the folders left that were made for it");
    let told = fs::read_to_string(told).unwrap();
    let once = "--no-ask-password daemon-reload\n--no-ask-password reset-failed app@1.service\n\
                --no-ask-password restart app@1.service\n";
    assert_eq!(told, once.repeat(2));
}
