//! What the sampler of stacks sees of processes whose doings are known. Needs root, and perl.
#![expect(clippy::expect_used, clippy::panic, reason = "tests fail by them, in what they share too")]

mod opened;

use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use opened::opened;
use unladen_probe::{GroupBy, ProcessGroups, StackBatch, StackSample, StackSampler, monotonic_ns};

const FREQUENCY: u64 = 997;

/// A sampler; `None`, and a line that says why, where tests cannot have one.
fn sampler() -> Option<StackSampler> {
    opened(StackSampler::open(FREQUENCY))
}

/// A program that runs until it is dropped.
struct Burner(Child);

impl Burner {
    fn perl(script: &str) -> Self {
        let child = Command::new("perl").args(["-e", script]).stdout(Stdio::null()).spawn().expect("perl starts");
        // The kernel lets the parent of a process that becomes another program go on a moment before that has its name.
        let name = format!("/proc/{}/comm", child.id());
        while std::fs::read_to_string(&name).expect("it runs") != "perl\n" {
            sleep(Duration::from_millis(1));
        }
        Self(child)
    }

    fn cpu(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/schedstat", self.0.id())).expect("it runs");
        Duration::from_nanos(stat.split(' ').next().and_then(|first| first.parse().ok()).expect("a number"))
    }

    /// What was sampled of it while it had so much of a processor, and how much it had.
    fn sampled(&self, sampler: &mut StackSampler, at_least: Duration) -> (Vec<StackSample>, Duration, StackBatch) {
        sampler.take().expect("samples");
        let begun = self.cpu();
        let mut all = StackBatch::default();
        let patience = Instant::now() + Duration::from_secs(60);
        while self.cpu() - begun < at_least {
            assert!(Instant::now() < patience, "it gets no processor");
            sleep(Duration::from_millis(50));
            let batch = sampler.take().expect("samples");
            assert!(batch.samples.is_sorted_by_key(|sample| sample.at_ns));
            all.lost += batch.lost;
            all.samples.extend(batch.samples);
        }
        let had = self.cpu() - begun;
        let own = all.samples.iter().filter(|sample| sample.pid == self.0.id()).cloned().collect();
        (own, had, all)
    }
}

impl Drop for Burner {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn time_on_a_processor_is_samples() {
    let Some(mut sampler) = sampler() else { return };
    let burner = Burner::perl("1 while 1");
    let begun = monotonic_ns();
    let (own, had, all) = burner.sampled(&mut sampler, Duration::from_secs(2));
    assert_eq!(all.lost, 0);
    // The clock of samples ticks while the other one counts: but for their edges they agree, and virtual machines are
    // held up.
    let sampled = own.len() as f64 / FREQUENCY as f64;
    assert!((0.8..1.2).contains(&(sampled / had.as_secs_f64())), "{sampled} s of {had:?}");
    assert!(own.iter().all(|sample| sample.at_ns >= begun && sample.at_ns <= monotonic_ns()));
    assert!(own.iter().all(|sample| sample.comm == "perl" && sample.parent == std::process::id()));
    assert!(own.iter().filter(|sample| !sample.user.is_empty()).count() * 10 > own.len() * 9);
    assert!(
        own.iter().filter(|sample| sample.kernel.is_empty()).count() * 2 > own.len(),
        "it does not call the kernel"
    );
    assert!(all.samples.iter().all(|sample| sample.pid != 0), "who idles is left out");

    let mut groups = ProcessGroups::open(GroupBy::Exe);
    let group = groups.of(&own[0]);
    assert!(groups.group(group).name.ends_with(" perl"), "{}", groups.group(group));
}

#[test]
fn who_calls_the_kernel_is_seen_there() {
    let Some(mut sampler) = sampler() else { return };
    let burner = Burner::perl(r#"open my $f, "<", "/dev/zero"; 1 while sysread($f, my $x, 1 << 20)"#);
    let (own, _, all) = burner.sampled(&mut sampler, Duration::from_secs(1));
    assert_eq!(all.lost, 0);
    let inside: Vec<_> = own.iter().filter(|sample| !sample.kernel.is_empty()).collect();
    assert!(inside.len() * 2 > own.len(), "{} of {}", inside.len(), own.len());
    assert!(inside.iter().all(|sample| sample.kernel.iter().all(|address| *address > 1 << 47)));
    let joined = inside.iter().filter(|sample| sample.kernel.len() > 2 && !sample.user.is_empty()).count();
    assert!(
        joined * 10 > inside.len() * 9,
        "the program's frames are below the kernel's: {joined} of {}",
        inside.len()
    );
}

#[test]
fn a_pause_is_silent() {
    let Some(mut sampler) = sampler() else { return };
    let burner = Burner::perl("1 while 1");
    let (own, ..) = burner.sampled(&mut sampler, Duration::from_millis(100));
    assert!(!own.is_empty());
    sampler.pause();
    sampler.take().expect("samples");
    sleep(Duration::from_millis(300));
    assert_eq!(sampler.take().expect("samples"), StackBatch::default());
    sampler.resume().expect("it is ours");
    let (own, ..) = burner.sampled(&mut sampler, Duration::from_millis(100));
    assert!(!own.is_empty());
}

#[test]
fn an_impossible_frequency_is_refused() {
    if sampler().is_none() {
        return;
    }
    let error = StackSampler::open(u64::MAX / 2).expect_err("no such clock").to_string();
    assert!(error.contains("perf_event_max_sample_rate"), "{error}");
}

#[test]
fn descriptors_are_closed_once() {
    let Some(mut sampler) = sampler() else { return };
    let before = descriptors();
    for _ in 0..300 {
        sampler.pause();
        sampler.resume().expect("it is ours");
    }
    // Tests run beside each other in this process, and have some of their own.
    assert!(descriptors() < before + 100, "{before} {}", descriptors());
}

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").expect("own descriptors").count()
}
