//! Random changes of roles, payments that give them, refunds and steps of the clock, on two instances.
//! After each, every read that can show a role is compared with a small model.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::{Value, json};

use super::{at, until};
use crate::support::payments::{currency, pay};
use crate::support::{Answer, Client, Rng, SecondInstance, TestApp};

const USERS: i64 = 3;
const SECONDS: [i64; 3] = [60, 90, 150];

/// The id of the grant that gave a role, or a part of its time; `None` if that was done by hand.
type Giver = Option<i64>;

/// One time that a user held a role; `expires_at` is `None` without an end.
struct Time {
    role: i64,
    granted_at: i64,
    expires_at: Option<i64>,
    ended: Option<(i64, &'static str)>,
    source: Giver,
    /// Who gave each second from now on.
    seconds: VecDeque<Giver>,
    /// Who gave it without an end.
    for_ever: Vec<Giver>,
}

impl Time {
    fn add(&mut self, giver: Giver, seconds: Option<i64>) {
        let is_for_ever = !self.for_ever.is_empty();
        match seconds {
            // What is given for ever is not extended, and by hand it is given for ever only once.
            Some(seconds) if !is_for_ever => {
                self.seconds.extend((0..seconds).map(|_| giver));
            }
            None if giver.is_some() || !is_for_ever => self.for_ever.push(giver),
            Some(_) | None => {}
        }
    }

    /// By hand: what is left of the time belongs to those who gave it.
    fn set_end(&mut self, seconds: i64) {
        self.for_ever.clear();
        self.seconds.resize(seconds as usize, None);
    }

    fn is_empty(&self) -> bool {
        self.seconds.is_empty() && self.for_ever.is_empty()
    }

    fn update_end(&mut self, now: i64) {
        let is_for_ever = !self.for_ever.is_empty();
        self.expires_at = (!is_for_ever).then(|| now + self.seconds.len() as i64);
    }
}

/// A product that gives a role for some seconds, or for ever.
#[derive(Clone, Copy)]
struct Product {
    id: i64,
    role: i64,
    seconds: Option<i64>,
}

/// An order of a product, with its grant while it is paid.
#[derive(Clone, Copy)]
struct Order {
    invoice: i64,
    user: i64,
    product: Product,
    grant: Giver,
}

struct Model {
    app: TestApp,
    second: SecondInstance,
    /// The name of each role that exists.
    roles: BTreeMap<i64, String>,
    names: BTreeMap<i64, String>,
    histories: BTreeMap<i64, Vec<Time>>,
    products: Vec<Product>,
    orders: Vec<Order>,
    tokens: Vec<String>,
    now: i64,
    rng: Rng,
}

impl Model {
    async fn start(seed: u64) -> Self {
        let app = TestApp::start().await;
        assert_eq!(currency(&app.admin(), "EUR").await, 1);
        for name in ["anna", "berta", "clara"] {
            let id = app.user(name).await;
            app.link(id, 1, name).await;
        }
        let mut tokens = Vec::new();
        for name in ["anna", "berta", "clara"] {
            tokens.push(app.sign_in(name).await);
        }
        let second = app.second_instance().await;
        let mut model = Self {
            app,
            second,
            roles: BTreeMap::new(),
            names: BTreeMap::new(),
            histories: (1..=USERS).map(|id| (id, Vec::new())).collect(),
            products: Vec::new(),
            orders: Vec::new(),
            tokens,
            now: 0,
            rng: Rng::new(seed),
        };
        for _ in 0..3 {
            model.create_role().await;
        }
        model
    }

    /// A client of either instance.
    fn client(&mut self) -> Client {
        match self.rng.below(2) {
            0 => self.app.admin(),
            _ => self.second.holder(self.app.admin_key()),
        }
    }

    /// The model follows the clock as the service should, at once.
    fn advance(&mut self, seconds: i64) {
        self.app.advance(seconds);
        self.second.app.kernel.core.clock.advance(seconds);
        self.now += seconds;
        let times = self.histories.values_mut().flatten();
        for time in times.filter(|time| time.ended.is_none()) {
            let past = time.seconds.len().min(seconds as usize);
            time.seconds.drain(..past);
            if time.is_empty() {
                time.ended = time.expires_at.map(|end| (end, "expired"));
            }
        }
    }

    fn held(&mut self, user: i64, role: i64) -> Option<&mut Time> {
        let mut times = self.histories.get_mut(&user)?.iter_mut();
        times.find(|time| time.role == role && time.ended.is_none())
    }

    /// Changes how long a user holds a role, who is given it if need be.
    fn change(&mut self, user: i64, role: i64, source: Giver, change: impl FnOnce(&mut Time)) {
        let now = self.now;
        if self.held(user, role).is_none() {
            let time = Time {
                role,
                granted_at: now,
                expires_at: None,
                ended: None,
                source,
                seconds: VecDeque::new(),
                for_ever: Vec::new(),
            };
            self.histories.entry(user).or_default().push(time);
        }
        if let Some(time) = self.held(user, role) {
            change(time);
            time.update_end(now);
        }
    }

    fn give_for_ever(&mut self, user: i64, role: i64) {
        self.change(user, role, None, |time| time.add(None, None));
    }

    /// Takes back what is left of the time that a grant gave.
    fn take_back(&mut self, grant: Giver, user: i64, role: i64) {
        let now = self.now;
        let Some(time) = self.held(user, role) else {
            return;
        };
        time.seconds.retain(|giver| *giver != grant);
        time.for_ever.retain(|giver| *giver != grant);
        match time.is_empty() {
            true => _ = self.end(user, role, "removed"),
            false => time.update_end(now),
        }
    }

    fn end(&mut self, user: i64, role: i64, by: &'static str) -> bool {
        let now = self.now;
        let held = self.held(user, role);
        let is_held = held.is_some();
        if let Some(time) = held {
            time.ended = Some((now, by));
        }
        is_held
    }

    fn any_role(&mut self) -> i64 {
        // One that may not exist any more, or not yet.
        1 + self.rng.below(self.names.len() as u64 + 1) as i64
    }

    /// Mostly one that the user holds, so that changes of one role follow one another.
    fn held_or_any_role(&mut self, user: i64) -> i64 {
        let times = self.histories[&user].iter();
        let held = times.filter(|time| time.ended.is_none());
        let held: Vec<i64> = held.map(|time| time.role).collect();
        match held.is_empty() || self.rng.below(3) == 0 {
            true => self.any_role(),
            false => self.rng.one_of(&held),
        }
    }

    async fn create_role(&mut self) {
        let name = format!("Role {}", self.names.len());
        let id = self.client().create_role(&name).await;
        let code =
            json!({ "code": format!("R{id}x"), "type": "amount", "value": 1, "role_ids": [id] });
        self.client().post("/api/promo-codes", code).await.created();
        for seconds in [Some(60), Some(150), None] {
            let product = json!({
                "name": "VIP",
                "prices": [{ "currency_id": 1, "amount": 5 }],
                "steps": [{ "kind": "role", "role_id": id, "seconds": seconds }],
            });
            let made = self.client().post("/api/products", product).await.created();
            self.products.push(Product {
                id: made["product"]["id"].as_i64().expect("an id"),
                role: id,
                seconds,
            });
        }
        self.roles.insert(id, name.clone());
        self.names.insert(id, name);
    }

    fn expect(&self, answer: &Answer, expected: u16) {
        assert_eq!(answer.status, expected, "{answer:?}");
    }

    async fn step(&mut self) {
        let user = 1 + self.rng.below(USERS as u64) as i64;
        let role = self.held_or_any_role(user);
        let exists = self.roles.contains_key(&role);
        let path = format!("/api/users/{user}/roles/{role}");
        let seconds = self.rng.one_of(&SECONDS);
        let client = self.client();
        match self.rng.below(20) {
            0..3 => {
                let end = self
                    .rng
                    .one_of(&[None, Some(self.now + seconds), Some(self.now + 1)]);
                let body = end.map_or(json!({}), until);
                let answer = client.put(&path, body).await;
                let now = self.now;
                self.changed(&answer, exists, user, role, |time| match end {
                    Some(end) => time.set_end(end - now),
                    None => time.add(None, None),
                });
            }
            3..6 => {
                let body = json!({ "seconds": seconds });
                let answer = client.post(&format!("{path}/extend"), body).await;
                self.changed(&answer, exists, user, role, |time| {
                    time.add(None, Some(seconds));
                });
            }
            6 => {
                let answer = client.delete(&path).await;
                let was_held = self.end(user, role, "removed");
                self.expect(&answer, if was_held { 200 } else { 404 });
            }
            7 => {
                let wanted: Vec<i64> = self.some_roles();
                let body = json!({ "role_ids": wanted });
                client
                    .put(&format!("/api/users/{user}/roles"), body)
                    .await
                    .ok();
                for role in self.roles.keys().copied().collect::<Vec<_>>() {
                    match wanted.contains(&role) {
                        true if self.held(user, role).is_none() => self.give_for_ever(user, role),
                        false => _ = self.end(user, role, "removed"),
                        true => {}
                    }
                }
            }
            8 => {
                let some = self.some_roles();
                let adds = self.rng.below(2) == 0;
                let name = if adds { "add_roles" } else { "remove_roles" };
                let body = json!({ "ids": [1, 3], name: some });
                let answer = client.post("/api/users/bulk", body).await.ok();
                let mut changed = BTreeSet::new();
                for user in [1, 3] {
                    for role in &some {
                        let is_held = self.held(user, *role).is_some();
                        if is_held != adds {
                            changed.insert(user);
                            match adds {
                                true => self.give_for_ever(user, *role),
                                false => _ = self.end(user, *role, "removed"),
                            }
                        }
                    }
                }
                assert_eq!(answer["changed"], json!(changed));
            }
            9 if self.roles.len() > 2 => {
                let answer = client.delete(&format!("/api/roles/{role}")).await;
                self.expect(&answer, if exists { 200 } else { 404 });
                for user in 1..=USERS {
                    self.end(user, role, "role_deleted");
                }
                self.roles.remove(&role);
            }
            9 => self.create_role().await,
            10 => {
                let app = self.rng.one_of(&[&self.app.app, &self.second.app]).clone();
                super::expiry::end_roles(&app).await;
            }
            11..13 => {
                let product = self.rng.one_of(&self.products);
                self.order(&client, user, product).await;
            }
            13..16 => self.pay_or_take_back(&client).await,
            _ => {
                let seconds = self.rng.one_of(&[1, 30, 59, 60]);
                self.advance(seconds);
            }
        }
    }

    /// Orders a product, and mostly pays it.
    async fn order(&mut self, client: &Client, user: i64, product: Product) {
        let body = json!({
            "user_id": user, "gateway": "stripe", "currency_id": 1, "product_id": product.id,
        });
        let answer = client.post("/api/payment-invoices", body).await;
        if !self.roles.contains_key(&product.role) {
            // It has lost its role, so it is not sold.
            return self.expect(&answer, 422);
        }
        let invoice = answer.created()["payment_invoice"]["id"].as_i64();
        self.orders.push(Order {
            invoice: invoice.expect("an id"),
            user,
            product,
            grant: None,
        });
        if self.rng.below(3) > 0 {
            self.pay(client, self.orders.len() - 1).await;
        }
    }

    /// Pays an order that is not paid; refunds one that is, or reports that it is not paid after all.
    async fn pay_or_take_back(&mut self, client: &Client) {
        if self.orders.is_empty() {
            return;
        }
        let number = self.rng.below(self.orders.len() as u64) as usize;
        let order = self.orders[number];
        let path = format!("/api/payment-invoices/{}", order.invoice);
        if order.grant.is_none() {
            return self.pay(client, number).await;
        }
        match self.rng.below(2) {
            0 => {
                let body = json!({ "kind": "refund" });
                client.post(&format!("{path}/refund"), body).await.ok();
            }
            _ => {
                let body = json!({ "is_paid": false });
                client.put(&format!("{path}/status"), body).await.ok();
            }
        }
        self.take_back(order.grant, order.user, order.product.role);
        self.orders[number].grant = None;
    }

    async fn pay(&mut self, client: &Client, number: usize) {
        let order = self.orders[number];
        pay(client, &json!(order.invoice)).await.ok();
        let path = format!("/api/grants?invoice_id={}", order.invoice);
        let grant = client.get(&path).await.ok()["grants"][0].take();
        let exists = self.roles.contains_key(&order.product.role);
        let state = if exists { "done" } else { "attention" };
        assert_eq!(grant["state"], state, "{grant}");
        let id = grant["id"].as_i64();
        self.orders[number].grant = id;
        if exists {
            let Product { role, seconds, .. } = order.product;
            self.change(order.user, role, id, |time| time.add(id, seconds));
        }
    }

    fn some_roles(&mut self) -> Vec<i64> {
        let roles: Vec<i64> = self.roles.keys().copied().collect();
        roles
            .into_iter()
            .filter(|_| self.rng.below(2) == 0)
            .collect()
    }

    /// Follows a change of one role by hand, and checks its answer.
    fn changed(
        &mut self,
        answer: &Answer,
        exists: bool,
        user: i64,
        role: i64,
        change: impl FnOnce(&mut Time),
    ) {
        if !exists {
            return self.expect(answer, 404);
        }
        let is_new = self.held(user, role).is_none();
        self.expect(answer, if is_new { 201 } else { 200 });
        self.change(user, role, None, change);
        let end = self.held(user, role).expect("a role").expires_at;
        let shown = &answer.json()["user_role"]["expires_at"];
        assert_eq!(*shown, end.map_or(json!(null), at));
    }

    /// The roles that a user holds, by id, as `include=roles` shows them.
    fn included(&mut self, user: i64) -> Value {
        let roles = self.roles.clone();
        let held = roles.into_iter().filter_map(|(id, name)| {
            let time = self.held(user, id)?;
            let end = time.expires_at.map_or(json!(null), at);
            Some(json!({ "id": id, "name": name, "description": "", "expires_at": end }))
        });
        held.collect()
    }

    async fn compare(&mut self, what: &str) {
        let reader = self.client();
        let listed = reader.get("/api/users?include=roles").await.ok();
        for user in 1..=USERS {
            let expected = self.included(user);
            let mut plain = expected.clone();
            for role in plain.as_array_mut().expect("a list") {
                role.as_object_mut().expect("a role").remove("expires_at");
            }
            let place = format!("{what}, user {user}");
            let name = ["anna", "berta", "clara"][user as usize - 1];
            assert_eq!(
                listed["users"][user as usize - 1]["roles"],
                expected,
                "{place}"
            );
            let single = reader.get(&format!("/api/users/{user}")).await.ok();
            assert_eq!(single["user"]["roles"], plain, "{place}");
            let path = format!("/api/users/by-social/steam/{name}?include=roles");
            assert_eq!(
                reader.get(&path).await.ok()["user"]["roles"],
                expected,
                "{place}"
            );
            let found = reader
                .get(&format!("/api/users/search?q={name}&include=roles"))
                .await;
            assert_eq!(found.ok()["users"][0]["roles"], expected, "{place}");
            let body = json!({ "token": self.tokens[user as usize - 1] });
            let verified = reader
                .post("/api/sessions/verify?include=roles", body)
                .await;
            assert_eq!(verified.ok()["user"]["roles"], expected, "{place}");
            self.compare_history(&reader, user, &place).await;
        }
        for role in self.names.keys().copied().collect::<Vec<_>>() {
            let holders: Vec<i64> = (1..=USERS)
                .filter(|user| self.held(*user, role).is_some())
                .collect();
            for (query, expected) in [
                ("", &holders[..]),
                ("&status=active", &holders[..]),
                ("&status=pending", &[][..]),
            ] {
                let path = format!("/api/users?role_id={role}{query}");
                let list = reader.get(&path).await;
                assert_eq!(
                    crate::support::walk::ids(&list, "users"),
                    *expected,
                    "{what}: {path}"
                );
                assert_eq!(
                    list.header("x-total-count"),
                    expected.len().to_string(),
                    "{what}: {path}"
                );
            }
            let user = 1 + self.rng.below(USERS as u64) as i64;
            let trial = json!({ "amount": 10, "user_id": user });
            let trial = reader
                .post(&format!("/api/promo-codes/{role}/validate"), trial)
                .await
                .ok();
            assert_eq!(trial["valid"], holders.contains(&user), "{what}: {trial}");
        }
        for sql in super::races::UNLIKE {
            assert_eq!(self.app.number(sql).await, 0, "{what}: {sql}");
        }
    }

    async fn compare_history(&mut self, reader: &Client, user: i64, place: &str) {
        let times = self.histories[&user].iter().rev();
        let expected: Vec<Value> = times
            .map(|time| {
                json!({
                    "role_id": time.role,
                    "role_name": self.names[&time.role],
                    "granted_at": at(time.granted_at),
                    "expires_at": time.expires_at.map_or(json!(null), at),
                    "ended_at": time.ended.map_or(json!(null), |(ended, _)| at(ended)),
                    "ended_by": time.ended.map(|(_, by)| by),
                    "source": {
                        "kind": if time.source.is_some() { "grant" } else { "api" },
                        "id": time.source,
                    },
                })
            })
            .collect();
        let path = format!("/api/users/{user}/role-history?per_page=100");
        let shown = reader.get(&path).await.ok();
        // Those of one list were given in the order of ids.
        assert_eq!(shown["role_history"], json!(expected), "{place}");
        let held = reader.get(&format!("/api/users/{user}/roles")).await.ok();
        let held = held["roles"].as_array().expect("a list").iter();
        let held: Vec<&Value> = held.map(|role| &role["granted_at"]).collect();
        let mut open: Vec<&Value> = expected
            .iter()
            .filter(|time| time["ended_at"].is_null())
            .collect();
        open.sort_by_key(|time| time["role_id"].as_i64());
        let open: Vec<&Value> = open.into_iter().map(|time| &time["granted_at"]).collect();
        assert_eq!(held, open, "{place}");
    }
}

/// The events that the model expects: one for each end that was seen to be ended.
async fn assert_every_end_is_one_event(model: &mut Model) {
    model.advance(10_000);
    super::expiry::end_roles(&model.second.app).await;
    model.compare("at the end").await;
    let ends = model.histories.values().flatten();
    let expired = ends.filter(|time| time.ended.is_some_and(|(_, by)| by == "expired"));
    let total = model
        .app
        .admin()
        .total("/api/audit-log?action=users.role_expired")
        .await;
    assert_eq!(total, expired.count().to_string());
    assert_eq!(
        model
            .app
            .number("SELECT COUNT(*) FROM user_roles WHERE expires_at < 9223372036854775807")
            .await,
        0
    );
}

/// The number of random histories; more in `make torture`.
fn seeds() -> u64 {
    let number = std::env::var("STEWARD_TEST_ROLE_MODELS");
    number.map_or(3, |number| number.parse().expect("a number"))
}

#[tokio::test]
async fn every_read_agrees_with_a_model_of_roles_that_expire() {
    for seed in 0..seeds() {
        let mut model = Model::start(seed).await;
        for number in 0..70 {
            model.step().await;
            model.compare(&format!("seed {seed}, step {number}")).await;
        }
        assert_every_end_is_one_event(&mut model).await;
    }
}
