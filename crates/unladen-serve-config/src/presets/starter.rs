//! The principal type is [`Starter`]: a configuration to begin with, as `unladen serve --init` writes it.

/// A configuration to begin with.
#[derive(Debug)]
pub struct Starter {
    pub name: &'static str,
    pub about: &'static str,
    pub text: &'static str,
}

/// All starters: one for each preset, and those of the two roles of `serve`.
pub const STARTERS: [Starter; 8] = [
    Starter { name: "wordpress", about: "WordPress by PHP-FPM", text: include_str!("init/wordpress.toml") },
    Starter { name: "mediawiki", about: "MediaWiki by PHP-FPM", text: include_str!("init/mediawiki.toml") },
    Starter { name: "dokuwiki", about: "DokuWiki by PHP-FPM", text: include_str!("init/dokuwiki.toml") },
    Starter { name: "sympa", about: "Sympa's web interface by FastCGI", text: include_str!("init/sympa.toml") },
    Starter { name: "drupal", about: "Drupal by PHP-FPM", text: include_str!("init/drupal.toml") },
    Starter { name: "laravel", about: "a Laravel application by PHP-FPM", text: include_str!("init/laravel.toml") },
    Starter { name: "proxy", about: "any application that speaks HTTP", text: include_str!("init/proxy.toml") },
    Starter {
        name: "outbound",
        about: "the calls that an application makes to other services",
        text: include_str!("init/outbound.toml"),
    },
];
