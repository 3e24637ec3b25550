//! The list [`MEANS`]: settings of well-known applications that remove a waste without a change of code.

use unladen_trace::Evidence;

use crate::application::Application;
use crate::finding::Finding;
use crate::fix::Audience;

struct Means {
    application: Application,
    rules: &'static [&'static str],
    setting: &'static str,
    removes: &'static str,
}

const MEANS: &[Means] = &[
    Means {
        application: Application::MediaWiki,
        rules: &["same-query-again", "n-plus-one"],
        setting: "$wgMainCacheType = CACHE_ACCEL; in LocalSettings.php, with PHP's APCu (or CACHE_MEMCACHED, CACHE_REDIS)",
        removes: "data that was read is kept between requests: by default, MediaWiki does not keep it",
    },
    Means {
        application: Application::MediaWiki,
        rules: &["write-per-request", "process-per-request"],
        setting: "$wgJobRunRate = 0; in LocalSettings.php, and maintenance/runJobs.php run by a timer",
        removes: "requests run no jobs",
    },
    Means {
        application: Application::MediaWiki,
        rules: &["database-reconnect"],
        setting: "keep it: DBO_PERSISTENT in the flags of $wgDBservers",
        removes: "",
    },
    Means {
        application: Application::WordPress,
        rules: &["same-query-again", "n-plus-one"],
        setting: "an object cache that outlives the request: a plugin that puts wp-content/object-cache.php there, for Redis, \
                  Memcached or APCu",
        removes: "options, posts and terms are not read again",
    },
    Means {
        application: Application::WordPress,
        rules: &["write-per-request", "unpooled-connection", "unpooled-tls"],
        setting: "define( 'DISABLE_WP_CRON', true ); in wp-config.php, and wp-cron.php run by a timer",
        removes: "visitors' requests do not look for jobs, and do not call wp-cron.php over HTTP",
    },
    Means {
        application: Application::DokuWiki,
        rules: &["stat-storm", "same-file-again"],
        setting: "$conf['readdircache'] = 600; in conf/local.php",
        removes: "searches read the index folder once in ten minutes",
    },
    Means {
        application: Application::Drupal,
        rules: &["database-reconnect"],
        setting: "keep it: 'pdo' => [PDO::ATTR_PERSISTENT => true] in $databases of settings.php",
        removes: "",
    },
    Means {
        application: Application::Drupal,
        rules: &["same-query-again", "n-plus-one", "write-per-request"],
        setting: "the module redis or memcache, and $settings['cache']['default'] in settings.php as it says",
        removes: "caches are read from and written to memory instead of the database",
    },
    Means {
        application: Application::Drupal,
        rules: &["write-per-request"],
        setting: "uninstall the module automated_cron, and run cron by a timer (drush cron)",
        removes: "no request runs jobs at its end",
    },
    Means {
        application: Application::Laravel,
        rules: &["database-reconnect"],
        setting: "keep it: 'options' => [PDO::ATTR_PERSISTENT => true] in config/database.php",
        removes: "",
    },
    Means {
        application: Application::Laravel,
        rules: &["stat-storm", "same-file-again", "recompile", "template-parsed-again"],
        setting: "php artisan optimize at each deployment (config:cache, route:cache, view:cache)",
        removes: "settings, routes and templates are one file each, and .env is not read",
    },
    Means {
        application: Application::Laravel,
        rules: &["write-per-request", "lock-churn"],
        setting: "SESSION_DRIVER=redis and CACHE_STORE=redis (CACHE_DRIVER before Laravel 11) in .env",
        removes: "sessions and caches are not stored in files or rows",
    },
    Means {
        application: Application::Symfony,
        rules: &["stat-storm", "same-file-again", "recompile", "debug-left-on"],
        setting: "APP_ENV=prod and APP_DEBUG=0, and composer dump-env prod at each deployment",
        removes: "the container is not checked for changes, and .env files are not read",
    },
    Means {
        application: Application::Nextcloud,
        rules: &["same-query-again", "n-plus-one", "same-file-again"],
        setting: "'memcache.local' => '\\OC\\Memcache\\APCu', in config/config.php, with PHP's APCu",
        removes: "settings and file listings are not read again",
    },
    Means {
        application: Application::Nextcloud,
        rules: &["write-per-request"],
        setting: "'memcache.locking' => '\\OC\\Memcache\\Redis', with 'redis' => [...], in config/config.php; and background jobs by \
                  cron (occ background:cron)",
        removes: "file locks are not rows of the database, and pages do not run jobs",
    },
    Means {
        application: Application::Piwigo,
        rules: &["stat-storm", "same-file-again"],
        setting: "$conf['template_compile_check'] = false; and $conf['compiled_template_cache_language'] = true; in \
                  local/config/config.inc.php (empty _data/templates_c after an update)",
        removes: "templates are not checked for changes, and not translated again",
    },
    Means {
        application: Application::Piwigo,
        rules: &["write-per-request"],
        setting: "no history of simple visitors (Configuration > General > Save visits in history for)",
        removes: "pages that visitors read add no rows to the table of the history",
    },
    Means {
        application: Application::Piwigo,
        rules: &["log-chatter"],
        setting: "$conf['log_level'] = 'ERROR'; in local/config/config.inc.php",
        removes: "its own log, in _data/logs, has errors alone: by default, it has all that helps development",
    },
    Means {
        application: Application::PhpBb,
        rules: &["same-file-again", "same-query-again", "stat-storm"],
        setting: "$acm_type = 'phpbb\\\\cache\\\\driver\\\\apcu'; in config.php, with PHP's APCu",
        removes: "cache entries are not separate files",
    },
    Means {
        application: Application::Doctrine,
        rules: &["database-reconnect"],
        setting: "keep it: Doctrine's driverOptions with PDO::ATTR_PERSISTENT => true",
        removes: "",
    },
    Means {
        application: Application::Django,
        rules: &["database-reconnect"],
        setting: "keep it: CONN_MAX_AGE = 60 in DATABASES",
        removes: "",
    },
    Means {
        application: Application::Django,
        rules: &["write-per-request"],
        setting: "SESSION_SAVE_EVERY_REQUEST = False (Django's default), and SESSION_ENGINE = \
                  'django.contrib.sessions.backends.cached_db' with a CACHES backend in memory",
        removes: "sessions are written when they change, and read from memory",
    },
    Means {
        application: Application::Django,
        rules: &["template-parsed-again", "same-file-again"],
        setting: "django.template.loaders.cached.Loader around the loaders of TEMPLATES, which is the default with \
                  DEBUG = False where no loaders are named",
        removes: "templates are parsed once per process",
    },
];

pub(crate) fn of(application: Application, rule: &str) -> impl Iterator<Item = String> + '_ {
    let is_one = move |one: &&Means| one.application == application && one.rules.contains(&rule);
    MEANS.iter().filter(is_one).map(|one| match one.removes {
        "" => one.setting.to_owned(),
        removes => format!("{} ({removes})", one.setting),
    })
}

/// Puts the application's own settings before the advice for its developers, and after the operator's.
pub(crate) fn place(evidence: &Evidence, finding: &mut Finding) {
    let named = evidence.groups.iter().position(|group| group.name == finding.group);
    let Some(application) = named.and_then(|group| Application::of(evidence, group)) else { return };
    let told: Vec<String> = of(application, finding.rule).collect();
    let fix = &mut finding.fix;
    if told.is_empty() || told.iter().any(|told| fix.advice.contains(told)) {
        return;
    }
    let told = told.join("; and ");
    match fix.audience {
        Audience::Developer => {
            fix.developers = Some(std::mem::replace(&mut fix.advice, told));
            fix.audience = Audience::Operator;
        }
        Audience::Operator => fix.advice.push_str(&format!(
            "; the application also has its own settings for this: \
            {told}"
        )),
    }
}

#[cfg(test)]
mod tests;
