import type Database from 'libsql';

/** Pages that are given back in one go: some milliseconds, in which nothing else happens. */
const STEP_PAGES = 500;
/** A file made before files could shrink is written anew where that much of it is free, and not more than this is kept. */
const MIN_FREE_SHARE = 0.5;
const MAX_REWRITTEN_PAGES = 50_000;

/** `auto_vacuum` of a file that gives pages back when it is told to. */
const INCREMENTAL = 2;

/**
 * Gives the room of removed rows back to the disk, in small steps.
 *
 * @param alone runs something while nobody else uses the connection
 */
export async function shrinkSqlite(
  database: Database.Database,
  alone: (work: () => void) => Promise<void>,
): Promise<void> {
  const read = (name: string): number => {
    const value: unknown = database.pragma(name, { simple: true });
    return Number(typeof value === 'object' && value !== null ? Reflect.get(value, name) : value);
  };
  let free = 0;
  await alone(() => {
    free = read('freelist_count');
    const pages = read('page_count');
    if (read('auto_vacuum') === INCREMENTAL || free < pages * MIN_FREE_SHARE) return;
    if (pages - free > MAX_REWRITTEN_PAGES) return;
    database.pragma('auto_vacuum = INCREMENTAL');
    database.exec('vacuum');
  });
  while (free > 0) {
    let left = 0;
    await alone(() => {
      if (read('auto_vacuum') !== INCREMENTAL) return;
      database.exec(`pragma incremental_vacuum(${STEP_PAGES})`);
      left = read('freelist_count');
    });
    // What others free meanwhile waits for the next time.
    free = left < free ? left : 0;
    await nextTurn();
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
