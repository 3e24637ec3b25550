//! What each engine that carries purges has to do for a fleet, held against real servers: nothing is passed over, what was
//! lost is told, and the list of nodes goes by the engine's clock.

mod contract;
mod nats;
mod postgres;
mod valkey;
