import { texts } from "../../../i18n/types";

export const currencies = texts(
  {
    title: "Currencies",
    subtitle: "What invoices can be written in. Amounts of different currencies are never added.",
    new: "New currency",
    emptyTitle: "No currencies yet",
    emptyText:
      "Every invoice has a currency. Add the one that your community pays with; the first one becomes the default.",
    code: "Code",
    codeHint: "3 letters or digits, such as EUR.",
    minimum: "Smallest amount",
    minimumHint: "An invoice in this currency is at least this much. 0 for no limit.",
    rate: "Exchange rate",
    rateHint: "How many units of the base currency one unit is worth. Up to 10 decimal places.",
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
    title: "Валюты",
    subtitle: "В чём выставляются счета. Суммы в разных валютах никогда не складываются.",
    new: "Новая валюта",
    emptyTitle: "Валют пока нет",
    emptyText:
      "У каждого счёта есть валюта. Добавьте ту, в которой платит ваше сообщество; первая станет основной.",
    code: "Код",
    codeHint: "3 буквы или цифры, например EUR.",
    minimum: "Наименьшая сумма",
    minimumHint: "Счёт в этой валюте не может быть меньше. 0 — без ограничения.",
    rate: "Курс",
    rateHint: "Сколько единиц базовой валюты стоит одна единица. До 10 знаков после запятой.",
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
