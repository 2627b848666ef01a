import { texts } from "../../i18n/types";

export const socialNetworks = texts(
  {
    title: "Social networks",
    subtitle: "Where users can link their profiles.",
    create: "New network",
    noAddress: "None: the handle is shown as text",
    deleteText: "Users can no longer link profiles on it. A network with linked profiles stays.",
    fields: {
      title: "Title",
      name: "Short name",
      urlTemplate: "Address of a profile",
    },
    hints: {
      title: "What people read, such as Mastodon.",
      name: "What programs use: letters a to z, digits, _ and -.",
      urlTemplate:
        "With {handle} where the user’s name on the network goes. Leave it empty if profiles have no address.",
    },
    empty: {
      title: "No social networks yet",
      text: "Add the networks that your members use. Then their profiles can be linked to them.",
    },
  },
  {
    title: "Социальные сети",
    subtitle: "Где пользователи могут указать свои профили.",
    create: "Новая сеть",
    noAddress: "Нет: имя показывается текстом",
    deleteText:
      "Указать профиль в этой сети больше будет нельзя. Сеть, в которой профили уже указаны, останется.",
    fields: {
      title: "Название",
      name: "Короткое имя",
      urlTemplate: "Адрес профиля",
    },
    hints: {
      title: "То, что читают люди, например Mastodon.",
      name: "Для программ: буквы от a до z, цифры, _ и -.",
      urlTemplate:
        "С {handle} на месте имени пользователя в этой сети. Оставьте пустым, если у профилей нет адресов.",
    },
    empty: {
      title: "Социальных сетей пока нет",
      text: "Добавьте сети, которыми пользуются участники, чтобы указывать в них профили.",
    },
  },
);
