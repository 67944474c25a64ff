import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createEngine, defineApp, type Transport } from '../../src/index.js';
import { everythingOf } from '../connection/canary.js';
import { expectNoSecret } from './expect-no-secret.js';
import { SECRETS } from './secret-service.js';

const QUOTE =
  '{{webhook.secret}} {{parameters.word}} {{data.secret}} {{connection.key}} {{base64(webhook.secret)}}';

const STEP = {
  url: 'https://api.example.test/hooks/{{webhook.secret}}',
  method: 'POST',
  headers: { 'X-Hook': '{{encodeURL(webhook.secret)}}' },
  body: { secret: '{{webhook.secret}}', note: QUOTE },
  response: { data: { secret: '{{body.signing_secret}}' }, error: QUOTE },
};

const transport =
  (status: number): Transport =>
  async ({ url }) => ({
    status,
    url,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ signing_secret: SECRETS.token, echo: SECRETS.webhook })),
  });

const INPUT = {
  parameters: { word: SECRETS.password },
  connection: { key: SECRETS.key },
  webhook: { id: 1, url: 'https://hook.example.test/1', secret: SECRETS.webhook },
};

describe('secrets of a webhook', () => {
  it.each([200, 401, 500])('occur in no shown data of attach, update and detach: %s', async (status) => {
    const shown: string[] = [];
    const engine = createEngine({
      app: defineApp({
        name: 'hooks',
        webhooks: {
          h: { params: [{ name: 'word', type: 'password' }], attach: STEP, update: STEP, detach: STEP },
        },
      }),
      http: { transport: transport(status) },
      trace: 'full',
      onTrace: (event) => shown.push(JSON.stringify(event)),
    });
    const { attach, update, detach } = engine.webhook('h');
    for (const step of [attach, update, detach]) {
      const { result: _, ...report } = await step(INPUT);
      expect(report.error === undefined).toBe(status === 200);
      shown.push(
        JSON.stringify(report),
        inspect(report, { depth: 20, showHidden: true }),
        everythingOf(report.error),
      );
    }
    expectNoSecret(shown.join('\n'));
  });

  it.each([
    ['a condition that fails', { condition: '{{formatDate(webhook.secret; "YYYY")}}' }],
    ['an invalid response', { respond: { status: '{{webhook.secret}}', body: 'x' } }],
    ['an invalid type', { respond: { type: '{{parameters.word}}', body: '{{parameters.word}}' } }],
    ['a function that throws', { output: '{{complain(webhook.secret)}}' }],
    ['invalid items', { iterate: '{{parameters.word}}', output: '{{sum(item)}}' }],
  ])('occur in no stored data of a call: %s', async (_title, communication) => {
    const engine = createEngine({
      app: defineApp({
        name: 'hooks',
        webhooks: { h: { communication } },
        functions: { complain: { code: 'function complain(x) { throw new Error(x); }' } },
      }),
      trace: 'full',
    });
    const request = new Request('https://hook.example.test/1', { method: 'POST', body: '{"a":1}' });
    const result = await engine.webhook('h').handle(request, INPUT);
    const { error, phase, trace, warnings } = result;
    expectNoSecret([everythingOf(error), JSON.stringify([trace, warnings, error, phase])].join('\n'));
    if (error !== undefined) expectNoSecret(await result.response.text());
    await engine.close();
  });
});
