import { texts } from "../../i18n/types";
import { currencies } from "./currencies/texts";
import { gateways } from "./gateways/texts";
import { invoices } from "./invoices/texts";
import { promoCodes } from "./promo-codes/texts";
import { statistics } from "./statistics/texts";

export const payments = texts(
  {
    amount: {
      label: "Amount",
      required: "Enter an amount.",
      invalid:
        "Enter a number with at most %{smart_count} decimal place. |||| Enter a number with at most %{smart_count} decimal places.",
    },
    user: "User",
    userNumber: "Number of the user",
    userOf: "User %{id}",
    gateway: "Gateway",
    currency: "Currency",
    promoCode: "Promo code",
    state: "State",
    states: { paid: "Paid", pending: "Pending", failed: "Failed", unpaid: "Unpaid" },
    from: "From (UTC)",
    to: "To (UTC)",
    moreFilters: "More filters",
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
      required: "Введите сумму.",
      invalid:
        "Введите число, не больше %{smart_count} знака после запятой. |||| Введите число, не больше %{smart_count} знаков после запятой. |||| Введите число, не больше %{smart_count} знаков после запятой.",
    },
    user: "Пользователь",
    userNumber: "Номер пользователя",
    userOf: "Пользователь %{id}",
    gateway: "Способ оплаты",
    currency: "Валюта",
    promoCode: "Промокод",
    state: "Состояние",
    states: { paid: "Оплачен", pending: "Ожидает", failed: "Не прошёл", unpaid: "Не оплачен" },
    from: "С (UTC)",
    to: "По (UTC)",
    moreFilters: "Ещё фильтры",
    showInvoices: "Показать счета",
    currencies: currencies.ru,
    gateways: gateways.ru,
    invoices: invoices.ru,
    promoCodes: promoCodes.ru,
    statistics: statistics.ru,
  },
);
