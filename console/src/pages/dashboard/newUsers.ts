/** A page of users, newest first. */
export interface UserPage {
  /** When each of them was created. */
  created: string[];
  total: number;
}

export const PAGE_SIZE = 100;

/**
 * Counts the users created at or after a moment. The API has no filter for it, but ids grow with
 * time and any page by id costs the same. So the page where the period begins is looked for, first
 * where it would be if users came evenly.
 */
export async function countSince(
  moment: string,
  read: (page: number) => Promise<UserPage>,
): Promise<number> {
  const start = Date.parse(moment);
  const look = async (page: number) => {
    const { created } = await read(page);
    const times = created.map((at) => Date.parse(at));
    return {
      page,
      newest: times[0] ?? -Infinity,
      oldest: times.at(-1) ?? -Infinity,
      count: (page - 1) * PAGE_SIZE + times.filter((time) => time >= start).length,
    };
  };

  const { total } = await read(1);
  let later = await look(1);
  let earlier = await look(Math.max(1, Math.ceil(total / PAGE_SIZE)));
  if (later.oldest < start || earlier.oldest >= start) {
    return later.oldest < start ? later.count : total;
  }
  // From here on, all of `later` is new and the oldest user of `earlier` is not.
  for (let step = 1; earlier.newest < start && earlier.page - later.page > 1; step += 1) {
    const even = (later.oldest - start) / (later.oldest - earlier.newest);
    // Users need not come evenly: every third time the rest is halved.
    const share = step % 3 === 0 ? 0.5 : even;
    const guess = later.page + Math.round(share * (earlier.page - later.page));
    const found = await look(Math.min(Math.max(guess, later.page + 1), earlier.page - 1));
    if (found.oldest >= start) {
      later = found;
    } else {
      earlier = found;
    }
  }
  return earlier.newest < start ? later.count : earlier.count;
}
