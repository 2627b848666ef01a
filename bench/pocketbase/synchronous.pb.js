// PocketBase opens its database with synchronous=NORMAL and has no option for another value. All
// writes use one connection, so it can be set there; a reopened connection has the default again.
routerAdd("PUT", "/synchronous/full", (e) => {
    $app.nonconcurrentDB().newQuery("PRAGMA synchronous = FULL").execute();
    return e.json(200, {});
});

routerAdd("GET", "/synchronous", (e) => {
    const found = new DynamicModel({ synchronous: -1 });
    $app.nonconcurrentDB().newQuery("PRAGMA synchronous").one(found);
    return e.json(200, found);
});
