import { describe, expect, it } from 'vitest';
import { createRedactor, type LoggableRequest, type Redactor } from '../../src/engine/redaction/redact.js';

// Compares the shown text exactly: redacting too much is as wrong as too little.
const HIDDEN = '[SANITIZED]';
const plain = createRedactor({ secrets: [] });

function request(rest: Partial<LoggableRequest>): LoggableRequest {
  return { method: 'POST', url: 'https://a.test/', headers: [], body: undefined, ...rest };
}

describe('a text with unregistered credentials', () => {
  it.each([
    ['Digest abcd5678', `Digest ${HIDDEN}`],
    ['OAuth abcd5678', `OAuth ${HIDDEN}`],
    ['token   abcd5678.', `token ${HIDDEN}`],
    ['BEARER ab/cd+ef-gh_i~j==, then', `BEARER ${HIDDEN}, then`],
    ['Bearer abcd567', 'Bearer abcd567'],
    ['MyBearer abcd56789', 'MyBearer abcd56789'],
    ['Bearer abcd5678 and Basic abcd5678', `Bearer ${HIDDEN} and Basic ${HIDDEN}`],
    ['/x?user[password]=a%20b&n=1', `/x?user[password]=${HIDDEN}&n=1`],
    ['/x?code=abc#code=abc', `/x?code=${HIDDEN}#code=abc`],
    ['"/x?token=abc", \'?sig=abc\'', `"/x?token=${HIDDEN}", '?sig=${HIDDEN}'`],
    ['/x?token=', '/x?token='],
    ['a&token=abc', `a&token=${HIDDEN}`],
    ['a token=abc', 'a token=abc'],
    ['ftp://u:p@a.test and //v:q@b.test', `ftp://${HIDDEN}@a.test and //${HIDDEN}@b.test`],
    ['https://a.test:80/@me and mail a:b@c.test', 'https://a.test:80/@me and mail a:b@c.test'],
    ['https://a.test/me@b.test', 'https://a.test/me@b.test'],
  ])('%s', (raw, expected) => expect(plain.text(raw)).toBe(expected));
});

describe('a text body', () => {
  it.each([
    ['"text"', '"text"'],
    ['[{"token":"abc"},{"n":1}]', `[{"token":"${HIDDEN}"},{"n":1}]`],
    ['  {"token":"abc"}', `{"token":"${HIDDEN}"}`],
    ['{"a":"token=abc"}', '{"a":"token=abc"}'],
    ['got {"n":"1","token" : "a\\"b\\\\","x":"y"} back', `got {"n":"1","token" : "${HIDDEN}","x":"y"} back`],
    ['got "pin":"1", "sid":"2\\', `got "pin":"${HIDDEN}", "sid":"${HIDDEN}`],
    ['got "token":"say \\"sid\\":\\"x", "n":"1"', `got "token":"${HIDDEN}", "n":"1"`],
    ['got "token":12', 'got "token":12'],
    ['<a token="x" n="1"/>', `<a token="${HIDDEN}" n="1"/>`],
    ["<a sid='x' n='1'>y</a>", `<a sid="${HIDDEN}" n='1'>y</a>`],
    ['<x:token a="1">y</x:token><n>1</n>', `<x:token a="1">${HIDDEN}</x:token><n>1</n>`],
    ['<token>y<n/></token>', '<token>y<n/></token>'],
    ['<token></token>', '<token></token>'],
    ['<token><![CDATA[y]]></token><n>1</n>', `<token>${HIDDEN}</token><n>1</n>`],
    [' token=a%20b&n=1&pin', ` token=${HIDDEN}&n=1&pin`],
    ['token=&n=1', 'token=&n=1'],
    ['my+token=abc&a=b', `my+token=${HIDDEN}&a=b`],
    ['a b=1&token=abc', `a b=1&token=${HIDDEN}`],
    ['=1', '=1'],
    ['p%61ssword=abc&n=1', `p%61ssword=${HIDDEN}&n=1`],
    ['n=1&a%70i+key=abc', `n=1&a%70i+key=${HIDDEN}`],
    ['n%31=1&pin=2', `n%31=1&pin=${HIDDEN}`],
    ['%70in=1', `%70in=${HIDDEN}`],
    ['pin==1=2&n==', `pin=${HIDDEN}&n==`],
    ['pin&n=1&pin', 'pin&n=1&pin'],
    ['n=pin&1=2', 'n=pin&1=2'],
    ['n=1;pin=2;m=3', `n=1;pin=${HIDDEN};m=3`],
    ['pin=1;m=2&n=3;sid=4', `pin=${HIDDEN}&n=3;sid=${HIDDEN}`],
    ['&&pin=1&&', `&&pin=${HIDDEN}&&`],
  ])('%s', (body, expected) => {
    expect(plain.request(request({ body })).body).toBe(expected);
  });

  it.each([
    ['<token>\n  from-an-element\n</token>', 'from-an-element'],
    ['<token><![CDATA[from-cdata]]></token>', 'from-cdata'],
    ['<a token="from-an-attribute"/>', 'from-an-attribute'],
    ["<a token='from-another-one'/>", 'from-another-one'],
    ['client_secret=from%20a%2Dform&a=1', 'from a-form'],
    ['token=from%2Da%2Dpair', 'from-a-pair'],
    ['t%6Fken=from-a-name', 'from-a-name'],
    ['n=1;token=behind-another;m=2', 'behind-another'],
    ['token=from-two;m=of-them', 'from-two;m=of-them'],
    ['{"token":["from-a-list"]}', 'from-a-list'],
    ['{"a":[{"token":"from-a-member"}]}', 'from-a-member'],
  ])('registers the values that it redacts: %s', (body, secret) => {
    const redactor = createRedactor({ secrets: [] });
    redactor.request(request({ body }));
    expect(redactor.holdsSecret(secret)).toBe(true);
  });

  it('of a form is redacted by paths of one step', () => {
    const redactor = createRedactor({ secrets: [], sanitize: ['request.body.note', 'request.body.a.b'] });
    const body = 'note=two%20words&b=1&a=2';
    expect(redactor.request(request({ body })).body).toBe(`note=${HIDDEN}&b=1&a=2`);
    expect(redactor.text('it is two words')).toBe(`it is ${HIDDEN}`);
  });
});

describe('JSON longer than the shown part', () => {
  it('shows its first members, and remains JSON', () => {
    const redactor = createRedactor({ secrets: [], maxShown: 30 });
    const body = JSON.stringify({ token: 'x', a: 'y'.repeat(40), b: 1 });
    expect(redactor.request(request({ body })).body).toBe(
      `{"token":"${HIDDEN}","a":"yyyyyyyy… [left out]","[left out]":"[left out]"}`,
    );
  });
});

describe('a value', () => {
  it('shows absent, empty and boolean values under a secret name', () => {
    const value = { token: '', pin: null, password: false, sid: 0, secret: {}, cookie: [], jwt: undefined };
    expect(plain.value(value)).toEqual({
      token: '',
      pin: null,
      password: false,
      sid: HIDDEN,
      secret: HIDDEN,
      cookie: HIDDEN,
      jwt: undefined,
    });
  });

  it('shows no object that is not plain data', () => {
    class Client {
      readonly inside = 'abc';
    }
    expect(plain.value({ a: new Client(), b: () => 1, c: 1n, d: undefined })).toEqual({
      a: '[object]',
      b: expect.any(Function),
      c: 1n,
      d: undefined,
    });
  });

  it('is shown 100 levels deep', () => {
    const nested = (levels: number): unknown => (levels === 0 ? 'end' : { a: nested(levels - 1) });
    expect(JSON.stringify(plain.value(nested(100)))).toContain('end');
    expect(JSON.stringify(plain.value({ a: nested(100) }))).not.toContain('end');
    expect(JSON.stringify(plain.value(nested(101)))).toContain('[nested too deep to show]');
  });

  it('is truncated at the size limit', () => {
    const shown = createRedactor({ secrets: [], maxShown: 24 });
    expect(shown.value([1, 2, 3, 4, 5])).toEqual([1, 2, 3, '[left out]']);
    expect(shown.value({ a: 1, b: 2, c: 3 })).toEqual({ a: 1, b: 2, c: 3 });
    expect(shown.value({ a: 1, b: 2, c: 3, d: 4 })).toEqual({ a: 1, b: 2, c: 3, '[left out]': '[left out]' });
    expect(shown.value({ a: 1, b: 2, c: 'x' })).toEqual({ a: 1, b: 2, c: '[left out]' });
    expect(shown.value({ a: 1, b: 2, c: '' })).toEqual({ a: 1, b: 2, c: '' });
    expect(shown.value(['x'.repeat(8), 'y'])).toEqual(['x'.repeat(8), '[left out]']);
    expect(shown.value({ a: 'x'.repeat(15), b: 1 })).toEqual({
      a: 'x'.repeat(15),
      '[left out]': '[left out]',
    });
    expect(shown.text('x'.repeat(24))).toBe('x'.repeat(24));
    expect(shown.text('x'.repeat(25))).toBe(`${'x'.repeat(24)}… [left out]`);
  });

  it('is truncated at the size limit, to which a repeated member name counts each time', () => {
    const records = Array<unknown>(10).fill({ ab: 1 });
    const shown = createRedactor({ secrets: [], maxShown: 100 });
    expect(shown.value(records)).toEqual([...records.slice(0, 6), '[left out]']);
  });

  it('at a path is redacted as a whole, and a text is registered', () => {
    const redactor = createRedactor({ secrets: [], sanitize: ['request.body.a'] });
    expect(redactor.request(request({ body: { a: { b: 'in-an-object' }, c: 1 } })).body).toEqual({
      a: HIDDEN,
      c: 1,
    });
    expect(redactor.holdsSecret('in-an-object')).toBe(false);
    expect(redactor.request(request({ body: [{ a: 'in a list' }] })).body).toEqual([{ a: HIDDEN }]);
    expect(redactor.holdsSecret('in a list')).toBe(true);
  });

  it('is redacted throughout a value if only the end of the value reveals that it is secret', () => {
    const value = ['hush-hush-1', ...Array<number>(2000).fill(0), { token: 'hush-hush-1' }];
    const redactor = (): Redactor => createRedactor({ secrets: [], maxShown: 100_000 });
    for (const shown of [redactor().value(value), redactor().request(request({ body: value })).body])
      expect((shown as unknown[])[0]).toBe(HIDDEN);
  });

  it('with a name that is not secret is shown, whatever it looks like', () => {
    for (const value of [
      'open-open-1',
      ['open-open-1', ['open-open-2']],
      { a: ['open-open-1'], b: 'open-open-1' },
    ])
      expect(createRedactor({ secrets: [] }).value(value)).toEqual(value);
  });

  it('beside that of a path is shown, and so are its ancestors', () => {
    const redactor = createRedactor({ secrets: [], sanitize: ['request.body.a.b'] });
    const body = { a: { b: 'hush-hush-1', c: 'open-open-1' }, d: 'open-open-1' };
    expect(redactor.request(request({ body })).body).toEqual({ ...body, a: { ...body.a, b: HIDDEN } });
    expect(redactor.request(request({ body: { a: 'open-open-1', d: 'open-open-1' } })).body).toEqual({
      a: 'open-open-1',
      d: 'open-open-1',
    });
  });

  it('that is a list under a secret name is registered item by item', () => {
    const redactor = createRedactor({ secrets: [] });
    redactor.value({
      tokens: ['open-open-open'],
      password: ['hush-hush-1', ['hush-hush-2'], { a: 'open-too-1' }],
    });
    const texts = ['open-open-open', 'hush-hush-1', 'hush-hush-2', 'open-too-1'];
    expect(texts.filter((text) => redactor.holdsSecret(text))).toEqual(['hush-hush-1', 'hush-hush-2']);
  });
});

describe('an address', () => {
  it.each(['https://a.test/', 'https://a.test/x', '', '/token'])('without a query is shown: %s', (url) =>
    expect(plain.request(request({ url })).url).toBe(url),
  );
  it.each([
    ['/?', '/?'],
    ['/?token', '/?token'],
    ['/?a&token=abc&=1', `/?a&token=${HIDDEN}&=1`],
    ['?token=abc', `?token=${HIDDEN}`],
  ])('%s is shown as %s', (url, shown) => expect(plain.request(request({ url })).url).toBe(shown));
});

describe('a plain text body', () => {
  it('is complete at exactly the shown length', () => {
    const shown = (body: string): unknown =>
      createRedactor({ secrets: [], maxShown: 24 }).request(request({ url: '', body })).body;
    expect(shown('x'.repeat(24))).toBe('x'.repeat(24));
    expect(shown('x'.repeat(25))).toBe(`${'x'.repeat(24)}… [left out]`);
  });
});

describe('headers', () => {
  it('register the credentials of a scheme and the values of cookies', () => {
    const redactor = createRedactor({ secrets: [] });
    redactor.request(
      request({
        headers: [
          ['Authorization', 'AWS4-HMAC-SHA256 credential-of-aws'],
          ['Cookie', 'a=%66irst-cookie; b=second-cookie'],
          ['X-Api-Key', 'whole-header'],
        ],
      }),
    );
    redactor.response({ status: 200, headers: { 'set-cookie': ['c=third-cookie; Path=/'] }, body: '' });
    const known = ['credential-of-aws', 'first-cookie', 'second-cookie', 'third-cookie', 'whole-header'];
    expect(known.filter((text) => !redactor.holdsSecret(text))).toEqual([]);
  });

  it('are registered by path and by name, other headers are not', () => {
    const redactor = createRedactor({ secrets: [], sanitize: ['request.headers.x-mode'] });
    const headers = [
      ['X-Mode', 'plain words'],
      ['X-Api-Key', 'other words'],
      ['X-Token', 'id=open-open-1; whole-token-1'],
    ] as const;
    redactor.request(request({ headers }));
    expect(redactor.text('plain words')).toBe(HIDDEN);
    expect(redactor.text('other words id=open-open-1')).toBe(`${HIDDEN} id=open-open-1`);
  });

  it('register cookies without surrounding spaces', () => {
    const redactor = createRedactor({ secrets: [] });
    redactor.request(request({ headers: [['Cookie', 'a= padded-cookie ; b=1']] }));
    expect(redactor.text('<padded-cookie>')).toBe(`<${HIDDEN}>`);
  });

  it('are redacted again after a new secret is registered, or another one is sent', () => {
    const redactor = createRedactor({ secrets: [] });
    const shown = (...headers: readonly (readonly [string, string])[]) =>
      redactor.request(request({ headers })).headers;
    expect(shown(['x-a', 'later-secret'])).toEqual([['x-a', 'later-secret']]);
    redactor.collect(['later-secret']);
    expect(shown(['x-a', 'later-secret'])).toEqual([['x-a', HIDDEN]]);
    expect(shown(['x-a', 'other'])).toEqual([['x-a', 'other']]);
    expect(shown(['x-b', 'other'])).toEqual([['x-b', 'other']]);
    for (const last of ['1', '2'])
      expect(shown(['x-b', 'other'], ['x-c', last])).toEqual([
        ['x-b', 'other'],
        ['x-c', last],
      ]);
  });
});

describe('log.sanitize', () => {
  it('applies to query pairs of the Location header in a response', () => {
    const redactor = createRedactor({ secrets: [], sanitize: ['response.qs.plain'] });
    const headers = { Location: '/x?plain=1&y=2', 'x-a': '/x?plain=1' };
    expect({ ...redactor.response({ status: 302, headers, body: '' }).headers }).toEqual({
      Location: `/x?plain=${HIDDEN}&y=2`,
      'x-a': '/x?plain=1',
    });
  });

  it('ignores entries that are not paths', () => {
    const sanitize = [
      'request.bodyx',
      'request.body<>',
      'xrequest.body',
      'request.body<open',
      'body',
      'request.qsx',
      'request.qs<open>',
      'request.body.open>',
    ];
    const redactor = createRedactor({ secrets: [], sanitize });
    for (const body of ['open <> text', { x: 1, body: 2, y: { x: 3 } }]) {
      const given = request({ url: 'https://a.test/?x=1', body });
      expect(redactor.request(given)).toEqual(given);
    }
  });

  it('accepts entries with surrounding spaces, list indexes, and names in backticks', () => {
    const sanitize = [
      ' request.qs.x ',
      'request.body[0].a',
      'request.body.`b.c`[].`d`',
      'request.headers.X-One',
    ];
    const redactor = createRedactor({ secrets: [], sanitize });
    const shown = redactor.request(
      request({
        url: 'https://a.test/?x=1&y=2',
        headers: [['x-one', '1']],
        body: [{ a: 1, 'b.c': [{ d: 2, e: 3 }] }, { a: 4 }],
      }),
    );
    expect(shown).toEqual({
      method: 'POST',
      url: `https://a.test/?x=${HIDDEN}&y=2`,
      headers: [['x-one', HIDDEN]],
      body: [{ a: HIDDEN, 'b.c': [{ d: HIDDEN, e: 3 }] }, { a: HIDDEN }],
    });
  });

  it('distinguishes names with digits from list indexes', () => {
    const sanitize = ['request.body.a1', 'request.body.2b', 'request.body.list.0.12.x', 'request.body.`c`d'];
    const redactor = createRedactor({ secrets: [], sanitize });
    const body = { a1: 1, '2b': 2, list: [[{ x: 3, y: 4 }]], a: 5, c: 6 };
    expect(redactor.request(request({ body })).body).toEqual({
      ...body,
      a1: HIDDEN,
      '2b': HIDDEN,
      list: [[{ x: HIDDEN, y: 4 }]],
    });
  });
});

describe('the registered secrets', () => {
  it('are limited to 5000', () => {
    const secrets = Array.from({ length: 5001 }, (_, index) => `secret-${index}.`);
    const redactor = createRedactor({ secrets });
    expect(redactor.holdsSecret('secret-4999.')).toBe(true);
    expect(redactor.holdsSecret('secret-5000.')).toBe(false);
  });

  it('are found regardless of the order of registration', () => {
    const redactor = createRedactor({ secrets: [`first-${'x'.repeat(200)}`] });
    expect(redactor.text(`first-${'x'.repeat(200)}`)).toBe(HIDDEN);
    redactor.collect(['second-secret']);
    expect(redactor.text('second-secret')).toBe(HIDDEN);
    redactor.collect(['third-one']);
    for (const secret of [`first-${'x'.repeat(200)}`, 'second-secret', 'third-one'])
      expect(redactor.text(`a ${secret} b`)).toBe(`a ${HIDDEN} b`);
  });

  it('are found if many have the same prefix, or one contains the other', () => {
    const letters = [...'abcdefghijklmnopqrstuvwxyz0123456789'];
    const many = createRedactor({ secrets: letters.map((letter) => `alike-${letter}-end`) });
    for (const letter of letters) expect(many.text(`alike-${letter}-end`)).toBe(HIDDEN);
    expect(many.text('alike-_-end')).toBe('alike-_-end');
    const within = createRedactor({ secrets: ['xabcdefy', 'abcdef'] });
    expect(within.text('xabcdefz xabcdefy')).toBe(`x${HIDDEN}z ${HIDDEN}`);
  });

  it('are redacted once if they overlap', () => {
    const encoded = Buffer.from('hush-hush-hush-hush').toString('base64');
    const redactor = createRedactor({ secrets: ['hush-hush-hush-hush', encoded.slice(4, 12)] });
    expect(redactor.text(`a ${encoded} b`)).toBe(`a ${HIDDEN} b`);
    expect(createRedactor({ secrets: ['abcdef', 'cdefgh'] }).text('abcdefgh abcdefabcdef')).toBe(
      `${HIDDEN} ${HIDDEN}`,
    );
  });

  it('are found across the end of the shown part, and leave no sign of their start', () => {
    const shown = (maxShown: number): string =>
      createRedactor({ secrets: ['hush-hush'], maxShown }).text('0123456789hush-hush and more');
    expect(shown(10)).toBe('0123456789… [left out]');
    expect(shown(11)).toBe(`0123456789${HIDDEN}… [left out]`);
  });

  it('have 6 characters to 64 Ki', () => {
    const long = 'x'.repeat(64 * 1024);
    const redactor = createRedactor({ secrets: ['short', 'short6', `${long}y`] });
    expect(redactor.holdsSecret('short')).toBe(false);
    expect(redactor.holdsSecret('short6')).toBe(true);
    expect(redactor.holdsSecret(`${long}y`)).toBe(false);
    expect(createRedactor({ secrets: [long] }).holdsSecret(long)).toBe(true);
  });
});
