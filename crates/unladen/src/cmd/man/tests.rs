use clap::CommandFactory;

use super::*;
use crate::cmd::Cli;

fn all() -> Vec<Page> {
    pages(Cli::command())
}

fn text(file: &str) -> String {
    let pages = all();
    let page = pages.iter().find(|page| page.file == file).unwrap_or_else(|| panic!("{file} is no page"));
    String::from_utf8(page.text.clone()).unwrap()
}

/// They were filled to one paragraph, and could not be copied.
#[test]
fn examples_stay_in_their_lines() {
    let page = text("unladen-load.1");
    let (_, examples) = page.split_once(".SH \"EXAMPLES\"\n.nf\n").expect("a block of examples");
    let (examples, _) = examples.split_once(".fi").unwrap();
    assert!(examples.lines().all(|line| line.contains("unladen load")), "{examples}");
}

/// Of a configuration only the first table stayed as it was typed.
#[test]
fn a_configuration_stays_in_its_lines() {
    let page = text("unladen-serve.1");
    let (_, block) = page.split_once(".SH \"A CONFIGURATION\"\n.nf\n").expect("a configuration");
    let (block, after) = block.split_once(".fi\n").unwrap();
    for table in ["  [[site]]", "  [[outbound]]", "  [admin]"] {
        assert!(block.contains(table), "{table} is not in\n{block}");
    }
    assert!(after.starts_with(".PP\ndocs/reference/serve.md"), "{after}");
    assert_eq!(page.matches(".nf\n").count(), page.matches(".fi\n").count());
}

#[test]
fn the_footer_names_the_program() {
    for page in all() {
        let text = String::from_utf8(page.text).unwrap();
        let version = concat!("\"unladen ", env!("CARGO_PKG_VERSION"), "\"");
        let heading = text.lines().find(|line| line.starts_with(".TH")).unwrap_or_default();
        assert!(heading.contains(version), "{}: {heading}", page.file);
    }
}

#[test]
fn each_page_has_its_exit_codes_and_relatives() {
    for page in all().into_iter().filter(|page| page.file != SETTINGS) {
        let text = String::from_utf8(page.text).unwrap();
        let file = page.file;
        assert!(text.contains(".SH \"EXIT STATUS\"") && text.contains(".SH \"SEE ALSO\""), "{file}");
    }
    assert!(text("unladen-profile-diff.1").contains("\\fBunladen\\-profile\\fR(1)"));
    assert!(text("unladen.1").contains("\\fBunladen\\-serve\\fR(1)"));
}

#[test]
fn the_page_of_settings_has_each_key_with_its_default() {
    let page = text(SETTINGS);
    for (heading, keys) in unladen_serve_config::reference() {
        let (_, below) = page.split_once(&format!(".SH \"{}\"\n", roff(&heading))).expect(&heading);
        let (table, _) = below.split_once(".SH ").unwrap();
        for key in keys {
            let (_, entry) = table.split_once(&format!(".TP\n\\fB{}\\fR", key.name)).expect(key.name);
            let default = key.default.map_or("Required.".to_owned(), |default| format!("Default: {}", roff(default)));
            assert!(entry.contains(&default) || key.default.is_none(), "{key:?}: {entry}");
        }
    }
    assert!(page.contains("Required."));
}
