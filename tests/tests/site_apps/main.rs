//! Real applications behind `[[site]]` with their preset, and no other server between: PHP-FPM and wwsympa by FastCGI,
//! files by the site itself. People log in, write, comment, upload, search and log out in Chromium; two users and a
//! reader without a name never see each other's page; what is private stays so.
//!
//! Long: five applications are set up, and people use them in a browser.

mod dokuwiki;
mod drupal;
mod laravel;
mod mediawiki;
mod refused;
#[path = "../../../crates/unladen-validator/tests/servers/mod.rs"]
mod servers;
mod starters;
mod sympa;
mod visitor;
mod wordpress;

/// The page that has the lines for each application's side.
const CACHING: &str = include_str!("../../../docs/concepts/caching.md");

/// A block of [`CACHING`], as it is printed.
#[track_caller]
fn printed(head: &str) -> &'static str {
    visitor::between(CACHING, &format!("```{head}\n"), "```")
}
