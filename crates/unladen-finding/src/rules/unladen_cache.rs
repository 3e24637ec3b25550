//! `unladen serve` as a cache in front of the application: [`fix`], and its knob: [`switched`]; and how the application
//! declares a page fresh for visitors without a cookie only: [`strangers`].

use unladen_trace::{Evidence, Response};

use crate::application::{Application, folder_of};
use crate::fix::Fix;
use crate::folders::named_file;
use crate::knob::Part;
use crate::rules::{answers, missing_vary, unladen_site, web_server};
use crate::stack::Stack;
use crate::{php, quoting};

/// `unladen serve` answers in the application's stead while the page is declared fresh for anonymous visitors, with the
/// lines that declare it. If the application forbids that, there are no lines: the cache would keep nothing.
pub(super) fn fix(evidence: &Evidence, response: &Response, advice: &str) -> Fix {
    let Some(strangers) = strangers(evidence, response) else {
        return Fix::advice(format!(
            "{advice} first check whether that is intended: many frameworks, and PHP's sessions, forbid caching by \
             default. If it is intended, leave it. Otherwise do not send that header to requests without a cookie"
        ));
    };
    let advice = format!(
        "{advice} {}. `unladen serve` in front then answers anonymous visitors itself for that minute, also with 304, \
         and passes on requests with a cookie{}",
        strangers.advice,
        unladen_site::counter(evidence)
    );
    let site = unladen_site::fix(evidence, &advice).unwrap_or_else(|| Fix::advice(&advice));
    let commands = strangers.commands.into_iter().chain(site.commands).collect();
    Fix { also: strangers.parts, commands, group: strangers.group, ..site }
}

/// Adds the knob. A cache keeps only what the application allows: without a declaration, and without lines for it, both
/// sides of an experiment would be regenerated for each request, and the fix would look slower than nothing.
pub(super) fn switched(evidence: &Evidence, response: &Response, fix: Fix) -> Fix {
    let is_said = !fix.also.is_empty() || answers::is_fresh(response);
    if fix.file.as_deref() == Some(unladen_site::FILE) && !is_said {
        fix
    } else {
        let mut fix = web_server::switched(evidence, fix, "cache");
        if let Some(knob) = fix.knob.as_mut().filter(|knob| knob.site.is_some()) {
            knob.changes = vec!["cache".into()];
        }
        fix
    }
}

// That a page is the same each time was only seen for requests without a cookie: someone who has logged in, or waits
// for a comment to be approved, may have another page at the same address. So nothing printed here says `public`
// without a condition on cookies, nor for other addresses than the one looked at, unless the application itself knows
// its pages.

/// Shared caches may keep it for a minute, and browsers not: they would show the anonymous page after the login.
const FRESH: &str = "Cache-Control: public, max-age=0, s-maxage=60";

/// What tells visitors apart: `public` alone would serve the anonymous copy to a request with a password.
const VARY: [&str; 2] = ["Cookie", "Authorization"];

#[derive(Debug, Default)]
pub(super) struct Strangers {
    pub(super) advice: String,
    pub(super) parts: Vec<Part>,
    pub(super) commands: Vec<String>,
    pub(super) group: Option<usize>,
}

/// How the application declares it. `None` if it deliberately forbids keeping the page, as far as can be told.
pub(super) fn strangers(evidence: &Evidence, response: &Response) -> Option<Strangers> {
    let php = web_server::busiest(evidence, Stack::Php);
    let group = php.or_else(|| web_server::busiest_of(evidence, |_| true));
    let application = Application::of(evidence, group.unwrap_or_default());
    // MediaWiki says `private` unless it knows of a cache in front.
    if answers::forbids(response).is_some() && application != Some(Application::MediaWiki) {
        return None;
    }
    let vary = Vary::of(response);
    let means = match application {
        Some(Application::MediaWiki) => vary.first(mediawiki(evidence, group.unwrap_or_default())),
        Some(Application::WordPress) => wordpress(evidence, group.unwrap_or_default(), &vary),
        Some(Application::Drupal) => vary.first(Strangers::advice(
            "in settings.php, $config['system.performance']['cache']['page']['max_age'] = 60; Drupal sends it only to \
             visitors without a session",
        )),
        Some(Application::Laravel) => vary.first(Strangers::advice(
            "give routes that use neither session nor login the middleware \
             cache.headers:public;max_age=0;s_maxage=60, and remove them from the group `web`, which sets a session \
             cookie",
        )),
        Some(Application::Django) => Strangers::advice(format!(
            "give the view @vary_on_headers({}) and @cache_control(public=True, max_age=0, s_maxage=60), and for \
             visitors with a session or a password @cache_control(private=True)",
            vary.0.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ")
        )),
        _ if php.is_some() => any_php(evidence, group.unwrap_or_default(), &vary),
        _ => Strangers::advice(format!(
            "answer requests that have neither Cookie nor Authorization, and no others, with the header `{FRESH}`, \
             and all requests with `Vary: {vary}`"
        )),
    };
    Some(Strangers { group, ..means })
}

/// A plugin that is always on. It runs once the page is known: not in `wp-cron.php`, `admin-ajax.php` and wp-admin.
fn wordpress(evidence: &Evidence, group: usize, vary: &Vary) -> Strangers {
    let said = "WordPress does not declare its pages' lifetime: a plugin in mu-plugins declares that they are valid \
                for a minute, only for visitors without any cookie (visitors who logged in, entered a post's password \
                or commented have one), unless WordPress or another plugin forbids it";
    let Some(content) = folder_of(evidence, group, "/wp-content/") else {
        return Strangers::advice(format!(
            "{said}: `{FRESH}` by a function for template_redirect, and `Vary: {vary}` for all"
        ));
    };
    let mut lines = vec![
        "<?php".to_owned(),
        "// From unladen: pages are valid for a minute for visitors without a cookie, and for nobody else, unless \
         something forbids it."
            .into(),
        "add_action('template_redirect', function () {".into(),
        "    if (is_404() || isset($_GET['unapproved'])) {".into(),
        "        return;".into(),
        "    }".into(),
    ];
    lines.push("    header_register_callback(function () {".into());
    lines.extend(say("        ", vary));
    lines.extend(["    });".into(), "}, 99);".into()]);
    Strangers {
        advice: said.into(),
        parts: vec![Part { file: format!("{content}/mu-plugins/unladen-cache.php"), lines, group: None }],
        ..Strangers::default()
    }
}

/// Lines of PHP that send the headers once all others are known; they may run more than once. Apache and PHP have the
/// user of a password in different variables.
fn say(indent: &str, vary: &Vary) -> Vec<String> {
    let lines = [
        format!("if (!in_array('Vary: {vary}', headers_list(), true)) {{"),
        format!("    header('Vary: {vary}', false);"),
        "}".into(),
        "$said = preg_grep('/^(Set-Cookie:|Pragma:|Cache-Control:.*(private|no-store|no-cache))/i', headers_list());".into(),
        "$is_read = in_array($_SERVER['REQUEST_METHOD'], ['GET', 'HEAD'], true);".into(),
        "$known = ['HTTP_COOKIE', 'HTTP_AUTHORIZATION', 'REDIRECT_HTTP_AUTHORIZATION', 'PHP_AUTH_USER', 'PHP_AUTH_DIGEST', 'REMOTE_USER', 'REDIRECT_REMOTE_USER'];".into(),
        "$fields = function_exists('getallheaders') ? array_change_key_case(getallheaders()) : [];".into(),
        "$is_known = isset($fields['authorization']) || array_filter(array_intersect_key($_SERVER, array_flip($known)));".into(),
        "if ($is_read && !$said && !$is_known && http_response_code() === 200) {".into(),
        format!("    header('{FRESH}');"),
        format!("}} elseif (in_array('{FRESH}', headers_list(), true)) {{"),
        "    header('Cache-Control: private');".into(),
        "}".into(),
    ];
    lines.iter().map(|line| format!("{indent}{line}")).collect()
}

/// MediaWiki's own means: `s-maxage` for visitors without a session, and `private` for all others.
fn mediawiki(evidence: &Evidence, group: usize) -> Strangers {
    let advice = "MediaWiki declares this only for visitors without a session, once it knows that a cache is in front \
                  of it (docs/guides/mediawiki.md describes the rest: purges when a page is edited, and HTTPS)";
    let ends = |path: &str| path.starts_with('/') && path.ends_with("/LocalSettings.php");
    let file = named_file(evidence, group, |file| ends(&file.path));
    let Some(file) = file else {
        return Strangers::advice(format!("{advice}: $wgUseCdn = true; and $wgCdnMaxAge = 60; in LocalSettings.php"));
    };
    let lines = ["$wgUseCdn = true;", "$wgCdnMaxAge = 60;", "$wgCdnServersNoPurge = [ '127.0.0.1' ];"];
    Strangers {
        advice: advice.into(),
        parts: vec![Part { file: file.path.clone(), lines: lines.map(Into::into).to_vec(), group: None }],
        commands: php::reload(evidence, group).into_iter().collect(),
        ..Strangers::default()
    }
}

/// For this one address only, as nobody looked at others.
fn any_php(evidence: &Evidence, group: usize, vary: &Vary) -> Strangers {
    let said = "declare the page valid for a minute, only for requests without a cookie";
    let settings = evidence.php_of(group);
    // If a pool sets it, even to nothing, a settings file has no effect.
    let is_free = matches!(php::setting(settings, "auto_prepend_file"), None | Some("" | "no value"))
        && !php::is_set_again(evidence, group, "auto_prepend_file");
    let ini = Some(php::file(evidence, group)).filter(|file| file.starts_with('/') && file.ends_with(php::FILE));
    let file = ini.as_ref().map(|ini| ini.replace(php::FILE, "unladen-cache.php"));
    // A script whose prepended file is unreadable ends with 500; the settings are those of other pools, too.
    let of_folder = evidence.php.iter().filter(|php| settings.is_some_and(|own| own.ini_folder == php.ini_folder));
    let file =
        file.filter(|file| is_free && settings.is_some() && of_folder.into_iter().all(|php| php::may_read(php, file)));
    let setting = file.as_deref().and_then(quoting::ini_text);
    let (Some(ini), Some(file), Some(setting), Some(target)) = (ini, file, setting, target(&evidence.page.url)) else {
        return Strangers::advice(format!(
            "{said}: if neither Cookie nor Authorization was sent and no cookie is set, header('{FRESH}'), and \
             header('Vary: {vary}', false) in any case"
        ));
    };
    // One of three works: PHP has one callback for headers, which the application's own replaces; the application may
    // discard its output buffers together with the handler; and output sent early leaves nothing to the end.
    let mut lines = vec![
        "<?php".to_owned(),
        "// From unladen: this address is valid for a minute for visitors without a cookie, unless the application \
         forbids it."
            .into(),
        format!("if (($_SERVER['REQUEST_URI'] ?? '') === '{target}') {{"),
        "    (function () {".into(),
        "        $asked = false;".into(),
        "        $say = function ($text = '', $phase = 0) use (&$asked) {".into(),
        "            if ($phase & PHP_OUTPUT_HANDLER_CLEAN || headers_sent()) {".into(),
        "                return $text;".into(),
        "            }".into(),
        "            $asked = true;".into(),
    ];
    lines.extend(say("            ", vary));
    let end = [
        "            return $text;",
        "        };",
        "        header_register_callback($say);",
        "        ob_start($say);",
        "        register_shutdown_function(function () use ($say, &$asked) {",
        "            $say();",
        "            if (!$asked) {",
        "                error_log('unladen-cache.php: the application sent its headers early, so no caching header \
         could be added');",
        "            }",
        "        });",
        "    })();",
        "}",
    ];
    lines.extend(end.map(str::to_owned));
    Strangers {
        advice: format!(
            "{said}; these lines cover only this address, whose answers are then sent in one piece, at their end: add \
             other addresses that you know to be the same for all visitors"
        ),
        parts: vec![
            Part { file: file.clone(), lines, group: None },
            Part { file: ini, lines: vec![format!("auto_prepend_file={setting}")], group: None },
        ],
        commands: php::reload(evidence, group).into_iter().collect(),
        ..Strangers::default()
    }
}

/// Path and query of a URL, if PHP's quotes hold them unchanged.
fn target(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let rest = rest.split('#').next().unwrap_or_default();
    let target = rest.find('/').map_or("/", |start| &rest[start..]);
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'\'' | b'\\' | b'<' | b'>');
    (target.bytes().all(is_plain) && !target.contains("?>")).then_some(target)
}

impl Strangers {
    fn advice(advice: impl Into<String>) -> Self {
        Self { advice: advice.into(), ..Self::default() }
    }
}

/// What `Vary` must list: what tells visitors apart, and other headers it was seen to depend on without listing them.
#[derive(derive_more::Display)]
#[display("{}", _0.join(", "))]
struct Vary(Vec<&'static str>);

impl Vary {
    fn of(response: &Response) -> Self {
        let missing = missing_vary::missing(response).into_iter().map(|(header, _)| header);
        Self(VARY.into_iter().chain(missing.filter(|header| !VARY.contains(header))).collect())
    }

    /// Lines that do not list it are not printed if the response depends on more: caches would serve the wrong page.
    fn first(&self, means: Strangers) -> Strangers {
        match self.0.get(VARY.len()..).unwrap_or_default() {
            [] => means,
            missing => Strangers::advice(format!(
                "first make it send `Vary: {}`, on which its answer depends; and then: {}",
                missing.join(", "),
                means.advice
            )),
        }
    }
}

#[cfg(test)]
mod tests;
