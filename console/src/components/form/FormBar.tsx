import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import type { ReactNode } from "react";
import { useFormState } from "react-hook-form";
import { useText } from "../../i18n";

interface Props {
  submit?: string;
  onCancel?: () => void;
  /** More buttons, such as one that deletes. */
  children?: ReactNode;
  /** A new record can be saved before anything is typed. */
  alwaysEnabled?: boolean;
}

/** The buttons at the end of a form. */
export function FormBar({ submit, onCancel, children, alwaysEnabled }: Props) {
  const t = useText();
  const { isSubmitting, isDirty } = useFormState();
  return (
    <Box sx={{ display: "flex", flexWrap: "wrap", gap: 1, mt: 2.5 }}>
      <Button
        type="submit"
        variant="contained"
        loading={isSubmitting}
        disabled={!isDirty && alwaysEnabled !== true}
      >
        {submit ?? t("common.save")}
      </Button>
      {onCancel !== undefined && <Button onClick={onCancel}>{t("common.cancel")}</Button>}
      <Box sx={{ flexGrow: 1 }} />
      {children}
    </Box>
  );
}
