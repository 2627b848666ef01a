import { api, body, request, type Schemas } from "./client";
import { profilesOf } from "./profiles";

type Found = Schemas["UserDetail"];

/** The users whose linked profile a text names. Most texts name none, which asks nothing. */
export async function findByProfile(text: string, include?: string): Promise<Found[]> {
  const query = include === undefined ? "" : `?include=${include}`;
  const replies = await Promise.all(
    profilesOf(text).map((profile) =>
      request("POST", `/api/users/lookup${query}`, { body: profile }),
    ),
  );
  const users = replies.flatMap(({ body }) => (body as Schemas["LookupReply"]).users);
  const found = users.flatMap(({ user }) => (user === null ? [] : [user]));
  return found.filter(({ id }, index) => found.findIndex((other) => other.id === id) === index);
}

/** The users that a profile names, or whose name or address contains the text. */
export async function findPeople(text: string, count: number): Promise<Schemas["UserItem"][]> {
  const found = await findByProfile(text);
  if (found.length > 0) {
    return found;
  }
  const query = { q: text, per_page: count };
  return (await body(api.GET("/api/users/search", { params: { query } }))).users;
}
