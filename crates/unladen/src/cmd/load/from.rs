//! `--from` without a URL: the file of a [`recorded`] load.

use std::path::PathBuf;

use crate::exit::Failure;

/// The file, if there is no URL; `also` is another given option that implies a load.
pub(super) fn recorded(from: &[String], also: Option<&str>) -> Result<Option<PathBuf>, Failure> {
    let [file] = from else {
        return Err(Failure::Usage(
            "--from: there is no URL. With one, hosts send to it; without, --from names the one file of a recorded load".into(),
        ));
    };
    match also {
        Some(also) => Err(Failure::Usage(format!(
            "--from cannot be used with {also} where there is no URL: it then tells a load that was recorded, and sends nothing"
        ))),
        None => Ok(Some(file.into())),
    }
}
