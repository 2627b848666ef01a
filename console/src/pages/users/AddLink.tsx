import { SelectInput, TextInput, useNotify, useRefresh } from "react-admin";
import { api, type Schemas } from "../../api/client";
import { FormDialog } from "../../components/form/FormDialog";
import { useText } from "../../i18n";
import { ifMatch } from "./ifMatch";
import type { User } from "./types";

interface Props {
  user: User;
  networks: Schemas["SocialNetwork"][];
  onClose: () => void;
}

/** Links the user to a profile. */
export function AddLink({ user, networks, onClose }: Props) {
  const t = useText();
  const notify = useNotify();
  const refresh = useRefresh();
  return (
    <FormDialog
      title={t("users.links.add")}
      fields={["network_id", "profile_url"]}
      submit={t("common.create")}
      save={async (values) => {
        const { network_id, profile_url } = values as Partial<Schemas["NewSocialLink"]>;
        await api.POST("/api/users/{id}/social-networks", {
          params: { path: { id: user.id }, header: ifMatch(user) },
          body: { network_id: network_id ?? 0, profile_url: profile_url ?? "" },
        });
        refresh();
        notify(t("common.created"), { type: "success" });
      }}
      onClose={onClose}
    >
      <SelectInput
        source="network_id"
        label={t("users.links.network")}
        choices={networks}
        optionText="title"
        translateChoice={false}
        helperText={t("users.links.networkHint")}
      />
      <TextInput
        source="profile_url"
        label={t("users.links.profile")}
        helperText={t("users.links.profileHint")}
      />
    </FormDialog>
  );
}
