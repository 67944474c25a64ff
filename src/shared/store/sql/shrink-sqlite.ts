import type Database from 'libsql';

/** Pages per step. One step blocks the event loop for some milliseconds. */
const STEP_PAGES = 500;
/**
 * A file without incremental vacuum is rewritten if this share of it is free and the rest is not larger than the
 * maximum.
 */
const MIN_FREE_SHARE = 0.5;
const MAX_REWRITTEN_PAGES = 50_000;

/** Value of `auto_vacuum` for incremental vacuum. */
const INCREMENTAL = 2;

/**
 * Returns free pages to the disk in small steps.
 *
 * @param alone runs work with exclusive use of the connection
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
    // Pages freed meanwhile wait for the next call.
    free = left < free ? left : 0;
    await yieldToEventLoop();
  }
}

function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
