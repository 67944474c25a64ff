/** What a job asks for: the events of a hook in order, one event, a run of a scenario, a retry of an incomplete execution. */
export type JobKind = 'hook' | 'event' | 'scenario' | 'incomplete';

/**
 * A call to look at something, never the work itself: what there is to do stands in the store. So a job that comes
 * too early, or twice, does no harm, and one of the same key replaces another.
 */
export interface Job {
  readonly kind: JobKind;
  readonly id: number;
  readonly runAtMs: number;
  /** Jobs of one lane run one after the other, wherever they run. */
  readonly lane: string | null;
}

/** What jobs of the same kind and id share. */
export function keyOf(job: Pick<Job, 'kind' | 'id'>): string {
  return `${job.kind}:${job.id}`;
}

const KEY = /^(hook|event|scenario|incomplete):(\d{1,15})$/;

/** The kind and id that a key stands for; undefined for text that is no key. */
export function readKey(key: string): Pick<Job, 'kind' | 'id'> | undefined {
  const match = KEY.exec(key);
  // The pattern lets nothing but the four kinds through.
  return match === null ? undefined : { kind: match[1] as JobKind, id: Number(match[2]) };
}

/** The job that has the events of a lane processed, or one event that is in none. */
export function eventJob(event: { id: number; hookId: number; lane: string | null }, runAtMs: number): Job {
  const { id, hookId, lane } = event;
  return lane === null ? { kind: 'event', id, runAtMs, lane } : { kind: 'hook', id: hookId, runAtMs, lane };
}
