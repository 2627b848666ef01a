#!/bin/sh
# Creates a small community over HTTP: roles, users, pages, a menu, currencies, a
# promo code, and paid and failed invoices. It needs an empty service and a key
# with all permissions.
#
#     KEY=stw_... [URL=http://127.0.0.1:8080] sh examples/community.sh
set -eu

: "${KEY:?set KEY to an API key, such as the one printed by the first start}"
URL=${URL:-http://127.0.0.1:8080}

# call METHOD PATH [BODY]: prints the reply, or prints the error and exits.
call() {
    if ! reply=$(curl -sS --fail-with-body -X "$1" "$URL$2" -H "X-API-Key: $KEY" \
        -H 'Content-Type: application/json' ${3+-d "$3"}); then
        echo "$1 $2: $reply" >&2
        exit 1
    fi
    printf '%s\n' "$reply"
}

# make PATH BODY: creates a resource and stores its id in $id.
make() {
    made=$(call POST "$1" "$2")
    id=$(printf '%s' "$made" | grep -o '"id":[0-9]*' | head -n 1 | cut -d : -f 2)
}

# act METHOD PATH [BODY]: like call, without printing the reply.
act() {
    call "$@" >/dev/null
}

echo "Roles"
make /api/roles '{"name":"Admin","description":"Runs the place","color":"#c0392b"}'; admin=$id
make /api/roles '{"name":"Moderator","description":"Keeps the peace","color":"#2980b9"}'; moderator=$id
make /api/roles '{"name":"Member","color":"#27ae60"}'; member=$id
act PUT "/api/roles/$moderator/permissions" '{"permission_ids":[12,13]}'

echo "Users"
user() {
    make /api/users "{\"username\":\"$1\",\"email\":\"$1@example.com\",\"password\":\"correct horse $1\",\"role_ids\":$2}"
}
user anna "[$admin,$member]"; anna=$id
user ben "[$moderator,$member]"; ben=$id
user carla "[$member]"; carla=$id
act POST "/api/users/$anna/social-networks" '{"network_id":1,"profile_url":"anna_plays"}'
act POST "/api/users/$ben/social-networks" '{"network_id":2,"profile_url":"ben#1234"}'
act POST "/api/users/$carla/block" '{"reason":"Cooling off","until":"2099-01-01T00:00:00Z"}'
act POST "/api/users/$carla/unblock"

echo "Pages"
make /api/cms-pages '{"title":"Welcome","slug":"welcome","content":"<h1>Welcome</h1>"}'; welcome=$id
make "/api/cms-pages/$welcome/blocks" '{"type":"text","content":"<p>Three servers, no lag.</p>"}'; text=$id
make "/api/cms-pages/$welcome/blocks" '{"type":"image","content":{"url":"/banner.png","alt":"Our banner","width":960,"height":240}}'; image=$id
act POST "/api/cms-pages/$welcome/blocks/reorder" "{\"items\":[{\"id\":$image,\"order\":1},{\"id\":$text,\"order\":2}]}"
make /api/cms-pages '{"title":"Rules","slug":"rules","content":"<ol><li>Be kind.</li></ol>"}'

echo "Menu"
make /api/navbar-items '{"title":"Home","url":"/welcome","position":1}'
make /api/navbar-items '{"title":"Community","position":2}'; community=$id
make /api/navbar-items "{\"title\":\"Rules\",\"url\":\"/rules\",\"parent_id\":$community,\"position\":1}"
make /api/navbar-items "{\"title\":\"Reports\",\"url\":\"/reports\",\"parent_id\":$community,\"position\":2,\"roles\":[$admin,$moderator]}"

echo "Currencies and a promo code"
make /api/currencies '{"code":"EUR","minimum_value":1,"exchange_rate":1}'; eur=$id
make /api/currencies '{"code":"GEM","minimum_value":10,"exchange_rate":0.01}'
make /api/payment-gateways '{"key":"card","name":"Credit card"}'
make /api/promo-codes "{\"code\":\"WELCOME10\",\"type\":\"percentage\",\"value\":10,\"max_uses_per_user\":1,\"role_ids\":[$member]}"

echo "Invoices"
invoice() {
    make /api/payment-invoices "{\"user_id\":$1,\"gateway\":\"card\",\"amount\":$2,\"currency_id\":$eur$3}"
}
invoice "$anna" 19.99 ',"promo_code":"welcome10"'
act PUT "/api/payment-invoices/$id/status" '{"is_paid":true,"transaction_id":"T-1001"}'
invoice "$ben" 5 ''
act POST "/api/payment-invoices/$id/fail" '{"reason":"The card was declined"}'
invoice "$carla" 7.50 ''

echo "Statistics"
call GET /api/payment-invoices/stats
