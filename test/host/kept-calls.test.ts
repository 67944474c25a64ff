import { afterEach, describe, expect, it } from 'vitest';
import {
  createHost,
  createLocalQueue,
  type Host,
  openHostSqlite,
  type Receiver,
} from '../../src/host/index.js';
import { shownEvent } from '../../src/tools/cli/output/shown-event.js';
import { flowsOf, plan, receiveJson, SUCCESS } from './test-flows.js';

type EventRow = Parameters<typeof shownEvent>[0];

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.stop(1000);
});

const HEADERS = {
  'content-type': 'application/json',
  'X-Api-Key': 'secret-1',
  'x-auth-token': 'secret-2',
  Authorization: 'Bearer secret-3',
  cookie: 'sid=secret-4',
  'X-Hub-Signature-256': 'secret-5',
  'x-page-token': 'page-3',
  'user-agent': 'service/1',
  'proxy-authorization': 'secret-6',
  referer: 'https://example.com/?access_token=secret-7&page=2',
};
const QUERY = 'access_token=secret-8&api_key=secret-9&code=secret-10&state=open&next=%3Ftoken%3Dsecret-11';

interface Call {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Record<string, string>;
  readonly query?: string;
}

/** A host with a hook whose stored data are `stored` and which was created with `parameters`. */
async function open(stored: unknown = null, parameters = {}) {
  const store = await openHostSqlite({ file: ':memory:' });
  const receiver: Receiver = async (request) => {
    // Refuses invalid JSON, and `reject`.
    const text = Buffer.from(request.call.body).toString('utf8');
    const isJson = text.startsWith('{') && text.endsWith('}');
    return receiveJson(
      isJson ? request : { ...request, call: { ...request.call, body: Buffer.from('{"reject":true}') } },
    );
  };
  const flows = flowsOf(() => SUCCESS);
  const host = createHost({ store, queue: createLocalQueue(), receiver, flows });
  hosts.push(host);
  const hook = await host.putHook({ name: 'h', app: 'a', webhook: 'w', kind: 'dedicated', parameters });
  await store.transaction((writer) => writer.update('hooks', { id: hook.id }, { data: stored }));
  await host.scenarios.put({ name: 's', plan: plan(), hookId: hook.id });
  return {
    store,
    hook,
    /** Returns the stored event of a call. */
    send: async ({ body, headers = HEADERS, query = QUERY }: Call): Promise<EventRow> => {
      const init = { method: 'POST', headers, body };
      await host.fetch(new Request(`http://localhost${hook.path}?${query}`, init));
      const [event] = await store.find('events', { limit: 1, sortBy: 'id', descending: true });
      return event ?? expect.fail();
    },
  };
}

/** Returns the stored event of a call with a body. */
async function keep(body: unknown): Promise<EventRow> {
  const { send } = await open();
  return send({ body: typeof body === 'string' ? body : JSON.stringify(body) });
}

const NAMES = { hook: 'h', scenario: '' };

it('stores the headers and the query without credentials', async () => {
  const { request } = await keep({ n: 1 });
  const text = JSON.stringify(request);
  expect(text).not.toMatch(/secret-\d/);
  for (const open of ['page-3', 'service/1', '["state","open"]', 'page=2', 'application/json'])
    expect(text).toContain(open);
  // The name remains visible, so that a reader knows that a value was sent.
  for (const name of ['x-api-key', 'x-auth-token', 'access_token', 'api_key'])
    expect(text).toContain(`["${name}","[SANITIZED]"]`);
});

it('shows the body of a refused call as text, with values under secret names redacted', async () => {
  const event = await keep({ reject: true, password: 'body-secret', note: 'seen' });
  expect(event.status).toBe('rejected');
  const shown = shownEvent(event, NAMES, []);
  expect(JSON.stringify(shown)).not.toMatch(/body-secret|secret-\d/);
  expect(shown).toMatchObject({
    hook: 'h',
    received: expect.stringMatching(/Z$/),
    notBefore: null,
    request: { body: '{"reject":true,"password":"[SANITIZED]","note":"seen"}' },
  });
});

describe('a secret of a hook', () => {
  const HOOK = 'HookDataSecret777+/x';
  const PARAMETER = 'signing-Password-987654';

  const forms: readonly (readonly [string, (secret: string) => string])[] = [
    ['unescaped', (secret) => secret],
    ['in base64', (secret) => Buffer.from(`user:${secret}`).toString('base64')],
    ['in hex', (secret) => Buffer.from(secret).toString('hex')],
    ['percent-encoded', (secret) => encodeURIComponent(secret)],
  ];

  it.each(forms)('is redacted in the query and the headers, %s', async (_, write) => {
    const { send } = await open({ hookSecret: HOOK }, { signing: PARAMETER, region: 'eu-central-1' });
    const headers = { 'x-hook': write(HOOK), 'x-other': `v=${write(PARAMETER)};eu-central-1` };
    const query = new URLSearchParams({ v: write(HOOK), w: write(PARAMETER), open: 'still-open' }).toString();
    const { request, bundles, status } = await send({ body: `{"n":"${HOOK}"}`, headers, query });
    const text = JSON.stringify(request);
    for (const secret of [HOOK, PARAMETER]) {
      expect(text).not.toContain(write(secret));
      expect(decodeURIComponent(text)).not.toContain(secret);
    }
    for (const open of ['still-open', 'eu-central-1', '"x-hook"']) expect(text).toContain(open);
    // The data of a scenario stay complete.
    expect(status).toBe('pending');
    expect(bundles).toEqual([{ n: HOOK }]);
  });

  it('is redacted if it is the address itself', async () => {
    const { send, hook } = await open({ hookSecret: HOOK });
    const headers = { 'x-original-uri': hook.path };
    const text = JSON.stringify((await send({ body: '{}', headers })).request);
    expect(text).not.toContain(hook.path.slice('/hooks/'.length));
  });

  it('is redacted with its current value, and secrets of other calls do not count', async () => {
    const { send, store, hook } = await open({ hookSecret: 'the-first-secret' });
    const headers = { authorization: 'Bearer of-the-first-call' };
    await send({ body: 'no JSON', headers, query: 'v=the-first-secret' });
    await store.transaction((writer) =>
      writer.update('hooks', { id: hook.id }, { data: { hookSecret: 'the-second-secret' } }),
    );
    const { request } = await send({
      body: 'the-second-secret of-the-first-call',
      headers: {},
      query: 'v=the-second-secret&w=the-first-secret',
    });
    expect(request).toMatchObject({
      query: [
        ['v', '[SANITIZED]'],
        ['w', 'the-first-secret'],
      ],
      text: '[SANITIZED] of-the-first-call',
    });
  });

  const wide = (text: string, mark: string): Uint8Array<ArrayBuffer> =>
    Uint8Array.from(Buffer.from(`${mark}${text}`, 'utf16le'));
  const big = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(bytes).swap16());
  const broken = `{"ok": BAD, "v":"${HOOK}", "password":"of-the-body"`;
  const multipart = `--x\r\nContent-Disposition: form-data; name="v"\r\n\r\n${HOOK}\r\n--x\r\nContent-Type: text/plain\r\nContent-Disposition: form-data; name="password"\r\n\r\nof-the-body\r\n--of-the-body\r\n`;

  it.each<[string, string | Uint8Array<ArrayBuffer>, string]>([
    ['broken JSON', broken, 'application/json'],
    ['UTF-16 with a byte order mark', wide(broken, '\ufeff'), 'application/json'],
    ['UTF-16 without one', wide(broken, ''), 'application/json; charset=utf-8'],
    ['UTF-16 the other way round', big(wide(broken, '')), 'text/plain'],
    ['truncated multipart', multipart, 'multipart/form-data; boundary=x'],
    ['multipart with a following part', `${multipart}--x--\r\n`, 'multipart/form-data; boundary=x'],
    ['multipart of another type', multipart, 'text/plain'],
    ['a form', `v=${encodeURIComponent(HOOK)}&password=of-the-body`, 'application/x-www-form-urlencoded'],
  ])(
    'is redacted in the body of a refused call, together with values under secret names: %s',
    async (_, body, type) => {
      const { send } = await open({ hookSecret: HOOK });
      const event = await send({ body, headers: { 'content-type': type }, query: '' });
      expect(event.status).toBe('rejected');
      const { text } = event.request as { text: string };
      expect(text).toContain('[SANITIZED]');
      for (const shown of [JSON.stringify(event.request), JSON.stringify(shownEvent(event, NAMES, []))])
        for (const secret of [HOOK, encodeURIComponent(HOOK), 'of-the-body'])
          expect(shown).not.toContain(secret);
    },
  );

  it('is not shown in a binary body, of which only the length and the content type are shown', async () => {
    const { send } = await open({ hookSecret: HOOK });
    const body = Uint8Array.from([0xff, ...Buffer.from(`{"password":"${HOOK}"}`)]);
    const event = await send({ body, headers: { 'content-type': 'application/json' }, query: '' });
    expect(event.request).toMatchObject({ text: null, size: body.byteLength });
    expect(shownEvent(event, NAMES, [])).toMatchObject({
      request: { body: `[${body.byteLength} bytes of binary data, application/json]` },
    });
  });

  it('is redacted at the end of the stored part of a long body', async () => {
    const { send } = await open({ hookSecret: HOOK });
    const { request } = await send({ body: `${'-'.repeat(64 * 1024 - 10)}${HOOK}`, headers: {}, query: '' });
    const { text } = request as { text: string };
    expect(text).toHaveLength(64 * 1024);
    expect(text).not.toContain(HOOK.slice(0, 5));
  });

  it('is redacted in a shown event, including its bundles', async () => {
    const { send } = await open();
    const event = await send({ body: JSON.stringify({ note: `has ${HOOK}` }) });
    expect(JSON.stringify(shownEvent(event, NAMES, [HOOK]))).not.toContain(HOOK);
  });
});
