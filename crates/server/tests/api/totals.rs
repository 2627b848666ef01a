//! Totals and sums that the database keeps, against a full recount, after anything that can happen
//! to what they count, one by one and at once.

mod invoices;
mod pages;
mod users;
