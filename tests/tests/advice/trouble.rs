//! The principal type is [`Trouble`]: a waste that is switched on, so that its fix is printed.

use unladen_tests::advice::Ground;

/// Faults of pledges whose rules print lines or commands.
const FAULTS: [&str; 10] = [
    "recompile",
    "opcache-revalidation",
    "debug-left-on",
    "uncompressed",
    "log-chatter",
    "stat-storm",
    "database-reconnect",
    "unpooled-tls",
    "unpooled-connection",
    "write-per-request",
];

/// Faults of pledges that take time of a request, and the rules that find them.
const TIMED: [(&str, &str); 21] = [
    ("n-plus-one", "n-plus-one"),
    ("same-query-again", "same-query-again"),
    ("prepare-per-query", "prepare-per-query"),
    ("database-reconnect", "database-reconnect"),
    ("unused-connection", "unused-connection"),
    ("unused-connection-tcp", "unused-connection"),
    ("log-chatter", "log-chatter"),
    ("log-chatter-file", "log-chatter"),
    ("same-file-again", "same-file-again"),
    ("lock-churn", "lock-churn"),
    ("lock-churn-link", "lock-churn"),
    ("process-per-request", "process-per-request"),
    ("write-per-request", "write-per-request"),
    ("write-per-request-sql", "write-per-request"),
    ("stat-storm", "stat-storm"),
    ("recompile", "recompile"),
    ("opcache-revalidation", "opcache-revalidation"),
    ("unpooled-connection", "unpooled-connection"),
    ("unpooled-tls", "unpooled-tls"),
    ("dns-again", "dns-again"),
    ("sleeps", "sleep"),
];

/// Something that whoever runs a server has left on.
#[derive(Debug)]
pub(crate) struct Trouble {
    pub(crate) name: &'static str,
    on: String,
    off: String,
    /// The rule that finds it, where that is certain.
    pub(crate) rule: Option<&'static str>,
}

impl Trouble {
    /// What there is of it at a subject.
    pub(crate) fn all(subject: &str, ground: &Ground) -> Vec<Self> {
        let of =
            |name, on: &str, off: &str, rule| vec![Self { name, on: on.into(), off: off.into(), rule: Some(rule) }];
        match subject {
            "pledges" => FAULTS.iter().map(|name| Self::fault(name, ground)).collect(),
            "caldav-tcp" => of(
                "logged statements",
                "runuser -u postgres -- psql -qc \"alter system set log_statement = 'all'\" -c 'select pg_reload_conf()'",
                "runuser -u postgres -- psql -qc 'alter system reset all' -c 'select pg_reload_conf()'",
                "log-chatter",
            ),
            "wordpress" => of(
                "general log",
                "mariadb -e 'SET GLOBAL general_log = 1'",
                "mariadb -e 'SET GLOBAL general_log = 0'",
                "log-chatter",
            ),
            "sympa" => {
                let settings = ground.subject().get("SYMPA_CONFIG");
                of(
                    "log level",
                    &format!("echo log_level 2 >>{settings} && systemctl restart wwsympa"),
                    &format!("sed -i /^log_level/d {settings} && systemctl restart wwsympa"),
                    "log-chatter",
                )
            }
            _ => Vec::new(),
        }
    }

    /// Those whose end is proved to save something: of PHP's settings, and of pledges all that it can waste.
    pub(crate) fn proved(subject: &str, ground: &Ground) -> Vec<Self> {
        let settings = format!("{}/php.d/zy-trouble.ini", ground.subject().find("STATE").unwrap_or_default());
        let setting = |name, line: &str, rule| Self {
            name,
            on: format!("echo '{line}' >{settings} && systemctl restart php-fpm"),
            off: format!("rm -f {settings} && systemctl restart php-fpm"),
            rule: Some(rule),
        };
        match subject {
            "pledges" => {
                let fault = |(name, rule)| Self { rule: Some(rule), ..Self::fault(name, ground) };
                TIMED.into_iter().map(fault).collect()
            }
            "wordpress" | "dokuwiki" | "mediawiki" | "caldav" => {
                let opcache = [
                    setting("no opcode cache", "opcache.enable = 0", "recompile"),
                    setting("files checked each time", "opcache.revalidate_freq = 0", "opcache-revalidation"),
                ];
                opcache.into_iter().chain(Self::all(subject, ground)).collect()
            }
            _ => Self::all(subject, ground),
        }
    }

    fn fault(name: &'static str, ground: &Ground) -> Self {
        let script = ground.subject().script().display();
        let state = ground.subject().get("UNLADEN_STATE");
        let word = |word: &str| format!("UNLADEN_STATE={state} UNLADEN_WORKERS=1 {script} fault {name} {word}");
        Self { name, on: word("on"), off: word("off"), rule: None }
    }

    /// # Errors
    /// With what it said, if it cannot be switched on.
    pub(crate) fn on(&self, ground: &Ground) -> Result<(), String> {
        ground.run(&self.on).map(drop)
    }

    /// # Errors
    /// Likewise.
    pub(crate) fn off(&self, ground: &Ground) -> Result<(), String> {
        ground.run(&self.off).map(drop)
    }
}
