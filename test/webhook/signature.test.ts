import { createHmac } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEngine, loadApp, type WebhookReport } from '../../src/index.js';
import { sameText } from '../../src/shared/text.js';
import { post, webhookOf } from './helpers.js';

const APP = fileURLToPath(new URL('../../spec-fixtures/signed-events', import.meta.url));
const SECRET = 'a-secret-of-the-hook';

const app = await loadApp(APP);
const webhook = createEngine({ app }).webhook('signedEvents');

function sign(body: Uint8Array | string): string {
  return `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
}

async function send(
  body: Uint8Array | string,
  signature: string | undefined,
  secret = SECRET,
): Promise<WebhookReport> {
  const headers: Record<string, string> = signature === undefined ? {} : { 'x-signature': signature };
  return webhook.handle(post(body, headers), { webhook: { id: 'h', url: 'https://x.test/h', secret } });
}

const BODY = JSON.stringify({
  events: [
    { id: 1, kind: 'created', at: '1700000000' },
    { id: 2, test: true },
  ],
});

describe('the sample app signed-events', () => {
  it('has no lint results', () => {
    expect(app.warnings).toEqual([]);
  });

  it('responds to the challenge', async () => {
    const result = await send('{"type":"challenge","challenge":"c1"}', undefined);
    expect(result.verification).toBe(true);
    expect(await result.response.text()).toBe('c1');
  });

  it('accepts signed payloads', async () => {
    const result = await send(BODY, sign(BODY));
    expect(result.bundles).toEqual([{ id: 1, kind: 'created', at: new Date(1_700_000_000_000) }]);
    expect(result.response.status).toBe(202);
  });

  it.each([
    ['no signature', undefined],
    ['an empty signature', ''],
    ['another prefix', sign(BODY).replace('sha256', 'sha1')],
    ['no prefix', sign(BODY).slice(7)],
    ['upper case', sign(BODY).toUpperCase()],
    ['a hash without a key', 'sha256=0'],
  ])('refuses %s', async (_, signature) => {
    const result = await send(BODY, signature);
    expect(result.bundles).toEqual([]);
    expect(result.response.status).toBe(401);
  });

  it('refuses every payload while there is no secret', async () => {
    const plain = `sha256=${createHmac('sha256', '').update(BODY).digest('hex')}`;
    for (const signature of [plain, undefined, 'sha256=']) {
      expect((await send(BODY, signature, '')).bundles).toEqual([]);
    }
  });

  it('refuses any changed byte of the payload or the signature', async () => {
    const bytes = Buffer.from(BODY);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ change;
        const result = await send(changed, sign(bytes));
        expect(result.bundles ?? []).toEqual([]);
        expect(result.response.status).toBeGreaterThanOrEqual(400);
      }),
      { numRuns: 200 },
    );
    const good = sign(bytes);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(good.length - 1),
        fc.constantFrom(...'0123456789abcdefg'),
        async (at, digit) => {
          fc.pre(good[at] !== digit);
          const result = await send(BODY, good.slice(0, at) + digit + good.slice(at + 1));
          expect(result.bundles ?? []).toEqual([]);
          expect(result.response.status).toBe(401);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('equality in the specification of a webhook', () => {
  it('is that of the language', async () => {
    await fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        expect(sameText(a, b)).toBe(a === b);
        expect(sameText(a, `${a}`)).toBe(true);
      }),
    );
    const values = ['1', 1, true, null, '', 'a', []];
    for (const left of values) {
      for (const right of values) {
        const output = { yes: '{{body.l = body.r}}', no: '{{body.l != body.r}}' };
        const { bundles } = await webhookOf({ output }).handle(post({ l: left, r: right }));
        // biome-ignore lint/suspicious/noDoubleEquals: the runtime compares as JavaScript's `==`.
        const isSame = left == right && !(Array.isArray(left) && Array.isArray(right));
        expect(bundles, JSON.stringify([left, right])).toEqual([{ yes: isSame, no: !isSame }]);
      }
    }
  });

  it('compares every character before it returns', () => {
    // Counts reads instead of time: texts that differ at the first character are read to their end.
    const read: number[] = [];
    const watched = {
      length: 6,
      charCodeAt: (at: number): number => {
        read.push(at);
        return 'xbcdef'.charCodeAt(at);
      },
    };
    // The comparison uses only these two members of a text.
    expect(sameText(watched as unknown as string, 'abcdef')).toBe(false);
    expect(read).toEqual([0, 1, 2, 3, 4, 5]);
  });
});
