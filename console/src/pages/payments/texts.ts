import { texts } from "../../i18n/types";
import { invoices } from "./invoices/texts";
import { promoCodes } from "./promo-codes/texts";

const currencies = texts(
  {
    subtitle: "What invoices can be written in. Amounts of different currencies are never added.",
    code: "Code",
    codeHint: "3 letters or digits, such as EUR.",
    minimum: "Smallest amount",
    minimumHint: "An invoice in this currency is at least this much. 0 for no limit.",
    rate: "Exchange rate",
    rateHint:
      "How many units of the base currency one unit is worth: 1 for the base currency itself. Up to 10 decimal places.",
    rateHintOf: "How many %{base} one unit is worth. Up to 10 decimal places.",
    rateOf: "1 %{code} = %{rate} %{base}",
    default: "Default",
    makeDefault: "Make default",
    makeDefaultOf: "Make default: %{code}",
    makeDefaultTitle: "Make %{code} the default currency?",
    makeDefaultHint:
      "The currency that is the default now stays as it is. Invoices and exchange rates do not change.",
    deleteHint:
      "The currency and its exchange rate will be lost. One that invoices use, or that is the default while there are others, cannot be deleted.",
  },
  {
    subtitle: "В чём выставляются счета. Суммы в разных валютах никогда не складываются.",
    code: "Код",
    codeHint: "3 буквы или цифры, например EUR.",
    minimum: "Наименьшая сумма",
    minimumHint: "Счёт в этой валюте не может быть меньше. 0 — без ограничения.",
    rate: "Курс",
    rateHint:
      "Сколько единиц базовой валюты стоит одна единица; у самой базовой валюты это 1. До 10 знаков после запятой.",
    rateHintOf: "Сколько %{base} стоит одна единица. До 10 знаков после запятой.",
    rateOf: "1 %{code} = %{rate} %{base}",
    default: "Основная",
    makeDefault: "Сделать основной",
    makeDefaultOf: "Сделать основной: %{code}",
    makeDefaultTitle: "Сделать %{code} основной валютой?",
    makeDefaultHint: "Нынешняя основная валюта останется в списке. Счета и курсы не изменятся.",
    deleteHint:
      "Валюта и её курс будут потеряны. Валюту, в которой есть счета, и основную, пока есть другие, удалить нельзя.",
  },
);

const gateways = texts(
  {
    subtitle: "The ways to pay. A disabled one accepts no new invoices.",
    key: "Key",
    keyHint: "What your shop sends with an invoice: letters, digits, _ - and dots. Case matters.",
    keyHintEdit:
      "What your shop sends with an invoice. A change renames it in existing invoices as well; change it in your shop, too.",
    nameHint: "What people read. Without one, it is the key.",
    enabledOf: "%{name} is enabled",
    enabledHint: "Only enabled gateways accept new invoices.",
    off: "Disabled",
    deleteHint: "The gateway will be lost. One that invoices use cannot be deleted, only disabled.",
  },
  {
    subtitle: "Как можно заплатить. Через отключённый способ новые счета не создаются.",
    key: "Ключ",
    keyHint: "Его магазин передаёт со счётом: буквы, цифры, _ - и точки. Регистр важен.",
    keyHintEdit:
      "Его магазин передаёт со счётом. Изменение переименует ключ и в существующих счетах; поменяйте его и в магазине.",
    nameHint: "То, что видят люди. Если не указать, будет как ключ.",
    enabledOf: "Способ «%{name}» включён",
    enabledHint: "Новые счета создаются только через включённые способы.",
    off: "Отключён",
    deleteHint:
      "Способ оплаты будет потерян. Если через него есть счета, его нельзя удалить, можно только отключить.",
  },
);

const statistics = texts(
  {
    title: "Payment statistics",
    subtitle: "%{days}, by the day an invoice was created (UTC).",
    emptyText: "Choose a longer period, or wait for the first invoice.",
    invoiced: "All invoices",
    invoices: "%{smart_count} invoice |||| %{smart_count} invoices",
    change: "%{change} against the period before",
    byDay: "By day",
    byDayHint: "All invoices that were created on the day, paid or not, after discounts.",
    byDayOf: "Amounts of invoices by day, in %{code}",
    byState: "By state",
    byGateway: "By gateway",
    everyState: "All invoices, paid or not.",
    byCurrency: "By currency",
    paidOnly: "Paid invoices. The bars compare their numbers, because amounts cannot be compared.",
  },
  {
    title: "Статистика платежей",
    subtitle: "%{days}, по дню создания счёта (UTC).",
    emptyText: "Выберите период подлиннее или загляните, когда кто-нибудь что-то купит.",
    invoiced: "Все счета",
    invoices: "%{smart_count} счёт |||| %{smart_count} счёта |||| %{smart_count} счетов",
    change: "%{change} к прошлому периоду",
    byDay: "По дням",
    byDayHint: "Все счета, созданные в этот день, оплаченные и нет, после скидок.",
    byDayOf: "Суммы счетов по дням, %{code}",
    byState: "По состоянию",
    byGateway: "По способу оплаты",
    everyState: "Все счета, оплаченные и нет.",
    byCurrency: "По валюте",
    paidOnly: "Оплаченные счета. Полосы сравнивают их число: суммы сравнить нельзя.",
  },
);

export const payments = texts(
  {
    amount: {
      label: "Amount",
    },
    userNumber: "Number of the user",
    userOf: "User %{id}",
    gateway: "Gateway",
    currency: "Currency",
    promoCode: "Promo code",
    states: {
      paid: "Paid",
      pending: "Pending",
      failed: "Failed",
      refund: "Refunded",
      chargeback: "Charged back",
      unpaid: "Unpaid",
    },
    from: "From (UTC)",
    to: "To (UTC)",
    moreFilters: "More filters",
    fewerFilters: "Fewer filters",
    showInvoices: "Show the invoices",
    currencies: currencies.en,
    gateways: gateways.en,
    invoices: invoices.en,
    promoCodes: promoCodes.en,
    statistics: statistics.en,
  },
  {
    amount: {
      label: "Сумма",
    },
    userNumber: "Номер пользователя",
    userOf: "Пользователь %{id}",
    gateway: "Способ оплаты",
    currency: "Валюта",
    promoCode: "Промокод",
    states: {
      paid: "Оплачен",
      pending: "Ожидает",
      failed: "Не прошёл",
      refund: "Возврат",
      chargeback: "Чарджбэк",
      unpaid: "Не оплачен",
    },
    from: "С (UTC)",
    to: "По (UTC)",
    moreFilters: "Ещё фильтры",
    fewerFilters: "Меньше фильтров",
    showInvoices: "Показать счета",
    currencies: currencies.ru,
    gateways: gateways.ru,
    invoices: invoices.ru,
    promoCodes: promoCodes.ru,
    statistics: statistics.ru,
  },
);
