//! Payments: currencies, gateways, promo codes, products, invoices and grants.

pub mod currencies;
pub mod gateways;
pub mod grants;
pub mod invoices;
pub mod products;
pub mod promo_codes;
