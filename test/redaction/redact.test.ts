import { describe, expect, it } from 'vitest';
import { createRedactor, type LoggableRequest, type Redactor } from '../../src/engine/redaction/redact.js';
import { isSecretName } from '../../src/engine/redaction/secret-names.js';
import { collectSecrets } from '../../src/engine/redaction/secrets.js';

const SECRET = 'p/ä+ "q"\\n=&?x';
const HIDDEN = '[SANITIZED]';

function request(rest: Partial<LoggableRequest>): LoggableRequest {
  return { method: 'POST', url: 'https://a.test/', headers: [], body: undefined, ...rest };
}

const plain = createRedactor({ secrets: [], maxShown: 2 ** 21 });

describe('a registered secret', () => {
  const text = (raw: string): string =>
    createRedactor({ secrets: [SECRET, '1', 'eu', 'line one of a key\nline two of a key'] }).text(raw);
  const base64 = (value: string): string => Buffer.from(value).toString('base64');

  it.each<[string, string]>([
    ['unencoded', SECRET],
    ['percent-encoded', encodeURIComponent(SECRET)],
    ['percent-encoded in lower case', encodeURIComponent(SECRET).toLowerCase()],
    ['in a form', new URLSearchParams({ a: SECRET }).toString().slice(2)],
    ['in an encoded address', encodeURI(SECRET)],
    ['in JSON', JSON.stringify(SECRET).slice(1, -1)],
    ['in base64', base64(SECRET)],
    ['in base64url', Buffer.from(SECRET).toString('base64url')],
    ['a line of a key', 'line two of a key'],
  ])('%s', (_title, form) => {
    expect(text(`before ${form} after`)).toBe(`before ${HIDDEN} after`);
  });

  it.each(['u:', 'us:', 'use:', 'user:'])('is found inside longer base64 after %j', (prefix) => {
    for (const suffix of ['', '1', '12', ':more']) {
      const cleaned = text(base64(prefix + SECRET + suffix));
      const decoded = Buffer.from(cleaned.replace(HIDDEN, ''), 'base64').toString();
      expect(cleaned).toContain(HIDDEN);
      expect(decoded).not.toContain(SECRET.slice(2, -2));
    }
  });

  it('does not redact texts that contain a short value', () => {
    expect(text('1 of 10 in eu-west')).toBe('1 of 10 in eu-west');
  });

  it('redacts the longer of two with the same prefix', () => {
    const both = createRedactor({ secrets: ['abcdef', 'abcdefghi'] });
    expect(both.text('abcdefghi')).toBe(HIDDEN);
  });

  it('leaves a large text without secrets unchanged', () => {
    const many = createRedactor({
      maxShown: 2 ** 21,
      secrets: Array.from({ length: 50 }, (_, index) => `secret-number-${index}-of-fifty`),
    });
    const large = '{"name":"Ann","text":"lorem ipsum dolor sit amet"},'.repeat(20_000);
    expect(many.text(large)).toBe(large);
  });
});

describe('any text', () => {
  it.each([
    ['Authorization: Bearer abcdefgh12345', `Authorization: Bearer ${HIDDEN}`],
    ['sent Basic dXNlcjpwYXNz== to', `sent Basic ${HIDDEN} to`],
    [
      'GET https://a.test/x?page=2&access_token=abc&y=1',
      `GET https://a.test/x?page=2&access_token=${HIDDEN}&y=1`,
    ],
    ['https://user:pass@a.test/', `https://${HIDDEN}@a.test/`],
    ['a token of value', 'a token of value'],
  ])('%s', (raw, expected) => expect(plain.text(raw)).toBe(expected));

  it('is read in linear time: quadratic time would exceed the test timeout', () => {
    for (const piece of ['?', '&a', 'Bearer ', '//a:', '"a":"', '<a>', 'x=', '<a ', '"token":"\\\\']) {
      const hostile = piece.repeat(90_000);
      expect(plain.text(hostile)).toHaveLength(hostile.length);
      plain.request(request({ body: hostile }));
      plain.request(request({ body: `<${hostile}` }));
    }
  });
});

describe('secret names', () => {
  it.each([
    'password',
    'Passwd',
    'pwd',
    'client_secret',
    'clientSecret',
    'api_key',
    'apiKey',
    'X-API-KEY',
    'access_token',
    'refreshToken',
    'id_token',
    'token',
    'private-key',
    'signature',
    'sig',
    'Authorization',
    'Proxy-Authorization',
    'Cookie',
    'Set-Cookie',
    'session_id',
    'credentials',
    'passphrase',
    'jwt',
    'X-Amz-Security-Token',
    'otp',
  ])('%s', (name) => {
    for (const place of ['header', 'query', 'body'] as const) expect(isSecretName(name, place)).toBe(true);
  });

  it.each([
    'name',
    'nextPageToken',
    'page_token',
    'continuation-token',
    'tokens',
    'max_tokens',
    'token_type',
    'author',
    'keyboard',
    'Idempotency-Key',
    'description',
    'passenger',
  ])('do not include %s', (name) => {
    for (const place of ['header', 'query', 'body'] as const) {
      if (name === 'passenger') expect(isSecretName(name, place)).toBe(false);
      expect(isSecretName(name, place)).toBe(false);
    }
  });

  it('"key" in a query or as the end of a header, not in a body', () => {
    expect(isSecretName('key', 'query')).toBe(true);
    expect(isSecretName('X-Key', 'header')).toBe(true);
    expect(isSecretName('key', 'body')).toBe(false);
  });
});

describe('requests and responses', () => {
  it('an address shown before hides secrets registered since', () => {
    const redactor = createRedactor({ secrets: [] });
    const request = {
      method: 'GET',
      url: 'https://a.test/x?q=learned-later-1',
      headers: [],
      body: undefined,
    };
    expect(redactor.request(request).url).toContain('learned-later-1');
    redactor.collect(['learned-later-1']);
    expect(redactor.request(request).url).toBe('https://a.test/x?q=[SANITIZED]');
    expect(redactor.request({ ...request, url: 'https://a.test/y' }).url).toBe('https://a.test/y');
  });

  it('hides headers, query and body members, and does not change its input', () => {
    const given = request({
      url: 'https://a.test/x?key=abc&page=2',
      headers: [
        ['Authorization', 'Bearer hush'],
        ['X-Api-Key', 'hush'],
        ['Accept', '*/*'],
      ],
      body: {
        user: 'ann',
        password: 'hush',
        list: [{ refresh_token: 'hush', n: 1 }],
        hasPassword: true,
        pin: null,
      },
    });
    const before = structuredClone(given);
    expect(plain.request(given)).toEqual({
      method: 'POST',
      url: `https://a.test/x?key=${HIDDEN}&page=2`,
      headers: [
        ['Authorization', HIDDEN],
        ['X-Api-Key', HIDDEN],
        ['Accept', '*/*'],
      ],
      body: {
        user: 'ann',
        password: HIDDEN,
        list: [{ refresh_token: HIDDEN, n: 1 }],
        hasPassword: true,
        pin: null,
      },
    });
    expect(given).toEqual(before);
  });

  it.each<[string, string, string]>([
    ['JSON', '{"a":1,"token":"hush"}', `{"a":1,"token":"${HIDDEN}"}`],
    ['JSON cut off', '{"a":1,"token": "hush', `{"a":1,"token": "${HIDDEN}`],
    ['a form', 'a=1&client_secret=hush&b=2', `a=1&client_secret=${HIDDEN}&b=2`],
    [
      'XML',
      '<a b="1" token="hush"><password x="1">hush</password><n>1</n></a>',
      `<a b="1" token="${HIDDEN}"><password x="1">${HIDDEN}</password><n>1</n></a>`,
    ],
    ['text', 'hello world', 'hello world'],
  ])('a body of %s', (_title, body, expected) => {
    expect(plain.request(request({ body })).body).toBe(expected);
    const headers: LoggableRequest['headers'] = [['Content-Type', 'text/plain']];
    expect(plain.request(request({ headers, body: Buffer.from(body) })).body).toBe(expected);
  });

  it('shows the length of binary data', () => {
    expect(plain.request(request({ body: Buffer.from('hush') })).body).toBe('[4 bytes]');
    expect(plain.value({ file: new Uint8Array(3), date: new Date(0) })).toEqual({
      file: '[3 bytes]',
      date: new Date(0),
    });
  });

  it('redacts cookies of a response', () => {
    const headers = { 'set-cookie': ['a=hush', 'b=hush'], location: 'https://a.test/?code=hush', 'x-a': '1' };
    expect(plain.response({ status: 200, headers, body: '' })).toEqual({
      status: 200,
      headers: { 'set-cookie': [HIDDEN, HIDDEN], location: `https://a.test/?code=${HIDDEN}`, 'x-a': '1' },
      body: '',
    });
  });

  it('registers the values that it redacts', () => {
    const redactor = createRedactor({ secrets: [] });
    redactor.response({ status: 200, headers: {}, body: { access_token: 'hush-hush-hush' } });
    redactor.request(request({ headers: [['Authorization', 'Bearer other-hush-hush']] }));
    expect(redactor.text('Invalid: hush-hush-hush, other-hush-hush')).toBe(`Invalid: ${HIDDEN}, ${HIDDEN}`);
  });

  it.each(['correct horse battery staple', 'short1'])(
    'registers a password of a request with spaces or few characters: %s',
    (password) => {
      for (const sent of [
        request({ body: { password } }),
        request({ body: `password=${encodeURIComponent(password)}` }),
        request({ headers: [['X-Password', password]] }),
        request({ url: `https://a.test/?password=${encodeURIComponent(password)}` }),
      ]) {
        const redactor = createRedactor({ secrets: [] });
        redactor.request(sent);
        expect(redactor.text(`Wrong password ${password}.`)).toBe(`Wrong password ${HIDDEN}.`);
      }
    },
  );

  it('registers no words that occur only under a secret name, unless a path names them', () => {
    const body = { errors: { password: 'is required' } };
    const redactor = createRedactor({ secrets: [] });
    expect(redactor.response({ status: 400, headers: {}, body }).body).toEqual({
      errors: { password: HIDDEN },
    });
    expect(redactor.text('is required')).toBe('is required');
    const named = createRedactor({ secrets: [], sanitize: ['response.body.errors.password'] });
    named.response({ status: 400, headers: {}, body });
    expect(named.text('is required')).toBe(HIDDEN);
  });

  it('handles depth, circular values and hostile members', () => {
    let deep: unknown = 'x';
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(JSON.stringify(plain.value(deep))).toContain('too deep');
    expect(plain.request(request({ body: '['.repeat(1e5) + ']'.repeat(1e5) })).body).toContain('too deep');
    const hostile = JSON.parse('{"__proto__":{"token":"hush"},"constructor":"x"}');
    expect(JSON.stringify(plain.value(hostile))).toBe(
      `{"__proto__":{"token":"${HIDDEN}"},"constructor":"x"}`,
    );
  });
});

describe('log.sanitize', () => {
  const sanitize = [
    'request.headers.X-Mode',
    'request.qs.q',
    'request.body.a.b',
    'response.body.items.note',
    'response.body.rows[].x',
    'response.headers.etag',
    'request.body<inner text>',
    'request.body<7>',
    'nonsense',
    'response.cookies.a',
  ];
  const redactorOf = (): Redactor => createRedactor({ secrets: [], sanitize });

  it('redacts paths of a request', () => {
    const redactor = redactorOf();
    const shown = redactor.request(
      request({
        url: 'https://a.test/?q=1&r=2',
        headers: [
          ['x-mode', 'one'],
          ['X-Other', 'two'],
        ],
        body: { a: { b: 1, c: 'inner text 7' }, b: 2 },
      }),
    );
    expect(shown.url).toBe(`https://a.test/?q=${HIDDEN}&r=2`);
    expect(shown.headers).toEqual([
      ['x-mode', HIDDEN],
      ['X-Other', 'two'],
    ]);
    expect(shown.body).toEqual({ a: { b: HIDDEN, c: `${HIDDEN} ${HIDDEN}` }, b: 2 });
  });

  it('redacts paths of a response, through lists and in text that is JSON', () => {
    const redactor = redactorOf();
    const body = {
      items: [
        { note: 'n1', id: 1 },
        { note: { deep: 1 }, id: 2 },
      ],
      rows: [{ x: 1, y: 2 }],
      a: { b: 'seen' },
    };
    const expected = {
      items: [
        { note: HIDDEN, id: 1 },
        { note: HIDDEN, id: 2 },
      ],
      rows: [{ x: HIDDEN, y: 2 }],
      a: { b: 'seen' },
    };
    const headers = { etag: 'e', 'content-type': 'application/json' };
    expect(redactor.response({ status: 200, headers, body }).body).toEqual(expected);
    expect(
      redactor.response({ status: 200, headers, body: Buffer.from(JSON.stringify(body)) }),
    ).toMatchObject({
      headers: { etag: HIDDEN },
      body: JSON.stringify(expected),
    });
  });

  it('redacts a part of a text body', () => {
    expect(redactorOf().request(request({ body: 'x inner text 7 y' })).body).toBe(`x ${HIDDEN} ${HIDDEN} y`);
  });

  it('redacts a whole body, and registers the values of its derived redactor everywhere', () => {
    const derived = createRedactor({ secrets: [] }).withSanitize([
      'response.body',
      'request.body<long enough>',
    ]);
    expect(derived.response({ status: 200, headers: {}, body: { a: 1 } }).body).toBe(HIDDEN);
    expect(derived.response({ status: 200, headers: {}, body: '{"a":1}' }).body).toBe(HIDDEN);
    expect(derived.text('it was long enough')).toBe(`it was ${HIDDEN}`);
  });

  it('redacts the fixture of the platform', () => {
    const fixture = createRedactor({
      secrets: collectSecrets({ token: 'tok-9911', key: 'key-7722' }),
      sanitize: ['request.headers.authorization', 'request.qs.key', 'response.body.secret'],
    });
    const log = JSON.stringify([
      fixture.request(
        request({ url: 'https://a.test/s?key=key-7722', headers: [['Authorization', 'Bearer tok-9911']] }),
      ),
      fixture.response({ status: 200, headers: {}, body: { secret: 'sec-5533', a: 1 } }),
      fixture.text('sec-5533 tok-9911 key-7722'),
    ]);
    for (const secret of ['tok-9911', 'key-7722', 'sec-5533']) expect(log).not.toContain(secret);
  });
});

describe('collectSecrets', () => {
  it('collects text at any depth, but not under names or fields declared as public', () => {
    const connection = {
      apiKey: 'key-key-key',
      nested: { list: ['in-a-list', { deep: 'deep-value' }] },
      pin: 123456,
      count: 1234567,
      short: 'eu',
      region: 'eu-central-1',
      baseUrl: 'https://a.test',
      expires: '2030-01-01T00:00:00.000Z',
      since: '2020-01-01',
      bytes: Buffer.from('bytes-of-a-key'),
    };
    expect(collectSecrets(connection, undefined, { clientSecret: 'common-secret' })).toEqual([
      'key-key-key',
      '123456',
      'common-secret',
      'in-a-list',
      'deep-value',
      'bytes-of-a-key',
    ]);
  });

  it('handles circular data', () => {
    const loop: Record<string, unknown> = { token: 'hush-hush' };
    loop['self'] = loop;
    expect(collectSecrets(loop)).toEqual(['hush-hush']);
  });
});

describe('a multipart body', () => {
  const body = [
    '--x',
    'Content-Disposition: form-data; name="note"',
    '',
    'seen',
    '--x',
    'Content-Type: application/x-pem-file',
    'content-disposition: form-data; filename="a"; name="client_secret"',
    '',
    '-----BEGIN KEY-----',
    'of-the-key',
    '-----END KEY-----',
    '--x',
    'Content-Disposition: form-data; name=a; filename="name=password"',
    '',
    'seen, too',
    '--x--',
  ];

  it.each(['\r\n', '\n'])('is shown without parts under secret names, in lines that end with %j', (end) => {
    const { body: shown } = createRedactor({ secrets: [] }).request(request({ body: body.join(end) }));
    const hidden = [...body.slice(0, 8), HIDDEN, ...body.slice(11)];
    expect(shown).toBe(hidden.join(end));
  });

  it('registers the values that it redacts, complete parts only', () => {
    const redactor = createRedactor({ secrets: [], sanitize: ['request.body.note'] });
    const parts = ['--x', 'Content-Disposition: form-data; name="note"', '', 'two words', ...body.slice(4)];
    redactor.request(request({ body: parts.join('\r\n').replaceAll('of-the-key', 'x') }));
    // A value under a secret name is registered if it looks like a secret, a value at a path always.
    expect(redactor.text('two words')).toBe(HIDDEN);
    const one = ['--x', 'Content-Disposition: form-data; name="pin"', '', 'a-whole-secret', '--x--'];
    redactor.request(request({ body: one.join('\r\n') }));
    redactor.request(request({ body: one.slice(0, 4).join('\r\n').replace('whole', 'half') }));
    expect(redactor.text('a-whole-secret a-half-secret')).toBe(`${HIDDEN} a-half-secret`);
  });

  it('is detected without a boundary line at its start', () => {
    const { body: shown } = createRedactor({ secrets: [] }).request(
      request({ body: 'Content-Disposition: form-data; name=pin\n\n1234\n--x\nmore' }),
    );
    expect(shown).toBe(`Content-Disposition: form-data; name=pin\n\n${HIDDEN}`);
  });

  it('is redacted by paths, up to its end if truncated', () => {
    const redactor = createRedactor({ secrets: [], sanitize: ['request.body.note'] });
    const { body: shown } = redactor.request(request({ body: body.slice(0, 4).join('\r\n') }));
    expect(shown).toBe([...body.slice(0, 3), HIDDEN].join('\r\n'));
  });
});

describe('a fork of a redactor', () => {
  it('finds the secrets of its parent and keeps its own separate', () => {
    const first = createRedactor({ secrets: ['known-to-both'] });
    const second = first.fork();
    second.collect(['known-to-the-second']);
    first.collect(['learned-by-the-first']);
    const all = 'known-to-both known-to-the-second learned-by-the-first';
    expect(second.text(all)).toBe(`${HIDDEN} ${HIDDEN} ${HIDDEN}`);
    expect(first.text(all)).toBe(`${HIDDEN} known-to-the-second ${HIDDEN}`);
    expect([second.holdsSecret('known-to-both'), second.holdsSecret('known-to-the-second')]).toEqual([
      true,
      true,
    ]);
    expect(second.holdsSecret('known-to-nobody')).toBe(false);
    expect(first.holdsSecret('known-to-the-second')).toBe(false);
    expect(second.fork(20).text(`of ${all}`)).not.toContain('known');
    expect([first.isComplete(), second.isComplete()]).toEqual([true, true]);
  });
});

it.each(['-', '<a>-', 'password=', '"password": "x", -'])(
  'the start of a long body that begins with %j ends in no part of a secret',
  (start) => {
    const redactor = createRedactor({ secrets: ['secret-at-the-end'], maxShown: 1000 });
    const body = `${start.padEnd(990, '-')}secret-at-the-end${'-'.repeat(20_000)}`;
    expect(redactor.request(request({ body })).body).not.toContain('secret-at');
  },
);

describe('a name in backticks', () => {
  it('is parsed as in expressions', () => {
    const sanitize = ['request.headers.`X-Custom`', 'request.qs.`a.b`', 'response.body.`odd.name`.x'];
    const redactor = createRedactor({ secrets: [], sanitize });
    const request = redactor.request({
      method: 'GET',
      url: 'https://a.test/?a.b=hidden-1',
      headers: [['X-Custom', 'hidden-2']],
      body: undefined,
    });
    const response = redactor.response({
      status: 200,
      headers: {},
      body: { 'odd.name': { x: 'hidden-3' } },
    });
    expect(JSON.stringify([request, response])).not.toContain('hidden-');
  });
});
