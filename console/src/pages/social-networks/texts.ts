import { texts } from "../../i18n/types";

export const socialNetworks = texts(
  {
    subtitle: "Where users can link their profiles.",
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
  },
  {
    subtitle: "Где пользователи могут указать свои профили.",
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
  },
);
