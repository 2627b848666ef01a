//! Operation of `/api/payment-invoices/stats`.

use serde::Serialize;

use super::{Statistics, StatisticsQuery};
use crate::invoices::statistics;
use kernel::auth::permission::PaymentsRead;
use kernel::http::Caller;
use kernel::http::query::Query;
use kernel::http::reply::Done;
use kernel::http::routing::{ApiRouter, get_with, named};
use kernel::schema::JsonSchema;
use kernel::types::Day;
use kernel::types::money::Sum;
use kernel::{Kernel, Result};

#[derive(Serialize, JsonSchema)]
struct PaymentStatisticsReply {
    stats: PaymentStatistics,
}

/// Sums of the amounts after discounts, without currency conversion.
#[derive(Serialize, JsonSchema)]
struct PaymentStatistics {
    total_amount: Sum,
    total_count: i64,
    completed_amount: Sum,
    completed_count: i64,
    pending_amount: Sum,
    pending_count: i64,
    failed_amount: Sum,
    failed_count: i64,
    by_gateway: Vec<GatewayStatistics>,
    by_day: Vec<DayStatistics>,
    /// Only with `group_by=currency`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<CurrencyStatistics>", default)]
    by_currency: Option<Vec<CurrencyStatistics>>,
    /// Paid invoices by the day (UTC) of the payment. Here `start_date` and `end_date` are days of
    /// payment. Only with `group_by=paid_day`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<DayStatistics>", default)]
    by_paid_day: Option<Vec<DayStatistics>>,
}

#[derive(Serialize, JsonSchema)]
struct GatewayStatistics {
    gateway_id: i64,
    gateway_name: String,
    amount: Sum,
    count: i64,
}

#[derive(Serialize, JsonSchema)]
struct DayStatistics {
    #[schemars(extend("format" = "date"))]
    date: String,
    amount: Sum,
    count: i64,
}

#[derive(Serialize, JsonSchema)]
struct CurrencyStatistics {
    currency_id: i64,
    currency: String,
    amount: Sum,
    count: i64,
}

impl From<Statistics> for PaymentStatistics {
    fn from(statistics: Statistics) -> Self {
        let Statistics {
            total,
            completed,
            pending,
            failed,
            by_gateway,
            by_day,
            by_currency,
            by_paid_day,
        } = statistics;
        Self {
            total_amount: total.amount,
            total_count: total.count,
            completed_amount: completed.amount,
            completed_count: completed.count,
            pending_amount: pending.amount,
            pending_count: pending.count,
            failed_amount: failed.amount,
            failed_count: failed.count,
            by_gateway: by_gateway
                .into_iter()
                .map(|(gateway_id, gateway_name, total)| GatewayStatistics {
                    gateway_id,
                    gateway_name,
                    amount: total.amount,
                    count: total.count,
                })
                .collect(),
            by_day: by_day.into_iter().map(of_day).collect(),
            by_currency: by_currency.map(|list| list.into_iter().map(of_currency).collect()),
            by_paid_day: by_paid_day.map(|list| list.into_iter().map(of_day).collect()),
        }
    }
}

fn of_day((day, total): (Day, super::Total)) -> DayStatistics {
    DayStatistics {
        date: day.to_string(),
        amount: total.amount,
        count: total.count,
    }
}

fn of_currency((currency_id, currency, total): (i64, String, super::Total)) -> CurrencyStatistics {
    CurrencyStatistics {
        currency_id,
        currency,
        amount: total.amount,
        count: total.count,
    }
}

async fn show(
    caller: Caller<PaymentsRead>,
    Query(query): Query<StatisticsQuery>,
) -> Result<Done<PaymentStatisticsReply>> {
    let mut read = caller.read_alone().await?;
    let statistics = statistics::read(&mut read, &query).await?;
    Done::new(&PaymentStatisticsReply {
        stats: statistics.into(),
    })
}

pub fn routes() -> ApiRouter<Kernel> {
    ApiRouter::new()
        .api_route(
            "/api/payment-invoices/stats",
            get_with(
                show,
                named("getPaymentStatistics", "Show payment statistics"),
            ),
        )
        .with_path_items(|item| item.tag("Payment invoices"))
}
