//! Names from outside.

use super::super::name::{clean, escaped, fit};
use super::*;
use proptest::prelude::*;

#[test]
fn hostile_names_stay_names() {
    let hostile = "</title></script>]]><script>alert(1)</script>\"'&\0\u{1b}[31m\u{202e}\u{ffff}\n";
    let mut profile = Profile::new(About { title: hostile.into(), profiler: hostile.into(), ..About::default() });
    let frame = profile.frames.intern(Frame { name: hostile, file: hostile, line: 1, kind: FrameKind::Function });
    let stack = profile.stacks.intern([frame]);
    let request = profile.begin_request();
    profile.add(request, stack, 1);
    let svg = svg(&profile, &FlameStyle::of(&profile));
    assert_eq!(svg.matches("<script").count(), 2, "the data and the script");
    assert_eq!(svg.matches("</title>").count(), 2, "one a box");
    // That of the style sheet and that of the script.
    assert_eq!(svg.matches("]]>").count(), 2);
    assert!(svg.chars().all(|c| c == '\n' || !c.is_control() && c != '\u{ffff}' && c != '\u{202e}'));
    let (_, data) = svg.split_once("class=\"data\">").unwrap();
    let data: serde_json::Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    assert_eq!(data["frames"][1][0].as_str().unwrap(), clean(hostile));
}

#[test]
fn a_name_is_cut_where_it_tells_least() {
    assert_eq!(fit("main", 4).unwrap(), "main");
    assert_eq!(fit("MediaWiki\\Parser\\Parser::parse", 15).unwrap(), "…Parser::parse");
    assert_eq!(fit("MediaWiki\\Parser\\Parser::parse", 7).unwrap(), "…parse");
    assert_eq!(fit("MediaWiki\\Parser\\Parser::parse", 4).unwrap(), "par…");
    assert_eq!(fit("/srv/wiki/includes/AutoLoader.php", 16).unwrap(), "…AutoLoader.php");
    assert_eq!(fit("get_lists_of_all", 8).unwrap(), "get_lis…");
    assert_eq!(fit("名前名前", 5).unwrap(), "名前…");
    assert_eq!(fit("main", 2), None);
    assert_eq!(fit("main::", 4).unwrap(), "mai…");
    assert_eq!(escaped("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
}

proptest! {
    #[test]
    fn no_name_is_wider_than_its_room(name in "\\PC{0,60}", columns in 0_usize..40) {
        let fitted = fit(&name, columns).unwrap_or_default();
        prop_assert!(super::super::name::width(&fitted) <= columns);
    }
}
