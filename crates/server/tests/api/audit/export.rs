//! The export of the audit log.

use serde_json::Value;

use crate::support::Client;

#[service_test]
async fn an_export_has_all_matching_entries_oldest_first(admin: Client) {
    // More than a batch.
    for i in 0..45 {
        admin.create_role(&format!("Guard {i}")).await;
    }
    let path = "/api/audit-log/export?format=ndjson&action=roles.create";
    let answer = admin.get(path).await;
    assert_eq!(answer.status, 200);
    let file = answer.header("content-disposition");
    assert_eq!(file, "attachment; filename=\"audit-log.ndjson\"");
    let lines: Vec<Value> = answer
        .text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let names: Vec<&str> = lines
        .iter()
        .map(|line| line["after"]["name"].as_str().expect("a name"))
        .collect();
    let expected: Vec<String> = (0..45).map(|i| format!("Guard {i}")).collect();
    assert_eq!(names, expected);
    let listed = admin
        .get("/api/audit-log?sort=id&action=roles.create")
        .await;
    assert_eq!(listed.ok()["audit_log"][0], lines[0]);
}

#[service_test]
async fn csv_has_the_changed_fields_as_json(admin: Client) {
    admin.create_role("Guard").await;
    let answer = admin.get("/api/audit-log/export?resource=roles").await;
    assert_eq!(answer.status, 200);
    let mut reader = csv::Reader::from_reader(answer.text.as_bytes());
    let columns = reader.headers().expect("a head").clone();
    let row = reader.records().next().expect("a row").expect("CSV");
    let cell = |name: &str| {
        let index = columns.iter().position(|column| column == name);
        row[index.expect(name)].to_owned()
    };
    assert_eq!(cell("action"), "roles.create");
    assert_eq!(cell("before"), "{}");
    let after: Value = serde_json::from_str(&cell("after")).expect("JSON");
    assert_eq!(after["name"], "Guard");
}

#[service_test]
async fn an_export_is_refused_like_the_list_406_422(admin: Client) {
    let path = "/api/audit-log/export";
    let picture = admin.with("Accept", "image/png").get(path).await;
    picture.error(406, "not_acceptable");
    let refused = admin.get(&format!("{path}?format=xml&from=never")).await;
    let body = refused.error(422, "validation_failed");
    assert!(body["errors"]["format"].is_array() && body["errors"]["from"].is_array());
}
