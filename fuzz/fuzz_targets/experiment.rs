//! An experiment file: whatever it holds, what is taken has arms that differ and requests that can be sent, and errors
//! name their line.
#![no_main]

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use libfuzzer_sys::fuzz_target;
use unladen_prove::{Experiment, ExperimentError};

/// The files that it names: none of the system's is read.
fn files(path: &Path) -> io::Result<Vec<u8>> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("txt") => Ok(b"http://127.0.0.1/ page\n".to_vec()),
        Some(_) => Ok(b"text\n".to_vec()),
        None => Err(io::Error::from(io::ErrorKind::NotFound)),
    }
}

fuzz_target!(|text: &str| {
    match Experiment::parse(text, Path::new("lab.toml"), Path::new("/lab"), &files) {
        Ok(experiment) => {
            let arms = experiment.arms();
            assert!(arms.len() >= 3, "a baseline, the baseline again, and something to compare");
            assert!(arms.iter().all(|arm| arm.on.len() == experiment.knobs.len() && !arm.roles.is_empty()));
            let names: BTreeSet<&str> = arms.iter().map(|arm| arm.name.as_str()).collect();
            assert_eq!(names.len(), arms.len(), "no two arms of one name");
            for arm in &arms {
                let requests = experiment.requests(arm).expect("what the file says can be sent");
                assert_eq!(requests.len(), experiment.urls.len());
            }
            for knob in &experiment.knobs {
                assert!(knob.restart.iter().all(|service| *service < experiment.services.len()));
            }
        }
        Err(ExperimentError::Bad(bad)) => {
            assert!(bad.line >= 1 && bad.column >= 1 && bad.width >= 1);
            assert!(bad.to_string().starts_with("lab.toml:"));
        }
        Err(error) => panic!("no file was read: {error}"),
    }
});
