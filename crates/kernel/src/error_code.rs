//! `ErrorCode`: the field `code` of errors. No other code can be sent, and the OpenAPI document
//! lists them.

use schemars::JsonSchema;
use serde::Serialize;

/// A stable code for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    // 400
    AmbiguousKey,
    AmbiguousLength,
    // 401
    Unauthorized,
    // 403
    CrossSite,
    MissingPermission,
    NotAnOperator,
    PreviousKeyValue,
    PrivilegeEscalation,
    // Also 422.
    TwoFactorRequired,
    UserBlocked,
    // 404
    CurrencyNotFound,
    NotFound,
    PromoCodeNotFound,
    UserNotFound,
    // 405
    MethodNotAllowed,
    // 406
    NotAcceptable,
    // 408
    RequestTimeout,
    // 409
    AlreadyErased,
    BackupRunning,
    BackupsDisabled,
    CurrencyInUse,
    // Also 503.
    OutcomeUnknown,
    PaymentGatewayInUse,
    PromoCodeInUse,
    ReplyUnavailable,
    SetupDone,
    SocialNetworkInUse,
    TooManyWebhooks,
    TwoFactorEnrolled,
    TwoFactorNotBegun,
    UserHasInvoices,
    UserIsOperator,
    // 412
    ChangedMeanwhile,
    // 413
    BodyTooLarge,
    // 415
    UnsupportedMediaType,
    // 422
    HasChildren,
    IdempotencyKeyReused,
    InvalidBody,
    InvalidCode,
    InvalidCredentials,
    InvalidJson,
    InvalidSetupToken,
    InvalidText,
    InvoicePaid,
    MissingBody,
    RconNoPassword,
    RconWrongPassword,
    ServerDisabled,
    ServerForbidden,
    ServerQueryOff,
    SessionInvalid,
    ValidationFailed,
    // 429
    IdempotencyQuota,
    RateLimited,
    TooManyAttempts,
    TooManyWrongKeys,
    // 500
    InternalError,
    // 502
    RconClosed,
    RconNoConnection,
    RconProtocol,
    RconTimeout,
    // 503
    Busy,
    Stopping,
    Timeout,
    Unavailable,
    // Of the start and of the command line: no request gets these.
    #[schemars(skip)]
    AdminKeyTaken,
    #[schemars(skip)]
    UnreadableSecret,
    #[schemars(skip)]
    WrongSecretKey,
}
