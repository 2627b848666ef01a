/** Where a profile is: its own address, or the network's with the handle in it. */
export function profileAddress(profile: string, template: string): string | null {
  if (/^https?:\/\//i.test(profile)) {
    return profile;
  }
  return template === "" ? null : template.replace("{handle}", encodeURIComponent(profile));
}
