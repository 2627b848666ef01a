import type { Schemas } from "../api/client";
import type { ApiError } from "../api/error";

type Fault = Schemas["ApiFault"];
/** Which parameters there are depends on the code; the service documents them. */
type Params = Required<Omit<Schemas["FaultParams"], "max">> & { max?: number };

/** The faults of a refused request in the reader's language, by the name of the field. */
export function faultTexts({ faults, errors }: ApiError, locale: string): Record<string, string> {
  const texts = new Map<string, string[]>();
  for (const one of faults) {
    const before = texts.get(one.field) ?? [];
    // Faults and sentences have the same order.
    const sentence = errors[one.field]?.[before.length] ?? "";
    texts.set(one.field, [...before, faultText(one, sentence, locale)]);
  }
  return Object.fromEntries([...texts].map(([field, found]) => [field, found.join(" ")]));
}

/** A fault in the reader's language. English is the sentence of the service. */
export function faultText({ code, params }: Fault, sentence: string, locale: string): string {
  const { min, max, unit, items } = params as Params;
  if (code === "too_short" && unit === "bytes") {
    // Only passwords are counted in bytes, and people count characters. So many are always enough.
    return locale === "ru"
      ? length({ min, unit: "characters" } as Params)
      : `Must have at least ${min} characters.`;
  }
  if ((code === "required" || code === "null_value") && locale !== "ru") {
    return "This field is required.";
  }
  if (code === "wrong_count" && items === "ids" && min > 0 && max !== undefined) {
    // People choose by name.
    return locale === "ru" ? `Выберите от ${min} до ${max}.` : `Choose ${min} to ${max}.`;
  }
  // A newer version of the service may have more codes.
  return locale === "ru" && Object.hasOwn(RUSSIAN, code)
    ? RUSSIAN[code](params as Params)
    : `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}

const RULES = new Intl.PluralRules("ru");

type Noun = readonly [one: string, many: string];

/** A number and its noun after words such as “до” and “не больше”, which want the genitive. */
function genitive(count: number, [one, many]: Noun): string {
  return `${count} ${RULES.select(count) === "one" ? one : many}`;
}

const PLACES: Noun = ["знака", "знаков"];

const UNITS: Record<Params["unit"], Noun> = {
  bytes: ["байта", "байт"],
  characters: ["символа", "символов"],
};

const ITEMS: Record<Params["items"], Noun> = {
  actions: ["действия", "действий"],
  ids: ["идентификатора", "идентификаторов"],
  items: ["элемента", "элементов"],
  networks: ["сети", "сетей"],
  players: ["игрока", "игроков"],
  prices: ["цены", "цен"],
  steps: ["шага", "шагов"],
  strings: ["строки", "строк"],
};

const TYPES: Record<Params["expected"], string> = {
  boolean: "Допустимо: true или false.",
  number: "Введите число.",
  object: "Нужен объект.",
  string: "Нужна строка.",
};

const BLOCKS: Record<Params["block"], string> = {
  image: "Блок с изображением",
  text: "Текстовый блок",
};

const FORBIDDEN: Record<Params["forbidden"], string> = {
  control: "управляющих символов",
  invisible: "символов направления письма и символов нулевой ширины",
  nul: "нулевого символа (NUL)",
};

const ALLOWED: Record<Params["allowed"], string> = {
  alphanumeric: "буквы и цифры",
  identifier: "буквы, цифры, _, - и точка",
  path: "буквы от a до z, цифры, - _ . ~ и одиночные косые черты между ними",
  printable: "любые символы, кроме управляющих",
  visible_ascii: "видимые символы ASCII",
  word: "a-z, 0-9, _ и -",
};

const FORMATS: Record<Params["format"], string> = {
  action_pattern:
    "Введите действие, например users.block, все действия над ресурсом, например users.*, или *.",
  caller: "Введите key:3 для ключа API или operator:5 для оператора.",
  color: "Введите цвет, например #1e90ff.",
  date: "Введите дату, например 2026-03-01.",
  date_or_date_time:
    "Введите дату, например 2026-03-01, или момент по ISO 8601, например 2026-03-01T12:00:00Z.",
  date_time: "Введите момент по ISO 8601, например 2026-03-01T12:00:00Z.",
  discord_id: "Введите идентификатор Discord: от 17 до 20 цифр.",
  email: "Введите адрес электронной почты.",
  event_id: "Нужен идентификатор события.",
  host_address: "Введите имя или адрес сервера, можно с портом: play.example.org:27015.",
  ip_address: "Введите адрес IPv4 или IPv6.",
  ip_range:
    "Введите адрес или диапазон, например 203.0.113.0/24: для IPv4 от /16, для IPv6 от /32, без лишних бит после длины.",
  json: "Введите значение JSON.",
  network: "Введите сеть, например 10.0.0.0/8, или адрес.",
  profile: "Введите адрес http или https либо имя профиля без пробелов.",
  profile_template: "Введите адрес http или https, в котором {handle} встречается один раз.",
  steam_id: "Введите SteamID игрока, например 76561197960265729, STEAM_1:1:0 или [U:1:1].",
  steam_id64: "Введите SteamID64, например 76561197960265729.",
  url: "Введите адрес, который начинается с http:// или https:// и содержит имя узла.",
};

const UNKNOWN: Record<Params["resource"], string> = {
  currency: "Такой валюты нет.",
  game_server: "Такого игрового сервера нет.",
  navigation_item: "Такого пункта меню нет.",
  page_block: "На этой странице нет такого блока.",
  permission: "Такого права нет.",
  role: "Такой роли нет.",
  social_network: "Такой социальной сети нет.",
  user: "Такого пользователя нет.",
};

function length({ min, max, unit }: Params): string {
  if (max === undefined) {
    return `Длина — не меньше ${genitive(min, UNITS[unit])}.`;
  }
  const most = genitive(max, UNITS[unit]);
  return min === 0 ? `Длина — не больше ${most}.` : `Длина — от ${min} до ${most}.`;
}

function integer({ min, max }: Params): string {
  return max === undefined
    ? `Введите целое число не меньше ${min}.`
    : `Введите целое число от ${min} до ${max}.`;
}

/** `a, b или c`. */
function alternatives(names: string[]): string {
  const [last = "", ...others] = names.toReversed();
  return others.length === 0 ? last : `${others.toReversed().join(", ")} или ${last}`;
}

/** A code without a text does not compile. */
const RUSSIAN: Record<Fault["code"], (params: Params) => string> = {
  after: ({ other }) => `Не может быть позже, чем ${other}.`,
  amount_too_small: ({ amount }) => `Нужна сумма не меньше ${amount}.`,
  below_minimum: ({ amount }) => `В этой валюте — не меньше ${amount}.`,
  blank: () => "Не может быть пустым.",
  credentials_in_url: () => "Не должно содержать имя пользователя или пароль.",
  cursor_of_other_sort: () => "Должно быть взято из заголовка Link при той же сортировке.",
  cycle: () => "Не может быть самим пунктом или пунктом, вложенным в него.",
  disabled: () => "Отключено.",
  expired: () => "Срок действия истёк.",
  forbidden_address: () =>
    "Допустим только публичный адрес или адрес из сетей, названных в --webhook-networks.",
  forbidden_characters: ({ forbidden }) => `Не должно содержать ${FORBIDDEN[forbidden]}.`,
  forbidden_scheme: ({ schemes }) =>
    `Нужен относительный адрес или адрес, который начинается с ${alternatives(schemes.map((scheme) => `${scheme}:`))}.`,
  inactive: () => "Неактивно.",
  leading_space: () => "Не должно начинаться с пробела.",
  lone_brace: () =>
    "Фигурные скобки допустимы только вокруг подстановок; обычные пишутся как {{ и }}.",
  negative: () => "Не может быть отрицательным.",
  no_price: () => "Нет цены в этой валюте.",
  not_a_list: ({ items }) =>
    items === "items" ? "Нужен список." : `Нужен список ${ITEMS[items][1]}.`,
  not_after: ({ other }) => `Должно быть позже, чем ${other}.`,
  not_an_integer: integer,
  not_before: ({ other }) => `Должно быть раньше, чем ${other}.`,
  not_both: ({ other }) => `Не может быть true вместе с ${other}.`,
  not_for_server: () => "Товар не для этого сервера.",
  not_for_user: () => "Не для этого пользователя.",
  not_in_future: () => "Должно быть в будущем.",
  not_one_of: ({ values }) =>
    values.length === 1
      ? `Допустимо только ${alternatives(values)}.`
      : `Допустимо: ${alternatives(values)}.`,
  not_positive: () => "Должно быть больше 0.",
  not_some_of: ({ values }) =>
    `Допустимо одно или несколько из: ${values.join(", ")}; через запятую.`,
  not_the_price: ({ amount }) => `Должно быть равно цене товара: ${amount}.`,
  not_the_only_one: ({ fields }) => `Допустимо только одно из: ${fields.join(", ")}.`,
  not_true: () => "Допустимо только true, или не указывайте совсем.",
  not_unicode: () => "Текст должен быть в правильном Юникоде.",
  not_yet_valid: () => "Ещё не действует.",
  null_value: () => "Обязательное поле.",
  only_with: ({ other }) => `Укажите только вместе с ${other}.`,
  out_of_range: integer,
  outer_space: () => "Не должно начинаться или заканчиваться пробельными символами.",
  profile_not_linked: ({ network }) => `У получателя нет привязанного профиля ${network}.`,
  repeated: () => "Не должно повторяться.",
  required: () => "Обязательное поле.",
  required_unless: ({ fields }) => `Обязательно, если не указано одно из: ${fields.join(", ")}.`,
  step_too_small: ({ min, max_points: points }) =>
    `Не меньше ${min}, чтобы было не больше ${genitive(points, ["точки", "точек"])}.`,
  taken: () => "Это значение уже занято.",
  too_deep: ({ max = 0 }) => `Вложенность — не больше ${genitive(max, ["уровня", "уровней"])}.`,
  too_far_ahead: ({ years }) => `Не позже чем через ${genitive(years, ["год", "лет"])}.`,
  too_large: ({ max }) => `Не больше ${max}.`,
  too_large_percentage: ({ max }) => `Процент не может быть больше ${max}.`,
  too_long: length,
  too_many_decimals: ({ max = 0 }) => `После запятой — не больше ${genitive(max, PLACES)}.`,
  too_many_events: ({ max = 0 }) =>
    `Укажите время ближе к from: в этом промежутке больше ${genitive(max, ["события", "событий"])}.`,
  too_many_for_users: ({ max = 0, users }) =>
    `Не больше ${genitive(max, ITEMS.ids)}, если пользователей столько: ${users}.`,
  too_many_servers: ({ max = 0 }) =>
    `Не больше ${genitive(max, ["пары", "пар"])} из шага и сервера.`,
  too_short: length,
  unescaped_url: () =>
    "Допустимы только символы адресов: остальные запишите кодами с %, а имена узлов — в Punycode.",
  unknown_field: () => "Такого поля в этом запросе нет.",
  unknown_id: ({ resource }) => UNKNOWN[resource],
  unknown_name: ({ resource }) => UNKNOWN[resource],
  unknown_placeholder: ({ placeholders }) =>
    `Допустимы только подстановки ${placeholders.map((name) => `{${name}}`).join(", ")}.`,
  unknown_return_url: () => "Нужен в точности один из адресов в --sign-in-return-to.",
  unknown_sort: ({ values }) =>
    `Допустимо одно из: ${values.join(", ")}; для убывания поставьте впереди -.`,
  unquoted_placeholder: ({ placeholder }) =>
    `{${placeholder}} должно стоять в двойных кавычках: консоль делит его на части по двоеточиям.`,
  unresolved_name: () => "Адрес для этого имени не найден.",
  used_up: () => "Больше нельзя использовать: лимит исчерпан.",
  used_up_by_user: () => "Этот пользователь исчерпал свой лимит использований.",
  wrong_characters: ({ allowed, min, max = min }) =>
    min === max
      ? `Количество знаков — ${max}: ${ALLOWED[allowed]}.`
      : `Допустимо от ${min} до ${genitive(max, PLACES)}: ${ALLOWED[allowed]}.`,
  wrong_content: ({ block, expected }) => `${BLOCKS[block]}. ${TYPES[expected]}`,
  wrong_count: ({ min, max = min, items }) => {
    const most = genitive(max, ITEMS[items]);
    return min === 0 ? `В списке — не больше ${most}.` : `В списке — от ${min} до ${most}.`;
  },
  wrong_cursor: () => "Должно быть взято из заголовка Link.",
  wrong_format: ({ format }) => FORMATS[format],
  wrong_type: ({ expected }) => TYPES[expected],
};
