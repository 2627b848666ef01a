import { common } from "./common";
import { errors } from "./errors";
import type { Path } from "./types";
import { permissions } from "../components/permissions/texts";
import { shell } from "../layout/texts";
import { session } from "../session/texts";
import { account } from "../pages/account/texts";
import { apiKeys } from "../pages/api-keys/texts";
import { audit } from "../pages/audit/texts";
import { dashboard } from "../pages/dashboard/texts";
import { navigation } from "../pages/navigation/texts";
import { operators } from "../pages/operators/texts";
import { pages } from "../pages/pages/texts";
import { payments } from "../pages/payments/texts";
import { roles } from "../pages/roles/texts";
import { servers } from "../pages/servers/texts";
import { socialNetworks } from "../pages/social-networks/texts";
import { system } from "../pages/system/texts";
import { users } from "../pages/users/texts";
import { webhooks } from "../pages/webhooks/texts";

/** The texts of every part of the console, by the first step of their keys. */
export const parts = {
  account,
  apiKeys,
  audit,
  common,
  dashboard,
  errors,
  navigation,
  operators,
  pages,
  payments,
  permissions,
  roles,
  servers,
  session,
  shell,
  socialNetworks,
  system,
  users,
  webhooks,
};

type Parts = typeof parts;
type English = { [K in keyof Parts]: Parts[K]["en"] };
export type TextKey = Path<English>;
