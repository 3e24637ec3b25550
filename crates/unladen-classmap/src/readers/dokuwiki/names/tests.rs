use super::*;

fn of(class: &str) -> Vec<String> {
    let types: Vec<BString> = ["syntax", "action", "cli"].map(BString::from).to_vec();
    files(class.into(), &types).into_iter().map(|file| file.below.to_string()).collect()
}

#[test]
fn names_of_plugins_lead_to_their_files() {
    assert_eq!(of("syntax_plugin_info"), ["info/syntax.php"]);
    assert_eq!(of("action_plugin_authad_change"), ["authad/action/change.php"]);
    assert_eq!(of("dokuwiki\\plugin\\extension\\Local"), ["extension/Local.php"]);
    assert_eq!(of("dokuwiki\\plugin\\x\\test\\A"), ["x/_test/A.php"]);
    assert_eq!(of("dokuwiki\\template\\bare\\Menu"), ["bare/Menu.php"]);
    for other in [
        "dokuwiki\\Input",
        "syntax_plugin_",
        "syntax_plugin_a_b_c",
        "helper_plugin_a",
        "Syntax_plugin_a",
        "syntax_plugin_a_",
        "a_plugin_b",
    ] {
        assert!(of(other).is_empty(), "{other}");
    }
}
