import { steamId } from "../../api/profiles";

/** Where a profile is: its own address, or the network's with the handle in it. */
export function profileAddress(network: string, profile: string, template: string): string | null {
  const steam = network === "steam" ? steamId(profile) : null;
  if (steam !== null) {
    // The template of Steam is for names that their owners have chosen.
    return `https://steamcommunity.com/profiles/${steam}`;
  }
  if (/^https?:\/\//i.test(profile)) {
    return profile;
  }
  return template === "" ? null : template.replace("{handle}", encodeURIComponent(profile));
}
