import { texts } from "../../../i18n/types";

export const gateways = texts(
  {
    title: "Payment gateways",
    subtitle: "The ways to pay. A disabled one accepts no new invoices.",
    new: "New gateway",
    emptyTitle: "No payment gateways yet",
    emptyText:
      "A gateway is a way to pay, such as cards or PayPal. Your shop names it by its key in every invoice.",
    key: "Key",
    keyHint: "What your shop sends with an invoice: letters, digits, _ - and dots. Case matters.",
    keyHintEdit:
      "What your shop sends with an invoice. A change renames it in existing invoices as well; change it in your shop, too.",
    nameHint: "What people read. Without one, it is the key.",
    enabled: "Enabled",
    enabledOf: "%{name} is enabled",
    enabledHint: "Only enabled gateways accept new invoices.",
    on: "Enabled",
    off: "Disabled",
    deleteHint: "The gateway will be lost. One that invoices use cannot be deleted, only disabled.",
  },
  {
    title: "Способы оплаты",
    subtitle: "Как можно заплатить. Через отключённый способ новые счета не создаются.",
    new: "Новый способ оплаты",
    emptyTitle: "Способов оплаты пока нет",
    emptyText:
      "Это то, как платят: картой, через PayPal и так далее. Магазин указывает ключ способа в каждом счёте.",
    key: "Ключ",
    keyHint: "Его магазин передаёт со счётом: буквы, цифры, _ - и точки. Регистр важен.",
    keyHintEdit:
      "Его магазин передаёт со счётом. Изменение переименует ключ и в существующих счетах; поменяйте его и в магазине.",
    nameHint: "То, что видят люди. Если не указать, будет как ключ.",
    enabled: "Включён",
    enabledOf: "Способ «%{name}» включён",
    enabledHint: "Новые счета создаются только через включённые способы.",
    on: "Включён",
    off: "Отключён",
    deleteHint:
      "Способ оплаты будет потерян. Если через него есть счета, его нельзя удалить, можно только отключить.",
  },
);
