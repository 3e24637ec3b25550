//! What the PHP file of a map promises, held against real PHP: php's command line, and php-fpm, which keeps opcache
//! from one request to the next. Both have to be there.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot be set up fails")]

mod fpm;
mod loading;
mod memory;
mod order;
mod reported;
mod site;
mod stale;
