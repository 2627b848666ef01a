//! Operations of `/api/products`.

use serde::Serialize;

use super::{NewProduct, Price, Product, ProductChanges, ProductPage, Step};
use crate::products;
use kernel::auth::permission::{Products, ProductsRead};
use kernel::http::paging::ListRequest;
use kernel::http::path::Id;
use kernel::http::reply::{Created, Done, List, Message, Single};
use kernel::http::routing::{ApiRouter, get_with, named, named_failing};
use kernel::http::{Caller, Writer};
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;
use kernel::write::etag;
use kernel::{Kernel, Result};

#[derive(Serialize, JsonSchema)]
struct ProductItem {
    id: i64,
    name: String,
    description: String,
    /// Whether it can be bought and given.
    active: bool,
    prices: Vec<Price>,
    /// What it gives, in order.
    steps: Vec<Step>,
    /// Whether the buyer chooses one of the servers.
    choose_server: bool,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl From<Product> for ProductItem {
    fn from(product: Product) -> Self {
        Self {
            id: product.id,
            name: product.name,
            description: product.description,
            active: product.active,
            prices: product.prices,
            steps: product.steps,
            choose_server: product.choose_server,
            created_at: product.created_at,
            updated_at: product.updated_at,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct ProductList {
    products: Vec<ProductItem>,
}

#[derive(Serialize, JsonSchema)]
struct SingleProduct {
    product: ProductItem,
}

#[derive(Serialize, JsonSchema)]
struct ProductReply {
    message: &'static str,
    product: ProductItem,
}

async fn list(
    caller: Caller<ProductsRead>,
    request: ListRequest<ProductPage>,
) -> Result<List<ProductList>> {
    let mut read = caller.read_alone().await?;
    let total = products::count(&mut read, &request.filters).await?;
    let mut found = products::list(&mut read, &request.filters, request.window()).await?;
    let headers = request.headers(total, &mut found, |product| product.id);
    let products = found.into_iter().map(ProductItem::from).collect();
    List::new(headers, &ProductList { products })
}

async fn get(caller: Caller<ProductsRead>, id: Id) -> Result<Single<SingleProduct>> {
    let mut read = caller.read().await?;
    let product = products::get(&mut read, id.0).await?;
    let tag = etag::of(&product);
    let product = product.into();
    caller.single(tag, &SingleProduct { product })
}

async fn create(writer: Writer<Products, NewProduct>) -> Result<Created<ProductReply>> {
    let explained = writer.explain(products::check_new);
    let run = explained.run(async |edit, body| {
        let created = products::create(edit, body.valid()?).await?;
        Ok(created.map(|product| ProductReply {
            message: "Product created.",
            product: product.into(),
        }))
    });
    run.await
}

async fn update(id: Id, writer: Writer<Products, ProductChanges>) -> Result<Done<ProductReply>> {
    let explained = writer.explain(products::check_changes);
    let run = explained.run(async |edit, body| {
        let product = products::target(edit, id.0).await?;
        let updated = products::update(edit, product, body.valid()?).await?;
        Ok(updated.map(|product| ProductReply {
            message: "Product updated.",
            product: product.into(),
        }))
    });
    run.await
}

async fn delete(id: Id, writer: Writer<Products>) -> Result<Done<Message>> {
    let run = writer.run(async |edit, _| {
        let product = products::target(edit, id.0).await?;
        let deleted = products::delete(edit, product).await?;
        Ok(deleted.map(|_| Message::new("Product deleted.")))
    });
    run.await
}

pub fn routes() -> ApiRouter<Kernel> {
    ApiRouter::new()
        .api_route(
            "/api/products",
            get_with(list, named("listProducts", "List products")).post_with(
                create,
                named_failing(
                    "createProduct",
                    "Create a product",
                    403,
                    "A step needs a further permission: `admin.servers.rcon` for commands, \
                     `admin.users` for roles.",
                ),
            ),
        )
        .api_route(
            "/api/products/{id}",
            get_with(get, named("getProduct", "Show a product"))
                .put_with(
                    update,
                    named_failing(
                        "updateProduct",
                        "Change a product",
                        403,
                        "A step needs a further permission: `admin.servers.rcon` for commands, \
                         `admin.users` for roles.",
                    ),
                )
                .delete_with(
                    delete,
                    named_failing(
                        "deleteProduct",
                        "Delete a product that nothing names",
                        409,
                        "Invoices or grants name the product.",
                    ),
                ),
        )
        .with_path_items(|item| item.tag("Products"))
}
