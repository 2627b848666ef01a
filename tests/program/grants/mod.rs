//! Grants of the whole program: how often commands reach real consoles while the service is killed
//! and servers go down and come back.

mod buyers;
mod checks;

use std::time::Duration;

use db::Db;
use rcon::testing::Behaviour;
use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

use self::buyers::{Buyer, Order};
use crate::support::{Client, GameServer, Home, number, within};

const BUYERS: usize = 6;
/// Long enough for the lease of a killed instance to expire, and for retries.
const PATIENCE: Duration = Duration::from_secs(120);
/// What a server that is down does.
const OUTAGES: [Behaviour; 5] = [
    Behaviour::ClosesAfterCommand,
    Behaviour::Refuses,
    Behaviour::SilentAfterLogin,
    Behaviour::ClosesAtOnce,
    Behaviour::Silent,
];

/// The game servers; half of them are down.
struct Arena {
    servers: Vec<GameServer>,
    ids: Vec<i64>,
    /// How many commands they have received.
    received: watch::Receiver<usize>,
}

impl Arena {
    async fn start(admin: &Client, count: usize) -> Self {
        let (mut servers, mut ids) = (Vec::new(), Vec::new());
        let (total, received) = watch::channel(0);
        for number in 0..count {
            let server = GameServer::start(20 + number as u8).await;
            let made = admin.post("/api/servers", server.body()).await.created();
            ids.push(made["server"]["id"].as_i64().expect("an id"));
            tokio::spawn(count_received(server.received(), total.clone()));
            servers.push(server);
        }
        Self {
            servers,
            ids,
            received,
        }
    }

    /// Another half of the servers is down from now on. Those that are back are queried.
    async fn move_outage(&self, round: usize, admin: &Client) {
        let count = self.servers.len();
        for (place, server) in self.servers.iter().enumerate() {
            let is_down = (place + round) % count < count / 2;
            if is_down {
                // Not in step with the outage, so that it begins in different ways.
                server.behave(OUTAGES[(place + 2 * round) % OUTAGES.len()]);
            } else if !server.is_up() {
                server.behave(Behaviour::Valve);
                query(admin, self.ids[place]).await;
            }
        }
    }

    fn end_outage(&self) {
        for server in &self.servers {
            server.behave(Behaviour::Valve);
        }
    }

    /// Waits for the moment of a kill: after this many commands, when one has just been received, or
    /// at any time.
    async fn wait_for_moment(&self, round: usize, commands: usize) {
        let mut received = self.received.clone();
        let enough = *received.borrow_and_update() + commands;
        let waiting = received.wait_for(|received| *received >= enough);
        // Leases of earlier instances may leave few servers to send to.
        let _ = tokio::time::timeout(Duration::from_secs(10), waiting).await;
        if round.is_multiple_of(2) {
            let next = received.changed();
            let _ = tokio::time::timeout(Duration::from_secs(1), next).await;
        } else {
            tokio::time::sleep(Duration::from_millis(97 * round as u64 % 300)).await;
        }
    }
}

/// Adds to the total what a console receives.
async fn count_received(mut commands: watch::Receiver<Vec<String>>, total: watch::Sender<usize>) {
    let mut counted = 0;
    while commands.changed().await.is_ok() {
        let received = commands.borrow_and_update().len();
        total.send_modify(|total| *total += received - counted);
        counted = received;
    }
}

/// Queries a server. Once it has answered, its commands are sent at once.
async fn query(admin: &Client, server: i64) {
    let path = format!("/api/servers/{server}/query");
    admin.post(&path, json!({})).await.ok();
}

/// The leases of instances that were killed.
struct Leases {
    db: Db,
    /// Those that end until then are left alone.
    left: i64,
}

impl Leases {
    async fn of(home: &Home) -> Self {
        Self {
            db: home.database().await,
            left: 0,
        }
    }

    /// Ends the leases of the killed instance, as if 60 seconds had passed.
    async fn expire(&self) {
        let sql = format!(
            "UPDATE queue SET next_attempt_at = 1, leased_until = 1
             WHERE kind = 'commands' AND leased_until > {}",
            self.left
        );
        self.db.run_sql(&sql).await.expect("expired");
    }

    /// Lets them expire by themselves.
    async fn leave(&mut self) {
        let mut read = self.db.read().await.expect("a reader");
        let sql = "SELECT COALESCE(MAX(leased_until), 0) FROM queue WHERE kind = 'commands'";
        let last = read.query_one(sql, &[], |row| row.get(0)).await;
        self.left = self.left.max(last.expect("a number"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_while_commands_are_sent_doubles_none_and_loses_none() {
    let kills = number("STEWARD_TEST_GRANT_KILLS", 4) as usize;
    let grants = number("STEWARD_TEST_GRANTS", 100) as usize;
    let count = number("STEWARD_TEST_GRANT_SERVERS", 6) as usize;
    let home = Home::new().await;
    let service = home.start().await;
    let admin = service.admin();
    let arena = Arena::start(&admin, count).await;
    let order = Order::prepare(&admin, &arena.ids).await;
    let mut buyers = Vec::new();
    for number in 0..BUYERS {
        buyers.push(Buyer::new(&admin, number, order.clone()).await);
    }
    service.stop().await.ok();

    let mut leases = Leases::of(&home).await;
    for round in 0..kills {
        let service = home.start().await;
        let (count, mut counted) = watch::channel(0);
        let mut running = JoinSet::new();
        for buyer in buyers {
            running.spawn(buyer.buy_until_killed(service.admin(), count.clone()));
        }
        arena.move_outage(round, &service.admin()).await;
        let enough = grants.div_ceil(kills);
        within(counted.wait_for(|count| *count >= enough))
            .await
            .expect("buyers go on");
        arena.wait_for_moment(round, 2 * enough).await;
        service.kill();
        buyers = within(running.join_all()).await;
        // Waiting for each would leave few servers with work at the next kill.
        match round % 50 {
            49 => leases.leave().await,
            _ => leases.expire().await,
        }
    }

    arena.end_outage();
    let service = home.start().await;
    let admin = service.admin();
    for buyer in &mut buyers {
        buyer.buy(&admin).await.expect("an answer");
    }
    wait_until_finished(&leases.db, &admin, &arena.ids).await;
    service.stop().await.ok();
    let summary = checks::check(&leases.db, &arena, &buyers, kills).await;
    println!("{kills} kills, {count} servers: {summary}");
    assert!(summary.grants >= grants, "{summary}");
}

/// Waits until every step is in a final state, as long as more of them are.
async fn wait_until_finished(db: &Db, admin: &Client, servers: &[i64]) {
    let mut fewest = i64::MAX;
    let mut end = Instant::now() + PATIENCE;
    loop {
        let left = open_steps(db).await;
        if left == 0 {
            return;
        }
        if left < fewest {
            fewest = left;
            end = Instant::now() + PATIENCE;
        }
        assert!(Instant::now() < end, "{left} steps are not finished");
        for server in servers {
            query(admin, *server).await;
        }
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
}

async fn open_steps(db: &Db) -> i64 {
    let mut read = db.read().await.expect("a reader");
    let sql = "SELECT COUNT(*) FROM grant_steps WHERE state IN ('pending', 'sending')";
    let left = read.query_one(sql, &[], |row| row.get(0)).await;
    left.expect("a number")
}
