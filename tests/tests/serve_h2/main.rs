//! HTTP/2 (RFC 9113) as `unladen serve` speaks it to clients and to upstreams, tried frame by frame.

mod cases;
mod conformance;
mod floods;
mod support;
mod unread;
mod upstream;
