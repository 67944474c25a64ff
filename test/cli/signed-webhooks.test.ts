import { createHmac } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SIGNATURES } from '../../src/tools/life/webhook-signatures.js';
import { makeTemporaryFolder } from '../temporary-folder.js';
import { cli } from './fake-io.js';

let folder: string;
const home = makeTemporaryFolder();

beforeEach(() => {
  folder = makeTemporaryFolder();
});
afterEach(() => rmSync(folder, { recursive: true }));

const iml = (...args: string[]): ReturnType<typeof cli> =>
  cli(args, { cwd: folder, env: { XDG_CONFIG_HOME: home } });

const SECRET = 'whsec-8d7f6s5d4f3g2h1j';
const BODY = '{"id":"7","name":"Ärger & Söhne"}';
const AT = String(Math.floor(Date.now() / 1000));
const LONG_AGO = String(Number(AT) - 3600);

const hmac = (text: string, encoding: 'hex' | 'base64' = 'hex'): string =>
  createHmac('sha256', SECRET).update(text).digest(encoding);

/** The headers that each API sends with the body, and where the app has the secret. */
const CALLS = {
  github: { headers: [`X-Hub-Signature-256: sha256=${hmac(BODY)}`], inHook: true },
  slack: {
    headers: [`X-Slack-Signature: v0=${hmac(`v0:${AT}:${BODY}`)}`, `X-Slack-Request-Timestamp: ${AT}`],
    inHook: false,
  },
  // A call in test mode has a second digest, which no app computes.
  stripe: {
    headers: [`Stripe-Signature: t=${AT},v1=${hmac(`${AT}.${BODY}`)},v0=${hmac('test mode')}`],
    inHook: true,
  },
  shopify: { headers: [`X-Shopify-Hmac-Sha256: ${hmac(BODY, 'base64')}`], inHook: false },
  custom: { headers: [`X-Signature: ${hmac(BODY)}`], inHook: true },
} satisfies Record<(typeof SIGNATURES)[number], { headers: string[]; inHook: boolean }>;

const RECORD = ['--record', 'acme/tests/events/called.test.json'];
const readCalled = (): Record<string, unknown> =>
  JSON.parse(readFileSync(path.join(folder, 'acme/tests/events/called.test.json'), 'utf8'));

async function addWebhook(scheme: string): Promise<void> {
  await iml('init', 'app', 'acme', '--base-url', 'https://api.acme.example', '--auth', 'none');
  expect(await iml('add', 'webhook', 'events', 'acme', '--signature', scheme)).toMatchObject({ code: 0 });
}

function callWith(
  headers: readonly string[],
  inHook: boolean,
  { body = BODY, record = [] as string[] } = {},
): ReturnType<typeof cli> {
  const given = inHook ? ['--hook-data', JSON.stringify({ secret: SECRET })] : ['-p', `secret=${SECRET}`];
  const sent = headers.flatMap((header) => ['-H', header]);
  return iml('webhook', 'acme', 'events', ...given, ...sent, '-d', body, ...record);
}

describe('iml add webhook --signature', () => {
  it.each(SIGNATURES)('adds a webhook that passes check and test: %s', async (scheme) => {
    await addWebhook(scheme);
    await iml('add', 'trigger', 'watchEvents', 'acme', '--webhook', 'events');
    const checked = await iml('check', 'acme', '--fail-on', 'warning');
    expect(checked, checked.out).toMatchObject({ code: 0 });
    const tested = await iml('test', 'acme');
    expect(tested, tested.out).toMatchObject({ code: 0, out: expect.not.stringContaining('todo') });
  });

  it.each(SIGNATURES)('records a signed call of %s without its secret', async (scheme) => {
    await addWebhook(scheme);
    const { headers, inHook } = CALLS[scheme];
    const recorded = await callWith(headers, inHook, { record: RECORD });
    expect(recorded, recorded.err).toMatchObject({ code: 0, err: expect.stringContaining('Recorded ') });
    const text = readFileSync(path.join(folder, 'acme/tests/events/called.test.json'), 'utf8');
    for (const secret of [SECRET, hmac(BODY), hmac(`${AT}.${BODY}`), hmac('test mode')]) {
      expect(text).not.toContain(secret);
    }
    expect(readCalled()).toMatchObject({ expect: { bundles: [{ id: '7' }] } });
    expect(await iml('test', 'acme', '--filter', 'called')).toMatchObject({ code: 0 });
  });

  it('records a call although the command has a connection, which a call does not read', async () => {
    await addWebhook('github');
    const { headers, inHook } = CALLS.github;
    const connection = { record: [...RECORD, '--connection', '{"apiKey":"key-12345"}'] };
    expect(await callWith(headers, inHook, connection)).toMatchObject({ code: 0 });
    expect(await iml('test', 'acme', '--filter', 'called')).toMatchObject({ code: 0 });
  });

  it.each(SIGNATURES)(
    'drops a call of %s without a signature, or with one of another body',
    async (scheme) => {
      await addWebhook(scheme);
      const { headers, inHook } = CALLS[scheme];
      const empty = headers.map((header) => header.replace(/: .*/, ': '));
      for (const { err } of [
        await callWith([], inHook),
        await callWith(empty, inHook),
        await callWith(headers, inHook, { body: '{"id":"8"}' }),
        await iml('webhook', 'acme', 'events', ...headers.flatMap((header) => ['-H', header]), '-d', BODY),
      ]) {
        expect(err).toContain('No bundles. The condition is false');
      }
    },
  );

  it('accepts a call of Stripe with the signatures of two secrets, in any order', async () => {
    await addWebhook('stripe');
    const [own, other] = [`v1=${hmac(`${AT}.${BODY}`)}`, `v1=${'0'.repeat(64)}`];
    for (const parts of [`${own},${other}`, `${other},${own}`]) {
      const { out } = await callWith([`Stripe-Signature: t=${AT},${parts}`], true);
      expect(out).toContain('"id":"7"');
    }
  });

  it.each([
    ['old call of Stripe', 'stripe', `Stripe-Signature: t=${LONG_AGO},v1=${hmac(`${LONG_AGO}.${BODY}`)}`],
    ['call of Stripe without a time', 'stripe', `Stripe-Signature: v1=${hmac(`.${BODY}`)}`],
    ['call of Stripe with another scheme', 'stripe', `Stripe-Signature: t=${AT},v0=${hmac(`${AT}.${BODY}`)}`],
    ['old call of Slack', 'slack', `X-Slack-Signature: v0=${hmac(`v0:${LONG_AGO}:${BODY}`)}`],
  ])('drops this one: %s', async (_, scheme, header) => {
    await addWebhook(scheme);
    const headers = [header, `X-Slack-Request-Timestamp: ${LONG_AGO}`];
    expect((await callWith(headers, scheme === 'stripe')).err).toContain(
      'No bundles. The condition is false',
    );
  });

  it.each(['github', 'stripe'])('writes the condition that the documentation shows: %s', async (scheme) => {
    await addWebhook(scheme);
    const file = path.join(folder, 'acme/webhooks/events/events.communication.iml.json');
    const { condition } = JSON.parse(readFileSync(file, 'utf8'));
    const page = readFileSync(path.join(import.meta.dirname, '../../docs/app-files.md'), 'utf8');
    expect(page).toContain(`"condition": ${JSON.stringify(condition)}`);
  });

  it('answers the verification request of Slack', async () => {
    await addWebhook('slack');
    const { out, err } = await callWith([], false, {
      body: '{"type":"url_verification","challenge":"c-1"}',
    });
    expect(out + err).toContain('{"challenge":"c-1"}');
  });

  it('refuses an unknown API', async () => {
    await iml('init', 'app', 'acme', '--base-url', 'https://api.acme.example', '--auth', 'none');
    expect(await iml('add', 'webhook', 'events', 'acme', '--signature', 'gitlab')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--signature: Expected one of'),
    });
  });
});

describe('a signed webhook call', () => {
  it('is not recorded if the signature does not come back, and the message names its header', async () => {
    await addWebhook('custom');
    const file = path.join(folder, 'acme/webhooks/events/events.communication.iml.json');
    writeFileSync(
      file,
      '{ "condition": "{{substring(headers.`x-signature`; 0; 9) = \'abababab-\'}}", "output": "{{body}}" }',
    );
    const { code, err } = await callWith(['X-Signature: abababab-says-nothing'], true, { record: RECORD });
    expect(code).toBe(1);
    expect(err).toContain('0 bundles instead of 1. The condition is false: headers.`x-signature` is');
    expect(err).toContain('the value of header x-signature');
    expect(err).not.toContain('abababab-says-nothing');
  });

  it('fails its case with the reason and the location of a false condition', async () => {
    await addWebhook('custom');
    const { headers, inHook } = CALLS.custom;
    await callWith(headers, inHook, { record: RECORD });
    const file = path.join(folder, 'acme/tests/events/called.test.json');
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(/"x-signature": ".*?"/i, '"x-signature": "forged"'),
    );
    const { code, out } = await iml('test', 'acme', '--filter', 'called');
    expect(code).toBe(1);
    expect(out).toContain('The condition is false: ');
    expect(out).toContain('events.communication.iml.json');
  });
});
