import { texts } from "../../i18n/types";

export const roles = texts(
  {
    subtitle: "Groups of users on your site, and what they may do there.",
    description: "Description",
    colour: "Colour",
    colourHex: "Colour as #rrggbb",
    colourHint: "The site shows the name of the role in this colour.",
    pickColour: "Choose a colour",
    profile: "Profile",
    permissionsHint:
      "What users with this role may do on your site. It gives no access to this console: operators have that.",
    /** How long a user holds a role. */
    term: {
      until: "until %{day} (%{left})",
      soon: "expires soon: %{day} (%{left})",
      untilShort: "until %{day}",
      soonShort: "expires %{when}",
    },
    members: "Members",
    holders: "%{smart_count} member |||| %{smart_count} members",
    membersHint: "Users who have this role.",
    membersByEnd: "Those whose role expires next come first.",
    membersUnsorted:
      "The first %{shown} of %{smart_count} member, not sorted by when the role expires. |||| The first %{shown} of %{smart_count} members, not sorted by when the role expires.",
    noMembers: "No user has this role. Add it on the page of a user.",
    delete: "Delete the role",
    losesMembers: "%{smart_count} user loses this role. |||| %{smart_count} users lose this role.",
    losesNavigation:
      "Menu items for this role only are hidden from all visitors until you change them.",
    losesPermissions: "Its permissions on the site are lost with it.",
  },
  {
    subtitle: "Группы пользователей вашего сайта и то, что им там можно.",
    description: "Описание",
    colour: "Цвет",
    colourHex: "Цвет в виде #rrggbb",
    colourHint: "Этим цветом сайт показывает название роли.",
    pickColour: "Выбрать цвет",
    profile: "Основное",
    permissionsHint:
      "Что могут пользователи с этой ролью на вашем сайте. Доступа к этой консоли она не даёт: он есть у операторов.",
    term: {
      until: "до %{day} (%{left})",
      soon: "скоро истекает: %{day} (%{left})",
      untilShort: "до %{day}",
      soonShort: "истекает %{when}",
    },
    members: "Участники",
    holders: "%{smart_count} участник |||| %{smart_count} участника |||| %{smart_count} участников",
    membersHint: "Пользователи с этой ролью.",
    membersByEnd: "Сначала те, у кого роль истекает раньше.",
    membersUnsorted:
      "Первые %{shown} из %{smart_count} участника, не по сроку роли. |||| Первые %{shown} из %{smart_count} участников, не по сроку роли. |||| Первые %{shown} из %{smart_count} участников, не по сроку роли.",
    noMembers: "Этой роли нет ни у кого. Её можно выдать на странице пользователя.",
    delete: "Удалить роль",
    losesMembers:
      "Роль потеряет %{smart_count} пользователь. |||| Роль потеряют %{smart_count} пользователя. |||| Роль потеряют %{smart_count} пользователей.",
    losesNavigation:
      "Пункты меню, которые видит только эта роль, не увидит никто, пока вы их не измените.",
    losesPermissions: "Вместе с ролью пропадут её права на сайте.",
  },
);
