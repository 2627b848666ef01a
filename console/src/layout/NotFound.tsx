import Button from "@mui/material/Button";
import { Link } from "react-router";
import SearchOffOutlined from "@mui/icons-material/SearchOffOutlined";
import { EmptyState } from "../components/EmptyState";
import { useText } from "../i18n";

export function NotFound() {
  const t = useText();
  return (
    <EmptyState
      icon={SearchOffOutlined}
      title={t("shell.notFound.title")}
      text={t("shell.notFound.hint")}
      action={
        <Button component={Link} to="/" variant="contained">
          {t("shell.notFound.back")}
        </Button>
      }
    />
  );
}
