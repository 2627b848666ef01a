use super::Order;
use crate::input;
use crate::input::{Fault, Faults, Input, Place, Raw, text};

/// The description of a list: its query parameters and its orders.
#[derive(Debug)]
pub struct ListSpec {
    /// The query parameters, in the order of the OpenAPI document.
    pub parameters: &'static [Parameter],
    /// The name of [`Parameter::Size`].
    pub size_name: &'static str,
    pub default_size: i64,
    /// Whether a query without a page gets the whole list.
    pub all_by_default: bool,
    /// Whether the body states the number of the page. Links then carry it as well as the cursor.
    pub has_pagination: bool,
    /// The orders that a client can choose. Without any there is no [`Parameter::Sort`].
    pub orders: &'static [Order],
    pub default_order: Order,
    /// How the orders compare items, for the description of [`Parameter::Sort`].
    pub order_note: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// The number of the page.
    Page,
    /// The number of items on a page.
    Size,
    /// The cursor of the last item of the previous page.
    After,
    /// All fields of the [`ListQuery`].
    Filters,
    Sort,
    /// The format of an export.
    Format,
}

impl ListSpec {
    /// Pages of 20 items, ordered by id. Other lists are described by their differences.
    pub const PAGED: Self = Self {
        parameters: &[
            Parameter::Page,
            Parameter::Size,
            Parameter::After,
            Parameter::Filters,
            Parameter::Sort,
        ],
        size_name: "per_page",
        default_size: 20,
        all_by_default: false,
        has_pagination: false,
        orders: &[],
        default_order: Order::by_id("id", &["id"]),
        order_note: "",
    };

    /// A short list, which is served whole unless a page is named.
    pub const SHORT: Self = Self {
        all_by_default: true,
        ..Self::PAGED
    };

    pub fn has(&self, parameter: Parameter) -> bool {
        self.parameters.contains(&parameter)
    }

    /// Reads the parameter `sort`.
    pub fn read_order(&self, raw: Raw<'_>, place: &mut Place<'_>) -> Option<Order> {
        let order = Order::find(self.orders, &text(raw, place)?);
        if order.is_none() {
            let values = self.orders.iter().map(|order| order.name).collect();
            place.add(Fault::UnknownSort { values });
        }
        order
    }
}

/// The filters of a list, and its description.
pub trait ListQuery: Input {
    const LIST: &'static ListSpec;

    /// Checks the rules that involve more than one filter, or a filter and the order.
    fn check(&self, _: Order, _: &mut Faults) {}
}

input! {
    /// The query of a list without filters.
    pub struct Paging {}
}

impl ListQuery for Paging {
    const LIST: &'static ListSpec = &ListSpec::PAGED;
}

input! {
    /// The query of a short list without filters.
    pub struct PagingOrAll {}
}

impl ListQuery for PagingOrAll {
    const LIST: &'static ListSpec = &ListSpec::SHORT;
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub const LIST: ListSpec = ListSpec {
        orders: &[
            Order::by_id("id", &["id"]),
            Order::by_number("age", &["age", "id"]),
            Order::by_text("name", &["name"]),
        ],
        ..ListSpec::PAGED
    };

    pub fn parse<T>(
        text: &str,
        read: impl FnOnce(Raw<'_>, &mut Place<'_>) -> Option<T>,
    ) -> Result<T, String> {
        let mut faults = Faults::default();
        let value = read(Raw::Query(text), &mut faults.at("field"));
        value.ok_or_else(|| serde_json::to_string(&faults).expect("faults are plain"))
    }

    #[test]
    fn a_sort_is_parsed_as_it_is_written() {
        let read = |text: &str| parse(text, |raw, place| LIST.read_order(raw, place));
        for text in ["id", "-id", "age", "-age", "name", "-name"] {
            let order = read(text).expect(text);
            assert_eq!(order.to_string(), text);
            assert_eq!(order.is_descending, text.starts_with('-'));
        }
        for text in ["", "-", "--id", "ID", "id ", "+id", "size"] {
            let fault = read(text).expect_err(text);
            assert!(
                fault.contains("must be one of id, age, name, with - in front"),
                "{fault}"
            );
        }
    }
}
