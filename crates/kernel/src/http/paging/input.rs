//! The query strings of lists and exports.

use crate::Result;
use crate::http::export::Format;
use crate::input::{Fault, Faults, Fields, Input, Place, Positive, Rule};
use crate::list::{Cursor, CursorWindow, ListQuery, ListSpec, Order, Parameter, Window};

pub const MAX_SIZE: i64 = 100;

/// The query string of a list, or of its export.
pub struct ListInput<Q, const IS_EXPORT: bool = false> {
    pub page: Page,
    pub filters: Q,
}

/// The parameters that are the same for all lists.
#[derive(Debug)]
pub struct Page {
    pub list: &'static ListSpec,
    number: Option<Positive>,
    size: Option<Positive>,
    pub after: Option<Cursor>,
    pub order: Order,
    pub format: Option<Format>,
}

impl Page {
    pub fn is_all(&self) -> bool {
        let is_paged = self.number.is_some() || self.size.is_some() || self.after.is_some();
        self.list.all_by_default && !is_paged
    }

    /// The number of the page, from 1.
    pub fn number(&self) -> i64 {
        self.number.map_or(1, |page| page.0)
    }

    pub fn size(&self) -> i64 {
        self.size
            .map_or(self.list.default_size, |size| size.0.min(MAX_SIZE))
    }

    /// Has one item more than the page, to detect whether there is a next page. A cursor takes
    /// precedence over the number of the page.
    pub fn window(&self) -> CursorWindow {
        let pages_before = match self.after {
            Some(_) => 0,
            None => self.number() - 1,
        };
        let (limit, offset) = match self.is_all() {
            true => (i64::MAX, 0),
            false => (self.size() + 1, pages_before.saturating_mul(self.size())),
        };
        Window {
            after: self.after.clone(),
            limit,
            offset,
            from_end: false,
        }
    }
}

impl<Q: ListQuery, const IS_EXPORT: bool> ListInput<Q, IS_EXPORT> {
    /// The parameters, in the order of the OpenAPI document.
    pub fn parameters() -> impl Iterator<Item = Parameter> {
        let parameters = match IS_EXPORT {
            true => &[Parameter::Format, Parameter::Filters, Parameter::Sort],
            false => Q::LIST.parameters,
        };
        let has_sort = !Q::LIST.orders.is_empty();
        let parameters = parameters.iter().copied();
        parameters.filter(move |parameter| *parameter != Parameter::Sort || has_sort)
    }

    /// The name of a parameter; `None` for the filters, which have their own.
    pub fn name(parameter: Parameter) -> Option<&'static str> {
        match parameter {
            Parameter::Page => Some("page"),
            Parameter::Size => Some(Q::LIST.size_name),
            Parameter::After => Some("after"),
            Parameter::Filters => None,
            Parameter::Sort => Some("sort"),
            Parameter::Format => Some("format"),
        }
    }

    /// Checks the rules that involve more than one parameter.
    pub fn checked(self) -> Result<Self> {
        let mut faults = Faults::default();
        let Page { after, order, .. } = &self.page;
        self.filters.check(*order, &mut faults);
        if after.as_ref().is_some_and(|cursor| cursor.order != *order) {
            faults.at("after").add(Fault::CursorOfOtherSort {});
        }
        faults.check()?;
        Ok(self)
    }
}

impl<Q: ListQuery, const IS_EXPORT: bool> Input for ListInput<Q, IS_EXPORT> {
    type Partial = (Page, Option<Q::Partial>);

    fn position(field: &str) -> Option<usize> {
        let position = Self::parameters().position(|known| Self::name(known) == Some(field));
        position.or_else(|| Some(Self::parameters().count() + Q::position(field)?))
    }

    fn read_partial(fields: &Fields<'_>, place: &mut Place<'_>) -> Self::Partial {
        let mut page = Page {
            list: Q::LIST,
            number: None,
            size: None,
            after: None,
            order: Q::LIST.default_order,
            format: None,
        };
        let mut filters = None;
        for parameter in Self::parameters() {
            let Some(name) = Self::name(parameter) else {
                filters = Some(Q::read_partial(fields, place));
                continue;
            };
            let (Some(raw), place) = (fields.get(name), &mut place.inside(name)) else {
                continue;
            };
            match parameter {
                Parameter::Page => page.number = Positive::read(raw, place),
                Parameter::Size => page.size = Positive::read(raw, place),
                Parameter::After => page.after = Cursor::read(Q::LIST, raw, place),
                Parameter::Sort => {
                    page.order = Q::LIST.read_order(raw, place).unwrap_or(page.order)
                }
                Parameter::Format => page.format = Format::read(raw, place),
                Parameter::Filters => {}
            }
        }
        (page, filters)
    }

    fn complete((page, filters): Self::Partial) -> Option<Self> {
        let filters = Q::complete(filters?)?;
        Some(Self { page, filters })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::input::Raw;
    use crate::list::{Paging, PagingOrAll};

    fn read<Q: ListQuery>(query: &[(&str, &str)]) -> ListInput<Q> {
        let raw = query
            .iter()
            .map(|(name, value)| ((*name).to_owned(), Raw::Query(value)));
        let input = ListInput::<Q>::read(&raw.collect(), true);
        input.map_err(Error::from).expect("a valid query")
    }

    #[test]
    fn a_window_has_one_item_more_than_the_page() {
        for (query, limit, offset) in [
            (vec![], 21, 0),
            (vec![("page", "3")], 21, 40),
            (vec![("page", "3"), ("per_page", "7")], 8, 14),
            (vec![("per_page", "1000")], 101, 0),
            (vec![("page", "9"), ("after", "5")], 21, 0),
        ] {
            let window = read::<Paging>(&query).page.window();
            assert_eq!((window.limit, window.offset), (limit, offset), "{query:?}");
        }
        let far = [("page", "9223372036854775807")];
        assert_eq!(read::<Paging>(&far).page.window().offset, i64::MAX);
    }

    #[test]
    fn a_short_list_is_served_whole_unless_a_page_is_named() {
        let window = read::<PagingOrAll>(&[]).page.window();
        assert_eq!((window.limit, window.offset), (i64::MAX, 0));
        for parameter in ["page", "per_page", "after"] {
            assert!(!read::<PagingOrAll>(&[(parameter, "1")]).page.is_all());
        }
        assert!(!read::<Paging>(&[]).page.is_all());
    }

    crate::input! {
        /// The query of a list with everything.
        struct Full {
            role_id: Option<Positive>,
        }
    }

    impl ListQuery for Full {
        const LIST: &'static ListSpec = &ListSpec {
            parameters: &[
                Parameter::Filters,
                Parameter::After,
                Parameter::Size,
                Parameter::Sort,
            ],
            size_name: "limit",
            orders: &[
                Order::by_id("id", &["id"]),
                Order::by_number("age", &["age", "id"]),
            ],
            ..ListSpec::PAGED
        };
    }

    #[test]
    fn a_cursor_is_where_the_window_starts() {
        let query = [("sort", "-age"), ("after", "-age:30.17"), ("role_id", "7")];
        let ListInput { page, filters } = read::<Full>(&query);
        assert_eq!(filters.role_id.map(|id| id.0), Some(7));
        let after = page.window().after.expect("a cursor");
        assert_eq!(after.to_text(Full::LIST), "-age:30.17");
        assert_eq!(page.order, after.order);
    }

    #[test]
    fn the_description_determines_the_parameters() {
        type List = ListInput<Full>;
        type Export = ListInput<Full, true>;
        for name in ["role_id", "after", "limit", "sort"] {
            assert!(List::position(name).is_some(), "{name}");
        }
        for name in ["page", "per_page", "format"] {
            assert_eq!(List::position(name), None, "{name}");
        }
        for (name, is_known) in [
            ("format", true),
            ("role_id", true),
            ("sort", true),
            ("after", false),
        ] {
            assert_eq!(Export::position(name).is_some(), is_known, "{name}");
        }
        assert_eq!(ListInput::<Paging>::position("sort"), None);
    }

    #[cfg(feature = "openapi")]
    #[test]
    fn parameters_are_described_in_the_order_of_the_description() {
        use crate::schema::JsonSchema;

        let schema = ListInput::<Full>::json_schema(&mut schemars::SchemaGenerator::default());
        let properties = schema.get("properties").and_then(|all| all.as_object());
        let names: Vec<&String> = properties.into_iter().flat_map(|all| all.keys()).collect();
        assert_eq!(names, ["role_id", "after", "limit", "sort"]);
    }
}
