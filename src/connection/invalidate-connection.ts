import type { ConnectionOptions, KnownConnection } from './connection-input.js';
import type { ConnectionReport } from './connection-report.js';
import { runConnection } from './connection-run.js';
import { type Maker, prepareStart, toStored } from './start-step.js';

/** See `Connection.invalidate`. */
export async function invalidate(
  maker: Maker,
  known: KnownConnection,
  options: ConnectionOptions,
): Promise<ConnectionReport> {
  const compiled = await maker.compile();
  const section = compiled.kind === 'basic' ? [] : compiled.invalidate;
  const start = prepareStart(maker, toStored(maker.component, known), options);
  return runConnection(maker.runtime, start, async (run) => {
    await run.section(section);
    return run.given();
  });
}
