//! Configurations of `serve`: mistakes are told with the file's name and a line, and what is taken is taken again as the
//! same, with each value explained.
#![no_main]

use std::io;
use std::path::Path;

use libfuzzer_sys::fuzz_target;
use unladen_serve_config::{Config, Surroundings};

/// A machine whose files all hold the same few bytes.
struct Still;

impl Surroundings for Still {
    fn processors(&self) -> usize {
        2
    }

    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Ok(b"secret".to_vec())
    }

    fn stamp(&self, _: &Path) -> io::Result<u64> {
        Ok(1)
    }

    fn mode(&self, _: &Path) -> Option<u32> {
        Some(0o600)
    }
}

fuzz_target!(|text: &str| {
    let read = || Config::parse(text, Path::new("unladen.toml"), Path::new("/etc/unladen"), &Still);
    match read() {
        Ok(config) => {
            assert_eq!(read().expect("it was taken").settings, config.settings);
            for warning in &config.warnings {
                assert!(!warning.to_string().is_empty());
            }
        }
        Err(error) => {
            let said = error.to_string();
            assert!(said.contains("unladen.toml"), "{said}");
            assert!(!said.chars().any(|c| c.is_control() && c != '\n'), "{said:?}");
        }
    }
});
