//! The attribute `#[service_test]`, which starts the service for a test.

use proc_macro::{Delimiter, Group, Span, TokenStream, TokenTree};

const SIGNATURE: &str = "expected `async fn name(...)` without a return type";
const PARAMETERS: &str = "expected `app: TestApp` or `admin: Client`";
const UNUSED: &str = "no parameter asks for the service";

/// Makes a test of an async function and passes what its parameters ask for: `app: TestApp`, the
/// service, and `admin: Client`, a client with every permission. A test without parameters starts
/// the service itself.
///
/// `#[service_test(shop())]` starts it with `shop().await` instead of `TestApp::start().await`.
#[proc_macro_attribute]
pub fn service_test(start: TokenStream, function: TokenStream) -> TokenStream {
    expand(start, function).unwrap_or_else(|(message, span)| {
        let error = code(&format!("compile_error! {{ {message:?} }}"));
        error.into_iter().map(|token| at(span, token)).collect()
    })
}

fn expand(start: TokenStream, test: TokenStream) -> Result<TokenStream, (&'static str, Span)> {
    let test: Vec<TokenTree> = test.into_iter().collect();
    let [name @ .., TokenTree::Group(parameters), body] = &test[..] else {
        return Err((SIGNATURE, Span::call_site()));
    };
    if !matches!(name, [.., first, second, _] if is(first, "async") && is(second, "fn")) {
        return Err((SIGNATURE, Span::call_site()));
    }

    let mut wanted = Vec::new();
    let parameters: Vec<TokenTree> = parameters.stream().into_iter().collect();
    for parameter in parameters.split(|token| is(token, ",")) {
        match parameter.iter().find(|token| !is(token, "mut")) {
            // Before `app`, which takes the service.
            Some(name) if is(name, "admin") => wanted.insert(0, (parameter, "= service.admin();")),
            Some(name) if is(name, "app") => wanted.push((parameter, "= service;")),
            Some(name) => return Err((PARAMETERS, name.span())),
            None => {}
        }
    }

    let mut block = TokenStream::new();
    if !wanted.is_empty() {
        block.extend(code("let service ="));
        block.extend(if start.is_empty() {
            code("crate::support::TestApp::start()")
        } else {
            start
        });
        block.extend(code(".await;"));
    } else if let Some(token) = start.into_iter().next() {
        return Err((UNUSED, token.span()));
    }
    for (parameter, value) in wanted {
        block.extend(code("let"));
        block.extend(parameter.iter().cloned());
        block.extend(code(value));
    }
    block.extend([body.clone()]);

    let mut function = code("#[tokio::test(flavor = \"multi_thread\")]");
    function.extend(name.iter().cloned());
    function.extend(code("()"));
    function.extend([TokenTree::from(Group::new(Delimiter::Brace, block))]);
    Ok(function)
}

fn is(token: &TokenTree, text: &str) -> bool {
    token.to_string() == text
}

/// Variables of this code are invisible to the test.
fn code(text: &str) -> TokenStream {
    let tokens: TokenStream = text.parse().expect("this is Rust");
    let hidden = tokens
        .into_iter()
        .map(|token| at(Span::mixed_site(), token));
    hidden.collect()
}

fn at(span: Span, mut token: TokenTree) -> TokenTree {
    token.set_span(span);
    token
}
