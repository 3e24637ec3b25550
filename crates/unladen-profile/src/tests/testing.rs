//! Profiles of any shape, for property tests.

use proptest::prelude::*;

use crate::frame::{Frame, FrameId, FrameKind};
use crate::profile::{About, CallCount, Profile, Unit};
use crate::stack::StackId;

/// Letters that formats stumble over among them.
const NAME: &str = "[a-c]{1,3}|[;\\\\ x3b\n\r\t\\]_]{1,5}|_\\[[kij]\\]|find_\\[[kij]\\]|λ{1,2}|[\\x00-\\x1f\"]{1,2}";

fn kind() -> impl Strategy<Value = FrameKind> {
    proptest::sample::select(vec![
        FrameKind::Function,
        FrameKind::Include,
        FrameKind::ClassLookup,
        FrameKind::Native,
        FrameKind::Kernel,
        FrameKind::Group,
    ])
}

fn about() -> impl Strategy<Value = About> {
    let units = proptest::sample::select(vec![
        Unit::Samples,
        Unit::Nanoseconds,
        Unit::CpuNanoseconds,
        Unit::Bytes,
        Unit::Count,
    ]);
    let optional = || proptest::option::of(1..u64::from(u32::MAX));
    (".{0,8}", "[a-z]{0,4}", units, optional(), optional(), any::<bool>()).prop_map(
        |(title, profiler, unit, period_ns, requests, are_requests)| About {
            title,
            profiler,
            unit,
            period_ns,
            requests,
            are_requests,
            decimals: 0,
        },
    )
}

/// A profile of up to eight clusters.
pub(crate) fn profiles() -> impl Strategy<Value = Profile> {
    let frames = proptest::collection::vec((NAME, "[a-b]{0,1}", 0_u32..3, kind()), 1..8);
    let stacks = proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..40);
    let index = any::<prop::sample::Index>;
    let weights = proptest::collection::vec((index(), 0_u64..1_000_000), 0..20);
    let calls = proptest::collection::vec((proptest::option::of(index()), index(), 0_u64..1000), 0..4);
    let clusters = proptest::collection::vec((weights, calls), 0..8);
    (about(), frames, stacks, clusters).prop_map(|(about, frames, stacks, clusters)| {
        let mut profile = Profile::new(about);
        let frames: Vec<FrameId> = frames
            .iter()
            .map(|(name, file, line, kind)| profile.frames.intern(Frame { name, file, line: *line, kind: *kind }))
            .collect();
        let mut ids: Vec<StackId> = vec![profile.stacks.root()];
        for (below, frame) in stacks {
            let stack = profile.stacks.push(*below.get(&ids), *frame.get(&frames));
            ids.push(stack);
        }
        for (weights, calls) in clusters {
            let cluster = profile.begin_request();
            for (stack, weight) in weights {
                profile.add(cluster, *stack.get(&ids), weight);
            }
            for (caller, callee, calls) in calls {
                let caller = caller.map(|caller| *caller.get(&frames));
                profile.add_calls(cluster, CallCount { caller, callee: *callee.get(&frames), calls });
            }
        }
        profile
    })
}

/// The name, file and kind of a frame.
pub(crate) type Named = (String, String, FrameKind);

/// What each stack weighs in all clusters, by its frames, the outermost first; sorted, without those of nothing.
pub(crate) fn by_name(profile: &Profile) -> Vec<(Vec<Named>, u64)> {
    let frame = |id: FrameId| {
        let frame = profile.frames.get(id);
        (frame.name.to_owned(), frame.file.to_owned(), frame.kind)
    };
    let mut stacks: Vec<_> = profile
        .stacks
        .iter()
        .zip(profile.self_weights())
        .filter(|(_, weight)| *weight > 0)
        .map(|(stack, weight)| (profile.stacks.outwards_in(stack).into_iter().map(frame).collect::<Vec<_>>(), weight))
        .collect();
    stacks.sort();
    stacks
}

/// A profile of requests, each of `a;b;c` and a weight.
pub(crate) fn of_lines(title: &str, clusters: &[&[(&str, u64)]]) -> Profile {
    let mut profile = Profile::new(About { title: title.to_owned(), are_requests: true, ..About::default() });
    for stacks in clusters {
        let cluster = profile.begin_request();
        for (text, weight) in *stacks {
            let frames: Vec<FrameId> =
                text.split(';').map(|name| profile.frames.intern(Frame::function(name))).collect();
            let stack = profile.stacks.intern(frames);
            profile.add(cluster, stack, *weight);
        }
    }
    profile
}
