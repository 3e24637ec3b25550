//! The list [`RULES`].

mod database_reconnect;
mod dns_again;
mod front;
mod n_plus_one;
mod opcache_revalidation;
mod peers;
mod lock_churn;
mod log_chatter;
mod process_per_request;
mod recompile;
mod same_file_again;
mod same_query_again;
mod sleep;
mod stat_storm;
mod statements;
#[cfg(test)]
mod testing;
mod unpooled_connection;
mod unpooled_tls;
mod unused_connection;

use crate::rule::Rule;

/// All rules, in the order in which they are listed.
pub static RULES: &[&dyn Rule] = &[
    &sleep::Sleep,
    &stat_storm::StatStorm,
    &same_file_again::SameFileAgain,
    &opcache_revalidation::OpcacheRevalidation,
    &recompile::Recompile,
    &lock_churn::LockChurn,
    &log_chatter::LogChatter,
    &process_per_request::ProcessPerRequest,
    &unpooled_connection::UnpooledConnection,
    &unpooled_tls::UnpooledTls,
    &dns_again::DnsAgain,
    &unused_connection::UnusedConnection,
    &database_reconnect::DatabaseReconnect,
    &n_plus_one::NPlusOne,
    &same_query_again::SameQueryAgain,
];
