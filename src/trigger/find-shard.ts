/** How many small tables stand for one large one: a table that is full is made anew as a whole, 100 ms for millions. A power of two. */
export const SHARDS = 64;

/** Which of them an id belongs to. The end of an id differs most, whatever it is. */
export function findShard(id: string, dateMs = 0): number {
  const hash = id.charCodeAt(id.length - 1) * 10 + id.charCodeAt(id.length - 2) + dateMs;
  return hash & (SHARDS - 1);
}
