//! The store against a naive one, on any sequence of operations.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
enum Op {
    Put { key: u8, vary: u8, said: u8, tags: u8, before: u64 },
    Code { key: u8, said: u8, length: usize },
    Purge { kind: u8, key: u8, is_soft: bool },
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        4 => (0..6_u8, 0..4_u8, 0..4_u8, 0..8_u8, 0..3_u64)
            .prop_map(|(key, vary, said, tags, before)| Op::Put { key, vary, said, tags, before }),
        1 => (0..6_u8, 0..4_u8, 0..5000_usize).prop_map(|(key, said, length)| Op::Code { key, said, length }),
        2 => (0..4_u8, 0..6_u8, any::<bool>()).prop_map(|(kind, key, is_soft)| Op::Purge { kind, key, is_soft }),
    ]
}

fn key_of(key: u8) -> Vec<u8> {
    format!("/{}/{key}", key % 2).into_bytes()
}

fn purge_of(kind: u8, key: u8) -> Purge {
    match kind {
        0 => Purge::Key(key_of(key)),
        1 => Purge::Prefix(format!("/{}", key % 2).into_bytes()),
        2 => Purge::Tag(format!("t{}", key % 3).into()),
        _ => Purge::All,
    }
}

/// Bits to names: the fields nominated, or the tags.
fn named<'a>(bits: u8, names: &[&'a str]) -> Vec<&'a str> {
    names.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1).map(|(_, name)| *name).collect()
}

#[derive(Debug, Default)]
struct Model {
    /// By key: what is nominated, and by variant in the order of being put: what was put, and whether it is to be asked
    /// about.
    resources: BTreeMap<Vec<u8>, (u8, Variants)>,
    purges: Vec<(Purge, bool)>,
}

type Variants = Vec<(u8, Arc<Stored>, bool)>;

const VARIANTS: usize = 3;

impl Model {
    fn put(&mut self, key: &[u8], vary: u8, said: u8, stored: &Arc<Stored>) -> bool {
        let later = self.purges.iter().skip(stored.sequence.0 as usize).filter(|(purge, _)| purge.means(key, stored));
        let later: Vec<bool> = later.map(|(_, is_soft)| *is_soft).collect();
        if later.contains(&false) {
            return false;
        }
        let (nominated, variants) = self.resources.entry(key.to_vec()).or_default();
        if *nominated | vary != *nominated {
            *nominated |= vary;
            variants.clear();
        }
        variants.retain(|variant| variant.0 != said);
        variants.push((said, Arc::clone(stored), !later.is_empty()));
        if variants.len() > VARIANTS {
            variants.remove(0);
        }
        true
    }

    fn purge(&mut self, purge: &Purge, is_soft: bool) -> u64 {
        self.purges.push((purge.clone(), is_soft));
        let mut count = 0;
        self.resources.retain(|key, (_, variants)| {
            variants.retain_mut(|(_, stored, soft)| {
                let is_meant = purge.means(key, stored);
                count += u64::from(is_meant);
                *soft |= is_meant;
                is_soft || !is_meant
            });
            !variants.is_empty()
        });
        count
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn it_does_what_a_naive_one_does(ops in prop::collection::vec(op(), 1..60)) {
        let store = Store::new(StoreSettings { memory: 8 << 20, largest: 1 << 20, variants: VARIANTS });
        let mut model = Model::default();
        for op in ops {
            match op {
                Op::Put { key, vary, said, tags, before } => {
                    let key = key_of(key);
                    let sequence = Sequence(store.sequence().0.saturating_sub(before));
                    let stored = response(vec![said], &named(tags, &["t0", "t1", "t2"]).join(","), sequence);
                    let names = nominated(&named(vary, &["accept", "cookie"]));
                    let is_stored = store.put(&key, &names, |_| vec![said], Arc::clone(&stored));
                    prop_assert_eq!(is_stored, model.put(&key, vary, said, &stored));
                }
                Op::Code { key, said, length } => {
                    if let Some(resource) = store.find(&key_of(key)) && let Some(stored) = resource.variant(&[said]) {
                        store.set_coded(&key_of(key), stored, Coding::Zstd, Some(vec![0; length].into()));
                        prop_assert!(stored.is_coded(Coding::Zstd));
                    }
                }
                Op::Purge { kind, key, is_soft } => {
                    let purge = purge_of(kind, key);
                    prop_assert_eq!(store.purge(&purge, is_soft), model.purge(&purge, is_soft));
                }
            }
            for key in (0..6).map(key_of) {
                let found = store.find(&key);
                let expected = model.resources.get(&key);
                prop_assert_eq!(found.is_some(), expected.is_some());
                let (Some(found), Some((vary, variants))) = (found, expected) else { continue };
                prop_assert_eq!(&found.nominated, &nominated(&named(*vary, &["accept", "cookie"])));
                prop_assert_eq!(found.responses().len(), variants.len());
                for (said, stored, is_soft) in variants {
                    let there = found.variant(&[*said]).expect("it is stored");
                    prop_assert!(Arc::ptr_eq(there, stored));
                    prop_assert_eq!(there.is_soft_purged(), *is_soft);
                }
            }
            check_tags(&store);
            let weight: usize = model.resources.values().flat_map(|of| &of.1).map(|of| of.1.weight()).sum();
            prop_assert!(store.totals().bytes >= weight as u64);
        }
    }
}
