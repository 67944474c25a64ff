import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine, defineApp } from '../../src/index.js';
import { createDigestLog, recordCase, recordTransport } from '../../src/tools/testing/index.js';
import { recordHar } from '../../src/tools/testing/recording/write-har.js';
import { everythingOf } from '../connection/canary.js';
import { expectNoSecret } from './expect-no-secret.js';
import { BODIES, COMMON, CONNECTION, FAILURES, PARAMETERS, secretApp } from './secret-app.js';
import { type SecretService, startSecretService } from './secret-service.js';

type RunToRecord = Parameters<typeof recordCase>[0];
type WrittenCase = Awaited<ReturnType<typeof recordCase>>;

let service: SecretService;
beforeAll(async () => {
  service = await startSecretService();
});
afterAll(() => service.close());

async function run(patch: Readonly<Record<string, unknown>>): Promise<RunToRecord> {
  const app = defineApp(secretApp(service.origin, patch));
  const { digest, results } = createDigestLog();
  let recording: ReturnType<typeof recordTransport> | undefined;
  const engine = createEngine({
    app,
    digest,
    http: {
      allow: ['loopback'],
      wrap: (transport) => {
        recording ??= recordTransport(transport);
        return recording.transport;
      },
    },
  });
  const startedAtMs = Date.now();
  const input = { parameters: { ...PARAMETERS }, connection: { ...CONNECTION } };
  const { error, bundles } = await engine.module('act').run(input);
  await engine.close();
  return {
    app,
    kind: 'search',
    component: { type: 'module', name: 'act' },
    common: COMMON,
    input: { ...input, now: new Date(startedAtMs).toISOString() },
    calls: recording?.calls() ?? [],
    digests: results(),
    ended: { error: error && { type: error.type, message: error.message }, bundleCount: bundles?.length },
  };
}

async function record(patch: Readonly<Record<string, unknown>>): Promise<WrittenCase> {
  return recordCase(await run(patch), { runtime: '0.0.0', recordedAtMs: 0 });
}

function everythingIn({ text, bodies, suspects }: WrittenCase): string {
  const files = [...bodies].map(([name, bytes]) => `${name} ${Buffer.from(bytes).toString('latin1')}`);
  return [text, ...files, JSON.stringify(suspects)].join('\n');
}

describe('a recorded run', () => {
  it.each([...BODIES])('holds no secret if the body is %s', async (_name, patch) => {
    const written = await record(patch);
    expectNoSecret(everythingIn(written));
    expect(written.placeholders).toContain('key');
  });

  it.each([...BODIES])('holds no secret as a HAR if the body is %s', async (_name, patch) => {
    const har = await recordHar(await run(patch), { name: 'test', version: '0.0.0' });
    expectNoSecret(har);
    expect(JSON.parse(har)).toMatchObject({ log: { entries: [{}, {}] } });
  });

  it.each([...FAILURES])('holds no secret after %s', async (name, patch) => {
    // Here the secret decides whether the address is valid, so no other text can replace it.
    if (name === 'an invalid scheme') {
      const refused = await record(patch).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'RECORDING_REFUSED' });
      expectNoSecret(everythingOf(refused));
    } else expectNoSecret(everythingIn(await record(patch)));
  });
});
