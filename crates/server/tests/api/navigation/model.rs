//! Random sequences of writes give the same answers as a model in memory.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{ITEMS, REORDER, id_of, ids, listed, path, single};
use crate::support::{Answer, Client, Rng, TestApp};

#[derive(Clone, Copy)]
struct Node {
    position: i64,
    parent: Option<i64>,
}

/// The expected tree.
#[derive(Default)]
struct Model {
    nodes: BTreeMap<i64, Node>,
    newest: i64,
}

impl Model {
    /// Mostly an existing item, sometimes a past or future one.
    fn some_id(&self, rng: &mut Rng) -> i64 {
        let living: Vec<i64> = self.nodes.keys().copied().collect();
        match rng.below(8) {
            0 => 1 + rng.below(self.newest as u64 + 2) as i64,
            n if living.is_empty() => n as i64,
            _ => living[rng.below(living.len() as u64) as usize],
        }
    }

    fn is_within(&self, mut at: i64, top: i64) -> bool {
        while at != top {
            match self.nodes[&at].parent {
                Some(parent) => at = parent,
                None => return false,
            }
        }
        true
    }

    fn order(&self, below: impl Fn(&Node) -> bool) -> Vec<i64> {
        let chosen = self.nodes.iter().filter(|(_, node)| below(node));
        let mut places: Vec<(i64, i64)> = chosen.map(|(id, node)| (node.position, *id)).collect();
        places.sort_unstable();
        places.into_iter().map(|(_, id)| id).collect()
    }

    fn children(&self, id: i64) -> Vec<i64> {
        self.order(|node| node.parent == Some(id))
    }

    /// The fault of this parent for this item, if any.
    fn parent_fault(&self, item: Option<i64>, parent: Option<i64>) -> Option<&'static str> {
        let parent = parent?;
        if !self.nodes.contains_key(&parent) {
            return Some("is not the id of a navigation item");
        }
        let below = item.is_some_and(|item| self.is_within(parent, item));
        below.then_some("must not be the item itself or one below it")
    }
}

struct Run {
    admin: Client,
    rng: Rng,
    model: Model,
}

impl Run {
    fn position(&mut self) -> i64 {
        self.rng.below(4) as i64
    }

    fn some_parent(&mut self) -> Option<i64> {
        let root = self.rng.below(4) == 0;
        (!root).then(|| self.model.some_id(&mut self.rng))
    }

    async fn create(&mut self) {
        let (position, parent) = (self.position(), self.some_parent());
        let body = json!({ "title": "Item", "position": position, "parent_id": parent });
        let answer = self.admin.post(ITEMS, body).await;
        match self.model.parent_fault(None, parent) {
            Some(fault) => answer.invalid(&[("parent_id", fault)]),
            None => {
                let id = id_of(&answer.created()["navbar_item"]);
                self.model.newest = id;
                self.model.nodes.insert(id, Node { position, parent });
            }
        }
    }

    async fn move_item(&mut self) {
        let id = self.model.some_id(&mut self.rng);
        let (position, parent) = (self.position(), self.some_parent());
        let body = json!({ "position": position, "parent_id": parent });
        let answer = self.admin.put(&path(id), body).await;
        if !self.model.nodes.contains_key(&id) {
            return answer.not_found();
        }
        match self.model.parent_fault(Some(id), parent) {
            Some(fault) => answer.invalid(&[("parent_id", fault)]),
            None => {
                assert_node(&answer.ok()["navbar_item"], Node { position, parent });
                self.model.nodes.insert(id, Node { position, parent });
            }
        }
    }

    async fn delete(&mut self) {
        let id = self.model.some_id(&mut self.rng);
        let answer = self.admin.delete(&path(id)).await;
        if !self.model.nodes.contains_key(&id) {
            answer.not_found();
        } else if !self.model.children(id).is_empty() {
            answer.error(422, "has_children");
        } else {
            answer.ok();
            self.model.nodes.remove(&id);
        }
    }

    async fn reorder(&mut self) {
        let mut places: Vec<(i64, i64)> = Vec::new();
        for _ in 0..self.rng.below(5) {
            let id = self.model.some_id(&mut self.rng);
            places.push((id, self.position()));
        }
        let entry = |(id, position): &(i64, i64)| json!({ "id": id, "position": position });
        let items: Vec<Value> = places.iter().map(entry).collect();
        let answer = self.admin.post(REORDER, json!({ "items": items })).await;
        if self.expect_faults(&places, &answer) {
            return;
        }
        answer.ok();
        for (id, position) in places {
            let node = self.model.nodes.get_mut(&id).expect("it was checked");
            node.position = position;
        }
    }

    fn expect_faults(&self, places: &[(i64, i64)], answer: &Answer) -> bool {
        let mut faults: Vec<(String, &str)> = Vec::new();
        for (n, (id, _)) in places.iter().enumerate() {
            let field = format!("items.{n}.id");
            if !self.model.nodes.contains_key(id) {
                faults.push((field.clone(), "is not the id of a navigation item"));
            }
            if places[..n].iter().any(|(earlier, _)| earlier == id) {
                faults.push((field, "must not be repeated"));
            }
        }
        let faults: Vec<(&str, &str)> = faults
            .iter()
            .map(|(field, sentence)| (field.as_str(), *sentence))
            .collect();
        if !faults.is_empty() {
            answer.invalid(&faults);
        }
        !faults.is_empty()
    }

    /// Asserts that the service shows exactly the model.
    async fn compare(&self) {
        assert_eq!(listed(&self.admin).await, self.model.order(|_| true));
        for (id, node) in &self.model.nodes {
            let shown = single(&self.admin, *id).await;
            assert_node(&shown, *node);
            assert_eq!(ids(&shown["children"]), self.model.children(*id));
        }
    }
}

#[track_caller]
fn assert_node(shown: &Value, node: Node) {
    assert_eq!(shown["position"], node.position);
    assert_eq!(shown["parent_id"], json!(node.parent));
}

#[service_test]
async fn random_writes_of_items_agree_with_the_model() {
    for seed in 1..=4 {
        let app = TestApp::start().await;
        let mut run = Run {
            admin: app.admin(),
            rng: Rng::new(seed),
            model: Model::default(),
        };
        println!("seed {seed}");
        for step in 1..=120 {
            match run.rng.below(10) {
                0..4 => run.create().await,
                4..7 => run.move_item().await,
                7..9 => run.delete().await,
                _ => run.reorder().await,
            }
            if step % 20 == 0 {
                run.compare().await;
            }
        }
        assert!(!run.model.nodes.is_empty(), "the sequence built something");
    }
}
