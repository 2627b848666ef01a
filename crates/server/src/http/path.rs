use std::convert::Infallible;

use aide::OperationInput;
use aide::generate::GenContext;
use aide::openapi::{Operation, Response};
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;

use super::openapi;

/// The `{id}` of a path. What is not a positive 64-bit integer is no id at all and reads as 0,
/// which nothing has, so that it is `404` only after the caller was let in.
#[derive(Clone, Copy)]
pub struct Id(pub i64);

impl<S: Send + Sync> FromRequestParts<S> for Id {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let params = RawPathParams::from_request_parts(parts, state).await.ok();
        let digits = params
            .iter()
            .flatten()
            .find_map(|(name, value)| (name == "id").then_some(value))
            .unwrap_or_default();
        Ok(Self(parse(digits)))
    }
}

fn parse(digits: &str) -> i64 {
    let plain = digits.bytes().all(|digit| digit.is_ascii_digit());
    digits.parse().ok().filter(|_| plain).unwrap_or(0)
}

impl OperationInput for Id {
    fn operation_input(_: &mut GenContext, operation: &mut Operation) {
        openapi::add_parameter(
            operation,
            "path",
            "id",
            "The id of the resource.",
            serde_json::json!({ "type": "integer", "format": "int64", "minimum": 1 }),
        );
    }

    fn inferred_early_responses(
        ctx: &mut GenContext,
        _: &mut Operation,
    ) -> Vec<(Option<u16>, Response)> {
        vec![openapi::error(ctx, 404, "There is no such resource.")]
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn only_positive_integers_are_ids() {
        assert_eq!(parse("42"), 42);
        assert_eq!(parse("9223372036854775807"), i64::MAX);
        for bad in [
            "",
            "0",
            "-1",
            "+1",
            "1.0",
            "1e3",
            " 1",
            "abc",
            "9223372036854775808",
        ] {
            assert_eq!(parse(bad), 0, "{bad}");
        }
    }
}
