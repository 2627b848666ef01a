import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import Typography from "@mui/material/Typography";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { api, body } from "../../api/client";
import { ApiError } from "../../api/error";
import { Panel } from "../../components/Panel";
import { useText } from "../../i18n";
import { useErrorText } from "../../i18n/describe";
import type { User } from "./types";

/** The user's access to the console, or null. */
async function readAccess(userId: number) {
  try {
    const params = { path: { userId } };
    return (await body(api.GET("/api/operators/{userId}", { params }))).operator;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) {
      return null;
    }
    throw error;
  }
}

/** Whether the user may use the console. */
export function OperatorPanel({ user }: { user: User }) {
  const t = useText();
  const errorText = useErrorText();
  const { data, error } = useQuery({
    queryKey: ["operators", user.id, "access"],
    queryFn: () => readAccess(user.id),
  });
  return (
    <Panel
      title={t("users.operator.title")}
      actions={
        data && (
          <Button component={Link} to={`/operators/${user.id}`}>
            {t("users.operator.open")}
          </Button>
        )
      }
    >
      {error !== null ? (
        <Typography color="error">{errorText(error)}</Typography>
      ) : data === undefined ? (
        <Skeleton aria-busy />
      ) : (
        <Typography variant="body2" color="textSecondary">
          {data === null
            ? t("users.operator.none")
            : t("users.operator.has", { smart_count: data.permissions.length })}
        </Typography>
      )}
    </Panel>
  );
}
