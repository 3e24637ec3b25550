//! The principal type is [`Costs`]: what an engine's steps cost it.

/// What an engine's steps cost it, in seconds of a core: `unladen-bench fleet` measures them, reading and writing its
/// sockets included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    /// Which engine.
    pub name: &'static str,
    /// To write a purge.
    pub publish: f64,
    /// To tell a node of it, to have it read it, and to note that it has.
    pub each: f64,
    /// To renew a lease.
    pub beat: f64,
    /// To tell who is in the list, and for each of them.
    pub look: f64,
    /// For each of them.
    pub listed: f64,
    /// How many steps it can do at a time.
    pub cores: f64,
}

const fn us(number: f64) -> f64 {
    number * 1e-6
}

impl Costs {
    /// Redis 7.0, which does one step at a time.
    pub const VALKEY: Self = Self {
        name: "Valkey, Redis",
        publish: us(180.0),
        each: us(69.0),
        beat: us(23.0),
        look: us(50.0),
        listed: us(1.0),
        cores: 1.0,
    };
    /// PostgreSQL 15 on four cores.
    pub const POSTGRESQL: Self = Self {
        name: "PostgreSQL, 4 cores",
        publish: us(1200.0),
        each: us(900.0),
        beat: us(420.0),
        look: us(230.0),
        listed: us(1.7),
        cores: 4.0,
    };
    /// NATS 2.9, whose requests of one account are served one after the other.
    pub const NATS: Self = Self {
        name: "NATS",
        publish: us(700.0),
        each: us(170.0),
        beat: us(180.0),
        look: us(730.0),
        listed: us(33.0),
        cores: 1.0,
    };
    /// All of them.
    pub const ALL: [&'static Self; 3] = [&Self::VALKEY, &Self::POSTGRESQL, &Self::NATS];
}
