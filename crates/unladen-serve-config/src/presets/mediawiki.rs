//! [`MEDIAWIKI`]: the usual settings of MediaWiki.

use std::sync::LazyLock;

use unladen_toml::Document;

use super::preset::Preset;
use super::preset_validator::{Asked, PresetValidator};

/// From MediaWiki's own documents: docs/reference/presets/mediawiki.md tells what each is for.
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

/// The revision and when the page was last touched, as by a template that it uses. Times are of whole seconds: while the
/// second of one is not over there is no label, and the page is kept as long as MediaWiki says, until it is purged. The
/// hour is for what is around the page, such as the sidebar.
const TOUCHED: Asked = Asked::Query {
    mysql: Some(
        "select case when page_touched > date_format(utc_timestamp() - interval 2 second, '%Y%m%d%H%i%s') then null \
         else concat(page_latest, '-', page_touched, '-', floor(unix_timestamp() / 3600)) end \
         from page where page_namespace = 0 and page_title = ?",
    ),
    postgres: Some(
        "select case when page_touched > now() - interval '2 seconds' then null \
         else concat(page_latest, '-', extract(epoch from page_touched), '-', floor(extract(epoch from now()) / 3600)) \
         end from page where page_namespace = 0 and page_title = $1",
    ),
    sqlite: Some(
        "select case when page_touched > strftime('%Y%m%d%H%M%S', 'now', '-2 seconds') then null \
         else page_latest || '-' || page_touched || '-' || (strftime('%s', 'now') / 3600) end \
         from page where page_namespace = 0 and page_title = ?",
    ),
};
