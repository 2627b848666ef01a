import { texts } from "../../i18n/types";

export const roles = texts(
  {
    title: "Roles",
    subtitle: "Groups of users on your site, and what they may do there.",
    new: "New role",
    description: "Description",
    colour: "Colour",
    colourHex: "Colour as #rrggbb",
    colourHint: "The site shows the name of the role in this colour.",
    colourUnknown:
      "The service does not say which colour the role has now. Choose one to replace it; otherwise it stays.",
    pickColour: "Choose a colour",
    empty: {
      title: "No roles yet",
      text: "Roles tell your site who moderates, who supports the community, who writes pages. Create one and give it to users.",
    },
    profile: "Profile",
    permissionsHint:
      "What users with this role may do on your site. It gives no access to this console: operators have that.",
    members: "Members",
    membersHint: "Users who have this role.",
    noMembers: "No user has this role. Add it on the page of a user.",
    allMembers: "Show %{smart_count} member |||| Show all %{smart_count} members",
    delete: "Delete the role",
    losesMembers: "%{smart_count} user loses this role. |||| %{smart_count} users lose this role.",
    losesNavigation:
      "Menu items for this role only are hidden from all visitors until you change them.",
    losesPermissions: "Its permissions on the site are lost with it.",
  },
  {
    title: "Роли",
    subtitle: "Группы пользователей вашего сайта и то, что им там можно.",
    new: "Новая роль",
    description: "Описание",
    colour: "Цвет",
    colourHex: "Цвет в виде #rrggbb",
    colourHint: "Этим цветом сайт показывает название роли.",
    colourUnknown:
      "Сервис не сообщает, какой цвет у роли сейчас. Выберите другой, чтобы заменить его; иначе он останется.",
    pickColour: "Выбрать цвет",
    empty: {
      title: "Ролей пока нет",
      text: "Роли говорят сайту, кто модерирует, кто поддерживает сообщество, кто пишет страницы. Создайте роль и выдайте её пользователям.",
    },
    profile: "Основное",
    permissionsHint:
      "Что могут пользователи с этой ролью на вашем сайте. Доступа к этой консоли она не даёт: он есть у операторов.",
    members: "Участники",
    membersHint: "Пользователи с этой ролью.",
    noMembers: "Этой роли нет ни у кого. Её можно выдать на странице пользователя.",
    allMembers:
      "Показать %{smart_count} участника |||| Показать всех %{smart_count} участников |||| Показать всех %{smart_count} участников",
    delete: "Удалить роль",
    losesMembers:
      "Роль потеряет %{smart_count} пользователь. |||| Роль потеряют %{smart_count} пользователя. |||| Роль потеряют %{smart_count} пользователей.",
    losesNavigation:
      "Пункты меню, которые видит только эта роль, не увидит никто, пока вы их не измените.",
    losesPermissions: "Вместе с ролью пропадут её права на сайте.",
  },
);
