use reqwest::Method;
use serde_json::Value;

use crate::support::TestApp;

/// An operation in the OpenAPI document of the running service.
pub struct Operation {
    pub id: String,
    pub method: Method,
    /// With its placeholders: `/api/roles/{id}`.
    pub path: String,
    pub documented: Value,
}

impl Operation {
    /// Any one of these permissions is needed; empty where a valid key is enough.
    pub fn needs(&self) -> Vec<&str> {
        let alternatives = self.documented["security"].as_array();
        let alternatives = alternatives.unwrap_or_else(|| panic!("{}: no security", self.id));
        assert!(!alternatives.is_empty(), "{}: needs no key", self.id);
        let mut needs = Vec::new();
        for alternative in alternatives {
            let listed = alternative["ApiKey"].as_array();
            let listed = listed.unwrap_or_else(|| panic!("{}: {alternative}", self.id));
            match &listed[..] {
                [] => assert_eq!(
                    alternatives.len(),
                    1,
                    "{}: an alternative needs no permission",
                    self.id
                ),
                [name] => needs.push(name.as_str().expect("a name")),
                _ => panic!("{}: {listed:?}", self.id),
            }
        }
        needs
    }

    /// Whether it changes something. A POST can also be a read.
    pub fn writes(&self) -> bool {
        let parameters = self.documented["parameters"].as_array();
        let mut parameters = parameters.into_iter().flatten();
        parameters.any(|parameter| parameter["name"] == "Idempotency-Key")
    }

    /// Whether its path names a resource.
    pub fn has_target(&self) -> bool {
        self.path.contains('{')
    }

    pub fn takes_body(&self) -> bool {
        self.documented.get("requestBody").is_some()
    }

    pub fn placeholders(&self) -> Vec<&str> {
        let parts = self.path.split('{').skip(1);
        parts.filter_map(|part| part.split('}').next()).collect()
    }

    /// The path of the list of its resource: `/api/roles` for `/api/roles/{id}/permissions`.
    pub fn collection(&self) -> String {
        let segments: Vec<&str> = self.path.split('/').take(3).collect();
        segments.join("/")
    }

    pub fn takes_query(&self, name: &str) -> bool {
        let parameters = self.documented["parameters"].as_array();
        let mut parameters = parameters.into_iter().flatten();
        parameters.any(|parameter| parameter["in"] == "query" && parameter["name"] == name)
    }

    /// The path with this text in place of every placeholder.
    pub fn path_with(&self, id: &str) -> String {
        let fill = |segment| match segment {
            segment if str::starts_with(segment, "{") => id,
            segment => segment,
        };
        let segments: Vec<&str> = self.path.split('/').map(fill).collect();
        segments.join("/")
    }

    /// The path with its placeholders filled in.
    pub fn path_to(&self, ids: &[i64]) -> String {
        assert_eq!(self.placeholders().len(), ids.len(), "{}: ids", self.id);
        fill(&self.path, ids)
    }

    /// The path of the resource: up to and including the first placeholder.
    pub fn single(&self, ids: &[i64]) -> String {
        let end = self.path.find('}').map_or(self.path.len(), |end| end + 1);
        fill(&self.path[..end], ids)
    }
}

fn fill(path: &str, ids: &[i64]) -> String {
    let mut filled = String::new();
    let mut ids = ids.iter();
    for segment in path.split('/').skip(1) {
        filled.push('/');
        match segment.strip_prefix('{') {
            Some(_) => filled += &ids.next().expect("an id for each placeholder").to_string(),
            None => filled += segment,
        }
    }
    filled
}

/// Every operation under `/api` in the document that the service serves.
pub async fn operations(app: &TestApp) -> Vec<Operation> {
    let document = app.anonymous().get("/openapi.json").await.ok();
    let paths = document["paths"].as_object().expect("paths").clone();
    let mut operations = Vec::new();
    for (path, item) in paths {
        assert!(path.starts_with("/api/"), "{path}");
        for (method, documented) in item.as_object().expect("methods") {
            let method = method.to_uppercase();
            let id = documented["operationId"].as_str();
            operations.push(Operation {
                id: id
                    .unwrap_or_else(|| panic!("{method} {path}: no id"))
                    .into(),
                method: method.parse().expect("a method"),
                path: path.clone(),
                documented: documented.clone(),
            });
        }
    }
    assert!(operations.len() >= 16, "the document lists the operations");
    operations
}

/// The operations that change something.
pub async fn writes(app: &TestApp) -> Vec<Operation> {
    let mut operations = operations(app).await;
    operations.retain(Operation::writes);
    operations
}
