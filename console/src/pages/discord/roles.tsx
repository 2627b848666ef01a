import { Chip } from "@mui/material";
import { createContext, type ReactNode, useContext } from "react";
import { ColourDot } from "../../components/RoleChip";
import { type ServerRole, useServerRoles } from "./connection";

interface Known {
  /** The roles of the server; none until they are read. */
  roles: readonly ServerRole[] | undefined;
  isFailed: boolean;
}

const Context = createContext<Known>({ roles: undefined, isFailed: false });

/** Reads the roles of the server for everything on the page that names them. */
export function ServerRoles({ isAsked, children }: { isAsked: boolean; children: ReactNode }) {
  const { data, error } = useServerRoles(isAsked);
  return <Context value={{ roles: data, isFailed: error !== null }}>{children}</Context>;
}

export function useKnownRoles(): Known {
  return useContext(Context);
}

/** The name of a role at Discord, which is its id until it is read. */
export function useServerRoleName(): (id: string) => string {
  const { roles } = useKnownRoles();
  return (id) => roles?.find((role) => role.id === id)?.name ?? id;
}

/** A role at Discord with its colour. */
export function ServerRoleChip({ id }: { id: string }) {
  const { roles } = useKnownRoles();
  const role = roles?.find((one) => one.id === id);
  return (
    <Chip
      size="small"
      variant="outlined"
      icon={
        <span style={{ display: "flex", paddingInline: 4 }}>
          <ColourDot colour={role?.color ?? undefined} />
        </span>
      }
      label={role?.name ?? id}
    />
  );
}
