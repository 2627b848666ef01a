use kernel::types::Timestamp;
use platform::backups::Name;
use reqwest::Method;
use serde_json::Value;

use crate::support::TestApp;

/// Resolves a reference of the document; any other part is returned unchanged.
pub fn resolve<'a>(document: &'a Value, part: &'a Value) -> &'a Value {
    match part.get("$ref").and_then(Value::as_str) {
        Some(reference) => {
            let pointer = reference.trim_start_matches('#');
            let target = document.pointer(pointer);
            resolve(document, target.unwrap_or_else(|| panic!("{reference}")))
        }
        None => part,
    }
}

/// The operation with its parameters, responses and their headers in place of references.
fn resolved(document: &Value, operation: &Value) -> Value {
    let mut operation = operation.clone();
    let parameters = operation["parameters"].as_array_mut();
    for parameter in parameters.into_iter().flatten() {
        *parameter = resolve(document, parameter).clone();
    }
    for response in children(&mut operation["responses"]) {
        *response = resolve(document, response).clone();
        for header in children(&mut response["headers"]) {
            *header = resolve(document, header).clone();
        }
    }
    operation
}

fn children(part: &mut Value) -> impl Iterator<Item = &mut Value> {
    let fields = part.as_object_mut();
    fields.into_iter().flat_map(|fields| fields.values_mut())
}

/// An operation in the OpenAPI document of the running service.
pub struct Operation {
    pub id: String,
    pub method: Method,
    /// With its placeholders: `/api/roles/{id}`.
    pub path: String,
    pub documented: Value,
}

impl Operation {
    /// Permissions that the call of its fixture needs besides, because of what it asks for.
    pub fn also_needs(&self) -> &'static [&'static str] {
        match self.id.as_str() {
            // The right to read the events that are sent.
            "createWebhook" | "updateWebhook" | "replayWebhook" => &["admin.audit.read"],
            _ => &[],
        }
    }

    /// Any one of these permissions is needed; empty where a valid key is enough.
    pub fn needs(&self) -> Vec<&str> {
        let alternatives = self.documented["security"].as_array();
        let alternatives = alternatives.unwrap_or_else(|| panic!("{}: no security", self.id));
        assert!(!alternatives.is_empty(), "{}: needs no key", self.id);
        let mut needs = Vec::new();
        // A key in the other header, and a session, need the same permissions.
        let is_key = |alternative: &&Value| alternative.get("ApiKey").is_some();
        let alternatives: Vec<&Value> = alternatives.iter().filter(is_key).collect();
        for alternative in &alternatives {
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

    /// The status of its successful reply.
    pub fn success(&self) -> &'static str {
        let responses = &self.documented["responses"];
        let mut statuses = match self.id.as_str() {
            // Linking a profile is 200.
            "finishSignIn" => ["201", "200", "202"],
            // A dry run is 200.
            "repairDiscord" => ["202", "200", "201"],
            _ => ["200", "201", "202"],
        }
        .into_iter();
        let documented = statuses.find(|status| responses.get(status).is_some());
        documented.unwrap_or_else(|| panic!("{}: no success", self.id))
    }

    /// The path of the only resource of its kind that it changes.
    pub fn only_one(&self) -> Option<&'static str> {
        match self.path.as_str() {
            "/api/discord" | "/api/discord/repair" => Some("/api/discord"),
            "/api/discord/roles" => Some("/api/discord/roles"),
            _ => None,
        }
    }

    /// Whether its path names a resource by id.
    pub fn has_target(&self) -> bool {
        !self.placeholders().is_empty()
    }

    /// Whether it changes a resource that exists, and so obeys `If-Match`.
    pub fn is_conditional(&self) -> bool {
        self.writes() && (self.has_target() || self.only_one() == Some(self.path.as_str()))
    }

    pub fn takes_body(&self) -> bool {
        self.documented.get("requestBody").is_some()
    }

    /// Those of ids. A provider of profiles is no resource.
    pub fn placeholders(&self) -> Vec<&str> {
        let parts = self.path.split('{').skip(1);
        let names = parts.filter_map(|part| part.split('}').next());
        names.filter(|name| *name != "provider").collect()
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
            "{provider}" => "steam",
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

    /// The path of the resource: up to and including the first placeholder. The commands of a server
    /// have a tag of their own.
    pub fn single(&self, ids: &[i64]) -> String {
        if self.path.ends_with("/commands") {
            return fill(&self.path, ids);
        }
        let end = self.path.find('}').map_or(self.path.len(), |end| end + 1);
        fill(&self.path[..end], ids)
    }
}

fn fill(path: &str, ids: &[i64]) -> String {
    let mut filled = String::new();
    let mut ids = ids.iter();
    for segment in path.split('/').skip(1) {
        filled.push('/');
        let mut next = || *ids.next().expect("an id for each placeholder");
        match segment {
            // The moment of a backup is its id in the audit log.
            "{provider}" => filled += "steam",
            "{name}" => filled += &Name::at(Timestamp::from_unix(next())).to_string(),
            _ if segment.starts_with('{') => filled += &next().to_string(),
            _ => filled += segment,
        }
    }
    filled
}

/// The document that the service serves.
pub async fn document(app: &TestApp) -> Value {
    app.anonymous().get("/openapi.json").await.ok()
}

/// Every operation that takes an API key.
pub async fn operations(app: &TestApp) -> Vec<Operation> {
    let mut operations = all_operations(app).await;
    operations.retain(|operation| !operation.path.starts_with("/api/console/"));
    operations
}

/// Every operation under `/api`, from the document that the service serves.
pub async fn all_operations(app: &TestApp) -> Vec<Operation> {
    let document = document(app).await;
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
                documented: resolved(&document, documented),
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
