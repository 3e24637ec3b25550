//! A store's memory, as the kernel counts it, stays within its bound and a tenth with many tiny keys: in a process of
//! its own, since what others gave back to malloc would be taken again.

mod memory;

use memory::{MEMORY, check, put, resident};
use unladen_cache::{Store, StoreSettings};

#[test]
fn many_tiny_keys_stay_within_the_bound() {
    let settings = StoreSettings { memory: MEMORY, largest: 4 << 20, variants: 64 };
    let before = resident();
    let store = Store::new(settings);
    for n in 0..500_000_u32 {
        put(&store, &n.to_le_bytes(), b"", 1, "");
    }
    check("tiny", before, &store);
}
