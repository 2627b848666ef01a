//! Request bodies and query parameters of products, and the rules of their fields.

use serde_json::value::RawValue;

use super::{Price, Step};
use game_servers::command_template::CommandTemplate;
use kernel::input::{
    Fault, Faults, Fields, Ids, Int, LengthUnit, Line, ListItems, Object, Patch, Place, Positive,
    Raw, Rule, Text, ValueType, items, json_fault, text_that,
};
use kernel::list::{ListQuery, ListSpec, Parameter};
use kernel::types::money;
use kernel::{inline_schema, input};

const MAX_PRICES: usize = 20;
const MAX_STEPS: usize = 10;
const MAX_SERVERS: usize = 50;
/// How many pairs of a step and a server a product may have.
const MAX_PAIRS: usize = 100;
const MAX_PAYLOAD: usize = 4 << 10;

input! {
    /// A product to create.
    pub struct NewProduct {
        name: Line<1, 100>,
        description: Option<Text<0, 1000>>,
        /// Whether it can be bought and given; the default is true.
        active: Option<bool>,
        /// Each currency once.
        prices: Prices,
        /// What the product gives; by default nothing.
        steps: Option<Steps>,
        /// Whether the buyer chooses one of the servers; the default is false.
        choose_server: Option<bool>,
    }
}

input! {
    /// Changes to a product.
    pub struct ProductChanges {
        name: Patch<Line<1, 100>>,
        description: Patch<Text<0, 1000>>,
        /// Whether it can be bought and given.
        active: Patch<bool>,
        /// Replaces all prices.
        prices: Patch<Prices>,
        /// Replaces all steps. Grants keep theirs.
        steps: Patch<Steps>,
        /// Whether the buyer chooses one of the servers.
        choose_server: Patch<bool>,
    }
}

input! {
    /// Filters of products.
    pub struct ProductPage {
        /// Only products that are active, or only those that are not.
        active: Option<bool>,
    }
}

impl ListQuery for ProductPage {
    const LIST: &'static ListSpec = &ListSpec {
        parameters: &[
            Parameter::Filters,
            Parameter::Page,
            Parameter::Size,
            Parameter::After,
        ],
        ..ListSpec::PAGED
    };
}

/// The prices of a product, each in another currency.
#[derive(Clone, Debug)]
pub struct Prices {
    pub prices: Vec<Price>,
    /// The currency at each position, also of prices that have other faults.
    pub currency_ids: Vec<Option<i64>>,
}

input! {
    struct PriceFields {
        currency_id: Positive,
        amount: money::Price,
    }
}

impl Rule for Prices {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let items = items(raw, place, ListItems::Prices, 1..=MAX_PRICES)?;
        let (mut prices, mut currency_ids) = (Vec::new(), Vec::new());
        for (i, item) in items.into_iter().enumerate() {
            let mut place = place.inside(i);
            let currency_id = readable::<Positive>(item, "currency_id").map(|id| id.0);
            if currency_id.is_some() && currency_ids.contains(&currency_id) {
                place.inside("currency_id").add(Fault::Repeated {});
            }
            currency_ids.push(currency_id);
            let fields = Object::<PriceFields>::read(Raw::Json(item), &mut place);
            prices.extend(fields.map(|Object(fields)| Price {
                currency_id: fields.currency_id.0,
                amount: fields.amount.0,
            }));
        }
        Some(Self {
            prices,
            currency_ids,
        })
    }
}

/// A field of an object, if it is valid. Its faults are reported elsewhere.
fn readable<T: Rule>(object: &RawValue, field: &str) -> Option<T> {
    let fields = Fields::of_object(object)?;
    T::read(fields.get(field)?, &mut Faults::default().root(false))
}

inline_schema!(Prices, {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "currency_id": { "type": "integer", "format": "int64", "minimum": 1 },
            "amount": { "type": "number", "exclusiveMinimum": 0, "maximum": 1_000_000_000_000_i64, "multipleOf": 0.0001 },
        },
        "required": ["currency_id", "amount"],
    },
    "minItems": 1,
    "maxItems": MAX_PRICES,
});

/// The steps of a product, in order.
#[derive(Clone, Debug)]
pub struct Steps {
    pub steps: Vec<Step>,
    /// The resources that the step at each position refers to, also of steps that have other faults.
    pub referents: Vec<Referents>,
}

/// The role or the servers of a step.
#[derive(Clone, Debug)]
pub struct Referents {
    pub role_id: Option<i64>,
    pub server_ids: Vec<i64>,
}

impl Referents {
    fn of(step: &RawValue) -> Self {
        let kind = readable::<Text<1, 10>>(step, "kind");
        let is_role = kind.is_some_and(|kind| kind.as_str() == "role");
        let role_id = readable::<Positive>(step, "role_id").filter(|_| is_role);
        let servers = readable::<StepServers>(step, "server_ids").filter(|_| !is_role);
        Self {
            role_id: role_id.map(|id| id.0),
            server_ids: servers.map_or_else(Vec::new, |servers| servers.0.into_vec()),
        }
    }
}

/// The name of a kind of steps.
struct StepKind(String);

impl StepKind {
    fn read(raw: Option<Raw<'_>>, place: &mut Place<'_>) -> Option<Self> {
        const KINDS: &[&str] = &["role", "rcon", "plugin"];
        let Some(raw) = raw else {
            place.add(Fault::Required {});
            return None;
        };
        let is_known = |text: &str| KINDS.contains(&text);
        text_that(raw, place, is_known, Fault::not_one_of(KINDS)).map(Self)
    }
}

input! {
    struct RoleStepFields {
        kind: Text<1, 10>,
        role_id: Positive,
        seconds: Option<Int<60, 315_360_000>>,
    }
}

input! {
    struct RconStepFields {
        kind: Text<1, 10>,
        server_ids: StepServers,
        command: CommandTemplate,
        undo_command: Option<CommandTemplate>,
        repeatable: Option<bool>,
    }
}

input! {
    struct PluginStepFields {
        kind: Text<1, 10>,
        server_ids: StepServers,
        payload: Payload,
    }
}

/// The servers of a step.
#[derive(Debug)]
struct StepServers(Ids);

impl Rule for StepServers {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        Ids::read_within(raw, place, 1..=MAX_SERVERS).map(Self)
    }
}

inline_schema!(StepServers, {
    "type": "array",
    "items": { "type": "integer", "format": "int64", "minimum": 1 },
    "minItems": 1,
    "maxItems": MAX_SERVERS,
});

/// A JSON object for a plugin, stored as sent.
#[derive(Debug)]
struct Payload(Box<RawValue>);

impl Rule for Payload {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let object = match raw {
            Raw::Json(json) if Fields::of_object(json).is_some() => json,
            _ => {
                place.add(Fault::wrong_type(ValueType::Object));
                return None;
            }
        };
        place.check_length(object.get().len(), 0..=MAX_PAYLOAD, LengthUnit::Bytes)?;
        match json_fault(object.get()) {
            Some(fault) => {
                place.add(fault);
                None
            }
            None => Some(Self(object.to_owned())),
        }
    }
}

inline_schema!(Payload, { "type": "object" });

fn step(item: &RawValue, place: &mut Place<'_>) -> Option<Step> {
    let Some(fields) = Fields::of_object(item) else {
        place.add(Fault::wrong_type(ValueType::Object));
        return None;
    };
    let StepKind(kind) = StepKind::read(fields.get("kind"), &mut place.inside("kind"))?;
    let raw = Raw::Json(item);
    match kind.as_str() {
        "role" => Object::<RoleStepFields>::read(raw, place).map(|Object(fields)| Step::Role {
            role_id: Some(fields.role_id.0),
            seconds: fields.seconds.map(|Int(seconds)| seconds),
        }),
        "rcon" => Object::<RconStepFields>::read(raw, place).map(|Object(fields)| Step::Rcon {
            server_ids: fields.server_ids.0.into_vec(),
            command: fields.command.as_str().to_owned(),
            undo_command: fields.undo_command.map(|undo| undo.as_str().to_owned()),
            repeatable: fields.repeatable.unwrap_or(false),
        }),
        _ => Object::<PluginStepFields>::read(raw, place).map(|Object(fields)| Step::Plugin {
            server_ids: fields.server_ids.0.into_vec(),
            payload: fields.payload.0,
        }),
    }
}

impl Rule for Steps {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let items = items(raw, place, ListItems::Steps, 0..=MAX_STEPS)?;
        let referents = items.iter().map(|item| Referents::of(item)).collect();
        let items = items.into_iter().enumerate();
        let steps: Vec<Step> = items
            .filter_map(|(i, item)| step(item, &mut place.inside(i)))
            .collect();
        let pairs: usize = steps.iter().map(|step| step.server_ids().len()).sum();
        if pairs > MAX_PAIRS {
            let max = MAX_PAIRS as i64;
            place.add(Fault::TooManyServers { max });
        }
        Some(Self { steps, referents })
    }
}

inline_schema!(Steps, {
    "type": "array",
    "items": <Step as schemars::JsonSchema>::json_schema(&mut schemars::SchemaGenerator::default()),
    "maxItems": MAX_STEPS,
});
