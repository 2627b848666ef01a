//! The fields that `include=product` adds to invoices, read for a whole page at once.

use std::collections::HashMap;

use db::Conn;

use super::{Invoice, Order, Refund};
use crate::grants::{self, GrantState};
use crate::products;
use kernel::Result;

/// The product of an invoice, if it has one, and what became of it.
#[derive(Debug)]
pub struct Included {
    pub order: Option<Order>,
    /// The id and the name.
    pub product: Option<(i64, String)>,
    /// The last grant of the invoice.
    pub grant: Option<(i64, GrantState)>,
    pub refund: Option<Refund>,
}

/// One for each of the invoices, in their order.
pub async fn included(conn: &mut Conn, invoices: &[Invoice]) -> Result<Vec<Included>> {
    let ids: Vec<i64> = invoices.iter().map(|invoice| invoice.id).collect();
    let orders = invoices.iter().filter_map(|invoice| invoice.order);
    let product_ids: Vec<i64> = orders.map(|order| order.product_id).collect();
    let names = products::names(conn, &product_ids).await?;
    let names: HashMap<i64, String> = names.into_iter().collect();
    // Ordered by id: the last grant of an invoice replaces those before.
    let mut grants = HashMap::new();
    for (invoice_id, id, state) in grants::of_invoices(conn, &ids).await? {
        grants.insert(invoice_id, (id, state));
    }
    let include = |invoice: &Invoice| Included {
        order: invoice.order,
        product: invoice.order.and_then(|order| {
            let name = names.get(&order.product_id)?.clone();
            Some((order.product_id, name))
        }),
        grant: grants.get(&invoice.id).copied(),
        refund: invoice.refund,
    };
    Ok(invoices.iter().map(include).collect())
}
