use unladen_profile::{About, Frame};

use super::*;

/// A database that took most of the page was in nobody's stacks, and nothing said so.
#[test]
fn a_group_on_the_path_was_silently_missing() {
    let mut profile = Profile::new(About::default());
    profile.frames.intern(Frame { name: "www-data nginx", file: "", line: 0, kind: FrameKind::Group });
    profile.frames.intern(Frame { name: "postgres postgres", file: "", line: 0, kind: FrameKind::Native });
    let groups = ["www-data nginx", "postgres postgres", "root redis"].map(str::to_owned).to_vec();
    let missing = Missing { groups, notes: vec!["10.0.0.5:5432 is on the request's path".into()] };
    let notes = missing.notes(&profile, &["root redis is left out: it is busy".to_owned()]);
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(notes[0].starts_with("postgres postgres is on the request's path, but not in this profile"), "{notes:?}");
}
