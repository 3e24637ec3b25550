//! FastCGI: what a page of PHP-FPM costs the server in front of it: `unladen serve`, nginx, Caddy.
//!
//! The page is as short as one can be, at a Unix socket, of one PHP-FPM for all. Servers have their connections to
//! PHP-FPM kept or not. What a request costs is without PHP-FPM's part.

use crate::comparison::Comparison;
use crate::php_fpm::PhpFpm;
use crate::{Bench, Options, Result, counting};

pub(crate) const BENCH: Bench =
    Bench { name: "fastcgi", about: "a page of PHP-FPM: CPU of a request in front of it", run };

/// It tells its length, which the clients want to know; PHP by itself does not.
const PAGE: &str = "<?php header('Cache-Control: no-store'); header('Content-Length: 6'); echo \"hello\\n\";\n";
/// A kept connection holds a worker, and no request of the 16 clients is to wait for one.
const WORKERS: usize = 16 + 8;

fn run(options: &Options) -> Result<()> {
    let mut all = Comparison::new("fastcgi", options)?;
    let fpm = PhpFpm::start("hello", &all.scratch, WORKERS, PAGE)?;
    all.told.extend(fpm.told.clone());
    all.run(counting::run, |_, _| Ok(()))
}
