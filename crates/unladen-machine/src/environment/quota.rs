//! [`quota`]: how many processors the control groups leave to this process.

use crate::root::Root;

/// Control groups are seldom nested deeper; the kernel's own limit can be raised.
const DEEPEST: usize = 32;

pub(crate) fn quota(root: &Root) -> Option<f64> {
    let groups = root.read("proc/self/cgroup")?;
    let of_version_2 = path_of(&groups, |controllers| controllers.is_empty())
        .and_then(|path| smallest(path, |folder| max(&root.line(&format!("sys/fs/cgroup{folder}/cpu.max"))?)));
    let of_version_1 =
        path_of(&groups, |controllers| controllers.split(',').any(|one| one == "cpu")).and_then(|path| {
            smallest(path, |folder| {
                let file = |name: &str| root.line(&format!("sys/fs/cgroup/cpu{folder}/cpu.cfs_{name}_us"));
                cfs(&file("quota")?, &file("period")?)
            })
        });
    of_version_2.into_iter().chain(of_version_1).reduce(f64::min)
}

/// The path in the line `id:controllers:path` with the wanted controllers.
fn path_of(groups: &str, is_wanted: impl Fn(&str) -> bool) -> Option<&str> {
    groups.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        // A path with `..` belongs to a process in another namespace.
        let is_whole = path.starts_with('/') && !path.split('/').any(|name| name == "..");
        (is_wanted(controllers) && is_whole).then_some(path)
    })
}

fn smallest(path: &str, quota: impl Fn(&str) -> Option<f64>) -> Option<f64> {
    let mut folder = path.trim_end_matches('/');
    let mut found = quota(folder);
    for _ in 0..DEEPEST {
        let Some((above, _)) = folder.rsplit_once('/') else { break };
        folder = above;
        found = found.into_iter().chain(quota(folder)).reduce(f64::min);
    }
    found
}

/// `cpu.max` of version 2: `max 100000` or `150000 100000`.
fn max(line: &str) -> Option<f64> {
    let (quota, period) = line.split_once(' ')?;
    cfs(quota, period)
}

/// Quota and period in µs; without a limit the quota is `max`, or -1 in version 1.
fn cfs(quota: &str, period: &str) -> Option<f64> {
    let (quota, period): (u64, u64) = (quota.trim().parse().ok()?, period.trim().parse().ok()?);
    (quota > 0 && period > 0).then(|| quota as f64 / period as f64)
}

#[cfg(test)]
mod tests;
