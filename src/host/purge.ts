import type { HostContext } from './work/context.js';

/** Forgets events that are long done with. Those that are dead stay until somebody has seen to them. */
export async function purge({ store, clock, limits }: HostContext): Promise<void> {
  const finishedAtMs = { atMost: clock.now() - limits.keepMs };
  await store.transaction(
    (writer) => writer.remove('events', { status: ['done', 'discarded', 'rejected'], finishedAtMs }),
    { isolation: 'read-committed' },
  );
}
