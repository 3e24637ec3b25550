use super::*;

/// In a container together with the server, nothing told how many blocks it takes.
#[test]
fn a_container_does_not_hide_that_blocks_were_too_few() {
    let too_few = || Some(Warning::TooFewBlocks { blocks: 4, needed: 9, looked_at: 30 });
    let told = |hidden, too_few| -> Vec<&str> {
        let name = |warning: &Warning| match warning {
            Warning::Hidden { .. } => "hidden",
            Warning::TooFewBlocks { .. } => "too few",
            Warning::NothingFollows => "nothing",
            _ => "other",
        };
        nothing_follows(hidden, too_few).iter().map(name).collect()
    };
    assert_eq!(told(Some(Hidden::Outside), too_few()), ["hidden", "too few"]);
    assert_eq!(told(Some(Hidden::Outside), None), ["hidden"]);
    assert_eq!(told(Some(Hidden::OtherUsers), too_few()), ["hidden"]);
    assert_eq!(told(None, too_few()), ["too few"]);
    assert_eq!(told(None, None), ["nothing"]);
}

fn said(of: Silence) -> Vec<&'static str> {
    let name = |warning: &Warning| match warning {
        Warning::Hidden { .. } => "hidden",
        Warning::TooFewBlocks { .. } => "too few",
        Warning::NothingFollows => "nothing",
        Warning::NothingFollowsAt { .. } => "nothing there",
        Warning::NotTold { .. } => "not told",
        _ => "other",
    };
    silence(of).iter().map(name).collect()
}

/// Above a table of an exporter's series that do follow, nothing was said to follow.
#[test]
fn nothing_is_not_said_to_follow_where_an_exporters_series_do() {
    let exporters = || vec!["db".to_owned()];
    let far = Silence { exporters: exporters(), is_remote: true, ..Silence::default() };
    assert_eq!(said(Silence { does_any_follow: true, ..far.clone() }), [""; 0]);
    assert_eq!(said(far), ["nothing there"]);
}

/// An exporter took the place of all that is said of this machine.
#[test]
fn an_exporter_does_not_hide_what_is_known_of_this_machine() {
    let here = Silence { exporters: vec!["db".to_owned()], ..Silence::default() };
    assert_eq!(said(Silence { hidden: Some(Hidden::Outside), ..here.clone() }), ["hidden"]);
    assert_eq!(said(Silence { untold: vec!["web".to_owned()], ..here.clone() }), ["not told"]);
    let too_few = || Some(Warning::TooFewBlocks { blocks: 4, needed: 9, looked_at: 30 });
    assert_eq!(said(Silence { too_few: too_few(), ..here }), ["too few"]);
    let hosts = vec!["web".to_owned()];
    assert_eq!(said(Silence { too_few: too_few(), hosts, is_remote: true, ..Silence::default() }), ["too few"]);
}

/// An empty table, and the advice to measure longer.
#[test]
fn what_cannot_be_seen_is_told() {
    assert!(told(true, Some(Path::new(FIRST))).unwrap().why().contains("hidepid"));
    assert!(told(false, Some(Path::new("pid:[4026532281]"))).unwrap().why().contains("--pid=host"));
    assert_eq!(told(false, Some(Path::new(FIRST))), None);
    assert_eq!(told(false, None), None);
}
