import { common } from "./common";
import { errors } from "./errors";
import type { Path } from "./types";
import { lists } from "../components/list/texts";
import { permissions } from "../components/permissions/texts";
import { shell } from "../layout/texts";
import { session } from "../session/texts";
import { account } from "../pages/account/texts";
import { apiKeys } from "../pages/api-keys/texts";
import { audit } from "../pages/audit/texts";
import { bans } from "../pages/bans/texts";
import { dashboard } from "../pages/dashboard/texts";
import { discord } from "../pages/discord/texts";
import { navigation } from "../pages/navigation/texts";
import { operators } from "../pages/operators/texts";
import { pages } from "../pages/pages/texts";
import { grants } from "../pages/payments/grants/texts";
import { products } from "../pages/payments/products/texts";
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
  bans,
  common,
  dashboard,
  discord,
  errors,
  grants,
  lists,
  navigation,
  operators,
  pages,
  payments,
  permissions,
  products,
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
