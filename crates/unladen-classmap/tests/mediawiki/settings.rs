//! What LocalSettings.php loads.

use std::path::Path;

use tempfile::TempDir;
use unladen_classmap::{Problem, Project};

use crate::compare::{Loaded, read};
use crate::fixture::Fixture;

/// A MediaWiki with four extensions and this LocalSettings.php.
fn wiki(settings: &str) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    Fixture::at(root.path())
        .mediawiki()
        .extension("Cite")
        .extension("Gadgets")
        .extension("Math")
        .extension("Poem")
        .php("LocalSettings.php", settings);
    root
}

fn read_enabled(root: &Path) -> Project {
    read(root, Loaded::Settings(&root.join("LocalSettings.php")))
}

/// The extensions whose class is in the map.
fn enabled(project: &Project) -> Vec<String> {
    let own = ["Title", "MediaWiki\\Block\\Block", "Wikimedia\\Xml"];
    let classes = project.map.entries.iter().map(|entry| entry.class.to_string());
    let others = classes.filter(|class| !own.contains(&class.as_str()));
    others.map(|class| class.split('\\').next().unwrap().to_owned()).collect()
}

fn told<'a>(project: &'a Project, what: &str) -> &'a Problem {
    let problems = &project.application.problems;
    problems.iter().find(|problem| problem.what.contains(what)).unwrap_or_else(|| panic!("{what}: {problems:#?}"))
}

#[test]
fn calls_with_constants_are_followed() {
    for settings in [
        "wfLoadExtension( 'Cite' );\nwfLoadExtension('Math');",
        "wfLoadExtensions( [ 'Math', \"Cite\", ] );",
        "wfLoadExtensions( array( 'Cite' ) ); wfLoadExtension( 'Math', \"$IP/extensions/Math/extension.json\" );",
        "wfLoadExtension( 'x', \"{$wgBaseDirectory}/extensions//Math/extension.json\" ); WFLOADEXTENSION( 'Cite', null );",
        "wfLoadExtension( 'x', MW_INSTALL_PATH . '/extensions/Math/extension.json' ); $x = 'Cite'; wfLoadExtension( $x );",
        "ExtensionRegistry::getInstance()->queue( \"$IP/extensions/Math/extension.json\" ); \\wfLoadExtension( 'Cite' );",
        "if ( !defined( 'MEDIAWIKI' ) ) {\n\texit;\n}\nwfLoadExtension( 'Cite' ); # wfLoadExtension( 'Poem' );\nwfLoadExtension( 'Math' );",
        "wfLoadExtension( 'Cite' ); wfLoadExtension( 'Math' ); return; wfLoadExtension( 'Poem' );",
    ] {
        let root = wiki(settings);
        let project = read_enabled(root.path());
        assert_eq!(enabled(&project), ["Cite", "Math"], "{settings}");
        assert_eq!(project.map.problems, [], "{settings}");
    }
}

#[test]
fn included_files_are_followed() {
    let elsewhere = tempfile::tempdir().unwrap();
    let etc = elsewhere.path().canonicalize().unwrap();
    let root = wiki("wfLoadExtension( 'Poem' );");
    std::fs::rename(root.path().join("LocalSettings.php"), etc.join("Poem.php")).unwrap();
    let settings = format!(
        "require_once \"$IP/more.php\";\nrequire_once __DIR__ . '/more.php';\ninclude '{}/Poem.php';\nrequire \"$IP/includes/Title.php\";\n\
         @include( '{}/unladen-classmap.php' ); include '{}/map.php';",
        etc.display(),
        etc.display(),
        etc.display()
    );
    Fixture::at(&etc)
        .php("LocalSettings.php", &settings)
        .php("more.php", "include __DIR__ . '/LocalSettings.php'; wfLoadExtension( 'Math' );")
        .php("unladen-classmap.php", "wfLoadExtension( 'Gadgets' );")
        .php("map.php", "if (true) { final class UnladenClassmap_1 {} }\nwfLoadExtension( 'Gadgets' );");
    Fixture::at(root.path()).php("more.php", "wfLoadExtension( 'Cite' );");
    std::os::unix::fs::symlink(etc.join("LocalSettings.php"), root.path().join("LocalSettings.php")).unwrap();
    let project = read_enabled(root.path());
    assert_eq!(enabled(&project), ["Cite", "Math", "Poem"]);
    assert_eq!(project.map.problems, []);
    for input in
        ["LocalSettings.php", "more.php", "extensions/Math/extension.json", "autoload.php", "includes/AutoLoader.php"]
    {
        let input = root.path().join(input).canonicalize().unwrap();
        let inputs = &project.application.inputs;
        assert!(inputs.iter().any(|known| known.canonicalize().is_ok_and(|known| known == input)), "{inputs:#?}");
    }
    assert!(project.application.inputs.contains(&etc.join("Poem.php")));
    assert!(
        !project
            .application
            .inputs
            .iter()
            .any(|input| input.ends_with("unladen-classmap.php") || input.ends_with("map.php"))
    );
}

#[test]
fn what_hangs_on_a_condition_is_told_and_left() {
    let root = wiki("wfLoadExtension( 'Cite' );\n\nif ( $wgDBname === 'a' ) {\n\twfLoadExtension( 'Math' );\n}\n");
    let project = read_enabled(root.path());
    assert_eq!(enabled(&project), ["Cite"]);
    let problem = told(&project, "Math/extension.json is loaded on a condition");
    assert_eq!((problem.line, problem.hides), (Some(5), false));
    assert!(problem.path.ends_with("LocalSettings.php"));
    assert!(problem.what.contains("left to MediaWiki's own loader"));
}

#[test]
fn what_cannot_be_told_is_told() {
    for (settings, what) in [
        (
            "wfLoadExtension( 'Cite' );\nforeach ( $all as $one ) { wfLoadExtension( $one ); }",
            "wfLoadExtension() loads something that is not known",
        ),
        (
            "wfLoadExtension( 'Cite' );\nwfLoadExtensions( [ 'Math', getenv( 'X' ) ] );",
            "wfLoadExtensions() loads something that is not known",
        ),
        (
            "wfLoadExtension( 'Cite' );\nwfLoadExtension( 'Math', 'extensions/Math/extension.json' );",
            "wfLoadExtension() loads",
        ),
        ("wfLoadExtension( 'Cite' );\nrequire \"$dir/more.php\";", "includes a file whose path is not known"),
        ("wfLoadExtension( 'Cite' );\nrequire 'more.php';", "includes a file whose path is not known"),
        (
            "wfLoadExtension( 'Cite' );\nAutoLoader::$psr4Namespaces += $more;",
            "adds entries to the AutoLoader that are not known",
        ),
    ] {
        let root = wiki(settings);
        let project = read_enabled(root.path());
        assert_eq!(enabled(&project), ["Cite"], "{settings}");
        let problem = told(&project, what);
        assert_eq!((problem.line, problem.hides), (Some(3), false), "{settings}");
    }
}

/// It may be asked first, and find the class elsewhere.
#[test]
fn an_extension_that_is_perhaps_loaded_leaves_its_classes_open() {
    let root = wiki("if ( $x ) { wfLoadExtension( 'Front' ); }");
    Fixture::at(root.path())
        .file("extensions/Front/extension.json", r#"{"load_composer_autoloader": true}"#)
        .php("extensions/Front/vendor/Xml.php", "namespace Wikimedia; class Xml {}")
        .vendor("extensions/Front/vendor", true, &[("Wikimedia\\Xml", "Xml.php")]);
    let project = read_enabled(root.path());
    let classes: Vec<_> = project.map.entries.iter().map(|entry| entry.class.to_string()).collect();
    assert_eq!(classes, ["MediaWiki\\Block\\Block", "Title"]);
    let duplicate = project.map.duplicates.first().unwrap();
    assert_eq!((duplicate.class.to_string().as_str(), &duplicate.wins), ("Wikimedia\\Xml", &None));
}

#[test]
fn namespaces_by_hand_come_before_extensions_and_after_mediawiki() {
    let root = wiki(
        "AutoLoader::$psr4Namespaces += [ 'Cite\\\\' => \"$IP/cite\", 'Wikimedia\\\\' => \"$IP/cite\" ];\n\
         AutoLoader::registerClasses( [ 'Hand' => \"$IP/cite/Hand.php\" ] );\nwfLoadExtension( 'Cite' );",
    );
    Fixture::at(root.path())
        .php("cite/Cite.php", "namespace Cite; class Cite {}")
        .php("cite/Hand.php", "class Hand {}")
        .php("cite/Xml.php", "namespace Wikimedia; class Xml {}");
    let project = read_enabled(root.path());
    let path =
        |class: &str| project.map.entries.iter().find(|entry| entry.class == class).map(|entry| entry.path.to_string());
    assert!(path("Cite\\Cite").unwrap().ends_with("/cite/Cite.php"));
    assert!(path("Hand").unwrap().ends_with("/cite/Hand.php"));
    assert!(path("Wikimedia\\Xml").unwrap().ends_with("/includes/libs/Xml.php"));
}

#[test]
fn without_local_settings_no_extension_is_read() {
    let root = wiki("");
    std::fs::remove_file(root.path().join("LocalSettings.php")).unwrap();
    std::os::unix::fs::symlink("/nowhere/LocalSettings.php", root.path().join("LocalSettings.php")).unwrap();
    let project = read_enabled(root.path());
    assert_eq!(enabled(&project), [""; 0]);
    // It was named; a wiki that is not set up yet is no failure.
    assert!(told(&project, "no extension or skin was read").hides);
    let reader = unladen_classmap::reader_named("mediawiki").unwrap();
    let unnamed = Project::read(root.path(), reader, &unladen_classmap::Options::default()).unwrap();
    assert!(!told(&unnamed, "no extension or skin was read").hides);
    assert!(told(&project, "--all-extensions").path.ends_with("LocalSettings.php"));
    assert_eq!(enabled(&read(root.path(), Loaded::All)), ["Cite", "Gadgets", "Math", "Poem"]);
}

#[test]
fn a_broken_manifest_is_told_with_its_place() {
    let root = wiki("wfLoadExtensions( [ 'Cite', 'Gone', 'Broken', 'List', 'Math' ] );");
    Fixture::at(root.path())
        .file("extensions/Broken/extension.json", "{\n\t\"name\": \"x\",\n\t\"AutoloadClasses\": {\"A\" \"a.php\"}\n}")
        .file("extensions/List/extension.json", r#"{"AutoloadClasses": {"A": ["a.php"]}}"#);
    let project = read_enabled(root.path());
    assert_eq!(enabled(&project), ["Cite", "Math"]);
    assert!(told(&project, "enabled, but does not exist").path.ends_with("extensions/Gone/extension.json"));
    let broken = told(&project, "is not JSON");
    assert_eq!(broken.line, Some(3));
    assert!(broken.what.contains("column 26"), "{broken}");
    assert!(told(&project, "`AutoloadClasses`: expected strings").path.ends_with("extensions/List/extension.json"));
}

#[test]
fn extensions_from_before_manifests() {
    let root = wiki(
        "require_once \"$IP/extensions/Cite/Cite.php\";\nrequire_once \"$IP/extensions/Old/Old.php\";\nwfLoadExtension( 'Math' );",
    );
    Fixture::at(root.path())
        .php("extensions/Cite/Cite.php", "if ( function_exists( 'wfLoadExtension' ) ) {\n\twfLoadExtension( 'Cite' );\n\treturn;\n} else {\n\tdie( 'old' );\n}")
        .php(
            "extensions/Old/Old.php",
            "$dir = __DIR__ . '/';\n$wgAutoloadClasses['Old'] = $dir . 'Gone.php';\n$wgAutoloadClasses['Old'] = $dir . 'Old.class.php';\n\
             $wgAutoloadClasses['Math\\Math'] = $wgAutoloadClasses['Other'] = $dir . 'Old.class.php';\n\
             function old( $x ) { require \"$x.php\"; }\n$wgAutoloadClasses[$x] = $y;",
        )
        .php("extensions/Old/Old.class.php", "class Old {}");
    let project = read_enabled(root.path());
    assert_eq!(enabled(&project), ["Cite", "Math", "Old"]);
    let hiding: Vec<_> = project.application.problems.iter().filter(|problem| problem.hides).collect();
    assert!(hiding.is_empty(), "{hiding:?}");
}
