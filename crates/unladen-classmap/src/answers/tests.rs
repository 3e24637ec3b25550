use super::*;

#[test]
fn what_was_answered_is_read_again_wherever_the_application_lies() {
    let answers = |root: &str| Answers {
        loaders: vec![Asked { name: "a \"closure\"".into(), place: Some("/a'b:3".into()), front: true }],
        classes: [("A\\B".into(), format!("{root}/lib/a\nb.php").into()), ("C".into(), "/usr/share/php/C.php".into())]
            .into(),
        left_out: [("D".into(), "why?>".into())].into(),
    };
    let text = answers("/srv/app").text(Path::new("/srv/app"));
    assert_eq!(Answers::of(text.as_bytes(), Path::new("/srv/new")), Some(answers("/srv/new")));
    for broken in ["", "<?php", "<?php exit; __halt_compiler();\n{}", &text.replace("answers/1", "answers/2")] {
        assert_eq!(Answers::of(broken.as_bytes(), Path::new("/srv")), None, "{broken}");
    }
}
