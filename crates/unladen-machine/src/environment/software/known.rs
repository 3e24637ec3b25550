//! The principal type is [`Program`]: what is known of a program by its file name.

/// File names of a program, and where its version is found. In `packages`, `{}` stands for the rest of the file name
/// (`8.2` of `php-fpm8.2`), or for a numeric folder of the path (`15` of `/usr/lib/postgresql/15/bin`).
struct Known {
    /// Beginning of the file's name, which only a version follows.
    file: &'static str,
    name: &'static str,
    packages: &'static [&'static str],
    mark: Mark,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    After(&'static str),
    Before(&'static str),
    None,
}

const PHP: Mark = Mark::After("X-Powered-By: PHP/");
const MARIADB: Mark = Mark::Before("-MariaDB");
const NONE: Mark = Mark::None;

/// The servers and interpreters of web applications, by Debian's names.
const KNOWN: &[Known] = &[
    Known { file: "php-fpm", name: "PHP-FPM", packages: &["php{}-fpm"], mark: PHP },
    Known { file: "php-cgi", name: "PHP", packages: &["php{}-cgi"], mark: PHP },
    Known { file: "php", name: "PHP", packages: &["php{}-cli"], mark: PHP },
    Known {
        file: "nginx",
        name: "nginx",
        packages: &["nginx", "nginx-core", "nginx-light"],
        mark: Mark::After("nginx/"),
    },
    Known { file: "apache2", name: "Apache", packages: &["apache2-bin"], mark: Mark::After("Apache/") },
    Known { file: "httpd", name: "Apache", packages: &[], mark: Mark::After("Apache/") },
    Known { file: "lighttpd", name: "lighttpd", packages: &["lighttpd"], mark: Mark::After("lighttpd/") },
    Known { file: "mariadbd", name: "MariaDB", packages: &["mariadb-server-core", "mariadb-server"], mark: MARIADB },
    Known {
        file: "mysqld",
        name: "MySQL",
        packages: &["mysql-server-core-8.0", "mysql-community-server-core"],
        mark: NONE,
    },
    Known { file: "postgres", name: "PostgreSQL", packages: &["postgresql-{}"], mark: Mark::After("PostgreSQL ") },
    Known { file: "redis-server", name: "Redis", packages: &["redis-server", "redis-tools"], mark: NONE },
    Known { file: "redis-check-rdb", name: "Redis", packages: &["redis-tools"], mark: NONE },
    Known { file: "valkey-server", name: "Valkey", packages: &["valkey-server", "valkey-tools"], mark: NONE },
    Known { file: "memcached", name: "Memcached", packages: &["memcached"], mark: NONE },
    Known { file: "haproxy", name: "HAProxy", packages: &["haproxy"], mark: NONE },
    Known { file: "varnishd", name: "Varnish", packages: &["varnish"], mark: NONE },
    Known { file: "squid", name: "Squid", packages: &["squid", "squid-openssl"], mark: NONE },
    Known { file: "python", name: "Python", packages: &["python{}-minimal", "python{}"], mark: NONE },
    Known { file: "perl", name: "Perl", packages: &["perl-base", "perl"], mark: NONE },
    Known { file: "ruby", name: "Ruby", packages: &["ruby{}"], mark: NONE },
    Known { file: "node", name: "Node.js", packages: &["nodejs"], mark: NONE },
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) name: String,
    /// Packages that may own it, with `{}` for a number of the path.
    pub(crate) packages: Vec<String>,
    pub(crate) mark: Mark,
}

impl Program {
    /// Looks up a file name. An unknown program has its file's name, also as a possible package.
    pub(crate) fn of(file_name: &str) -> Self {
        for known in KNOWN {
            let Some(rest) = file_name.strip_prefix(known.file) else { continue };
            if rest.chars().all(|character| character.is_ascii_digit() || character == '.') {
                let packages = known
                    .packages
                    .iter()
                    .map(|package| if rest.is_empty() { (*package).to_owned() } else { package.replace("{}", rest) });
                return Self { name: known.name.to_owned(), packages: packages.collect(), mark: known.mark };
            }
        }
        Self { name: file_name.to_owned(), packages: vec![file_name.to_owned()], mark: Mark::None }
    }
}
