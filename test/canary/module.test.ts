import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine, defineApp, type EngineOptions, type RunReport } from '../../src/index.js';
import { everythingOf } from '../connection/canary.js';
import { expectNoSecret } from './expect-no-secret.js';
import { BODIES, CONNECTION, FAILURES, PARAMETERS, secretApp } from './secret-app.js';
import { SECRETS, type SecretService, startSecretService } from './secret-service.js';

let service: SecretService;
beforeAll(async () => {
  service = await startSecretService();
});
afterAll(() => service.close());

interface Shown {
  readonly text: string;
  readonly report: RunReport;
}

/** All output of one run that an embedder may log. */
async function show(
  patch: Readonly<Record<string, unknown>>,
  trace: EngineOptions['trace'] = 'full',
): Promise<Shown> {
  const shown: string[] = [];
  const keep = (...values: readonly unknown[]): void => {
    for (const value of values) shown.push(JSON.stringify(value) ?? '', everythingOf(value));
  };
  const engine = createEngine({
    app: defineApp(secretApp(service.origin, patch)),
    http: { allow: ['loopback'] },
    trace,
    onTrace: (event) => keep(event),
  });
  const input = { parameters: PARAMETERS, connection: CONNECTION };
  const run = engine.module('act').run(input);
  const report = await run;
  keep(report.error, report.error?.cause, report.trace, report.warnings, report.stats, run.report(), run);
  shown.push(inspect(run, { depth: 20, showHidden: true }));
  const iterated = engine.module('act').run(input);
  try {
    for await (const bundle of iterated) keep(bundle, iterated.report());
  } catch (error) {
    keep(error);
  }
  await engine.close();
  return { text: shown.join('\n'), report };
}

/** Cases that succeed. */
const QUIET: ReadonlySet<string> = new Set([
  'a body that no form can hold',
  'an invalid scheme',
  'an invalid timezone',
  'the function giveBack',
]);

describe('secrets of a run', () => {
  it('are sent unchanged', async () => {
    service.received.length = 0;
    const { report } = await show({});
    expect(report.error).toBeUndefined();
    expect(report.bundles).toEqual([{ id: 1 }]);
    const [login, data] = service.received;
    expect(login?.headers).toMatchObject({
      authorization: `Bearer ${SECRETS.key}`,
      cookie: `sid=${encodeURIComponent(SECRETS.sid)}`,
      'x-of-common': encodeURIComponent(SECRETS.common),
      'x-literal-key': SECRETS.literal,
    });
    const utf8 = (body = ''): unknown => JSON.parse(Buffer.from(body, 'latin1').toString('utf8'));
    expect(utf8(login?.body)).toEqual({
      user: 'ann',
      password: SECRETS.password,
      note: `in a sentence: ${SECRETS.common}.`,
    });
    const url = new URL(data?.url ?? '', service.origin);
    // The app encodes it once, the engine encodes the address as a whole.
    expect(decodeURIComponent(decodeURIComponent(url.pathname))).toBe(`/data/${SECRETS.token}`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      access_token: SECRETS.key,
      q: SECRETS.token,
      word: SECRETS.password,
      session: SECRETS.sid,
    });
    expect(utf8(data?.body)).toEqual({
      all: PARAMETERS,
      text: `key=${SECRETS.key}`,
      rows: PARAMETERS['rows'],
    });
  });

  it('are sent unchanged with any trace', async () => {
    const sent = async (trace: EngineOptions['trace']): Promise<unknown> => {
      service.received.length = 0;
      await show({}, trace);
      return service.received.map(({ headers: { host: _, ...headers }, ...rest }) => ({ ...rest, headers }));
    };
    expect(await sent('summary')).toEqual(await sent('full'));
  });

  it.each([...BODIES])('occur in no trace of %s', async (_title, patch) => {
    const { text, report } = await show(patch);
    expect(report.trace.filter(({ kind }) => kind === 'request')).toHaveLength(2);
    expectNoSecret(text);
  });

  it.each([...FAILURES])('occur in no shown data of %s', async (title, patch) => {
    const { text, report } = await show(patch);
    expectNoSecret(text);
    expectNoSecret((await show(patch, 'summary')).text);
    // Without an error there is little output to check.
    expect(report.error === undefined).toBe(QUIET.has(title));
  });
});
