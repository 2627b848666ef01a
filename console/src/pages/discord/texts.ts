import { texts } from "../../i18n/types";

export const discord = texts(
  {
    subtitle: "Roles on your Discord server follow the roles that users have here.",
    mayNotConnect: "No Discord server is connected. Ask an operator who may manage Discord.",
    steps: {
      app: "Create a bot",
      appText:
        "Open discord.com/developers, create an application, and open its page “Bot”. Switch on “Server Members Intent” there, then press “Reset Token” and copy the token.",
      open: "Developer portal",
      invite: "Invite the bot to your server",
      inviteText:
        "Copy the application id from the page “General Information”. The link below asks for the permission Manage Roles and nothing else.",
      applicationId: "Application id",
      inviteLink: "Invite the bot",
      above:
        "Then open Server Settings, Roles at Discord and drag the role of the bot above every role that it gives. Discord lets a bot give only roles below its own.",
      paste: "Connect",
      pasteText:
        "For the server id, switch on Developer Mode at Discord (User Settings, Advanced), right-click your server and choose “Copy Server ID”.",
      connect: "Connect",
    },
    fields: {
      guild: "Server id",
      guildHint: "17 to 20 digits",
      token: "Bot token",
      tokenHint: "Stored encrypted and never shown again",
      tokenKeep: "Empty: the token stays. Another server needs it again.",
      activate: "Switch the connection on",
    },
    connected: "Discord is connected",
    disconnected: "Discord is disconnected",
    states: {
      ok: "Working",
      disabled: "Off",
      error: "Needs attention",
    },
    connection: {
      title: "Connection",
      checked: "Last checked",
      active: "Give and remove roles at Discord",
      activeName: "The connection to Discord",
      change: "Change server or token",
      changeText:
        "Another server begins without pairs of roles and without members. Roles on the server before it stay as they are.",
      disconnect: "Disconnect",
      disconnectTitle: "Disconnect Discord?",
      disconnectText:
        "The token, the pairs of roles and the list of members are deleted here. Roles at Discord stay as they are: nobody loses one.",
      disabledBy: "The connection was switched off, because Discord refused it.",
      marked: "Not every chosen role can be given. The pairs say which one, and what to do.",
      trust: "Also trust profiles that are only linked",
      trustText:
        "Without it, only a Discord profile counts with which the user has signed in. A linked profile is an id that somebody has typed.",
      trustTitle: "Trust linked profiles?",
      trustRisk:
        "Anybody who may link profiles can type any id. Who links the id of a moderator takes the moderator’s roles at Discord away, or gives a stranger roles. Switch this on only if your site verifies profiles before it links them.",
      trustConfirm: "Trust linked profiles",
      nobody:
        "Nobody is recognised yet: signing in with Discord is not set up, and linked profiles are not trusted.",
    },
    check: {
      button: "Check now",
      title: "What the check found",
      fine: "Everything is in order.",
      steps: "Set these right at Discord, then check again.",
      ok: {
        token: "Discord accepts the token.",
        guild: "The bot is on the server.",
        bot_role: "The bot may manage roles.",
        intent: "The bot may list members.",
      },
      pairs:
        "The bot can give the role that is chosen. |||| The bot can give all %{smart_count} roles that are chosen.",
    },
    problems: {
      token_refused:
        "Discord refuses the bot’s token. Reset it on the page “Bot” at discord.com/developers, and paste the new one here.",
      access_refused:
        "Discord refuses the bot access to the server. Invite the bot again, with the permission Manage Roles.",
      not_in_guild:
        "The bot is not on this server, or the server id is wrong. Invite the bot, or correct the id.",
      intent_missing:
        "The bot may not list members. Switch on “Server Members Intent” on the page “Bot” at discord.com/developers. Until then members are read one by one, and a repair has no preview.",
      manage_roles_missing:
        "The bot may not manage roles. Give the role of the bot the permission Manage Roles at Discord.",
      role_missing: "A role no longer exists at Discord. Choose another one.",
      role_managed: "A role belongs to a bot or to Discord itself. Choose another one.",
      role_is_everyone: "One of the roles is that of everyone. Choose another one.",
      role_above_bot: "Move the bot’s role above the roles that it gives.",
      not_checked: "The rest was not checked.",
    },
    roleProblems: {
      role_missing: "The role %{role} no longer exists at Discord. Choose another one.",
      role_managed:
        "The role %{role} belongs to a bot or to Discord itself, so nobody can give it. Choose another one.",
      role_is_everyone: "Everyone has the role %{role}. Choose another one.",
      role_above_bot: "Move the bot’s role above %{role}.",
    },
    roleNotes: {
      role_missing: "no longer exists",
      role_managed: "belongs to a bot or to Discord",
      role_is_everyone: "everyone has it",
      role_above_bot: "above the bot’s role",
    },
    pairs: {
      title: "Which role follows which",
      hint: "Who holds the role on the left gets the role on the right, and loses it with it. Other roles at Discord are never touched.",
      none: "No role at Discord follows yet. Choose a role of yours and the role at Discord that its holders get.",
      number: "Pair %{number}",
      here: "Role here",
      there: "Role at Discord",
      add: "Add a pair",
      remove: "Remove pair %{number}",
      removed: "Who has the role of a removed pair keeps it at Discord.",
      field: "Pairs of roles",
      unread:
        "The names of the roles at Discord could not be read. Press “Check now” to see what is wrong.",
      off: "While the connection is off, Discord is not asked for the names of its roles. “Check now” asks it once.",
      mayNotRead: "You may not see the roles here, so you cannot choose any.",
      noMore: "No other role to choose",
    },
    members: {
      title: "Members",
      hint: "Discord profiles of users, and whether they have the roles they should have.",
      states: {
        failed: "Failed",
        not_a_member: "Not on the server",
        pending: "Waiting",
        ok: "Up to date",
      },
      total: "%{smart_count} member |||| %{smart_count} members",
      totalAtLeast: "More than %{number} members",
      none: "Nobody yet. Users appear here once they have a Discord profile and something of theirs changes.",
      nobody: "belongs to nobody",
      profile: "Discord profile",
      synced: "Last synced",
      errors: {
        answered: "Discord answered with the status %{status}.",
        unreachable: "Discord could not be reached.",
        unreadable: "The answer of Discord could not be read.",
      },
    },
    repair: {
      title: "Repair",
      hint: "Compares everybody at Discord with the roles here. It happens by itself once a night, and after each change on this page.",
      preview: "Preview a repair",
      dialog: "What a repair would change",
      nothing: "Everybody has the roles that they should have.",
      total: "%{smart_count} member would change. |||| %{smart_count} members would change.",
      shown: "The first %{count} are shown.",
      gains: "Gets",
      loses: "Loses",
      run: "Repair",
      started: "The repair has begun",
      off: "The connection is off, so nothing changes now. A repair starts when you switch it on.",
      without: "A repair works without it as well: members are then read one by one.",
    },
    signIn: {
      title: "Signing in with Steam and Discord",
      hint: "What users of your site can sign in with. A profile counts as verified once its owner has signed in with it.",
      on: "Set up",
      off: "Not set up",
      lines: "Add these lines to steward.toml and restart the service:",
      linesLabel: "Lines for steward.toml",
      secret:
        "The file holds the client secret of the application, from its page “OAuth2” at discord.com/developers. The pages to come back to are entered there, too.",
    },
    member: "Roles at Discord",
  },
  {
    subtitle: "Роли на вашем сервере Discord следуют за ролями пользователей.",
    mayNotConnect:
      "Сервер Discord не подключён. Обратитесь к оператору с правом управлять Discord.",
    steps: {
      app: "Создайте бота",
      appText:
        "Откройте discord.com/developers, создайте приложение и перейдите на его страницу «Bot». Включите там «Server Members Intent», затем нажмите «Reset Token» и скопируйте токен.",
      open: "Портал разработчиков",
      invite: "Пригласите бота на сервер",
      inviteText:
        "Скопируйте идентификатор приложения (Application ID) со страницы «General Information». Ссылка ниже запрашивает право «Управлять ролями» и больше ничего.",
      applicationId: "Идентификатор приложения",
      inviteLink: "Пригласить бота",
      above:
        "Затем откройте в Discord «Настройки сервера», «Роли» и перетащите роль бота выше всех ролей, которые он выдаёт. Discord разрешает боту выдавать только роли ниже его собственной.",
      paste: "Подключите",
      pasteText:
        "Чтобы узнать идентификатор сервера, включите в Discord режим разработчика (Настройки пользователя, «Расширенные»), нажмите на сервер правой кнопкой и выберите «Копировать ID сервера».",
      connect: "Подключить",
    },
    fields: {
      guild: "Идентификатор сервера",
      guildHint: "От 17 до 20 цифр",
      token: "Токен бота",
      tokenHint: "Хранится зашифрованным и больше не показывается",
      tokenKeep: "Пусто: токен останется прежним. Для другого сервера он нужен снова.",
      activate: "Включить подключение",
    },
    connected: "Discord подключён",
    disconnected: "Discord отключён",
    states: {
      ok: "Работает",
      disabled: "Выключено",
      error: "Требует внимания",
    },
    connection: {
      title: "Подключение",
      checked: "Последняя проверка",
      active: "Выдавать и снимать роли в Discord",
      activeName: "Подключение к Discord",
      change: "Сменить сервер или токен",
      changeText:
        "Другой сервер начинает без пар ролей и без участников. На прежнем сервере роли остаются как есть.",
      disconnect: "Отключить",
      disconnectTitle: "Отключить Discord?",
      disconnectText:
        "Токен, пары ролей и список участников здесь будут удалены. Роли в Discord останутся как есть: их никто не потеряет.",
      disabledBy: "Подключение выключено, потому что Discord его отклонил.",
      marked: "Не все выбранные роли можно выдать. У пар указано, какую и что делать.",
      trust: "Доверять и просто привязанным профилям",
      trustText:
        "Без этого учитываются только профили Discord, с которыми пользователь входил. Привязанный профиль — это идентификатор, который кто-то ввёл.",
      trustTitle: "Доверять привязанным профилям?",
      trustRisk:
        "Тот, кто может привязывать профили, может ввести любой идентификатор. Привязав идентификатор модератора, он лишит модератора ролей в Discord или выдаст роли постороннему. Включайте это, только если ваш сайт проверяет профили перед привязкой.",
      trustConfirm: "Доверять привязанным профилям",
      nobody:
        "Пока никто не распознаётся: вход через Discord не настроен, а привязанным профилям доверия нет.",
    },
    check: {
      button: "Проверить",
      title: "Результат проверки",
      fine: "Всё в порядке.",
      steps: "Исправьте это в Discord и проверьте ещё раз.",
      ok: {
        token: "Discord принимает токен.",
        guild: "Бот есть на сервере.",
        bot_role: "Бот может управлять ролями.",
        intent: "Бот может получать список участников.",
      },
      pairs:
        "Бот может выдать все выбранные роли: %{smart_count}. |||| Бот может выдать все выбранные роли: %{smart_count}. |||| Бот может выдать все выбранные роли: %{smart_count}.",
    },
    problems: {
      token_refused:
        "Discord не принимает токен бота. Сбросьте его на странице «Bot» на discord.com/developers и вставьте здесь новый.",
      access_refused:
        "Discord не даёт боту доступа к серверу. Пригласите бота ещё раз с правом «Управлять ролями».",
      not_in_guild:
        "Бота нет на этом сервере, или идентификатор сервера неверен. Пригласите бота или исправьте идентификатор.",
      intent_missing:
        "Бот не может получать список участников. Включите «Server Members Intent» на странице «Bot» на discord.com/developers. До этого участники читаются по одному, а у сверки нет предпросмотра.",
      manage_roles_missing:
        "Бот не может управлять ролями. Дайте роли бота в Discord право «Управлять ролями».",
      role_missing: "Одной из ролей в Discord больше нет. Выберите другую.",
      role_managed: "Одна из ролей принадлежит боту или самому Discord. Выберите другую.",
      role_is_everyone: "Одна из ролей — это роль «everyone», она есть у всех. Выберите другую.",
      role_above_bot: "Поставьте роль бота выше ролей, которые он выдаёт.",
      not_checked: "Остальное не проверено.",
    },
    roleProblems: {
      role_missing: "Роли %{role} в Discord больше нет. Выберите другую.",
      role_managed:
        "Роль %{role} принадлежит боту или самому Discord, выдать её не может никто. Выберите другую.",
      role_is_everyone: "Роль %{role} есть у всех. Выберите другую.",
      role_above_bot: "Поставьте роль бота выше %{role}.",
    },
    roleNotes: {
      role_missing: "больше не существует",
      role_managed: "принадлежит боту или Discord",
      role_is_everyone: "есть у всех",
      role_above_bot: "выше роли бота",
    },
    pairs: {
      title: "Какая роль за какой следует",
      hint: "Кто имеет роль слева, получает роль справа и теряет её вместе с первой. Другие роли в Discord не затрагиваются.",
      none: "Пока ни одна роль в Discord не следует за вашими. Выберите свою роль и роль в Discord, которую получат её обладатели.",
      number: "Пара %{number}",
      here: "Роль здесь",
      there: "Роль в Discord",
      add: "Добавить пару",
      remove: "Убрать пару %{number}",
      removed: "Если пару убрать, её роль в Discord у участников останется.",
      field: "Пары ролей",
      unread:
        "Названия ролей в Discord прочитать не удалось. Нажмите «Проверить», чтобы узнать, что не так.",
      off: "Пока подключение выключено, названия ролей у Discord не запрашиваются. «Проверить» запросит их один раз.",
      mayNotRead: "У вас нет права видеть роли, поэтому выбрать их нельзя.",
      noMore: "Других ролей нет",
    },
    members: {
      title: "Участники",
      hint: "Профили Discord пользователей и есть ли у них нужные роли.",
      states: {
        failed: "Ошибка",
        not_a_member: "Нет на сервере",
        pending: "Ожидает",
        ok: "Всё верно",
      },
      total: "%{smart_count} участник |||| %{smart_count} участника |||| %{smart_count} участников",
      totalAtLeast: "Больше %{number} участников",
      none: "Пока никого. Пользователи появятся здесь, когда у них есть профиль Discord и что-то у них меняется.",
      nobody: "никому не принадлежит",
      profile: "Профиль Discord",
      synced: "Последняя синхронизация",
      errors: {
        answered: "Discord ответил кодом %{status}.",
        unreachable: "Не удалось обратиться к Discord.",
        unreadable: "Ответ Discord не удалось прочитать.",
      },
    },
    repair: {
      title: "Сверка",
      hint: "Сравнивает всех в Discord с ролями здесь. Она идёт сама раз в сутки ночью и после каждого изменения на этой странице.",
      preview: "Предпросмотр сверки",
      dialog: "Что изменит сверка",
      nothing: "У всех есть нужные роли.",
      total:
        "Изменится %{smart_count} участник. |||| Изменятся %{smart_count} участника. |||| Изменится %{smart_count} участников.",
      shown: "Показаны первые %{count}.",
      gains: "Получит",
      loses: "Потеряет",
      run: "Сверить",
      started: "Сверка началась",
      off: "Подключение выключено, поэтому сейчас ничего не изменится. Сверка начнётся, когда вы его включите.",
      without: "Сверка работает и без этого: тогда участники читаются по одному.",
    },
    signIn: {
      title: "Вход через Steam и Discord",
      hint: "С чем могут входить пользователи вашего сайта. Профиль считается подтверждённым, когда владелец вошёл с ним.",
      on: "Настроен",
      off: "Не настроен",
      lines: "Добавьте эти строки в steward.toml и перезапустите сервис:",
      linesLabel: "Строки для steward.toml",
      secret:
        "В файле лежит секрет приложения (Client Secret) со страницы «OAuth2» на discord.com/developers. Там же укажите страницы возврата.",
    },
    member: "Роли в Discord",
  },
);
