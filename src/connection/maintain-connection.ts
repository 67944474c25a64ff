import { createHash } from 'node:crypto';
import { toPortable } from '../util/portable-value.js';
import type { ConnectionOptions, KnownConnection, RefreshInput } from './connection-input.js';
import { type Maker, prepareStart, toStored } from './connection-maker.js';
import type { ConnectionReport } from './connection-report.js';
import { runConnection } from './connection-run.js';
import { assertNotExpired, refreshConnection } from './refresh-connection.js';

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
      run.showConnection();
      await run.section(compiled.info);
    }
    return run.given();
  });
}

/** See `Connection.refresh`. */
export async function refresh(
  maker: Maker,
  known: KnownConnection,
  input: RefreshInput,
): Promise<ConnectionReport> {
  const compiled = await maker.compile();
  const { signal, ...shared } = input;
  const stored = toStored(maker.component, known);
  const work = async (): Promise<ConnectionReport> => {
    assertNotExpired(stored, maker.runtime);
    const section = compiled.kind === 'basic' ? [] : compiled.refresh;
    return refreshConnection(
      section,
      prepareStart(maker, stored, shared),
      maker.runtime,
      input.force === true,
    );
  };
  const identity = JSON.stringify(toPortable([stored, shared]));
  // A digest, so that no credentials lie about as the key of a map.
  return maker.refreshes.run(createHash('sha256').update(identity).digest('base64'), work, signal);
}

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
    run.showConnection();
    await run.section(section);
    return run.given();
  });
}
