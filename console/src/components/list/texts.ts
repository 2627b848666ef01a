import { texts } from "../../i18n/types";

/** The texts of every list, by its resource. */
export const lists = texts(
  {
    /** The button to the form of a new record. */
    create: {
      users: "New user",
      bans: "New ban",
      roles: "New role",
      servers: "Add a server",
      "social-networks": "New network",
      invoices: "New invoice",
      products: "New product",
      "promo-codes": "New promo code",
      gateways: "New gateway",
      currencies: "New currency",
      pages: "New page",
      "api-keys": "New API key",
      operators: "Invite",
      webhooks: "Add a webhook",
    },
    /** Shown where there is none yet. */
    empty: {
      users: "No users yet",
      bans: "No bans yet",
      roles: "No roles yet",
      servers: "No servers yet",
      "social-networks": "No social networks yet",
      invoices: "No invoices yet",
      products: "No products yet",
      "promo-codes": "No promo codes yet",
      gateways: "No payment gateways yet",
      currencies: "No currencies yet",
      pages: "No pages yet",
      "api-keys": "No API keys yet",
      operators: "No operators yet",
      webhooks: "No webhooks yet",
    },
    /** What they are, and why one wants them. */
    why: {
      users:
        "Users sign in to your community. Create them here, or let your website create them through the API.",
      bans: "A ban keeps a player off your game servers; a mute takes away their voice or chat. Write one here, or import the list that you have with “steward import bans”.",
      roles:
        "Roles tell your site who moderates, who supports the community, who writes pages. Create one and give it to users.",
      servers:
        "Add your game servers to see who plays, how full they are over time, and to run commands on their consoles.",
      "social-networks":
        "Add the networks that your members use. Then their profiles can be linked to them.",
      invoices:
        "An invoice is what a user is to pay. Your shop creates them through the API; you can also write one by hand.",
      products:
        "A product says what it costs and what it gives: a role for a month, a command on your servers, an item for a plugin. Once its invoice is paid, all of it is given.",
      "promo-codes":
        "A promo code takes a percentage or an amount off an invoice: for a sale, for a streamer, or to bring people back.",
      gateways:
        "A gateway is a way to pay, such as cards or PayPal. Your shop names it by its key in every invoice.",
      currencies:
        "Every invoice has a currency. Add the one that your community pays with; the first one becomes the default.",
      pages:
        "A page has an address on your site, its own text, and blocks such as images. Begin with the rules of your community.",
      "api-keys":
        "A key lets a program call the API, with only the permissions that you give it. Create one for each program, so that you can take it away again.",
      operators:
        "An operator is a user who may sign in to this console. Grant access to the people who help you, each with only what they need.",
      webhooks:
        "A webhook tells another program, such as a bot or a Discord channel, when a user is blocked, an invoice is paid, or anything else changes.",
    },
  },
  {
    create: {
      users: "Новый пользователь",
      bans: "Новый бан",
      roles: "Новая роль",
      servers: "Добавить сервер",
      "social-networks": "Новая сеть",
      invoices: "Новый счёт",
      products: "Новый товар",
      "promo-codes": "Новый промокод",
      gateways: "Новый способ оплаты",
      currencies: "Новая валюта",
      pages: "Новая страница",
      "api-keys": "Новый ключ API",
      operators: "Пригласить",
      webhooks: "Добавить вебхук",
    },
    empty: {
      users: "Пользователей пока нет",
      bans: "Банов пока нет",
      roles: "Ролей пока нет",
      servers: "Серверов пока нет",
      "social-networks": "Социальных сетей пока нет",
      invoices: "Счетов пока нет",
      products: "Товаров пока нет",
      "promo-codes": "Промокодов пока нет",
      gateways: "Способов оплаты пока нет",
      currencies: "Валют пока нет",
      pages: "Страниц пока нет",
      "api-keys": "Ключей API пока нет",
      operators: "Операторов пока нет",
      webhooks: "Вебхуков пока нет",
    },
    why: {
      users:
        "Пользователи входят в ваше сообщество. Создайте их здесь, или пусть их создаёт ваш сайт через API.",
      bans: "Бан не пускает игрока на игровые серверы, мут отключает ему голос или чат. Выдайте первый здесь или загрузите готовый список командой «steward import bans».",
      roles:
        "Роли говорят сайту, кто модерирует, кто поддерживает сообщество, кто пишет страницы. Создайте роль и выдайте её пользователям.",
      servers:
        "Добавьте игровые серверы, чтобы видеть, кто играет и как меняется число игроков, и выполнять команды в консоли.",
      "social-networks":
        "Добавьте сети, которыми пользуются участники, чтобы указывать в них профили.",
      invoices:
        "Счёт — это то, что пользователь должен заплатить. Их создаёт магазин через API; можно выставить и вручную.",
      products:
        "Товар — это цена и то, что за неё выдаётся: роль на месяц, команда на серверах, предмет для плагина. Как только счёт оплачен, всё выдаётся само.",
      "promo-codes":
        "Промокод уменьшает счёт на процент или на сумму: для распродажи, для стримера или чтобы вернуть игроков.",
      gateways:
        "Это то, как платят: картой, через PayPal и так далее. Магазин указывает ключ способа в каждом счёте.",
      currencies:
        "У каждого счёта есть валюта. Добавьте ту, в которой платит ваше сообщество; первая станет основной.",
      pages:
        "У страницы есть адрес на сайте, свой текст и блоки, например изображения. Начните с правил сообщества.",
      "api-keys":
        "С ключом программа может обращаться к API — только с теми правами, которые вы дали. Создайте свой ключ для каждой программы, чтобы его можно было отозвать.",
      operators:
        "Оператор — это пользователь, который может войти в эту консоль. Дайте доступ тем, кто вам помогает, и только к тому, что им нужно.",
      webhooks:
        "Вебхук сообщает другой программе, например боту или каналу Discord, что пользователя заблокировали, счёт оплатили или изменилось что-то ещё.",
    },
  },
);
