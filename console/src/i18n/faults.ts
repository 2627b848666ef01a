/**
 * What the service says about fields that are not valid, in the reader's language. The service
 * speaks English only; `faults.test.ts` reads its source and fails if a message is missing here.
 */
export function fault(message: string, locale: string): string {
  const translated = locale === "ru" ? russian(message) : null;
  return translated ?? sentence(message);
}

function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}

function russian(message: string): string | null {
  const fixed = FIXED.get(message);
  if (fixed !== undefined) {
    return fixed;
  }
  for (const [pattern, translate] of PATTERNS) {
    const match = pattern.exec(message);
    if (match !== null) {
      const [, first = "", second = ""] = match;
      return translate(first, second);
    }
  }
  return null;
}

const RULES = new Intl.PluralRules("ru");

/** A number and its noun after words such as “до” and “не больше”, which want the genitive. */
function genitive(count: string, [one, many]: readonly [string, string]): string {
  return `${count} ${RULES.select(Number(count)) === "one" ? one : many}`;
}

const BYTES = ["байта", "байт"] as const;
const CHARACTERS = ["символа", "символов"] as const;
const EVENTS = ["события", "событий"] as const;
const IDS = ["идентификатора", "идентификаторов"] as const;
const LEVELS = ["уровня", "уровней"] as const;
const NETWORKS = ["сети", "сетей"] as const;
const PLACES = ["знака", "знаков"] as const;
const POINTS = ["точки", "точек"] as const;

/** What lists hold, after “не больше”. */
const ITEMS = {
  actions: ["действия", "действий"],
  ids: IDS,
  items: ["элемента", "элементов"],
  values: ["значения", "значений"],
} as const;

function listed(count: string, noun: string): string {
  return genitive(count, ITEMS[noun as keyof typeof ITEMS]);
}

/** “http:, https: or mailto” with the Russian word for “or”. */
function alternatives(names: string): string {
  return names.replace(" or ", " или ");
}

function unlisted(count: string): string {
  switch (RULES.select(Number(count))) {
    case "one":
      return `Не показана ещё ${count} ошибка.`;
    case "few":
      return `Не показаны ещё ${count} ошибки.`;
    default:
      return `Не показано ещё ${count} ошибок.`;
  }
}

const FIXED = new Map([
  ["has already been taken", "Это значение уже занято."],
  ["has been used up", "Больше нельзя использовать: лимит исчерпан."],
  ["has been used up by this user", "Этот пользователь исчерпал свой лимит использований."],
  ["has expired", "Срок действия истёк."],
  ["is disabled", "Отключено."],
  ["is not a field of this request", "Такого поля в этом запросе нет."],
  ["is not active", "Неактивно."],
  ["is not for this user", "Не для этого пользователя."],
  ["is not the id of a block of this page", "На этой странице нет такого блока."],
  ["is not the id of a navigation item", "Такого пункта меню нет."],
  ["is not the id of a permission", "Такого права нет."],
  ["is not the id of a role", "Такой роли нет."],
  ["is not the id of a social network", "Такой социальной сети нет."],
  ["is not the id of a user", "Такого пользователя нет."],
  ["is not the name or the id of a social network", "Такой социальной сети нет."],
  ["is not valid yet", "Ещё не действует."],
  ["is required", "Обязательное поле."],
  [
    "must be 1 to 1000 characters, none of them control characters",
    "Допустимо от 1 до 1000 символов, кроме управляющих.",
  ],
  [
    "must be 1 to 255 of the letters a to z, digits, - _ . ~ and single slashes between them",
    "Допустимо от 1 до 255 знаков: буквы от a до z, цифры, - _ . ~ и одиночные косые черты между ними.",
  ],
  ["must be 1 to 255 visible ASCII characters", "Допустимо от 1 до 255 видимых символов ASCII."],
  [
    "must be 1 to 50 letters, digits, underscores, hyphens and dots",
    "Допустимо от 1 до 50 знаков: буквы, цифры, подчёркивания, дефисы и точки.",
  ],
  [
    "must be 1 to 64 letters, digits, _, - or .",
    "Допустимо от 1 до 64 знаков: буквы, цифры, _, - и точка.",
  ],
  ["must be 3 letters or digits", "Введите 3 буквы или цифры."],
  ["must be a JSON value", "Введите значение JSON."],
  [
    "must be a URL that begins with http:// or https:// and has a host",
    "Введите адрес, который начинается с http:// или https:// и содержит имя узла.",
  ],
  ["must be a colour such as #1e90ff", "Введите цвет, например #1e90ff."],
  ["must be a date such as 2026-03-01", "Введите дату, например 2026-03-01."],
  [
    "must be a date such as 2026-03-01, or a moment in ISO 8601 such as 2026-03-01T12:00:00Z",
    "Введите дату, например 2026-03-01, или момент по ISO 8601, например 2026-03-01T12:00:00Z.",
  ],
  ["must be a list", "Нужен список."],
  ["must be a list of actions", "Нужен список действий."],
  ["must be a list of ids", "Нужен список идентификаторов."],
  ["must be a list of networks", "Нужен список сетей."],
  ["must be a list of permission ids", "Нужен список идентификаторов прав."],
  ["must be a list of strings", "Нужен список строк."],
  [
    "must be a moment in ISO 8601, such as 2026-03-01T12:00:00Z",
    "Введите момент по ISO 8601, например 2026-03-01T12:00:00Z.",
  ],
  [
    "must be a network such as 10.0.0.0/8, or an address",
    "Введите сеть, например 10.0.0.0/8, или адрес.",
  ],
  ["must be a number", "Введите число."],
  ["must be a string", "Нужна строка."],
  ["must be a string in a text block", "В текстовом блоке нужна строка."],
  ["must be after starts_at", "Должно быть позже, чем starts_at."],
  ["must be all, desktop or mobile", "Допустимо: all, desktop или mobile."],
  ["must be amount or percentage", "Допустимо: amount или percentage."],
  [
    "must be an action such as users.block, all of a resource such as users.*, or *",
    "Введите действие, например users.block, все действия над ресурсом, например users.*, или *.",
  ],
  ["must be an email address", "Введите адрес электронной почты."],
  [
    "must be an http or https address that contains {handle} once",
    "Введите адрес http или https, в котором {handle} встречается один раз.",
  ],
  [
    "must be an http or https address, or a handle without spaces",
    "Введите адрес http или https либо имя профиля без пробелов.",
  ],
  ["must be an integer of at least 1", "Введите целое число не меньше 1."],
  ["must be an IPv4 or IPv6 address", "Введите адрес IPv4 или IPv6."],
  ["must be an object", "Нужен объект."],
  ["must be an object in an image block", "В блоке с изображением нужен объект."],
  ["must be at least 3 characters long", "Введите не меньше 3 символов."],
  ["must be at most 100 for a percentage", "Процент не может быть больше 100."],
  ["must be before to", "Должно быть раньше, чем to."],
  ["must be csv or ndjson", "Допустимо: csv или ndjson."],
  ["must be currency", "Допустимо только currency."],
  ["must be greater than 0", "Должно быть больше 0."],
  ["must be id", "Допустимо только id."],
  ["must be in the future", "Должно быть в будущем."],
  [
    "must be one or more of roles, social and block, separated by commas",
    "Допустимо: roles, social и block, через запятую.",
  ],
  ["must be paid, pending or failed", "Допустимо: paid, pending или failed."],
  ["must be pending, delivered or failed", "Допустимо: pending, delivered или failed."],
  ["must be query_port", "Допустимо только query_port."],
  ["must be standard or discord", "Допустимо: standard или discord."],
  ["must be string or number", "Допустимо: string или number."],
  ["must be the id of an event", "Нужен идентификатор события."],
  ["must be true or false", "Допустимо: true или false."],
  ["must be true, or be left out", "Допустимо только true, или не указывайте совсем."],
  ["must be valid Unicode", "Текст должен быть в правильном Юникоде."],
  ["must come from a Link header", "Должно быть взято из заголовка Link."],
  [
    "must come from a Link header under the same sort",
    "Должно быть взято из заголовка Link при той же сортировке.",
  ],
  [
    "must have only the characters of a URL: write others as % codes, and names in Punycode",
    "Допустимы только символы адресов: остальные запишите кодами с %, а имена узлов — в Punycode.",
  ],
  ["must name at least one network, or be null", "Укажите хотя бы одну сеть или null."],
  ["must not be after created_to", "Не может быть позже, чем created_to."],
  ["must not be after end_date", "Не может быть позже, чем end_date."],
  ["must not be after to", "Не может быть позже, чем to."],
  [
    "must not be an address that is not public, unless --webhook-networks names it",
    "Допустим только публичный адрес или адрес из сетей, названных в --webhook-networks.",
  ],
  ["must not be blank", "Не может быть пустым."],
  ["must not be negative", "Не может быть отрицательным."],
  ["must not be null", "Не может быть null."],
  ["must not be repeated", "Не должно повторяться."],
  [
    "must not be the item itself or one below it",
    "Не может быть самим пунктом или пунктом, вложенным в него.",
  ],
  [
    "must not begin or end with white space",
    "Не должно начинаться или заканчиваться пробельными символами.",
  ],
  [
    "must not begin with a space or contain control characters",
    "Не должно начинаться с пробела или содержать управляющие символы.",
  ],
  [
    "must not contain a user name or a password",
    "Не должно содержать имя пользователя или пароль.",
  ],
  [
    "must not contain bidirectional or zero-width characters",
    "Не должно содержать символы направления письма и символы нулевой ширины.",
  ],
  ["must not contain control characters", "Не должно содержать управляющих символов."],
  ["must not contain the NUL character", "Не должно содержать нулевого символа (NUL)."],
]);

type Pattern = readonly [RegExp, (first: string, second: string) => string];

const PATTERNS: Pattern[] = [
  [/^(\d+) more faults? (?:is|are) not shown$/, unlisted],
  [
    /^is required, unless there is one of (.+)$/,
    (others) => `Обязательно, если не указано одно из: ${others}.`,
  ],
  [
    /^must be (\d+) to (\d+) characters long$/,
    (least, most) => `Длина — от ${least} до ${genitive(most, CHARACTERS)}.`,
  ],
  [
    /^must be (\d+) to (\d+) bytes long$/,
    (least, most) => `Длина — от ${least} до ${genitive(most, BYTES)}.`,
  ],
  [
    /^must be 1 to (\d+) of a-z, 0-9, _ and -$/,
    (most) => `Допустимо от 1 до ${genitive(most, PLACES)}: a-z, 0-9, _ и -.`,
  ],
  [
    /^must be an integer from (-?\d+) to (-?\d+)$/,
    (least, most) => `Введите целое число от ${least} до ${most}.`,
  ],
  [
    /^must be at least ([\d.]+) in this currency$/,
    (least) => `В этой валюте — не меньше ${least}.`,
  ],
  [
    /^must be at least (\d+), for at most (\d+) points$/,
    (least, points) => `Не меньше ${least}, чтобы было не больше ${genitive(points, POINTS)}.`,
  ],
  [/^must be at most (\d+)$/, (most) => `Не больше ${most}.`],
  [/^must be at most (\d+) bytes long$/, (most) => `Длина — не больше ${genitive(most, BYTES)}.`],
  [
    /^must be at most (\d+) characters long$/,
    (most) => `Длина — не больше ${genitive(most, CHARACTERS)}.`,
  ],
  [
    /^must be at most (\d+) levels deep$/,
    (most) => `Вложенность — не больше ${genitive(most, LEVELS)}.`,
  ],
  [
    /^must be at most (\d+) ids for (\d+) users$/,
    (most, users) => `Не больше ${genitive(most, IDS)}, если пользователей столько: ${users}.`,
  ],
  [
    /^must be closer to from: the period has more than (\d+) events$/,
    (most) => `Укажите время ближе к from: в этом промежутке больше ${genitive(most, EVENTS)}.`,
  ],
  [
    /^must be one of (.+), with - in front for descending$/,
    (names) => `Допустимо одно из: ${names}; для убывания поставьте впереди -.`,
  ],
  [
    /^must be relative or begin with (.+):$/,
    (schemes) =>
      `Нужен относительный адрес или адрес, который начинается с ${alternatives(schemes)}:.`,
  ],
  [/^must be the only one of (.+)$/, (names) => `Допустимо только одно из: ${names}.`],
  [
    /^must have at most (\d+) decimal places$/,
    (places) => `После запятой — не больше ${genitive(places, PLACES)}.`,
  ],
  [
    /^must hold at most (\d+) (actions|ids|items|values)$/,
    (most, noun) => `В списке — не больше ${listed(most, noun)}.`,
  ],
  [
    /^must hold (\d+ to \d+) (actions|ids|items|values)$/,
    (range, noun) => {
      const [least = "", most = ""] = range.split(" to ");
      return `В списке — от ${least} до ${listed(most, noun)}.`;
    },
  ],
  [
    /^must name at most (\d+) networks$/,
    (most) => `Укажите не больше ${genitive(most, NETWORKS)}.`,
  ],
  [/^must not be true together with (.+)$/, (other) => `Не может быть true вместе с ${other}.`],
  [/^needs an amount of at least ([\d.]+)$/, (least) => `Нужна сумма не меньше ${least}.`],
];
