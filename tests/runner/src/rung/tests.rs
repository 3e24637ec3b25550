use super::*;

fn program(package: &str, name: &str, kind: Kind) -> Program {
    Program {
        package: package.to_owned(),
        name: name.to_owned(),
        title: String::new(),
        executable: "/t".into(),
        folder: "/".into(),
        kind,
        is_long: false,
        waits: false,
        unladen: "/u".into(),
    }
}

#[test]
fn each_program_is_on_one_rung_and_without_words_all_run() {
    let programs = [
        program("unladen-tests", "serve_h2", Kind::Independent),
        program("unladen-tests", "profile", Kind::Measures),
        program("unladen-serve", "unladen_serve", Kind::Independent),
    ];
    let run = |words: &[&str]| {
        let rung = Rung::of(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        programs.iter().map(|program| rung.has(program)).collect::<Vec<_>>()
    };
    assert_eq!(run(&[]), [true, true, true]);
    assert_eq!(run(&["serve"]), [true, false, false]);
    assert_eq!(run(&["measure"]), [false, true, false]);
    assert_eq!(run(&["rest"]), [false, false, true]);
    assert_eq!(run(&["profile", "rest"]), [false, true, true]);
    assert_eq!(Rung::of(&["nothing".to_owned()]).missing(&programs), Some("nothing"));
}
