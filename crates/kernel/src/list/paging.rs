//! The query parameters of a page, written once for every list.

use std::borrow::Cow;
use std::fmt::Debug;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Map;

use super::{Cursor, Key, Window};
use crate::input::{Fields, Input, Place, Positive, Presence, Rule, joined};

const MAX_SIZE: i64 = 100;
/// No form has more parameters than this.
const MAX_PARAMETERS: usize = 3;

/// How the pages of a list are asked for. The defaults suit most lists.
pub trait PagingForm: Debug + Send + Sync + 'static {
    /// In the order of the OpenAPI document.
    const PARAMETERS: &'static [Parameter] = &[Parameter::Page, Parameter::Size, Parameter::After];
    /// The name of [`Parameter::Size`].
    const SIZE_NAME: &'static str = "per_page";
    const DEFAULT_SIZE: i64 = 20;
    /// Whether the whole list is served if the query has none of the parameters.
    const ALL_BY_DEFAULT: bool = false;
    /// Whether the body has the number of the page. Links then carry it along with the cursor.
    const HAS_PAGINATION: bool = false;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// The number of the page.
    Page,
    /// How many items a page has.
    Size,
    /// The cursor of the last item of the page before.
    After,
}

/// The form of most lists.
#[derive(Debug)]
pub struct WithPages;
impl PagingForm for WithPages {}

/// The form of short lists.
#[derive(Debug)]
pub struct WithPagesOrAll;
impl PagingForm for WithPagesOrAll {
    const ALL_BY_DEFAULT: bool = true;
}

/// The form of lists whose body says where the page is.
#[derive(Debug)]
pub struct WithPagination;
impl PagingForm for WithPagination {
    const HAS_PAGINATION: bool = true;
}

/// Which page of a list. `C` is the type of the cursor, `F` a [`PagingForm`].
#[derive(Debug)]
pub struct Paging<C = Positive, F = WithPages> {
    page: Option<Positive>,
    size: Option<Positive>,
    after: Option<C>,
    form: PhantomData<F>,
}

/// Which page of a list by id; without parameters, the whole list.
pub type PagingOrAll = Paging<Positive, WithPagesOrAll>;

impl<C: PageCursor, F: PagingForm> Paging<C, F> {
    pub fn is_all(&self) -> bool {
        let is_paged = self.page.is_some() || self.size.is_some() || self.after.is_some();
        F::ALL_BY_DEFAULT && !is_paged
    }

    /// From 1.
    pub fn number(&self) -> i64 {
        self.page.map_or(1, |page| page.0)
    }

    pub fn size(&self) -> i64 {
        self.size
            .map_or(F::DEFAULT_SIZE, |size| size.0.min(MAX_SIZE))
    }

    pub fn has_cursor(&self) -> bool {
        self.after.is_some()
    }

    /// One item more than the page has, to know whether there is a next page. A cursor takes
    /// precedence over the number of the page.
    pub fn window(&self) -> Window<C::After> {
        let pages_before = match self.after {
            Some(_) => 0,
            None => self.number() - 1,
        };
        let (limit, offset) = match self.is_all() {
            true => (i64::MAX, 0),
            false => (self.size() + 1, pages_before.saturating_mul(self.size())),
        };
        Window {
            after: C::after(self.after.as_ref()),
            limit,
            offset,
            from_end: false,
        }
    }
}

/// What `after` can be.
pub trait PageCursor: Rule + Debug + Send + Sync {
    /// What [`Window::after`] is.
    type After;

    fn after(cursor: Option<&Self>) -> Self::After;
}

impl PageCursor for Positive {
    type After = i64;

    fn after(cursor: Option<&Self>) -> i64 {
        cursor.map_or(0, |id| id.0)
    }
}

impl<K: Key> PageCursor for Cursor<K> {
    type After = Option<Self>;

    fn after(cursor: Option<&Self>) -> Option<Self> {
        cursor.cloned()
    }
}

/// The query string of a list.
pub trait ListQuery: Input {
    type Cursor: PageCursor;
    type Form: PagingForm;

    fn paging(&self) -> &Paging<Self::Cursor, Self::Form>;
}

impl<C: PageCursor, F: PagingForm> ListQuery for Paging<C, F> {
    type Cursor = C;
    type Form = F;

    fn paging(&self) -> &Self {
        self
    }
}

/// Which page of a list, then which items.
pub struct Filtered<P, F> {
    pub paging: P,
    pub filters: F,
}

impl<C: PageCursor, F: PagingForm, I: Input> ListQuery for Filtered<Paging<C, F>, I> {
    type Cursor = C;
    type Form = F;

    fn paging(&self) -> &Paging<C, F> {
        &self.paging
    }
}

impl<P: Input, F: Input> Input for Filtered<P, F> {
    type Partial = (P::Partial, F::Partial);

    fn position(field: &str) -> Option<usize> {
        P::position(field).or_else(|| Some(MAX_PARAMETERS + F::position(field)?))
    }

    fn read_partial(fields: &Fields<'_>, place: &mut Place<'_>) -> Self::Partial {
        (
            P::read_partial(fields, place),
            F::read_partial(fields, place),
        )
    }

    fn complete((paging, filters): Self::Partial) -> Option<Self> {
        Some(Self {
            paging: P::complete(paging)?,
            filters: F::complete(filters)?,
        })
    }
}

impl<P: Input, F: Input> JsonSchema for Filtered<P, F> {
    fn schema_name() -> Cow<'static, str> {
        F::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        joined(P::json_schema(generator), F::json_schema(generator))
    }
}

impl Parameter {
    fn name<F: PagingForm>(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Size => F::SIZE_NAME,
            Self::After => "after",
        }
    }

    fn description<F: PagingForm>(self) -> String {
        match self {
            Self::Page => "The number of the page, from 1.".into(),
            Self::Size => {
                let default = F::DEFAULT_SIZE;
                format!(
                    "Items per page: {default} by default. More than {MAX_SIZE} is served as {MAX_SIZE}."
                )
            }
            Self::After => {
                "Only items after this cursor, which is taken from a `Link` header.".into()
            }
        }
    }
}

impl<C: PageCursor, F: PagingForm> Input for Paging<C, F> {
    type Partial = Option<Self>;

    fn position(field: &str) -> Option<usize> {
        let mut parameters = F::PARAMETERS.iter();
        parameters.position(|parameter| parameter.name::<F>() == field)
    }

    fn complete(partial: Option<Self>) -> Option<Self> {
        partial
    }

    fn read_partial(fields: &Fields<'_>, place: &mut Place<'_>) -> Option<Self> {
        let (mut page, mut size, mut after) = (Some(None), Some(None), Some(None));
        for parameter in F::PARAMETERS {
            let name = parameter.name::<F>();
            let (raw, mut place) = (fields.get(name), place.inside(name));
            match parameter {
                Parameter::Page => page = Presence::read_field(raw, &mut place),
                Parameter::Size => size = Presence::read_field(raw, &mut place),
                Parameter::After => after = Presence::read_field(raw, &mut place),
            }
        }
        Some(Self {
            page: page?,
            size: size?,
            after: after?,
            form: PhantomData,
        })
    }
}

impl<C: PageCursor, F: PagingForm> JsonSchema for Paging<C, F> {
    fn schema_name() -> Cow<'static, str> {
        "Paging".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut properties = Map::new();
        for parameter in F::PARAMETERS {
            let mut property = match parameter {
                Parameter::Page | Parameter::Size => {
                    <Option<Positive> as Presence>::schema(generator)
                }
                // The same for all cursors, so that a client can follow any list with one function.
                Parameter::After => json_schema!({ "type": "string" }),
            };
            let description = parameter.description::<F>();
            property.insert("description".to_owned(), description.into());
            properties.insert(parameter.name::<F>().to_owned(), property.to_value());
        }
        json_schema!({ "type": "object", "properties": properties, "required": [] })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::By;
    use super::*;
    use crate::input::Raw;

    fn read<P: Input>(query: &[(&str, &str)]) -> P {
        let raw = query
            .iter()
            .map(|(name, value)| ((*name).to_owned(), Raw::Query(value)));
        P::read(&raw.collect(), true).expect("a valid query")
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
            let window = read::<Paging>(&query).window();
            assert_eq!((window.limit, window.offset), (limit, offset), "{query:?}");
        }
        let far = [("page", "9223372036854775807")];
        assert_eq!(read::<Paging>(&far).window().offset, i64::MAX);
    }

    #[test]
    fn a_short_list_is_served_whole_unless_a_page_is_named() {
        assert_eq!(read::<PagingOrAll>(&[]).window(), Window::ALL);
        for parameter in ["page", "per_page", "after"] {
            assert!(!read::<PagingOrAll>(&[(parameter, "1")]).is_all());
        }
        assert!(!read::<Paging>(&[]).is_all());
    }

    #[test]
    fn a_cursor_is_where_the_window_starts() {
        let paging: Paging<Cursor<By>> = read(&[("after", "-age:30.17")]);
        let after = paging.window().after.expect("a cursor");
        assert_eq!(after.to_string(), "-age:30.17");
        assert_eq!(read::<Paging>(&[("after", "17")]).window().after, 17);
    }

    #[test]
    fn a_form_decides_which_parameters_there_are() {
        #[derive(Debug)]
        struct Limited;
        impl PagingForm for Limited {
            const PARAMETERS: &'static [Parameter] = &[Parameter::After, Parameter::Size];
            const SIZE_NAME: &'static str = "limit";
        }
        type Limit = Paging<Positive, Limited>;
        for (name, position) in [("after", 0), ("limit", 1)] {
            assert_eq!(Limit::position(name), Some(position));
        }
        assert_eq!(
            Limit::position("page").or(Limit::position("per_page")),
            None
        );
        let schema = Limit::json_schema(&mut SchemaGenerator::default());
        let properties = schema.get("properties").and_then(|all| all.as_object());
        let names: Vec<&String> = properties.into_iter().flat_map(Map::keys).collect();
        assert_eq!(names, ["after", "limit"]);
    }
}
