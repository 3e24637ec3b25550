//! The processors' frequency, if the kernel sets it: [`files`], [`mean_hz`].

use std::path::{Path, PathBuf};

use crate::kernel_text::decimal;

/// Most processors that are asked: some drivers interrupt the processor for an answer.
const MOST_POLICIES: usize = 16;

/// Files of the current frequency in kHz (Documentation/admin-guide/pm/cpufreq.rst); empty on virtual machines.
pub(super) fn files(sys: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(sys.join("devices/system/cpu/cpufreq")) else { return Vec::new() };
    let is_policy =
        |path: &PathBuf| path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("policy"));
    let mut policies: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_policy).collect();
    policies.sort_unstable();
    policies.into_iter().take(MOST_POLICIES).map(|policy| policy.join("scaling_cur_freq")).collect()
}

/// The mean of contents in kHz, in Hz.
pub(super) fn mean_hz<'a>(contents: impl Iterator<Item = &'a [u8]>) -> Option<u64> {
    let (sum, count) =
        contents.filter_map(decimal).fold((0_u128, 0_u128), |(sum, count), khz| (sum + u128::from(khz), count + 1));
    u64::try_from((sum * 1_000).checked_div(count)?).ok()
}

#[cfg(test)]
mod tests;
