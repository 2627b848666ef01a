import { Button, type ButtonProps, Link, type LinkProps } from "@mui/material";
import { Link as RouterLink } from "react-router";

/** A link inside the console. */
export function RouteLink(props: LinkProps & { to: string }) {
  return <Link component={RouterLink} {...props} />;
}

/** A link inside the console that looks like a button. */
export function RouteButton(props: ButtonProps & { to: string }) {
  return <Button component={RouterLink} {...props} />;
}

/** The list of a resource with filters. */
export function listPath(resource: string, filter: Record<string, unknown>): string {
  return `/${resource}?${new URLSearchParams({ filter: JSON.stringify(filter) })}`;
}
