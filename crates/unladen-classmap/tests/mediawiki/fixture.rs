//! Small trees of files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A folder that files are put into.
pub(crate) struct Fixture(PathBuf);

impl Fixture {
    pub(crate) fn at(root: &Path) -> Self {
        Self(root.to_owned())
    }

    /// Any file.
    pub(crate) fn file(self, path: &str, text: &str) -> Self {
        let path = self.0.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    /// A file of PHP, without its opening tag.
    pub(crate) fn php(self, path: &str, code: &str) -> Self {
        self.file(path, &format!("<?php\n{code}\n"))
    }

    /// What all MediaWikis have, of about 1.39: a class in its list, and two in namespaces.
    pub(crate) fn mediawiki(self) -> Self {
        let list = "global $wgAutoloadLocalClasses;\n$wgAutoloadLocalClasses = [\n\t'Title' => __DIR__ . '/includes/Title.php',\n];";
        self.php("autoload.php", list)
            .php("includes/AutoLoader.php", AUTOLOADER)
            .php("includes/Title.php", "class Title {}")
            .php("includes/block/Block.php", "namespace MediaWiki\\Block; class Block {}")
            .php("includes/libs/Xml.php", "namespace Wikimedia; class Xml {}")
    }

    /// An extension by that name, with one class of that name in a namespace of its own.
    pub(crate) fn extension(self, name: &str) -> Self {
        let manifest = format!(r#"{{"name": "{name}", "AutoloadNamespaces": {{"{name}\\": "src/"}}}}"#);
        self.file(&format!("extensions/{name}/extension.json"), &manifest)
            .php(&format!("extensions/{name}/src/{name}.php"), &format!("namespace {name}; class {name} {{}}"))
    }

    /// A loader as Composer dumps it, with a list of classes and files below its folder.
    pub(crate) fn vendor(self, folder: &str, prepends: bool, classes: &[(&str, &str)]) -> Self {
        let mut list = String::new();
        for (class, file) in classes {
            writeln!(list, "    '{}' => $vendorDir . '/{file}',", class.replace('\\', "\\\\")).unwrap();
        }
        let id = format!(
            "{:x}",
            self.0
                .join(folder)
                .to_string_lossy()
                .bytes()
                .fold(7_u64, |id, byte| id * 31 % 0xffff_fffb + u64::from(byte))
        );
        self.php(
            &format!("{folder}/autoload.php"),
            &format!("require_once __DIR__ . '/composer/autoload_real.php';\n\nreturn ComposerAutoloaderInit{id}::getLoader();"),
        )
        .php(
            &format!("{folder}/composer/autoload_classmap.php"),
            &format!("\n$vendorDir = dirname(__DIR__);\n$baseDir = dirname($vendorDir);\n\nreturn array(\n{list});"),
        )
        .php(
            &format!("{folder}/composer/autoload_psr4.php"),
            "\n$vendorDir = dirname(__DIR__);\n$baseDir = dirname($vendorDir);\n\nreturn array(\n);",
        )
        .php(
            &format!("{folder}/composer/autoload_namespaces.php"),
            "\n$vendorDir = dirname(__DIR__);\n$baseDir = dirname($vendorDir);\n\nreturn array(\n);",
        )
        .php(
            &format!("{folder}/composer/autoload_real.php"),
            &format!(
                "class ComposerAutoloaderInit{id}\n{{\n    public static function getLoader()\n    {{\n        \
                 $loader = new \\Composer\\Autoload\\ClassLoader(\\dirname(__DIR__));\n        \
                 $loader->addClassMap(require __DIR__ . '/autoload_classmap.php');\n        \
                 $loader->register({prepends});\n\n        return $loader;\n    }}\n}}"
            ),
        )
    }
}

/// What is read of it.
pub(crate) const AUTOLOADER: &str = r#"
class AutoLoader {
    public const CORE_NAMESPACES = [
        'MediaWiki\\' => __DIR__ . '/',
        'MediaWiki\\Block\\' => __DIR__ . '/block/',
        'Wikimedia\\' => __DIR__ . '/libs/',
    ];
    public static $psr4Namespaces = self::CORE_NAMESPACES;
    public static function find( $className ): ?string {
        $filename = $wgAutoloadLocalClasses[$className] ?? self::$classFiles[$className] ?? false;
        while ( ( $pos = strrpos( $prefix, '\\' ) ) !== false ) {
            if ( isset( self::$psr4Namespaces[$prefix] ) ) {
                $file = self::$psr4Namespaces[$prefix] .
                    '/' .
                    strtr( $relativeClass, '\\', '/' ) . '.php';
            }
        }
    }
}
"#;
