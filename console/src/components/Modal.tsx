import { Dialog, DialogActions, DialogContent, DialogTitle } from "@mui/material";
import { type ReactNode, useId } from "react";

interface Props {
  title: string;
  children: ReactNode;
  /** The buttons, the main one last. */
  actions: ReactNode;
  width?: "xs" | "sm" | "md";
  fullScreen?: boolean;
  /** Called for Escape and clicks beside it. Without it, only the buttons close the dialog. */
  onClose?: () => void;
}

/** Something in front of the page that has to be answered first. */
export function Modal({ title, children, actions, width = "xs", fullScreen, onClose }: Props) {
  const id = useId();
  return (
    <Dialog
      open
      aria-labelledby={id}
      maxWidth={width}
      fullWidth
      fullScreen={fullScreen === true}
      {...(onClose && { onClose })}
    >
      <DialogTitle id={id}>{title}</DialogTitle>
      <DialogContent>{children}</DialogContent>
      <DialogActions>{actions}</DialogActions>
    </Dialog>
  );
}
