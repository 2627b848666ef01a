import type { Schemas } from "../api/client";
import { texts } from "./types";

/** Only a program that breaks the protocol gets these. */
type NotForPeople =
  | "ambiguous_key"
  | "ambiguous_length"
  | "invalid_body"
  | "invalid_json"
  | "method_not_allowed"
  | "missing_body"
  | "missing_host"
  | "not_acceptable"
  | "unsupported_media_type";

type Code = Exclude<Schemas["ErrorCode"], NotForPeople>;

/** What went wrong, and what to do about it. A code without a text does not compile. */
export const errors = texts(
  {
    network: "The service cannot be reached. Check your connection and try again.",
    moreFaults: "There are more faults than those shown.",
    unknown: "Something went wrong. Try again.",
    notFound: "There is nothing at this address.",
    forbidden: "You may not see or do this.",
    requestId: "Request %{id}",
    retryAfter: "Try again in %{span}.",
    missingPermission:
      "This needs the permission %{permission}. Ask an operator who manages access.",
    setUpTwoFactor: "This service requires a second factor. Set one up in your account first.",
    codes: {
      unknown_identity: "No user signs in with this profile.",
      too_many_identities: "This user has 50 verified profiles already. Unlink one first.",
      sign_in_failed: "The sign-in failed. Begin again.",
      sign_in_cancelled: "The visitor cancelled the sign-in.",
      provider_unavailable: "Steam or Discord cannot be reached. Try again in a moment.",
      last_sign_in_method:
        "This is the only way in which the user can sign in. Set a password or link another profile first.",
      identity_taken: "Another user signs in with this profile.",
      already_erased: "This user has been erased already.",
      backup_running: "A backup is running. Wait until it ends, then try again.",
      backups_disabled:
        "The service stores no backups. It needs a folder for them: start it with --backup-dir.",
      ban_not_active: "This ban has expired or was lifted, so it cannot be changed any more.",
      body_too_large: "This is too large to send. Shorten it, or do it in several steps.",
      busy: "The service is busy. Nothing was changed. Try again in a moment.",
      confirmation_required: "Nothing was done, because you did not confirm that it is you.",
      cross_site:
        "The service refused this because it did not come from its own page. Reload the page and try again.",
      currency_in_use:
        "This currency cannot be deleted: invoices use it, or it is the default one. If it is the default, make another one the default first.",
      discord_intent_missing:
        "The bot may not list the members of the server. Switch on “Server Members Intent” on the page “Bot” at discord.com/developers, then try again.",
      discord_not_connected:
        "Discord is not connected, or refuses the bot. Connect or check it first.",
      cursor_expired: "The list has changed too much in the meantime. Begin again.",
      currency_not_found: "This currency does not exist any more. Choose another one.",
      has_children: "This item has items below it. Move or delete them first.",
      idempotency_key_reused:
        "The service took this for a repetition of another request. Try again.",
      idempotency_quota: "Too much was changed within an hour.",
      internal_error:
        "An error occurred inside the service. If it happens again, give the number of the request to the person who runs the service.",
      invalid_code: "This code is wrong, expired, or was used before. Enter the current one.",
      invalid_credentials:
        "The name, the password or the key is wrong. Check what you entered and try again.",
      invalid_setup_token:
        "This link is not valid, or not any more. The command “steward operator invite” prints another one.",
      invalid_text: "A text contains the NUL character, which cannot be stored. Remove it.",
      invoice_not_paid: "This invoice is not paid, so there is nothing to refund.",
      invoice_paid:
        "This invoice is paid, so it can neither be deleted nor fail. Mark it as unpaid first.",
      missing_permission:
        "You lack a permission that this needs. Ask an operator who manages access.",
      newest_backup:
        "The newest backup cannot be deleted here. Make another one first, then delete this one.",
      not_an_operator: "Only operators of the console can do this.",
      not_found: "This does not exist. It may have been deleted.",
      outcome_unknown:
        "It is not known whether this was carried out. Look at the current state before you try again.",
      payment_gateway_in_use:
        "Invoices use this payment gateway, so it cannot be deleted. Disable it instead.",
      precondition_failed:
        "This was changed by another client. Load it again and repeat your change.",
      previous_key_value:
        "You signed in with the previous value of a rotated API key, which cannot change API keys. Sign in with the new value.",
      privilege_escalation:
        "You cannot grant or change more than your own permissions and restrictions allow.",
      product_in_use:
        "Invoices or grants name this product, so it cannot be deleted. Deactivate it instead.",
      product_not_found: "There is no such product.",
      promo_code_in_use:
        "Invoices use this promo code, so it cannot be deleted. Deactivate it instead.",
      promo_code_not_found: "There is no such promo code. Check how it is written.",
      rate_limited: "Too many requests were sent within a second.",
      rcon_closed:
        "The game server closed the connection. It may have banned the address of this service. If the command was sent before, it may have been executed: check that before you repeat it.",
      rcon_no_connection:
        "The game server accepts no RCON connection. Check that it is running and that RCON is enabled on its port.",
      rcon_no_password: "No usable RCON password is stored for this server. Set it again.",
      rcon_protocol:
        "The program at this port does not speak RCON. Check the address and the port of the server.",
      rcon_timeout:
        "The game server did not answer in time. If the command was sent before, it may have been executed: check that before you repeat it.",
      rcon_wrong_password:
        "The game server refused the stored RCON password. Enter the right one in the settings of the server.",
      reply_unavailable:
        "This was carried out before, but the secret in the reply cannot be shown again. Issue a new one if you need it.",
      request_timeout: "The request did not arrive in time. Check your connection and try again.",
      server_disabled: "The server is disabled. Enable it first.",
      server_forbidden:
        "The service may not contact the address of this server. The option --server-networks decides which addresses are allowed.",
      server_query_off:
        "Contacting game servers is disabled. The option --server-query enables it.",
      session_invalid: "There is no such session, or it has ended.",
      setup_done: "There is an operator already. Ask an operator for access.",
      social_network_in_use:
        "Users have linked profiles on this social network. Remove those links first.",
      stopping: "The service is being stopped. Try again in a moment.",
      timeout:
        "The request took too long. It may have been carried out: look at the current state before you try again.",
      step_not_retryable: "Only a step that has failed or is uncertain can be retried or resolved.",
      too_many_attempts: "There were too many attempts to sign in.",
      too_many_streams: "Too many event streams are open. Close some pages of the console.",
      too_many_webhooks: "There are 50 webhooks already, which is the limit. Delete one first.",
      too_many_wrong_keys: "Too many wrong API keys came from your address.",
      two_factor_enrolled: "There is a second factor already. Remove it first.",
      two_factor_not_begun:
        "There is no second factor to confirm or to remove. Begin by setting one up.",
      two_factor_required: "Enter a code from your authenticator app as well, or a recovery code.",
      unauthorized: "You are not signed in, or your access has ended. Sign in again.",
      unavailable:
        "The database of the service is not available. Nothing was changed. Try again in a moment.",
      user_blocked: "This user is blocked.",
      user_has_grants:
        "This user was given products and cannot be deleted. Erase the user instead.",
      user_has_invoices:
        "This user has invoices, so it cannot be deleted. Erase the user instead: the invoices stay, the personal data goes.",
      user_is_operator: "This user is an operator. Remove the access to the console first.",
      user_not_found: "This user does not exist any more. Choose another one.",
      validation_failed: "Some of the values are not valid. Correct them and try again.",
    } satisfies Record<Code, string>,
  },
  {
    network: "Сервис недоступен. Проверьте подключение и повторите попытку.",
    moreFaults: "Показаны не все ошибки.",
    unknown: "Что-то пошло не так. Повторите попытку.",
    notFound: "По этому адресу ничего нет.",
    forbidden: "У вас нет доступа к этому.",
    requestId: "Запрос %{id}",
    retryAfter: "Повторите через %{span}.",
    missingPermission:
      "Для этого нужно право %{permission}. Обратитесь к оператору, который управляет доступом.",
    setUpTwoFactor: "Сервис требует второй фактор. Сначала настройте его в своей учётной записи.",
    codes: {
      unknown_identity: "С этим профилем никто не входит.",
      too_many_identities:
        "У пользователя уже 50 подтверждённых профилей. Сначала отвяжите один из них.",
      sign_in_failed: "Войти не удалось. Начните сначала.",
      sign_in_cancelled: "Посетитель отменил вход.",
      provider_unavailable: "Steam или Discord недоступен. Повторите попытку чуть позже.",
      last_sign_in_method:
        "Это единственный способ входа этого пользователя. Сначала задайте пароль или привяжите другой профиль.",
      identity_taken: "С этим профилем входит другой пользователь.",
      already_erased: "Данные этого пользователя уже стёрты.",
      backup_running: "Сейчас создаётся резервная копия. Дождитесь окончания и повторите попытку.",
      backups_disabled:
        "Сервис не хранит резервных копий. Ему нужна папка для них: запустите его с --backup-dir.",
      ban_not_active: "Срок этого бана истёк, или его сняли: изменить его уже нельзя.",
      body_too_large: "Данных слишком много. Сократите их или отправьте по частям.",
      busy: "Сервис перегружен. Ничего не изменено. Повторите чуть позже.",
      confirmation_required: "Ничего не сделано: вы не подтвердили, что это вы.",
      cross_site:
        "Сервис отклонил запрос: он пришёл не с его собственной страницы. Обновите страницу и повторите попытку.",
      currency_in_use:
        "Эту валюту нельзя удалить: на неё есть счета или она основная. Если она основная, сначала сделайте основной другую.",
      discord_intent_missing:
        "Бот не может получать список участников сервера. Включите «Server Members Intent» на странице «Bot» на discord.com/developers и повторите попытку.",
      discord_not_connected:
        "Discord не подключён или отклоняет бота. Сначала подключите или проверьте его.",
      cursor_expired: "Список за это время слишком изменился. Начните заново.",
      currency_not_found: "Этой валюты больше нет. Выберите другую.",
      has_children: "У этого пункта есть вложенные. Сначала переместите или удалите их.",
      idempotency_key_reused: "Сервис принял это за повтор другого запроса. Повторите попытку.",
      idempotency_quota: "За час сделано слишком много изменений.",
      internal_error:
        "Внутри сервиса произошла ошибка. Если она повторится, сообщите номер запроса тому, кто обслуживает сервис.",
      invalid_code: "Код неверен, истёк или уже использован. Введите текущий.",
      invalid_credentials:
        "Неверное имя, пароль или ключ. Проверьте, что вы ввели, и повторите попытку.",
      invalid_setup_token:
        "Ссылка недействительна или устарела. Новую печатает команда «steward operator invite».",
      invalid_text: "В тексте есть нулевой символ (NUL), его нельзя сохранить. Удалите его.",
      invoice_not_paid: "Этот счёт не оплачен, возвращать нечего.",
      invoice_paid:
        "Этот счёт оплачен: его нельзя ни удалить, ни отметить неудавшимся. Сначала отметьте его неоплаченным.",
      missing_permission:
        "Для этого у вас не хватает прав. Обратитесь к оператору, который управляет доступом.",
      newest_backup:
        "Самую новую резервную копию здесь удалить нельзя. Сначала сделайте ещё одну, потом удалите эту.",
      not_an_operator: "Это доступно только операторам консоли.",
      not_found: "Этого больше нет. Возможно, кто-то это удалил.",
      outcome_unknown:
        "Неизвестно, выполнен ли запрос. Прежде чем повторять, проверьте текущее состояние.",
      payment_gateway_in_use:
        "Через этот платёжный шлюз выставлены счета, его нельзя удалить. Отключите его.",
      precondition_failed:
        "Тем временем это изменил кто-то другой. Загрузите заново и повторите изменение.",
      previous_key_value:
        "Вы вошли с прежним значением обновлённого ключа API, а с ним нельзя менять ключи. Войдите с новым значением.",
      privilege_escalation:
        "Нельзя выдать или изменить больше, чем допускают ваши собственные права и ограничения.",
      product_in_use:
        "Этот товар указан в счетах или выдачах, его нельзя удалить. Сделайте его неактивным.",
      product_not_found: "Такого товара нет.",
      promo_code_in_use:
        "Этот промокод использован в счетах, его нельзя удалить. Сделайте его неактивным.",
      promo_code_not_found: "Такого промокода нет. Проверьте, как он написан.",
      rate_limited: "За секунду отправлено слишком много запросов.",
      rcon_closed:
        "Игровой сервер закрыл соединение. Возможно, он заблокировал адрес этого сервиса. Если команда успела уйти, она могла выполниться: проверьте это, прежде чем повторять.",
      rcon_no_connection:
        "Игровой сервер не принимает соединения RCON. Проверьте, что он запущен и что RCON включён на его порту.",
      rcon_no_password: "Для этого сервера нет пригодного пароля RCON. Задайте его заново.",
      rcon_protocol: "Программа на этом порту не понимает RCON. Проверьте адрес и порт сервера.",
      rcon_timeout:
        "Игровой сервер не ответил вовремя. Если команда успела уйти, она могла выполниться: проверьте это, прежде чем повторять.",
      rcon_wrong_password:
        "Игровой сервер не принял сохранённый пароль RCON. Укажите верный в настройках сервера.",
      reply_unavailable:
        "Это уже выполнено, но секрет из ответа нельзя показать снова. Если он нужен, выпустите новый.",
      request_timeout: "Запрос не дошёл вовремя. Проверьте подключение и повторите попытку.",
      server_disabled: "Сервер отключён. Сначала включите его.",
      server_forbidden:
        "Сервису нельзя обращаться по адресу этого сервера. Разрешённые адреса задаёт параметр --server-networks.",
      server_query_off:
        "Обращение к игровым серверам выключено. Его включает параметр --server-query.",
      session_invalid: "Такого сеанса нет, или он завершён.",
      setup_done: "Оператор уже есть. Попросите доступ у него.",
      social_network_in_use:
        "У пользователей есть ссылки на профили в этой социальной сети. Сначала уберите их.",
      stopping: "Сервис останавливается. Повторите чуть позже.",
      timeout:
        "Запрос выполнялся слишком долго. Он мог выполниться: прежде чем повторять, проверьте текущее состояние.",
      step_not_retryable:
        "Повторить или закрыть можно только шаг, который не удался или исход которого неизвестен.",
      too_many_attempts: "Слишком много попыток входа.",
      too_many_streams: "Открыто слишком много потоков событий. Закройте часть страниц консоли.",
      too_many_webhooks: "Уже есть 50 вебхуков, больше нельзя. Сначала удалите один из них.",
      too_many_wrong_keys: "С вашего адреса пришло слишком много неверных ключей API.",
      two_factor_enrolled: "Второй фактор уже есть. Сначала уберите его.",
      two_factor_not_begun:
        "Нет второго фактора, который можно подтвердить или убрать. Начните с его настройки.",
      two_factor_required: "Введите также код из приложения для входа или код восстановления.",
      unauthorized: "Вы не вошли, или ваш доступ закончился. Войдите снова.",
      unavailable: "База данных сервиса недоступна. Ничего не изменено. Повторите чуть позже.",
      user_blocked: "Этот пользователь заблокирован.",
      user_has_grants:
        "Этому пользователю выдавали товары, его нельзя удалить. Вместо этого удалите личные данные.",
      user_has_invoices:
        "У этого пользователя есть счета, его нельзя удалить. Сотрите его данные: счета останутся, а личные данные исчезнут.",
      user_is_operator: "Этот пользователь — оператор. Сначала уберите его доступ к консоли.",
      user_not_found: "Этого пользователя больше нет. Выберите другого.",
      validation_failed: "Некоторые значения неверны. Исправьте их и повторите попытку.",
    },
  },
);
