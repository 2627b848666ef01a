//! Roles and users in the model.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Run, id_of, moment};

pub struct User {
    username: String,
    email: String,
    pub roles: BTreeSet<i64>,
    status: &'static str,
    /// When the block expires, if it does.
    until: Option<i64>,
}

impl User {
    fn status(&self, now: i64) -> &'static str {
        let is_over = self.until.is_some_and(|until| until <= now);
        if is_over { "active" } else { self.status }
    }

    fn set(&mut self, status: &'static str, until: Option<i64>) {
        (self.status, self.until) = (status, until);
    }
}

/// Few enough to be taken often, in several spellings.
const NAMES: [&str; 6] = ["anna", "ANNA", "Berta", "berta", "Carl", "Çelik"];

impl Run {
    pub async fn create_role(&mut self) {
        let name = format!("Role {}", self.rng.below(1000));
        let answer = self.admin.post("/api/roles", json!({ "name": name })).await;
        let id = id_of(&self.expect_status(&answer, 201)["role"]);
        self.model.roles.insert(id, name);
    }

    pub async fn rename_role(&mut self) {
        let id = self.pick_id(|model| &model.roles);
        let name = format!("Renamed {}", self.rng.below(1000));
        let path = format!("/api/roles/{id}");
        let answer = self.admin.put(&path, json!({ "name": name })).await;
        if let Some(role) = self.model.roles.get_mut(&id) {
            *role = name;
            self.expect_status(&answer, 200);
        } else {
            self.expect_status(&answer, 404);
        }
    }

    /// Users and promo codes lose the role.
    pub async fn delete_role(&mut self) {
        let id = self.pick_id(|model| &model.roles);
        let answer = self.admin.delete(&format!("/api/roles/{id}")).await;
        let was_there = self.model.roles.remove(&id).is_some();
        self.expect_status(&answer, if was_there { 200 } else { 404 });
        for user in self.model.users.values_mut() {
            user.roles.remove(&id);
        }
        let for_roles = self.model.promos.iter_mut();
        for roles in for_roles.filter_map(|promo| promo.roles.as_mut()) {
            roles.remove(&id);
        }
    }

    fn some_roles(&mut self) -> Vec<i64> {
        let count = self.rng.below(4);
        (0..count)
            .map(|_| self.pick_id(|model| &model.roles))
            .collect()
    }

    /// Positions in a list of role ids that are not roles.
    fn unknown_positions(&self, ids: &[i64]) -> BTreeSet<String> {
        let places = ids.iter().enumerate();
        let unknown = places.filter(|(_, id)| !self.model.roles.contains_key(id));
        unknown.map(|(n, _)| format!("role_ids.{n}")).collect()
    }

    /// Whether another user has this value in any spelling.
    fn has(&self, but: i64, text: &str, of: impl Fn(&User) -> &str) -> bool {
        let mut others = self.model.users.iter().filter(|(id, _)| **id != but);
        others.any(|(_, user)| of(user).to_lowercase() == text.to_lowercase())
    }

    pub async fn create_user(&mut self) {
        // There are few names, and every attempt costs a password hash.
        if self.model.users.len() == 4 && self.rng.below(8) > 0 {
            return;
        }
        let username = self.rng.one_of(&NAMES).to_owned();
        let email = format!(
            "{}@example.com",
            self.rng.one_of(&["a", "A", "b", "c", "d", "e"])
        );
        let roles = self.some_roles();
        let body = json!({ "username": username, "email": email,
            "password": "battery staple", "role_ids": roles });
        let answer = self.admin.post("/api/users", body).await;

        let mut faults = self.unknown_positions(&roles);
        if self.has(0, &username, |user| &user.username) {
            faults.insert("username".into());
        }
        if self.has(0, &email, |user| &user.email) {
            faults.insert("email".into());
        }
        if !faults.is_empty() {
            return self.expect_faults(&answer, &faults);
        }
        let id = id_of(&self.expect_status(&answer, 201)["user"]);
        let user = User {
            username,
            email,
            roles: roles.into_iter().collect(),
            status: "active",
            until: None,
        };
        self.model.users.insert(id, user);
    }

    pub async fn rename_user(&mut self) {
        let id = self.pick_id(|model| &model.users);
        let username = self.rng.one_of(&NAMES).to_owned();
        let body = json!({ "username": username });
        let answer = self.admin.put(&format!("/api/users/{id}"), body).await;
        let is_taken = self.has(id, &username, |user| &user.username);
        match self.model.users.get_mut(&id) {
            None => drop(self.expect_status(&answer, 404)),
            Some(_) if is_taken => self.expect_faults(&answer, &["username".into()].into()),
            Some(user) => {
                user.username = username;
                self.expect_status(&answer, 200);
            }
        }
    }

    pub async fn set_user_status(&mut self) {
        let id = self.pick_id(|model| &model.users);
        let status = self
            .rng
            .one_of(&["active", "inactive", "pending", "blocked"]);
        let body = json!({ "status": status });
        let answer = self.admin.put(&format!("/api/users/{id}"), body).await;
        if let Some(user) = self.model.users.get_mut(&id) {
            user.set(status, None);
            self.expect_status(&answer, 200);
        } else {
            self.expect_status(&answer, 404);
        }
    }

    /// Permanently, for a while, or until a time in the past.
    pub async fn block(&mut self) {
        let id = self.pick_id(|model| &model.users);
        let until = match self.rng.below(3) {
            0 => None,
            _ => Some(self.model.now + 10 * (self.rng.below(8) as i64 - 1)),
        };
        let body = json!({ "reason": "Spam", "until": until.map(moment) });
        let answer = self
            .admin
            .post(&format!("/api/users/{id}/block"), body)
            .await;
        let now = self.model.now;
        match self.model.users.get_mut(&id) {
            None => drop(self.expect_status(&answer, 404)),
            Some(_) if until.is_some_and(|until| until <= now) => {
                self.expect_faults(&answer, &["until".into()].into());
            }
            Some(user) => {
                user.set("blocked", until);
                self.expect_status(&answer, 200);
            }
        }
    }

    pub async fn unblock(&mut self) {
        let id = self.pick_id(|model| &model.users);
        let answer = self
            .admin
            .post_empty(&format!("/api/users/{id}/unblock"))
            .await;
        let now = self.model.now;
        if let Some(user) = self.model.users.get_mut(&id) {
            if user.status(now) == "blocked" {
                user.set("active", None);
            }
            self.expect_status(&answer, 200);
        } else {
            self.expect_status(&answer, 404);
        }
    }

    pub async fn set_roles(&mut self) {
        let id = self.pick_id(|model| &model.users);
        let roles = self.some_roles();
        let path = format!("/api/users/{id}/roles");
        let answer = self.admin.put(&path, json!({ "role_ids": roles })).await;
        let faults = self.unknown_positions(&roles);
        match self.model.users.get_mut(&id) {
            None => drop(self.expect_status(&answer, 404)),
            Some(_) if !faults.is_empty() => self.expect_faults(&answer, &faults),
            Some(user) => {
                user.roles = roles.into_iter().collect();
                self.expect_status(&answer, 200);
            }
        }
    }

    /// Users with invoices cannot be deleted.
    pub async fn delete_user(&mut self) {
        let id = self.pick_id(|model| &model.users);
        let answer = self.admin.delete(&format!("/api/users/{id}")).await;
        let mut invoices = self.model.invoices.values();
        if !self.model.users.contains_key(&id) {
            self.expect_status(&answer, 404);
        } else if invoices.any(|invoice| invoice.user_id == id) {
            self.expect_status(&answer, 409);
        } else {
            self.model.users.remove(&id);
            self.expect_status(&answer, 200);
        }
    }

    /// Some user ids as a set, the faults of those that do not exist, and the ids for a request.
    fn some_users(&mut self) -> (BTreeSet<i64>, BTreeSet<String>, Value) {
        let count = 1 + self.rng.below(3);
        let ids: Vec<i64> = (0..count)
            .map(|_| self.pick_id(|model| &model.users))
            .collect();
        let places = ids.iter().enumerate();
        let unknown = places.filter(|(_, id)| !self.model.users.contains_key(id));
        let faults = unknown.map(|(n, _)| format!("ids.{n}")).collect();
        (ids.iter().copied().collect(), faults, json!(ids))
    }

    async fn send_bulk(&mut self, faults: &BTreeSet<String>, body: Value) -> bool {
        let answer = self.admin.post("/api/users/bulk", body.clone()).await;
        if !faults.is_empty() {
            self.expect_faults(&answer, faults);
            return false;
        }
        self.expect_status(&answer, 200);
        body["dry_run"] == json!(false)
    }

    pub async fn change_users(&mut self) {
        let (ids, faults, named) = self.some_users();
        let blocks = self.rng.below(2) == 0;
        let mut body = json!({ "ids": named, "dry_run": self.rng.below(3) == 0 });
        match blocks {
            true => body["block"] = json!({}),
            false => body["unblock"] = json!(true),
        }
        if !self.send_bulk(&faults, body).await {
            return;
        }
        let now = self.model.now;
        for id in ids {
            let user = self.model.users.get_mut(&id).expect("known");
            if blocks {
                user.set("blocked", None);
            } else if user.status(now) == "blocked" {
                user.set("active", None);
            }
        }
    }

    pub async fn change_roles_of_users(&mut self) {
        let (ids, mut faults, named) = self.some_users();
        let roles = self.some_roles();
        let field = self.rng.one_of(&["add_roles", "remove_roles"]);
        let unknown = self.unknown_positions(&roles).into_iter();
        faults.extend(unknown.map(|place| place.replace("role_ids", field)));
        let body = json!({ "ids": named, field: roles, "dry_run": self.rng.below(3) == 0 });
        if !self.send_bulk(&faults, body).await {
            return;
        }
        for id in ids {
            let user = self.model.users.get_mut(&id).expect("known");
            match field {
                "add_roles" => user.roles.extend(&roles),
                _ => user.roles.retain(|role| !roles.contains(role)),
            }
        }
    }

    pub async fn compare_users(&self) {
        let roles = self.admin.get("/api/roles").await.ok();
        let expected = self.model.roles.iter();
        let expected: Vec<Value> = expected
            .map(|(id, name)| json!({ "id": id, "name": name, "description": "" }))
            .collect();
        assert_eq!(roles["roles"], json!(expected));

        let listed = self.admin.get("/api/users").await.ok();
        let listed = listed["users"].as_array().expect("a list");
        assert_eq!(listed.len(), self.model.users.len());
        for (listed, (id, user)) in listed.iter().zip(&self.model.users) {
            let single = self.admin.get(&format!("/api/users/{id}")).await.ok();
            for shown in [listed, &single["user"]] {
                assert_eq!(shown["id"], *id);
                assert_eq!(shown["username"], user.username);
                assert_eq!(shown["email"], user.email);
                assert_eq!(shown["status"], user.status(self.model.now), "user {id}");
            }
            let shown = single["user"]["roles"].as_array().expect("a list");
            let shown: BTreeSet<i64> = shown.iter().map(id_of).collect();
            assert_eq!(shown, user.roles, "roles of user {id}");
        }
    }
}
