//! The principal type is [`Application`]: the well-known application that answers, if it can be recognised. A generic
//! fix is vague or wrong: each application has means of its own.

use std::collections::BTreeSet;

use unladen_trace::{Counted, Evidence, Response};

use crate::folders::followed;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Application {
    WordPress,
    MediaWiki,
    DokuWiki,
    Drupal,
    Laravel,
    Symfony,
    Nextcloud,
    Piwigo,
    PhpBb,
    /// Any application that accesses its database by Doctrine.
    Doctrine,
    Django,
}

struct Signs {
    application: Application,
    paths: &'static [&'static str],
    cookies: &'static [&'static str],
    /// Response headers, and a part of their value.
    headers: &'static [(&'static str, &'static str)],
}

const SIGNS: &[Signs] = &[
    Signs {
        application: Application::WordPress,
        paths: &["/wp-includes/", "/wp-settings.php", "/wp-content/plugins/", "/wp-content/themes/"],
        cookies: &["wordpress_", "wp-settings-", "comment_author_"],
        headers: &[("link", "api.w.org"), ("x-pingback", "/xmlrpc.php")],
    },
    Signs {
        application: Application::MediaWiki,
        paths: &["/includes/AutoLoader.php", "/mediawiki/", "/LocalSettings.php"],
        cookies: &[],
        headers: &[],
    },
    Signs {
        application: Application::DokuWiki,
        paths: &["/doku.php", "/dokuwiki/", "/inc/parserutils.php"],
        cookies: &["DokuWiki"],
        headers: &[],
    },
    Signs {
        application: Application::Drupal,
        paths: &["/core/lib/Drupal", "/core/lib/Drupal.php"],
        cookies: &["SSESS"],
        headers: &[("x-generator", "Drupal"), ("x-drupal-cache", ""), ("x-drupal-dynamic-cache", "")],
    },
    Signs {
        application: Application::Laravel,
        paths: &["/vendor/laravel/framework/"],
        cookies: &["laravel_session"],
        headers: &[],
    },
    Signs {
        application: Application::Symfony,
        paths: &["/vendor/symfony/framework-bundle/"],
        cookies: &[],
        headers: &[("x-debug-token", "")],
    },
    Signs {
        application: Application::Nextcloud,
        paths: &["/lib/private/AppFramework/", "/core/templates/layout."],
        cookies: &["oc_sessionPassphrase", "nc_sameSiteCookie"],
        headers: &[],
    },
    Signs {
        application: Application::Piwigo,
        paths: &["/include/config_default.inc.php", "/piwigo/"],
        cookies: &["pwg_id"],
        headers: &[],
    },
    Signs { application: Application::PhpBb, paths: &["/phpbb/"], cookies: &["phpbb3_"], headers: &[] },
    Signs {
        application: Application::Doctrine,
        paths: &["/vendor/doctrine/orm/", "/Doctrine/ORM/"],
        cookies: &[],
        headers: &[],
    },
    Signs {
        application: Application::Django,
        paths: &["/django/core/", "/django/db/", "/django/http/"],
        cookies: &["csrftoken"],
        headers: &[],
    },
];

const LIBRARIES: [Application; 2] = [Application::Doctrine, Application::Symfony];

impl Application {
    /// The application of a group, by the files that requests open; or the application that answers, by its response.
    ///
    /// Other sites may run under the same user, so the group may open another application's files at the same time.
    pub(crate) fn of(evidence: &Evidence, group: usize) -> Option<Self> {
        let weight = |signs: &Signs| added(evidence, group, |path| signs.paths.iter().any(|part| path.contains(part)));
        let by_paths = SIGNS
            .iter()
            .filter_map(|signs| Some((weight(signs)?, signs)))
            // A library says less than the application that uses it.
            .max_by(|one, other| {
                let rank = |(weight, signs): &(f64, &Signs)| (!LIBRARIES.contains(&signs.application), *weight);
                let (one, other) = (rank(one), rank(other));
                one.0.cmp(&other.0).then(one.1.total_cmp(&other.1))
            })
            .map(|(_, signs)| signs);
        let by_answer =
            || evidence.response.as_ref().and_then(|response| SIGNS.iter().find(|signs| signs.are_in(response)));
        by_paths.or_else(by_answer).map(|signs| signs.application)
    }

    /// Names the application's means of fetching many records at once.
    pub(crate) fn for_many(self) -> Option<&'static str> {
        Some(match self {
            Self::WordPress => {
                "WordPress reads many at once into its cache: _prime_post_caches, update_meta_cache, \
                 _prime_term_caches, cache_users; get_posts and WP_Query do so by themselves by default"
            }
            Self::MediaWiki => "MediaWiki: LinkBatch for titles, UserArray or a query with makeList",
            Self::Drupal => "Drupal: loadMultiple instead of load",
            Self::Laravel => "Eloquent: with(…)",
            Self::Doctrine => "Doctrine: a fetch join",
            Self::Django => "Django: select_related, prefetch_related",
            Self::DokuWiki | Self::Symfony | Self::Nextcloud | Self::Piwigo | Self::PhpBb => return None,
        })
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::WordPress => "WordPress, its theme and plugins",
            Self::MediaWiki => "MediaWiki and its extensions",
            Self::DokuWiki => "DokuWiki and its plugins",
            Self::Drupal => "Drupal and its modules",
            Self::Nextcloud => "Nextcloud and its apps",
            Self::Piwigo => "Piwigo and its plugins",
            Self::PhpBb => "phpBB and its extensions",
            Self::Laravel | Self::Symfony | Self::Doctrine | Self::Django => "the application",
        }
    }
}

/// The folder with a part of an application, by most calls that requests add: `/srv/wp-content` for `/wp-content/`.
pub(crate) fn folder_of(evidence: &Evidence, group: usize, part: &str) -> Option<String> {
    let files = evidence.files.iter().filter(|file| file.group == group);
    let folders: BTreeSet<&str> = files.filter_map(|file| Some(file.path.split_once(part)?.0)).collect();
    let is_in = |path: &str, folder: &str| path.split_once(part).is_some_and(|(before, _)| before == folder);
    let (_, folder) = folders
        .into_iter()
        .filter(|folder| folder.starts_with('/'))
        .filter_map(|folder| Some((added(evidence, group, |path| is_in(path, folder))?, folder)))
        .reduce(|most, next| if next.0 > most.0 { next } else { most })?;
    Some(format!("{folder}{}", part.trim_end_matches('/')))
}

/// Calls on such files that a request adds, if they can be told from the group's other work.
fn added(evidence: &Evidence, group: usize, is_meant: impl Fn(&str) -> bool) -> Option<f64> {
    let files = evidence.files.iter().filter(|file| file.group == group && is_meant(&file.path));
    followed(evidence, &Counted::sum(files.map(|file| &file.counted)))
}

impl Signs {
    fn are_in(&self, response: &Response) -> bool {
        let cookie = |line: &str| self.cookies.iter().any(|begin| line.trim_start().starts_with(begin));
        response.all("set-cookie").any(cookie)
            || self.headers.iter().any(|(name, part)| response.all(name).any(|value| value.contains(part)))
    }
}

#[cfg(test)]
mod tests;
