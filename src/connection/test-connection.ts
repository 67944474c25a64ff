import { assertNotExpired } from './connection-expiry.js';
import type { ConnectionOptions, KnownConnection } from './connection-input.js';
import type { ConnectionReport } from './connection-report.js';
import { runConnection } from './connection-run.js';
import { type Maker, prepareStart, toStored } from './start-step.js';

/** See `Connection.test`. */
export async function test(
  maker: Maker,
  known: KnownConnection,
  options: ConnectionOptions,
): Promise<ConnectionReport> {
  const compiled = await maker.compile();
  const stored = toStored(maker.component, known);
  assertNotExpired(stored, maker.runtime);
  const isBasic = compiled.kind === 'basic';
  // A basic connection is made once more, from what the user filled in.
  const before = isBasic ? { ...stored, connection: { ...stored.parameters } } : stored;
  return runConnection(maker.runtime, prepareStart(maker, before, options), async (run) => {
    if (isBasic) {
      await run.section(compiled.requests);
    } else {
      await run.section(compiled.info);
    }
    return run.given();
  });
}
