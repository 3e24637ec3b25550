//! The usual settings of well-known applications. [`PRESETS`] is their one list: configuration, `--init`, the command
//! line and docs/reference/presets/ are made of it.

use std::sync::OnceLock;

use unladen_toml::{Document, Table};

/// The usual settings of an application: they stand below a site's own, and above the built-in ones.
#[derive(Debug)]
pub struct Preset {
    /// The name in `preset = "…"`; its page is docs/reference/presets/NAME.md.
    pub name: &'static str,
    pub title: &'static str,
    /// The body of a `[[site]]`, as TOML.
    pub fragment: &'static str,
    document: OnceLock<Document<'static>>,
    /// Validators, where the site sets its `database`.
    pub(crate) validators: &'static [PresetValidator],
    /// A file that is in the folder if `root` is one folder too high, and the folder that is meant.
    pub(crate) wrong_root: Option<(&'static str, &'static str)>,
}

impl Preset {
    pub(crate) fn table(&'static self) -> Table<'static> {
        self.document.get_or_init(|| Document::parse(self.fragment).0).root()
    }
}

#[derive(Debug)]
pub(crate) struct PresetValidator {
    pub(crate) path: &'static str,
    pub(crate) asked: Asked,
}

/// What is asked, where the site sets its `database`.
#[derive(Debug)]
pub(crate) enum Asked {
    /// A query for each kind of database; `None` if the application cannot use it, or the query would miss changes
    /// there.
    Query { mysql: Option<&'static str>, postgres: Option<&'static str>, sqlite: Option<&'static str> },
    /// The modification time of this file in the folder that `database` names.
    File(&'static str),
}

/// All presets, from the applications' own documents: docs/reference/presets says what each value is for.
pub static PRESETS: [&Preset; 6] = [&WORDPRESS, &MEDIAWIKI, &DOKUWIKI, &SYMPA, &DRUPAL, &LARAVEL];

static WORDPRESS: Preset = Preset {
    name: "wordpress",
    title: "WordPress",
    fragment: include_str!("presets/wordpress.toml"),
    document: OnceLock::new(),
    validators: &[PresetValidator {
        path: "/{page*}",
        // Triggers count changes, since modification times miss deletions and the second of two changes in a second.
        // The hour covers what depends on the time, such as nonces of forms.
        asked: Asked::Query {
            mysql: Some("select concat(sum(n), '-', floor(unix_timestamp() / 3600)) from page_version"),
            postgres: None,
            sqlite: None,
        },
    }],
    wrong_root: None,
};

static MEDIAWIKI: Preset = Preset {
    name: "mediawiki",
    title: "MediaWiki",
    fragment: include_str!("presets/mediawiki.toml"),
    document: OnceLock::new(),
    validators: &[
        PresetValidator { path: "/index.php/{title*}", asked: TOUCHED },
        PresetValidator { path: "/wiki/{title*}", asked: TOUCHED },
    ],
    wrong_root: None,
};

/// The revision and when the page was last touched, as by a template that it uses. Times are whole seconds: while the
/// second may not be over, each answer differs, and nothing is served from memory. The hour covers what surrounds the
/// page, such as the sidebar.
const TOUCHED: Asked = Asked::Query {
    mysql: Some(
        "select concat(page_latest, '-', page_touched, '-', floor(unix_timestamp() / 3600), \
         case when page_touched > date_format(utc_timestamp() - interval 3 second, '%Y%m%d%H%i%s') then uuid() \
         else '' end) \
         from page where page_namespace = 0 and page_title = ?",
    ),
    postgres: Some(
        "select concat(page_latest, '-', extract(epoch from page_touched), '-', \
         floor(extract(epoch from now()) / 3600), \
         case when page_touched > now() - interval '3 seconds' then clock_timestamp()::text || random()::text end) \
         from page where page_namespace = 0 and page_title = $1",
    ),
    sqlite: Some(
        "select page_latest || '-' || page_touched || '-' || (strftime('%s', 'now') / 3600) || \
         case when page_touched > strftime('%Y%m%d%H%M%S', 'now', '-3 seconds') then hex(randomblob(8)) else '' end \
         from page where page_namespace = 0 and page_title = ?",
    ),
};

static DOKUWIKI: Preset = Preset {
    name: "dokuwiki",
    title: "DokuWiki",
    fragment: include_str!("presets/dokuwiki.toml"),
    document: OnceLock::new(),
    // DokuWiki appends a line to this file after each change of a page.
    validators: &[PresetValidator { path: "/{page*}", asked: Asked::File("meta/_dokuwiki.changes") }],
    wrong_root: None,
};

static SYMPA: Preset = Preset {
    name: "sympa",
    title: "Sympa",
    fragment: include_str!("presets/sympa.toml"),
    document: OnceLock::new(),
    validators: &[],
    wrong_root: None,
};

static DRUPAL: Preset = Preset {
    name: "drupal",
    title: "Drupal",
    fragment: include_str!("presets/drupal.toml"),
    document: OnceLock::new(),
    validators: &[],
    wrong_root: Some(("web/index.php", "web")),
};

static LARAVEL: Preset = Preset {
    name: "laravel",
    title: "Laravel",
    fragment: include_str!("presets/laravel.toml"),
    document: OnceLock::new(),
    validators: &[],
    wrong_root: Some(("artisan", "public")),
};

/// The presets' names, for error messages.
pub fn names() -> Vec<&'static str> {
    PRESETS.iter().map(|preset| preset.name).collect()
}

/// A configuration to begin with.
#[derive(Debug)]
pub struct Starter {
    pub name: &'static str,
    pub about: &'static str,
    pub text: &'static str,
}

/// All starters, as `unladen serve --init` writes them: one for each preset, and those of the two roles of `serve`.
pub const STARTERS: [Starter; 8] = [
    Starter { name: "wordpress", about: "WordPress with PHP-FPM", text: include_str!("presets/init/wordpress.toml") },
    Starter { name: "mediawiki", about: "MediaWiki with PHP-FPM", text: include_str!("presets/init/mediawiki.toml") },
    Starter { name: "dokuwiki", about: "DokuWiki with PHP-FPM", text: include_str!("presets/init/dokuwiki.toml") },
    Starter {
        name: "sympa",
        about: "Sympa's web interface with FastCGI",
        text: include_str!("presets/init/sympa.toml"),
    },
    Starter { name: "drupal", about: "Drupal with PHP-FPM", text: include_str!("presets/init/drupal.toml") },
    Starter {
        name: "laravel",
        about: "a Laravel application with PHP-FPM",
        text: include_str!("presets/init/laravel.toml"),
    },
    Starter { name: "proxy", about: "any application that speaks HTTP", text: include_str!("presets/init/proxy.toml") },
    Starter {
        name: "outbound",
        about: "the calls that an application makes to other services",
        text: include_str!("presets/init/outbound.toml"),
    },
];

#[cfg(test)]
mod tests;
