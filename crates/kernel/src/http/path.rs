//! Ids in paths.

use std::convert::Infallible;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;

/// An id in a path. Anything but a positive 64-bit integer is read as 0, which no resource has, so
/// that the reply is `404`, and only after the caller was authenticated.
macro_rules! path_id {
    ($type:ident, $name:literal, $description:literal) => {
        #[doc = $description]
        #[derive(Clone, Copy)]
        pub struct $type(pub i64);

        impl<S: Send + Sync> FromRequestParts<S> for $type {
            type Rejection = Infallible;

            async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
                Ok(Self(find(parts, state, $name).await))
            }
        }

        #[cfg(feature = "openapi")]
        impl aide::OperationInput for $type {
            fn operation_input(
                _: &mut aide::generate::GenContext,
                operation: &mut aide::openapi::Operation,
            ) {
                super::openapi::add_parameter(
                    operation,
                    "path",
                    $name,
                    $description,
                    serde_json::json!({ "type": "integer", "format": "int64", "minimum": 1 }),
                );
            }

            fn inferred_early_responses(
                ctx: &mut aide::generate::GenContext,
                _: &mut aide::openapi::Operation,
            ) -> Vec<(Option<u16>, aide::openapi::Response)> {
                vec![super::openapi::no_such_resource(ctx)]
            }
        }
    };
}

path_id!(Id, "id", "The id of the resource.");
path_id!(UserId, "userId", "The id of the user.");
path_id!(
    LinkId,
    "networkId",
    "The id of the link, not of the network."
);
path_id!(BlockId, "blockId", "The id of the block.");
path_id!(RoleId, "roleId", "The id of the role.");
path_id!(DeviceId, "deviceId", "The id of the device.");
path_id!(DeliveryId, "deliveryId", "The id of the delivery.");
path_id!(IdentityId, "identityId", "The id of the identity.");
path_id!(StepId, "stepId", "The id of the step.");

path_id!(SessionId, "sessionId", "The id of the session.");

async fn find<S: Send + Sync>(parts: &mut Parts, state: &S, name: &str) -> i64 {
    let params = RawPathParams::from_request_parts(parts, state).await.ok();
    let digits = params
        .iter()
        .flatten()
        .find_map(|(found, value)| (found == name).then_some(value))
        .unwrap_or_default();
    parse(digits)
}

fn parse(digits: &str) -> i64 {
    let plain = digits.bytes().all(|digit| digit.is_ascii_digit());
    digits.parse().ok().filter(|_| plain).unwrap_or(0)
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
