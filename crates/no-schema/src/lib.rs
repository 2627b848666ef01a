//! The derive `JsonSchema` of builds without the feature `openapi`, such as the program. It accepts
//! the attributes of the derive of schemars and generates nothing.

use proc_macro::TokenStream;

#[proc_macro_derive(JsonSchema, attributes(schemars))]
pub fn derive_nothing(_: TokenStream) -> TokenStream {
    TokenStream::new()
}
