import { Notification } from "react-admin";

/** Short news after an action, at the bottom of the screen. */
export function Toast() {
  return <Notification autoHideDuration={5000} multiLine />;
}
