use std::fs;

use super::*;
use crate::{Map, Tree};

/// As `inc/load.php` is written, as far as it decides.
const LOAD: &str = r#"<?php
spl_autoload_register('load_autoload');
function load_autoload($name){
    static $classes = null;
    if($classes === null) $classes = array(
        'Diff'  => DOKU_INC.'inc/DifferenceEngine.php',
        'Pie' => '/nowhere/pie.inc',
    );
    if(isset($classes[$name])) { require ($classes[$name]); return true; }
    $name = str_replace('\\', '/', $name);
    if(substr($name, 0, 16) === 'dokuwiki/plugin/') {
        $name = str_replace('/test/', '/_test/', $name);
        $file = DOKU_PLUGIN . substr($name, 16) . '.php';
    }
    if(substr($name, 0, 18) === 'dokuwiki/template/') {
        $file = DOKU_INC.'lib/tpl/' . substr($name, 18) . '.php';
    }
    if(substr($name, 0, 9) === 'dokuwiki/') {
        $file = DOKU_INC . 'inc/' . substr($name, 9) . '.php';
    }
    if(preg_match('/^(' . implode('|', PluginController::PLUGIN_TYPES) . ')_plugin_(' . DOKU_PLUGIN_NAME_REGEX . ')(?:_([^_]+))?$/', $name, $m)) {
        $plg = DOKU_PLUGIN . "{$m[2]}/{$m[1]}$c.php";
    }
}
"#;

fn write(root: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn wiki() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        &[
            ("doku.php", "<?php"),
            ("inc/init.php", "<?php"),
            ("inc/load.php", LOAD),
            (
                "inc/Extension/PluginController.php",
                "<?php namespace dokuwiki\\Extension; class PluginController { const PLUGIN_TYPES = ['syntax', 'action']; }",
            ),
            ("inc/DifferenceEngine.php", "<?php class Diff {} class Other {}"),
            ("inc/Input/Input.php", "<?php namespace dokuwiki\\Input; class Input {}"),
            ("inc/plugin/shop/Till.php", "<?php namespace dokuwiki\\plugin\\shop; class Till {}"),
            ("lib/plugins/info/syntax.php", "<?php class syntax_plugin_info {}"),
            ("lib/plugins/info/action/run.php", "<?php class action_plugin_info_run {}"),
            ("lib/plugins/shop/Shop.php", "<?php namespace dokuwiki\\plugin\\shop; class Shop {}"),
            ("lib/plugins/shop/Till.php", "<?php namespace dokuwiki\\plugin\\shop; class Till {}"),
            ("lib/plugins/shop/test/Not.php", "<?php namespace dokuwiki\\plugin\\shop\\test; class Not {}"),
            ("lib/tpl/bare/Menu.php", "<?php namespace dokuwiki\\template\\bare; class Menu {}"),
        ],
    );
    folder
}

fn entries(root: &Path, extensions: Extensions) -> Vec<String> {
    let application = DokuWiki.read(root, &Options { extensions, ..Options::default() }).unwrap();
    let root = root.canonicalize().unwrap();
    let map = Map::of(&application, &Tree::read(&application));
    let below = |path: &BString| path.to_string().replace(&format!("{}/", root.display()), "");
    map.entries.iter().map(|entry| format!("{} {}", entry.class, below(&entry.path))).collect()
}

const CORE: [&str; 3] = [
    "Diff inc/DifferenceEngine.php",
    "dokuwiki\\Extension\\PluginController inc/Extension/PluginController.php",
    "dokuwiki\\Input\\Input inc/Input/Input.php",
];

#[test]
fn its_list_and_its_namespace_are_in_the_map_and_plugins_are_not() {
    let folder = wiki();
    assert!(DokuWiki.knows(folder.path()));
    assert_eq!(entries(folder.path(), Extensions::Enabled), CORE);
}

#[test]
fn plugins_that_all_load_are_found_as_dokuwiki_finds_them() {
    let folder = wiki();
    let mut expected: Vec<String> = CORE.map(str::to_owned).to_vec();
    expected.extend(
        [
            "action_plugin_info_run lib/plugins/info/action/run.php",
            "dokuwiki\\plugin\\shop\\Shop lib/plugins/shop/Shop.php",
            "dokuwiki\\plugin\\shop\\Till lib/plugins/shop/Till.php",
            "dokuwiki\\template\\bare\\Menu lib/tpl/bare/Menu.php",
            "syntax_plugin_info lib/plugins/info/syntax.php",
        ]
        .map(str::to_owned),
    );
    expected.sort();
    assert_eq!(entries(folder.path(), Extensions::All), expected);
}

#[test]
fn another_folder_of_plugins_is_followed_and_an_unknown_one_told() {
    let folder = wiki();
    write(folder.path(), &[("elsewhere/info/syntax.php", "<?php class syntax_plugin_info {}")]);
    write(
        folder.path(),
        &[("inc/preload.php", "<?php if(!defined('DOKU_PLUGIN')) define('DOKU_PLUGIN', DOKU_INC.'elsewhere/');")],
    );
    let found = entries(folder.path(), Extensions::All);
    assert!(found.contains(&"syntax_plugin_info elsewhere/info/syntax.php".to_owned()), "{found:?}");
    write(folder.path(), &[("inc/preload.php", "<?php define('DOKU_PLUGIN', $_SERVER['X']);")]);
    let application = DokuWiki.read(folder.path(), &Options::default()).unwrap();
    assert!(application.problems.iter().any(|problem| problem.hides && problem.what.contains("DOKU_PLUGIN")));
}

#[test]
fn a_loader_that_does_otherwise_is_left_alone() {
    let folder = wiki();
    write(folder.path(), &[("inc/load.php", &LOAD.replace("substr($name, 16)", "other($name, 16)"))]);
    assert_eq!(entries(folder.path(), Extensions::All), ["Diff inc/DifferenceEngine.php"]);
    write(folder.path(), &[("inc/load.php", "<?php")]);
    let problem = DokuWiki.read(folder.path(), &Options::default()).unwrap_err();
    assert!(problem.to_string().contains("expected a list of classes in `$classes`"), "{problem}");
}

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
