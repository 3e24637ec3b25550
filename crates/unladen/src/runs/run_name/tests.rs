use super::*;

#[test]
fn runs_are_called_by_number_label_or_revision() {
    assert_eq!("12".parse(), Ok(RunName::Id(RunId::new(12).unwrap())));
    assert_eq!("latest".parse(), Ok(RunName::Latest));
    assert_eq!("release=1.43".parse(), Ok(RunName::Label("release".into(), "1.43".into())));
    assert_eq!("commit:4F2a".parse(), Ok(RunName::Commit("4f2a".into())));
    for wrong in ["", "0", "-1", "newest", "commit:", "commit:xyz1", "=1", "12x"] {
        assert!(wrong.parse::<RunName>().is_err(), "{wrong}");
    }
    for name in ["12", "latest", "release=1.43", "commit:4f2a"] {
        assert_eq!(name.parse::<RunName>().unwrap().to_string(), name);
    }
}
