//! Request smuggling, tried on `unladen serve` from both sides: what two readers of one connection may read in two ways
//! is refused, or sent on in one way. What arrives is looked at by an upstream that reads for itself.

mod cases;
mod connection;
mod downgrade;
mod readers;
mod requests;
mod responses;

mod support;
