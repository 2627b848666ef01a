use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::Value;

/// A client of the service, with or without a key.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    address: String,
    headers: Vec<(String, String)>,
}

impl Client {
    pub fn new(address: &str, key: Option<&str>) -> Self {
        // A proxy of the machine must not see a test's requests.
        let http = reqwest::Client::builder().no_proxy().build();
        let client = Self {
            http: http.expect("a client"),
            address: address.to_owned(),
            headers: Vec::new(),
        };
        match key {
            Some(key) => client.with("X-API-Key", key),
            None => client,
        }
    }

    /// A copy of this client with one more header.
    pub fn with(&self, name: &str, value: &str) -> Self {
        let mut client = self.clone();
        client.headers.push((name.to_owned(), value.to_owned()));
        client
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, None).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Method::POST, path, Some(body.to_string())).await
    }

    pub async fn put(&self, path: &str, body: Value) -> Answer {
        self.send(Method::PUT, path, Some(body.to_string())).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, None).await
    }

    async fn send(&self, method: Method, path: &str, body: Option<String>) -> Answer {
        let request = format!("{method} {path}");
        let answer = self.attempt(method, path, body).await;
        answer.unwrap_or_else(|error| panic!("{request}: {error:?}"))
    }

    /// A response whose body has not been read yet.
    pub async fn begin(&self, path: &str) -> reqwest::Response {
        let response = self.call(Method::GET, path).send().await;
        response.unwrap_or_else(|error| panic!("GET {path}: {error:?}"))
    }

    fn call(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let url = format!("http://{}{path}", self.address);
        let call = self.http.request(method, url);
        let headers = self.headers.iter();
        headers.fold(call, |call, (name, value)| call.header(name, value))
    }

    /// An error if the service goes away before it has answered completely.
    pub async fn attempt(
        &self,
        method: Method,
        path: &str,
        body: Option<String>,
    ) -> reqwest::Result<Answer> {
        let mut call = self.call(method, path);
        if let Some(body) = body {
            call = call.header("Content-Type", "application/json").body(body);
        }
        let response = call.send().await?;
        Ok(Answer {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            text: response.text().await?,
        })
    }
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
}

impl Answer {
    /// A header, which there must be.
    #[track_caller]
    pub fn header(&self, name: &str) -> &str {
        let header = self
            .headers
            .get(name)
            .unwrap_or_else(|| panic!("no {name}: {self:?}"));
        header.to_str().expect("text")
    }

    #[track_caller]
    pub fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        serde_json::from_str(&self.text).expect("JSON")
    }

    #[track_caller]
    pub fn ok(&self) -> Value {
        self.expect(200)
    }

    #[track_caller]
    pub fn created(&self) -> Value {
        self.expect(201)
    }
}
