import { texts } from "../../i18n/types";
import { actions } from "./actions";

export const audit = texts(
  {
    actions: actions.en,
    /** Actions that say more once their fields are known. */
    cases: {
      serverEnabled: "%{actor} enabled server %{subject}",
      serverDisabled: "%{actor} disabled server %{subject}",
      invoicePaid: "%{actor} marked invoice %{subject} as paid",
      invoiceUnpaid: "%{actor} marked invoice %{subject} as unpaid",
      usersBlocked:
        "%{actor} blocked %{smart_count} user |||| %{actor} blocked %{smart_count} users",
      usersUnblocked:
        "%{actor} unblocked %{smart_count} user |||| %{actor} unblocked %{smart_count} users",
      usersRoles:
        "%{actor} changed the roles of %{smart_count} user |||| %{actor} changed the roles of %{smart_count} users",
      other: "%{actor} did %{action} on %{subject}",
    },
    actors: {
      commandLine: "The command line",
      maintenance: "Maintenance",
      visitor: "Somebody",
      erased: "An erased user",
      key: "API key",
      operator: "Operator",
    },
    nobody: "an unknown login",
  },
  {
    actions: actions.ru,
    cases: {
      serverEnabled: "%{actor}: включён сервер %{subject}",
      serverDisabled: "%{actor}: выключен сервер %{subject}",
      invoicePaid: "%{actor}: счёт %{subject} отмечен как оплаченный",
      invoiceUnpaid: "%{actor}: счёт %{subject} отмечен как неоплаченный",
      usersBlocked:
        "%{actor}: заблокирован %{smart_count} пользователь |||| %{actor}: заблокированы %{smart_count} пользователя |||| %{actor}: заблокированы %{smart_count} пользователей",
      usersUnblocked:
        "%{actor}: разблокирован %{smart_count} пользователь |||| %{actor}: разблокированы %{smart_count} пользователя |||| %{actor}: разблокированы %{smart_count} пользователей",
      usersRoles:
        "%{actor}: изменены роли %{smart_count} пользователя |||| %{actor}: изменены роли %{smart_count} пользователей |||| %{actor}: изменены роли %{smart_count} пользователей",
      other: "%{actor}: %{action}, %{subject}",
    },
    actors: {
      commandLine: "Командная строка",
      maintenance: "Обслуживание",
      visitor: "Кто-то",
      erased: "Стёртый пользователь",
      key: "Ключ API",
      operator: "Оператор",
    },
    nobody: "неизвестный логин",
  },
);
