use super::*;

#[test]
fn an_environment_is_taken_as_it_is() {
    let taken = variables(b"A=1\0B=\0=x\0no\0C=a=b\xff\0");
    let expected = [(&b"A"[..], &b"1"[..]), (b"B", b""), (b"C", b"a=b\xff")];
    let expected: Vec<(OsString, OsString)> = expected
        .iter()
        .map(|(name, value)| (OsString::from_vec(name.to_vec()), OsString::from_vec(value.to_vec())))
        .collect();
    assert_eq!(taken, expected);
}

#[test]
fn a_program_that_was_upgraded_is_the_one_of_now() {
    assert_eq!(without_deleted(Path::new("/usr/bin/perl (deleted)")), Path::new("/usr/bin/perl"));
    assert_eq!(without_deleted(Path::new("/usr/bin/perl")), Path::new("/usr/bin/perl"));
}

/// setpriv ran as root with the environment of the program: a library that a user preloads ran as root, too.
#[test]
fn a_library_that_a_user_preloads_ran_as_root() {
    let pair = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
    let other = geteuid().as_raw() + 1;
    let program = Program {
        exe: "/usr/bin/perl".into(),
        arguments: vec!["a.pl".into()],
        environment: vec![pair("LD_PRELOAD", "/home/a/p.so"), pair("PATH", "/home/a"), pair("SECRET", "x")],
        folder: "/".into(),
        user: other,
        group: other,
        groups: Vec::new(),
    };
    let command = program.command(&Besides { environment: vec![pair("LOCPATH", "/l")], ..Besides::default() });
    let names: Vec<_> = command.get_envs().filter_map(|(name, value)| value.map(|_| name)).collect();
    assert_eq!(names, ["SECRET"]);
    let words: Vec<_> = command.get_args().map(|word| word.to_str().unwrap()).collect();
    let after = words.iter().position(|word| *word == "--").unwrap() + 1;
    let env = ["/usr/bin/env", "LD_PRELOAD=/home/a/p.so", "PATH=/home/a", "LOCPATH=/l", "/usr/bin/perl", "a.pl"];
    assert_eq!(words[after..], env);
    assert!(command.get_program().to_str().unwrap().starts_with('/') && words[0].starts_with('/'));
    let ours = Program { user: geteuid().as_raw(), group: getegid().as_raw(), ..program };
    let names: Vec<_> = ours.command(&Besides::default()).get_envs().map(|(name, _)| name.to_owned()).collect();
    assert_eq!(names, ["LD_PRELOAD", "PATH", "SECRET"]);
}

#[test]
fn a_password_of_a_command_line_was_printed() {
    let program = Program {
        exe: "/usr/bin/perl".into(),
        arguments: ["app.pl", "--db-password", "hunter1", "--dsn=mysql://u:hunter2@h/d"].map(OsString::from).into(),
        environment: Vec::new(),
        folder: "/".into(),
        user: 0,
        group: 0,
        groups: Vec::new(),
    };
    assert!(
        program.name().starts_with("/usr/bin/perl app.pl") && !program.name().contains("hunter"),
        "{}",
        program.name()
    );
}
