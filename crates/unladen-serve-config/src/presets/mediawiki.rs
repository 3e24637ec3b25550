//! [`MEDIAWIKI`]: the usual settings of MediaWiki.

use std::sync::LazyLock;

use unladen_toml::Document;

use super::preset::Preset;
use super::preset_validator::{Asked, PresetValidator};

/// From MediaWiki's own documents: docs/reference/presets/mediawiki.md says what each is for.
pub(super) static MEDIAWIKI: Preset = Preset {
    name: "mediawiki",
    title: "MediaWiki",
    fragment: FRAGMENT,
    document: &DOCUMENT,
    validators: &[
        PresetValidator { path: "/index.php/{title*}", asked: TOUCHED },
        PresetValidator { path: "/wiki/{title*}", asked: TOUCHED },
    ],
    wrong_root: None,
};

const FRAGMENT: &str = include_str!("mediawiki.toml");
static DOCUMENT: LazyLock<Document<'static>> = LazyLock::new(|| Document::parse(FRAGMENT).0);

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
