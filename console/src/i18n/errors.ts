import { texts } from "./types";

/** What went wrong, and what to do about it. The codes are those of the service. */
export const errors = texts(
  {
    network: "The service cannot be reached. Check your connection and try again.",
    unknown: "Something went wrong. Try again.",
    notFound: "There is nothing at this address.",
    forbidden: "You may not see or do this.",
    requestId: "Request %{id}",
    retryAfter: "Try again in %{span}.",
    missingPermission:
      "This needs the permission %{permission}. Ask an operator who manages access.",
    setUpTwoFactor: "This service requires a second factor. Set one up in your account first.",
    codes: {
      already_erased: "This user has been erased already.",
      backup_running: "A backup is running. Wait until it ends, then try again.",
      backups_disabled:
        "The service stores no backups. It needs a folder for them: start it with --backup-dir.",
      body_too_large: "This is too large to send. Shorten it, or do it in several steps.",
      busy: "The service is busy. Nothing was changed. Try again in a moment.",
      changed_meanwhile:
        "This was changed by another client. Load it again and repeat your change.",
      cross_site:
        "The service refused this because it did not come from its own page. Reload the page and try again.",
      currency_in_use:
        "This currency cannot be deleted: invoices use it, or it is the default one. If it is the default, make another one the default first.",
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
      invoice_paid:
        "This invoice is paid, so it can neither be deleted nor fail. Mark it as unpaid first.",
      missing_permission:
        "You lack a permission that this needs. Ask an operator who manages access.",
      not_an_operator: "Only operators of the console can do this.",
      not_found: "This does not exist. It may have been deleted.",
      outcome_unknown:
        "It is not known whether this was carried out. Look at the current state before you try again.",
      payment_gateway_in_use:
        "Invoices use this payment gateway, so it cannot be deleted. Disable it instead.",
      previous_key_value:
        "You signed in with the previous value of a rotated API key, which cannot change API keys. Sign in with the new value.",
      privilege_escalation:
        "You cannot grant or change more than your own permissions and restrictions allow.",
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
      too_many_attempts: "There were too many attempts to sign in.",
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
      user_has_invoices:
        "This user has invoices, so it cannot be deleted. Erase the user instead: the invoices stay, the personal data goes.",
      user_is_operator: "This user is an operator. Remove the access to the console first.",
      user_not_found: "This user does not exist any more. Choose another one.",
      validation_failed: "Some of the values are not valid. Correct them and try again.",
    },
  },
  {
    network: "Сервис недоступен. Проверьте подключение и повторите попытку.",
    unknown: "Что-то пошло не так. Повторите попытку.",
    notFound: "По этому адресу ничего нет.",
    forbidden: "У вас нет доступа к этому.",
    requestId: "Запрос %{id}",
    retryAfter: "Повторите через %{span}.",
    missingPermission:
      "Для этого нужно право %{permission}. Обратитесь к оператору, который управляет доступом.",
    setUpTwoFactor: "Сервис требует второй фактор. Сначала настройте его в своей учётной записи.",
    codes: {
      already_erased: "Данные этого пользователя уже стёрты.",
      backup_running: "Сейчас создаётся резервная копия. Дождитесь окончания и повторите попытку.",
      backups_disabled:
        "Сервис не хранит резервных копий. Ему нужна папка для них: запустите его с --backup-dir.",
      body_too_large: "Данных слишком много. Сократите их или отправьте по частям.",
      busy: "Сервис перегружен. Ничего не изменено. Повторите чуть позже.",
      changed_meanwhile:
        "Тем временем это изменил кто-то другой. Загрузите заново и повторите изменение.",
      cross_site:
        "Сервис отклонил запрос: он пришёл не с его собственной страницы. Обновите страницу и повторите попытку.",
      currency_in_use:
        "Эту валюту нельзя удалить: на неё есть счета или она основная. Если она основная, сначала сделайте основной другую.",
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
      invoice_paid:
        "Этот счёт оплачен: его нельзя ни удалить, ни отметить неудавшимся. Сначала отметьте его неоплаченным.",
      missing_permission:
        "Для этого у вас не хватает прав. Обратитесь к оператору, который управляет доступом.",
      not_an_operator: "Это доступно только операторам консоли.",
      not_found: "Этого больше нет. Возможно, кто-то это удалил.",
      outcome_unknown:
        "Неизвестно, выполнен ли запрос. Прежде чем повторять, проверьте текущее состояние.",
      payment_gateway_in_use:
        "Через этот платёжный шлюз выставлены счета, его нельзя удалить. Отключите его.",
      previous_key_value:
        "Вы вошли с прежним значением обновлённого ключа API, а с ним нельзя менять ключи. Войдите с новым значением.",
      privilege_escalation:
        "Нельзя выдать или изменить больше, чем допускают ваши собственные права и ограничения.",
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
      too_many_attempts: "Слишком много попыток входа.",
      too_many_webhooks: "Уже есть 50 вебхуков, больше нельзя. Сначала удалите один из них.",
      too_many_wrong_keys: "С вашего адреса пришло слишком много неверных ключей API.",
      two_factor_enrolled: "Второй фактор уже есть. Сначала уберите его.",
      two_factor_not_begun:
        "Нет второго фактора, который можно подтвердить или убрать. Начните с его настройки.",
      two_factor_required: "Введите также код из приложения для входа или код восстановления.",
      unauthorized: "Вы не вошли, или ваш доступ закончился. Войдите снова.",
      unavailable: "База данных сервиса недоступна. Ничего не изменено. Повторите чуть позже.",
      user_blocked: "Этот пользователь заблокирован.",
      user_has_invoices:
        "У этого пользователя есть счета, его нельзя удалить. Сотрите его данные: счета останутся, а личные данные исчезнут.",
      user_is_operator: "Этот пользователь — оператор. Сначала уберите его доступ к консоли.",
      user_not_found: "Этого пользователя больше нет. Выберите другого.",
      validation_failed: "Некоторые значения неверны. Исправьте их и повторите попытку.",
    },
  },
);
