//! `ErrorCode`: the field `code` of errors. The OpenAPI document lists these codes, and no other
//! can be sent.

use serde::Serialize;

use crate::schema::JsonSchema;

/// A stable code for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    // 400
    AmbiguousKey,
    AmbiguousLength,
    MissingHost,
    // 401
    Unauthorized,
    // 403
    ConfirmationRequired,
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
    ProductNotFound,
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
    BanNotActive,
    CurrencyInUse,
    CursorExpired,
    DiscordIntentMissing,
    DiscordNotConnected,
    IdentityTaken,
    InvoiceNotPaid,
    LastSignInMethod,
    NewestBackup,
    // Also 503.
    OutcomeUnknown,
    PaymentGatewayInUse,
    ProductInUse,
    PromoCodeInUse,
    ReplyUnavailable,
    SetupDone,
    SocialNetworkInUse,
    StepNotRetryable,
    TooManyIdentities,
    TooManyWebhooks,
    TwoFactorEnrolled,
    TwoFactorNotBegun,
    UserHasGrants,
    UserHasInvoices,
    UserIsOperator,
    // 412
    PreconditionFailed,
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
    SignInCancelled,
    SignInFailed,
    UnknownIdentity,
    ValidationFailed,
    // 429
    IdempotencyQuota,
    RateLimited,
    TooManyAttempts,
    TooManyStreams,
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
    ProviderUnavailable,
    Stopping,
    Timeout,
    Unavailable,
    // Errors of the start and of the command line, which no request gets.
    #[schemars(skip)]
    AdminKeyTaken,
    #[schemars(skip)]
    UnreadableSecret,
    #[schemars(skip)]
    WrongSecretKey,
}
