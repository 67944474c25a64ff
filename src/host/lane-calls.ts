import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Pool } from 'pg';
import type { SqlTables } from '../store/sql-database.js';
import { createBatcher } from '../util/batcher.js';
import type { Clock } from '../util/clock.js';
import { type Job, keyOf } from './job.js';
import { HOST_TABLE_PREFIX } from './store/migrations.js';
import type { JobEnd } from './work/ports.js';
import type { CallRow } from './store/tables.js';

const CALLS = `${HOST_TABLE_PREFIX}calls`;
/** How long a group takes up calls that come while others of it are being answered. */
const SLICE_MS = 2000;
/** How often it looks for them. */
const LOOK_MS = 200;
/** Calls that are looked up, or forgotten, at a time. */
const MAX_CALLS = 1000;

type Call = Pick<CallRow, 'id' | 'key' | 'version'>;

export interface AnswerOptions {
  /** Calls up to this time are due, whatever the clock of this process says. */
  readonly atMs: number;
  readonly isStopping: () => boolean;
  /** Rejects where the call has to stay. */
  readonly answer: (key: string) => Promise<JobEnd>;
}

/**
 * The calls of the lanes, which share some named queues of Graphile Worker: the lanes of a group are with one process at a
 * time, which works on them side by side, each in its order.
 *
 * A queue of each lane would stay behind for ever, and each look for a job locks all queues that are free; looks at the
 * same time then find none. So there are few queues, and many lanes in each.
 */
export interface LaneCalls {
  readonly groupOf: (lane: string) => number;
  /** Adds calls in the transaction that makes them necessary. */
  readonly add: (db: Kysely<SqlTables>, jobs: readonly LaneJob[]) => Promise<void>;
  /**
   * Answers what is due of a group, and forgets it. Some may have more to do afterwards: `again`.
   * @throws what the first of the calls failed with that have to stay
   */
  readonly answerGroup: (group: number, options: AnswerOptions) => Promise<JobEnd>;
}

export type LaneJob = Job & { readonly lane: string };

export function createLaneCalls(pool: Pool, clock: Clock, groups: number): LaneCalls {
  const forget = createBatcher((calls: readonly Call[]) => forgetAll(pool, calls), { maxItems: MAX_CALLS });
  const groupOf = (lane: string): number =>
    createHash('sha256').update(lane).digest().readUInt32BE(0) % groups;

  async function answerGroup(group: number, { atMs, isStopping, answer }: AnswerOptions): Promise<JobEnd> {
    const active = new Map<string, Promise<void>>();
    const failures: unknown[] = [];
    let end: JobEnd = 'done';
    const one = async (call: Call): Promise<void> => {
      try {
        if ((await answer(call.key)) === 'done') await forget(call);
        else end = 'again';
      } catch (error) {
        failures.push(error);
      }
      active.delete(call.key);
    };
    const takeUp = async (): Promise<void> => {
      for (const call of await dueCalls(pool, group, Math.max(atMs, clock.now()))) {
        if (!active.has(call.key)) active.set(call.key, one(call));
      }
    };
    const endMs = clock.now() + SLICE_MS;
    await takeUp();
    while (active.size > 0) {
      const all = Promise.all(active.values());
      const isOver = failures.length > 0 || isStopping() || clock.now() >= endMs;
      // A lane that takes long must not hold up the others. What is added after this job ends has a job of its own.
      if (isOver) await all;
      else if (!(await isWithin(all, LOOK_MS, clock))) await takeUp().catch((error) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
    return end;
  }

  return { groupOf, answerGroup, add: (db, jobs) => addAll(db, jobs, groupOf) };
}

async function addAll(
  db: Kysely<SqlTables>,
  jobs: readonly LaneJob[],
  groupOf: (lane: string) => number,
): Promise<void> {
  const { sql } = await import('kysely');
  const calls = jobs.map((job) => ({
    ...{ key: keyOf(job), lane_group: groupOf(job.lane) },
    run_at_ms: Math.round(job.runAtMs),
  }));
  // In one order everywhere: transactions that add the same calls must not wait for each other in a circle.
  calls.sort((a, b) => (a.key < b.key ? -1 : 1));
  await sql`
    insert into ${sql.table(CALLS)} as known (key, lane_group, run_at_ms, version)
    select key, lane_group, run_at_ms, 0
    from json_to_recordset(${JSON.stringify(calls)}::json) as it(key text, lane_group int, run_at_ms bigint)
    on conflict (key) do update set
      lane_group = excluded.lane_group, run_at_ms = excluded.run_at_ms, version = known.version + 1`.execute(
    db,
  );
}

async function dueCalls(pool: Pool, group: number, dueMs: number): Promise<readonly Call[]> {
  const { rows } = await pool.query<{ id: string; key: string; version: string }>({
    name: 'iml_due_calls',
    text: `select id, key, version from ${CALLS} where lane_group = $1 and run_at_ms <= $2
      order by run_at_ms limit ${MAX_CALLS}`,
    values: [group, dueMs],
  });
  return rows.map(({ id, key, version }) => ({ id: Number(id), key, version: Number(version) }));
}

/** One that was added again meanwhile stays, and so does one that somebody is about to add again. */
async function forgetAll(pool: Pool, calls: readonly Call[]): Promise<readonly undefined[]> {
  await pool.query({
    name: 'iml_forget_calls',
    text: `with answered as (
        select known.id from ${CALLS} as known
        join unnest($1::bigint[], $2::bigint[]) as it(id, version)
        on known.id = it.id and known.version = it.version
        for update of known skip locked
      ) delete from ${CALLS} as known using answered where known.id = answered.id`,
    values: [calls.map(({ id }) => id), calls.map(({ version }) => version)],
  });
  return calls.map(() => undefined);
}

/** Whether work ends within a time; it goes on in either case. */
function isWithin(work: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => resolve(false));
    void work.then(() => {
      cancel();
      resolve(true);
    });
  });
}
