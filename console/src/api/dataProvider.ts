import type { DataProvider, Identifier, RaRecord } from "react-admin";
import { request } from "./client";
import { searchOf } from "./lists";
import { findByProfile } from "./people";
import { resource, type ResourceInfo } from "./resources";

/** The largest page that the service serves. */
const LARGEST_PAGE = 100;

/** The entity tag of the version that was read. It goes back with `If-Match`. */
export const ETAG = "_etag";

/** Connects react-admin to the API. */
export const dataProvider: DataProvider = {
  async getList(name, { pagination, sort, filter, signal }) {
    const info = resource(name);
    const query = new URLSearchParams();
    for (const [field, value] of Object.entries((filter ?? {}) as Record<string, unknown>)) {
      if (value !== undefined && value !== null && value !== "") {
        query.set(field, String(value));
      }
    }
    const search = name === "users" ? searchOf(filter) : null;
    if (name === "users") {
      query.delete("q");
    }
    if (info.listInclude !== undefined) {
      query.set("include", info.listInclude);
    }
    if (search !== null) {
      const found = await findByProfile(search, info.listInclude);
      if (found.length > 0) {
        return { data: found, total: found.length } as never;
      }
      query.set("q", search);
    } else if (info.sortable === true && sort !== undefined) {
      query.set("sort", (sort.order === "DESC" ? "-" : "") + sort.field);
    }
    const path = search === null ? info.path : `${info.path}/search`;
    const wanted = pagination?.perPage ?? LARGEST_PAGE;
    const size = Math.min(wanted, LARGEST_PAGE);
    query.set(info.size ?? "per_page", String(size));

    // More than the service serves at once, as when everything is selected, takes several pages.
    const data: RaRecord[] = [];
    let total = 0;
    let isFull = true;
    for (let page = pagination?.page ?? 1; isFull && data.length < wanted; page += 1) {
      query.set("page", String(page));
      const reply = await request("GET", `${path}?${query}`, { signal });
      const found = records(info, reply.body);
      data.push(...found);
      total = Number(reply.headers.get("X-Total-Count") ?? 0);
      isFull = found.length === size;
    }
    return { data, total } as never;
  },

  async getOne(name, { id, signal }) {
    return { data: await one(resource(name), id, signal) } as never;
  },

  async getMany(name, { ids, signal }) {
    const info = resource(name);
    const found = await Promise.allSettled(ids.map((id) => one(info, id, signal)));
    return { data: found.filter((f) => f.status === "fulfilled").map((f) => f.value) } as never;
  },

  getManyReference() {
    return Promise.reject(new Error("the API has no lists by reference"));
  },

  async create(name, { data }) {
    const info = resource(name);
    const reply = await request("POST", info.path, { body: data });
    return { data: record(info, reply.body[info.one]) } as never;
  },

  async update(name, { id, data, previousData }) {
    const info = resource(name);
    const reply = await request("PUT", `${info.path}/${id}`, {
      body: data,
      ifMatch: (previousData as { [ETAG]?: string } | undefined)?.[ETAG],
    });
    return { data: { ...data, ...record(info, reply.body[info.one]), id } } as never;
  },

  updateMany() {
    return Promise.reject(new Error("change many records with the operation made for it"));
  },

  async delete(name, { id, previousData }) {
    await request("DELETE", `${resource(name).path}/${id}`, {
      ifMatch: (previousData as { [ETAG]?: string } | undefined)?.[ETAG],
    });
    return { data: { id } } as never;
  },

  async deleteMany(name, { ids }) {
    for (const id of ids) {
      await request("DELETE", `${resource(name).path}/${id}`);
    }
    return { data: ids };
  },
};

async function one(info: ResourceInfo, id: Identifier, signal?: AbortSignal) {
  const query = info.include === undefined ? "" : `?include=${info.include}`;
  const reply = await request("GET", `${info.path}/${id}${query}`, { signal });
  return {
    ...record(info, reply.body[info.one]),
    [ETAG]: reply.headers.get("ETag") ?? undefined,
  };
}

function record(info: ResourceInfo, value: unknown): RaRecord {
  const fields = value as Record<string, unknown>;
  return { ...fields, id: fields[info.id ?? "id"] as Identifier };
}

function records(info: ResourceInfo, reply: Record<string, unknown>): RaRecord[] {
  return (reply[info.many] as unknown[]).map((value) => record(info, value));
}
